//! Bars from a zero baseline: labeled ones in rows, the columns of a histogram, and strip charts: dots on
//! one axis, a row per group, such as the rungs of a ladder under a common ceiling.
//!
//! Rows become dots on a logarithmic axis if the values differ too much for bars. Positions are percentages: the chart
//! fills the width of its page while its text keeps its size.

use super::{shape, width};
use crate::charts::{Axis, Tip};
use crate::format::{plain, plain as p};
use maud::{Markup, html};

/// At higher ratios of the largest to the smallest value, bars would hide the small ones.
const FAR_APART: f64 = 40.0;

/// Minimum share of a logarithmic axis that makes an interval visible around its dot.
const WIDE: f64 = 0.025;

/// A segment of a bar.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its length.
    pub value: f64,
    /// Its class: `own`, `best`, `vendor`, `good`, `excess`, `bad`.
    pub class: &'static str,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The target of the link on its name.
    pub link: Option<String>,
    /// Its segments, starting at the baseline; empty if there is no value.
    pub parts: Vec<Segment>,
    /// The confidence interval of its end.
    pub interval: Option<[f64; 2]>,
    /// Its value as text.
    pub text: Option<Markup>,
    /// Text after the value.
    pub aside: Option<Markup>,
    /// Its tooltip.
    pub tip: Tip,
}

/// A line across all rows.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The value at which it is drawn.
    pub value: f64,
    /// Its label.
    pub label: Markup,
    /// Whether it is a ceiling or floor of the hardware rather than a measured result.
    pub hardware: bool,
}

/// The chart.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The axis title, with the unit.
    pub title: Markup,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
    /// The rows.
    pub rows: Vec<Bar>,
    /// Reference lines across the rows.
    pub references: Vec<Reference>,
    /// Whether widely spread values may be drawn as dots on a logarithmic axis.
    pub may_be_dots: bool,
}

impl Bar {
    /// The end of the bar.
    pub fn value(&self) -> f64 {
        self.parts.iter().map(|part| part.value).sum()
    }
}

impl Bars {
    fn axis(&self) -> Axis {
        let drawn = self.rows.iter().filter(|row| !row.parts.is_empty());
        let ends = drawn.clone().flat_map(|row| [row.value(), row.interval.map_or(0.0, |i| i[1])]);
        let marks = self.references.iter().map(|line| line.value);
        let most = ends.chain(marks.clone()).fold(0.0, f64::max);
        let least = drawn.map(Bar::value).filter(|value| *value > 0.0).fold(f64::MAX, f64::min);
        match self.may_be_dots && least < f64::MAX && most / least > FAR_APART {
            true => {
                let low = marks.filter(|value| *value > 0.0).fold(least, f64::min);
                Axis::logarithmic(low / 1.5, most * 1.1)
            }
            false => Axis::from_zero(most),
        }
    }

    /// Draws the chart; a logarithmic axis adds `logarithmic` to the title.
    pub fn draw(&self, logarithmic: &Markup) -> Markup {
        let axis = self.axis();
        html! {
            div.bars {
                div role="list" {
                    @for row in &self.rows { (self.row(row, &axis)) }
                }
                (foot(&axis, self.tick, &html! { (self.title) @if axis.is_log() { " · " (logarithmic) } }))
                (keys(&self.references, self.tick))
            }
        }
    }

    fn row(&self, row: &Bar, axis: &Axis) -> Markup {
        let place = |value: f64| format!("{}%", percent(axis.place(value)));
        let mut from = 0.0;
        let mut pieces = Vec::new();
        for part in &row.parts {
            let (left, right) = (axis.place(from), axis.place(from + part.value));
            from += part.value;
            pieces.push((part.class, percent(left), percent(right - left)));
        }
        html! {
            div.bar role="listitem" {
                span.bar-name {
                    @match &row.link {
                        Some(link) => a href=(link) { (row.name) },
                        None => (row.name),
                    }
                }
                div.track {
                    svg.mark tabindex="0" role="img" data-tip=(row.tip.lines()) {
                        (grid(axis))
                        @if axis.is_log() && !row.parts.is_empty() {
                            @let class = row.parts.last().map_or("own", |part| part.class);
                            line.stem x1="0" x2=(place(row.value())) y1="50%" y2="50%" {}
                            circle class={ "dot " (class) } cx=(place(row.value())) cy="50%" r="6" {}
                        } @else {
                            @for (class, left, wide) in &pieces {
                                rect class=(class) x={ (left) "%" } y="5" width={ (wide) "%" } height="16" {}
                            }
                        }
                        @if let Some([low, high]) = row.interval.filter(|[low, high]| !axis.is_log() || axis.place(*high) - axis.place(*low) > WIDE) {
                            g.interval {
                                line x1=(place(low)) x2=(place(high)) y1="50%" y2="50%" {}
                                line x1=(place(low)) x2=(place(low)) y1="30%" y2="70%" {}
                                line x1=(place(high)) x2=(place(high)) y1="30%" y2="70%" {}
                            }
                        }
                        @for line in &self.references {
                            line.reference.hardware[line.hardware]
                                x1=(place(line.value)) x2=(place(line.value)) y1="0" y2="100%" {}
                        }
                    }
                }
                span.bar-value {
                    @if let Some(text) = &row.text { b { (text) } }
                    @if let Some(aside) = &row.aside { " " span.aside { (aside) } }
                }
            }
        }
    }
}

