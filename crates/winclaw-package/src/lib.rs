//! Builds, checks and lays out plugin packages; what cargo xtask and third parties call.
