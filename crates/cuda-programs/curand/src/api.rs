//! cuRAND's functions.

use crate::discrete;
use crate::generator::Wanted;
use crate::handle::{self, lock};
use crate::status::{Result, Status, refuse};
use crate::vectors::{constants32, constants64, vectors32, vectors64};
use lanework_standin::{Memory, calls, free, store, submit, write};

/// The version that is stood in for: that of CUDA 13.0.
const VERSION: [i32; 3] = [10, 4, 0];

/// Writes the next numbers, in the order of the generator's stream.
///
/// # Safety
/// An address of the host has room for them.
unsafe fn generate(generator: usize, to: usize, count: usize, wanted: Wanted) -> Result {
    let shared = handle::get(generator)?;
    let (host, stream) = {
        let held = lock(&shared);
        held.check(wanted, count)?;
        (held.host, held.stream)
    };
    if count == 0 {
        return Ok(());
    }
    if to == 0 {
        return refuse(Status::LaunchFailure, "the place of the numbers is null");
    }
    let Some(length) = count.checked_mul(wanted.size()) else {
        return refuse(Status::OutOfRange, &format!("{count} numbers exceed any memory"));
    };
    if host {
        let bytes = lock(&shared).generate(wanted, count)?;
        // SAFETY: memory of the host, by the caller.
        unsafe { (to as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        return Ok(());
    }
    Memory { at: to, bytes: length }.check("the output")?;
    submit(stream, move || Ok(write(to, &lock(&shared).generate(wanted, count)?, "the output")?))
}

/// Makes a generator of a device or of the host.
///
/// # Safety
/// The pointer is null or valid.
unsafe fn create(to: *mut usize, kind: i32, host: bool) -> Result {
    if to.is_null() {
        return refuse(Status::NotInitialized, "the place of the generator is null");
    }
    let made = handle::create(kind, host)?;
    // SAFETY: by the caller.
    unsafe { store(to, made) }
}

calls! {
    "cuRAND", Status;

    fn curandCreateGenerator(to: *mut usize, kind: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, kind, false) }
    }
    fn curandCreateGeneratorHost(to: *mut usize, kind: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, kind, true) }
    }
    fn curandDestroyGenerator(generator: usize) { handle::destroy(generator) }
    fn curandGetVersion(version: *mut i32) {
        let [major, minor, patch] = VERSION;
        // SAFETY: by the caller.
        unsafe { store(version, major * 1000 + minor * 100 + patch) }
    }
    fn curandGetProperty(kind: i32, value: *mut i32) {
        let part = usize::try_from(kind).ok().and_then(|part| VERSION.get(part));
        let Some(part) = part else {
            return refuse(Status::OutOfRange, &format!("there is no property {kind}"));
        };
        // SAFETY: by the caller.
        unsafe { store(value, *part) }
    }
    fn curandSetStream(generator: usize, stream: usize) {
        lock(&*handle::get(generator)?).stream = stream;
        Ok(())
    }
    fn curandSetPseudoRandomGeneratorSeed(generator: usize, seed: u64) { lock(&*handle::get(generator)?).set_seed(seed) }
    fn curandSetGeneratorOffset(generator: usize, offset: u64) { lock(&*handle::get(generator)?).set_offset(offset) }
    fn curandSetGeneratorOrdering(generator: usize, order: i32) { lock(&*handle::get(generator)?).set_order(order) }
    fn curandSetQuasiRandomGeneratorDimensions(generator: usize, dimensions: u32) {
        lock(&*handle::get(generator)?).set_dimensions(dimensions)
    }
    fn curandGenerateSeeds(generator: usize) {
        lock(&*handle::get(generator)?).sequence();
        Ok(())
    }
    fn curandGenerate(generator: usize, to: usize, count: usize) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::Bits) }
    }
    fn curandGenerateLongLong(generator: usize, to: usize, count: usize) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::WideBits) }
    }
    fn curandGenerateUniform(generator: usize, to: usize, count: usize) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::Uniform) }
    }
    fn curandGenerateUniformDouble(generator: usize, to: usize, count: usize) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::UniformDouble) }
    }
    fn curandGenerateNormal(generator: usize, to: usize, count: usize, mean: f32, deviation: f32) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::Normal { mean, deviation }) }
    }
    fn curandGenerateNormalDouble(generator: usize, to: usize, count: usize, mean: f64, deviation: f64) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::NormalDouble { mean, deviation }) }
    }
    fn curandGenerateLogNormal(generator: usize, to: usize, count: usize, mean: f32, deviation: f32) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::LogNormal { mean, deviation }) }
    }
    fn curandGenerateLogNormalDouble(generator: usize, to: usize, count: usize, mean: f64, deviation: f64) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::LogNormalDouble { mean, deviation }) }
    }
    fn curandGeneratePoisson(generator: usize, to: usize, count: usize, mean: f64) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::Poisson { mean }) }
    }
    fn curandGeneratePoissonMethod(generator: usize, to: usize, count: usize, mean: f64, _method: i32) {
        // SAFETY: by the caller.
        unsafe { generate(generator, to, count, Wanted::Poisson { mean }) }
    }
    fn curandCreatePoissonDistribution(mean: f64, to: *mut u64) {
        if to.is_null() {
            return refuse(Status::NotInitialized, "the place of the distribution is null");
        }
        let made = discrete::create(mean)?;
        // SAFETY: by the caller.
        unsafe { store(to, made) }
    }
    fn curandDestroyDistribution(distribution: usize) {
        match free(distribution as u64) {
            Ok(()) => Ok(()),
            Err(_) => refuse(Status::NotInitialized, "a distribution was not made by curandCreatePoissonDistribution, or is destroyed"),
        }
    }
    fn curandGetDirectionVectors32(to: *mut *const u32, set: i32) {
        let vectors = match set {
            101 | 102 => vectors32(set == 102),
            _ => return refuse(Status::OutOfRange, &format!("there are no 32-bit direction vectors {set}")),
        };
        // SAFETY: by the caller.
        unsafe { store(to, vectors.as_ptr()) }
    }
    fn curandGetDirectionVectors64(to: *mut *const u64, set: i32) {
        let vectors = match set {
            103 | 104 => vectors64(set == 104),
            _ => return refuse(Status::OutOfRange, &format!("there are no 64-bit direction vectors {set}")),
        };
        // SAFETY: by the caller.
        unsafe { store(to, vectors.as_ptr()) }
    }
    fn curandGetScrambleConstants32(to: *mut *const u32) {
        // SAFETY: by the caller.
        unsafe { store(to, constants32().as_ptr()) }
    }
    fn curandGetScrambleConstants64(to: *mut *const u64) {
        // SAFETY: by the caller.
        unsafe { store(to, constants64().as_ptr()) }
    }
}
