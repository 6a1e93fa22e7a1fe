use std::borrow::Cow;
use std::collections::BTreeMap;

use winclaw_catalog::evidence::{Evidence, Hit, Term};
use winclaw_catalog::names::normal;
use winclaw_catalog::{Catalog, ToolIx};

use crate::index::Index;
use crate::ladder::Named;
use crate::merge::{Scored, in_turn};
use crate::terms::Kind;
use crate::{Query, clauses, reasons};

/// Most hits that no name brought.
const HITS: usize = 100;

/// Most distinct words read of one request.
const WORDS: usize = 256;

/// How many of the best hits shares, margin and edges are taken from.
const TOP: usize = 10;

/// A word of the request that some tool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) term: u32,
    pub(crate) weight: f32,
    pub(crate) surface: &'a str,
}

impl Index {
    /// What `query` says about the tools of `catalog`, which must be the catalog this index was built from.
    ///
    /// Hits come best first: those the request names, then the rest, at most 100 of them. Where the request has several
    /// needs the best for each come in turn, so that scores need not fall from hit to hit. `input_from` tools of the top
    /// hits follow with [`Hit::via`] set; such a hit without terms has nothing but the edge to speak for it.
    pub fn weigh(&self, catalog: &Catalog, query: &Query<'_>) -> Evidence {
        let message = bounded(query.message);
        let plan = bounded(query.plan_step.unwrap_or(""));
        let needs: Vec<String> = clauses(&plan).into_iter().chain(clauses(&message)).collect();
        let used = self.used_names(catalog, query.used);
        let mut asked = Vec::new();
        needs.iter().for_each(|need| self.ask(need, 1.0, &mut asked));
        used.iter()
            .for_each(|name| self.ask(name, self.weights.used, &mut asked));
        let mut board = Board::new(self.size);
        let all = board.rank(self, &asked);
        let lists = self.lists(&needs, &mut board);
        let order = in_turn(&all, &lists, self.weights.seats, self.size);
        let mut named = self.ladder.named(&message);
        named.extend(self.ladder.named(&plan));
        self.evidence(
            catalog,
            &Found {
                all: &all,
                order: &order,
                named: &named,
                asked: &asked,
            },
        )
    }

    /// Adds the words of `text` that any tool has; a word asked for again counts once.
    fn ask<'a>(&self, text: &'a str, weight: f32, asked: &mut Vec<Asked<'a>>) {
        self.tokeniser.each(text, &mut |term, surface, kind| {
            let weight = if kind == Kind::Single {
                weight * self.weights.unigram
            } else {
                weight
            };
            let Some(term) = self.term(term).filter(|_| asked.len() < WORDS) else {
                return;
            };
            if !asked.iter().any(|word| word.term == term) {
                asked.push(Asked { term, weight, surface });
            }
        });
    }

    fn used_names(&self, catalog: &Catalog, used: &[ToolIx]) -> Vec<String> {
        let known = used.iter().filter(|ix| ix.index() < self.size);
        known
            .rev()
            .take(TOP)
            .map(|&ix| normal(catalog.get(ix).id.as_str()).into_owned())
            .collect()
    }

    /// The list of each need, if there are several: clauses whose best tool fits about as well as the best of any.
    fn lists(&self, needs: &[String], board: &mut Board) -> Vec<Vec<Scored>> {
        if needs.len() < 2 {
            return Vec::new();
        }
        let rank = |need: &String| {
            let mut asked = Vec::new();
            self.ask(need, 1.0, &mut asked);
            board.rank(self, &asked)
        };
        let mut lists: Vec<Vec<Scored>> = needs.iter().map(rank).collect();
        let top = |list: &Vec<Scored>| list.first().map_or(0.0, |scored| scored.1);
        let best = lists.iter().map(top).fold(0.0, f32::max);
        lists.retain(|list| top(list) > 0.0 && top(list) >= best * self.weights.need);
        if lists.len() > 1 { lists } else { Vec::new() }
    }

    fn evidence(&self, catalog: &Catalog, found: &Found<'_>) -> Evidence {
        let mut hits = self.named_hits(found);
        let scores: BTreeMap<ToolIx, f32> = found.all.iter().copied().collect();
        let others = found.order.iter().filter(|ix| !found.named.contains_key(ix)).take(HITS);
        hits.extend(others.map(|&tool| Hit {
            tool,
            score: scores.get(&tool).copied().unwrap_or(0.0),
            exact: false,
            terms: reasons::terms(self, found.asked, tool),
            via: None,
        }));
        self.follow_edges(catalog, &mut hits);
        let categories = shares(catalog, &hits);
        let margin = margin(&hits);
        Evidence {
            hits,
            categories,
            margin,
        }
    }

    /// The hits the request names, surest naming first; each stands above the best of the others.
    fn named_hits(&self, found: &Found<'_>) -> Vec<Hit> {
        let best = found.all.first().map_or(1.0, |scored| scored.1);
        let scores: BTreeMap<ToolIx, f32> = found.all.iter().copied().collect();
        let hit = |(&tool, named): (&ToolIx, &Named)| {
            let lift = best * (1.0 + 0.1 * named.rung as u8 as f32);
            let mut terms = vec![Term {
                text: named.text.clone(),
                field: "exact".into(),
                score: lift,
            }];
            terms.extend(reasons::terms(self, found.asked, tool));
            let score = lift + scores.get(&tool).copied().unwrap_or(0.0);
            (
                named.rung,
                Hit {
                    tool,
                    score,
                    exact: true,
                    terms,
                    via: None,
                },
            )
        };
        let mut hits: Vec<_> = found.named.iter().map(hit).collect();
        hits.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then(b.1.score.total_cmp(&a.1.score))
                .then(a.1.tool.cmp(&b.1.tool))
        });
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// Lifts the tools whose results feed a top hit, a little, and brings in those that were no hits.
    fn follow_edges(&self, catalog: &Catalog, hits: &mut Vec<Hit>) {
        let tops: Vec<(ToolIx, f32)> = hits.iter().take(TOP).map(|hit| (hit.tool, hit.score)).collect();
        let mut lifts: BTreeMap<ToolIx, (f32, ToolIx)> = BTreeMap::new();
        for (from, score) in tops {
            for &to in catalog
                .input_from(from)
                .iter()
                .filter(|&&to| catalog.get(to).permitted())
            {
                let lift = lifts.entry(to).or_insert((0.0, from));
                *lift = if score * self.weights.via > lift.0 {
                    (score * self.weights.via, from)
                } else {
                    *lift
                };
            }
        }
        for (to, (lift, from)) in lifts {
            match hits.iter_mut().find(|hit| hit.tool == to) {
                Some(hit) => (hit.score, hit.via) = (hit.score + lift, Some(from)),
                None => hits.push(Hit {
                    tool: to,
                    score: lift,
                    exact: false,
                    terms: Vec::new(),
                    via: Some(from),
                }),
            }
        }
    }
}

