//! The promises of docs/exposure.md: invariants against hostile evidence, catalogs and models, and tables of cases.

mod background;
mod bad_input;
mod calibration;
mod changes;
mod epochs;
mod guidance;
mod hostile;
mod meta;
mod model;
mod names;
mod native;
mod promises;
mod reach;
mod signals;
mod sketch;
mod support;
mod surface;
mod task;
mod toy;
mod widening;
