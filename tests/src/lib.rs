//! Whole-product tests: the built binary, real plugins, scripted models.