/// What was found, before it becomes evidence.
struct Found<'a> {
    /// Every tool with a score, best first.
    all: &'a [Scored],
    /// The same tools in the order of the needs.
    order: &'a [ToolIx],
    named: &'a BTreeMap<ToolIx, Named>,
    asked: &'a [Asked<'a>],
}

/// Scores of all tools, used again from one ranking to the next.
struct Board {
    scores: Vec<f32>,
    touched: Vec<ToolIx>,
}

impl Board {
    fn new(size: usize) -> Board {
        Board {
            scores: vec![0.0; size],
            touched: Vec::new(),
        }
    }

    /// The tools that have any of the words, best first; of equals the first by id.
    fn rank(&mut self, index: &Index, asked: &[Asked<'_>]) -> Vec<Scored> {
        for word in asked {
            for posting in index.postings(word.term) {
                let score = &mut self.scores[posting.tool.index()];
                if *score == 0.0 {
                    self.touched.push(posting.tool);
                }
                *score += word.weight * posting.gain;
            }
        }
        let scores = &mut self.scores;
        let drained = self
            .touched
            .drain(..)
            .map(|ix| (ix, std::mem::take(&mut scores[ix.index()])));
        let mut ranked: Vec<Scored> = drained.filter(|scored| scored.1 > 0.0).collect();
        best_first(&mut ranked);
        ranked
    }
}

/// Sorts, and keeps at most [`HITS`].
fn best_first(ranked: &mut Vec<Scored>) {
    let order = |a: &Scored, b: &Scored| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if ranked.len() > HITS {
        ranked.select_nth_unstable_by(HITS, order);
        ranked.truncate(HITS);
    }
    ranked.sort_unstable_by(order);
}

/// The text in NFKC form; of a very long one the beginning and the end.
fn bounded(text: &str) -> Cow<'_, str> {
    const HALF: usize = 4_000;
    let Some((head, _)) = text.char_indices().nth(HALF) else {
        return normal(text);
    };
    let (tail, _) = text.char_indices().nth_back(HALF - 1).unwrap_or((head, ' '));
    if tail <= head {
        return normal(text);
    }
    let both = format!("{}\n{}", &text[..head], &text[tail..]);
    normal(&both).into_owned().into()
}

/// What share of the best hits' scores each category has.
fn shares(catalog: &Catalog, hits: &[Hit]) -> Vec<(String, f32)> {
    let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
    for hit in hits.iter().take(TOP) {
        *sums.entry(&catalog.get(hit.tool).manifest.category).or_default() += hit.score;
    }
    let whole: f32 = sums.values().sum();
    let mut shares: Vec<(String, f32)> = sums
        .into_iter()
        .map(|(name, sum)| (name.to_owned(), sum / whole))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

/// One minus the mean of the next four scores over the best.
fn margin(hits: &[Hit]) -> f32 {
    let mut scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let Some((&best, rest)) = scores.split_first() else {
        return 0.0;
    };
    (1.0 - rest.iter().take(4).sum::<f32>() / 4.0 / best).clamp(0.0, 1.0)
}
