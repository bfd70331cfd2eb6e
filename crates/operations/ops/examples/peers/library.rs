//! Bindings to the shared library of peers that `scripts/peers.sh` compiles (`peers.cu` documents each function).

use lanework::{Buffer, Device, Error, Result, Storable};
use libloading::{Library, Symbol};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::rc::Rc;

/// Element types as `peers.cu` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Type {
    F32 = 0,
    F64 = 1,
    F16 = 2,
    Bf16 = 3,
    I8 = 4,
    E4m3 = 5,
    I32 = 7,
    /// f32 factors that are multiplied as TF32.
    Tf32 = 8,
    /// 8-bit floats with the tensor cores' less accurate accumulation.
    E4m3Fast = 9,
}

/// A product of row-major matrices without gaps; with `b_transposed`, B has `n` rows of `k` elements.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub batch: u32,
    pub b_transposed: bool,
    pub factors: Type,
    pub results: Type,
}

/// The peers on one device.
pub struct Peers {
    library: Library,
    device: Device,
}

type Reduce = unsafe extern "C" fn(u64, u64, usize, u64, *mut usize, u64) -> c_int;
type Prepared = *mut c_void;

/// A product prepared for cuBLASLt, with its fastest algorithm.
pub struct Fastest {
    peers: Rc<Peers>,
    prepared: Prepared,
}

impl Peers {
    /// Loads the library.
    pub fn open(path: &Path, device: &Device) -> Result<Peers> {
        device.raw_stream()?; // makes its context current
        // SAFETY: the library is compiled from `peers.cu`, whose only load-time code is the registration of CUDA's runtime.
        let library = unsafe { Library::new(path) }.map_err(|why| Error::Request {
            why: format!("cannot load {}: {why}", path.display()),
            help: "compile it with `scripts/peers.sh`, or leave out `--peers`".to_owned(),
        })?;
        Ok(Peers { library, device: device.clone() })
    }

    /// Versions of the libraries.
    pub fn versions(&self) -> Result<String> {
        let mut text = [0u8; 200];
        // SAFETY: `peers.cu` declares this signature, and writes at most `text.len()` bytes.
        unsafe {
            let function: Symbol<unsafe extern "C" fn(*mut c_char, usize) -> c_int> =
                self.function(b"peers_versions")?;
            function(text.as_mut_ptr().cast(), text.len());
        }
        Ok(text.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect())
    }

