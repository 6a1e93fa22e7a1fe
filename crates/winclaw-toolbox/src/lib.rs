//! Runs a call by id with deadline, cancellation and progress; defines Backend.
