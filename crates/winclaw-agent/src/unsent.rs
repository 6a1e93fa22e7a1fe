//! Tools whose definitions a vendor does not take: said once, never sent again, and reached another way.

use winclaw_catalog::{Resolution, ToolIx};
use winclaw_model::{ChatRequest, SetAside};

use crate::Event;
use crate::task::Task;

/// How often a new prefix is looked at. Each look opens another prefix at most, with other tools in it.
const LOOKS: usize = 4;

impl Task<'_> {
    /// Finds what the vendor would refuse of a new prefix before anything of it is sent.
    pub(crate) fn check_prefix(&mut self) {
        for _ in 0..LOOKS {
            let epoch = self.session.lens.exposure.epoch();
            if self.checked_epoch == epoch {
                return;
            }
            self.checked_epoch = epoch;
            let prefix = self.session.lens.exposure.prefix();
            let request = ChatRequest {
                tools: prefix.tools.clone(),
                deferred: prefix.deferred.clone(),
                without: self.session.without.clone(),
                ..ChatRequest::default()
            };
            self.set_aside(self.parts.model.compile(&request));
        }
    }

    /// These tools are not sent to this model any more. The exposure knows, and says to the model how they are called.
    pub(crate) fn set_aside(&mut self, tools: Vec<SetAside>) {
        let catalog = self.catalog();
        let mut known: Vec<ToolIx> = Vec::new();
        for SetAside { tool, why } in tools {
            if !self.session.without.insert(tool.clone()) {
                continue;
            }
            let id = match catalog.resolve(&tool) {
                Resolution::One(ix) => {
                    known.push(ix);
                    catalog.get(ix).id.to_string()
                }
                _ => tool,
            };
            self.recorder.set_aside(&id, &why, self.turns);
            self.parts.front.show(Event::SetAside { tool: id, why });
        }
        if !known.is_empty() {
            self.session.lens.bar(&known);
        }
    }
}
