//! Words that say nothing about a need.

/// English function words and the phrases of polite requests, sorted.
const WORDS: [&str; 154] = [
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "between", "both", "but", "by", "can", "could", "d", "did", "do", "does", "doing", "don",
    "each", "etc", "few", "for", "from", "further", "get", "give", "given", "had", "has", "have", "having", "he",
    "hello", "help", "her", "here", "hers", "hey", "hi", "him", "his", "how", "i", "if", "im", "in", "into", "is",
    "it", "its", "just", "kindly", "know", "let", "like", "ll", "m", "make", "may", "me", "might", "more", "most",
    "much", "must", "my", "need", "needs", "no", "nor", "not", "of", "on", "once", "only", "or", "other", "our",
    "ours", "out", "own", "please", "provide", "re", "s", "same", "shall", "she", "should", "so", "some", "such", "t",
    "tell", "than", "thank", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "us", "use", "used", "uses", "using", "ve", "very", "via",
    "want", "wants", "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose",
    "why", "will", "with", "would", "yes", "you", "your", "yours",
];

/// Whether the lower-case `word` says nothing by itself.
pub(crate) fn is_stop(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
    }
}
