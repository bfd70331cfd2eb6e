//! cuRAND's functions.

use crate::distribution;
use crate::generator::DrawRequest;
use crate::generators::sobol::{constants32, constants64, vectors32, vectors64};
use crate::handle::{self, lock};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, Out, calls, free, store, submit, write};

/// The reported version: CUDA 13.0's.
const VERSION: [i32; 3] = [10, 4, 0];

/// Writes the next numbers of the sequence, in stream order.
fn generate(generator: usize, to: Out<'_, u8>, count: usize, wanted: DrawRequest) -> Result {
    let shared = handle::get(generator)?;
    let (host, stream) = {
        let held = lock(&shared);
        held.check(wanted, count)?;
        (held.host, held.stream)
    };
    if count == 0 {
        return Ok(());
    }
    if to.is_null() {
        return refuse(Status::LaunchFailure, "the pointer for the numbers is null");
    }
    let Some(length) = count.checked_mul(wanted.size()) else {
        return refuse(Status::OutOfRange, &format!("{count} numbers exceed any memory"));
    };
    if host {
        let bytes = lock(&shared).generate(wanted, count)?;
        // SAFETY: a host generator fills host memory, which by cuRAND's documentation has room for `count` numbers;
        // `bytes` are the bytes of these numbers.
        unsafe { to.write_bytes(&bytes) };
        return Ok(());
    }
    let to = to.address();
    Memory { at: to, bytes: length }.check("the output")?;
    submit(stream, move || Ok(write(to, &lock(&shared).generate(wanted, count)?, "the output")?))
}

/// Creates a generator for device or host memory.
fn create(to: Out<'_, usize>, kind: i32, host: bool) -> Result {
    if to.is_null() {
        return refuse(Status::NotInitialized, "the pointer for the generator is null");
    }
    let made = handle::create(kind, host)?;
    store(to, made)
}

calls! {
    "cuRAND", Status;

    fn curandCreateGenerator(to: Out<'_, usize>, kind: i32) {
        create(to, kind, false)
    }
    fn curandCreateGeneratorHost(to: Out<'_, usize>, kind: i32) {
        create(to, kind, true)
    }
    fn curandDestroyGenerator(generator: usize) { handle::destroy(generator) }
    fn curandGetVersion(version: Out<'_, i32>) {
        let [major, minor, patch] = VERSION;
        store(version, major * 1000 + minor * 100 + patch)
    }
    fn curandGetProperty(kind: i32, value: Out<'_, i32>) {
        let part = usize::try_from(kind).ok().and_then(|part| VERSION.get(part));
        let Some(part) = part else {
            return refuse(Status::OutOfRange, &format!("there is no property {kind}"));
        };
        store(value, *part)
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
    fn curandGenerate(generator: usize, to: Out<'_, u8>, count: usize) {
        generate(generator, to, count, DrawRequest::Bits)
    }
    fn curandGenerateLongLong(generator: usize, to: Out<'_, u8>, count: usize) {
        generate(generator, to, count, DrawRequest::WideBits)
    }
    fn curandGenerateUniform(generator: usize, to: Out<'_, u8>, count: usize) {
        generate(generator, to, count, DrawRequest::Uniform)
    }
    fn curandGenerateUniformDouble(generator: usize, to: Out<'_, u8>, count: usize) {
        generate(generator, to, count, DrawRequest::UniformDouble)
    }
    fn curandGenerateNormal(generator: usize, to: Out<'_, u8>, count: usize, mean: f32, deviation: f32) {
        generate(generator, to, count, DrawRequest::Normal { mean, deviation })
    }
    fn curandGenerateNormalDouble(generator: usize, to: Out<'_, u8>, count: usize, mean: f64, deviation: f64) {
        generate(generator, to, count, DrawRequest::NormalDouble { mean, deviation })
    }
    fn curandGenerateLogNormal(generator: usize, to: Out<'_, u8>, count: usize, mean: f32, deviation: f32) {
        generate(generator, to, count, DrawRequest::LogNormal { mean, deviation })
    }
    fn curandGenerateLogNormalDouble(generator: usize, to: Out<'_, u8>, count: usize, mean: f64, deviation: f64) {
        generate(generator, to, count, DrawRequest::LogNormalDouble { mean, deviation })
    }
    fn curandGeneratePoisson(generator: usize, to: Out<'_, u8>, count: usize, mean: f64) {
        generate(generator, to, count, DrawRequest::Poisson { mean })
    }
    fn curandGeneratePoissonMethod(generator: usize, to: Out<'_, u8>, count: usize, mean: f64, _method: i32) {
        generate(generator, to, count, DrawRequest::Poisson { mean })
    }
    fn curandCreatePoissonDistribution(mean: f64, to: Out<'_, u64>) {
        if to.is_null() {
            return refuse(Status::NotInitialized, "the pointer for the distribution is null");
        }
        let made = distribution::create_distribution(mean)?;
        store(to, made)
    }
    fn curandDestroyDistribution(distribution: usize) {
        match free(distribution as u64) {
            Ok(()) => Ok(()),
            Err(_) => refuse(Status::NotInitialized, "invalid distribution: not created by curandCreatePoissonDistribution, or already destroyed"),
        }
    }
    fn curandGetDirectionVectors32(to: Out<'_, *const u32>, set: i32) {
        let vectors = match set {
            101 | 102 => vectors32(set == 102),
            _ => return refuse(Status::OutOfRange, &format!("there are no 32-bit direction vectors {set}")),
        };
        store(to, vectors.as_ptr())
    }
    fn curandGetDirectionVectors64(to: Out<'_, *const u64>, set: i32) {
        let vectors = match set {
            103 | 104 => vectors64(set == 104),
            _ => return refuse(Status::OutOfRange, &format!("there are no 64-bit direction vectors {set}")),
        };
        store(to, vectors.as_ptr())
    }
    fn curandGetScrambleConstants32(to: Out<'_, *const u32>) {
        store(to, constants32().as_ptr())
    }
    fn curandGetScrambleConstants64(to: Out<'_, *const u64>) {
        store(to, constants64().as_ptr())
    }
}
