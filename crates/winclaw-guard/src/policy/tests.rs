use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::{Catalog, State, ToolEntry};

use super::*;

fn catalog() -> Catalog {
    let entry = |id: &str| {
        let id = ToolId::parse(id).expect("an id");
        let manifest = json!({"name": id.name(), "category": "x", "summary": "X", "description": "X.",
            "side_effect": "write", "parameters": {"type": "object"}});
        ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
    };
    Catalog::build(["a.x", "a.y", "b.z"].map(entry).to_vec()).0
}

fn destinations() -> Vec<Destination> {
    vec![
        Destination::Host("example.org".into()),
        Destination::Host("mail.example.org".into()),
        Destination::Address("bob@example.org".into()),
        Destination::Path("/etc/x/y".into()),
        Destination::Recipient("general".into()),
    ]
}

const EFFECTS: [SideEffect; 4] = [SideEffect::Read, SideEffect::Write, SideEffect::Destructive, SideEffect::External];

fn rule() -> impl Strategy<Value = PolicyRule> {
    let tool = prop::sample::select(vec!["*", "a.*", "b.*", "a.x", "a.y", "b.z"]);
    let effect = prop::option::of(prop::sample::select(EFFECTS.to_vec()));
    let to = ["*", "example.org", "*.example.org", "bob@example.org", "*@example.org", "/etc", "/etc/x", "General"];
    let to = prop::option::of(prop::sample::select(to.to_vec()));
    let decision = prop::sample::select(vec![Decision::Allow, Decision::Ask, Decision::Deny]);
    (tool, effect, to, decision).prop_map(|(tool, effect, to, decision)| PolicyRule {
        to: to.map(str::to_owned),
        ..PolicyRule::new(tool, effect, decision)
    })
}

/// A call: which tool, with which side effect, and which of the destinations it goes to.
fn call() -> impl Strategy<Value = (usize, SideEffect, Vec<usize>)> {
    (0..3usize, prop::sample::select(EFFECTS.to_vec()), prop::collection::vec(0..5usize, 0..3))
}

/// Asks for the rule that decides.
fn decide(rules: &[PolicyRule], (tool, side_effect, to): &(usize, SideEffect, Vec<usize>)) -> Option<PolicyRule> {
    let (catalog, all) = (catalog(), destinations());
    let to: Vec<&Destination> = to.iter().map(|place| &all[*place]).collect();
    let policy = Policy { rules: rules.to_vec(), ..Policy::default() };
    policy.rule_for(&Case { tool: &catalog.tools()[*tool], side_effect: *side_effect, to: &to }).cloned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_order_of_the_rules_means_nothing(rules in prop::collection::vec(rule(), 0..8), call in call(), turn in 0..8usize) {
        let mut turned = rules.clone();
        turned.reverse();
        let by = turn.min(turned.len());
        turned.rotate_left(by);
        prop_assert_eq!(decide(&rules, &call), decide(&turned, &call));
        prop_assert_eq!(decide(&rules, &call), decide(&rules, &call));
    }

    #[test]
    fn a_prohibition_gives_way_only_to_what_names_the_tool_or_the_place_more_closely(
        rules in prop::collection::vec(rule(), 0..8), call in call()
    ) {
        let Some(winner) = decide(&rules, &call).filter(|rule| rule.decision != Decision::Deny) else { return Ok(()) };
        for deny in rules.iter().filter(|rule| rule.decision == Decision::Deny) {
            // Alone, it speaks of the call: then something closer must have spoken.
            if decide(std::slice::from_ref(deny), &call).is_some() {
                let closer = rules.iter().any(|other| {
                    let (own, others) = (deny.specificity(), other.specificity());
                    others.tool >= own.tool && others.to >= own.to && (others.tool > own.tool || others.to > own.to)
                });
                prop_assert!(closer, "{} against {}", winner.line(), deny.line());
            }
        }
    }

    #[test]
    fn among_equals_deny_goes_before_ask_before_allow(rules in prop::collection::vec(rule(), 1..8), call in call()) {
        let Some(winner) = decide(&rules, &call) else { return Ok(()) };
        for decision in [Decision::Ask, Decision::Deny] {
            let mut more = rules.clone();
            more.push(PolicyRule { decision, ..winner.clone() });
            let now = decide(&more, &call).expect("a rule");
            prop_assert!(now.decision >= decision.max(winner.decision), "{} then {}", winner.line(), now.line());
        }
    }

    #[test]
    fn an_allowance_for_one_side_effect_frees_no_other(allow in rule(), call in call()) {
        let allow = PolicyRule { decision: Decision::Allow, ..allow };
        if let Some(effect) = allow.side_effect.filter(|effect| *effect != call.1) {
            prop_assert_eq!(decide(&[allow], &call), None, "{:?}", effect);
        }
    }

    #[test]
    fn an_allowance_for_a_place_frees_no_call_that_also_goes_elsewhere(
        rules in prop::collection::vec(rule(), 1..8), call in call()
    ) {
        let rules: Vec<PolicyRule> = rules.into_iter().map(|rule| PolicyRule { decision: Decision::Allow, ..rule }).collect();
        let Some(winner) = decide(&rules, &call) else { return Ok(()) };
        if winner.to.as_deref().is_some_and(|to| to != "*") {
            for place in &call.2 {
                let alone = (call.0, call.1, vec![*place]);
                prop_assert!(decide(&rules, &alone).is_some(), "{}: {:?}", winner.line(), destinations()[*place]);
            }
        }
    }

    #[test]
    fn giving_way_is_an_order_that_specificity_extends(a in rule(), b in rule(), c in rule()) {
        let (one, two, three) = (a.specificity(), b.specificity(), c.specificity());
        prop_assert!(!one.gives_way_to(&one));
        prop_assert!(!one.gives_way_to(&two) || one < two);
        prop_assert!(!(one.gives_way_to(&two) && two.gives_way_to(&one)));
        prop_assert!(!(one.gives_way_to(&two) && two.gives_way_to(&three)) || one.gives_way_to(&three));
    }

    #[test]
    fn what_is_written_reads_back_the_same(rules in prop::collection::vec(rule(), 0..5)) {
        let policy = Policy { rules, ..Policy::default() };
        let json = serde_json::to_string(&policy).expect("json");
        prop_assert_eq!(serde_json::from_str::<Policy>(&json).expect("a policy"), policy);
    }

    #[test]
    fn a_prohibition_that_is_put_leaves_no_allowance_within_it(rules in prop::collection::vec(rule(), 0..8), last in rule()) {
        let mut policy = Policy::default();
        rules.into_iter().for_each(|rule| drop(policy.put(rule)));
        let last = PolicyRule { decision: Decision::Deny, ..last };
        policy.put(last.clone());
        for rule in policy.rules.iter().filter(|rule| rule.decision == Decision::Allow && rule.tool == last.tool) {
            let within_effect = last.side_effect.is_none() || last.side_effect == rule.side_effect;
            let within_place = matches!(last.to.as_deref(), None | Some("*")) || last.to == rule.to;
            prop_assert!(!(within_effect && within_place), "{} within {}", rule.line(), last.line());
        }
    }
}

