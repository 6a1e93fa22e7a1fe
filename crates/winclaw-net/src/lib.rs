//! The only door to the network for tools: egress policy, address checks, caps.
//!
//! A tool never opens a connection. It asks its host, and the host asks [`NetClient::send`], which knows which hosts
//! the plugin's manifest names. The same door has a recorded and an offline form, so that a demonstration or a test
//! needs no network and still passes every check.
//!
//! Invariants:
//! - No request leaves for a host that the caller's list does not name, on the first hop or after a redirect.
//! - A name never leads to this machine or its private networks; only a literal address (or `localhost`) that the
//!   list itself spells out does. The check is made on the very address that is connected to.
//! - Headers that could carry credentials do not cross from one origin to another.
//! - Every exchange is bounded in time, redirects, and bytes both ways.
//! - Every failure is a [`winclaw_tool::Failure`] that names the host and how to mend it; nothing here panics.
//!
//! Limit: when the person's system or environment sets an HTTP proxy, names are resolved by that proxy, so the address
//! check cannot apply to requests it carries. All other checks do.

mod address;
mod client;
mod failure;
mod hop;
mod live;
mod policy;
mod recorded;

pub use client::NetClient;
pub use policy::Policy;
pub use recorded::{Exchange, RecordError};
