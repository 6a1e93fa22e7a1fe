//! One module a command.

pub mod demo;
pub mod doctor;
pub mod eval;
pub mod explain;
pub mod figures;
pub mod plugin;
pub mod run;
pub mod tool;
pub mod trace;
