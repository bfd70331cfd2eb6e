//! Pictures of a warp's accesses: the sectors and banks of the rungs of `transpose`, traced on the emulator, and of
//! constructed accesses, counted by the same rules.

use crate::book::words::PictureWords;
use lanework::emulator::{AccessKind, Blocks, Keep, Place, Space, TraceConfig, TracedAccess};
use lanework::report::first_of_each;
use lanework::report::pictures::drawing::{Anchor, BAD, Drawing, FAINT, GOOD};
use lanework::report::pictures::{Cost, bank_rows, cost, grid, sector_lines};
use lanework::{Backend, Device, Job, Result};
use lanework_lab::{Request, Subject, family};
use lanework_ladders::Language;

/// The ladder whose rungs are drawn.
pub const TRACED: &str = "transpose";

/// Width of a picture, and rows of a grid that are drawn.
const WIDTH: f64 = 760.0;
const ROWS: usize = 5;

/// The first access of each kind by warp 0 of block 0, for each rung of `transpose`.
///
/// # Errors
/// If a rung does not run.
pub fn traced() -> Result<Vec<(&'static str, Vec<TracedAccess>)>> {
    let device = Device::emulator();
    let Some(family) = family(TRACED) else { return Ok(Vec::new()) };
    let case = family.case(&Request::new(Backend::Emulator))?;
    let mut found = Vec::new();
    for info in (family.ladder)().rungs {
        if case.skips(info.name, &device).is_some() {
            continue;
        }
        let mut trial = case.trial(info.name, &device)?;
        let Job::Kernel(mut kernel) = trial.job()? else { continue };
        let wanted =
            TraceConfig { steps: false, accesses: Keep::First, most: 1 << 12, only: Some(0..1) };
        let trace = Subject::trace(&mut kernel, Blocks::Range { first: 0, count: 1 }, wanted)?;
        let mut touches: Vec<TracedAccess> = Vec::new();
        for touch in first_of_each(&trace.touches, 0) {
            let known = |seen: &TracedAccess| (seen.space, seen.kind) == (touch.space, touch.kind);
            let memory = matches!(touch.space, Space::Global | Space::Shared);
            if memory && !touches.iter().any(known) {
                touches.push(touch);
            }
        }
        found.push((info.name, touches));
    }
    Ok(found)
}

/// An access with its cost in words and its grid; returns the position of the next one.
fn panel(
    drawing: &mut Drawing,
    y: f64,
    what: &str,
    touch: &TracedAccess,
    words: PictureWords,
) -> f64 {
    let Cost { count, best, .. } = cost(touch);
    let unit = match touch.space {
        Space::Shared => words.of("wavefronts", "个 wavefront"),
        _ => words.of("sectors", "个扇区"),
    };
    let unit = if count == 1 { unit.trim_end_matches('s') } else { unit };
    let optimal = match (count == best, words.0) {
        (true, Language::English) => "optimal".to_owned(),
        (true, _) => "理想".to_owned(),
        (false, Language::English) => format!("optimal: {best}"),
        (false, _) => format!("理想值：{best}"),
    };
    drawing.title((16.0, y + 16.0), what);
    let fill = if count == best { GOOD } else { BAD };
    let said = match words.0 {
        Language::English => format!("{count} {unit} ({optimal})"),
        _ => format!("{count} {unit}（{optimal}）"),
    };
    drawing.text((WIDTH - 16.0, y + 16.0), 13, Anchor::End, fill, &said);
    let rows = match touch.space {
        Space::Shared => bank_rows(touch).len(),
        _ => sector_lines(touch).len(),
    };
    let mut below = y + 26.0;
    if let Some(svg) = grid(touch, ROWS) {
        below += drawing.nested((0.0, below), WIDTH, &svg);
    }
    if rows > ROWS {
        let more = rows - ROWS;
        let said = match words.0 {
            Language::English => format!("and {more} more rows of 128 bytes"),
            _ => format!("还有 {more} 行，每行 128 字节"),
        };
        drawing.text((104.0, below + 12.0), 11, Anchor::Start, FAINT, &said);
        below += 18.0;
    }
    below + 10.0
}

