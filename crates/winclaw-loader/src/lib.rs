//! A folder of plugin packages becomes a backend plus a list of problems.
