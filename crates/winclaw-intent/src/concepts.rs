use rust_stemmers::Stemmer;

use crate::map::{Map, first_two};

/// Groups of words for the same thing, one a line; `#` begins a remark.
const GROUPS: &str = include_str!("concepts.txt");

/// Longest Chinese word in a group, in characters.
const LONGEST: usize = 4;

/// What may stand before the verb of a Chinese request.
const OPENINGS: [&str; 22] = [
    "请",
    "帮我",
    "帮忙",
    "帮",
    "给我",
    "麻烦",
    "我想",
    "我要",
    "想要",
    "可以",
    "能不能",
    "能否",
    "你",
    "然后",
    "并且",
    "并",
    "再",
    "接着",
    "顺便",
    "另外",
    "同时",
    "则",
];

/// Which concepts a word belongs to, so that `erase the folder` and 删除目录 meet a tool that speaks of deleting a directory.
pub(crate) struct Concepts {
    /// The terms of the concepts of each word: a stem, or a CJK word.
    of: Map<String, Vec<String>>,
    /// How the CJK words begin. Most places of a text begin none, and are passed by one look.
    begins: Map<[char; 2], ()>,
}

impl Concepts {
    pub(crate) fn new(stemmer: &Stemmer) -> Concepts {
        let mut of: Map<String, Vec<String>> = Map::default();
        let groups = GROUPS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        for (number, group) in groups.enumerate() {
            for word in group.split_whitespace() {
                let concepts = of.entry(stemmer.stem(word).into_owned()).or_default();
                let term = format!("={number}");
                if !concepts.contains(&term) {
                    concepts.push(term);
                }
            }
        }
        let begins = of.keys().filter_map(|word| first_two(word)).map(|two| (two, ())).collect();
        Concepts { of, begins }
    }

    /// The concepts of a stem or a CJK word. Their terms begin with `=`, as no word does.
    pub(crate) fn of(&self, word: &str) -> &[String] {
        self.of.get(word).map_or(&[], Vec::as_slice)
    }

    /// Calls `sink` with the concepts of the words of several characters that begin at `start`; whether there are any.
    fn beginning<'a>(&self, run: &'a str, start: usize, sink: &mut impl FnMut(&str, &'a str)) -> bool {
        let ends = run[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
        let mut found = false;
        for end in ends.take(LONGEST).skip(1) {
            let word = &run[start..end];
            self.of(word).iter().for_each(|concept| sink(concept, word));
            found |= !self.of(word).is_empty();
        }
        found
    }

    /// Calls `sink` with the concepts of every word inside a CJK run, and that word. A single character is a word only where
    /// it opens the run, as the 画 of 画一只猫, and is not the beginning of a longer one.
    pub(crate) fn within<'a>(&self, run: &'a str, sink: &mut impl FnMut(&str, &'a str)) {
        let opening = opening(run);
        for (start, c) in run.char_indices() {
            let begins = first_two(&run[start..]).is_some_and(|two| self.begins.contains_key(&two));
            let found = begins && self.beginning(run, start, sink);
            if start == opening && !found {
                let word = &run[start..start + c.len_utf8()];
                self.of(word).iter().for_each(|concept| sink(concept, word));
            }
        }
    }
}

/// Where what is asked for begins: behind words of politeness and words that begin a clause.
fn opening(run: &str) -> usize {
    let mut rest = run;
    while let Some(after) = OPENINGS.iter().find_map(|opening| rest.strip_prefix(opening)) {
        rest = after;
    }
    run.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use rust_stemmers::Algorithm;

    use super::*;

    #[test]
    fn one_character_is_a_word_only_where_it_opens_the_run() {
        let concepts = Concepts::new(&Stemmer::create(Algorithm::English));
        let words = |run: &'static str| {
            let mut words = Vec::new();
            concepts.within(run, &mut |_, word| words.push(word));
            words.dedup();
            words
        };
        assert_eq!(words("画一只"), ["画"]);
        assert_eq!(words("请帮我画一只"), ["画"]);
        assert_eq!(words("然后画一只"), ["画"]);
        assert_eq!(words("画图"), ["画图"], "the longer word says it already");
        assert_eq!(words("一只画"), [""; 0]);
    }
}
