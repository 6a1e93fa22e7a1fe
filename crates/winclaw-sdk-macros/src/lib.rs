//! The macros of winclaw-sdk.
