//! Random plans on the emulator's driver, compared with the definition of the transform: kinds, precisions, shapes,
//! batches and layouts, in place and out of place. Gaps in the output must stay unchanged.

use crate::common::{allocate, context, download, upload};
use crate::naive::{Number, Random, error, transform};
use half::{bf16, f16};

/// A precision: its `cudaDataType`s (real and complex), bytes, and allowed error.
#[derive(Clone, Copy, Debug)]
struct Precision {
    real: i32,
    complex: i32,
    size: usize,
    most: f64,
}

const PRECISIONS: [Precision; 4] = [
    Precision { real: 0, complex: 4, size: 4, most: 1e-6 },
    Precision { real: 1, complex: 5, size: 8, most: 1e-14 },
    Precision { real: 2, complex: 6, size: 2, most: 1e-3 },
    Precision { real: 14, complex: 15, size: 2, most: 8e-3 },
];

impl Precision {
    fn bytes(self, number: f64) -> Vec<u8> {
        match self.real {
            0 => (number as f32).to_ne_bytes().to_vec(),
            1 => number.to_ne_bytes().to_vec(),
            2 => f16::from_f64(number).to_ne_bytes().to_vec(),
            _ => bf16::from_f64(number).to_ne_bytes().to_vec(),
        }
    }

    fn number(self, bytes: &[u8]) -> f64 {
        match self.real {
            0 => f32::from_ne_bytes(bytes.try_into().unwrap()).into(),
            1 => f64::from_ne_bytes(bytes.try_into().unwrap()),
            2 => f16::from_ne_bytes(bytes.try_into().unwrap()).into(),
            _ => bf16::from_ne_bytes(bytes.try_into().unwrap()).into(),
        }
    }
}

/// Memory layout of one side, as C passes it.
#[derive(Clone, Debug)]
struct Side {
    sizes: Vec<usize>,
    extents: Vec<usize>,
    stride: usize,
    distance: usize,
    complex: bool,
}

impl Side {
    fn dense(sizes: &[usize], padded: usize, complex: bool) -> Side {
        let mut extents = sizes.to_vec();
        *extents.last_mut().unwrap() = padded;
        let distance = extents.iter().product();
        Side { sizes: sizes.to_vec(), extents, stride: 1, distance, complex }
    }

    fn random(random: &mut Random, sizes: &[usize], complex: bool, batch: usize) -> Side {
        let extents: Vec<usize> = sizes.iter().map(|size| size + random.below(3)).collect();
        let whole: usize = extents.iter().product();
        // Contiguous or interleaved transforms.
        let (stride, distance) = match random.below(2) {
            0 => {
                let stride = 1 + random.below(3);
                (stride, whole * stride + random.below(4))
            }
            _ => (batch + random.below(2), 1),
        };
        Side { sizes: sizes.to_vec(), extents, stride, distance, complex }
    }

    /// Offset of an element of a transform.
    fn place(&self, index: usize, mut element: usize) -> usize {
        let (mut at, mut step) = (index * self.distance, self.stride);
        for (size, extent) in self.sizes.iter().zip(&self.extents).rev() {
            at += element % size * step;
            element /= size;
            step *= extent;
        }
        at
    }

    fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    fn bytes(&self, batch: usize, size: usize) -> usize {
        (self.place(batch - 1, self.count() - 1) + 1) * self.element(size)
    }

    fn element(&self, size: usize) -> usize {
        size * if self.complex { 2 } else { 1 }
    }

    fn wide(&self) -> (Vec<i64>, i64, i64) {
        let extents = self.extents.iter().map(|extent| *extent as i64).collect();
        (extents, self.stride as i64, self.distance as i64)
    }
}

