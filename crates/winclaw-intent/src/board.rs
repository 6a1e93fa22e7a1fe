use winclaw_catalog::ToolIx;

use crate::index::{Asked, Index};
use crate::terms::Kind;

/// A tool and its score.
pub(crate) type Scored = (ToolIx, f32);

/// Scores of all tools, used again from one ranking to the next.
pub(crate) struct Board {
    scores: Vec<f32>,
    /// Whether more than single characters speak for a tool.
    firm: Vec<bool>,
    touched: Vec<ToolIx>,
}

impl Board {
    /// A board for `size` tools.
    pub(crate) fn new(size: usize) -> Board {
        Board { scores: vec![0.0; size], firm: vec![false; size], touched: Vec::new() }
    }

    /// The `most` tools the words fit best, best first.
    pub(crate) fn rank(&mut self, index: &Index, asked: &[Asked<'_>], most: usize) -> Vec<Scored> {
        let mut clear = false;
        for word in asked {
            // One CJK character says little alone.
            let firm = word.kind != Kind::Single;
            index.gains(word, |tool, gain, _| {
                clear |= firm && !word.aside;
                self.add(tool, gain, firm);
            });
        }
        if clear {
            self.weaken(index.weights.lone);
        }
        self.take(most)
    }

    /// Adds `gain`, which is above zero, to the score of `tool`.
    pub(crate) fn add(&mut self, tool: ToolIx, gain: f32, firm: bool) {
        let score = &mut self.scores[tool.index()];
        if *score == 0.0 {
            self.touched.push(tool);
        }
        *score += gain;
        self.firm[tool.index()] |= firm;
    }

    /// Leaves the share `lone` to tools that single characters alone speak for.
    fn weaken(&mut self, lone: f32) {
        let firm = &self.firm;
        let weak = self.touched.iter().filter(|ix| !firm[ix.index()]);
        weak.for_each(|ix| self.scores[ix.index()] *= lone);
    }

    /// Empties the board: the `most` best tools, best first; of equals the first by id.
    pub(crate) fn take(&mut self, most: usize) -> Vec<Scored> {
        let (scores, firm) = (&mut self.scores, &mut self.firm);
        let drained = self.touched.drain(..).map(|ix| {
            firm[ix.index()] = false;
            (ix, std::mem::take(&mut scores[ix.index()]))
        });
        let mut ranked: Vec<Scored> = drained.filter(|scored| scored.1 > 0.0).collect();
        let order = |a: &Scored, b: &Scored| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if ranked.len() > most {
            ranked.select_nth_unstable_by(most, order);
            ranked.truncate(most);
        }
        ranked.sort_unstable_by(order);
        ranked
    }
}
