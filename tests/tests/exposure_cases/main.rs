//! Faults that people who run agents with many tools have reported, each as a test of its kind: d01 to d22. The tools are
//! invented; ranking, exposure, guard, toolbox and the agent are the real ones, and every request a model gets is held to
//! the rules of chat completions.
//!
//! Most cases have a control beside them: the same play with one thing different, which ends differently. It shows that
//! the case can fail.

mod calling;
mod changing;
mod choosing;
mod finding;
mod repeating;
mod stage;
