//! Where it is decided who must agree to a call.

use serde_json::Value;
use winclaw_catalog::{CatalogTool, ToolIx};
use winclaw_tool::{Failure, Outcome, SideEffect, Text, ToolId};

use crate::consent::{self, Answer, Because, By, Consent, Doubts, Ruling, effects};
use crate::origin::{Destination, Origins, Reading};
use crate::policy::{Approve, Case, Decision, Part, Pin, Policy, PolicyRule};

/// A call that is about to run.
pub(crate) struct Asked<'a> {
    pub(crate) ix: ToolIx,
    pub(crate) tool: &'a CatalogTool,
    pub(crate) arguments: &'a Value,
    pub(crate) schema_was_shown: bool,
    /// In words, where the call strays from the request.
    pub(crate) doubt: Option<Text>,
    /// What brought content of others in beside what was recorded.
    pub(crate) untrusted: Option<&'a str>,
}

/// What is decided.
pub(crate) enum Said {
    /// It runs.
    Run,
    /// The person is asked.
    Ask(Box<Consent>),
    /// It never runs.
    Deny(Failure),
    /// The person said no to this very call before.
    Declined(Failure),
}

/// The policy, what the person answered in this task, and where the conversation's content came from.
#[derive(Debug)]
pub(crate) struct Consents {
    policy: Policy,
    given: Vec<Given>,
    origins: Origins,
    last: Option<Ruling>,
    /// The call that was asked about last.
    asking: Option<(ToolId, Value)>,
    /// Calls that the person has refused since they last spoke, the latest last.
    refused: Vec<(ToolId, Value)>,
}

/// Most refused calls that are remembered.
const MAX_REFUSED: usize = 64;

/// An answer that holds until the task ends.
#[derive(Debug)]
struct Given {
    tool: ToolId,
    side_effect: SideEffect,
    /// The tool as it was.
    pin: Pin,
    yes: bool,
    /// Whether it holds for calls that do not say where they act.
    anywhere: bool,
}

/// What was found of one side effect.
struct Found {
    decision: Decision,
    by: By,
    changed: Vec<Part>,
    /// Whether an allowance holds wherever the call goes.
    anywhere: bool,
}

impl Consents {
    pub(crate) fn new(policy: Policy) -> Consents {
        Consents {
            policy,
            given: Vec::new(),
            origins: Origins::default(),
            last: None,
            asking: None,
            refused: Vec::new(),
        }
    }

