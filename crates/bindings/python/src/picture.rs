//! Drawings of a warp's accesses at the most expensive lines, and remarks on element sizes.

use crate::memory::{Array, Copies, Regions};
use lanework_report::ProfileRecord;
use lanework_runtime::emulator::{Blocks, Keep, Space, TraceConfig, TracedAccess};
use lanework_runtime::report::pictures::{Picture, svg};
use lanework_runtime::report::{Sources, choose, first_of_each};
use lanework_runtime::{PtxArg, PtxModule, PtxShape, Result};

/// Lines that are drawn.
const DRAWN: usize = 4;
/// Records of a trace that are kept.
const MOST: usize = 1 << 18;

/// The trace of the first block.
#[derive(Default)]
pub struct Drawings {
    pub drawings: Vec<String>,
    pub notes: Vec<String>,
}

/// Traces the first block on arrays as they were before the launch.
///
/// # Errors
/// If the launch fails.
pub fn draw(
    module: &PtxModule,
    entry: &str,
    shape: PtxShape,
    arguments: &[PtxArg<'_>],
    record: &ProfileRecord,
    memory: (&Regions, &Copies, &[&Array]),
    text: &str,
) -> Result<Drawings> {
    let mut lines: Vec<_> = record.lines.iter().collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let choices = lines.iter().filter_map(|line| choose(record, Some(line.line)).ok());
    let mut choices: Vec<_> = choices.collect();
    choices.dedup();
    choices.truncate(DRAWN);
    let instructions: Vec<u32> =
        choices.iter().flat_map(|choice| choice.instructions.clone()).collect();
    let wanted =
        TraceConfig { steps: true, accesses: Keep::Of(instructions), most: MOST, only: Some(0..1) };
    let blocks = match shape.cooperative || module.blocks_may_wait(entry) {
        true => Blocks::All,
        false => Blocks::Range { first: 0, count: 1 },
    };
    let trace = module.trace(entry, shape, arguments, blocks, wanted)?;
    let touches = first_of_each(&trace.touches, 0);
    let sources = Sources::default();
    sources.insert_ptx(text);
    let mut seen = Drawings { notes: sizes(&touches, memory), ..Drawings::default() };
    for choice in choices {
        let of_line =
            |touch: &&TracedAccess| choice.instructions.contains(&touch.place.instruction);
        let touches: Vec<TracedAccess> = touches.iter().filter(of_line).cloned().collect();
        if touches.is_empty() {
            continue;
        }
        let place = match choice.file.as_deref() {
            Some(file) => format!("{file}:{}", choice.line),
            None => format!("PTX line {}", choice.line),
        };
        let source = sources.line(choice.file.as_deref(), choice.line);
        seen.drawings.push(svg(&Picture {
            title: format!("{entry}, block 0, warp 0"),
            code: format!("{place}  {source}"),
            touches,
            warp: 0,
            instructions: choice.instructions,
            steps: trace.steps.clone(),
        }));
    }
    Ok(seen)
}

/// Arrays whose elements are wider than the kernel's accesses: often the wrong element type.
fn sizes(
    touches: &[TracedAccess],
    (regions, copies, arrays): (&Regions, &Copies, &[&Array]),
) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for touch in touches.iter().filter(|touch| touch.space == Space::Global && touch.mask != 0) {
        let address = touch.addresses[touch.mask.trailing_zeros() as usize];
        let Some(index) = regions.array_at(copies, arrays, address) else { continue };
        let array = arrays[index];
        if array.item > 1 && array.item <= 16 && (touch.bytes as usize) < array.item {
            let note = format!(
                "{} has elements of {} bytes, and the kernel accesses {} bytes of it at a time: is its dtype the kernel's?",
                array.name, array.item, touch.bytes
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
