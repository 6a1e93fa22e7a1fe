//! Evidence for how well each tool fits a request; never a verdict.
