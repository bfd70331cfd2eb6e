//! The terminal interface of the debugger: source, lanes of a warp, variables, memory, findings and the timeline of a
//! launch on one screen.
//!
//! - [`state`] holds the choices of the user (pane, selected element, prompt), and changes them by keys.
//! - [`layout`] places the panes.
//! - [`view`] reads the session: everything that one frame shows, as plain data.
//! - [`draw`] draws a view. It sees neither the session nor the terminal, so tests compare whole screens.
//! - [`screen`] owns the terminal: reads keys, draws, follows slow commands, and restores the terminal at the end.
//! - [`picture`] turns a drawn screen into SVG, for the documentation.
//!
//! A key acts by a command of the prompt wherever there is one, so both have the same effects and errors.

pub mod draw;
mod elements;
pub mod layout;
pub mod picture;
pub mod screen;
pub mod state;
pub mod view;

/// Translates a text of the interface to the user's language.
pub type Translator = fn(&str) -> String;
