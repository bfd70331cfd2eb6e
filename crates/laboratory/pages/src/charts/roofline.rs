//! The roofline (Williams, Waterman and Patterson 2009): operations per second over operations per byte, under
//! the roofs of memory and of arithmetic. Both axes are logarithmic.

use super::{Taken, shape, width};
use crate::charts::{Axis, Tip};
use crate::format::{digits, plain as p};
use crate::words::{drawn, english};
use maud::{Markup, html};

/// A roof.
#[derive(Clone, Debug)]
pub struct Roof {
    /// Its name: a catalog key.
    pub name: &'static str,
    /// 10^9 bytes per second for a slanted roof, 10^9 operations per second for a flat one.
    pub value: f64,
    /// Whether it is a memory roof.
    pub memory: bool,
    /// Whether it was measured.
    pub measured: bool,
    /// Its value as text.
    pub text: String,
}

/// A mark.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Number of the group, for filters.
    pub group: usize,
    /// Operations per byte.
    pub intensity: f64,
    /// 10^9 operations per second.
    pub rate: f64,
    /// Its label, if any; earlier marks get better positions.
    pub label: Option<String>,
    /// Whether it is a vendor's library.
    pub vendor: bool,
    /// Whether it is a bound rather than a measurement.
    pub bound: bool,
    /// The target of its link.
    pub link: Option<String>,
    /// Its tooltip.
    pub tip: Tip,
}

/// The contents of the drawing.
#[derive(Clone, Debug, Default)]
pub struct Roofline {
    /// The roofs of memory and arithmetic.
    pub roofs: Vec<Roof>,
    /// The marks.
    pub marks: Vec<Mark>,
    /// Titles of the axes: catalog keys.
    pub axes: [&'static str; 2],
    /// A description for screen readers.
    pub caption: String,
}

/// The area of the plot, with its axes.
struct Plot {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    size: f64,
    x: Axis,
    y: Axis,
}

impl Plot {
    fn x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.y.place(value) * (self.bottom - self.top)
    }
}

impl Roofline {
    /// Draws the chart for wide and for narrow pages; CSS shows the one that fits.
    pub fn draw(&self) -> Markup {
        html! {
            (self.sized((1000.0, 560.0), "wide"))
            (self.sized((370.0, 430.0), "narrow"))
        }
    }

    /// The highest roof of memory or of arithmetic.
    fn top(&self, memory: bool) -> f64 {
        let of = self.roofs.iter().filter(|roof| roof.memory == memory).map(|roof| roof.value);
        of.fold(0.0, f64::max)
    }

    fn plot(&self, (width, height): (f64, f64), narrow: bool) -> Plot {
        let ridge = self.top(false) / self.top(true).max(1e-9);
        let low = |start: f64, of: fn(&Mark) -> f64| {
            self.marks.iter().map(of).filter(|value| *value > 0.0).fold(start, f64::min)
        };
        let high =
            |start: f64, of: fn(&Mark) -> f64| self.marks.iter().map(of).fold(start, f64::max);
        let x = Axis::logarithmic(
            low(ridge / 30.0, |mark| mark.intensity) * 0.7,
            high(ridge * 4.0, |mark| mark.intensity) * 1.5,
        );
        let y = Axis::logarithmic(
            low(self.top(false) / 30.0, |mark| mark.rate) * 0.6,
            high(self.top(false), |mark| mark.rate) * 1.3,
        );
        let (left, size) = if narrow { (50.0, 11.0) } else { (66.0, 12.5) };
        Plot {
            width,
            height,
            left,
            right: width - 12.0,
            top: 32.0,
            bottom: height - 50.0,
            size,
            x,
            y,
        }
    }

    fn sized(&self, size: (f64, f64), class: &str) -> Markup {
        let narrow = class == "narrow";
        let plot = self.plot(size, narrow);
        let radius = if narrow { 4.5 } else { 5.5 };
        let mut taken =
            Taken::within([plot.left + 2.0, plot.top, plot.right - 2.0, plot.bottom - 2.0]);
        for mark in &self.marks {
            let (x, y) = (plot.x(mark.intensity), plot.y(mark.rate));
            taken.take([x - radius, y - radius, x + radius, y + radius]);
        }
        let roofs: Vec<Markup> =
            self.roofs.iter().map(|roof| self.roof(roof, &plot, &mut taken)).collect();
        let mut labels = Vec::new();
        for mark in &self.marks {
            let Some(label) = &mark.label else { continue };
            let at = (plot.x(mark.intensity), plot.y(mark.rate));
            let wide = width(label, plot.size);
            if let Some((left, base)) = taken.beside(at, wide, plot.size) {
                // A line connects a distant label with its mark.
                let (x, y) = at;
                let middle = base - 0.35 * plot.size;
                let tied = (middle - y).abs() > 1.2 * plot.size;
                let end = if left > x { left - 2.0 } else { left + wide + 2.0 };
                labels.push(html! {
                    @if tied {
                        line.leader x1=(p(x)) y1=(p(y)) x2=(p(end.clamp(x - 200.0, x + 200.0))) y2=(p(middle)) data-group=(mark.group) {}
                    }
                    text.label.vendor[mark.vendor] x=(p(left)) y=(p(base)) font-size=(plot.size)
                        data-group=(mark.group) { (label) }
                });
            }
        }
        html! {
            svg class={ "chart roofline " (class) } viewBox={ "0 0 " (plot.width) " " (plot.height) }
                role="group" aria-label=(self.caption) {
                (axes(&plot, self.axes))
                @for roof in roofs { (roof) }
                @for mark in &self.marks {
                    @let (x, y) = (plot.x(mark.intensity), plot.y(mark.rate));
                    @let kind = if mark.vendor { 5 } else { mark.group % 5 };
                    g class={ "mark g" (mark.group % 8) @if mark.vendor { " vendor" } @if mark.bound { " bound" } }
                        tabindex="0" role="img" data-group=(mark.group) data-tip=(mark.tip.lines())
                        data-link=[mark.link.as_deref()] {
                        circle.halo cx=(p(x)) cy=(p(y)) r=(p(2.2 * radius)) {}
                        (shape(kind, x, y, if mark.vendor { 1.25 * radius } else { radius }))
                    }
                }
                @for label in labels { (label) }
            }
        }
    }

