//! What a model reads of a result, and what is known of the whole.

use std::borrow::Cow;
use std::path::PathBuf;

use serde_json::Value;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::{Outcome, ToolOutput};

use crate::calls::failure_text;
use crate::conversation::{cut_middle, ends};
use crate::record::sha256;
use crate::spill::{self, MAX_WATCHED, mark, text_of};
use crate::task::Task;

/// A result as it was read through once: results may be large.
pub(crate) struct Read {
    /// What the model reads.
    pub(crate) shown: String,
    /// Of the whole text: characters, and SHA-256 in lower-case hexadecimal.
    pub(crate) chars: usize,
    pub(crate) sha256: String,
    /// Where the whole is, if the model reads a part of it.
    pub(crate) whole: Option<PathBuf>,
}

impl Task<'_> {
    /// Reads an outcome for the model; keeps the whole of what is too long.
    pub(crate) fn read(&self, catalog: &Catalog, tool: ToolIx, outcome: &Outcome) -> Read {
        let text: Cow<'_, str> = match outcome {
            Ok(output) => text_of(output),
            Err(failure) => failure.to_string().into(),
        };
        let (chars, sha256) = (text.chars().count(), sha256(text.as_bytes()));
        let output = match outcome {
            Ok(output) => output,
            Err(failure) => return Read { shown: failure_text(failure), chars, sha256, whole: None },
        };
        match ends(&text, self.result_limit(&text)) {
            None => Read { shown: text.into_owned(), chars, sha256, whole: None },
            Some((head, tail, cut)) => {
                let folder = self.options.spill.as_deref();
                let id = &catalog.get(tool).id;
                let whole = folder.and_then(|folder| spill::keep(folder, id, output.value.is_string(), &text));
                let mark = mark(cut, text.len(), whole.as_deref());
                Read { shown: format!("{head}\n{mark}\n{tail}"), chars, sha256, whole }
            }
        }
    }
}

impl Read {
    /// The outcome as whoever watches is given it: the ends of what is very long.
    pub(crate) fn watched(&self, outcome: Outcome, chars: usize) -> Outcome {
        if self.chars <= MAX_WATCHED {
            return outcome;
        }
        outcome.map(|output| ToolOutput::new(Value::String(cut_middle(&text_of(&output), chars))))
    }
}
