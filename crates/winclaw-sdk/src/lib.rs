//! What a plugin author writes against.
