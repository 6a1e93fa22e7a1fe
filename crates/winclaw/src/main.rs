//! WinClaw, a tool host for AI agents: the command line.
fn main() {}
