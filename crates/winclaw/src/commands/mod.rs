//! One module a command.

pub mod chat;
pub mod config;
pub mod consent;
pub mod demo;
pub mod doctor;
pub mod eval;
pub mod explain;
pub mod figures;
pub mod plugin;
pub mod run;
pub mod session;
pub mod tool;
pub mod trace;
