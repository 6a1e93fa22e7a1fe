//! The only door to the network for tools: egress policy, address checks, caps.
