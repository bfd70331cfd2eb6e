//! Charts over parameters: lines with intervals for one, a heat map of colored cells for two.

use super::{shape, width};
use crate::charts::{Axis, Tip};
use crate::format::{plain as p, thousands};
use maud::{Markup, html};

/// A point of a line.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its horizontal position.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// The confidence interval of the value.
    pub interval: Option<[f64; 2]>,
    /// Its tooltip.
    pub tip: Tip,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Whether it is a vendor's library.
    pub vendor: bool,
    /// Its points, by ascending x.
    pub points: Vec<Point>,
}

/// The chart.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Title of the horizontal axis.
    pub x_title: Markup,
    /// Title of the vertical axis.
    pub y_title: Markup,
    /// Formats a tick of the vertical axis.
    pub tick: fn(f64) -> String,
    /// The lines.
    pub curves: Vec<Curve>,
    /// A description for screen readers.
    pub caption: String,
}

impl Lines {
    /// Draws the chart, for wide and for narrow pages.
    pub fn draw(&self) -> Markup {
        html! {
            (self.sized((1000.0, 440.0), false))
            (self.sized((370.0, 340.0), true))
        }
    }

    fn sized(&self, (w, h): (f64, f64), narrow: bool) -> Markup {
        let size = if narrow { 11.0 } else { 12.5 };
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let mut xs: Vec<f64> = points().map(|point| point.x).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let x_axis = Axis::at(&xs);
        let top_of = |point: &Point| point.interval.map_or(point.y, |interval| interval[1]);
        let most = points().map(top_of).fold(0.0, f64::max);
        let least = points().map(|point| point.y).filter(|y| *y > 0.0).fold(f64::MAX, f64::min);
        let y_axis = match most / least > 100.0 {
            true => Axis::logarithmic(least, most),
            false => Axis::from_zero(most),
        };
        let names = self.curves.iter().map(|curve| width(&curve.name, size));
        let longest = if narrow { 0.0 } else { names.fold(0.0, f64::max) + 22.0 };
        let ticks = y_axis.ticks.iter().map(|tick| width(&(self.tick)(*tick), size));
        let (left, top, bottom) = (ticks.fold(30.0, f64::max) + 14.0, 32.0, h - 46.0);
        let right = w - 14.0 - longest;
        let x = |value: f64| left + x_axis.place(value) * (right - left);
        let y = |value: f64| bottom - y_axis.place(value) * (bottom - top);
        let stride = xs.len().div_ceil(if narrow { 4 } else { 10 }).max(1);
        html! {
            svg class={ "chart lines " (if narrow { "narrow" } else { "wide" }) } viewBox={ "0 0 " (w) " " (h) }
                role="group" aria-label=(self.caption) {
                text.axis x="4" y="14" font-size=(size) { (self.y_title) @if y_axis.is_log() { " (log)" } }
                @for tick in &y_axis.ticks {
                    line.grid x1=(p(left)) x2=(p(right)) y1=(p(y(*tick))) y2=(p(y(*tick))) {}
                    text.tick x=(p(left - 7.0)) y=(p(y(*tick) + 4.0)) text-anchor="end" font-size=(size) { ((self.tick)(*tick)) }
                }
                @for tick in xs.iter().step_by(stride) {
                    line.grid x1=(p(x(*tick))) x2=(p(x(*tick))) y1=(p(top)) y2=(p(bottom)) {}
                    text.tick x=(p(x(*tick))) y=(p(bottom + 17.0)) text-anchor="middle" font-size=(size) { (thousands(*tick)) }
                }
                text.axis x=(p((left + right) / 2.0)) y=(p(h - 8.0)) text-anchor="middle" font-size=(size) { (self.x_title) " (log)" }
                @for (index, curve) in self.curves.iter().enumerate() {
                    g class={ "curve c" (index % 8) @if curve.vendor { " vendor" } } data-group=(index) {
                        @let path: Vec<String> = curve.points.iter().map(|at| format!("{} {}", p(x(at.x)), p(y(at.y)))).collect();
                        @if path.len() > 1 { path d={ "M" (path.join("L")) } fill="none" {} }
                        @for point in &curve.points {
                            @if let Some([low, high]) = point.interval {
                                line.whisker x1=(p(x(point.x))) x2=(p(x(point.x))) y1=(p(y(low))) y2=(p(y(high))) {}
                            }
                            g.mark tabindex="0" role="img" data-tip=(point.tip.lines()) {
                                circle.halo cx=(p(x(point.x))) cy=(p(y(point.y))) r="11" {}
                                (shape(index, x(point.x), y(point.y), if narrow { 3.5 } else { 4.5 }))
                            }
                        }
                    }
                }
                @if !narrow {
                    @for (index, base) in self.name_places(&y, size, (top, bottom)) {
                        text class={ "label c" (index % 8) } x=(p(right + 14.0)) y=(p(base)) font-size=(size) data-group=(index) { (self.curves[index].name) }
                    }
                }
            }
        }
    }

