//! cuRAND's functions, and the handles of generators.

use crate::generator::{DrawRequest, Generator, GeneratorKind};
use crate::generators::sobol::{constants32, constants64, vectors32, vectors64};
use crate::{Result, Status, distribution, refuse};
use lanework_standin::{Memory, Out, begin, calls, free, store, submit, write};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The reported version: CUDA 13.0's.
const VERSION: [i32; 3] = [10, 4, 0];

/// A generator, shared by calls and captured graphs.
type Shared = Arc<Mutex<Generator>>;

/// Locks a mutex, ignoring poisoning.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

static TABLE: Mutex<(usize, BTreeMap<usize, Shared>)> = Mutex::new((0, BTreeMap::new()));

/// Creates a generator and returns its handle.
///
/// # Errors
/// If the kind is unknown, or the generator is for a device and the driver is not the emulator's.
fn add(kind: i32, host: bool) -> Result<usize> {
    let Some(kind) = GeneratorKind::of(kind) else {
        return refuse(Status::TypeError, &format!("there is no generator of type {kind}"));
    };
    if !host {
        begin("cuRAND")?;
    }
    let mut table = lock(&TABLE);
    table.0 += 16;
    let handle = 0x2000_0000 + table.0;
    table.1.insert(handle, Arc::new(Mutex::new(Generator::new(kind, host))));
    Ok(handle)
}

/// The generator of a handle.
///
/// # Errors
/// If the handle is unknown.
fn get(handle: usize) -> Result<Shared> {
    match lock(&TABLE).1.get(&handle) {
        Some(generator) => Ok(Arc::clone(generator)),
        None => refuse(
            Status::NotInitialized,
            "invalid generator: not created by curandCreateGenerator, or already destroyed",
        ),
    }
}

/// Destroys a generator.
///
/// # Errors
/// If the handle is unknown.
fn destroy(handle: usize) -> Result {
    get(handle)?;
    lock(&TABLE).1.remove(&handle);
    Ok(())
}

/// Writes the next numbers of the sequence, in stream order.
fn generate(generator: usize, to: Out<'_, u8>, count: usize, wanted: DrawRequest) -> Result {
    let shared = get(generator)?;
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
    let made = add(kind, host)?;
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
    fn curandDestroyGenerator(generator: usize) { destroy(generator) }
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
        lock(&*get(generator)?).stream = stream;
        Ok(())
    }
    fn curandSetPseudoRandomGeneratorSeed(generator: usize, seed: u64) { lock(&*get(generator)?).set_seed(seed) }
    fn curandSetGeneratorOffset(generator: usize, offset: u64) { lock(&*get(generator)?).set_offset(offset) }
    fn curandSetGeneratorOrdering(generator: usize, order: i32) { lock(&*get(generator)?).set_order(order) }
    fn curandSetQuasiRandomGeneratorDimensions(generator: usize, dimensions: u32) {
        lock(&*get(generator)?).set_dimensions(dimensions)
    }
    fn curandGenerateSeeds(generator: usize) {
        lock(&*get(generator)?).sequence();
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
