//! Every form of the tensor-core instructions on raw bits: the emulator reproduces the recorded
//! results of an H200 bit for bit.
//!
//! `h200.txt` holds a hash of the results of each tile of each form. On a machine with a GPU,
//! `LANEWORK_RECORD=1` rewrites it; otherwise the test compares the GPU's results with it.
#![cfg(test)]

mod forms;
mod numbers;
mod products;

use forms::Form;
use lanework::{Backend, Device, Dim3, PtxArg, PtxShape};
use std::collections::HashMap;
use std::fmt::Write;

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tensor/h200.txt");

/// The results of `form` for its first tiles.
fn run(device: &Device, form: &Form, tiles: usize) -> Result<Vec<u32>, String> {
    let module = device.load_ptx(&form.ptx).map_err(|e| e.to_string())?;
    if let Some((_, why)) = module.refused().into_iter().next() {
        return Err(why);
    }
    let words: Vec<u32> = (0..tiles).flat_map(|tile| form.operands(tile)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let input = device.upload(&bytes).map_err(|e| e.to_string())?;
    let output = device.zeros::<u8>(tiles * form.out_words() * 4).map_err(|e| e.to_string())?;
    let shape = PtxShape {
        grid: Dim3::from(tiles as u32),
        block: Dim3::from(form.threads),
        dynamic_shared: 0,
        cluster: None,
        cooperative: false,
    };
    // SAFETY: the kernel accesses the words that its form declares, and the buffers have that size.
    unsafe { module.launch("k", shape, &[PtxArg::Memory(&input), PtxArg::Memory(&output)]) }
        .map_err(|e| e.to_string())?;
    let bytes = output.download().map_err(|e| e.to_string())?;
    Ok(bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// A hash of each tile's results. All NaNs of f64 sums are considered equal.
fn hashes(form: &Form, words: &[u32]) -> Vec<u32> {
    let doubles = form.name.contains("f64");
    let hash = |tile: &[u32]| {
        let mut tile = tile.to_vec();
        for pair in tile.chunks_mut(2).filter(|_| doubles) {
            if f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0])).is_nan() {
                pair.copy_from_slice(&[0, 0x7ff8_0000]);
            }
        }
        tile.iter().fold(0x811c_9dc5u32, |hash, word| {
            (hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5)
        })
    };
    words.chunks(form.out_words()).map(hash).collect()
}

fn records() -> HashMap<String, Vec<u32>> {
    let text = std::fs::read_to_string(RECORDS).expect("the records");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let number = |hash: &str| u32::from_str_radix(hash, 16).expect("a hash");
    let record = |line: &str| {
        let (name, hashes) = line.split_once('\t').expect("a name and hashes");
        (name.to_owned(), hashes.split(' ').map(number).collect())
    };
    lines.map(record).collect()
}

/// Compares a device's results with the records.
fn compare(device: &Device, forms: &[Form]) {
    let records = records();
    let mut wrong = String::new();
    for form in forms {
        let want = records.get(&form.name).expect("every form has a record");
        match run(device, form, form.tiles()) {
            Err(why) => writeln!(wrong, "{}: {why}", form.name).unwrap(),
            Ok(words) => {
                let got = hashes(form, &words);
                let tiles: Vec<usize> = (0..want.len()).filter(|i| got[*i] != want[*i]).collect();
                if !tiles.is_empty() {
                    writeln!(wrong, "{}: tiles {tiles:?} of {}", form.name, want.len()).unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "different from an H200:\n{wrong}");
}

#[test]
fn a_gpu_reproduces_the_record() {
    for device in Device::for_tests("the tensor cores' records") {
        if device.backend() == Backend::Emulator || device.info().compute_capability != (9, 0) {
            continue;
        }
        if std::env::var("LANEWORK_RECORD").is_ok() {
            let mut text =
                "# Hashes of the results of an H200, tile by tile; made by LANEWORK_RECORD=1.\n"
                    .to_owned();
            for form in forms::all() {
                let words = run(&device, &form, form.tiles()).expect("runs");
                let hashes: Vec<String> =
                    hashes(&form, &words).iter().map(|hash| format!("{hash:08x}")).collect();
                writeln!(text, "{}\t{}", form.name, hashes.join(" ")).unwrap();
            }
            std::fs::write(RECORDS, text).expect("written");
        }
        compare(&device, &forms::all());
    }
}

#[test]
fn the_emulator_multiplies_as_an_h200_does() {
    compare(&Device::emulator(), &forms::dense());
}

#[test]
fn the_emulator_multiplies_sparse_matrices_as_an_h200_does() {
    compare(&Device::emulator(), &forms::sparse());
}

#[test]
fn the_emulator_multiplies_for_a_warpgroup_as_an_h200_does() {
    compare(&Device::emulator(), &forms::groups());
    compare(&Device::emulator(), &forms::sparse_groups());
}

#[test]
fn the_emulator_finds_matrices_in_shared_memory_where_an_h200_does() {
    compare(&Device::emulator(), &forms::places());
}

#[test]
fn the_emulator_converts_8_bit_floats_as_an_h200_does() {
    let conversions = forms::conversions().into_iter();
    let narrow = |form: &Form| form.name.contains("e4m3") || form.name.contains("e5m2");
    compare(&Device::emulator(), &conversions.filter(narrow).collect::<Vec<_>>());
}
