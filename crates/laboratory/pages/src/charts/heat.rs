//! Heat maps: a value for each pair of two parameters, as a table with colored cells and their figures.

use crate::tip::Tip;
use maud::{Markup, html};

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
                                            data-tip=(cell.tip.json()) style=(format!("--h:{heat:.3}")) { (cell.text) }
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
    fn cells_stand_in_their_row_and_column_and_the_best_is_marked() {
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
