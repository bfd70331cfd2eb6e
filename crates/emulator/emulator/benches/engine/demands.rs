//! The demands on the emulator, and how a figure compares with them.

use crate::cases::Class;
use crate::machine::Machine;
use crate::measure::{Engine, Label, median_ratio};
use crate::report::Row;

/// Judges every timed row; ratios are medians over the rounds in which both ran.
pub fn judge(class: Class, machine: &Machine, rows: &mut [Row]) {
    let judgements: Vec<Option<Judgement>> =
        rows.iter().map(|row| judgement(class, machine, row, rows)).collect();
    for (row, judgement) in rows.iter_mut().zip(judgements) {
        row.judgement = judgement;
    }
}

fn judgement(class: Class, machine: &Machine, row: &Row, rows: &[Row]) -> Option<Judgement> {
    let samples = row.samples()?;
    let ratio_to = |engine, workers| {
        let label = Label { engine, workers };
        let other = rows.iter().find(|other| other.label == label)?;
        Some(median_ratio(samples, other.samples()?))
    };
    let product = class == Class::Product;
    let affine = product || class == Class::Short;
    Some(match (row.label.engine, row.label.workers) {
        (Engine::Plain, 1) => Judgement {
            figure: row.rate()?,
            unit: "Gli/s",
            demand: Some(Demand::AtLeast(plain_rate(class) * machine.scale)),
        },
        (Engine::Checked, _) => Judgement {
            figure: row.rate()?,
            unit: "Gli/s",
            demand: checked_rate(class).map(|rate| Demand::AtLeast(rate * machine.scale)),
        },
        (Engine::Counting, 1) if !affine => Judgement {
            figure: row.rate()?,
            unit: "Gli/s",
            demand: Some(Demand::AtLeast(0.8 * machine.scale)),
        },
        (Engine::Counting, workers) => Judgement {
            figure: ratio_to(Engine::Plain, workers)?,
            unit: "x the time of plain",
            demand: (affine && workers == 1).then_some(Demand::AtMost(2.5)),
        },
        (Engine::Plain, _) => Judgement {
            figure: speedup(row, rows)?,
            unit: "x the speed of 1 worker",
            demand: product.then_some(Demand::AtLeast(1.6)),
        },
        (Engine::Pocl, workers) => Judgement {
            figure: ratio_to(Engine::Plain, workers)?,
            unit: "x the time of plain",
            demand: product.then_some(Demand::AtLeast(1.0)),
        },
    })
}

/// Speedup over the same engine with one worker.
fn speedup(row: &Row, rows: &[Row]) -> Option<f64> {
    let alone = Label { engine: row.label.engine, workers: 1 };
    let alone = rows.iter().find(|other| other.label == alone)?;
    Some(median_ratio(&alone.timing()?.elapsed, &row.timing()?.elapsed))
}

/// 10^9 lane instructions per second on one core with AVX-512.
fn plain_rate(class: Class) -> f64 {
    match class {
        Class::Product => 12.0,
        Class::Short => 4.0,
        Class::NotAffine => 3.0,
        Class::Divergent => 1.5,
    }
}

/// The same with races, bounds and initialization checked.
fn checked_rate(class: Class) -> Option<f64> {
    match class {
        Class::Product => Some(2.0),
        Class::Short => Some(0.4),
        Class::NotAffine => Some(0.35),
        Class::Divergent => None,
    }
}

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