    /// Goes on from an earlier request of the session.
    pub(crate) fn resume(&mut self, origins: Origins) {
        self.origins = origins;
    }

    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }

    pub(crate) fn person_said(&mut self, text: &str) {
        self.origins.said(text, &self.policy.places);
        self.refused.clear();
    }

    pub(crate) fn content_of_others(&mut self, source: &str) {
        self.origins.came_in(source);
    }

    pub(crate) fn next_reply(&mut self) {
        self.origins.next_reply();
    }

    /// What decided about the call that was judged last, if it came that far.
    pub(crate) fn last(&self) -> Option<&Ruling> {
        self.last.as_ref()
    }

    /// Nothing is decided yet of the call that is judged now.
    pub(crate) fn begin(&mut self) {
        self.last = None;
    }

    /// A call came to an end.
    pub(crate) fn ran(&mut self, tool: &CatalogTool, arguments: &Value, outcome: &Outcome) {
        let effect = tool.manifest.side_effect_of(arguments);
        let reading = Reading::of(arguments, effect, &self.policy.places);
        self.origins.ran(tool, reading, outcome, &self.policy.places);
    }

    /// What the person said to a question.
    pub(crate) fn answered(&mut self, consent: &Consent, answer: Answer) {
        if answer.is_yes() {
            consent.goes_to.iter().for_each(|to| self.origins.agreed(to));
        }
        let anywhere = consent.to.iter().any(|to| to == "*");
        let mut keep = |yes| {
            self.given.extend(consent.effects.iter().map(|effect| Given {
                tool: consent.id.clone(),
                side_effect: *effect,
                pin: consent.pin.clone(),
                yes,
                anywhere,
            }));
        };
        match answer {
            Answer::ThisTask | Answer::Always => keep(true),
            Answer::Never => keep(false),
            Answer::Once | Answer::No | Answer::NobodyToAsk => {}
        }
        if answer == Answer::No {
            self.refused.extend(self.asking.take());
            self.refused.drain(..self.refused.len().saturating_sub(MAX_REFUSED));
        }
    }

    /// Who must agree to the call.
    pub(crate) fn decide(&mut self, asked: &Asked<'_>) -> Said {
        let effects = effects(asked.tool, asked.arguments);
        let main = effects.first().copied().unwrap_or(asked.tool.manifest.side_effect);
        let reading = Reading::of(asked.arguments, main, &self.policy.places);
        let to = self.destinations(&reading);
        let found = self.strictest(asked.tool, &effects, &to);
        let (ruling, said) = match found.decision {
            Decision::Deny => {
                let ruling = Ruling { decision: Decision::Deny, by: found.by, because: Vec::new() };
                let failure = forbidden(asked.tool, &ruling);
                (ruling, Said::Deny(failure))
            }
            _ => self.weigh(asked, &effects, &reading, found),
        };
        self.last = Some(ruling);
        self.asked_once(asked, said)
    }

    /// Nobody is asked again about the very call they said no to.
    fn asked_once(&mut self, asked: &Asked<'_>, said: Said) -> Said {
        if !matches!(said, Said::Ask(_)) {
            return said;
        }
        let call = (asked.tool.id.clone(), asked.arguments.clone());
        if self.refused.contains(&call) {
            let id = &call.0;
            return Said::Declined(Failure::denied(format!(
                "the person already said no to this very call of `{id}`. Go on without it, or ask them what they want instead"
            )));
        }
        self.asking = Some(call);
        said
    }

    /// Where the call goes, paths in the person's folders only if it goes nowhere else.
    fn destinations<'r>(&self, reading: &'r Reading) -> Vec<&'r Destination> {
        let foreign = reading.foreign(&self.policy.places);
        if foreign.is_empty() { reading.to.iter().collect() } else { foreign }
    }

    /// Whether a call that nothing forbids is asked about.
    fn weigh(&self, asked: &Asked<'_>, effects: &[SideEffect], reading: &Reading, found: Found) -> (Ruling, Said) {
        let by_origin = if found.anywhere { None } else { self.new_to(asked, effects, reading) };
        let doubt = asked.doubt.clone().filter(|_| effects != [SideEffect::Read]);
        // A yes that names the tool holds also where the call strays; a level alone does not, but for the widest.
        let is_level = matches!(found.by, By::Level(level) if level != Approve::Always);
        let strays = doubt.is_some() && is_level;
        let insisted = self.policy.insisted && self.policy.approve == Approve::Always;
        let allowed = found.decision == Decision::Allow;
        let mut because = usual_doubts(&found);
        let unstated = matches!(by_origin, Some(Because::Unstated { .. }));
        let is_new = by_origin.is_some();
        because.extend(by_origin);
        because.extend(doubt.map(Because::Strays));
        if allowed && (insisted || !is_new) && !strays {
            return (Ruling { decision: Decision::Allow, by: found.by, because }, Said::Run);
        }
        if !asked.schema_was_shown && effects.iter().any(|effect| *effect >= SideEffect::Destructive) {
            because.push(Because::Unshown);
        }
        let to = self.destinations(reading);
        let by_target = matches!(&found.by, By::Rule(rule) if rule.to.is_some());
        let doubts = Doubts {
            strays: strays && allowed && !is_new,
            to: if unstated {
                vec!["*".to_owned()]
            } else if is_new || by_target {
                targets(&to)
            } else {
                Vec::new()
            },
            goes_to: to.into_iter().cloned().collect(),
            because: because.clone(),
        };
        let by = if allowed { By::Doubt } else { found.by };
        let consent = consent::ask(asked.ix, asked.tool, asked.arguments, doubts);
        (Ruling { decision: Decision::Ask, by, because }, Said::Ask(Box::new(consent)))
    }

    /// What is new about where the call goes, once content of others has come in.
    fn new_to(&self, asked: &Asked<'_>, effects: &[SideEffect], reading: &Reading) -> Option<Because> {
        let mut from = self.origins.untrusted().to_vec();
        from.extend(asked.untrusted.map(str::to_owned));
        if from.is_empty() {
            return None;
        }
        let places = &self.policy.places;
        let is_new = |to: &&Destination| {
            let allowed = effects.iter().all(|effect| {
                let case = Case { tool: asked.tool, side_effect: *effect, to: &[] };
                self.policy.allows_to(&case, to)
            });
            !allowed && !self.origins.knows(to, places)
        };
        if effects == [SideEffect::Read] {
            let to = self.origins.carried(reading, places);
            let to: Vec<Destination> = to.iter().filter(is_new).cloned().collect();
            return (!to.is_empty()).then_some(Because::Carries { from, to });
        }
        let new: Vec<Destination> = reading.to.iter().filter(is_new).cloned().collect();
        let unstated = reading.more || (effects.contains(&SideEffect::External) && reading.to.is_empty());
        match (new.is_empty(), unstated) {
            (false, _) => Some(Because::New { from, to: new }),
            (true, true) => Some(Because::Unstated { from }),
            (true, false) => None,
        }
    }

    /// What is decided of the call's side effects; of several, the strictest.
    fn strictest(&self, tool: &CatalogTool, effects: &[SideEffect], to: &[&Destination]) -> Found {
        let mut found: Vec<Found> =
            effects.iter().map(|effect| self.look(&Case { tool, side_effect: *effect, to })).collect();
        let anywhere = found.iter().all(|one| one.anywhere);
        found.sort_by_key(|one| one.decision);
        let strictest = found.pop().map(|one| Found { anywhere, ..one });
        // There is always one side effect; without any, nothing could be said against asking.
        strictest.unwrap_or(Found {
            decision: Decision::Ask,
            by: By::Level(self.policy.approve),
            changed: Vec::new(),
            anywhere: false,
        })
    }

    /// What the policy and the answers say of a side effect of `tool`, wherever it acts.
    pub(crate) fn ruling(&self, tool: &CatalogTool, side_effect: SideEffect) -> Ruling {
        let found = self.look(&Case { tool, side_effect, to: &[] });
        Ruling { because: usual_doubts(&found), decision: found.decision, by: found.by }
    }

    /// What is decided of one side effect: what is forbidden first, then what the person said in this task, then the rules,
    /// then the level.
    fn look(&self, case: &Case<'_>) -> Found {
        let rule = self.policy.rule_for(case);
        let is = |decision| rule.is_some_and(|rule| rule.decision == decision);
        let answered = |decision, anywhere| Found { decision, by: By::Answered, changed: Vec::new(), anywhere };
        match (rule, self.given(case)) {
            (Some(rule), _) if is(Decision::Deny) => ruled(rule),
            (_, Some(given)) if !given.yes => answered(Decision::Deny, false),
            (_, Some(given)) if given.anywhere || !is(Decision::Allow) => answered(Decision::Allow, given.anywhere),
            (Some(rule), _) => ruled(rule),
            (None, _) => Found {
                decision: if self.policy.approve.frees(case.side_effect) { Decision::Allow } else { Decision::Ask },
                by: By::Level(self.policy.approve),
                changed: self.policy.changed(case),
                anywhere: false,
            },
        }
    }

    /// The person's last answer in this task that speaks of the case. A yes holds while the tool is what it was.
    fn given(&self, case: &Case<'_>) -> Option<&Given> {
        let speaks = |given: &&Given| given.tool == case.tool.id && given.side_effect == case.side_effect;
        let holds = |given: &&Given| !given.yes || given.pin.differs(case.tool).is_empty();
        self.given.iter().rev().filter(speaks).find(holds)
    }
}

