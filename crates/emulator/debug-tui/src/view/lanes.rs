//! The lanes of the selected warp, with the value of an expression in each.

use crate::state::App;
use crate::view::texts::short;
use lanework_debug::commands::Console;
use lanework_debug::data::evaluate::ThreadPlace;
use lanework_debug::data::parse::parse;
use lanework_debug::data::types::DataType;
use lanework_debug::session::Session;
use lanework_engine::cluster_view::Progress;

/// A lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneCell {
    /// `#` executing, `.` elsewhere, `-` exited, blank without a thread.
    pub mark: char,
    /// The value.
    pub value: String,
    /// Whether the value was ever written.
    pub is_written: bool,
    /// Whether it was different at the stop before.
    pub has_changed: bool,
    /// Whether the lane is selected.
    pub is_selected: bool,
}

/// The warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarpView {
    /// Its number, and the number of warps of the block.
    pub warp: (u32, u32),
    /// The expression.
    pub expression: String,
    /// Why it does not run, in English; empty if it runs.
    pub progress: &'static str,
    /// The lanes, or none if the warp has no state here.
    pub lanes: Vec<LaneCell>,
    /// The reason why there are no lanes or no values, in English.
    pub why: Option<String>,
}

pub(super) fn view(app: &mut App, console: &mut Console<'_, '_>) -> WarpView {
    let session = &*console.session;
    let (block, thread) = session.focus();
    let threads: u32 = session.scope().block.iter().product();
    let expression = app.lanes.clone().unwrap_or_else(|| default_expression(session));
    let mut view = WarpView {
        warp: (thread / 32, threads.div_ceil(32)),
        expression: expression.clone(),
        ..WarpView::default()
    };
    let Some(moment) = session.moment() else {
        view.why = Some("the launch has ended; C goes back".to_owned());
        return view;
    };
    let Some(warp) = moment.block(block).and_then(|block| block.warp_of(thread)) else {
        view.why = Some("the block does not run at this step".to_owned());
        return view;
    };
    view.progress = match warp.progress {
        Progress::Ready => "",
        Progress::Polling => "polls",
        Progress::Blocked => "at a barrier",
        Progress::Done => "ended",
    };
    let parsed = parse(&expression);
    if let Err(why) = &parsed {
        view.why = Some(why.clone());
    }
    let first = thread / 32 * 32;
    for lane in 0..32 {
        let mut cell = LaneCell {
            mark: ' ',
            value: String::new(),
            is_written: true,
            has_changed: false,
            is_selected: first + lane == thread,
        };
        if let Some(at) = warp.lane(lane) {
            cell.mark = if at.executing { '#' } else { '.' };
            let place = ThreadPlace { block, thread: first + lane, instruction: at.instruction };
            let value = parsed.as_ref().map_err(String::clone);
            let value = value.and_then(|of| session.evaluate_for(of, place));
            match value {
                Ok(value) => (cell.value, cell.is_written) = short(&value),
                Err(why) => view.why = view.why.or(Some(why)),
            }
            let name = format!("{block}.{} = {expression}", first + lane);
            cell.has_changed = app.seen.changed(name, &cell.value);
        } else if first + lane < threads {
            cell.mark = '-';
        }
        view.lanes.push(cell);
    }
    view
}

/// The first variable that is a number; else the index of the thread.
fn default_expression(session: &Session<'_>) -> String {
    let locals = session.scope().locals(session.place().instruction);
    let is_number = |ty: &DataType| {
        matches!(ty, DataType::Integer { .. } | DataType::Float(_) | DataType::Bool)
    };
    let found = locals.iter().find(|of| is_number(&of.ty));
    found.map_or("threadIdx.x".to_owned(), |of| of.name.clone())
}
