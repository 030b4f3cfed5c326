//! Levels, sessions and line protocols.
