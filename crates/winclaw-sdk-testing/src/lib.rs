//! Runs a tool against recorded host replies, in the author's own tests.
//!
//! ```ignore
//! let host = TestHost::new().http_reply("https://api.example.org/", 200, r#"{"sky":"clear"}"#);
//! let output = host.call(&plugin(), "forecast", json!({"place": "Paris"})).expect("a forecast");
//! assert_eq!(output.value["sky"], "clear");
//! conformance(&plugin());
//! ```
//!
//! A call goes through the same functions and the same bytes as in a real host; only the library is not a file.
//!
//! Invariants:
//! - No network, no wall clock (unless the test leaves [`TestHost::now`] out) and no files but the ones a test names.
//! - A request that no reply was given for is a failure that names the URL, never a real request.
//! - What the manifest does not declare (hosts, secrets) is refused here as a real host refuses it.
//! - A test never hangs: a call that is not answered within a minute is a `timeout`.

mod conformance;
mod host;
mod replies;
mod run;
mod services;

pub use conformance::{conformance, faults};
pub use host::TestHost;
pub use replies::UrlMatch;
pub use run::Running;
