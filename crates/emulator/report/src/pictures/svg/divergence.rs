//! The active lanes of warps over time.

use super::super::activity::{Picture, moments, strips};
use super::canvas::{CELL, Canvas, EMPTY, HEADING, INK, LEFT, NOTE, ROW, USED};

/// The active lanes of each warp over time.
pub(super) fn divergence(canvas: &mut Canvas, picture: &Picture) {
    canvas.y += 10;
    canvas.line("active lanes over time, from the first instruction to the last", &HEADING);
    canvas.y += 10;
    let (strips, more) = strips(&picture.steps);
    let column = |of: usize| 11 * of;
    for strip in &strips {
        canvas.label(&strip.name());
        let width = column(strip.means.len()) as f64;
        canvas.rect((LEFT as f64, canvas.y as f64), (width, CELL as f64), EMPTY);
        for (i, mean) in strip.means.iter().enumerate().filter(|(_, mean)| **mean > 0.0) {
            let height = CELL as f64 * mean / 32.0;
            let at = ((LEFT + column(i)) as f64, (canvas.y + CELL) as f64 - height);
            canvas.rect(at, (10.0, height), if *mean < 32.0 { "#ff8a65" } else { USED });
        }
        let said = format!("{} instr.", strip.instructions);
        canvas.text(LEFT + column(strip.means.len()) + 8, canvas.y + 13, &said, &NOTE);
        canvas.y += ROW;
    }
    let moments = moments(picture);
    canvas.label("the line");
    for (i, _) in moments.iter().enumerate().filter(|(_, here)| **here) {
        let at = ((LEFT + column(i)) as f64, (canvas.y + 4) as f64);
        canvas.rect(at, (10.0, 5.0), INK);
    }
    canvas.y += ROW;
    if more > 0 {
        canvas.line(&format!("and {more} more warps"), &NOTE);
        canvas.y += 6;
    }
    let x = canvas.key(LEFT, USED, "all 32 lanes");
    canvas.key(x, "#ff8a65", "some lanes, as many as the bar is high");
    canvas.y += 14;
}