/// What the model is told of a call that never runs, and the person with it.
fn forbidden(tool: &CatalogTool, ruling: &Ruling) -> Failure {
    let (id, by) = (&tool.id, ruling.text());
    let message = format!("`{id}` was not run: {} forbids it. Do not try it again; go on without it.", by.en);
    let hint = Text::new(
        format!("`winclaw consent list` shows what is forbidden, `winclaw consent forget {id}` takes it back"),
        format!("{}禁止此操作；winclaw consent list 可查看，winclaw consent forget {id} 可撤销", by.zh),
    );
    Failure { hint: Some(hint), ..Failure::denied(message) }
}

fn ruled(rule: &PolicyRule) -> Found {
    let anywhere = rule.decision == Decision::Allow && rule.to.as_deref() == Some("*");
    Found { decision: rule.decision, by: By::Rule(Box::new(rule.clone())), changed: Vec::new(), anywhere }
}

/// What a question says of a decision to ask, beside what is new.
fn usual_doubts(found: &Found) -> Vec<Because> {
    let rule = match (&found.by, found.decision) {
        (By::Rule(rule), Decision::Ask) => Some(Because::Rule((**rule).clone())),
        _ => None,
    };
    let asks = found.decision == Decision::Ask && !found.changed.is_empty();
    rule.into_iter().chain(asks.then(|| Because::Changed(found.changed.clone()))).collect()
}

fn targets(to: &[&Destination]) -> Vec<String> {
    to.iter().map(|to| to.as_str().to_owned()).collect()
}
