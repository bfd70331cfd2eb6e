//! The user's side of a session: lines of text, or the interface on the whole terminal.

use super::console::Conversation;
use crate::args::DebugOptions;
use lanework_debug::commands::Console;
use lanework_debug::launches::LaunchMove;
use lanework_terminal::failure::{Failure, Outcome};
use std::io::IsTerminal;

/// Checks that the terminal can show the interface, if the options ask for it.
///
/// # Errors
/// If this build has no such interface, or there is no terminal.
pub fn check(options: &DebugOptions) -> Outcome {
    if !options.tui {
        return Ok(());
    }
    if !cfg!(feature = "tui") {
        return Err(crate::args::built_without("tui"));
    }
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Failure::input(
            "--tui needs a terminal, but standard input or output is a file or a pipe",
            "remove --tui; without it, commands are read line by line",
        ));
    }
    Ok(())
}

/// A conversation, which may go on in several launches.
pub enum Talk<'s> {
    /// Lines of text.
    Lines(Conversation<'s>),
    /// The whole terminal, from the first launch on.
    #[cfg(feature = "tui")]
    Screen(Option<Box<lanework_debug_tui::screen::Screen>>),
}

impl<'s> Talk<'s> {
    /// The conversation that the options ask for.
    pub fn new(options: &DebugOptions, script: Option<&'s str>, json: bool) -> Talk<'s> {
        #[cfg(feature = "tui")]
        if options.tui {
            return Talk::Screen(None);
        }
        let _ = options;
        Talk::Lines(Conversation::new(script, json))
    }

    /// Debugs one launch, until the end, or until a command leaves the launch; returns where to.
    ///
    /// # Errors
    /// If the input cannot be read, or the output cannot be written.
    pub fn hold(&mut self, console: &mut Console<'_, '_>) -> Result<Option<LaunchMove>, Failure> {
        match self {
            Talk::Lines(lines) => lines.hold(console),
            #[cfg(feature = "tui")]
            Talk::Screen(screen) => {
                if screen.is_none() {
                    *screen = Some(Box::new(open()?));
                }
                let held = screen.as_mut().map(|screen| screen.hold(console));
                Ok(held.transpose()?.flatten())
            }
        }
    }

    /// Ends the conversation.
    ///
    /// # Errors
    /// If commands of a script failed.
    pub fn end(self) -> Outcome {
        match self {
            Talk::Lines(lines) => lines.end(),
            #[cfg(feature = "tui")]
            Talk::Screen(_) => Ok(()),
        }
    }
}

#[cfg(feature = "tui")]
fn open() -> Result<lanework_debug_tui::screen::Screen, Failure> {
    use anstream::{AutoStream, ColorChoice};
    let color = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    let words = |text: &str| lanework_terminal::words::term(text).into_owned();
    Ok(lanework_debug_tui::screen::Screen::open(words, color)?)
}
