//! Draws whole screens of the debugger after scripted keys.

mod common;
mod pictures;
mod random;
mod screens;
mod slow;
mod terminal;
