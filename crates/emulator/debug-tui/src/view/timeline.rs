//! The position of the session in the steps of the launch.

use crate::state::{App, Mark};
use lanework_debug::commands::Console;

/// The timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineView {
    /// The steps of the launch.
    pub steps: u64,
    /// The current step.
    pub step: u64,
    /// The step under the cursor.
    pub aim: Option<u64>,
    /// Stops and findings.
    pub marks: Vec<Mark>,
}

pub(super) fn view(app: &App, console: &Console<'_, '_>) -> TimelineView {
    TimelineView {
        steps: console.session.timeline().steps(),
        step: console.session.step(),
        aim: app.aim,
        marks: app.marks.clone(),
    }
}
