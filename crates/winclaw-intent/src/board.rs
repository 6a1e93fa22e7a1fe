use winclaw_catalog::ToolIx;

use crate::index::{Asked, Index};

/// A tool and its score.
pub(crate) type Scored = (ToolIx, f32);

/// Scores of all tools, used again from one ranking to the next.
pub(crate) struct Board {
    scores: Vec<f32>,
    touched: Vec<ToolIx>,
}

impl Board {
    /// A board for `size` tools.
    pub(crate) fn new(size: usize) -> Board {
        Board { scores: vec![0.0; size], touched: Vec::new() }
    }

    /// The `most` tools the words fit best, best first.
    pub(crate) fn rank(&mut self, index: &Index, asked: &[Asked<'_>], most: usize) -> Vec<Scored> {
        for word in asked {
            index.gains(word, |tool, gain, _| self.add(tool, gain));
        }
        self.take(most)
    }

    /// Adds `gain`, which is above zero, to the score of `tool`.
    pub(crate) fn add(&mut self, tool: ToolIx, gain: f32) {
        let score = &mut self.scores[tool.index()];
        if *score == 0.0 {
            self.touched.push(tool);
        }
        *score += gain;
    }

    /// Empties the board: the `most` best tools, best first; of equals the first by id.
    pub(crate) fn take(&mut self, most: usize) -> Vec<Scored> {
        let scores = &mut self.scores;
        let drained = self.touched.drain(..).map(|ix| (ix, std::mem::take(&mut scores[ix.index()])));
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
