//! Charts as static drawings: bars, the roofline, lines, heat maps, histograms. The tip of each mark shows its values.
//!
//! Axes have round ticks. A label takes the first free position of a few around its mark (greedy, as in Christensen,
//! Marks and Shieber 1995). A label without a free position is omitted; its mark keeps its tooltip.

mod bars;
mod lines;
mod roofline;

pub use bars::{Bar, Bars, Columns, Dot, Reference, Segment, Strip, StripRow};
pub use lines::{Cell, Curve, Heat, Lines, Point};
pub use roofline::{Mark, Roof, Roofline};

use crate::words::english;
use maud::{Markup, Render, html};

/// Hatch patterns for values that need care.
pub fn definitions() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" focusable="false" {
            defs {
                pattern #hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-ground width="6" height="6" {}
                    line.hatch-line x1="0" y1="0" x2="0" y2="6" {}
                }
                pattern #hatch-bad width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-bad-ground width="6" height="6" {}
                    line.hatch-bad-line x1="0" y1="0" x2="0" y2="6" {}
                }
            }
        }
    }
}

/// The shape of a mark, by number, at a point; series differ in shape as well as in color.
pub fn shape(kind: usize, x: f64, y: f64, size: f64) -> Markup {
    use crate::format::plain as p;
    let s = size;
    let polygon = |corners: &[(f64, f64)]| {
        let corner = |(a, b): &(f64, f64)| format!("{} {}", p(x + a * s), p(y + b * s));
        format!("M{}z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
    };
    let path = match kind % 6 {
        0 => return html! { circle cx=(p(x)) cy=(p(y)) r=(p(s)) {} },
        1 => format!("M{} {}h{d}v{d}h-{d}z", p(x - 0.9 * s), p(y - 0.9 * s), d = p(1.8 * s)),
        2 => polygon(&[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => polygon(&[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)]),
        _ => {
            let (a, b) = (0.42 * s, 1.2 * s);
            let [left, right, top, bottom] = [p(x - a), p(x + a), p(y - a), p(y + a)];
            let [west, east, north, south] = [p(x - b), p(x + b), p(y - b), p(y + b)];
            format!(
                "M{left} {north}H{right}V{top}H{east}V{bottom}H{right}V{south}H{left}V{bottom}H{west}V{top}H{left}z"
            )
        }
    };
    html! { path d=(path) {} }
}

/// Rows with a name, which is a catalog key or a plain word, and a value.
#[derive(Clone, Debug, Default)]
pub struct Tip {
    title: String,
    rows: Vec<(String, String)>,
}

impl Tip {
    /// A tip with this title.
    pub fn new(title: impl Into<String>) -> Tip {
        Tip { title: title.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(mut self, name: &str, value: impl Into<String>) -> Tip {
        self.rows.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a row if the value exists.
    pub fn maybe(self, name: &str, value: Option<String>) -> Tip {
        match value {
            Some(value) => self.row(name, value),
            None => self,
        }
    }

    /// The form for the script: the title, and a line for each row, name and value with a tab between them. JSON would be twice as
    /// long, because quotation marks are escaped in HTML.
    pub fn lines(&self) -> String {
        let plain = |text: &str| text.replace(['\t', '\n'], " ");
        let row = |(name, value): &(String, String)| format!("\n{}\t{}", plain(name), plain(value));
        plain(&self.title) + &self.rows.iter().map(row).collect::<String>()
    }

    /// The text form, for screen readers.
    pub fn words(&self) -> String {
        let rows: Vec<String> =
            self.rows.iter().map(|(name, value)| format!("{}: {value}", english(name))).collect();
        match rows.is_empty() {
            true => self.title.clone(),
            false => format!("{}. {}", self.title, rows.join(", ")),
        }
    }
}

/// Renders the tip's text as the title of a mark in a drawing.
impl Render for Tip {
    fn render(&self) -> Markup {
        html! { title { (self.words()) } }
    }
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Labeled values.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// An axis from zero to a round number that is at least `most`.
    pub fn from_zero(most: f64) -> Axis {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let raw = most / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|step| step * power >= raw);
        let step = step.unwrap_or(10.0) * power;
        let count = (most / step - 1e-9).ceil().max(1.0) as usize;
        let ticks = (0..=count).map(|index| index as f64 * step).collect();
        Axis { low: 0.0, high: count as f64 * step, log: false, ticks }
    }

    /// A logarithmic axis that holds both values.
    pub fn logarithmic(low: f64, high: f64) -> Axis {
        let low = if low.is_finite() && low > 0.0 { low } else { 1.0 };
        let high = if high.is_finite() && high > low { high } else { low * 10.0 };
        let decades = (high / low).log10();
        let steps: &[f64] = if decades < 2.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = low.log10().floor() as i32;
        let last = high.log10().ceil() as i32;
        let all = (first..=last).flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
        let all: Vec<f64> = all.collect();
        // Over many decades, use the given ends; over few, round them.
        let (low, high) = match decades < 2.2 {
            true => (
                all.iter().copied().rfind(|tick| *tick <= low * 1.0001).unwrap_or(low),
                all.iter().copied().find(|tick| *tick >= high * 0.9999).unwrap_or(high),
            ),
            false => (low, high),
        };
        let inside: Vec<f64> =
            all.into_iter().filter(|tick| *tick >= low * 0.999 && *tick <= high * 1.001).collect();
        let stride = inside.len().div_ceil(9).max(1);
        let ticks = inside.into_iter().step_by(stride).collect();
        Axis { low, high, log: true, ticks }
    }

    /// A logarithmic axis with ticks at these ascending values.
    pub fn at(values: &[f64]) -> Axis {
        let low = values.first().copied().unwrap_or(1.0);
        let high = values.last().copied().unwrap_or(low);
        let high = if high > low { high } else { low * 2.0 };
        Axis { low, high, log: true, ticks: values.to_vec() }
    }

    /// Whether it is logarithmic.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Its ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The position of a value: 0 at the low end, 1 at the high end, clamped.
    pub fn place(&self, value: f64) -> f64 {
        self.unclamped(value).clamp(0.0, 1.0)
    }

    fn unclamped(&self, value: f64) -> f64 {
        match self.log {
            true if value <= 0.0 => 0.0,
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }
}

/// Estimated width of a text in a drawing: Latin letters are narrower than Han characters.
pub fn width(text: &str, size: f64) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'l' | 'j' | '.' | ',' | ' ' | '|' | '\'' => 0.36,
        'm' | 'w' | 'M' | 'W' => 0.92,
        letter if letter.is_ascii_uppercase() => 0.72,
        letter if letter as u32 > 0x2e80 => 1.02,
        _ => 0.62,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// A rectangle: left, top, right, bottom.
pub type Area = [f64; 4];

fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// The occupied areas of a drawing.
#[derive(Debug)]
pub struct Taken {
    areas: Vec<Area>,
    frame: Area,
}

impl Taken {
    /// A frame without occupied areas.
    pub fn within(frame: Area) -> Taken {
        Taken { areas: Vec::new(), frame }
    }

    /// Marks an area as occupied.
    pub fn take(&mut self, area: Area) {
        self.areas.push(area);
    }

    /// Whether the area is free and inside the frame.
    pub fn free(&self, wanted: &Area) -> bool {
        let frame = self.frame;
        let inside = wanted[0] >= frame[0]
            && wanted[1] >= frame[1]
            && wanted[2] <= frame[2]
            && wanted[3] <= frame[3];
        inside && self.areas.iter().all(|taken| !overlap(taken, wanted))
    }

    /// Finds and occupies a free position next to a mark for a text of this width; returns the start of its baseline.
    pub fn beside(&mut self, (x, y): (f64, f64), width: f64, size: f64) -> Option<(f64, f64)> {
        let gap = 9.0;
        let (middle, half) = (y + 0.35 * size, width / 2.0);
        let (above, below) = (y - gap, y + gap + 0.75 * size);
        let (right, left) = (x + gap, x - gap - width);
        let places = [
            (right, middle),
            (left, middle),
            (x - half, above),
            (x - half, below),
            (right, above),
            (right, below),
            (left, above),
            (left, below),
            (right, y - 2.0 * gap - 4.0),
            (left, y - 2.0 * gap - 4.0),
            (right, y + 2.0 * gap + 12.0),
            (left, y + 2.0 * gap + 12.0),
        ];
        let area = |(left, base): (f64, f64)| {
            [left - 1.0, base - 0.9 * size, left + width + 1.0, base + 0.28 * size]
        };
        let found = places.into_iter().find(|place| self.free(&area(*place)))?;
        self.take(area(found));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_axes_begin_at_zero_and_end_at_a_round_number() {
        let axis = Axis::from_zero(22_848.0);
        assert_eq!(axis.ticks, [0.0, 5000.0, 10_000.0, 15_000.0, 20_000.0, 25_000.0]);
        assert_eq!((axis.place(0.0), axis.place(12_500.0), axis.place(1e9)), (0.0, 0.5, 1.0));
        for odd in [0.0, f64::NAN, -3.0] {
            assert!(Axis::from_zero(odd).place(0.5).is_finite());
        }
    }

    #[test]
    fn logarithmic_axes_hold_their_values_between_round_ticks() {
        let axis = Axis::logarithmic(2887.0, 35_664_944.0);
        assert!(axis.ends().0 <= 2887.0 && axis.ends().1 >= 35_664_944.0);
        assert_eq!(axis.ticks.first(), Some(&10_000.0));
        assert!((Axis::at(&[1.0, 10.0, 100.0]).place(10.0) - 0.5).abs() < 1e-12);
        let near = Axis::logarithmic(3.0, 7.0);
        assert!(near.ticks.len() >= 3, "{:?}", near.ticks);
        assert!(Axis::logarithmic(0.0, 0.0).place(5.0).is_finite());
    }

    #[test]
    fn labels_cover_neither_each_other_nor_leave_the_frame() {
        let mut taken = Taken::within([0.0, 0.0, 200.0, 100.0]);
        let mut areas: Vec<Area> = Vec::new();
        for index in 0..12 {
            let at = (100.0 + f64::from(index), 50.0);
            if let Some((x, y)) = taken.beside(at, 50.0, 12.0) {
                let one = [x, y - 0.85 * 12.0, x + 50.0, y + 3.0];
                assert!(areas.iter().all(|other| !overlap(other, &one)));
                assert!(one[0] >= 0.0 && one[2] <= 200.0 && one[1] >= 0.0 && one[3] <= 100.0);
                areas.push(one);
            }
        }
        assert!((3..12).contains(&areas.len()), "{}", areas.len());
        assert!(width("核函数", 12.0) > width("abc", 12.0));
    }
}
