use std::borrow::Cow;
use std::collections::BTreeMap;

use winclaw_catalog::evidence::{Edge, Evidence, Hit, Term};
use winclaw_catalog::names::normal;
use winclaw_catalog::{Catalog, ToolIx};

use crate::board::{Board, Scored, varied};
use crate::context::{EARLIER, Lifts, Task, follows_up, last_used, lift};
use crate::index::{Asked, Index, WORDS};
use crate::ladder::Named;
use crate::{Query, Script, clauses, dense, reasons};

/// Most hits that no name brought.
const HITS: usize = 100;

/// Most tools that the names of large groups put first.
const CROWD: usize = 5;

/// How many tools of each need get a lift.
const SEATS: usize = 20;

/// Behind how many tools the best tool of a further need stands at most.
const SEATED: usize = 5;

/// How many of the best hits shares, margin and edges are taken from.
const TOP: usize = 10;

impl Index {
    /// What `query` says about the tools of `catalog`, which must be the catalog this index was built from.
    ///
    /// Hits come best first: those the request names, then the rest, at most 100 of them. Where the request has several
    /// needs, the tools that fit one of them best are lifted, and the best of each clear need gets a seat near the front. Tools whose results feed a
    /// top hit (`input_from`) get a small share of its score and [`Hit::via`]; such a hit without terms has nothing but
    /// the edge to speak for it.
    pub fn weigh(&self, catalog: &Catalog, query: &Query<'_>) -> Evidence {
        let message = bounded(query.message);
        let plan = bounded(query.plan_step.unwrap_or(""));
        let needs = needs(&plan, &message);
        let follow_up = follows_up(&message);
        let used = last_used(self, query);
        let aside = self.aside(catalog, query, &used, follow_up);

        let needs: Vec<Vec<Asked<'_>>> = needs.iter().map(|need| self.asked(need, 1.0)).collect();
        let mut asked = Vec::new();
        needs.iter().for_each(|need| merge(&mut asked, need));
        aside.iter().for_each(|(text, weight)| merge(&mut asked, &self.asked_aside(text, *weight)));

        let ranked = self.rank(&asked, &needs);
        let ranked = self.with_meaning(catalog, ranked, &format!("{plan}\n{message}"));
        let mut named = BTreeMap::new();
        self.ladder.find(&message, &mut named);
        self.ladder.find(&plan, &mut named);
        let mut hits = hits(&ranked, named);
        reasons::fill(self, &asked, &mut hits);
        hits.iter_mut()
            .filter(|hit| hit.terms.is_empty())
            .for_each(|hit| hit.terms.push(meant(&message, &plan, hit.score)));
        let best = ranked.first().map_or(1.0, |scored| scored.1);
        self.follow_edges(catalog, &Task { used: &used, follow_up, best }, &mut hits);
        Evidence { categories: shares(catalog, &hits), margin: margin(&hits), hits }
    }

    /// What counts besides the request, and how much: the names of the tools used last, and earlier requests where this one
    /// goes on from them.
    fn aside(
        &self,
        catalog: &Catalog,
        query: &Query<'_>,
        used: &[(ToolIx, f32)],
        follow_up: bool,
    ) -> Vec<(String, f32)> {
        let name = |&(ix, _): &(ToolIx, f32)| (normal(catalog.get(ix).id.as_str()).into_owned(), self.weights.used);
        let mut aside: Vec<(String, f32)> = used.iter().map(name).collect();
        if follow_up {
            let fading = |(at, text): (usize, &&str)| {
                (bounded(text).into_owned(), self.weights.earlier * 0.4_f32.powi(at as i32))
            };
            aside.extend(query.earlier.iter().take(EARLIER).enumerate().map(fading));
        }
        aside
    }