    /// Draws one roof with its name along it.
    fn roof(&self, roof: &Roof, plot: &Plot, taken: &mut Taken) -> Markup {
        let wide = width(&format!("{} {}", english(roof.name), roof.text), plot.size);
        let class = if roof.measured { "roof measured" } else { "roof" };
        if !roof.memory {
            let from = (roof.value / self.top(true)).max(plot.x.ends().0);
            let y = plot.y(roof.value);
            let base = if roof.measured { y + plot.size + 3.0 } else { y - 6.0 };
            // The name is at the start of the roof, because rungs cluster at its other end.
            let left = (plot.x(from) + 8.0).min(plot.right - wide - 4.0);
            taken.take([left - 4.0, base - plot.size, left + wide + 4.0, base + 4.0]);
            return html! {
                line class=(class) x1=(p(plot.x(from))) y1=(p(y)) x2=(p(plot.right)) y2=(p(y)) {}
                text.roof-name x=(p(left)) y=(p(base)) font-size=(plot.size) { (drawn(roof.name)) " " (roof.text) }
            };
        }
        let from = plot.x.ends().0.max(plot.y.ends().0 / roof.value);
        let to = self.top(false) / roof.value;
        let (x1, y1) = (plot.x(from), plot.y(from * roof.value));
        let (x2, y2) = (plot.x(to), plot.y(to * roof.value));
        let length = (y2 - y1).hypot(x2 - x1).max(1.0);
        let angle = (y2 - y1).atan2(x2 - x1).to_degrees();
        // Measured roofs are below the nominal ones, and so are their names.
        let (start, side) = if roof.measured { (0.04, plot.size + 2.0) } else { (0.04, -6.0) };
        for step in 0..=40 {
            let at = start + f64::from(step) / 40.0 * wide / length;
            let (x, y) = (x1 + at * (x2 - x1), y1 + at * (y2 - y1) + side * 0.6);
            taken.take([x - 6.0, y - 9.0, x + 6.0, y + 9.0]);
        }
        let (x, y) = (x1 + start * (x2 - x1), y1 + start * (y2 - y1));
        html! {
            line class=(class) x1=(p(x1)) y1=(p(y1)) x2=(p(x2)) y2=(p(y2)) {}
            text.roof-name font-size=(plot.size)
                transform={ "translate(" (p(x)) " " (p(y)) ") rotate(" (p(angle)) ") translate(0 " (p(side)) ")" } {
                (drawn(roof.name)) " " (roof.text)
            }
        }
    }
}

fn axes(plot: &Plot, [x_name, y_name]: [&'static str; 2]) -> Markup {
    let size = plot.size;
    html! {
        @for tick in &plot.x.ticks {
            @let x = p(plot.x(*tick));
            line.grid x1=(x) x2=(x) y1=(p(plot.top)) y2=(p(plot.bottom)) {}
            text.tick x=(x) y=(p(plot.bottom + 17.0)) text-anchor="middle" font-size=(size) { (digits(*tick)) }
        }
        @for tick in &plot.y.ticks {
            @let y = plot.y(*tick);
            line.grid x1=(p(plot.left)) x2=(p(plot.right)) y1=(p(y)) y2=(p(y)) {}
            text.tick x=(p(plot.left - 7.0)) y=(p(y + 4.0)) text-anchor="end" font-size=(size) { (short(*tick)) }
        }
        text.axis x=(p((plot.left + plot.right) / 2.0)) y=(p(plot.height - 10.0)) text-anchor="middle" font-size=(size) {
            (drawn(x_name))
        }
        text.axis x="4" y=(p(plot.top - 14.0)) font-size=(size) { (drawn(y_name)) }
    }
}

/// A short form of 10^9 operations per second.
fn short(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{} T", digits(value / 1000.0)),
        value if value < 1.0 => format!("{} M", digits(value * 1000.0)),
        value => format!("{} G", digits(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_drawn_for_wide_and_for_narrow_pages() {
        let mark = |intensity: f64, rate: f64| Mark {
            group: 1,
            intensity,
            rate,
            label: Some("a<b".to_owned()),
            vendor: false,
            bound: false,
            link: None,
            tip: Tip::new("a<b"),
        };
        let roof = |value, memory| {
            let (name, text) = ("roof:memory", "1".to_owned());
            Roof { name, value, memory, measured: false, text }
        };
        let roofline = Roofline {
            roofs: vec![roof(4800.0, true), roof(66_900.0, false)],
            marks: vec![mark(0.1, 100.0), mark(600.0, 50_000.0)],
            caption: "c".to_owned(),
            axes: ["axis:intensity", "axis:rate"],
        };
        let drawn = roofline.draw().into_string();
        assert_eq!(drawn.matches("<g class=\"mark").count(), 4);
        assert_eq!(drawn.matches("class=\"roof\"").count(), 4);
        assert!(!drawn.contains("a<b") && !drawn.contains("NaN"), "{drawn}");
        assert!(!Roofline::default().draw().into_string().contains("NaN"));
    }
}
