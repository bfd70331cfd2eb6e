//! Checksums of a GPU's recorded results, to check the emulator without a GPU.

use crate::{Case, Outputs};
use std::collections::HashMap;
use std::fmt::Write;

/// Checksums by module, case and buffer.
pub struct Recorded(HashMap<(&'static str, &'static str, &'static str), u64>);

impl Recorded {
    /// The results recorded on an H200.
    pub fn h200() -> Recorded {
        let fields = |line: &'static str| {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap_or_default();
            let key = (next(), next(), next());
            u64::from_str_radix(next(), 16).ok().map(|sum| (key, sum))
        };
        Recorded(include_str!("../recorded/h200.tsv").lines().filter_map(fields).collect())
    }

    /// The number of checksums.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the record is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares a device's results, except for the buffers that may differ.
    ///
    /// # Errors
    /// The first buffer whose checksum differs.
    pub fn agrees(&self, file: &'static str, case: &Case, outputs: &Outputs) -> Result<(), String> {
        for ((name, _), bytes) in case.buffers.iter().zip(outputs) {
            let may_differ = case.may_differ.iter().any(|(may_differ, _)| may_differ == name);
            if let Some(&sum) = self.0.get(&(file, case.name, name))
                && !may_differ
                && sum != checksum(bytes)
            {
                return Err(format!("`{name}` differs from the bits recorded on an H200"));
            }
        }
        Ok(())
    }
}

/// The lines that record a device's results: the buffers that it changed.
pub fn lines(file: &str, case: &Case, outputs: &Outputs) -> String {
    let mut lines = String::new();
    for ((name, before), after) in case.buffers.iter().zip(outputs) {
        if before != after {
            writeln!(lines, "{file}\t{}\t{name}\t{:016x}", case.name, checksum(after))
                .expect("memory");
        }
    }
    lines
}

/// FNV-1a of 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
