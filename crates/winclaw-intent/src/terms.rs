use rust_stemmers::{Algorithm, Stemmer};
use winclaw_catalog::names::words;

use crate::concepts::Concepts;
use crate::stop::is_stop;

/// Longest word that is read, in bytes; longer ones are data, not words.
const LONGEST: usize = 64;

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A stemmed word, or two parts of a `camelCase` name joined.
    Word,
    /// Two neighbouring CJK characters.
    Pair,
    /// One CJK character.
    Single,
    /// What a word means, as against the word itself.
    Concept,
}

impl Kind {
    /// Whether it makes a text longer: not what only repeats another term.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Kind::Word | Kind::Pair)
    }
}

/// A piece of a text that has terms of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A word, in the case it was written in.
    Word(&'a str),
    /// Words written as one, such as `GitHub`, which is also the word `github`.
    Compound(&'a str),
    /// CJK characters without a break.
    Run(&'a str),
}

/// Calls `sink` with the pieces of `text` (in NFKC form), in order; a compound comes after its words.
pub(crate) fn pieces<'a>(text: &'a str, sink: &mut impl FnMut(Piece<'a>)) {
    let mut compound: Option<(&'a str, usize)> = None;
    for word in words(text) {
        if word.cjk {
            end(compound.take(), sink);
            sink(Piece::Run(word.text));
            continue;
        }
        compound = match compound {
            Some((head, parts)) if word.joined => Some((span(text, head, word.text), parts + 1)),
            done => {
                end(done, sink);
                Some((word.text, 1))
            }
        };
        if word.text.len() <= LONGEST {
            sink(Piece::Word(word.text));
        }
    }
    end(compound, sink);
}

/// Words written as one are a piece too.
fn end<'a>(compound: Option<(&'a str, usize)>, sink: &mut impl FnMut(Piece<'a>)) {
    if let Some((whole, 2..)) = compound.filter(|(whole, _)| whole.len() <= LONGEST) {
        sink(Piece::Compound(whole));
    }
}

/// The piece of `text` from the start of `head` to the end of `tail`, both pieces of it.
pub(crate) fn span<'a>(text: &'a str, head: &str, tail: &str) -> &'a str {
    let start = head.as_ptr() as usize - text.as_ptr() as usize;
    let end = tail.as_ptr() as usize - text.as_ptr() as usize + tail.len();
    &text[start..end]
}

/// One tokeniser for requests and tools alike.
pub(crate) struct Tokeniser {
    stemmer: Stemmer,
    concepts: Concepts,
}

impl Tokeniser {
    pub(crate) fn new() -> Tokeniser {
        let stemmer = Stemmer::create(Algorithm::English);
        Tokeniser { concepts: Concepts::new(&stemmer), stemmer }
    }

    /// Calls `sink` with each term of `piece`, the words it stands for, and its kind.
    pub(crate) fn terms<'a>(&self, piece: Piece<'a>, sink: &mut impl FnMut(&str, &'a str, Kind)) {
        match piece {
            Piece::Word(word) => self.word(word, sink),
            Piece::Compound(whole) => sink(&self.stemmer.stem(&whole.to_lowercase()), whole, Kind::Word),
            Piece::Run(run) => {
                characters(run, sink);
                self.concepts.within(run, &mut |concept, surface| sink(concept, surface, Kind::Concept));
            }
        }
    }

    fn word<'a>(&self, word: &'a str, sink: &mut impl FnMut(&str, &'a str, Kind)) {
        let lower = word.to_lowercase();
        if !is_stop(&lower) {
            let stem = self.stemmer.stem(&lower);
            sink(&stem, word, Kind::Word);
            self.concepts.of(&stem).iter().for_each(|concept| sink(concept, word, Kind::Concept));
        }
    }
}

/// The single characters and the pairs of a CJK run.
fn characters<'a>(run: &'a str, sink: &mut impl FnMut(&str, &'a str, Kind)) {
    let mut before: Option<usize> = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        sink(&run[at..end], &run[at..end], Kind::Single);
        if let Some(start) = before {
            sink(&run[start..end], &run[start..end], Kind::Pair);
        }
        before = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let tokeniser = Tokeniser::new();
        let mut found = Vec::new();
        pieces(text, &mut |piece| tokeniser.terms(piece, &mut |term, _, _| found.push(term.to_owned())));
        found.retain(|term| !term.starts_with('='));
        found
    }

    #[test]
    fn names_and_requests_meet_in_the_same_terms() {
        let cases: [(&str, &[&str]); 7] = [
            ("find_symbols", &["find", "symbol"]),
            ("Finding the symbol!", &["find", "symbol"]),
            ("findSymbol", &["find", "symbol", "findsymbol"]),
            ("GitHub", &["git", "hub", "github"]),
            ("Use GitHub天", &["git", "hub", "github", "天"]),
            ("查天气", &["查", "天", "查天", "气", "天气"]),
            ("the of and", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(terms(text), expected, "{text}");
        }
    }
}