/// Executes one plan and compares the result.
fn compare(
    random: &mut Random,
    precision: Precision,
    sizes: &[usize],
    form: usize,
    advanced: bool,
    in_place: bool,
) {
    let batch = 1 + random.below(4);
    let mut half = sizes.to_vec();
    let last = half.len() - 1;
    half[last] = sizes[last] / 2 + 1;
    let padded = 2 * half[last];
    // Complex to complex, real to complex, complex to real.
    let shapes = [[sizes, sizes], [sizes, &half], [&half, sizes]][form];
    let complex = [[true, true], [false, true], [true, false]][form];
    let side = |random: &mut Random, at: usize| match (advanced, in_place) {
        (true, _) => Side::random(random, shapes[at], complex[at], batch),
        (_, true) if !complex[at] => Side::dense(shapes[at], padded, false),
        _ => Side::dense(shapes[at], *shapes[at].last().unwrap(), complex[at]),
    };
    let sides = [side(random, 0), side(random, 1)];
    let sizes_64: Vec<i64> = sizes.iter().map(|size| *size as i64).collect();
    let types = complex.map(|complex| if complex { precision.complex } else { precision.real });
    let [input, output] = sides.each_ref().map(Side::wide);
    let embed = |extents: &Vec<i64>| if advanced { extents.as_ptr() } else { std::ptr::null() };
    let (mut plan, mut work) = (0, 0);
    assert_eq!(call!("cufftCreate", &mut plan => &mut i32), 0);
    let made = call!("cufftXtMakePlanMany", plan => i32, sizes.len() as i32 => i32, sizes_64.as_ptr() => *const i64,
        embed(&input.0) => *const i64, input.1 => i64, input.2 => i64, types[0] => i32,
        embed(&output.0) => *const i64, output.1 => i64, output.2 => i64, types[1] => i32,
        batch as i64 => i64, &mut work => &mut usize, precision.complex => i32);
    let what =
        format!("{precision:?} {sizes:?} form {form} batch {batch} in place {in_place} {sides:?}");
    assert_eq!(made, 0, "{what}");

    let direction = if form == 2 || (form == 0 && batch.is_multiple_of(2)) { 1 } else { -1 };
    // Inputs (half spectra belong to real numbers) and expected outputs.
    let (mut inputs, mut wanted) = (vec![], vec![]);
    for _ in 0..batch {
        let round = |number: f64| precision.number(&precision.bytes(number));
        let whole: Vec<Number> = (0..sizes.iter().product())
            .map(|_| [round(random.unit()), if form == 0 { round(random.unit()) } else { 0.0 }])
            .collect();
        let kept = |all: &[Number]| -> Vec<Number> {
            all.chunks_exact(sizes[last]).flat_map(|row| &row[..half[last]]).copied().collect()
        };
        let transformed = transform(sizes, &whole, direction == 1 && form == 0);
        let (input, result) = match form {
            0 => (whole, transformed),
            1 => (whole, kept(&transformed)),
            _ => {
                // Divided by the size, because the inverse transform is not normalized.
                let scale = sizes.iter().product::<usize>() as f64;
                let part = |number: Number| number.map(|part| part / scale);
                (kept(&transformed).into_iter().map(part).collect(), whole)
            }
        };
        inputs.push(input);
        wanted.push(result);
    }

    // Memory of both sides, filled with a pattern.
    let bytes = sides.each_ref().map(|side| side.bytes(batch, precision.size));
    let room = if in_place { bytes[0].max(bytes[1]) } else { bytes[0] };
    let mut memory = vec![0x5a; room];
    for (index, input) in inputs.iter().enumerate() {
        for (element, number) in input.iter().enumerate() {
            let at = sides[0].place(index, element) * sides[0].element(precision.size);
            let stored: Vec<u8> = number[..if complex[0] { 2 } else { 1 }]
                .iter()
                .flat_map(|part| precision.bytes(*part))
                .collect();
            memory[at..at + stored.len()].copy_from_slice(&stored);
        }
    }
    let from = allocate(room);
    upload(from, &memory);
    let to = if in_place { from } else { allocate(bytes[1]) };
    if !in_place {
        memory = vec![0x5a; bytes[1]];
        upload(to, &memory);
    }
    assert_eq!(
        call!("cufftXtExec", plan => i32, from => u64, to => u64, direction => i32),
        0,
        "{what}"
    );

    let result: Vec<u8> = download(to, memory.len());
    let mut ours = vec![false; memory.len()];
    for (index, wanted) in wanted.iter().enumerate() {
        let mut got = vec![];
        for element in 0..wanted.len() {
            let at = sides[1].place(index, element) * sides[1].element(precision.size);
            let part =
                |which: usize| at + which * precision.size..at + (which + 1) * precision.size;
            let number = |which: usize| precision.number(&result[part(which)]);
            got.push(if complex[1] { [number(0), number(1)] } else { [number(0), 0.0] });
            ours[at..at + sides[1].element(precision.size)].fill(true);
        }
        let off = error(wanted, &got);
        assert!(off <= precision.most, "transform {index} is off by {off}: {what}");
    }
    for at in (0..ours.len()).filter(|at| !in_place && !ours[*at]) {
        assert_eq!(result[at], memory[at], "byte {at} is none of the output's: {what}");
    }
    assert_eq!(call!("cufftDestroy", plan => i32), 0);
}

#[test]
fn random_plans_match_the_definition() {
    context();
    let mut random = Random::new(7);
    for round in 0..600 {
        let precision = PRECISIONS[random.below(4)];
        let rank = 1 + random.below(3);
        let most: usize = [200, 24, 10][rank - 1];
        let sizes: Vec<usize> = (0..rank)
            .map(|_| match precision.size {
                2 => 1 << random.below(most.ilog2() as usize + 1),
                _ => 1 + random.below(most),
            })
            .collect();
        let (advanced, in_place) = [(false, false), (false, true), (true, false)][random.below(3)];
        compare(&mut random, precision, &sizes, round % 3, advanced, in_place);
    }
}

#[test]
fn long_and_prime_lengths_are_accurate() {
    context();
    let mut random = Random::new(3);
    for size in [1021, 1024, 1025, 3 * 5 * 7 * 11, 2 * 613, 2003] {
        for precision in &PRECISIONS[..2] {
            for form in 0..3 {
                compare(&mut random, *precision, &[size], form, false, false);
            }
        }
    }
}
