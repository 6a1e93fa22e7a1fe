//! Whether a call is well-formed, repeated, drifting or in need of consent.
