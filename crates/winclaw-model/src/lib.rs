//! Chat models behind one trait; the only crate that knows a vendor's wire format.
