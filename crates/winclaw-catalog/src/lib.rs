//! Every known tool in one immutable snapshot.
