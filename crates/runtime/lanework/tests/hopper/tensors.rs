//! Tiles of tensors: random maps against a reference implementation, element by element.

use crate::{On, everywhere, next, pointer, random_words, word};
use lanework::{
    Buffer, Device, DynTensorMap, Executed, PtxArg, PtxShape, ReportKind, Result, Swizzle,
    TensorElement, Tiling,
};

pub const TENSORS: &str = include_str!("tensors.ptx");

/// A tensor, a tile of it, and the tile's start.
#[derive(Clone, Debug)]
pub struct Subject {
    pub element: TensorElement,
    pub extent: Vec<u64>,
    pub strides: Vec<u64>,
    pub tile: Vec<u32>,
    pub steps: Vec<u32>,
    pub swizzle: Swizzle,
    pub nan_outside: bool,
    pub at: Vec<i32>,
}

impl Subject {
    /// A random subject, with a tile of at most 16 KB.
    pub fn random(seed: u64, dimensions: usize) -> Subject {
        let mut state = seed * 1000 + dimensions as u64;
        let mut draw = |below: u64| next(&mut state) % below;
        let element = TensorElement::ALL[draw(TensorElement::ALL.len() as u64) as usize];
        let swizzle = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128][draw(4) as usize];
        let size = element.bytes();
        let row = match swizzle {
            Swizzle::None => 16 * (1 + draw(8)),
            // Half of them fill the swizzle's span.
            _ if draw(2) == 0 => swizzle.width(),
            _ => 16 * (1 + draw(swizzle.width() / 16)),
        };
        let mut tile = vec![(row / size) as u32];
        let mut extent = vec![1 + draw(2 * u64::from(tile[0]))];
        let mut strides = Vec::new();
        let mut bytes = if swizzle == Swizzle::None { row } else { swizzle.width() };
        let mut step = extent[0] * size;
        let mut steps = vec![1];
        for _ in 1..dimensions {
            step = (step + draw(2) * 16).next_multiple_of(16);
            strides.push(step);
            let most = (16384 / bytes).min(if dimensions > 3 { 5 } else { 24 });
            steps.push(if draw(3) == 0 { 1 + draw(4) as u32 } else { 1 });
            tile.push(1 + draw(most) as u32);
            bytes *= u64::from(tile[tile.len() - 1].div_ceil(steps[steps.len() - 1]));
            extent.push(1 + draw(2 * u64::from(tile[tile.len() - 1])));
            step *= extent[extent.len() - 1];
        }
        let at = (0..dimensions)
            .map(|d| draw(extent[d] + u64::from(tile[d]) + 2) as i32 - tile[d] as i32 - 1)
            .collect();
        let nan_outside = element.is_float() && draw(2) == 0;
        Subject { element, extent, strides, tile, steps, swizzle, nan_outside, at }
    }

    fn size(&self) -> usize {
        self.element.bytes() as usize
    }

    /// Bytes of the tensor.
    fn bytes(&self) -> usize {
        let last = self.extent.len() - 1;
        match last {
            0 => (self.extent[0] as usize * self.size()).next_multiple_of(16),
            _ => (self.strides[last - 1] * self.extent[last]) as usize,
        }
    }

    fn tiling(&self) -> Tiling {
        let tiling = Tiling::new(&self.extent, &self.tile)
            .strides(&self.strides)
            .steps(&self.steps)
            .swizzle(self.swizzle);
        if self.nan_outside { tiling.nan_outside() } else { tiling }
    }

    fn map<'a>(&self, buffer: &'a Buffer<u8>) -> DynTensorMap<'a> {
        DynTensorMap::new(buffer, self.element, &self.tiling())
            .unwrap_or_else(|e| panic!("{self:?}: {e}"))
    }

    /// For each element of the tile, in the order of shared memory: its byte there, and its byte in the
    /// tensor if it is inside.
    fn places(&self) -> Vec<(usize, Option<usize>)> {
        let counts: Vec<u32> = (0..self.tile.len())
            .map(|d| if d == 0 { self.tile[0] } else { self.tile[d].div_ceil(self.steps[d]) })
            .collect();
        let all: u32 = counts.iter().product();
        let mut places = Vec::new();
        for i in 0..all {
            let mut rest = i;
            let (mut inside, mut byte) = (true, 0i64);
            for (d, count) in counts.iter().enumerate() {
                let step = if d == 0 { 1 } else { self.steps[d] };
                let at = i64::from(self.at[d]) + i64::from(rest % count * step);
                rest /= count;
                inside &= (0..self.extent[d] as i64).contains(&at);
                byte += at * if d == 0 { self.size() as i64 } else { self.strides[d - 1] as i64 };
            }
            // With a swizzle, rows start at multiples of its span.
            let row = self.tile[0] as usize * self.size();
            let pitch = match self.swizzle {
                Swizzle::None => row,
                swizzle => swizzle.width() as usize,
            };
            let within = i as usize * self.size();
            let plain = within / row * pitch + within % row;
            let (line, chunk) = (plain / 128, plain / 16 % 8);
            let moved = match self.swizzle {
                Swizzle::None => chunk,
                Swizzle::B32 => chunk ^ (line & 1),
                Swizzle::B64 => chunk ^ (line & 3),
                Swizzle::B128 => chunk ^ (line & 7),
                Swizzle::B128By32 => chunk ^ (line & 3) << 1,
            };
            places.push((line * 128 + moved * 16 + plain % 16, inside.then_some(byte as usize)));
        }
        places
    }

    /// Whether a GPU faults at this start. Every operation must start at a multiple of 16 bytes, and operations other
    /// than loads must not start before the tensor.
    fn is_refused(&self, load: bool) -> bool {
        let first = i64::from(self.at[0]) * self.size() as i64;
        first % 16 != 0 || !load && self.at.iter().any(|at| *at < 0)
    }

    /// The bytes of an element outside the tensor: NaN or zero.
    fn outside(&self) -> [u8; 8] {
        if self.nan_outside { self.element.nan().to_le_bytes() } else { [0; 8] }
    }

    /// Shared memory after a load, from bytes of 0xEE.
    fn loaded(&self, tensor: &[u8], bytes: usize) -> Vec<u8> {
        let mut shared = vec![0xEE; bytes];
        for (to, from) in self.places() {
            let value = match from {
                Some(from) => &tensor[from..from + self.size()],
                None => &self.outside()[..self.size()],
            };
            shared[to..to + self.size()].copy_from_slice(value);
        }
        shared
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn coordinates(at: &[i32]) -> PtxArg<'static> {
    PtxArg::Bytes(at.iter().flat_map(|c| c.to_le_bytes()).collect())
}

