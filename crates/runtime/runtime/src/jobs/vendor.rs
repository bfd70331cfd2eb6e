//! The vendor library as a baseline: cuBLAS, if it is installed.

use crate::device::{Device, Engine};
use crate::jobs::{Job, VendorCall};
use crate::{Buffer, Error, Result, Storable};
pub use lanework_cuda::GemmShape;
use std::sync::Arc;

/// cuBLAS on one GPU, in full FP32 precision (no TF32).
///
/// ```
/// use lanework::{Cublas, Device, GemmShape};
///
/// let device = Device::best();
/// if let Some(why) = Cublas::missing(&device) {
///     println!("no baseline: {why}");
///     return Ok(());
/// }
/// let cublas = Cublas::open(&device)?;
/// let (a, b) = (device.upload(&[1.0f32; 64 * 64])?, device.upload(&[2.0f32; 64 * 64])?);
/// let mut c = device.zeros::<f32>(64 * 64)?;
/// let shape = GemmShape { m: 64, n: 64, k: 64, lda: 64, ldb: 64, ldc: 64, alpha: 1.0, beta: 0.0 };
/// cublas.sgemm(shape, &a, &b, &mut c).launch()?;
/// assert_eq!(c.download()?[0], 128.0);
/// let mut transposed = device.zeros::<f32>(64 * 64)?;
/// cublas.transpose(64, 64, &a, &mut transposed).launch()?;
/// // Factors in bf16, on tensor cores.
/// let (a, b) = (device.zeros::<half::bf16>(64 * 64)?, device.zeros::<half::bf16>(64 * 64)?);
/// cublas.product_bf16(shape, &a, &b, &mut c).launch()?;
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone)]
pub struct Cublas {
    // Shared by the jobs made from it, on one thread.
    library: Arc<lanework_cuda::Cublas>,
}

impl Cublas {
    /// Why cuBLAS cannot be used on `device`, in one line; `None` if it can.
    pub fn missing(device: &Device) -> Option<String> {
        match &device.0.engine {
            Engine::Emulator(_) => Some("cuBLAS runs on GPUs only".to_owned()),
            Engine::Gpu(_) => lanework_cuda::Cublas::find().err(),
        }
    }

    /// cuBLAS on `device`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator, or if the library is not installed.
    #[expect(clippy::arc_with_non_send_sync, reason = "jobs stay on the thread that made them")]
    pub fn open(device: &Device) -> Result<Cublas> {
        let Engine::Gpu(gpu) = &device.0.engine else {
            return Err(Error::Unsupported {
                what: "cuBLAS",
                device: "the emulator".to_owned(),
                help: "use a GPU, or one of Lanework's kernels",
            });
        };
        let library = Arc::new(lanework_cuda::Cublas::open(gpu.raw())?);
        Ok(Cublas { library })
    }

    /// `C = alpha A B + beta C` of row-major f32 matrices.
    pub fn sgemm<'a>(
        &self,
        shape: GemmShape,
        a: &'a Buffer<f32>,
        b: &'a Buffer<f32>,
        c: &'a mut Buffer<f32>,
    ) -> Job<'a> {
        let (cublas, a, b, c) = (self.clone(), a.address(), b.address(), c.address());
        job(move || Ok(cublas.library.sgemm(&shape, a, b, c)?))
    }

    /// `C = alpha A B^T + beta C` of row-major bf16 factors on tensor cores, summed in f32; `B` has `n` rows.
    #[cfg(feature = "half")]
    pub fn product_bf16<'a>(
        &self,
        shape: GemmShape,
        a: &'a Buffer<half::bf16>,
        b: &'a Buffer<half::bf16>,
        c: &'a mut Buffer<f32>,
    ) -> Job<'a> {
        let (cublas, a, b, c) = (self.clone(), a.address(), b.address(), c.address());
        job(move || Ok(cublas.library.product_bf16(&shape, a, b, c)?))
    }

    /// The transpose of a row-major `rows` x `cols` matrix by `cublasSgeam`. Elements are f32, or 4-byte
    /// values that are copied as f32.
    pub fn transpose<'a, E: Storable>(
        &self,
        rows: u32,
        cols: u32,
        src: &'a Buffer<E>,
        dst: &'a mut Buffer<E>,
    ) -> Job<'a> {
        let (cublas, src, dst) = (self.clone(), src.address(), dst.address());
        job(move || Ok(cublas.library.transpose(rows, cols, src, dst)?))
    }
}

fn job<'a>(call: impl FnMut() -> Result<()> + 'a) -> Job<'a> {
    Job::Vendor(VendorCall { name: "cuBLAS", call: Box::new(call) })
}
