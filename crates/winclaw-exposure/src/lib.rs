//! What the model sees of each tool this turn, and why; only ever widens.
