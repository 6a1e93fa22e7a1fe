use winclaw_catalog::ToolIx;

use crate::fields::Field;

/// One tool under one term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) tool: ToolIx,
    /// What the term adds to the tool's score; above zero.
    pub(crate) gain: f32,
    /// The field that carries most of it.
    pub(crate) field: Field,
}

/// The tools under each term, in one piece of memory.
pub(crate) struct Postings {
    /// Where the tools of each term begin, and the end of the last.
    starts: Vec<u32>,
    list: Vec<Posting>,
}

impl Postings {
    /// Sorts `found`, which is in order of tools, by the number of the term; there are `terms` terms. What a term adds is
    /// then multiplied by how rare it is among `tools` tools.
    pub(crate) fn of(found: &[(u32, Posting)], terms: usize, tools: usize) -> Postings {
        let mut starts = vec![0_u32; terms + 1];
        found.iter().for_each(|&(term, _)| starts[term as usize + 1] += 1);
        let rarities: Vec<f32> = starts[1..].iter().map(|&having| rarity(having as f32, tools as f32)).collect();
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let mut list = vec![Posting { tool: ToolIx(0), gain: 0.0, field: Field::Name }; found.len()];
        for &(term, posting) in found {
            let place = &mut next[term as usize];
            list[*place as usize] = Posting { gain: posting.gain * rarities[term as usize], ..posting };
            *place += 1;
        }
        Postings { starts, list }
    }

    /// Distinct terms, and tools under all of them together.
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.starts.len() - 1, self.list.len())
    }

    /// The tools under a term, in order.
    pub(crate) fn get(&self, term: u32) -> &[Posting] {
        let at = term as usize;
        &self.list[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// How much a term says that `having` of `total` tools have: above zero, the more the rarer it is.
fn rarity(having: f32, total: f32) -> f32 {
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
}