/// Loads a tile, and returns the first byte of shared memory that differs from the expectation.
///
/// # Errors
/// The error of the device.
pub fn load(on: &On, subject: &Subject, seed: u64) -> Result<Option<usize>> {
    let tensor = random_words(subject.bytes().div_ceil(4), seed);
    let from = on.upload(&tensor);
    let map = subject.map(&from);
    let words = (map.shared_bytes() as usize).next_multiple_of(128) / 4 + 32;
    let to = on.upload(&vec![0; words]);
    let entry = format!("load_{}d", subject.at.len());
    let shape = PtxShape::new(1, 64).shared_bytes(words as u32 * 4);
    let arguments = [
        PtxArg::Map(&map),
        coordinates(&subject.at),
        word(map.tile_bytes() as u32),
        pointer(&to),
        word(words as u32),
    ];
    on.run((&entry, shape), &arguments)?;
    let expected = subject.loaded(&bytes_of(&tensor), words * 4);
    let found = to.download()?;
    Ok((0..words * 4).find(|i| found[*i] != expected[*i]))
}

/// Stores a tile, and returns the first byte of the tensor that differs from the expectation.
///
/// # Errors
/// The error of the device.
pub fn store(on: &On, subject: &Subject, seed: u64) -> Result<Option<usize>> {
    let before = random_words(subject.bytes().div_ceil(4), seed);
    let to = on.upload(&before);
    let map = subject.map(&to);
    let words = (map.shared_bytes() as usize).next_multiple_of(128) / 4;
    let tile = random_words(words, seed + 1);
    let from = on.upload(&tile);
    let entry = format!("store_{}d", subject.at.len());
    let shape = PtxShape::new(1, 64).shared_bytes(words as u32 * 4);
    let arguments =
        [PtxArg::Map(&map), coordinates(&subject.at), pointer(&from), word(words as u32)];
    on.run((&entry, shape), &arguments)?;
    let (mut expected, tile) = (bytes_of(&before), bytes_of(&tile));
    let size = subject.size();
    // Stores write full 16-byte chunks, even beyond the end of a row.
    for chunk in subject.places().chunks(16 / size) {
        if let (from, Some(to)) = chunk[0] {
            expected[to..to + 16].copy_from_slice(&tile[from..from + 16]);
        }
    }
    let found = to.download()?;
    Ok((0..expected.len()).find(|i| found[*i] != expected[*i]))
}

