//! The places of the panes on a screen.

use ratatui_core::layout::Rect;

/// The smallest screen that shows all panes.
pub const LEAST: (u16, u16) = (80, 24);

/// Rows of the warp pane: four lanes a row, and its border.
const WARP: u16 = 10;
/// Height of a screen from which the replies have a pane of their own.
const TALL: u16 = 36;

/// The areas of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panes {
    /// The position, in one row.
    pub title: Rect,
    /// The source.
    pub source: Rect,
    /// The variables.
    pub variables: Rect,
    /// The lanes of a warp.
    pub warp: Rect,
    /// Memory, findings, replies or output.
    pub lower: Rect,
    /// The replies, on a tall screen.
    pub replies: Option<Rect>,
    /// The marks and the bar of the timeline.
    pub timeline: Rect,
    /// A message, or the prompt.
    pub status: Rect,
    /// The most important keys.
    pub keys: Rect,
}

/// The panes of a screen; `None` if it is too small.
pub fn panes(width: u16, height: u16) -> Option<Panes> {
    if width < LEAST.0 || height < LEAST.1 {
        return None;
    }
    let right = (width * 9 / 20).min(64);
    let left = width - right;
    // Title, timeline (two rows), status and keys.
    let body = height - 5;
    let replies = if height >= TALL { body / 4 } else { 0 };
    let source = (body - replies) * 11 / 19;
    let lower = body - replies - source;
    let row = |y: u16, rows: u16| Rect::new(0, y, width, rows);
    Some(Panes {
        title: row(0, 1),
        source: Rect::new(0, 1, left, source),
        lower: Rect::new(0, 1 + source, left, lower),
        replies: (replies > 0).then(|| Rect::new(0, 1 + source + lower, left, replies)),
        variables: Rect::new(left, 1, right, body - WARP),
        warp: Rect::new(left, 1 + body - WARP, right, WARP),
        timeline: row(1 + body, 2),
        status: row(height - 2, 1),
        keys: row(height - 1, 1),
    })
}

/// The columns and rows inside the border of a pane.
pub fn inside(pane: Rect) -> (usize, usize) {
    (usize::from(pane.width.saturating_sub(2)), usize::from(pane.height.saturating_sub(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_cover_the_screen_once() {
        for (width, height) in [(80, 24), (81, 25), (120, 36), (200, 60), (500, 200)] {
            let panes = panes(width, height).expect("large enough");
            let mut all = vec![panes.title, panes.source, panes.variables, panes.warp, panes.lower];
            all.extend(panes.replies);
            all.extend([panes.timeline, panes.status, panes.keys]);
            let covered: u32 = all.iter().map(|pane| pane.area()).sum();
            assert_eq!(covered, u32::from(width) * u32::from(height), "{width}x{height}");
            for pane in &all {
                assert!(pane.right() <= width && pane.bottom() <= height, "{pane:?}");
                assert!(all.iter().all(|other| other == pane || !other.intersects(*pane)));
            }
        }
        assert_eq!(panes(79, 24), None);
        assert_eq!(panes(80, 23), None);
    }
}