#[test]
fn the_most_specific_rule_wins() {
    use Decision::{Allow, Ask, Deny};
    let rule = |tool: &str, effect: Option<SideEffect>, to: Option<&str>, decision| PolicyRule {
        to: to.map(str::to_owned),
        ..PolicyRule::new(tool, effect, decision)
    };
    let external = Some(SideEffect::External);
    // The call is of `a.x`, external, to example.org.
    let cases = [
        (vec![rule("a.*", None, None, Deny), rule("a.x", external, None, Allow)], Some(Allow)),
        (vec![rule("a.*", external, None, Deny), rule("a.x", None, None, Allow)], Some(Deny)),
        (vec![rule("a.x", None, None, Deny), rule("a.x", external, None, Allow)], Some(Deny)),
        (vec![rule("a.x", None, None, Deny), rule("a.x", external, Some("example.org"), Allow)], Some(Allow)),
        (vec![rule("*", None, Some("example.org"), Deny), rule("a.x", external, None, Allow)], Some(Deny)),
        (vec![rule("*", None, Some("*.example.org"), Deny), rule("a.x", external, None, Allow)], Some(Allow)),
        (vec![rule("*", None, None, Ask), rule("a.*", None, None, Allow)], Some(Allow)),
        (vec![rule("a.x", external, None, Ask), rule("a.x", external, Some("*"), Allow)], Some(Ask)),
        (vec![rule("b.*", None, None, Deny)], None),
        (vec![rule("a.x", Some(SideEffect::Write), None, Deny)], None),
    ];
    for (rules, expected) in cases {
        let decided = decide(&rules, &(0, SideEffect::External, vec![0]));
        assert_eq!(decided.map(|rule| rule.decision), expected, "{rules:?}");
    }
}

#[test]
fn a_target_covers_what_it_names_and_no_more() {
    let places = Places { folder: "/home/me/desk".into(), home: "/home/me".into(), also: Vec::new() };
    let host = |name: &str| Destination::Host(name.into());
    let address = |name: &str| Destination::Address(name.into());
    let path = |name: &str| Destination::Path(name.into());
    let cases = [
        ("*", host("x.org"), true),
        ("Example.ORG.", host("example.org"), true),
        ("www.example.org", host("example.org"), true),
        ("example.org", host("mail.example.org"), false),
        ("*.example.org", host("mail.example.org"), true),
        ("*.example.org", host("example.org"), false),
        ("*.example.org", host("evilexample.org"), false),
        ("bücher.example", host("xn--bcher-kva.example"), true),
        ("Bob@Example.org", address("bob@example.org"), true),
        ("*@example.org", address("bob@example.org"), true),
        ("example.org", address("bob@example.org"), false),
        ("bob@example.org", address("bob@evil.org"), false),
        ("/srv", path("/srv/a"), true),
        ("/srv", path("/srvx"), false),
        ("~/notes", path("/home/me/notes/a.md"), true),
        ("../other", path("/home/me/other/a.md"), true),
        ("notes", path("/home/me/desk/notes"), false),
        ("General", Destination::Recipient("general".into()), true),
        ("general", Destination::Recipient("general 2".into()), false),
    ];
    for (target, to, expected) in cases {
        assert_eq!(covers(target, &to, &places), expected, "{target} {to:?}");
    }
}

#[test]
fn a_rule_that_cannot_mean_anything_is_a_fault() {
    let rule = |tool: &str, to: Option<&str>| PolicyRule {
        to: to.map(str::to_owned),
        ..PolicyRule::new(tool, None, Decision::Allow)
    };
    let cases = [
        (rule("a.x", None), None),
        (rule("a.*", Some("example.org")), None),
        (rule("*", Some("*")), None),
        (rule("a", None), Some(RuleFault::Tool)),
        (rule("a*", None), Some(RuleFault::Tool)),
        (rule("*.x", None), Some(RuleFault::Tool)),
        (rule("", None), Some(RuleFault::Tool)),
        (rule("a.x", Some("")), Some(RuleFault::To)),
        (rule("a.x", Some("a\u{202e}b")), Some(RuleFault::To)),
    ];
    for (rule, expected) in cases {
        assert_eq!(rule.fault(), expected, "{rule:?}");
    }
}
