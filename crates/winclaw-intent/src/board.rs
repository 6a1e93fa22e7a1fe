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
        self.score(index, asked);
        self.take(most)
    }

    /// Adds to each tool's score what the words say for it.
    pub(crate) fn score(&mut self, index: &Index, asked: &[Asked<'_>]) {
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
        best(self.drain(), most).0
    }

    /// The same, but where one source has nearly all of them, the best of others stand last in place of its own.
    pub(crate) fn take_varied(&mut self, most: usize, sources: &[u32]) -> Vec<Scored> {
        varied(self.drain(), most, sources)
    }

    fn drain(&mut self) -> Vec<Scored> {
        let (scores, firm) = (&mut self.scores, &mut self.firm);
        let drained = self.touched.drain(..).map(|ix| {
            firm[ix.index()] = false;
            (ix, std::mem::take(&mut scores[ix.index()]))
        });
        drained.filter(|scored| scored.1 > 0.0).collect()
    }
}

/// How many places of a ranking are kept for others than a source that has nearly all of them.
const OTHERS: usize = 10;

fn order(a: &Scored, b: &Scored) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// The `most` best, best first, and the rest in no order.
fn best(mut scored: Vec<Scored>, most: usize) -> (Vec<Scored>, Vec<Scored>) {
    if scored.len() > most {
        scored.select_nth_unstable_by(most, order);
    }
    let rest = scored.split_off(most.min(scored.len()));
    scored.sort_unstable_by(order);
    (scored, rest)
}

/// The `most` best, best first; where one source has all but a few, its last give way to the [`OTHERS`] best of the rest.
/// A source with hundreds of alike tools so never keeps all others from being found.
pub(crate) fn varied(scored: Vec<Scored>, most: usize, sources: &[u32]) -> Vec<Scored> {
    let (mut ranked, rest) = best(scored, most);
    let source = |scored: &Scored| sources.get(scored.0.index()).copied().unwrap_or(u32::MAX);
    let Some(crowd) = ranked.get(ranked.len() / 2).map(source).filter(|_| !rest.is_empty()) else {
        return ranked;
    };
    let others = ranked.iter().filter(|scored| source(scored) != crowd).count();
    let wanted = OTHERS.min(most).saturating_sub(others);
    let waiting: Vec<Scored> =
        if wanted == 0 { Vec::new() } else { rest.into_iter().filter(|scored| source(scored) != crowd).collect() };
    let (waiting, _) = best(waiting, wanted);
    for scored in waiting {
        if let Some(last) = ranked.iter().rposition(|scored| source(scored) == crowd) {
            ranked.remove(last);
            ranked.push(scored);
        }
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_leaves_places_to_others() {
        // Places 0 to 299 are one source's, the rest another's; the crowd fits better throughout.
        let sources: Vec<u32> = (0..310).map(|place| u32::from(place >= 300)).collect();
        let scored = || -> Vec<Scored> { (0..310).map(|place| (ToolIx(place), 400.0 - place as f32)).collect() };
        let ranked = varied(scored(), 100, &sources);
        assert_eq!(ranked.len(), 100);
        assert!(ranked.is_sorted_by(|a, b| order(a, b).is_lt()));
        assert_eq!(ranked[89].0, ToolIx(89));
        assert_eq!(ranked.iter().map(|scored| scored.0.0).skip(90).collect::<Vec<_>>(), (300..310).collect::<Vec<_>>());
        // Nobody waits, or there is no crowd: the best and no others.
        assert_eq!(varied(scored(), 310, &sources), best(scored(), 310).0);
        let mixed: Vec<u32> = (0..310).map(|place| place % 3).collect();
        assert_eq!(varied(scored(), 100, &mixed), best(scored(), 100).0);
    }
}
