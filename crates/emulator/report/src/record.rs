//! Records of a profile, as plain data with a stable JSON schema, and the text of the source lines that they name.

use lanework_emulator::Counters;
use lanework_emulator::sanitize::source_file;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// The profile of a kernel, as a whole and line by line.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ProfileRecord {
    /// The entry.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// The GPU that occupancy and caches are modeled for.
    pub gpu: String,
    /// The counted blocks, if only some were counted.
    pub sampled: Option<SampleRecord>,
    /// Resource usage of the kernel.
    pub resources: ResourcesRecord,
    /// The counters of the whole kernel.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Those on tensor cores, by the type of their operands.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub tensor_flops: BTreeMap<TensorType, u64>,
    /// Bytes of all sectors of global and local memory.
    pub sector_bytes: u64,
    /// Floating-point operations per byte of `sector_bytes`; `None` if that is 0.
    pub intensity: Option<f64>,
    /// Lines, in source order.
    pub lines: Vec<LineRecord>,
    /// Modeled cache hit rates; `None` without accesses to global memory.
    pub modeled_caches: Option<CacheRecord>,
}

/// The type of the operands of matrix products: tensor cores have a peak rate for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TensorType {
    /// 8-bit floats.
    Fp8,
    /// Half precision and bfloat16.
    Half,
    /// TF32.
    Tf32,
    /// Double precision.
    Double,
}

/// One line of source, or of PTX.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LineRecord {
    /// The file; `None` for the PTX itself.
    pub file: Option<String>,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// Numbers of the line's PTX instructions.
    pub instructions: Vec<u32>,
    /// Their names, such as `ld.global.f32`.
    pub names: Vec<String>,
    /// Its counters.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of its sectors of global and local memory.
    pub sector_bytes: u64,
    /// Floating-point operations per byte of `sector_bytes`; `None` if that is 0.
    pub intensity: Option<f64>,
    /// The line's fraction of the kernel's weight. The weight is the cycles that a multiprocessor needs
    /// for issue slots, sectors and wavefronts without overlap.
    pub share: f64,
    /// The branches at which warps diverged.
    pub branches: Vec<BranchRecord>,
    /// Remarks as text.
    pub remarks: Vec<String>,
}

/// A branch at which warps diverged.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BranchRecord {
    /// Its column in the source, 0 if unknown.
    pub column: u32,
    /// Its line in the PTX text, 0 if unknown.
    pub ptx_line: u32,
    /// Number of executions by warps.
    pub executions: u64,
    /// Number of executions at which the warp diverged.
    pub divergent: u64,
}

/// Resource usage of a kernel on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ResourcesRecord {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: spilled registers and arrays.
    pub spill_bytes: u32,
    /// Bytes of shared memory per block, static and dynamic.
    pub shared_bytes: u32,
    /// Threads per block.
    pub threads: u32,
    /// Resident blocks per multiprocessor.
    pub resident_blocks: u32,
    /// Resident warps as a fraction of the maximum.
    pub occupancy: f64,
    /// The resource that limits the resident blocks.
    pub limiter: &'static str,
    /// Whether registers and spills are estimated from the PTX rather than reported by the driver.
    pub estimated: bool,
}

/// The counted part of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SampleRecord {
    /// Number of counted blocks.
    pub blocks_counted: u64,
    /// Number of blocks in the grid.
    pub blocks: u64,
}

/// Results of the cache model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CacheRecord {
    /// The GPU that was modeled.
    pub gpu: String,
    /// Number of blocks whose accesses were replayed: the first ones of the grid.
    pub blocks: u64,
    /// Bytes of L1 that shared memory leaves on each multiprocessor.
    pub l1_bytes: u64,
    /// Sectors that loads requested from the L1.
    pub l1_sectors: u64,
    /// Number of these sectors that hit the L1.
    pub l1_hits: u64,
    /// Bytes of the L2.
    pub l2_bytes: u64,
    /// Sectors that loads requested from the L2 after an L1 miss.
    pub l2_sectors: u64,
    /// Number of these sectors that hit the L2.
    pub l2_hits: u64,
    /// Bytes that loads read from device memory.
    pub memory_bytes: u64,
}

/// Looks up the text of a source file that is not on this machine, such as one built into a
/// program.
type BuiltIn = fn(&str) -> Option<&'static str>;

/// The lines of source files; each file is read on first use.
#[derive(Default)]
pub struct Sources {
    held: RefCell<HashMap<Option<String>, Vec<String>>>,
    built_in: Option<BuiltIn>,
}

