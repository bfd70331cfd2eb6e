//! The hardware counters of a GPU for the launches of the corpus: read from Nsight Compute, and compared.

use lanework::Counters;
use lanework::emulator::Counter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The counters of a GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hardware {
    /// The GPU.
    pub gpu: String,
    /// Counts by launch and by name, without zeros. A launch that is missing is not compared: its rung is new, or its kernel
    /// changed after the recording. `scripts/fidelity.sh` on a GPU records it.
    pub launches: BTreeMap<String, BTreeMap<String, f64>>,
}

/// A counter that the emulator and the hardware both have.
struct Compared {
    counter: Counter,
    /// Its name.
    name: String,
    /// The hardware's metrics, to be added up.
    metrics: Vec<String>,
}

/// Every counter of the table that has hardware metrics; the counters of local memory are last, as in the stored
/// comparisons.
static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(|| {
    let each = Counters::default().each().into_iter();
    let mut compared: Vec<Compared> = each
        .map(|(counter, _)| Compared { counter, name: counter.name(), metrics: counter.metrics() })
        .filter(|compared| !compared.metrics.is_empty())
        .collect();
    compared.sort_by_key(|compared| compared.name.starts_with("local"));
    compared
});

/// Further recorded hardware counters, for the cache model.
const KEPT: [(&str, &str); 6] = [
    ("L1 load hits", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit"),
    ("L2 sectors", "lts__t_sectors_srcunit_tex"),
    ("L2 hits", "lts__t_sectors_srcunit_tex_lookup_hit"),
    ("L2 read sectors", "lts__t_sectors_srcunit_tex_op_read"),
    ("L2 read hits", "lts__t_sectors_srcunit_tex_op_read_lookup_hit"),
    ("DRAM bytes read", "dram__bytes_read"),
];

/// One counter of one launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// The launch.
    pub launch: String,
    /// The counter.
    pub counter: &'static str,
    /// The emulator's count.
    pub emulated: u64,
    /// The GPU's count.
    pub measured: f64,
    /// The difference relative to the GPU's count; `None` if that is zero.
    pub error: Option<f64>,
}

impl Deviation {
    /// Whether the counts differ by at most 1 %.
    pub fn within_a_hundredth(&self) -> bool {
        self.error.is_some_and(|error| error.abs() <= 0.01)
    }

    /// Why they differ, if known.
    pub fn explanation(&self) -> Option<&'static str> {
        let fits = |(launches, counters, _): &&(&[&str], &str, &str)| {
            launches.iter().any(|name| self.launch.starts_with(name))
                && self.counter.starts_with(counters)
        };
        EXPLANATIONS.iter().find(fits).map(|(_, _, why)| *why)
    }
}

/// Prefixes of launch names and counter names, and why they differ.
type Explanation = (&'static [&'static str], &'static str, &'static str);

