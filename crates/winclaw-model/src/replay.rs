mod fill;
mod script;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use winclaw_tool::Text;

pub use self::script::{Cursor, Expect, Reply, Script, ScriptCall, Step};
use crate::{ChatModel, ChatReply, ChatRequest, Delta, ModelError, NativeTools, PROFILES, chat_body, validate};

/// Characters of a replayed text that are given to the sink at once.
const CHUNK: usize = 8;

/// A model that answers from a [`Script`], for tests and the demo. Always labelled as replayed.
///
/// Each request takes the next reply, after the script's demands on the request were checked. It holds requests to the
/// same rules as a vendor ([`validate`]).
#[derive(Debug)]
pub struct Replay {
    script: Script,
    at: Mutex<Cursor>,
}

impl Replay {
    /// A model that answers from `script`, from its first step.
    pub fn new(script: Script) -> Self {
        Replay { script, at: Mutex::default() }
    }

    /// Reads the script from a JSON file.
    ///
    /// Errors: [`ModelError::Config`] that names the file and the place in it.
    pub fn from_file(path: &Path) -> Result<Self, ModelError> {
        let refuse = |why: String| {
            let path = path.display();
            ModelError::Config {
                what: Text::new(
                    format!("the script {path} cannot be used: {why}"),
                    format!("无法使用脚本 {path}：{why}"),
                ),
                mend: Text::new("give a file with a replay script of schema 1", "请指定 schema 为 1 的回放脚本文件"),
            }
        };
        let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        Script::parse(&text).map(Replay::new).map_err(refuse)
    }

    /// How many replies were given.
    pub fn asked(&self) -> usize {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).asked()
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn label(&self) -> String {
        format!("replay/{}", self.script.name)
    }

    fn replayed(&self) -> bool {
        true
    }

    fn window_tokens(&self) -> u32 {
        self.script.window_tokens
    }

    fn native(&self) -> Option<NativeTools> {
        self.script.native
    }

    /// What an OpenAI-compatible server would be sent; a script is sent nothing.
    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        chat_body(request, &self.label(), &PROFILES[0], true).to_string().into_bytes()
    }

    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        cancel: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        validate(&request.messages)?;
        let reply = self.script.next(&mut self.at.lock().unwrap_or_else(PoisonError::into_inner), request)?;
        sink(Delta::Sent { body: &self.payload(request), attempt: 1 });
        stream(&reply, sink);
        Ok(reply)
    }
}

fn stream(reply: &ChatReply, sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send)) {
    pieces(reply.reasoning.as_deref().unwrap_or(""), |piece| sink(Delta::Reasoning(piece)));
    pieces(&reply.text, |piece| sink(Delta::Text(piece)));
    for call in &reply.calls {
        sink(Delta::CallStarted { name: &call.name });
    }
}

fn pieces(text: &str, mut each: impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(CHUNK).map_or(rest.len(), |(end, _)| end);
        each(&rest[..end]);
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod tests;
