use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use winclaw_catalog::CatalogTool;
use winclaw_tool::Text;

use crate::digest::canonical;

/// Length of a digest, in hexadecimal characters.
const LENGTH: usize = 32;

/// What a tool was when somebody allowed it: its publisher, and digests of what decides what a yes to it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Who published it; empty if nobody said so.
    #[serde(default)]
    pub publisher: String,
    /// Of its whole description. The first 32 characters of a SHA-256, as the others.
    pub description: String,
    /// Of the schema of its parameters; the order of keys does not matter.
    pub parameters: String,
    /// Of its side effect, of what makes a call destructive, and of what a question shows of a call.
    pub effects: String,
}

/// A part of a tool's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Who publishes it.
    Publisher,
    /// What it says it does.
    Description,
    /// The parameters it takes.
    Parameters,
    /// What it may do to the world.
    Effects,
}

impl Part {
    /// The part in words.
    pub fn text(self) -> Text {
        match self {
            Part::Publisher => Text::new("publisher", "发布者"),
            Part::Description => Text::new("description", "说明"),
            Part::Parameters => Text::new("parameters", "参数"),
            Part::Effects => Text::new("side effects", "影响"),
        }
    }
}

impl Pin {
    /// The pin of `tool` as it is.
    pub fn of(tool: &CatalogTool) -> Pin {
        let manifest = &tool.manifest;
        let effects = serde_json::json!([manifest.side_effect, manifest.destructive_if, manifest.detail_keys]);
        Pin {
            publisher: manifest.publisher.clone(),
            description: digest(tool.full_description()),
            parameters: digest(&canonical(&manifest.parameters, &[])),
            effects: digest(&effects.to_string()),
        }
    }

    /// What is another in `tool` as it is now, in the order of [`Part`].
    pub fn differs(&self, tool: &CatalogTool) -> Vec<Part> {
        let now = Pin::of(tool);
        let parts = [
            (Part::Publisher, self.publisher == now.publisher),
            (Part::Description, self.description == now.description),
            (Part::Parameters, self.parameters == now.parameters),
            (Part::Effects, self.effects == now.effects),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

fn digest(text: &str) -> String {
    let bytes: [u8; 32] = Sha256::digest(text).into();
    bytes.iter().take(LENGTH / 2).map(|byte| format!("{byte:02x}")).collect()
}