const EXPLANATIONS: [Explanation; 17] = [
    (
        &["sum-squares/block-serial", "matmul/row-shared", "matmul/pitched"],
        "shared load",
        "ptxas unrolls the loop and vectorizes loads of neighboring words across iterations",
    ),
    (
        &[
            "sgemm/",
            "transpose.",
            "hgemm/clusters",
            "softmax/ring",
            "layer-norm/ring",
            "rms-norm/ring",
        ],
        "shared store",
        "the hardware counts some collisions of stores with other warps' accesses as bank conflicts",
    ),
    (
        &["attention/stored-scores", "scan/", "softmax/spread"],
        "shared load",
        "the hardware counts some collisions of loads with other warps' accesses as bank conflicts",
    ),
    (
        &["scan/warp-shuffle", "softmax/spread"],
        "shared store conflicts",
        "the hardware counts some collisions of stores with other warps' accesses as bank conflicts",
    ),
    (
        &["scan/one-block"],
        "shared store",
        "ptxas merges a store of zero and the following conditional store",
    ),
    (
        &["softmax/block-per-row 37", "softmax/warp-shuffle 37", "softmax/online 37"],
        "global load",
        "ptxas unrolls the loop: lanes with one more step use another load instruction",
    ),
    (&["attention/library"], "shared load", "ptxas vectorizes loads of neighboring words"),
    (
        &["attention/library"],
        "shared store",
        "not explained: `stmatrix` takes 150 to 300 wavefronts more than four per instruction; the number varies by run, and they are not counted as bank conflicts",
    ),
    (&["dgemm/library", "attention/library"], "local", "ptxas spills registers to local memory"),
    (&["scan/look-back"], "local", "ptxas keeps small arrays in registers and predicates stores"),
    (
        &["reduce."],
        "global atomic",
        "control flow depends on results of atomics, and so on the order of blocks",
    ),
    (&["types."], "local", "ptxas keeps small arrays in registers and predicates stores"),
    (
        &["sgemm/library", "sgemm/cluster-split", "matmul/library"],
        "shared load",
        "the hardware counts loads of other blocks' shared memory in a cluster under another metric",
    ),
    (
        &["sgemm/ring 130"],
        "shared load",
        "ptxas moves the last loads to the guarded stores that use them, so it loads nothing past an edge",
    ),
    (
        &[
            "sum-squares/library",
            "sum-squares/announced",
            "scan/three-phases",
            "scan/chained",
            "scan/look-back",
            "scan/library",
            "softmax/ring",
            "layer-norm/ring",
            "rms-norm/ring",
        ],
        "global",
        "blocks poll for the partial results of others: their arrival times decide how often, and which lanes leave the loop together",
    ),
    (
        &[
            "probe/global_atom_add_u64 random",
            "sweep/global_atom_exch_b64 random",
            "sweep/global_red_min_s64 random",
            "sweep/global_red_add_v4_f16 random",
            "sweep/generic_red_global random",
        ],
        "global atomic sectors",
        "a request with several pairs of equal addresses takes one more sector than the model predicts",
    ),
    (
        &["sweep/shared_atom_add_f16", "sweep/global_atom_add_f16"],
        "",
        "lanes whose sum is unchanged leave the compare-and-swap loop together",
    ),
];

/// The counts of an H200, built in.
static RECORDED: &str = include_str!("../../data/h200/fidelity.json");

impl Hardware {
    /// The compared Nsight Compute metrics, without `.sum`: those in the table of counters.
    pub fn metrics() -> impl Iterator<Item = &'static str> {
        COMPARED.iter().flat_map(|one| &one.metrics).map(String::as_str)
    }

    /// The counters of an H200.
    ///
    /// # Panics
    /// Never: a test checks that the record parses.
    pub fn recorded() -> Hardware {
        serde_json::from_str(RECORDED).expect("tested: the recorded counts are JSON of this form")
    }

    /// Adds the counts of a table from Nsight Compute (`--csv --page raw`). Its rows are the `launches` in order:
    /// lines of a name and an entry.
    ///
    /// # Errors
    /// If the table does not have one row per launch, or lacks a column.
    pub fn read(&mut self, table: &str, launches: &str) -> Result<(), String> {
        let mut rows = table.lines().filter(|line| line.starts_with('"')).map(cells);
        let header = rows.next().ok_or("the table has no header")?;
        let rows: Vec<Vec<String>> = rows.filter(|row| row[0].parse::<u64>().is_ok()).collect();
        let names: Vec<&str> =
            launches.lines().filter_map(|line| line.split('\t').next()).collect();
        if rows.len() != names.len() {
            return Err(format!("{} launches, but {} rows of counters", names.len(), rows.len()));
        }
        for (name, row) in names.into_iter().zip(rows) {
            let value = |metric: &str| {
                let column =
                    header.iter().position(|name| name.strip_suffix(".sum") == Some(metric));
                let cell = column.and_then(|column| row.get(column));
                let cell = cell.ok_or_else(|| format!("the table has no {metric}.sum"))?;
                cell.replace(',', "").parse().map_err(|_| format!("{metric} is `{cell}`"))
            };
            let mut counts = BTreeMap::new();
            for compared in COMPARED.iter() {
                let parts: Result<Vec<f64>, String> =
                    compared.metrics.iter().map(|metric| value(metric)).collect();
                counts.insert(compared.name.clone(), parts?.iter().sum());
            }
            for (name, metric) in KEPT {
                // Some tables lack them.
                if let Ok(count) = value(metric) {
                    counts.insert(name.to_owned(), count);
                }
            }
            counts.retain(|_, count: &mut f64| *count != 0.0);
            self.launches.insert(name.to_owned(), counts);
        }
        Ok(())
    }

    /// JSON with a line for each launch.
    pub fn to_json(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let lines: Vec<String> = self
            .launches
            .iter()
            .map(|(name, counts)| {
                let counts: Vec<String> = counts
                    .iter()
                    .map(|(name, count)| format!("{}: {count}", quoted(name)))
                    .collect();
                format!("    {}: {{ {} }}", quoted(name), counts.join(", "))
            })
            .collect();
        format!(
            "{{\n  \"gpu\": {},\n  \"launches\": {{\n{}\n  }}\n}}\n",
            quoted(&self.gpu),
            lines.join(",\n")
        )
    }

    /// The counters of a launch on both devices, without those that are zero on both; empty for a launch without
    /// recorded counters.
    pub fn compare(&self, launch: &str, counters: &Counters) -> Vec<Deviation> {
        let Some(counts) = self.launches.get(launch) else { return Vec::new() };
        let each = counters.each();
        let one = |compared: &'static Compared| {
            let (_, emulated) = *each.iter().find(|(counter, _)| *counter == compared.counter)?;
            let measured = counts.get(&compared.name).copied().unwrap_or(0.0);
            let error = (measured > 0.0).then(|| emulated as f64 / measured - 1.0);
            let launch = launch.to_owned();
            (emulated > 0 || measured > 0.0).then_some(Deviation {
                launch,
                counter: &compared.name,
                emulated,
                measured,
                error,
            })
        };
        COMPARED.iter().filter_map(one).collect()
    }
}

