//! Hostile evidence, settings of every kind, and what may happen to a task.

use proptest::collection::vec;
use proptest::prelude::*;
use winclaw_catalog::evidence::{Edge, Evidence, Hit, Term, Via};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Native, Settings, Signal, Transport};

pub(crate) use crate::sketch::*;

/// Evidence as an adversary would make it; `usize` places are taken modulo the catalog's size plus one.
#[derive(Debug, Clone)]
pub(crate) struct Claims {
    hits: Vec<(u16, f32, bool, bool, bool)>,
    categories: Vec<u8>,
    margin: f32,
    constant: bool,
}

impl Claims {
    /// Nothing is known of the request.
    pub(crate) fn none() -> Claims {
        Claims { hits: Vec::new(), categories: Vec::new(), margin: 0.0, constant: false }
    }
}

pub(crate) fn claims() -> impl Strategy<Value = Claims> {
    let score = prop_oneof![
        8 => 0.01..30.0f32, 1 => Just(f32::NAN), 1 => Just(f32::INFINITY), 1 => Just(-1.0f32), 1 => Just(0.0f32)
    ];
    let hit = (any::<u16>(), score, prop::bool::weighted(0.1), any::<bool>(), any::<bool>());
    let margin = prop_oneof![3 => 0.0..1.0f32, 1 => Just(f32::NAN), 1 => Just(-3.0f32)];
    let size = prop_oneof![1 => Just(0usize), 4 => 1..10usize, 1 => 10..120usize];
    let hits = size.prop_flat_map(move |size| vec(hit.clone(), size));
    (hits, vec(0..12u8, 0..4), margin, prop::bool::weighted(0.1))
        .prop_map(|(hits, categories, margin, constant)| Claims { hits, categories, margin, constant })
}

pub(crate) fn evidence(claims: &Claims, catalog: &Catalog) -> Evidence {
    let size = catalog.tools().len() as u32;
    let term = Term { text: "word".into(), field: "alias".into(), score: 1.0, alike: false };
    let hits: Vec<Hit> = claims
        .hits
        .iter()
        .map(|&(at, score, exact, terms, via)| Hit {
            tool: ToolIx(u32::from(at) % (size + 1)),
            score: if claims.constant { 1.0 } else { score },
            exact,
            terms: if terms { vec![term.clone()] } else { Vec::new() },
            via: via.then_some(Via { from: ToolIx(u32::from(at / 2) % (size + 1)), edge: Edge::InputFrom }),
        })
        .collect();
    let names: Vec<&String> = catalog.categories().keys().collect();
    let category = |at: &u8| names.get(usize::from(*at)).map_or("no such category".to_owned(), |name| (*name).clone());
    Evidence {
        hits,
        categories: claims.categories.iter().map(|at| (category(at), 0.5)).collect(),
        margin: claims.margin,
    }
}

/// Settings with any subset of meta tools denied, small and large windows, tight and wide limits.
pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let denied = proptest::sample::subsequence(winclaw_catalog::RESERVED.to_vec(), 0..=4);
    let denied = prop_oneof![1 => Just(Vec::new()), 1 => denied];
    let transport = prop_oneof![
        3 => Just(None), 1 => Just(Some(Transport::Bridge)), 1 => Just(Some(Transport::Direct)), 1 => Just(Some(Transport::Native))
    ];
    let native =
        prop_oneof![1 => Just(None), 1 => Just(Some(Native::References)), 1 => Just(Some(Native::SearchResult))];
    let scale = prop_oneof![4 => Just(1.0f32), 1 => Just(0.4), 1 => Just(3.0), 1 => Just(f32::NAN)];
    let window = prop_oneof![Just(8_000u32), Just(32_000), Just(128_000)];
    let max_tools = prop_oneof![3 => Just(128usize), 1 => Just(20), 1 => 0..8usize];
    (denied, (transport, native), window, max_tools, scale).prop_map(
        |(denied, (transport, native), window_tokens, max_tools, scale)| Settings {
            denied_meta: denied.into_iter().map(str::to_owned).collect(),
            transport,
            native,
            window_tokens,
            max_tools,
            scale,
            ..Settings::default()
        },
    )
}

/// One thing that happens to a task.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Observe(Claims),
    Learn(u8, u16),
    Reveal(Vec<u16>),
    Search(Vec<u16>),
    Details(Vec<u16>),
    Unknown(Vec<u16>),
    Ambiguous(Vec<u16>),
    Surface,
    Compacted,
    Reset(Claims),
    NewRequest(Claims, u32),
    Switch(Box<Settings>),
    /// The tool list changes: tools, and what becomes of each.
    Adopt(Vec<(u16, u8)>),
    Calibrate(u32, u64),
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tools = || vec(any::<u16>(), 0..4);
    let step = prop_oneof![
        2 => claims().prop_map(Step::Observe),
        4 => (0..7u8, any::<u16>()).prop_map(|(kind, at)| Step::Learn(kind, at)),
        1 => tools().prop_map(Step::Reveal),
        1 => tools().prop_map(Step::Search),
        1 => tools().prop_map(Step::Details),
        1 => tools().prop_map(Step::Unknown),
        1 => tools().prop_map(Step::Ambiguous),
        4 => Just(Step::Surface),
        1 => Just(Step::Compacted),
        1 => claims().prop_map(Step::Reset),
        2 => (claims(), prop_oneof![Just(0u32), Just(2_000), Just(80_000)]).prop_map(|(claims, history)| Step::NewRequest(claims, history)),
        1 => settings().prop_map(|settings| Step::Switch(Box::new(settings))),
        3 => vec((any::<u16>(), 0..CHANGES), 1..5).prop_map(Step::Adopt),
        1 => (any::<u32>(), any::<u64>()).prop_map(|(estimated, reported)| Step::Calibrate(estimated, reported)),
        1 => (100..9_000u32, 100..9_000u64).prop_map(|(estimated, reported)| Step::Calibrate(estimated, reported)),
    ];
    vec(step, 0..16)
}

/// A place in the catalog, or just behind its end.
pub(crate) fn at(catalog: &Catalog, n: u16) -> ToolIx {
    ToolIx(u32::from(n) % (catalog.tools().len() as u32 + 1))
}

pub(crate) fn signal(catalog: &Catalog, kind: u8, n: u16) -> Signal {
    let tool = at(catalog, n);
    match kind {
        0 => Signal::CalledUnshown(tool),
        1 => Signal::Used(tool),
        2 => Signal::SearchWithoutNews,
        3 => Signal::CapabilityMissing { tool, error: "cannot".into() },
        4 => Signal::NoTool,
        5 => Signal::LoopBlocked(tool),
        _ => Signal::UserNamed(tool),
    }
}
