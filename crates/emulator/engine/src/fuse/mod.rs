//! Superinstructions: sequences so common that one handler runs them all.
//!
//! A fused handler overlays the first operation of its sequence and leaves the others in place, so
//! branch targets stay valid, and a fused handler that meets an uncommon case falls back to the first
//! operation alone.

pub mod fma;
pub mod fusion;
pub mod overlay;
pub mod pair;
