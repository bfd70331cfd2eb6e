//! A function of two arrays, element by element, given as a closure.

use lanework::prelude::*;

/// `y[i] = f(x[i], y[i])` for every `i` of this thread.
#[device]
fn zip_in_place<T: Number>(x: &[T], y: &mut [T], f: impl Fn(T, T) -> T) {
    let stride = grid_dim.x * block_dim.x;
    let mut i = block_idx.x * block_dim.x + thread_idx.x;
    while i < y.len() {
        y[i] = f(x[i], y[i]);
        i += stride;
    }
}

/// `y = a * x + b * y`.
#[kernel]
pub fn axpby(a: f32, b: f32, x: &[f32], y: &mut [f32]) {
    zip_in_place(x, y, |x, y| a * x + b * y);
}

/// `y = max(x, y)` or, where `largest` is false, `y = min(x, y)`.
#[kernel]
pub fn extremes(x: &[i32], y: &mut [i32], #[constant] largest: bool) {
    if largest {
        zip_in_place(x, y, |x, y| x.max(y));
    } else {
        zip_in_place(x, y, |x, y| if x < y { x } else { y });
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (x, y) = (crate::values(1000), crate::values(2000)[1000..].to_vec());
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + 0.5 * y).collect();
    let (small, large) = (vec![1, 5, 3], vec![2, 4, 3]);
    for device in crate::devices("axpby") {
        let d = device.upload(&x)?;
        let mut e = device.upload(&y)?;
        axpby(2.0, 0.5, &d, &mut e).grid(2).block(128).launch(&device)?;
        crate::assert_close(&e.download()?, &expected, 1e-6);
        let a = device.upload(&small)?;
        for (largest, expected) in [(true, [2, 5, 3]), (false, [1, 4, 3])] {
            let mut b = device.upload(&large)?;
            extremes(&a, &mut b, largest).grid(1).block(32).launch(&device)?;
            assert_eq!(b.download()?, expected);
        }
    }
    Ok(())
}