    /// The best tools for all the words together, lifted by how well they fit one of several needs.
    fn rank(&self, asked: &[Asked<'_>], needs: &[Vec<Asked<'_>>]) -> Vec<Scored> {
        let mut board = Board::new(self.size);
        board.score(self, asked);
        let all = board.take_varied(HITS, &self.sources);
        let lists = if needs.len() > 1 { self.lists(needs, &mut board) } else { Vec::new() };
        if lists.len() < 2 {
            return all;
        }
        let lifts = self.lifts(all.first().map_or(0.0, |scored| scored.1), &lists);
        all.into_iter().chain(lifts).for_each(|(tool, score)| board.add(tool, score, true));
        let sure = |list: &&Vec<Scored>| list[0].1 >= self.weights.seat * clearest(&lists);
        let firsts: Vec<ToolIx> = lists.iter().filter(sure).map(|list| list[0].0).collect();
        varied(seated(board.take(usize::MAX), &firsts), HITS, &self.sources)
    }

    /// The ranking fused with that of the vectors, if there are any that know the script of `text`.
    fn with_meaning(&self, catalog: &Catalog, ranked: Vec<Scored>, text: &str) -> Vec<Scored> {
        let Some(dense) = &self.dense else {
            return ranked;
        };
        let weight = dense.weight(Script::of(text)).clamp(0.0, 10.0);
        if weight <= 0.0 || weight.is_nan() || text.trim().is_empty() {
            return ranked;
        }
        let mut near: Vec<ToolIx> = Vec::new();
        for (tool, _) in dense.nearest(text.trim(), dense::MOST).into_iter().take(dense::MOST) {
            let usable = tool.index() < self.size && catalog.get(tool).permitted();
            near.extend((usable && !near.contains(&tool)).then_some(tool));
        }
        let mut fused = dense::fuse(&ranked, &near, weight);
        fused.truncate(HITS);
        fused
    }

    /// The best tools for each need that any tool fits.
    fn lists(&self, needs: &[Vec<Asked<'_>>], board: &mut Board) -> Vec<Vec<Scored>> {
        needs.iter().map(|need| board.rank(self, need, SEATS)).filter(|list| !list.is_empty()).collect()
    }

    /// What each tool gains from the need it fits best: up to the share `need` of `best`, the less the further it falls
    /// behind the need's first, and the less the need's first falls behind that of the clearest need.
    fn lifts(&self, best: f32, lists: &[Vec<Scored>]) -> BTreeMap<ToolIx, f32> {
        let clearest = clearest(lists);
        let mut lifts: BTreeMap<ToolIx, f32> = BTreeMap::new();
        for list in lists {
            let first = list[0].1;
            for &(tool, score) in list {
                let lift = self.weights.need * best * first / clearest * (score / first).powf(self.weights.focus);
                let most = lifts.entry(tool).or_default();
                *most = most.max(lift);
            }
        }
        lifts.retain(|_, lift| *lift > 0.0);
        lifts
    }

    /// Lifts the tools that an edge speaks for, each by its strongest, and brings in those that were no hits.
    fn follow_edges(&self, catalog: &Catalog, task: &Task<'_>, hits: &mut Vec<Hit>) {
        let mut lifts = Lifts::new();
        for hit in hits.iter().take(TOP) {
            for &to in catalog.input_from(hit.tool).iter().filter(|&&to| catalog.get(to).permitted()) {
                lift(&mut lifts, to, hit.score * self.weights.via, hit.tool, Edge::InputFrom);
            }
        }
        self.lift_by_use(catalog, hits, task, &mut lifts);
        for hit in hits.iter_mut() {
            if let Some((by, via)) = lifts.remove(&hit.tool).filter(|lift| lift.0 > 0.0) {
                (hit.score, hit.via) = (hit.score + by, Some(via));
            }
        }
        let new = |(tool, (score, via))| Hit { tool, score, exact: false, terms: Vec::new(), via: Some(via) };
        hits.extend(lifts.into_iter().filter(|(_, lift)| lift.0 > 0.0).map(new));
        hits.sort_by(|a, b| b.exact.cmp(&a.exact).then(b.score.total_cmp(&a.score)).then(a.tool.cmp(&b.tool)));
    }
}

/// Adds the words of `more` that are not in `asked` yet.
fn merge<'a>(asked: &mut Vec<Asked<'a>>, more: &[Asked<'a>]) {
    for word in more {
        if asked.len() < WORDS && asked.iter().all(|known| known.term != word.term) {
            asked.push(*word);
        }
    }
}

/// What to say of a tool that only the vectors brought.
fn meant(message: &str, plan: &str, score: f32) -> Term {
    let message = if message.trim().is_empty() { plan } else { message };
    Term { text: message.trim().chars().take(80).collect(), field: "meaning".into(), score, alike: false }
}

/// How well the best tool of the clearest need fits it.
fn clearest(lists: &[Vec<Scored>]) -> f32 {
    lists.iter().map(|list| list[0].1).fold(0.0, f32::max)
}

/// The tools best first, none of `firsts` with more than [`SEATED`] others before it that are not of them.
fn seated(mut ranked: Vec<Scored>, firsts: &[ToolIx]) -> Vec<Scored> {
    if let Some(&(_, bar)) = ranked.get(SEATED) {
        let late = ranked.iter_mut().skip(SEATED + 1).filter(|scored| firsts.contains(&scored.0));
        late.for_each(|scored| scored.1 = scored.1.max(bar * 1.001));
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    }
    ranked
}

/// The named tools, surest naming first, each above the best of the others; then the others.
fn hits(ranked: &[Scored], mut named: BTreeMap<ToolIx, Named>) -> Vec<Hit> {
    let best = ranked.first().map_or(1.0, |scored| scored.1);
    let scores: BTreeMap<ToolIx, f32> = ranked.iter().copied().collect();
    thin_crowds(&scores, &mut named);
    let hit = |(&tool, named): (&ToolIx, &Named)| {
        // No score of words exceeds `best`, so that two steps keep the rungs apart.
        let lift = best * (1.0 + 2.0 * f32::from(named.rung as u8));
        let term = Term { text: named.text.clone(), field: "exact".into(), score: lift, alike: false };
        let score = lift + scores.get(&tool).copied().unwrap_or(0.0);
        Hit { tool, score, exact: true, terms: vec![term], via: None }
    };
    let mut hits: Vec<Hit> = named.iter().map(hit).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.tool.cmp(&b.tool)));
    let others = ranked.iter().filter(|scored| !named.contains_key(&scored.0));
    hits.extend(others.map(|&(tool, score)| Hit { tool, score, exact: false, terms: Vec::new(), via: None }));
    hits
}

