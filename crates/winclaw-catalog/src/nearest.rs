use std::collections::BTreeSet;

use strsim::jaro_winkler;

use crate::names::{fold, normal, words};
use crate::{Catalog, CatalogTool, ToolIx};

/// How many are offered.
const OFFERED: usize = 3;

/// Least likeness worth offering, of at most 1.
const LEAST: f64 = 0.7;

/// Least likeness of two words that counts as the same word misspelt or in another form.
const ALIKE: f64 = 0.88;

/// Longest name that is compared, in characters: likeness takes time by the product of the lengths.
const LONGEST: usize = 64;

/// The permitted tools most like `name`, best first.
pub(crate) fn nearest(catalog: &Catalog, name: &str) -> Vec<ToolIx> {
    let short: String = normal(name).chars().take(LONGEST).collect();
    let wanted = Wanted { folded: fold(&short), words: word_set(&short) };
    if wanted.folded.is_empty() {
        return Vec::new();
    }
    let scored = catalog.permitted().map(|ix| (wanted.likeness(catalog.get(ix)), ix));
    let mut best: Vec<(f64, ToolIx)> = scored.filter(|(likeness, _)| *likeness >= LEAST).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    best.into_iter().take(OFFERED).map(|(_, ix)| ix).collect()
}

struct Wanted {
    folded: String,
    words: BTreeSet<String>,
}

impl Wanted {
    /// 1 for an alias, less for a similar name or for words in common.
    fn likeness(&self, tool: &CatalogTool) -> f64 {
        let by_name = self.like(tool.id.name()).max(self.like(tool.id.as_str()));
        let aliases = tool.manifest.aliases.iter().map(|alias| self.like_alias(&fold(alias)));
        aliases.fold(by_name.max(self.words_of(tool)), f64::max)
    }

    fn like(&self, name: &str) -> f64 {
        let folded: String = fold(name).chars().take(LONGEST).collect();
        0.99 * jaro_winkler(&self.folded, &folded)
    }

    fn like_alias(&self, alias: &str) -> f64 {
        match alias {
            "" => 0.0,
            same if same == self.folded => 1.0,
            part if self.folded.contains(part) || part.contains(&self.folded) => 0.9,
            _ => 0.0,
        }
    }

    /// How many of the wanted words are like words of the tool's name, aliases or category: above 0.5 if any is.
    fn words_of(&self, tool: &CatalogTool) -> f64 {
        let mut own = word_set(tool.id.as_str());
        own.extend(tool.manifest.aliases.iter().chain([tool.manifest.category.as_str()]).flat_map(word_set));
        let best = |word: &String| own.iter().map(|other| jaro_winkler(word, other)).fold(0.0, f64::max);
        let alike: f64 = self.words.iter().map(best).filter(|&likeness| likeness >= ALIKE).sum();
        if alike > 0.0 { 0.5 + 0.45 * alike / self.words.len() as f64 } else { 0.0 }
    }
}

fn word_set(text: &str) -> BTreeSet<String> {
    words(&normal(text)).map(|word| word.text.to_lowercase()).collect()
}
