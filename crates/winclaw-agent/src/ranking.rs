use std::sync::Arc;

use winclaw_catalog::Catalog;
use winclaw_exposure::Prepared;
use winclaw_intent::Index;

/// What is made of a catalogue once and used by every task on it.
pub struct Ranking {
    /// The index that weighs requests.
    pub index: Index,
    /// What exposure keeps of the catalogue.
    pub prepared: Arc<Prepared>,
}

impl Ranking {
    /// Reads the catalogue through; a few hundred milliseconds at eight thousand tools.
    pub fn of(catalog: &Catalog) -> Ranking {
        Ranking { index: Index::build(catalog), prepared: Arc::new(Prepared::new(catalog)) }
    }
}
