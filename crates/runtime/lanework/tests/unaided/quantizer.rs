//! A generic quantizer: user traits with associated types, constants and methods.
use lanework::prelude::*;

#[device]
trait Quantizer {
    const LEVELS: u32;
    const NAME_LENGTH: usize = 3;
    fn step(&self) -> f32;
    fn origin(&self) -> f32;
    fn encode(&self, x: f32) -> u32 {
        let code = ((x - self.origin()) / self.step()).round();
        (code.max(0.0) as u32).min(Self::LEVELS - 1)
    }
    fn decode(&self, code: u32) -> f32 {
        self.origin() + code as f32 * self.step()
    }
}

#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Symmetric {
    max: f32,
}

#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Affine {
    min: f32,
    max: f32,
}

#[device]
impl Quantizer for Symmetric {
    const LEVELS: u32 = 255;
    fn step(&self) -> f32 {
        2.0 * self.max / (Self::LEVELS - 1) as f32
    }
    fn origin(&self) -> f32 {
        -self.max
    }
}

#[device]
impl Quantizer for Affine {
    const LEVELS: u32 = 16;
    const NAME_LENGTH: usize = 6;
    fn step(&self) -> f32 {
        (self.max - self.min) / (Self::LEVELS - 1) as f32
    }
    fn origin(&self) -> f32 {
        self.min
    }
}

#[device]
fn round_trip<Q: Quantizer>(q: &Q, x: f32) -> (u32, f32) {
    let code = q.encode(x);
    let error = (q.decode(code) - x).abs();
    (code, error)
}

#[kernel]
fn quantize<Q: Quantizer>(q: Q, x: &[f32], codes: &mut [u8], errors: &mut [f32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= x.len() {
        return;
    }
    let (code, error) = round_trip(&q, x[i]);
    codes[i] = code as u8 + Q::NAME_LENGTH as u8 - 3;
    errors[i] = error;
}

fn check<Q: Quantizer + Copy>(q: Q) -> lanework::Result<()> {
    let x: Vec<f32> = (0..500).map(|i| (i as f32 * 0.37).sin() * 3.0).collect();
    let device = Device::emulator().sanitized();
    let (on_x, mut codes, mut errors) =
        (device.upload(&x)?, device.zeros::<u8>(500)?, device.zeros::<f32>(500)?);
    quantize(q, &on_x, &mut codes, &mut errors).grid(4).block(128).launch(&device)?;
    let mut want_codes = vec![];
    let mut want_errors = vec![];
    for &x in &x {
        let code = (((x - q.origin()) / q.step()).round().max(0.0) as u32).min(Q::LEVELS - 1);
        want_codes.push((code as u8).wrapping_add(Q::NAME_LENGTH as u8 - 3));
        want_errors.push((q.origin() + code as f32 * q.step() - x).abs());
    }
    assert_eq!(codes.download()?, want_codes);
    assert_eq!(errors.download()?, want_errors);
    Ok(())
}

#[test]
fn symmetric() -> lanework::Result<()> {
    check(Symmetric { max: 2.5 })
}

#[test]
fn affine() -> lanework::Result<()> {
    check(Affine { min: -1.0, max: 3.0 })
}
