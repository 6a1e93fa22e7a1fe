//! Budgets in tokens as the vendor counts them.

use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::evidence::Evidence;
use winclaw_exposure::{Exposure, Settings, Transport};

use crate::toy::{bridge, catalog, fits, plain, small, tool};

#[test]
fn reports_move_the_ratio_and_absurd_ones_do_not() {
    let catalog = small();
    let begun = || Exposure::begin(&catalog, &Evidence::default(), Settings::default());
    let cases = [
        ("as estimated", vec![(1_000, 1_000)], 1.0),
        ("half more", vec![(1_000, 1_500)], 1.15),
        ("half more, often", vec![(1_000, 1_500); 30], 1.5),
        ("less", vec![(2_000, 1_600); 30], 0.8),
        ("nothing", vec![(1_000, 0), (0, 1_000), (0, 0)], 1.0),
        ("a small request", vec![(20, 60)], 1.0),
        ("only what was not cached", vec![(10_000, 200)], 1.0),
        ("bytes", vec![(1_000, 4_400)], 1.0),
        ("hostile", vec![(u32::MAX, 1), (1_000, u64::MAX), (u32::MAX, u64::MAX)], 1.0),
    ];
    for (name, reports, expected) in cases {
        let mut exposure = begun();
        reports.into_iter().for_each(|(estimated, reported)| exposure.calibrate(estimated, reported));
        assert!((exposure.scale() - expected).abs() < 0.01, "{name}: {}", exposure.scale());
    }
}

#[test]
fn a_ratio_from_the_settings_holds_unless_it_is_none() {
    let catalog = small();
    for (given, held) in [(1.5, 1.5), (0.0, 1.0), (-2.0, 1.0), (f32::NAN, 1.0), (f32::INFINITY, 1.0), (1e9, 3.0)] {
        let settings = Settings { scale: given, ..Settings::default() };
        let exposure = Exposure::begin(&catalog, &Evidence::default(), settings);
        assert_eq!(exposure.scale(), held, "{given}");
        assert_eq!(exposure.estimated(1_000), (1_000.0 * held) as u32);
    }
}

#[test]
fn a_ratio_decides_the_transport_of_the_next_task_and_never_touches_the_prefix() {
    let entry = |n: usize| tool(&format!("s.t{n:02}"), json!({"description": "word ".repeat(60)}));
    let catalog = catalog((0..45).map(entry).collect());
    let begin = |scale| Exposure::begin(&catalog, &Evidence::default(), Settings { scale, ..Settings::default() });
    let mut exposure = begin(1.0);
    assert_eq!(exposure.transport(), Transport::Direct);
    let before = exposure.surface(&catalog);
    (0..20).for_each(|_| exposure.calibrate(1_000, 1_900));
    let after = exposure.surface(&catalog);
    assert!(std::sync::Arc::ptr_eq(&before.prefix, &after.prefix) && after.epoch == 1);
    assert_eq!(before.tokens.prefix, after.tokens.prefix, "plain estimates");
    assert_eq!(
        begin(exposure.scale()).transport(),
        Transport::Bridge,
        "what is known of the model holds from its start"
    );
    exposure.compacted(&catalog);
    assert_eq!(exposure.transport(), Transport::Bridge, "and from the next epoch on");
}

#[test]
fn a_dear_tokeniser_halves_what_is_shown_unasked() {
    let entry = |n: usize| tool(&format!("s.t{n:02}"), json!({"description": "word ".repeat(150)}));
    let catalog = catalog((0..60).map(entry).chain([plain("a.one")]).collect());
    let shown = |scale: f32| {
        let mut exposure = Exposure::begin(&catalog, &Evidence::default(), Settings { scale, ..bridge() });
        exposure.surface(&catalog);
        let ids: Vec<String> = (0..5).map(|n| format!("s.t{n:02}")).collect();
        exposure.observe(&catalog, &fits(&catalog, &ids.iter().map(String::as_str).collect::<Vec<_>>()));
        exposure.surface(&catalog).shown.len()
    };
    assert_eq!((shown(1.0), shown(2.0)), (5, 2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is reported, in whatever order, the ratio stays one and the prefix as it was.
    #[test]
    fn no_report_breaks_anything(reports in prop::collection::vec((any::<u32>(), any::<u64>()), 0..40), near in 0..4_000u64) {
        let catalog = small();
        let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
        let prefix = exposure.surface(&catalog).prefix;
        for (estimated, reported) in reports.into_iter().chain([(1_000, near)]) {
            exposure.calibrate(estimated, reported);
            prop_assert!((0.4..=3.0).contains(&exposure.scale()), "{}", exposure.scale());
        }
        exposure.observe(&catalog, &fits(&catalog, &["sky.history"]));
        prop_assert!(std::sync::Arc::ptr_eq(&exposure.surface(&catalog).prefix, &prefix));
    }
}