    /// # Safety
    /// `T` must be the signature that the function has in `peers.cu`.
    unsafe fn function<T>(&self, name: &[u8]) -> Result<Symbol<'_, T>> {
        // SAFETY: this function has the same contract as `Library::get`: `T` is the symbol's signature.
        unsafe { self.library.get(name) }.map_err(|why| Error::Request {
            why: format!("the peers' library lacks {}: {why}", String::from_utf8_lossy(name)),
            help: "compile it again with `scripts/peers.sh`".to_owned(),
        })
    }

    fn stream(&self) -> Result<u64> {
        Ok(self.device.raw_stream()?.unwrap_or(0))
    }

    /// Queues a device-to-device copy.
    pub fn copy<T: Storable>(&self, from: &Buffer<T>, to: &mut Buffer<T>) -> Result<()> {
        // SAFETY: `peers.cu` declares this signature; the byte count is the size of the smaller buffer.
        unsafe {
            let function: Symbol<unsafe extern "C" fn(u64, u64, usize, u64) -> c_int> =
                self.function(b"peers_copy")?;
            check(
                "copy",
                function(
                    to.address(),
                    from.address(),
                    from.bytes().min(to.bytes()) as usize,
                    self.stream()?,
                ),
            )
        }
    }

    /// Bytes of temporary memory that a function of CUB needs for `length` elements.
    pub fn temporary(&self, name: &str, length: usize) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: `peers.cu` declares this signature; without temporary memory it only computes a size.
        unsafe {
            let function: Symbol<Reduce> = self.function(name.as_bytes())?;
            check(name, function(0, 0, length, 0, &mut bytes, 0))?;
        }
        Ok(bytes.max(1))
    }

    /// Queues a function of CUB: `peers_sum`, `peers_sum_of_squares`, `peers_inclusive_scan`, `peers_inclusive_scan_i32`.
    pub fn cub<T: Storable>(
        &self,
        name: &str,
        x: &Buffer<T>,
        out: &mut Buffer<T>,
        temporary: &mut Buffer<u8>,
    ) -> Result<()> {
        let mut bytes = temporary.len();
        // SAFETY: `peers.cu` declares this signature; `bytes` is the size of `temporary`, `x.len()` is the length of `x`, and
        // `memory.rs` allocates `out` with one element per result.
        unsafe {
            let function: Symbol<Reduce> = self.function(name.as_bytes())?;
            check(
                name,
                function(
                    x.address(),
                    out.address(),
                    x.len(),
                    temporary.address(),
                    &mut bytes,
                    self.stream()?,
                ),
            )
        }
    }

    /// Queues a transpose by cuBLAS, of elements of 4 or 8 bytes.
    pub fn transpose<T: Storable>(
        &self,
        (rows, columns): (u32, u32),
        x: &Buffer<T>,
        out: &mut Buffer<T>,
    ) -> Result<()> {
        type Transpose = unsafe extern "C" fn(u64, u64, c_int, c_int, c_int, u64) -> c_int;
        let (rows, columns, bytes) = (rows as c_int, columns as c_int, size_of::<T>() as c_int);
        // SAFETY: `peers.cu` declares this signature; `memory.rs` allocates both buffers with `rows * columns` elements.
        unsafe {
            let function: Symbol<Transpose> = self.function(b"peers_transpose")?;
            check(
                "transpose",
                function(x.address(), out.address(), rows, columns, bytes, self.stream()?),
            )
        }
    }

    /// Queues a product by cuBLAS.
    pub fn product<A: Storable, C: Storable>(
        &self,
        shape: Product,
        a: &Buffer<A>,
        b: &Buffer<A>,
        c: &mut Buffer<C>,
    ) -> Result<()> {
        type Gemm = unsafe extern "C" fn(
            u64,
            u64,
            u64,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            u64,
        ) -> c_int;
        let Product { m, n, k, batch, b_transposed, factors, results } = shape;
        let [m, n, k, batch] = [m, n, k, batch].map(|extent| extent as c_int);
        // SAFETY: `peers.cu` declares this signature; `products.rs` allocates each buffer with the extents of `shape`.
        unsafe {
            let function: Symbol<Gemm> = self.function(b"peers_gemm")?;
            let addresses = (a.address(), b.address(), c.address());
            let transposed = c_int::from(b_transposed);
            let (factors, results) = (factors as c_int, results as c_int);
            check(
                "product",
                function(
                    addresses.0,
                    addresses.1,
                    addresses.2,
                    m,
                    n,
                    k,
                    batch,
                    transposed,
                    factors,
                    results,
                    self.stream()?,
                ),
            )
        }
    }

    /// Prepares a product for cuBLASLt; `None` if no algorithm supports it.
    pub fn fastest<A: Storable, C: Storable>(
        self: &Rc<Self>,
        shape: Product,
        (a, b, c): (&Buffer<A>, &Buffer<A>, &mut Buffer<C>),
        scales: Option<&Buffer<f32>>,
    ) -> Result<Option<Fastest>> {
        type Prepare = unsafe extern "C" fn(
            u64,
            u64,
            u64,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            u64,
        ) -> Prepared;
        let [m, n, k] = [shape.m, shape.n, shape.k].map(|extent| extent as c_int);
        let (factors, results) = (shape.factors as c_int, shape.results as c_int);
        self.stream()?;
        // SAFETY: `peers.cu` declares this signature; `products.rs` allocates each buffer with the extents of `shape`, and `scales`
        // with two elements.
        let prepared = unsafe {
            let function: Symbol<Prepare> = self.function(b"peers_lt_prepare")?;
            let scales = scales.map_or(0, Buffer::address);
            let transposed = c_int::from(shape.b_transposed);
            function(
                a.address(),
                b.address(),
                c.address(),
                m,
                n,
                k,
                transposed,
                factors,
                results,
                scales,
            )
        };
        Ok((!prepared.is_null()).then(|| Fastest { peers: self.clone(), prepared }))
    }
}

impl Fastest {
    /// Queues the product on these matrices.
    pub fn run<A: Storable, C: Storable>(
        &self,
        a: &Buffer<A>,
        b: &Buffer<A>,
        c: &mut Buffer<C>,
    ) -> Result<()> {
        type Run = unsafe extern "C" fn(Prepared, u64, u64, u64, u64) -> c_int;
        // SAFETY: `peers.cu` declares this signature; `products.rs` passes buffers of the same problem to `fastest` and to `run`.
        unsafe {
            let function: Symbol<Run> = self.peers.function(b"peers_lt_run")?;
            check(
                "cuBLASLt",
                function(
                    self.prepared,
                    a.address(),
                    b.address(),
                    c.address(),
                    self.peers.stream()?,
                ),
            )
        }
    }
}

impl Drop for Fastest {
    fn drop(&mut self) {
        // SAFETY: `peers.cu` declares this signature; the handle comes from `fastest`, and `drop` is its last use.
        unsafe {
            if let Ok(function) =
                self.peers.function::<unsafe extern "C" fn(Prepared)>(b"peers_lt_free")
            {
                function(self.prepared);
            }
        }
    }
}

fn check(what: &str, code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        code => Err(Error::Request {
            why: format!("the peer's {what} failed with error {code}"),
            help: "see the library's table of errors".to_owned(),
        }),
    }
}
