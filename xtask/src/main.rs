//! The project's own commands: build, package, demo, test, tidy, bench.
fn main() {}
