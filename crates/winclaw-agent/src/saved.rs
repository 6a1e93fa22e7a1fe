use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use winclaw_catalog::ToolIx;
use winclaw_exposure::{Exposure, Settings};
use winclaw_guard::Origins;
use winclaw_model::Message;
use winclaw_tool::{Problem, ProblemKind, Text, ToolId};

use crate::change::Change;
use crate::history::History;
use crate::lens::Lens;
use crate::mend::{Mended, mend};
use crate::spent::Spent;
use crate::steps::{Step, Weighed};
use crate::{Kept, Options, Parts, Session};

/// Version of the form of [`Saved`]; another one is taken up as if the tools were others.
const VERSION: u32 = 1;

/// A session beside its messages: what its model was shown, which tools it used, what it cost. Tools are named by id.
///
/// Written as JSON. Its fields are for [`Session::restore`] alone; one that is absent reads as empty, so a state that an
/// older or newer program wrote is still taken up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    version: u32,
    /// The model's label.
    model: String,
    /// Digest of the catalog that `exposure` is of.
    tools_sha256: String,
    settings: Settings,
    /// `None` where it cannot be read by this version.
    #[serde(deserialize_with = "readable")]
    exposure: Option<Box<Exposure>>,
    /// Steps that no trace has yet.
    journal: Vec<Step>,
    /// Entries of the exposure's ledger that were recorded.
    taken: usize,
    epoch: u32,
    /// How many messages there were.
    said: usize,
    used: Vec<ToolId>,
    /// Earlier requests, latest first.
    earlier: Vec<String>,
    prefix_tokens: u32,
    origins: Origins,
    spent: Spent,
    without: Vec<String>,
}

impl Saved {
    /// The label of the model it was with, `provider/name`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What all requests so far took, tokens and money.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }
}

impl Session {
    /// Everything beside the messages, for another process.
    pub fn saved(&self) -> Saved {
        let catalog = self.lens.catalog();
        let used = self.used.iter().map(|tool| catalog.get(*tool).id.clone()).collect();
        Saved {
            version: VERSION,
            model: self.model.clone(),
            tools_sha256: self.lens.digest().to_owned(),
            settings: self.settings.clone(),
            exposure: Some(Box::new(self.lens.exposure.clone())),
            journal: self.lens.journal().to_vec(),
            taken: self.lens.taken(),
            epoch: self.lens.exposure.epoch(),
            said: self.history.messages().len(),
            used,
            earlier: self.earlier.clone(),
            prefix_tokens: self.prefix_tokens,
            origins: self.origins.clone(),
            spent: self.spent.clone(),
            without: self.without.iter().cloned().collect(),
        }
    }

    /// Takes up a session that was kept, with its `messages`, and says what is not as it was. Never fails.
    ///
    /// Calls without a result get one that says so, results without a call are left out; [`Parts::keep`] is told. When the
    /// tools are the same, everything that the model is shown goes on byte for byte; otherwise a new epoch begins, with the
    /// tools the session used in its array. Fewer messages than there were, as of a fork, count as a conversation that was
    /// folded. `options` are those of the next request, which [`Session::go_on`] runs.
    pub fn restore(
        saved: Saved,
        messages: Vec<Message>,
        parts: &Parts<'_>,
        options: &Options,
    ) -> (Session, Vec<Problem>) {
        let (messages, mended) = mend(messages);
        let mut problems = told(mended);
        if let Some(keep) = parts.keep.filter(|_| mended != Mended::default()) {
            keep(Kept::Rewritten(&messages));
        }
        let history = History::of(messages);
        let change = Change::of(parts.toolbox);
        let toolbox = change.as_ref().map_or(parts.toolbox, |change| &change.toolbox);
        let ranking = change.as_ref().map_or(parts.ranking, |change| &change.ranking);
        let catalog = toolbox.catalog();
        let lens = match saved.exposure(&ranking.digest) {
            Some(exposure) => {
                let lens = Lens::resumed(catalog, ranking, exposure, saved.journal.clone(), saved.taken);
                lens.behind(history.messages().len() < saved.said)
            }
            None => {
                problems.extend((saved.version != 0).then(others));
                let asked = saved.asked(options);
                Lens::again(catalog, ranking, options.exposure.clone(), asked, (saved.epoch + 1, history.tokens()))
            }
        };
        let used: Vec<ToolIx> = saved.used.iter().filter_map(|id| catalog.ix(id)).collect();
        let session = Session {
            toolbox: Arc::clone(toolbox),
            lens,
            history,
            used,
            earlier: saved.earlier,
            prefix_tokens: saved.prefix_tokens,
            settings: saved.settings,
            model: saved.model,
            origins: saved.origins,
            spent: saved.spent,
            without: saved.without.into_iter().collect(),
        };
        (session, problems)
    }
}

impl Saved {
    /// What the model was shown, if it is of the catalog with this digest and can be read.
    fn exposure(&self, digest: &str) -> Option<Exposure> {
        let same = self.version == VERSION && self.tools_sha256 == digest;
        self.exposure.as_deref().filter(|_| same).cloned()
    }

    fn asked(&self, options: &Options) -> Weighed {
        let (message, used, earlier) = (options.request.clone(), self.used.clone(), self.earlier.clone());
        Weighed { message, plan_step: None, used, earlier }
    }
}

fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Exposure>>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(Exposure::deserialize(&value).ok().map(Box::new))
}

fn told(mended: Mended) -> Vec<Problem> {
    let Mended { open, stray, renamed } = mended;
    let mut problems = Vec::new();
    if open > 0 {
        problems.push(warning(Text::new(
            format!("The session was cut short in the middle of {open} calls; their results are unknown."),
            format!("会话中断时有 {open} 个调用尚未完成，其结果未知。"),
        )));
    }
    if stray + renamed > 0 {
        let count = stray + renamed;
        problems.push(warning(Text::new(
            format!("{count} calls or results of the stored conversation did not fit together and were put right."),
            format!("所存对话中有 {count} 处调用与结果不相符，已修正。"),
        )));
    }
    problems
}

fn others() -> Problem {
    let what = Text::new(
        "The tools are not those the session had, so what the model is shown begins anew.",
        "工具与会话先前的不同，展示给模型的内容将重新开始。",
    );
    warning(what)
}

fn warning(what: Text) -> Problem {
    let mend = Text::new(
        "Nothing needs to be done; look at what was done last before you ask for it again.",
        "无需处理；再次提出同样的请求前，请先查看上次做到哪一步。",
    );
    Problem { kind: ProblemKind::Io, subject: "session".into(), what, mend, fatal: false }
}