/// The grid lines.
fn grid(axis: &Axis) -> Markup {
    html! {
        @for tick in &axis.ticks {
            @let at = format!("{}%", percent(axis.place(*tick)));
            line.grid x1=(at) x2=(at) y1="0" y2="100%" {}
        }
    }
}

/// The axis below the rows, and its title.
fn foot(axis: &Axis, write: fn(f64) -> String, title: &Markup) -> Markup {
    html! {
        div.bar-axis aria-hidden="true" {
            span.bar-name {}
            div.track {
                @for (index, tick) in axis.ticks.iter().enumerate() {
                    span.tick.odd[index % 2 == 1] style=(format!("left:{}%", percent(axis.place(*tick)))) { (write(*tick)) }
                }
            }
            span.bar-value {}
        }
        div.bar-title { span.bar-name {} span { (title) } }
    }
}

/// The legend of the reference lines.
fn keys(references: &[Reference], write: fn(f64) -> String) -> Markup {
    html! {
        @if !references.is_empty() {
            ul.keys {
                @for line in references {
                    li { i.line-key.hardware[line.hardware] {} (line.label) " " b { (write(line.value)) } }
                }
            }
        }
    }
}

fn percent(place: f64) -> String {
    plain(100.0 * place)
}

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
                    // An empty column has nothing to point at.
                    @if *value > 0.0 {
                        g.mark tabindex="0" role="img" data-tip=(tip.lines()) {
                            rect.halo x=(p(x)) y=(p(top)) width=(p(step)) height=(p(bottom - top)) {}
                            rect.own x=(p(x + 0.08 * step)) y=(p(y(*value))) width=(p(0.84 * step)) height=(p(bottom - y(*value))) {}
                        }
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
                                                tabindex="0" role="img" data-tip=(dot.tip.lines())
                                                data-link=[dot.link.as_deref()] {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64], may_be_dots: bool) -> Bars {
        let row = |value: &f64| Bar {
            name: "a<b".to_owned(),
            parts: vec![Segment { value: *value, class: "own" }],
            interval: Some([value * 0.9, value * 1.1]),
            text: Some(html! { "5" }),
            tip: Tip::new("a<b").row("x", "5"),
            ..Bar::default()
        };
        Bars {
            title: html! { "t" },
            tick: plain,
            rows: values.iter().map(row).collect(),
            references: vec![Reference { value: 5.0, label: html! { "floor" }, hardware: true }],
            may_be_dots,
        }
    }

    #[test]
    fn bars_start_at_zero_and_their_names_are_escaped() {
        let drawn = bars(&[10.0, 5.0], true).draw(&html! { "log" }).into_string();
        assert_eq!(drawn.matches("class=\"mark\"").count(), 2);
        assert!(drawn.contains("<rect class=\"own\" x=\"0%\"") && !drawn.contains("<circle"));
        assert!(drawn.contains("a&lt;b") && !drawn.contains("a<b"));
        assert!(drawn.contains("left:0%") && drawn.contains("floor"));
    }

    #[test]
    fn values_far_apart_are_dots_on_a_labeled_logarithmic_axis() {
        let drawn = bars(&[1.0, 5000.0], true).draw(&html! { "log" }).into_string();
        assert!(drawn.contains("<circle") && !drawn.contains("<rect") && drawn.contains("log"));
        let drawn = bars(&[1.0, 5000.0], false).draw(&html! { "log" }).into_string();
        assert!(drawn.contains("<rect") && !drawn.contains("· log"));
    }

    #[test]
    fn a_chart_without_rows_is_drawn() {
        assert!(bars(&[], true).draw(&html! {}).into_string().contains("bars"));
    }
}
