//! Commands that show what warps share: barriers, mbarriers, and matrices in their registers.

use crate::commands::show::NO_STATE;
use crate::commands::{Console, replay_error};
use crate::data::types::NumericValue;
use crate::session::matrices::{RegisterMatrix, element_name};
use lanework_engine::cluster_view::{PendingBarrier, Progress};

/// Maximum number of shown rows and of columns.
const MOST: usize = 64;

impl Console<'_, '_> {
    pub(super) fn barriers(&mut self) -> Result<String, String> {
        let (block, _) = self.session.focus();
        let moment = self.session.moment().ok_or(NO_STATE)?;
        let state =
            moment.block(block).ok_or("the thread's block is not in the stopped cluster")?;
        if state.barriers.is_empty() {
            return Ok("no warp waits at a barrier".to_owned());
        }
        let running =
            state.warps.iter().enumerate().filter(|(_, warp)| warp.progress != Progress::Done);
        let running: Vec<usize> = running.map(|(index, _)| index).collect();
        let line = |barrier: &PendingBarrier| {
            let PendingBarrier { number, warps, arrived, threads } = barrier;
            let expected = threads.map_or(running.len() as u32, |threads| threads / 32);
            let head = format!("barrier {number}: {arrived} of {expected} warps have arrived");
            let others: Vec<usize> =
                running.iter().copied().filter(|warp| !warps.contains(warp)).collect();
            let missing = match threads {
                None => format!("; warps {others:?} have not arrived"),
                // Warps that do not take part never arrive, and some arrive without waiting.
                Some(_) => format!("; warps {others:?} do not wait"),
            };
            format!("{head}; warps {warps:?} wait{missing}")
        };
        Ok(state.barriers.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    pub(super) fn mbarriers(&mut self, rest: &str) -> Result<String, String> {
        if !rest.is_empty() {
            let (offset, state) = self.session.mbarrier(rest)?;
            return Ok(format!("{rest} (shared+{offset}): {state}"));
        }
        let found = self.session.mbarriers().map_err(replay_error)?;
        if found.is_empty() {
            return Ok("no step of this block has initialized an mbarrier so far".to_owned());
        }
        let line = |one: &crate::session::mbarriers::LiveMbarrier| {
            let name = self.shared_name(one.offset);
            let state = match one.state {
                Some(state) => state.to_string(),
                None => "its bits are no longer an mbarrier: it was overwritten".to_owned(),
            };
            let waiting = match one.waiting.is_empty() {
                true => String::new(),
                false => format!("; warps {:?} wait for it", one.waiting),
            };
            format!("{name} (since step {}): {state}{waiting}", one.since)
        };
        Ok(found.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// `name+offset` of a place in shared memory.
    fn shared_name(&self, offset: u64) -> String {
        let variables = self.session.scope().kernel.shared_variables.iter();
        let mut holds =
            variables.filter(|one| offset.wrapping_sub(one.offset.into()) < u64::from(one.bytes));
        match holds.next() {
            Some(one) => {
                let name = lanework_ptx_ir::lower::readable_variable(&one.name);
                format!("{name}+{}", offset - u64::from(one.offset))
            }
            None => format!("shared+{offset}"),
        }
    }

    pub(super) fn matrices(&mut self, rest: &str) -> Result<String, String> {
        let found = self.session.matrices()?;
        let code = &self.session.scope().code;
        let mut text =
            vec![format!("{} at {}", code.name(found.instruction), code.text(found.instruction))];
        if found.instruction != self.session.place().instruction {
            text[0].push_str(", which the thread has not reached");
        }
        let known: Vec<&str> = found.matrices.iter().map(|one| one.name).collect();
        if !rest.is_empty() && !known.contains(&rest) {
            let others = match found.elsewhere.is_empty() {
                true => String::new(),
                false => format!("; {} are in shared memory", found.elsewhere.join(", ")),
            };
            return Err(format!(
                "the instruction has no `{rest}` in registers: give {}{others}",
                known.join(", ")
            ));
        }
        for matrix in found.matrices.iter().filter(|one| rest.is_empty() || one.name == rest) {
            text.push(picture(matrix));
        }
        if rest.is_empty() && !found.elsewhere.is_empty() {
            text.push(format!("in shared memory: {}", found.elsewhere.join(", ")));
        }
        Ok(text.join("\n"))
    }
}

/// A matrix, with aligned columns.
fn picture(matrix: &RegisterMatrix) -> String {
    let RegisterMatrix { name, element, rows, columns, values } = matrix;
    let cell = |value: &Option<NumericValue>| match value {
        None => "?".to_owned(),
        Some(NumericValue::Integer(value)) => value.to_string(),
        Some(NumericValue::Float(value)) if *value == value.trunc() && value.abs() < 1e9 => {
            format!("{value:.0}")
        }
        Some(NumericValue::Float(value)) => format!("{:?}", *value as f32),
    };
    let shown: Vec<Vec<String>> = values
        .chunks((*columns).max(1))
        .take(MOST)
        .map(|row| row.iter().take(MOST).map(cell).collect())
        .collect();
    let width = shown.iter().flatten().map(String::len).max().unwrap_or(1);
    let line = |row: &Vec<String>| -> String {
        row.iter().map(|cell| format!(" {cell:>width$}")).collect()
    };
    let lines: Vec<String> = shown.iter().map(line).collect();
    let cut = match *rows > MOST || *columns > MOST {
        true => format!(", the first {MOST} rows and columns"),
        false => String::new(),
    };
    format!("{name}, {rows}x{columns} {}{cut}:\n{}", element_name(*element), lines.join("\n"))
}