fn keys(drawing: &mut Drawing, y: f64, words: PictureWords) -> f64 {
    let said = words.of(
        "Numbers are lanes; a row is 128 bytes. Blue: bytes that lanes use. Pink: fetched but unused. Green: one wavefront. Red: a bank conflict.",
        "数字是 lane；一行 128 字节。蓝：lane 使用的字节。粉：取回但未使用。绿：一个 wavefront。红：bank 冲突。",
    );
    drawing.note((16.0, y + 12.0), said)
}

/// The accesses of a warp of the rung.
pub fn rung(name: &str, touches: &[TracedAccess], words: PictureWords) -> String {
    let mut drawing = Drawing::new(WIDTH);
    let title = match words.0 {
        Language::English => format!("transpose/{name}: what warp 0 of block 0 accesses"),
        _ => format!("transpose/{name}：线程块 0 中 warp 0 的访问"),
    };
    drawing.title((16.0, 24.0), &title);
    let mut y = 38.0;
    for touch in touches {
        let what = match (touch.space, touch.kind) {
            (Space::Global, AccessKind::Load) => words.of("global load", "读全局内存"),
            (Space::Global, _) => words.of("global store", "写全局内存"),
            (_, AccessKind::Load) => words.of("shared load", "读共享内存"),
            _ => words.of("shared store", "写共享内存"),
        };
        let bytes = match words.0 {
            Language::English => format!("{what}, {} bytes per lane", touch.bytes),
            _ => format!("{what}，每个 lane {} 字节", touch.bytes),
        };
        y = panel(&mut drawing, y, &bytes, touch, words);
    }
    let height = keys(&mut drawing, y, words);
    drawing.finish(height)
}

/// A load of all lanes of 4 bytes each at these addresses.
fn load(space: Space, at: impl Fn(u64) -> u64) -> TracedAccess {
    TracedAccess {
        place: Place::default(),
        space,
        kind: AccessKind::Load,
        bytes: 4,
        mask: u32::MAX,
        addresses: std::array::from_fn(|lane| at(lane as u64)),
    }
}

/// Loads of a warp at three strides.
pub fn coalescing(words: PictureWords) -> String {
    let mut drawing = Drawing::new(WIDTH);
    let mut y = 8.0;
    for (what, stride) in [
        (words.of("x[i]: neighboring floats", "x[i]：相邻的浮点数"), 4),
        (words.of("x[2 * i]: every other float", "x[2 * i]：每隔一个浮点数"), 8),
        (
            words.of("x[32 * i]: a column of a matrix of 32 columns", "x[32 * i]：32 列矩阵的一列"),
            128,
        ),
    ] {
        y = panel(&mut drawing, y, what, &load(Space::Global, |lane| lane * stride), words);
    }
    let height = keys(&mut drawing, y, words);
    drawing.finish(height)
}

/// A column of a shared tile, without and with a column of padding.
pub fn banks(words: PictureWords) -> String {
    let mut drawing = Drawing::new(WIDTH);
    let mut y = 8.0;
    for (what, row) in [
        (
            words.of(
                "tile[[lane, 0]] of shared::<f32>([32, 32])",
                "shared::<f32>([32, 32]) 的 tile[[lane, 0]]",
            ),
            128,
        ),
        (
            words.of(
                "tile[[lane, 0]] of shared::<f32>([32, 33])",
                "shared::<f32>([32, 33]) 的 tile[[lane, 0]]",
            ),
            132,
        ),
    ] {
        y = panel(&mut drawing, y, what, &load(Space::Shared, |lane| lane * row), words);
    }
    let height = keys(&mut drawing, y, words);
    drawing.finish(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_the_hardwares() {
        let cost = |touch: &TracedAccess| {
            let Cost { count, best, .. } = cost(touch);
            (count, best)
        };
        assert_eq!(cost(&load(Space::Global, |lane| lane * 4)), (4, 4));
        assert_eq!(cost(&load(Space::Global, |lane| lane * 128)), (32, 4));
        assert_eq!(cost(&load(Space::Shared, |lane| lane * 128)), (32, 1));
        assert_eq!(cost(&load(Space::Shared, |lane| lane * 132)), (1, 1));
    }
}
