//! What must hold of a task, with toy tools and scripted or hostile models.

mod adversary;
mod changes;
mod drift;
mod guarded;
mod incident;
mod long;
mod native;
mod paths;
mod replay;
mod resume;
mod room;
mod search;
mod session;
mod stage;
mod stops;
mod task;
mod toys;
mod written;
