//! The keys and their actions.

use crate::state::{App, Pane};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The action of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Executes a command that moves or selects.
    Run(String),
    /// Steps forward or, with `r` before the command's name, backward, by the chosen unit.
    Step(&'static str),
    /// Opens the prompt with a text.
    Prompt(String),
    /// Moves the focus.
    Focus(Pane),
    /// Moves the focus to the next pane, or the previous one.
    NextPane(bool),
    /// Moves the selection of the pane by columns and rows.
    Move(i64, i64),
    /// Moves it by pages.
    Page(i64),
    /// Moves it to the first or the last place.
    Edge(bool),
    /// Acts on the selection.
    Enter,
    /// The other access of a finding's race.
    Other,
    /// Sets or removes a breakpoint at the line of the cursor.
    ToggleBreakpoint,
    /// Opens the prompt for a breakpoint with a condition at the line of the cursor.
    Condition,
    /// The next unit of steps: thread, warp, block.
    Unit,
    /// The last write or, if true, the last read of the selected element or variable.
    Who(bool),
    /// Goes to the step that the last such answer names.
    GoToWriter,
    /// Opens the prompt for the array of the memory pane.
    ChooseMemory,
    /// Opens the prompt for the values of the lanes.
    ChooseLanes,
    /// Checks the launch and shows the findings.
    Findings,
    /// Goes to the next or the previous mark of the timeline.
    Mark(bool),
    /// Selects the next or the previous warp.
    Warp(bool),
    /// Selects the next or the previous block.
    Block(bool),
    /// Shows the help.
    Help,
    /// Ends the session.
    Quit,
    /// Nothing.
    Ignored,
}

/// The action of a key while no prompt is open.
pub fn action(app: &App, key: KeyEvent) -> Action {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Action::Quit,
            KeyCode::Char('f') => Action::Page(1),
            KeyCode::Char('b') => Action::Page(-1),
            _ => Action::Ignored,
        };
    }
    let run = |command: &str| Action::Run(command.to_owned());
    match key.code {
        KeyCode::Char(letter) => match letter {
            's' => Action::Step("step"),
            'S' => Action::Step("rstep"),
            'n' => Action::Step("next"),
            'N' => Action::Step("rnext"),
            'o' => Action::Step("finish"),
            'O' => Action::Step("rfinish"),
            'i' => Action::Step("stepi"),
            'I' => Action::Step("rstepi"),
            'c' => run("continue"),
            'C' => run("rcontinue"),
            '<' => run("goto start"),
            '>' => run("goto end"),
            'u' => Action::Unit,
            'b' => Action::ToggleBreakpoint,
            'B' => Action::Condition,
            'w' => Action::Who(false),
            'r' => Action::Who(true),
            'g' => Action::GoToWriter,
            'm' => Action::ChooseMemory,
            'v' => Action::ChooseLanes,
            'f' => Action::Findings,
            'x' => Action::Other,
            ',' => Action::Mark(false),
            '.' => Action::Mark(true),
            '[' => Action::Warp(false),
            ']' => Action::Warp(true),
            '{' => Action::Block(false),
            '}' => Action::Block(true),
            ':' => Action::Prompt(String::new()),
            '?' | 'h' => Action::Help,
            'q' => Action::Quit,
            'k' => Action::Move(0, -1),
            'j' => Action::Move(0, 1),
            '1'..='8' => {
                let index = letter as usize - '1' as usize;
                Pane::ALL.get(index).map_or(Action::Ignored, |pane| Action::Focus(*pane))
            }
            _ => Action::Ignored,
        },
        KeyCode::Tab => Action::NextPane(true),
        KeyCode::BackTab => Action::NextPane(false),
        KeyCode::Up => Action::Move(0, -1),
        KeyCode::Down => Action::Move(0, 1),
        KeyCode::Left => Action::Move(-1, 0),
        KeyCode::Right => Action::Move(1, 0),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::PageDown => Action::Page(1),
        KeyCode::Home => Action::Edge(false),
        KeyCode::End => Action::Edge(true),
        KeyCode::Enter => Action::Enter,
        // Escape leaves the cursors of the source and of the timeline.
        KeyCode::Esc if app.pane == Pane::Timeline && app.aim.is_some() => {
            Action::Focus(Pane::Timeline)
        }
        _ => Action::Ignored,
    }
}

/// The lines of the help: keys, and their action in English. An empty key is a heading.
pub const HELP: &[(&str, &str)] = &[
    ("", "Move forward; the capital letter moves backward"),
    ("s n o i", "step, over calls, to the caller, one instruction"),
    ("c < >", "to the next stop, the start, the end"),
    (", .", "to the previous mark, the next mark"),
    ("u", "steps of the thread, the warp, the block"),
    ("", "Stop"),
    ("b B", "breakpoint at the cursor, with a condition"),
    ("f", "find races and bad accesses; Enter goes to one"),
    ("x", "the other access of a race"),
    ("", "Look"),
    ("1..8 Tab", "choose a pane; arrows select in it"),
    ("[ ] { }", "previous and next warp, block"),
    ("v m", "value of each lane, array in memory"),
    ("w r", "who wrote, who read the selected element"),
    ("g", "go to that write or read"),
    ("Enter", "show a variable in the lanes or in memory"),
    ("", "More"),
    (":", "any command; `:help` lists them"),
    ("Esc", "interrupt a command that takes long"),
    ("q", "quit"),
];
