//! The promises of docs/exposure.md: invariants against hostile evidence, catalogs and models, and tables of cases.

mod meta;
mod model;
mod reach;
mod signals;
mod support;
mod surface;
mod task;
mod toy;
mod widening;
