//! Strip charts: dots on one axis, a row per group, such as the rungs of a ladder under a common ceiling.

use super::bars::{Reference, foot, grid, keys};
use super::shape;
use crate::charts::Tip;
use crate::charts::placement::Axis;
use crate::format::plain as p;
use maud::{Markup, html};

/// A dot.
#[derive(Clone, Debug)]
pub struct Dot {
    /// Its position.
    pub value: f64,
    /// Whether it is a vendor's library.
    pub vendor: bool,
    /// The target of its link.
    pub link: Option<String>,
    /// Its tooltip.
    pub tip: Tip,
}

/// A row of dots.
#[derive(Clone, Debug)]
pub struct StripRow {
    /// Its name.
    pub name: String,
    /// The target of the link on its name.
    pub link: Option<String>,
    /// Number of the group, for filters.
    pub group: usize,
    /// The dots.
    pub dots: Vec<Dot>,
    /// Text after the dots.
    pub text: String,
}

/// The chart.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The axis title.
    pub title: Markup,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
    /// The rows.
    pub rows: Vec<StripRow>,
    /// Reference lines across the rows.
    pub references: Vec<Reference>,
}

impl Strip {
    /// Draws the chart.
    pub fn draw(&self) -> Markup {
        let dots = self.rows.iter().flat_map(|row| row.dots.iter().map(|dot| dot.value));
        let lines = self.references.iter().map(|line| line.value);
        let axis = Axis::from_zero(dots.chain(lines).fold(0.0, f64::max));
        let place = |value: f64| format!("{}%", p(100.0 * axis.place(value)));
        html! {
            div.bars.strip {
                div role="list" {
                    @for row in &self.rows {
                        div.bar role="listitem" data-group=(row.group) {
                            span.bar-name {
                                @match &row.link {
                                    Some(link) => a href=(link) { (row.name) },
                                    None => (row.name),
                                }
                            }
                            div.track {
                                svg.dots {
                                    (grid(&axis))
                                    line.stem x1="0" x2="100%" y1="50%" y2="50%" {}
                                    @for line in &self.references {
                                        line.reference.hardware[line.hardware]
                                            x1=(place(line.value)) x2=(place(line.value)) y1="0" y2="100%" {}
                                    }
                                    @for dot in &row.dots {
                                        svg.nest x=(place(dot.value)) y="50%" overflow="visible" {
                                            g class={ "mark g" (row.group % 8) @if dot.vendor { " vendor" } }
                                                tabindex="0" role="img" data-tip=(dot.tip.json())
                                                data-link=[dot.link.as_deref()] aria-label=(dot.tip.words()) {
                                                (shape(if dot.vendor { 5 } else { row.group % 5 }, 0.0, 0.0, 6.0))
                                            }
                                        }
                                    }
                                }
                            }
                            span.bar-value { b { (row.text) } }
                        }
                    }
                }
                (foot(&axis, self.tick, &self.title))
                (keys(&self.references, self.tick))
            }
        }
    }
}
