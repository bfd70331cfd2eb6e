//! Histograms: columns from a zero baseline.

use super::labels::width;
use crate::format::plain as p;
use crate::scale::Axis;
use crate::tip::Tip;
use maud::{Markup, html};

/// A histogram.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Title of the horizontal axis.
    pub x_title: Markup,
    /// Title of the vertical axis.
    pub y_title: Markup,
    /// Each column's name, height and tooltip.
    pub columns: Vec<(String, f64, Tip)>,
    /// Formats a height.
    pub tick: fn(f64) -> String,
    /// A description for screen readers.
    pub caption: String,
}

impl Columns {
    /// Draws the histogram.
    pub fn draw(&self) -> Markup {
        let (w, h) = (560.0, 230.0);
        let (left, right, top, bottom) = (58.0, w - 8.0, 28.0, h - 42.0);
        let axis = Axis::from_zero(self.columns.iter().map(|column| column.1).fold(0.0, f64::max));
        let step = (right - left) / self.columns.len().max(1) as f64;
        let y = |value: f64| bottom - axis.place(value) * (bottom - top);
        let widest = self.columns.iter().map(|column| width(&column.0, 11.5)).fold(1.0, f64::max);
        let stride = ((widest + 10.0) / step).ceil().max(1.0) as usize;
        html! {
            svg.chart.columns viewBox={ "0 0 " (w) " " (h) } role="group" aria-label=(self.caption) {
                text.axis x="4" y="14" font-size="11.5" { (self.y_title) }
                @for tick in &axis.ticks {
                    line.grid x1=(p(left)) x2=(p(right)) y1=(p(y(*tick))) y2=(p(y(*tick))) {}
                    text.tick x=(p(left - 7.0)) y=(p(y(*tick) + 4.0)) text-anchor="end" font-size="11.5" { ((self.tick)(*tick)) }
                }
                @for (index, (name, value, tip)) in self.columns.iter().enumerate() {
                    @let x = left + step * index as f64;
                    g.mark tabindex="0" role="img" data-tip=(tip.json()) aria-label=(tip.words()) {
                        rect.halo x=(p(x)) y=(p(top)) width=(p(step)) height=(p(bottom - top)) {}
                        rect.own x=(p(x + 0.08 * step)) y=(p(y(*value))) width=(p(0.84 * step)) height=(p(bottom - y(*value))) {}
                    }
                    @if index.is_multiple_of(stride) {
                        text.tick x=(p(x + step / 2.0)) y=(p(bottom + 15.0)) text-anchor="middle" font-size="11.5" { (name) }
                    }
                }
                line.base x1=(p(left)) x2=(p(right)) y1=(p(bottom)) y2=(p(bottom)) {}
                text.axis x=(p((left + right) / 2.0)) y=(p(h - 6.0)) text-anchor="middle" font-size="11.5" { (self.x_title) }
            }
        }
    }
}
