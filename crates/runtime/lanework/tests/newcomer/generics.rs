//! A generic kernel and a generic device function.

use lanework::prelude::*;
#[device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}
#[kernel]
fn blend<T: Element + Float>(a: &[T], b: &[T], t: T, out: &mut [T]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i < out.len() {
        out[i] = lerp(a[i], b[i], t).clamp(T::ZERO, T::ONE);
    }
}
#[test]
fn blends() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (a, b) = (device.upload(&[0.0f64, 0.5, 1.0])?, device.upload(&[1.0f64, 0.5, 4.0])?);
    let mut out = device.zeros::<f64>(3)?;
    blend(&a, &b, 0.5, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [0.5, 0.5, 1.0]);
    Ok(())
}
