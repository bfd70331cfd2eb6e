//! Moves of the selection in each pane.

use crate::state::facts::KeyEffect;
use crate::state::{App, Pane};
use lanework_debug::commands::Console;

/// A place moved by some places, and kept below a count.
fn moved(place: u64, by: i64, count: u64) -> u64 {
    place.saturating_add_signed(by).min(count.saturating_sub(1))
}

impl App {
    pub(super) fn move_by(&mut self, x: i64, y: i64, console: &mut Console<'_, '_>) {
        match self.pane {
            Pane::Source => {
                /// Columns by which a key moves the text.
                const COLUMNS: i64 = 8;
                self.shift = moved(self.shift as u64, COLUMNS * x, 1 << 10) as usize;
                if y != 0 {
                    self.move_cursor(y, console);
                }
            }
            Pane::Variables => {
                self.variable = moved(self.variable as u64, y, self.names.len() as u64) as usize;
            }
            Pane::Warp => self.select_lane(x + 4 * y, console),
            Pane::Memory => {
                let by = x.saturating_add(y.saturating_mul(self.grid.0 as i64));
                let to = self.element.checked_add_signed(by);
                // A row that does not exist is not the first or last element.
                if let Some(to) = to.filter(|to| *to < self.elements) {
                    self.element = to;
                }
            }
            Pane::Findings => {
                let count = self.findings.as_ref().map_or(0, Vec::len) as u64;
                self.finding = moved(self.finding as u64, y, count) as usize;
            }
            Pane::Replies => {
                self.scroll = moved(self.scroll as u64, -y, self.replies.len() as u64) as usize;
            }
            Pane::Output => {}
            Pane::Timeline => self.move_aim(x - y, console),
        }
    }

    /// Moves the cursor of the timeline by columns.
    fn move_aim(&mut self, columns: i64, console: &Console<'_, '_>) {
        let steps = console.session.timeline().steps();
        let column = (steps / u64::from(self.size.0.max(1))).max(1) as i64;
        let from = self.aim.unwrap_or(console.session.step());
        self.aim = Some(moved(from, columns.saturating_mul(column), steps + 1));
    }

    /// Moves the cursor of the source by lines.
    fn move_cursor(&mut self, lines: i64, console: &mut Console<'_, '_>) {
        let Some((file, line)) = self.cursor.clone().or_else(|| self.shown.clone()) else { return };
        let count = console.source_text(&file).map_or(0, <[String]>::len) as u64;
        let line = moved(u64::from(line).saturating_sub(1), lines, count) + 1;
        self.cursor = Some((file, line as u32));
    }

    pub(super) fn page(&mut self, pages: i64, console: &mut Console<'_, '_>) {
        let rows = match self.pane {
            Pane::Memory => self.grid.1 as i64,
            _ => 8,
        };
        match self.pane {
            Pane::Warp => self.select_warp(pages > 0, console),
            Pane::Timeline => self.move_aim(10 * pages, console),
            _ => self.move_by(0, pages * rows, console),
        }
    }

    pub(super) fn edge(&mut self, last: bool, console: &mut Console<'_, '_>) {
        let most = if last { i64::from(u32::MAX) } else { -i64::from(u32::MAX) };
        match self.pane {
            Pane::Memory => self.element = if last { self.elements.saturating_sub(1) } else { 0 },
            Pane::Timeline => {
                self.aim = Some(if last { console.session.timeline().steps() } else { 0 });
            }
            Pane::Warp => {
                let (_, thread) = console.session.focus();
                let lane = i64::from(thread % 32);
                self.select_lane(if last { 31 - lane } else { -lane }, console);
            }
            _ => self.move_by(0, most, console),
        }
    }

    /// Selects another lane of the warp.
    fn select_lane(&mut self, by: i64, console: &mut Console<'_, '_>) {
        let (block, thread) = console.session.focus();
        let lane = i64::from(thread % 32) + by;
        let threads: u32 = console.session.scope().block.iter().product();
        let to = i64::from(thread / 32 * 32) + lane;
        if (0..32).contains(&lane) && to < i64::from(threads) {
            self.select(block, to as u32, console);
        }
    }

    /// Selects the same lane of another warp; if that warp has none, its first one.
    pub(super) fn select_warp(&mut self, forward: bool, console: &mut Console<'_, '_>) {
        let (block, thread) = console.session.focus();
        let threads: u32 = console.session.scope().block.iter().product();
        let to = if forward { thread.checked_add(32) } else { thread.checked_sub(32) };
        match to {
            Some(to) if to < threads => self.select(block, to, console),
            Some(to) if forward && to / 32 * 32 < threads => {
                self.select(block, to / 32 * 32, console);
            }
            _ => self.fail("the block has no warp in this direction"),
        }
    }

    pub(super) fn select_block(&mut self, forward: bool, console: &mut Console<'_, '_>) {
        let (block, thread) = console.session.focus();
        let blocks = console.session.scope().grid.iter().map(|extent| u64::from(*extent)).product();
        let to = if forward { block.checked_add(1) } else { block.checked_sub(1) };
        match to.filter(|to| *to < blocks) {
            Some(to) => self.select(to, thread, console),
            None => self.fail("the grid has no block in this direction"),
        }
    }

    fn select(&mut self, block: u64, thread: u32, console: &mut Console<'_, '_>) {
        if let Err(why) = console.session.select(block, thread) {
            self.fail(&why);
        }
        self.cursor = None;
    }

    /// Acts on the selection of the pane.
    pub(super) fn enter(&mut self, console: &mut Console<'_, '_>) -> KeyEffect {
        match self.pane {
            Pane::Findings => {
                let count = self.findings.as_ref().map_or(0, Vec::len);
                if self.finding < count {
                    let command = format!("finding {}", self.finding + 1);
                    return self.run(&command, false, console);
                }
                self.fail("no finding is selected; f checks the launch");
            }
            Pane::Timeline => {
                if let Some(step) = self.aim {
                    return self.run(&format!("goto {step}"), false, console);
                }
            }
            Pane::Variables => {
                let Some(name) = self.names.get(self.variable).cloned() else {
                    return KeyEffect::Stay;
                };
                let value = console.session.evaluate(&name);
                match value.is_ok_and(|value| crate::elements::has_elements(&value.ty)) {
                    true => self.choose_memory(name),
                    false => self.lanes = Some(name),
                }
            }
            Pane::Source => self.cursor = None,
            Pane::Memory | Pane::Warp | Pane::Replies | Pane::Output => {}
        }
        KeyEffect::Stay
    }
}