/// Adds a tile of words, and returns the first byte of the tensor that differs from the
/// expectation.
///
/// # Errors
/// The error of the device.
pub fn add(on: &On, subject: &Subject, seed: u64) -> Result<Option<usize>> {
    let before: Vec<u32> = random_words(subject.bytes() / 4, seed);
    let to = on.upload(&before);
    let map = subject.map(&to);
    let words = (map.shared_bytes() as usize).next_multiple_of(128) / 4;
    let tile = random_words(words, seed + 1);
    let from = on.upload(&tile);
    let shape = PtxShape::new(1, 64).shared_bytes(words as u32 * 4);
    let arguments =
        [PtxArg::Map(&map), coordinates(&subject.at), pointer(&from), word(words as u32), word(0)];
    on.run(("reduce_2d", shape), &arguments)?;
    let mut expected = before.clone();
    for (from, to) in subject.places() {
        if let Some(to) = to {
            expected[to / 4] = expected[to / 4].wrapping_add(tile[from / 4]);
        }
    }
    let (found, expected) = (to.download()?, bytes_of(&expected));
    Ok((0..expected.len()).find(|i| found[*i] != expected[*i]))
}

#[test]
fn random_tiles_are_loaded() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        for dimensions in 1..=5 {
            for seed in 0..96 {
                let subject = Subject::random(seed, dimensions);
                if subject.is_refused(true) {
                    continue;
                }
                let first = load(on, &subject, seed).unwrap_or_else(|e| panic!("{subject:?}: {e}"));
                assert_eq!(first, None, "seed {seed}: {subject:?} on {}", on.device.info().id);
            }
        }
    });
}

#[test]
fn random_tiles_are_stored() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        for dimensions in 1..=3 {
            for seed in 100..260 {
                let subject = Subject::random(seed, dimensions);
                if subject.is_refused(false) {
                    continue;
                }
                let first =
                    store(on, &subject, seed).unwrap_or_else(|e| panic!("{subject:?}: {e}"));
                assert_eq!(first, None, "seed {seed}: {subject:?} on {}", on.device.info().id);
            }
        }
    });
}

/// A matrix of words or floats, with tiles of 8 by 4.
fn small(element: TensorElement, at: [i32; 2]) -> Subject {
    Subject {
        element,
        extent: vec![20, 10],
        strides: vec![80],
        tile: vec![8, 4],
        steps: vec![1, 1],
        swizzle: Swizzle::None,
        nan_outside: false,
        at: at.to_vec(),
    }
}

#[test]
fn tiles_are_reduced_into_existing_elements() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        for at in [[0, 0], [16, 8], [4, 3], [24, 0]] {
            for (element, most) in
                [(TensorElement::U32, 0), (TensorElement::I32, 1), (TensorElement::F32, 0)]
            {
                let float = element == TensorElement::F32;
                let value = |i: u32| if float { (i as f32 * 0.25).to_bits() } else { i };
                let before: Vec<u32> = (0..200).map(|i| value(i * 7 % 90)).collect();
                let tile: Vec<u32> = (0..32).map(|i| value(i * 11 % 70)).collect();
                let subject = small(element, at);
                let (to, from) = (on.upload(&before), on.upload(&tile));
                let map = subject.map(&to);
                let shape = PtxShape::new(3, 32).shared_bytes(128);
                let arguments =
                    [PtxArg::Map(&map), coordinates(&at), pointer(&from), word(32), word(most)];
                on.run(("reduce_2d", shape), &arguments).expect("runs");
                let mut expected = before.clone();
                for (from, to) in subject.places() {
                    let Some(to) = to else { continue };
                    let (old, new) = (expected[to / 4], tile[from / 4]);
                    expected[to / 4] = match (most, float) {
                        (1, _) => old.max(new),
                        (_, true) => (f32::from_bits(old) + 3.0 * f32::from_bits(new)).to_bits(),
                        _ => old + 3 * new,
                    };
                }
                assert_eq!(on.download(&to), expected, "{element:?} at {at:?}");
            }
        }
    });
}

