//! What must hold of a task, with toy tools and scripted or hostile models.

mod adversary;
mod changes;
mod drift;
mod long;
mod native;
mod paths;
mod replay;
mod room;
mod search;
mod session;
mod stage;
mod task;
mod toys;