/// Of the tools that stand under the names of whole servers, plugins or categories, leaves the [`CROWD`] that fit best.
fn thin_crowds(scores: &BTreeMap<ToolIx, f32>, named: &mut BTreeMap<ToolIx, Named>) {
    let mut crowd: Vec<ToolIx> = named.iter().filter(|(_, named)| named.crowd).map(|(ix, _)| *ix).collect();
    let score = |ix: &ToolIx| scores.get(ix).copied().unwrap_or(0.0);
    crowd.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    crowd.iter().skip(CROWD).for_each(|ix| drop(named.remove(ix)));
}

impl Query<'_> {
    /// The needs that weighing takes the request for, as it reads them; those of the plan step come first.
    pub fn needs(&self) -> Vec<String> {
        needs(&bounded(self.plan_step.unwrap_or("")), &bounded(self.message))
    }
}

fn needs(plan: &str, message: &str) -> Vec<String> {
    clauses(plan).into_iter().chain(clauses(message)).collect()
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
    normal(&format!("{}\n{}", &text[..head], &text[tail..])).into_owned().into()
}

/// What share of the best hits' scores each category has.
fn shares(catalog: &Catalog, hits: &[Hit]) -> Vec<(String, f32)> {
    let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
    for hit in hits.iter().take(TOP) {
        *sums.entry(&catalog.get(hit.tool).manifest.category).or_default() += hit.score;
    }
    let whole: f32 = sums.values().sum();
    let mut shares: Vec<(String, f32)> = sums.into_iter().map(|(name, sum)| (name.to_owned(), sum / whole)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

/// One minus the mean of the next four scores over the best.
fn margin(hits: &[Hit]) -> f32 {
    let Some((best, rest)) = hits.split_first() else {
        return 0.0;
    };
    let next: f32 = rest.iter().take(4).map(|hit| hit.score).sum();
    (1.0 - next / 4.0 / best.score).clamp(0.0, 1.0)
}