/// On a GPU such a kernel faults, and the process can no longer use the GPU. So it runs only on
/// the emulator.
#[test]
fn reductions_that_fault_on_a_gpu_are_rejected() {
    let device = lanework::Device::emulator();
    let module = device.load_ptx(TENSORS).expect("loads");
    for (element, at, most, why) in [
        (TensorElement::U32, [-4, 0], 0, "before the tensor"),
        (TensorElement::U32, [5, 3], 0, "not a multiple of 16"),
        (TensorElement::F32, [0, 0], 1, "no reduction `.max` of .f32"),
    ] {
        let to = device.upload(&[0u8; 800]).expect("memory");
        let map = small(element, at).map(&to);
        let arguments = [PtxArg::Map(&map), coordinates(&at), pointer(&to), word(32), word(most)];
        let shape = PtxShape::new(1, 32).shared_bytes(128);
        // SAFETY: the emulator checks every access.
        let said = unsafe { module.launch("reduce_2d", shape, &arguments) }.expect_err("refused");
        assert!(said.to_string().contains(why), "{said}");
    }
}

#[test]
fn a_pipeline_of_tiles_transposes() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        for (rows, columns, blocks) in
            [(32u32, 32u32, 1), (96, 64, 2), (100, 200, 3), (160, 36, 40)]
        {
            let input = random_words((rows * columns) as usize, 4);
            let (from, to) = (on.upload(&input), on.upload(&vec![0; input.len()]));
            let tiling = |across: u32, down: u32| {
                Tiling::new(&[across.into(), down.into()], &[32, 32]).swizzle(Swizzle::B128)
            };
            let source = DynTensorMap::new(&from, TensorElement::U32, &tiling(columns, rows));
            let target = DynTensorMap::new(&to, TensorElement::U32, &tiling(rows, columns));
            let (source, target) = (source.expect("a map"), target.expect("a map"));
            let arguments = [
                PtxArg::Map(&source),
                PtxArg::Map(&target),
                word(columns.div_ceil(32)),
                word(rows.div_ceil(32)),
            ];
            let shape = PtxShape::new(blocks, 256).shared_bytes(4 * 4096);
            on.run(("transpose", shape), &arguments).expect("runs");
            let expected: Vec<u32> = (0..rows * columns)
                .map(|i| input[(i % rows * columns + i / rows) as usize])
                .collect();
            assert!(on.download(&to) == expected, "{rows} x {columns} by {blocks} blocks");
        }
    });
}

#[test]
fn two_blocks_load_for_both() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        let input = random_words(32 * 128, 8);
        let (from, to) = (on.upload(&input), on.upload(&[0; 8192]));
        let map = DynTensorMap::new(&from, TensorElement::U32, &Tiling::new(&[32, 128], &[16, 32]));
        let map = map.expect("a map");
        on.run(("halves", PtxShape::new(8, 96)), &[PtxArg::Map(&map), pointer(&to)]).expect("runs");
        let expected: Vec<u32> = (0..8192)
            .map(|i| {
                let (block, half, row, column) = (i / 1024, i / 512 % 2, i / 16 % 32, i % 16);
                input[(block / 2 * 32 + row) * 32 + half * 16 + column]
            })
            .collect();
        assert_eq!(on.download(&to), expected);
    });
}

#[test]
fn invalid_maps_and_maps_of_other_devices_are_rejected() {
    everywhere("tiles of tensors", TENSORS, |on: &On| {
        let buffer = on.upload(&[0; 256]);
        let refuse = |tiling: Tiling| {
            let map = DynTensorMap::new(&buffer, TensorElement::F32, &tiling);
            map.expect_err("breaks a rule").to_string()
        };
        let said = refuse(Tiling::new(&[16, 17], &[16, 16]));
        assert!(said.contains("spans 1088 bytes, its buffer has 1024"), "{said}");
        let said = refuse(Tiling::new(&[15, 16], &[16, 16]));
        assert!(said.contains("60 bytes is not a multiple of 16"), "{said}");
        let said = refuse(Tiling::new(&[16, 16], &[64, 1]).swizzle(Swizzle::B128));
        assert!(said.contains("more than the 128 of its swizzle"), "{said}");
        let other = lanework::Device::emulator_with(lanework::emulator::Options::default());
        let elsewhere = other.upload(&[0u8; 1024]).expect("memory");
        let map =
            DynTensorMap::new(&elsewhere, TensorElement::F32, &Tiling::new(&[16, 16], &[16, 16]));
        let map = map.expect("a map");
        let arguments =
            [PtxArg::Map(&map), coordinates(&[0, 0]), word(1024), pointer(&buffer), word(256)];
        let shape = PtxShape::new(1, 32).shared_bytes(1024);
        let said = on.run(("load_2d", shape), &arguments).expect_err("not of this device");
        assert!(said.to_string().contains("another device"), "{said}");
    });
}

