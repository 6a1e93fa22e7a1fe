use rust_stemmers::Stemmer;

use crate::map::Map;

/// Groups of words for the same thing, one a line; `#` begins a remark.
const GROUPS: &str = include_str!("concepts.txt");

/// Longest Chinese word in a group, in characters.
const LONGEST: usize = 4;

/// Which concepts a word belongs to, so that `erase the folder` and 删除目录 meet a tool that speaks of deleting a directory.
pub(crate) struct Concepts {
    /// The terms of the concepts of each word: a stem, or a CJK word.
    of: Map<String, Vec<String>>,
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
        Concepts { of }
    }

    /// The concepts of a stem or a CJK word. Their terms begin with `=`, as no word does.
    pub(crate) fn of(&self, word: &str) -> &[String] {
        self.of.get(word).map_or(&[], Vec::as_slice)
    }

    /// Calls `sink` with the concepts of every word inside a CJK run, and that word.
    pub(crate) fn within<'a>(&self, run: &'a str, sink: &mut impl FnMut(&str, &'a str)) {
        for (start, _) in run.char_indices() {
            let ends = run[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            for end in ends.take(LONGEST).skip(1) {
                let word = &run[start..end];
                self.of(word).iter().for_each(|concept| sink(concept, word));
            }
        }
    }
}
