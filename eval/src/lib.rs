//! Arena, gate, ladder and ratings.
