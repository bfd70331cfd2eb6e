//! Arithmetic instructions, alone and fused.

mod blackwell;
mod combinations;
mod contraction;
mod differential;
mod fma_sequences;
mod forms;
mod instructions;