    /// Baselines of the curve names at the ends of their lines, in the order of the ends. Names that would overlap
    /// are moved apart around the middle of their ends, to the nearest positions by least squares (pool adjacent
    /// violators).
    fn name_places(
        &self,
        y: &dyn Fn(f64) -> f64,
        size: f64,
        (top, bottom): (f64, f64),
    ) -> Vec<(usize, f64)> {
        let step = size + 3.0;
        let end = |(index, curve): (usize, &Curve)| Some((index, y(curve.points.last()?.y) + 4.0));
        let mut ends: Vec<(usize, f64)> = self.curves.iter().enumerate().filter_map(end).collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        // After subtracting `step` per name above it, a position must not be less than the previous one.
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (rank, (_, at)) in ends.iter().enumerate() {
            let mut pool = (at - step * rank as f64, 1);
            while let Some((mean, count)) = pools.pop_if(|(mean, _)| *mean > pool.0) {
                let (sum, all) = (mean * count as f64 + pool.0 * pool.1 as f64, count + pool.1);
                pool = (sum / all as f64, all);
            }
            pools.push(pool);
        }
        let (highest, lowest) = (top, bottom + 4.0 - step * ends.len().saturating_sub(1) as f64);
        let means = pools.iter().flat_map(|(mean, count)| std::iter::repeat_n(*mean, *count));
        let places = means
            .enumerate()
            .map(|(rank, mean)| mean.min(lowest).max(highest) + step * rank as f64);
        ends.iter().zip(places).map(|((index, _), place)| (*index, place)).collect()
    }
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The parameter values of its column and row.
    pub at: (u64, u64),
    /// Its value.
    pub value: f64,
    /// The value as text.
    pub text: String,
    /// Its tooltip.
    pub tip: Tip,
}

/// A heat map.
#[derive(Clone, Debug)]
pub struct Heat {
    /// Its title.
    pub title: Markup,
    /// The names of the column parameter and the row parameter.
    pub names: (String, String),
    /// The cells.
    pub cells: Vec<Cell>,
    /// The smallest and the largest value of all maps in the group.
    pub ends: (f64, f64),
    /// Whether larger values are better.
    pub more_is_better: bool,
}

impl Heat {
    /// Draws the map.
    pub fn draw(&self) -> Markup {
        let sorted = |of: fn(&Cell) -> u64| {
            let mut all: Vec<u64> = self.cells.iter().map(of).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (columns, rows) = (sorted(|cell| cell.at.0), sorted(|cell| cell.at.1));
        let better = |a: f64, b: f64| if (a > b) == self.more_is_better { a } else { b };
        let best = self.cells.iter().map(|cell| cell.value).reduce(better);
        html! {
            table.heat {
                caption { (self.title) }
                thead {
                    tr {
                        th.corner scope="col" { (self.names.1) " \\ " (self.names.0) }
                        @for column in &columns { th scope="col" { (column) } }
                    }
                }
                tbody {
                    @for row in &rows {
                        tr {
                            th scope="row" { (row) }
                            @for column in &columns {
                                @match self.cells.iter().find(|cell| cell.at == (*column, *row)) {
                                    Some(cell) => {
                                        @let heat = self.heat(cell.value);
                                        td.mark.mid[heat > 0.5].deep[heat > 0.83].best[best == Some(cell.value)] tabindex="0"
                                            data-tip=(cell.tip.lines()) style=(format!("--h:{heat:.3}")) { (cell.text) }
                                    }
                                    None => td.none { "·" },
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Maps a value to [0, 1], logarithmically if the values span more than a factor of 20.
    fn heat(&self, value: f64) -> f64 {
        let (low, high) = self.ends;
        if high <= low {
            return 0.5;
        }
        let part = match low > 0.0 && high / low > 20.0 {
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        part.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_a_mark_and_every_line_has_its_name() {
        let point = |x: f64| Point {
            x,
            y: 10.0 * x,
            interval: Some([9.0 * x, 11.0 * x]),
            tip: Tip::new("p"),
        };
        let curve = |name: &str| Curve {
            name: name.to_owned(),
            vendor: false,
            points: [1.0, 2.0, 4.0].map(point).into(),
        };
        let lines = Lines {
            x_title: html! { "x" },
            y_title: html! { "y" },
            tick: thousands,
            curves: vec![curve("one"), curve("two"), curve("three")],
            caption: "c".to_owned(),
        };
        let drawn = lines.draw().into_string();
        assert_eq!(drawn.matches("class=\"mark\"").count(), 18);
        for name in ["one", "two", "three"] {
            assert!(drawn.contains(&format!(">{name}</text>")), "{name}");
        }
        assert!(!drawn.contains("NaN"));
        // All three end at one height: their names are stacked around it.
        let places = lines.name_places(&|_| 200.0, 10.0, (32.0, 400.0));
        assert_eq!(places, [(0, 191.0), (1, 204.0), (2, 217.0)]);
        let empty = Lines { curves: Vec::new(), ..lines };
        assert!(!empty.draw().into_string().contains("NaN"));
    }

    #[test]
    fn heat_map_cells_are_placed_and_the_best_is_marked() {
        let cell = |x, y, value: f64| Cell {
            at: (x, y),
            value,
            text: format!("{value}"),
            tip: Tip::new("t"),
        };
        let heat = Heat {
            title: html! { "t" },
            names: ("size".to_owned(), "block".to_owned()),
            cells: vec![cell(512, 8, 1.0), cell(1024, 8, 3.0), cell(512, 16, 2.0)],
            ends: (1.0, 3.0),
            more_is_better: true,
        };
        let drawn = heat.draw().into_string();
        assert_eq!(drawn.matches("data-tip").count(), 3);
        assert_eq!(drawn.matches("best").count(), 1, "{drawn}");
        assert!(drawn.contains("<td class=\"none\">"));
    }
}
