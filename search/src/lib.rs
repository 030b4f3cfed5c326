//! Gumbel tree search over an evaluator.
