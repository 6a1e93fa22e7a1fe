//! One task, turn by turn, in a straight line; owns the order, no policy.
