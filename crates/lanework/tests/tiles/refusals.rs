//! What staging refuses.
