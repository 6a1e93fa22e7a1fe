//! What follows from a reply.

use winclaw_exposure::{Answer as Told, Signal, Strategy};
use winclaw_model::{ChatReply, Message};
use winclaw_tool::Text;

use crate::Event;
use crate::calls::join;
use crate::compact;
use crate::report::EndState;
use crate::task::{Task, Then};

/// Longest arguments of a call that did not run, in characters; what never ran needs no more to be understood.
const MAX_NOT_RUN: usize = 4_000;

impl Task<'_> {
    pub(crate) fn take_reply(&mut self, reply: &ChatReply) {
        self.pay(reply);
        self.set_aside(reply.set_aside.clone());
        if reply.skipped_lines > 0 {
            self.notice(skipped(reply.skipped_lines));
        }
        if let Some(unread) = reply.unread.as_ref().filter(|_| !reply.calls.is_empty()) {
            self.notice(unread.clone());
        }
        let (text, reasoning, calls) = (reply.text.clone(), reply.reasoning.clone(), reply.calls.clone());
        let sealed = reply.sealed.clone();
        if !text.trim().is_empty() {
            self.plan_step = Some(text.clone());
        }
        self.say(Message::Assistant { text, reasoning, calls, sealed });
    }

    /// Adds up what the reply took, and tells it.
    fn pay(&mut self, reply: &ChatReply) {
        self.spent.add(&reply.usage, reply.cost.as_ref());
        self.session.spent.add(&reply.usage, reply.cost.as_ref());
        let as_of = self.parts.model.price().map(|price| price.as_of.into_owned());
        self.recorder.cost(reply.cost.as_ref(), self.session.spent.cost(), as_of, self.turns);
        let (usage, cost) = (reply.usage, reply.cost.clone());
        self.parts.front.show(Event::Cost { call_no: self.turns, usage, cost, session: self.session.spent.clone() });
    }

    /// A reply without calls is the answer, unless it says nothing: then the surface widens and the model is asked once more.
    pub(crate) fn without_calls(&mut self, reply: &ChatReply) -> Then {
        if let Some(unread) = &reply.unread {
            return self.unread(unread, &reply.text);
        }
        if reply.filtered {
            self.answer = reply.text.clone();
            return Then::End(EndState::NotCompleted { why: filtered() });
        }
        let silent = reply.text.trim().is_empty();
        if (silent || winclaw_exposure::says_no_tool(&reply.text)) && !self.nudged {
            self.nudged = true;
            self.again = Some(reply.text.clone());
            return self.nudge(silent);
        }
        if silent {
            return Then::End(EndState::NotCompleted {
                why: Text::new("the model gave no answer", "模型没有给出回答"),
            });
        }
        self.answer = reply.text.clone();
        if reply.cut_off {
            return Then::End(EndState::NotCompleted { why: cut_off(reply) });
        }
        Then::End(self.open.state(self.session.lens.catalog()))
    }

    /// A call that the model wrote as text and that cannot be run is no answer: it is told so, once.
    fn unread(&mut self, why: &Text, words: &str) -> Then {
        if self.nudged {
            self.answer = words.to_owned();
            return Then::End(EndState::NotCompleted { why: why.clone() });
        }
        self.nudged = true;
        self.again = Some(words.to_owned());
        self.parts.front.show(Event::TextEnd);
        self.notice(why.clone());
        let (en, way) = (&why.en, "Make the call through the tool interface and not as text, or answer without it.");
        self.say(Message::user(format!("[not run: {en}] {way}")));
        Then::Next
    }

    fn nudge(&mut self, silent: bool) -> Then {
        let rises = self.session.lens.learn(Signal::NoTool);
        self.rose(&rises);
        if !silent && rises.is_empty() {
            self.answer = self.plan_step.clone().unwrap_or_default();
            return Then::End(self.without_tool());
        }
        self.parts.front.show(Event::TextEnd);
        self.say(Message::user(match silent {
            true => "Your reply was empty. Answer the request, or call a tool.",
            false => {
                "More tools are available than you used. Look at what was shown since, or search, before you give up; if none fits, say so again."
            }
        }));
        Then::Next
    }

    /// How a task ends whose model says that there is no tool for it. Where tools do not exist for it, that is no answer.
    fn without_tool(&self) -> EndState {
        match self.session.lens.exposure.strategy() {
            Strategy::Hard => EndState::NotCompleted {
                why: Text::new(
                    "the model found no tool for this among those it was shown, and the strategy `hard` shows no others",
                    "模型在展示给它的工具中没有找到合适的，而 hard 策略不会展示其他工具",
                ),
            },
            Strategy::Progressive | Strategy::Full => self.open.state(self.session.lens.catalog()),
        }
    }

    /// Runs every call of the reply in order; each gets its one result, also when the person interrupts.
    pub(crate) async fn run_calls(&mut self, reply: &ChatReply) {
        if !reply.text.trim().is_empty() {
            self.parts.front.show(Event::TextEnd);
        }
        let mut advice = self.guard.plan(&reply.text);
        let last = reply.calls.len().saturating_sub(1);
        for (position, call) in reply.calls.iter().enumerate() {
            let cut_off = reply.cut_off && position == last;
            let ran = self.calls;
            let told = self.answer_call(call, position, cut_off).await;
            let shortened = if self.calls == ran { self.shorten(&call.id) } else { None };
            let told = join(told, shortened.map(Told::from));
            let told = if position == last { join(told, advice.take().map(Told::from)) } else { told };
            let (call_id, content, reveals) = (call.id.clone(), told.text, told.reveals);
            self.say(Message::Tool { call_id, content, reveals });
        }
    }

    /// Shortens the arguments of a call that did not run, where they would only fill the window. What the model is told.
    fn shorten(&mut self, id: &str) -> Option<String> {
        let is_turn = |message: &Message| matches!(message, Message::Assistant { .. });
        let at = self.session.history.messages().iter().rposition(is_turn)?;
        let length = self.session.history.edit(at, |message| {
            let Message::Assistant { calls, .. } = message else { return None };
            let call = calls.iter_mut().find(|call| call.id == id)?;
            compact::cut_arguments(call, MAX_NOT_RUN)
        });
        let length = length.flatten()?;
        self.amended(at);
        Some(format!(
            "[the arguments of this call, {length} characters, did not run and are shortened in this conversation]"
        ))
    }

    pub(crate) fn after_calls(&mut self) -> Then {
        self.climb();
        if self.parts.interrupt.is_cancelled() {
            return Then::End(EndState::Interrupted);
        }
        match self.guard.stopped() {
            Some(report) => Then::End(EndState::Stopped { why: report.text(&self.catalog()) }),
            None => Then::Next,
        }
    }
}

fn cut_off(reply: &ChatReply) -> Text {
    match &reply.broken {
        Some(why) => {
            Text::new(format!("the model's answer was cut off: {}", why.en), format!("模型的回答不完整：{}", why.zh))
        }
        None => Text::new("the model's answer was cut off", "模型的回答被截断"),
    }
}

/// Words of the model may stand before it; the same question asked again would only be stopped again.
fn filtered() -> Text {
    Text::new(
        "a filter of the model's vendor stopped the answer; put the request in other words, or ask another model",
        "模型服务方的内容过滤中止了回答；请换一种说法，或改用其他模型",
    )
}

fn skipped(lines: u32) -> Text {
    Text::new(
        format!("{lines} lines of the model's stream could not be read and were passed over"),
        format!("模型数据流中有 {lines} 行无法读取，已跳过"),
    )
}
