//! Data for the page's pictures: the accesses of one warp at a line, and the steps of a block.

use crate::compiled::NAME;
use crate::request::LookRequest;
use crate::watch::launching::Launching;
use crate::watch::registers::{WarpRegisters, recorded};
use lanework_emulator::sanitize::readable_name;
use lanework_emulator::{Blocks, Keep, Place, Space, TraceConfig, TracedAccess};
use lanework_report::pictures::{
    bank_rows, bank_wavefronts, caption, cost, first_of_each, grouped, sector_lines,
};
use lanework_report::{Machine, choose};
use serde_json::{Value, json};

/// Maximum number of recorded steps, and of recorded accesses, of a block.
const STEPS: usize = 1 << 18;

/// Maximum number of steps in an answer.
const SENT: usize = 40_000;

/// Maximum number of lines or rows of memory in a picture.
const ROWS: usize = 64;

/// The accesses and steps of a block of a launch.
pub struct BlockPicture {
    kernel: String,
    line: u32,
    block: u64,
    warp: u32,
    touches: Vec<TracedAccess>,
    /// The executed instructions with their active lanes.
    steps: Vec<(Place, u32)>,
    /// Text and line of each instruction of the kernel.
    instructions: Vec<(String, u32)>,
    registers: Option<WarpRegisters>,
    /// Address, bytes and name of each allocation.
    allocations: Vec<(u64, u64, String)>,
    more: usize,
}

/// Traces the block that the user selected.
///
/// # Errors
/// The reason and the remedy, if there is no data to show.
pub fn shown(
    launching: &Launching<'_>,
    look: &LookRequest,
    machine: &Machine,
) -> Result<BlockPicture, (String, String)> {
    let blocks: u64 = launching.config.grid.iter().map(|&extent| u64::from(extent)).product();
    if look.block >= blocks {
        let why = format!("there is no block {}", look.block);
        return Err((why, format!("the grid has blocks 0 to {}", blocks.saturating_sub(1))));
    }
    let threads: u32 = launching.config.block.iter().product();
    if look.warp >= threads.div_ceil(32) {
        let why = format!("there is no warp {}", look.warp);
        return Err((why, format!("the block has warps 0 to {}", threads.div_ceil(32) - 1)));
    }
    let failed = |fault: lanework_emulator::Fault| (fault.message, fault.help);
    let profile = launching.profile(machine).map_err(failed)?;
    let chosen = choose(&profile, look.line).ok();
    let instructions = chosen.as_ref().map_or(Vec::new(), |chosen| chosen.instructions.clone());
    let wanted = TraceConfig {
        steps: true,
        accesses: Keep::Of(instructions),
        most: STEPS,
        only: Some(look.block..look.block + 1),
    };
    let which = match launching.waits() {
        true => Blocks::All,
        false => Blocks::Range { first: look.block, count: 1 },
    };
    let trace = launching.trace(which, wanted).map_err(failed)?;
    let registers = recorded(launching, which, (look.block, look.warp)).map_err(failed)?;
    let origins = launching.program.origins(launching.config.entry);
    let line = |origin: &lanework_emulator::Origin| {
        let places = origin.location.iter().chain(origin.callers.iter());
        places.filter(|at| at.file == NAME).map(|at| at.line).next().unwrap_or(0)
    };
    // The instruction in the PTX text, with its operands.
    let lines: Vec<&str> = launching.ptx.lines().collect();
    let text = |origin: &lanework_emulator::Origin| {
        let line = (origin.text_line as usize).checked_sub(1).and_then(|at| lines.get(at));
        let line = line.map(|line| line.trim().trim_end_matches(';'));
        line.filter(|line| line.contains(origin.name.as_str())).unwrap_or(&origin.name).to_owned()
    };
    let memory = launching.emulator.memory();
    let allocations = memory.live().map(|(at, found)| (at, found.bytes, found.name.clone()));
    let mut steps = trace.steps;
    let more = steps.len().saturating_sub(SENT);
    steps.truncate(SENT);
    Ok(BlockPicture {
        kernel: launching.config.entry.to_owned(),
        line: chosen.map_or(0, |chosen| chosen.line),
        block: look.block,
        warp: look.warp,
        touches: first_of_each(&trace.touches, look.warp),
        steps,
        instructions: origins.iter().map(|origin| (text(origin), line(origin))).collect(),
        registers,
        allocations: allocations.collect(),
        more,
    })
}