impl Sources {
    /// Creates sources that fall back to `built_in` if a file does not exist.
    pub fn with(built_in: BuiltIn) -> Sources {
        Sources { held: RefCell::default(), built_in: Some(built_in) }
    }

    /// Adds the text of the PTX, which has no file name.
    pub fn insert_ptx(&self, text: &str) {
        self.insert(None, text);
    }

    fn insert(&self, file: Option<&str>, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        self.held.borrow_mut().insert(file.map(str::to_owned), lines);
    }

    /// Reads the text of a file from its path, or else the built-in text.
    pub fn read(&self, file: &str) -> Option<String> {
        let built_in = || self.built_in.and_then(|read| read(file)).map(str::to_owned);
        source_file(file).or_else(built_in)
    }

    /// Returns a line of a file, or of the PTX, without surrounding spaces; empty if it does not exist.
    pub fn line(&self, file: Option<&str>, line: u32) -> String {
        let key = file.map(str::to_owned);
        let known = self.held.borrow().contains_key(&key);
        if let (Some(file), false) = (file, known) {
            self.insert(Some(file), &self.read(file).unwrap_or_default());
        }
        let held = self.held.borrow();
        let lines = held.get(&key).map(Vec::as_slice).unwrap_or_default();
        let text = lines.get((line as usize).wrapping_sub(1)).map(|line| line.trim());
        text.unwrap_or_default().to_owned()
    }
}

#[cfg(feature = "serde")]
pub mod counts {
    //! Serializes counters as JSON: an object with a member for each counter and an object for each
    //! group of the emulator's table.

    use lanework_emulator::{Counter, Counters};
    use serde::ser::{Serialize, SerializeMap, Serializer};

    /// Serializes all counters.
    ///
    /// # Errors
    /// Errors of the serializer.
    pub fn all<S: Serializer>(counters: &Counters, serializer: S) -> Result<S::Ok, S::Error> {
        Object(&counters.each()).serialize(serializer)
    }

    /// Serializes the counters with these paths, such as `global_load.sectors`, in this order.
    ///
    /// # Errors
    /// Errors of the serializer.
    pub fn some<S: Serializer>(
        counters: &Counters,
        paths: &[&str],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let each = counters.each();
        let named = |path: &&str| each.iter().find(|(counter, _)| counter.path() == *path).copied();
        let chosen: Vec<(Counter, u64)> = paths.iter().filter_map(named).collect();
        Object(&chosen).serialize(serializer)
    }

    /// Counters with their values, where counters of a group are adjacent.
    struct Object<'a>(&'a [(Counter, u64)]);

    impl Serialize for Object<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            for same in self.0.chunk_by(|(a, _), (b, _)| a.group.is_some() && a.group == b.group) {
                match same {
                    [(Counter { group: None, row }, value)] => {
                        map.serialize_entry(row.key, value)?
                    }
                    [(Counter { group: Some(group), .. }, _), ..] => {
                        map.serialize_entry(group.key, &Members(same))?;
                    }
                    _ => {}
                }
            }
            map.end()
        }
    }

    /// The counters of one group.
    struct Members<'a>(&'a [(Counter, u64)]);

    impl Serialize for Members<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(counter, value)| (counter.row.key, value)))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn groups_are_objects_and_paths_choose() {
            let counters = Counters { barriers: 3, ..Counters::default() };
            let mut text = Vec::new();
            let paths = ["global_load.requests", "global_load.sectors", "barriers"];
            some(&counters, &paths, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
            let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
            assert_eq!(json["global_load"].as_object().map(|group| group.len()), Some(2));
            assert_eq!(json["barriers"], 3);
            let mut text = Vec::new();
            all(&counters, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
            let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
            assert_eq!(json["shared_copy"]["wavefronts"], 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_ptx_are_found_and_missing_files_have_none() {
        let sources = Sources::default();
        sources.insert_ptx("one\n  two\n");
        assert_eq!(sources.line(None, 2), "two");
        assert_eq!(sources.line(None, 3), "");
        assert_eq!(sources.line(Some("/no/such/file"), 1), "");
    }

    #[test]
    fn built_in_sources_need_no_file() {
        let sources = Sources::with(|file| (file == "built/in.rs").then_some("first\nsecond"));
        assert_eq!(sources.line(Some("built/in.rs"), 2), "second");
    }
}
