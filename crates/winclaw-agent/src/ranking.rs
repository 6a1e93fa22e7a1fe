use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use winclaw_catalog::{Catalog, CatalogTool};
use winclaw_exposure::Prepared;
use winclaw_intent::Index;

/// What is made of a catalog once and used by every task on it.
pub struct Ranking {
    /// The index that weighs requests.
    pub index: Index,
    /// What exposure keeps of the catalog.
    pub prepared: Arc<Prepared>,
    /// SHA-256 of everything the catalog says, lower-case hexadecimal: traces name the catalog by it.
    pub digest: String,
}

impl Ranking {
    /// Reads the catalog through; a few hundred milliseconds at eight thousand tools.
    pub fn of(catalog: &Catalog) -> Ranking {
        let digest = digest(catalog);
        Ranking { index: Index::build(catalog), prepared: Arc::new(Prepared::new(catalog)), digest }
    }
}

/// The digest of a catalog, as [`Ranking::digest`].
pub(crate) fn digest(catalog: &Catalog) -> String {
    let mut hasher = Sha256::new();
    for tool in catalog.tools() {
        let said = said(tool);
        hasher.update((said.len() as u64).to_le_bytes());
        hasher.update(said);
    }
    hex(&hasher.finalize())
}

/// Everything of a tool that what a model is shown may depend on.
fn said(tool: &CatalogTool) -> Vec<u8> {
    #[derive(Serialize)]
    struct Said<'a>(&'a str, &'a str, &'a winclaw_tool::ToolManifest, String, &'a str);
    let said =
        Said(tool.id.as_str(), &tool.wire_name, &tool.manifest, format!("{:?}", tool.state), tool.full_description());
    // A manifest is plain data with text keys, which always has a JSON form.
    serde_json::to_vec(&said).unwrap_or_default()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