#[test]
fn tile_accesses_are_checked() -> Result<()> {
    let device = Device::emulator().sanitized();
    let module = device.load_ptx(TENSORS)?;
    let on = On { device, module };
    let kinds = |found: Result<Option<Executed>>| -> Vec<ReportKind> {
        let reports = found.err().map_or(Vec::new(), |error| error.reports().to_vec());
        reports.iter().map(|report| report.kind).collect()
    };
    let subject = Subject {
        element: TensorElement::U32,
        extent: vec![64, 8],
        strides: vec![256],
        tile: vec![16, 4],
        steps: vec![1, 1],
        swizzle: Swizzle::None,
        nan_outside: false,
        at: vec![56, 6],
    };
    // The tile covers the last eight columns of the last two rows; the rest of it is outside.
    let load = |from: &Buffer<u8>| {
        let map = subject.map(from);
        let to = on.upload(&[0; 96]);
        let shape = PtxShape::new(1, 64).shared_bytes(96 * 4);
        let rest = [coordinates(&subject.at), word(256), pointer(&to), word(96)];
        let arguments: Vec<PtxArg<'_>> = [PtxArg::Map(&map)].into_iter().chain(rest).collect();
        kinds(on.run(("load_2d", shape), &arguments))
    };
    let unwritten = on.device.uninit::<u8>(64 * 8 * 4)?;
    assert_eq!(load(&unwritten), [ReportKind::Uninitialized]);
    let mut partly = on.device.uninit::<u8>(64 * 8 * 4)?;
    for row in [6, 7] {
        partly.upload_part(row * 256 + 224, &[1; 32])?;
    }
    assert_eq!(load(&partly), []);
    // Two blocks store the same tile, or add to it.
    let store = |entry: &str, blocks: u32, add: bool| {
        let to = on.device.zeros::<u8>(64 * 8 * 4).expect("memory");
        let map = subject.map(&to);
        let from = on.upload(&[1; 96]);
        let shape = PtxShape::new(blocks, 64).shared_bytes(96 * 4);
        let mut arguments =
            vec![PtxArg::Map(&map), coordinates(&subject.at), pointer(&from), word(96)];
        arguments.extend(add.then(|| word(0)));
        kinds(on.run((entry, shape), &arguments))
    };
    assert_eq!(store("store_2d", 1, false), []);
    assert_eq!(store("store_2d", 2, false), [ReportKind::Race]);
    assert_eq!(store("reduce_2d", 2, true), []);
    // The tile has 256 bytes: the first array has room for it, the second one is too small.
    for (bytes, expected) in [(256, vec![]), (240, vec![ReportKind::OutOfBounds])] {
        let array = format!(".shared .align 1024 .b8 tile[{bytes}];");
        let text = TENSORS.replace(".extern .shared .align 1024 .b8 tile[];", &array);
        assert_ne!(text, TENSORS);
        let device = Device::emulator().sanitized();
        let module = device.load_ptx(&text)?;
        let on = On { device, module };
        let from = on.upload(&[1; 64 * 8]);
        let (map, to) = (subject.map(&from), on.upload(&[0; 4]));
        let shape = PtxShape::new(1, 64).shared_bytes(1024);
        let rest = [coordinates(&subject.at), word(256), pointer(&to), word(0)];
        let arguments: Vec<PtxArg<'_>> = [PtxArg::Map(&map)].into_iter().chain(rest).collect();
        assert_eq!(kinds(on.run(("load_2d", shape), &arguments)), expected, "{bytes}");
    }
    Ok(())
}
