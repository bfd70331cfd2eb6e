//! The launches of a program: their list, the way from one to another, and the breakpoints that apply to all of them.

/// A launch in the list of a program's launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSummary {
    /// The kernel, by its name in PTX.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Why it cannot be debugged; empty if it can.
    pub refused: String,
}

/// The way to another launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchMove {
    /// To the start of this launch, counted from 0.
    To(usize),
    /// To the next stop in a later launch.
    Forward,
    /// To the previous stop in an earlier launch.
    Backward,
}

/// A program's launches, and the breakpoints that apply to each of them.
#[derive(Clone, Debug, Default)]
pub struct ProgramState {
    /// The launches, in order.
    pub launches: Vec<LaunchSummary>,
    /// The current one.
    pub current: usize,
    /// The breakpoints, as the user wrote them.
    pub(crate) breakpoints: Vec<String>,
    /// The error of the condition of the breakpoint at which the session arrived.
    pub(crate) error: Option<String>,
}

impl ProgramState {
    /// The program's launches; the first one that can be debugged is the current one.
    pub fn new(launches: Vec<LaunchSummary>) -> ProgramState {
        let current = launches.iter().position(|launch| launch.refused.is_empty()).unwrap_or(0);
        ProgramState { launches, current, ..ProgramState::default() }
    }

    /// The launch to open for a move; `None` if there is none in this direction.
    pub fn target(&self, to: LaunchMove) -> Option<usize> {
        let ready = |index: &usize| {
            self.launches.get(*index).is_some_and(|launch| launch.refused.is_empty())
        };
        match to {
            LaunchMove::To(index) => Some(index).filter(ready),
            LaunchMove::Forward => (self.current + 1..self.launches.len()).find(ready),
            LaunchMove::Backward => (0..self.current).rev().find(ready),
        }
    }
}
