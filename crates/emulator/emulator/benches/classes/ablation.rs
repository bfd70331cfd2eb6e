//! The gain of each fast path: a row of the benchmark with the path and without it.

use crate::fixed;
use crate::kernel::Mode;
use crate::rows::ROWS;
use lanework_engine::ablation::FastPath;

/// The row that measures a path.
enum Measured {
    /// A row of the table.
    Row(&'static str, Mode),
    /// The histogram in global memory, by two workers.
    Histogram,
}

/// The row of each path.
fn measured(path: FastPath) -> Measured {
    use FastPath::*;
    use Measured::{Histogram, Row};
    use Mode::{Checked, Plain};
    match path {
        DirectAccess => Row("ld.global", Plain),
        LanesLoad => Row("ld.global scattered", Plain),
        WordAtomic | OwnSharedMemory => Row("red.shared.add", Plain),
        OneExchange => Row("atom.global.add one", Plain),
        DelayedReductions => Histogram,
        NarrowProducts => Row("mma.m16n8k16.f16", Plain),
        HalfWarps => Row("ld.global.v4", Checked),
        WholeLines | LineHeads => Row("st.global", Checked),
        LoadGroups => Row("ld.shared", Checked),
        ScatteredWords => Row("ld.shared scattered", Checked),
        CheckedAtomics => Row("red.shared.add", Checked),
        AtomicsOfOneWord => Row("atom.shared.add one", Checked),
    }
}

/// Rounds; each measures with and without the path.
const ROUNDS: usize = 3;

/// Prints the table.
///
/// # Errors
/// When a row cannot be measured.
pub fn print() -> Result<(), String> {
    println!("{:<20} {:<30} {:>9} {:>9} {:>6}", "fast path", "row", "without", "with", "gain");
    for path in FastPath::ALL {
        let measured = measured(path);
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (off, least) in [true, false].into_iter().zip(&mut least) {
                match off {
                    true => path.switch_off(),
                    false => FastPath::switch_all_on(),
                }
                *least = least.min(measured.time()?);
            }
        }
        let [without, with] = least;
        let gain = without / with;
        let small = if gain < 1.1 { "  below 1.1" } else { "" };
        let (name, row) = (format!("{path:?}"), measured.name());
        println!("{name:<20} {row:<30} {without:>9.1} {with:>9.1} {gain:>6.2}{small}");
    }
    Ok(())
}

impl Measured {
    fn name(&self) -> String {
        match self {
            Measured::Row(name, Mode::Checked) => format!("{name}, checked"),
            Measured::Row(name, _) => (*name).to_owned(),
            Measured::Histogram => "histogram, 2 workers (us)".to_owned(),
        }
    }

    /// The least time of some runs.
    fn time(&self) -> Result<f64, String> {
        match self {
            Measured::Row(name, mode) => {
                let row = ROWS.iter().find(|row| row.name == *name);
                crate::time(row.ok_or_else(|| format!("no row `{name}`"))?, *mode)
            }
            Measured::Histogram => Ok(fixed::histogram(2)? / 1e3),
        }
    }
}
