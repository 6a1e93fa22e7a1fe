//! Reading anybody's tools and requests, and measuring on them.
#![allow(missing_docs, reason = "a test exports nothing")]

mod hosts;
mod model;
mod numbers;
mod readers;
mod support;
