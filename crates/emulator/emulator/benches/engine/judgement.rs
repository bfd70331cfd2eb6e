//! How a figure compares with what is demanded of it.

/// How a figure compares with another one or with a demand.
pub struct Judgement {
    /// The figure: 10^9 lane instructions per second, or a ratio.
    pub figure: f64,
    /// The unit of the figure, for instance `x plain`.
    pub unit: &'static str,
    /// The demand, where there is one.
    pub demand: Option<Demand>,
}

/// A bound on a figure.
#[derive(Clone, Copy)]
pub enum Demand {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
}

impl Judgement {
    /// Whether the demand is met; `None` without a demand.
    pub fn met(&self) -> Option<bool> {
        self.demand.map(|demand| match demand {
            Demand::AtLeast(bound) => self.figure >= bound,
            Demand::AtMost(bound) => self.figure <= bound,
        })
    }

    /// The figure and its demand, as a row of the table ends.
    pub fn describe(&self) -> String {
        let figure = format!("{:.2} {}", self.figure, self.unit);
        let (bound, met) = match (self.demand, self.met()) {
            (Some(Demand::AtLeast(bound)), Some(met)) => (format!(">= {bound:.1}"), met),
            (Some(Demand::AtMost(bound)), Some(met)) => (format!("<= {bound:.1}"), met),
            _ => return figure,
        };
        format!("{figure:<29} {bound:<8} {}", if met { "met" } else { "NOT MET" })
    }
}
