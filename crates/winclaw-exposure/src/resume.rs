//! A session that goes on in another process.

use std::sync::Arc;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};

use crate::advice::Leads;
use crate::{Because, Exposure, Prepared, Settings, Transport};

impl Default for Prepared {
    /// That of an empty catalog.
    fn default() -> Self {
        Prepared::new(&Catalog::default())
    }
}

impl Exposure {
    /// An exposure that was written and read again, upon the catalog it had. `prepared` must be of a catalog that says the
    /// same of the same tools; then every later surface is what it would have been, byte for byte.
    pub fn resumed(self, prepared: &Arc<Prepared>) -> Exposure {
        Exposure { prepared: Arc::clone(prepared), ..self }
    }

    /// Goes on with a conversation whose exposure is lost or was of other tools: opens epoch `epoch` as at the start of a
    /// task, with the tools the session `used`, first used first, in the array as far as there is room. What does not fit
    /// is told again in the next tail. Its price is the prefix and the conversation behind it, `history_tokens`.
    pub fn begin_again(
        catalog: &Catalog,
        prepared: &Arc<Prepared>,
        evidence: &Evidence,
        settings: Settings,
        (epoch, used, history_tokens): (u32, &[ToolIx], u32),
    ) -> Exposure {
        let mut exposure = Exposure::blank(Arc::clone(prepared), settings);
        if exposure.is_fixed() {
            return Exposure::begin_prepared(catalog, prepared, evidence, exposure.settings);
        }
        exposure.epoch = epoch;
        used.iter().for_each(|tool| exposure.note_call(*tool));
        let leads = Leads::of(&exposure.prepared, &exposure.settings, evidence);
        let kept = exposure.kept();
        exposure.assemble(catalog, &kept, Some(&leads));
        exposure.freeze(catalog, Because::Resumed, history_tokens);
        exposure.show_again(catalog, &[], &Because::Resumed);
        if exposure.transport == Transport::Direct {
            exposure.follow(catalog, &leads);
        }
        exposure.advise(leads);
        exposure
    }
}

/// What is shared is written as what it holds.
pub(crate) mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        T::deserialize(deserializer).map(Arc::new)
    }
}
