//! What is done about a task that repeats itself or strays, beside what the guard says in its verdicts.

use serde_json::{Map, Value};
use winclaw_catalog::ToolIx;
use winclaw_exposure::Signal;
use winclaw_guard::{LoopKind, LoopStep, Repair, Stage};
use winclaw_model::{Message, WireCall};
use winclaw_tool::{Failure, Text};

use crate::Event;
use crate::calls::Asked;
use crate::task::Task;

/// What a repair is told with.
const REPAIRED: &str = "Put right before it ran: ";

impl Task<'_> {
    /// Takes in how far the guard went since it was last asked: other ways are shown where something was blocked.
    pub(crate) fn climb(&mut self) {
        let catalog = self.catalog();
        for step in self.guard.take_steps() {
            self.recorder.looping(&catalog, &step);
            let rises = match (step.rung, step.tool) {
                ("block", Some(tool)) => self.session.lens.learn(Signal::LoopBlocked(tool)),
                ("block", None) => self.session.lens.learn(Signal::SearchWithoutNews),
                _ => Vec::new(),
            };
            self.rose(&rises);
            self.parts.front.show(Event::Loop { rung: step.rung, text: words(&catalog, &step), said: step.said });
        }
    }

    /// Why a meta tool that would look for more is not run once the model must answer or ask.
    pub(crate) fn must_answer(&self, name: &str) -> Option<Failure> {
        matches!(self.guard.stage(), Stage::MustAnswer | Stage::Stopped).then(|| {
            Failure::invalid_args(format!(
                "`{name}` was not run. No tool runs now: answer with what you have and say what is missing, or ask the user \
                 with ask_user. Any other call ends the task."
            ))
        })
    }

    /// Tells that a call strays from the request, if the guard found so.
    pub(crate) fn tell_drift(&mut self, asked: &Asked<'_>, tool: ToolIx) {
        let Some(drift) = self.guard.take_drift() else { return };
        let catalog = self.catalog();
        self.recorder.drift(&catalog, asked.id, tool, &drift);
        let (call_id, tool) = (asked.id.to_owned(), catalog.get(tool).id.to_string());
        self.parts.front.show(Event::Drift { call_id, tool, rung: drift.rung, said: drift.said });
    }

    /// A call whose arguments were put right: the conversation holds what ran, and the result says what was done.
    pub(crate) fn repaired(
        &mut self,
        asked: &Asked<'_>,
        tool: ToolIx,
        arguments: &Value,
        repairs: &[Repair],
    ) -> Option<String> {
        if repairs.is_empty() {
            return None;
        }
        self.amend_call(asked, arguments);
        let catalog = self.catalog();
        self.recorder.repairs(&catalog, asked.id, tool, repairs);
        let said: Vec<String> = repairs.iter().map(|repair| repair.said.clone()).collect();
        let told = format!("{REPAIRED}{}", said.join(" "));
        let (call_id, tool) = (asked.id.to_owned(), catalog.get(tool).id.to_string());
        self.parts.front.show(Event::Repaired { call_id, tool, said });
        Some(told)
    }

    /// Puts the arguments that run into the conversation, in place of those that were written.
    fn amend_call(&mut self, asked: &Asked<'_>, arguments: &Value) {
        let history = &mut self.session.history;
        let said = |message: &Message| matches!(message, Message::Assistant { .. });
        let Some(at) = history.messages().iter().rposition(said) else { return };
        history.edit(at, |message| {
            let Message::Assistant { calls, .. } = message else { return };
            if let Some(call) = calls.iter_mut().find(|call| call.id == asked.id) {
                call.arguments = ran_as(call, asked, arguments);
            }
        });
        self.amended(at);
    }
}

/// The arguments of the call as the model should have written them; those of a bridged call stand in those of `tool_call`.
fn ran_as(call: &WireCall, asked: &Asked<'_>, arguments: &Value) -> String {
    if !asked.bridged {
        return arguments.to_string();
    }
    let outer = winclaw_guard::parse_arguments(&call.arguments, false).ok();
    let mut outer: Map<String, Value> = outer.and_then(|outer| outer.as_object().cloned()).unwrap_or_default();
    outer.insert("name".into(), asked.name.into());
    outer.insert("arguments".into(), arguments.clone());
    Value::Object(outer).to_string()
}

fn words(catalog: &winclaw_catalog::Catalog, step: &LoopStep) -> Text {
    let what = counted(catalog, step);
    let (en, zh) = match step.rung {
        "hint" => ("the model was told so", "已提醒模型"),
        "block" if step.what == LoopKind::UnknownTool => {
            ("no tool has such a name; tools that exist are shown", "没有这些名称的工具；已展示现有的工具")
        }
        "block" if step.what == LoopKind::Search => ("other tools are shown", "已展示其他工具"),
        "block" => ("it is not run any more, and other tools are shown", "不再运行，并展示其他工具"),
        "must_answer" => ("the model must answer or ask now", "模型现在必须作答或提问"),
        _ => ("the task is stopped", "任务已停止"),
    };
    Text::new(format!("{}; {en}", what.en), format!("{}；{zh}", what.zh))
}

/// What is repeated and how often it was made, whether or not it ran.
fn counted(catalog: &winclaw_catalog::Catalog, step: &LoopStep) -> Text {
    let times = step.times;
    let s = if times == 1 { "" } else { "s" };
    let (en, zh) = match (step.what, step.tool) {
        (_, Some(tool)) => {
            let id = &catalog.get(tool).id;
            (
                format!("{id}: called {times} time{s} without anything new"),
                format!("{id}：调用了 {times} 次，没有新的结果"),
            )
        }
        (LoopKind::SamePlan, _) => {
            (format!("the same plan was told {times} time{s}"), format!("同一计划说了 {times} 次"))
        }
        (LoopKind::Search, _) => {
            (format!("{times} look-up{s} found nothing new"), format!("{times} 次查找没有新的发现"))
        }
        (LoopKind::UnknownTool, _) => {
            (format!("{times} call{s} of tools that do not exist"), format!("{times} 次调用了不存在的工具"))
        }
        _ => (format!("nothing new in {times} call{s} or replies"), format!("{times} 次调用或回复没有新的结果")),
    };
    Text::new(en, zh)
}
