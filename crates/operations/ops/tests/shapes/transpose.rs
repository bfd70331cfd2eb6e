//! Permutations, transposes and copies of random shapes and strides, compared bit by bit; gaps in the output must not change.

use lanework::Device;
use lanework::lang::Storable;
use lanework_ops::{Tensor, TensorMut, permute, transpose_in_place};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// Strides of an array whose axes have the memory order `order` (outermost first), with gaps, and its length.
fn strides<const R: usize>(
    rng: &mut StdRng,
    shape: [usize; R],
    order: &[usize; R],
) -> ([usize; R], usize) {
    let gaps = rng.random_bool(0.4);
    let mut strides = [0; R];
    let mut next = if rng.random_bool(0.1) { rng.random_range(1..4) } else { 1 };
    for &axis in order.iter().rev() {
        strides[axis] = next;
        next *= shape[axis].max(1);
        if gaps && rng.random_bool(0.5) {
            next += [1, 3, 4, 8, 16][rng.random_range(0..5)];
        }
    }
    (strides, next)
}

/// One permutation of `R` axes of elements of type `T`.
fn one<T: Storable + bytemuck::Pod, const R: usize>(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
) -> Result<(), String> {
    let target = rng.random_range(0.0..(size as f64).ln()).exp();
    let mut shape = [1usize; R];
    let mut left = target;
    for (axis, extent) in shape.iter_mut().enumerate() {
        let share = if axis + 1 == R { left } else { left.powf(rng.random_range(0.0..1.0)) };
        *extent = (share.round() as usize).max(1);
        left = (left / share.max(1.0)).max(1.0);
        if rng.random_bool(0.3) {
            *extent = extent.next_multiple_of([2, 4, 16][rng.random_range(0..3)]);
        }
        if rng.random_bool(0.02) {
            *extent = 0;
        }
    }
    shape.shuffle(rng);
    let mut axes: [usize; R] = std::array::from_fn(|i| i);
    axes.shuffle(rng);
    let (mut source_order, mut output_order): ([usize; R], [usize; R]) =
        (std::array::from_fn(|i| i), std::array::from_fn(|i| i));
    if rng.random_bool(0.3) {
        source_order.shuffle(rng);
        output_order.shuffle(rng);
    }
    let (from, source_length) = strides(rng, shape, &source_order);
    let turned = axes.map(|axis| shape[axis]);
    let (to, output_length) = strides(rng, turned, &output_order);
    let first = [0, 1, 4, 16][rng.random_range(0..4)];
    let problem = format!(
        "{shape:?} by {axes:?} of {} bytes, strides {from:?} to {to:?}, first {first}",
        size_of::<T>()
    );
    let random = |rng: &mut StdRng, count: usize| -> Vec<T> {
        let mut elements = vec![T::zeroed(); count];
        rng.fill(bytemuck::cast_slice_mut::<T, u8>(&mut elements));
        elements
    };
    let (x, mut want) = (random(rng, source_length + first), random(rng, output_length + first));
    let run = |x: &[T], y: &[T]| -> lanework::Result<Vec<T>> {
        let (x, mut y) = (device.upload(x)?, device.upload(y)?);
        let source = Tensor::with_strides(&x, shape, from, first)?;
        permute(source, axes)?.run(TensorMut::with_strides(&mut y, turned, to, first)?)?;
        y.download()
    };
    let found = run(&x, &want).map_err(|error| format!("{problem}: {error}"))?;
    let mut index = [0usize; R];
    if !shape.contains(&0) {
        'all: loop {
            let at: usize = (0..R).map(|axis| index[axis] * from[axes[axis]]).sum();
            let place: usize = (0..R).map(|axis| index[axis] * to[axis]).sum();
            want[first + place] = x[first + at];
            for axis in (0..R).rev() {
                index[axis] += 1;
                if index[axis] < turned[axis] {
                    continue 'all;
                }
                index[axis] = 0;
            }
            break;
        }
    }
    let [found, want] = [&found, &want].map(|elements| bytemuck::cast_slice::<T, u8>(elements));
    match found.iter().zip(want).position(|(found, want)| found != want) {
        None => Ok(()),
        Some(at) => Err(format!("{problem}: byte {at} of the output's buffer differs")),
    }
}

pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    // The host moves one element at a time, so few problems are large.
    let size = if rng.random_bool(0.05) { size } else { size.min(200_000) };
    match rng.random_range(0..17) {
        0 => one::<u8, 2>(device, rng, size),
        1 => one::<u16, 2>(device, rng, size),
        2 => one::<f32, 2>(device, rng, size),
        3 => one::<f64, 2>(device, rng, size),
        4 => one::<[f32; 4], 2>(device, rng, size),
        5 => one::<f32, 3>(device, rng, size),
        6 => one::<u16, 3>(device, rng, size),
        7 => one::<[f32; 3], 3>(device, rng, size),
        8 => one::<u8, 4>(device, rng, size),
        9 => one::<f32, 4>(device, rng, size),
        10 => one::<u64, 5>(device, rng, size),
        11 => one::<f32, 6>(device, rng, size),
        12 => in_place::<u8>(device, rng, size),
        13 => in_place::<u16>(device, rng, size),
        14 => in_place::<f32>(device, rng, size),
        15 => in_place::<f64>(device, rng, size),
        _ => in_place::<[f32; 4]>(device, rng, size),
    }
}

/// A batch of square matrices in place.
fn in_place<T: Storable + bytemuck::Pod>(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
) -> Result<(), String> {
    let batch = rng.random_range(1..4usize);
    let most = ((size / batch) as f64).sqrt();
    let n = rng.random_range(0.0..most.ln()).exp() as usize;
    let n = if rng.random_bool(0.5) { n.next_multiple_of(16) } else { n };
    let shape = [batch, n, n];
    let order = if rng.random_bool(0.2) { [0, 2, 1] } else { [0, 1, 2] };
    let (strides, length) = strides(rng, shape, &order);
    let first = [0, 1, 4, 16][rng.random_range(0..4)];
    let mut host = vec![T::zeroed(); first + length];
    rng.fill(bytemuck::cast_slice_mut::<T, u8>(&mut host));
    let problem = format!(
        "{shape:?} in place of {} bytes, strides {strides:?}, first {first}",
        size_of::<T>()
    );
    let run = || -> lanework::Result<Vec<T>> {
        let mut x = device.upload(&host)?;
        transpose_in_place(TensorMut::with_strides(&mut x, shape, strides, first)?).run()?;
        x.download()
    };
    let found = run().map_err(|error| format!("{problem}: {error}"))?;
    for b in 0..batch {
        for i in 0..n {
            for j in 0..i {
                let [lower, upper] = [[i, j], [j, i]]
                    .map(|[i, j]| first + b * strides[0] + i * strides[1] + j * strides[2]);
                host.swap(lower, upper);
            }
        }
    }
    match bytemuck::cast_slice::<T, u8>(&found) == bytemuck::cast_slice::<T, u8>(&host) {
        true => Ok(()),
        false => Err(format!("{problem}: the result differs")),
    }
}