/// The cells of a line of quoted, comma-separated cells.
fn cells(line: &str) -> Vec<String> {
    let inside = line.trim().trim_start_matches('"').trim_end_matches('"');
    inside.split("\",\"").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> String {
        let metrics: Vec<&str> =
            Hardware::metrics().chain(KEPT.map(|(_, metric)| metric)).collect();
        let line = |cells: Vec<String>| format!("\"{}\"\n", cells.join("\",\""));
        let header = metrics.iter().map(|metric| format!("{metric}.sum"));
        let header = line(["ID".to_owned()].into_iter().chain(header).collect());
        let units = line(vec![String::new(); metrics.len() + 1]);
        let row = line(
            ["0".to_owned()]
                .into_iter()
                .chain(metrics.iter().map(|_| "1,000".to_owned()))
                .collect(),
        );
        format!("==PROF== hello\n{header}{units}{row}")
    }

    #[test]
    fn a_table_is_read_by_its_columns_and_atomics_are_added_up() {
        let mut hardware = Hardware::default();
        hardware.read(&table(), "one\tentry\t\n").expect("a table");
        let counts = &hardware.launches["one"];
        assert_eq!(counts["global load sectors"], 1000.0);
        assert_eq!(counts["global atomic sectors"], 2000.0);
        let back: Hardware = serde_json::from_str(&hardware.to_json()).expect("JSON");
        assert_eq!(back, hardware);
        let mut counters = Counters::default();
        counters.global_load.sectors = 1005;
        let found = hardware.compare("one", &counters);
        let sectors = found.iter().find(|one| one.counter == "global load sectors").expect("there");
        assert!(sectors.within_a_hundredth());
        assert!(!found[0].within_a_hundredth() && found[0].emulated == 0);
    }

    #[test]
    fn a_table_of_other_launches_is_refused() {
        let why = Hardware::default().read(&table(), "one\t\ntwo\t\n").expect_err("one row");
        assert!(why.contains("2 launches, but 1 rows"), "{why}");
        let why = Hardware::default().read("\"ID\"\n\"0\"\n", "one").expect_err("no columns");
        assert!(why.contains("has no l1tex__"), "{why}");
    }
}
