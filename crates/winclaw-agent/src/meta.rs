use std::collections::BTreeSet;

use serde_json::Value;
use winclaw_catalog::ToolIx;
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_exposure::{Answer as Told, Signal};
use winclaw_guard::Rule;
use winclaw_tool::Failure;

use crate::calls::Asked;
use crate::task::Task;

impl Task<'_> {
    /// The call as a meta tool's, if its name is one's.
    pub(crate) fn as_meta(&self, asked: &Asked<'_>) -> Option<Result<MetaCall, Failure>> {
        if !meta::is_meta(asked.name) {
            return None;
        }
        match winclaw_guard::parse_arguments(asked.arguments, asked.cut_off) {
            Ok(arguments) => self.session.lens.exposure.parse_meta(asked.name, &arguments),
            Err(failure) => Some(Err(failure)),
        }
    }

    /// The answer to a meta tool; like any call it runs only within the limit of its reply.
    pub(crate) async fn answer_meta(&mut self, asked: &Asked<'_>, call: MetaCall) -> Told {
        let limited = self.guard.beyond_limit(asked.name, asked.position).map(|failure| (Rule::BatchLimit, failure));
        let is_question = matches!(call, MetaCall::Ask { .. });
        let limited = limited.or_else(|| {
            self.must_answer(asked.name).filter(|_| !is_question).map(|failure| (Rule::MustAnswer, failure))
        });
        match (call, limited) {
            // The guard judges what is called, the limit included.
            (MetaCall::Call { name, arguments }, _) => {
                let arguments = raw(&arguments);
                Box::pin(self.answer_tool(&Asked { name: &name, arguments: &arguments, bridged: true, ..*asked })).await
            }
            (_, Some((rule, failure))) => self.refuse_by(asked, Some(rule.as_str()), &failure),
            (MetaCall::Search { queries, limit, category }, None) => {
                let (found, unread, answer) = self.search(queries, limit, category);
                self.recorder.aside(asked, "ok", &found, &answer.text);
                self.counted(asked, &unread, answer)
            }
            (MetaCall::Details { names }, None) => {
                let joined = names.join(", ");
                let answer = self.details(names);
                self.aside(asked, "ok", &joined, answer)
            }
            (MetaCall::Ask { question, options }, None) => self.ask(asked, &question, &options).await,
        }
    }

    /// What was found, which of that the model could not read before, and the answer.
    fn search(
        &mut self,
        queries: Vec<String>,
        limit: Option<usize>,
        category: Option<String>,
    ) -> (String, String, Told) {
        let catalog = self.catalog();
        let read: BTreeSet<ToolIx> =
            catalog.permitted().filter(|ix| self.session.lens.exposure.schema_shown(*ix)).collect();
        let (found, told) = self.session.lens.search(queries, limit, category);
        if self.session.lens.exposure.searches_without_news() > 0 {
            let rises = self.session.lens.learn(Signal::SearchWithoutNews);
            self.rose(&rises);
        }
        let ids = |tools: &mut dyn Iterator<Item = &ToolIx>| {
            tools.map(|tool| catalog.get(*tool).id.to_string()).collect::<Vec<_>>().join(", ")
        };
        let (all, unread) = (ids(&mut found.iter()), ids(&mut found.iter().filter(|tool| !read.contains(tool))));
        self.anchor.add(&catalog, found);
        (all, unread, told)
    }

    fn details(&mut self, names: Vec<String>) -> Told {
        let (found, told) = self.session.lens.details(names);
        self.anchor.add(&self.session.lens.catalog().clone(), found);
        told
    }

    async fn ask(&mut self, asked: &Asked<'_>, question: &str, options: &[String]) -> Told {
        let running = self.parts.interrupt.begin();
        let answer = running.token.run_until_cancelled(self.parts.front.ask(question, options)).await;
        let by_person = running.stopped_alone();
        drop(running);
        match answer.flatten() {
            Some(answer) => {
                let evidence = self.session.lens.weigh(&answer);
                self.near(&evidence);
                self.guard.person_said(&answer);
                self.aside(asked, "ok", &answer, Value::from(answer.clone()).to_string().into())
            }
            None if by_person => {
                let failure = Failure::unavailable(
                    "the person did not want to answer; decide by yourself with what you know, and say what you assumed",
                );
                self.refuse_aside(asked, &failure)
            }
            None => {
                let failure = Failure::unavailable(
                    "nobody can be asked here; decide by yourself with what you know, and say what you assumed",
                );
                self.refuse_aside(asked, &failure)
            }
        }
    }
}

/// Arguments of a bridged call as the text the guard reads; a string stays as the model wrote it.
fn raw(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
