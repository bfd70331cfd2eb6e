//! The state of the interface: what the user has chosen, apart from the session itself.

mod facts;
pub mod keys;
mod launch;
mod moves;
mod prompt;
mod update;

use crate::Translator;
pub use facts::{FindingLine, KeyEffect, Mark, MarkKind, WriterNote};
use lanework_debug::session::stepping::StepUnit;
pub use prompt::Prompt;
use std::collections::HashMap;

/// A pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The source.
    Source,
    /// The variables.
    Variables,
    /// The lanes of a warp.
    Warp,
    /// The elements of an array.
    Memory,
    /// The sanitizer's findings.
    Findings,
    /// Commands and their replies.
    Replies,
    /// The text that the kernel has printed.
    Output,
    /// The steps of the launch.
    Timeline,
}

impl Pane {
    /// The panes, in the order of the keys `1` to `8`.
    pub const ALL: [Pane; 8] = [
        Pane::Source,
        Pane::Variables,
        Pane::Warp,
        Pane::Memory,
        Pane::Findings,
        Pane::Replies,
        Pane::Output,
        Pane::Timeline,
    ];

    /// Its title, in English.
    pub fn title(self) -> &'static str {
        match self {
            Pane::Source => "Source",
            Pane::Variables => "Variables",
            Pane::Warp => "Warp",
            Pane::Memory => "Memory",
            Pane::Findings => "Findings",
            Pane::Replies => "Replies",
            Pane::Output => "Output",
            Pane::Timeline => "Timeline",
        }
    }

    /// Whether the pane is a tab of the lower left area.
    pub fn is_tab(self) -> bool {
        matches!(self, Pane::Memory | Pane::Findings | Pane::Replies | Pane::Output)
    }
}

/// The effect of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMode {
    /// Keys act.
    Keys,
    /// Keys edit a command.
    Prompt(Prompt),
    /// Any key closes the help.
    Help,
}

/// A message in the status row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusText {
    /// The text.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}

/// The values at this stop and at the one before, by name, to mark those that changed.
#[derive(Debug, Default)]
pub struct SeenValues {
    step: Option<u64>,
    now: HashMap<String, String>,
    before: HashMap<String, String>,
}

impl SeenValues {
    /// Begins a frame at a step.
    pub fn begin(&mut self, step: u64) {
        if self.step != Some(step) {
            self.before = std::mem::take(&mut self.now);
            self.step = Some(step);
        }
    }

    /// Notes a value; returns whether it was different at the stop before.
    pub fn changed(&mut self, name: String, value: &str) -> bool {
        let changed = self.before.get(&name).is_some_and(|before| before != value);
        self.now.insert(name, value.to_owned());
        changed
    }
}

/// The state.
#[derive(Debug)]
pub struct App {
    pub(crate) words: Translator,
    pub(crate) color: bool,
    pub(crate) size: (u16, u16),
    pub(crate) pane: Pane,
    pub(crate) tab: Pane,
    pub(crate) mode: KeyMode,
    pub(crate) status: Option<StatusText>,
    pub(crate) unit: StepUnit,
    /// The cursor in the source, by file and line; `None` follows the thread.
    pub(crate) cursor: Option<(String, u32)>,
    /// The file and line that the source pane shows around, from the last frame.
    pub(crate) shown: Option<(String, u32)>,
    /// The first column of the source that is shown.
    pub(crate) shift: usize,
    pub(crate) variable: usize,
    /// The names in the variables pane, from the last frame.
    pub(crate) names: Vec<String>,
    /// The expression of the lanes; `None` chooses a variable.
    pub(crate) lanes: Option<String>,
    /// The array of the memory pane; `None` chooses one.
    pub(crate) memory: Option<String>,
    /// The selected element.
    pub(crate) element: u64,
    /// Elements of the array, and columns and rows of the memory pane, from the last frame.
    pub(crate) elements: u64,
    pub(crate) grid: (u64, u64),
    /// The selected element as an expression, from the last frame.
    pub(crate) selected: Option<String>,
    pub(crate) note: Option<WriterNote>,
    pub(crate) findings: Option<Vec<FindingLine>>,
    pub(crate) finding: usize,
    pub(crate) marks: Vec<Mark>,
    /// The cursor of the timeline.
    pub(crate) aim: Option<u64>,
    pub(crate) replies: Vec<String>,
    /// Lines of the replies below the pane, if the user has scrolled up.
    pub(crate) scroll: usize,
    pub(crate) typed: Vec<String>,
    pub(crate) seen: SeenValues,
}

impl App {
    /// The state at the start. Without colors, only attributes such as bold mark texts.
    pub fn new(words: Translator, color: bool) -> App {
        App {
            words,
            color,
            size: crate::layout::LEAST,
            pane: Pane::Source,
            tab: Pane::Memory,
            mode: KeyMode::Keys,
            status: None,
            unit: StepUnit::Thread,
            cursor: None,
            shown: None,
            shift: 0,
            variable: 0,
            names: Vec::new(),
            lanes: None,
            memory: None,
            element: 0,
            elements: 0,
            grid: (1, 1),
            selected: None,
            note: None,
            findings: None,
            finding: 0,
            marks: Vec::new(),
            aim: None,
            replies: Vec::new(),
            scroll: 0,
            typed: Vec::new(),
            seen: SeenValues::default(),
        }
    }

    /// Sets the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    /// Translates a text.
    pub(crate) fn say(&self, text: &str) -> String {
        (self.words)(text)
    }

    /// Moves the focus to a pane.
    pub(crate) fn focus(&mut self, pane: Pane) {
        self.pane = pane;
        if pane.is_tab() {
            self.tab = pane;
        }
        self.aim = None;
    }

    /// Keeps the lines of a reply.
    pub(crate) fn log(&mut self, text: &str) {
        /// Lines that are kept.
        const MOST: usize = 2000;
        self.replies.extend(text.lines().map(str::to_owned));
        let surplus = self.replies.len().saturating_sub(MOST);
        self.replies.drain(..surplus);
        self.scroll = 0;
    }
}
