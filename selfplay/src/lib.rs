//! Self-play workers and game records.