impl BlockPicture {
    /// As JSON. One array has all steps, each as three numbers: warp, instruction and active lanes.
    pub fn json(&self) -> Value {
        let accesses = grouped(&self.touches).into_iter();
        let accesses = accesses.map(|(touch, count)| self.access_json(touch, count));
        let steps =
            self.steps.iter().flat_map(|(place, mask)| [place.warp, place.instruction, *mask]);
        let names: Vec<&str> = self.instructions.iter().map(|(name, _)| name.as_str()).collect();
        let lines: Vec<u32> = self.instructions.iter().map(|(_, line)| *line).collect();
        json!({
            "kernel": readable_name(&self.kernel),
            "line": self.line,
            "block": self.block,
            "warp": self.warp,
            "accesses": accesses.collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<u32>>(),
            "omitted_steps": self.more,
            "registers": self.registers.as_ref().map(WarpRegisters::json),
            "instructions": { "names": names, "lines": lines },
        })
    }

    fn access_json(&self, touch: &TracedAccess, count: usize) -> Value {
        let cost = cost(touch);
        let (space, kind) = (touch.space.name(), touch.kind.name());
        // Offsets from the allocation, or from the lowest address: JavaScript represents such numbers exactly.
        let active = || (0..32).filter(|lane| touch.mask >> lane & 1 != 0);
        let lowest = active().map(|lane| touch.addresses[lane]).min().unwrap_or(0);
        let inside = self.allocations.iter().filter(|_| touch.space == Space::Global);
        let allocation = inside
            .filter(|(at, bytes, _)| lowest.wrapping_sub(*at) < *bytes)
            .map(|(at, _, name)| (*at, name.as_str()))
            .next();
        let (base, name) =
            allocation.unwrap_or((if touch.space == Space::Shared { 0 } else { lowest }, ""));
        let offsets: Vec<Option<i64>> = (0..32)
            .map(|lane| {
                let is_active = touch.mask >> lane & 1 != 0;
                is_active.then(|| touch.addresses[lane].wrapping_sub(base) as i64)
            })
            .collect();
        let picture = match touch.space {
            Space::Shared => {
                let rows = bank_rows(touch);
                let shown = rows
                    .iter()
                    .take(ROWS)
                    .map(|(row, banks)| json!({ "row": row, "banks": banks }));
                json!({
                    "rows": shown.collect::<Vec<_>>(),
                    "more": rows.len().saturating_sub(ROWS),
                    "wavefronts": bank_wavefronts(touch),
                })
            }
            Space::Local => Value::Null,
            Space::Global | Space::Constant => {
                let lines = sector_lines(touch);
                let shown = lines.iter().take(ROWS).map(|(line, sectors)| {
                    let sectors = sectors
                        .iter()
                        .map(|sector| json!({ "lanes": sector.lanes, "bytes": sector.bytes }));
                    json!({
                        "offset": (line * 128).wrapping_sub(base) as i64,
                        "sectors": sectors.collect::<Vec<_>>(),
                    })
                });
                json!({
                    "lines": shown.collect::<Vec<_>>(),
                    "more": lines.len().saturating_sub(ROWS),
                })
            }
        };
        let origin = self.instructions.get(touch.place.instruction as usize);
        json!({
            "caption": caption(touch),
            "space": space,
            "kind": kind,
            "bytes": touch.bytes,
            "mask": touch.mask,
            "allocation": name,
            "offsets": offsets,
            "count": cost.count,
            "best": cost.best,
            "cost": cost.text,
            "optimal": cost.optimal,
            "repeated": count,
            "instruction": origin.map(|(name, _)| name.as_str()),
            "picture": picture,
        })
    }
}
