//! Handles, and the functions that need only a handle: versions, settings, statuses and copies. The unimplemented
//! functions come last; they report their name and return `CUBLAS_STATUS_NOT_SUPPORTED`.
//!
//! A handle has a stream, a pointer mode, and settings that have no effect here. Scalar arguments and results are in host
//! memory (accessed during the call) or in device memory (accessed in stream order).

use crate::kind::{ElementType, Number};
use crate::{Result, Status, refuse, words};
use lanework_standin::{In, Memory, Out, begin, calls, is_allocated, store, unsupported, write};
use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard};

/// The state of a handle.
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub stream: usize,
    pub on_device: bool,
    pub atomics: i32,
    pub math: i32,
    pub multiprocessors: i32,
}

fn table() -> MutexGuard<'static, (usize, BTreeMap<usize, Handle>)> {
    static TABLE: Mutex<(usize, BTreeMap<usize, Handle>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a handle.
///
/// # Errors
/// If the driver is not the emulator's.
pub fn create() -> Result<usize> {
    begin("cuBLAS")?;
    let mut table = table();
    // Handles are aligned like pointers, because programs may check.
    table.0 += 16;
    let handle = 0x1000_0000 + table.0;
    table.1.insert(handle, Handle::default());
    Ok(handle)
}

/// Destroys a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize) -> Result {
    table().1.remove(&handle).map(drop).ok_or(Status::NotInitialized)
}

/// The state of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn get(handle: i64) -> Result<Handle> {
    match table().1.get(&(handle as usize)) {
        Some(handle) => Ok(*handle),
        None => refuse(
            Status::NotInitialized,
            "invalid handle: not created by cublasCreate, or already destroyed",
        ),
    }
}

/// Changes the state of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn set(handle: usize, change: impl FnOnce(&mut Handle)) -> Result {
    table().1.get_mut(&handle).map(change).ok_or(Status::NotInitialized)
}

impl Handle {
    /// A scalar argument, in the pointer mode of the handle.
    ///
    /// # Errors
    /// If its pointer is null.
    ///
    /// # Safety
    /// In host pointer mode, the pointer is null or valid for an element of type `kind`.
    pub unsafe fn scalar(&self, pointer: i64, kind: ElementType) -> Result<Scalar> {
        // SAFETY: this function has the contract of `Scalar::at`, for the pointer mode of the handle.
        unsafe { Scalar::at(pointer as usize, kind, self.on_device) }
    }

    /// The place of a result.
    ///
    /// # Safety
    /// In host pointer mode, the pointer is null or valid for reads and writes of the result until it is stored.
    pub unsafe fn place(&self, pointer: i64) -> Place {
        // SAFETY: this function has the contract of `Place::new`, for the pointer mode of the handle.
        unsafe { Place::new(pointer as usize, self.on_device) }
    }
}

/// A scalar.
#[derive(Clone, Copy)]
pub enum Scalar {
    Known(Number),
    OnDevice(usize, ElementType),
}

impl Scalar {
    /// The scalar at a pointer of a call.
    ///
    /// # Errors
    /// If the pointer is null.
    ///
    /// # Safety
    /// A host pointer is valid for an element of type `kind`.
    pub unsafe fn at(pointer: usize, kind: ElementType, on_device: bool) -> Result<Scalar> {
        if pointer == 0 {
            return refuse(Status::InvalidValue, "a scalar's pointer is null");
        }
        if on_device {
            return Ok(Scalar::OnDevice(pointer, kind));
        }
        // SAFETY: not null, not on the device, so by this function's contract host memory for an element of `kind`.
        let bytes = unsafe { std::slice::from_raw_parts(pointer as *const u8, kind.bytes()) };
        Ok(Scalar::Known(kind.read(bytes)))
    }

    /// The value; called in stream order.
    ///
    /// # Errors
    /// If its memory is not allocated.
    pub fn value(self) -> Result<Number> {
        match self {
            Scalar::Known(value) => Ok(value),
            Scalar::OnDevice(at, kind) => {
                let memory = Memory { at, bytes: kind.bytes() };
                // SAFETY: the slice ends with this statement, and stream order excludes writers until then.
                Ok(kind.read(unsafe { memory.bytes("a scalar") }?))
            }
        }
    }
}

/// Destination of a scalar result.
#[derive(Clone, Copy)]
pub struct Place {
    at: usize,
    on_device: bool,
}

impl Place {
    /// The place at a pointer of a call.
    ///
    /// # Safety
    /// A host pointer is null or valid for reads and writes of the result, or of all elements that [`Place::element`] selects, until the
    /// call's work is done.
    pub unsafe fn new(at: usize, on_device: bool) -> Place {
        Place { at, on_device }
    }

    /// The place of an element of an array. A null pointer stays null.
    pub fn element(self, index: usize, kind: ElementType) -> Place {
        Place { at: if self.at == 0 { 0 } else { self.at + index * kind.bytes() }, ..self }
    }

    /// Reads an element, for calls that update it.
    ///
    /// # Errors
    /// If the pointer is null, or the device memory is not allocated.
    pub fn read(self, kind: ElementType) -> Result<Number> {
        match (self.on_device, self.at) {
            (_, 0) => Err(Status::InvalidValue),
            (true, at) => {
                let memory = Memory { at, bytes: kind.bytes() };
                // SAFETY: the slice ends with this statement, and stream order excludes writers until then.
                Ok(kind.read(unsafe { memory.bytes("a number") }?))
            }
            (false, at) => {
                // SAFETY: not null, so by `Place::new`'s contract host memory for an element of `kind`.
                let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, kind.bytes()) };
                Ok(kind.read(bytes))
            }
        }
    }

    /// Stores a result.
    ///
    /// # Errors
    /// If the device memory is not allocated, or the pointer is null.
    pub fn store(self, bytes: &[u8]) -> Result {
        match (self.on_device, self.at) {
            (_, 0) => refuse(Status::InvalidValue, "the pointer for the result is null"),
            (true, at) => Ok(write(at, bytes, "the result")?),
            (false, at) => {
                // SAFETY: not null, so by `Place::new`'s contract host memory for the result.
                unsafe { (at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
        }
    }
}

/// The reported version: 13.0.
const VERSION: i32 = 130_000;

/// Stores one part of the version: major, minor or patch.
fn property(kind: i32, value: Out<'_, i32>) -> Result {
    let part =
        [13, 0, 0].get(usize::try_from(kind).unwrap_or(3)).copied().ok_or(Status::InvalidValue)?;
    store(value, part)
}

/// One setting of a handle.
fn setting<T>(handle: usize, part: impl FnOnce(&Handle) -> T) -> Result<T> {
    get(handle as i64).map(|handle| part(&handle))
}

calls! {
    "cuBLAS", Status;

    fn cublasCreate_v2(to: Out<'_, usize>) {
        let made = create()?;
        store(to, made)
    }
    fn cublasLtCreate(to: Out<'_, usize>) {
        let made = create()?;
        store(to, made)
    }
    fn cublasDestroy_v2(handle: usize) { destroy(handle) }
    fn cublasLtDestroy(handle: usize) { destroy(handle) }
    fn cublasGetVersion_v2(_handle: usize, version: Out<'_, i32>) {
        store(version, VERSION)
    }
    fn cublasGetProperty(kind: i32, value: Out<'_, i32>) {
        property(kind, value)
    }
    fn cublasLtGetProperty(kind: i32, value: Out<'_, i32>) {
        property(kind, value)
    }
    fn cublasSetWorkspace_v2(handle: usize, _memory: usize, _bytes: usize) { setting(handle, |_| ()) }
    fn cublasSetStream_v2(handle: usize, stream: usize) { set(handle, |held| held.stream = stream) }
    fn cublasGetStream_v2(handle: usize, stream: Out<'_, usize>) {
        store(stream, setting(handle, |held| held.stream)?)
    }
    fn cublasSetPointerMode_v2(handle: usize, mode: i32) { set(handle, |held| held.on_device = mode == 1) }
    fn cublasGetPointerMode_v2(handle: usize, mode: Out<'_, i32>) {
        store(mode, setting(handle, |held| i32::from(held.on_device))?)
    }
    fn cublasSetAtomicsMode(handle: usize, mode: i32) { set(handle, |held| held.atomics = mode) }
    fn cublasGetAtomicsMode(handle: usize, mode: Out<'_, i32>) {
        store(mode, setting(handle, |held| held.atomics)?)
    }
    fn cublasSetMathMode(handle: usize, mode: i32) { set(handle, |held| held.math = mode) }
    fn cublasGetMathMode(handle: usize, mode: Out<'_, i32>) {
        store(mode, setting(handle, |held| held.math)?)
    }
    fn cublasSetSmCountTarget(handle: usize, count: i32) { set(handle, |held| held.multiprocessors = count) }
    fn cublasGetSmCountTarget(handle: usize, count: Out<'_, i32>) {
        store(count, setting(handle, |held| held.multiprocessors)?)
    }
    fn cublasLoggerConfigure(_on: i32, _out: i32, _err: i32, _file: *const c_char) { Ok(()) }
    fn cublasSetLoggerCallback(_callback: usize) { Ok(()) }
    fn cublasGetLoggerCallback(callback: Out<'_, usize>) {
        store(callback, 0)
    }
    fn cublasSetMatrix(rows: i32, columns: i32, size: i32, from: In<'_, u8>, lda: i32, to: Out<'_, u8>, ldb: i32) {
        copy([rows, columns, size, lda, ldb], from, to)
    }
    fn cublasGetMatrix(rows: i32, columns: i32, size: i32, from: In<'_, u8>, lda: i32, to: Out<'_, u8>, ldb: i32) {
        copy([rows, columns, size, lda, ldb], from, to)
    }
    fn cublasSetVector(count: i32, size: i32, from: In<'_, u8>, incx: i32, to: Out<'_, u8>, incy: i32) {
        copy([1, count, size, incx, incy], from, to)
    }
    fn cublasGetVector(count: i32, size: i32, from: In<'_, u8>, incx: i32, to: Out<'_, u8>, incy: i32) {
        copy([1, count, size, incx, incy], from, to)
    }
}

/// Copies columns between host and device.
fn copy(extents: [i32; 5], from: In<'_, u8>, to: Out<'_, u8>) -> Result {
    let [rows, columns, size, lda, ldb] = extents.map(|value| usize::try_from(value).unwrap_or(0));
    if extents.iter().any(|value| *value < 0) || lda < rows || ldb < rows {
        return refuse(
            Status::InvalidValue,
            "a copy has a negative extent, or a leading dimension below its rows",
        );
    }
    for column in 0..columns {
        // SAFETY: by cuBLAS's documentation, the source has `columns` columns, `lda` elements apart, of `rows` elements. It is host memory or
        // device memory, which on the emulator is host memory, too.
        let bytes = unsafe { from.skip(column * lda * size).bytes(rows * size) };
        let target = to.address() + column * ldb * size;
        if is_allocated(target)? {
            write(target, bytes, "a copy")?;
            continue;
        }
        // SAFETY: not device memory, so host memory with `columns` columns, `ldb` elements apart, of at least `rows` elements.
        unsafe { to.at(column * ldb * size).write_bytes(bytes) };
    }
    Ok(())
}

/// cuBLAS's `cublasGetCudartVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasGetCudartVersion() -> usize {
    13_000
}

/// cuBLASLt's `cublasLtGetVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasLtGetVersion() -> usize {
    VERSION as usize
}

/// cuBLASLt's `cublasLtGetCudartVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasLtGetCudartVersion() -> usize {
    13_000
}

macro_rules! texts {
    ($($name:ident $part:tt)*) => {$(
        #[doc = concat!("cuBLAS's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(status: i32) -> *const c_char {
            words(status).$part.as_ptr()
        }
    )*};
}

texts!(cublasGetStatusName 0 cublasGetStatusString 1 cublasLtGetStatusName 0 cublasLtGetStatusString 1);

unsupported! {
    "cuBLAS", refuse, Status::NotSupported;

    "the stand-in has levels 1 to 3 and small batched systems":
    cublasAlloc cublasAsumEx cublasAsumEx_64 cublasCaxpy cublasCbdmm cublasCcopy cublasCdotc cublasCdotu cublasCgbmv
    cublasCgelsBatched cublasCgemm cublasCgemm3mBatched cublasCgemm3mBatched_64 cublasCgemm3mEx cublasCgemm3mEx_64
    cublasCgemm3mStridedBatched cublasCgemm3mStridedBatched_64 cublasCgemv cublasCgerc cublasCgeru cublasChbmv cublasChemm
    cublasChemv cublasCher cublasCher2 cublasCher2k cublasCherk cublasCherk3mEx cublasCherk3mEx_64 cublasCherkEx
    cublasCherkEx_64 cublasChpmv cublasChpr cublasChpr2 cublasCopyEx cublasCopyEx_64 cublasCrot cublasCrotg cublasCscal
    cublasCsrot cublasCsscal cublasCswap cublasCsymm cublasCsyr2k cublasCsyrk cublasCsyrk3mEx cublasCsyrk3mEx_64
    cublasCsyrkEx cublasCsyrkEx_64 cublasCtbmv cublasCtbsv cublasCtpmv cublasCtpsv cublasCtrmm cublasCtrmv cublasCtrsm
    cublasCtrsv cublasDasum cublasDaxpy cublasDbdmm cublasDcopy cublasDdot cublasDgbmv cublasDgelsBatched cublasDgemm
    cublasDgemmGroupedBatched cublasDgemmGroupedBatched_64 cublasDgemv cublasDger cublasDnrm2 cublasDrot cublasDrotg
    cublasDrotm cublasDrotmg cublasDrotmg_v2 cublasDsbmv cublasDscal cublasDspmv cublasDspr cublasDspr2 cublasDswap
    cublasDsymm cublasDsymv cublasDsyr cublasDsyr2 cublasDsyr2k cublasDsyrk cublasDtbmv cublasDtbsv cublasDtpmv cublasDtpsv
    cublasDtrmm cublasDtrmv cublasDtrsm cublasDtrsv cublasDzasum cublasDznrm2 cublasFree cublasGemmGroupedBatchedEx
    cublasGemmGroupedBatchedEx_64 cublasGetBackdoor cublasGetEmulationSpecialValuesSupport cublasGetEmulationStrategy
    cublasGetFixedPointEmulationMantissaBitOffset cublasGetFixedPointEmulationMantissaControl
    cublasGetFixedPointEmulationMaxMantissaBitCount cublasGetEnvironmentMode cublasGetError cublasGetMatrixAsync
    cublasGetMatrixAsync_64 cublasGetMatrix_64 cublasGetVectorAsync cublasGetVectorAsync_64 cublasGetVector_64
    cublasGetVersion cublasHSHgemvBatched cublasHSHgemvBatched_64 cublasHSHgemvStridedBatched cublasHSHgemvStridedBatched_64
    cublasHSSgemvBatched cublasHSSgemvBatched_64 cublasHSSgemvStridedBatched cublasHSSgemvStridedBatched_64 cublasIamaxEx
    cublasIamaxEx_64 cublasIaminEx cublasIaminEx_64 cublasIcamax cublasIcamax_v2_64 cublasIcamin cublasIcamin_v2_64
    cublasIdamax cublasIdamax_v2_64 cublasIdamin cublasIdamin_v2_64 cublasInit cublasIsamax cublasIsamax_v2_64 cublasIsamin
    cublasIsamin_v2_64 cublasIzamax cublasIzamax_v2_64 cublasIzamin cublasIzamin_v2_64 cublasLtACCMatmul
    cublasLtACCMatmulAlgoCapGetAttribute cublasLtACCMatmulAlgoCheck cublasLtACCMatmulAlgoGetHeuristic
    cublasLtACCMatmulAlgoGetIds cublasLtACCMatmulAlgoInit cublasLtAlgoCharacteristicGetAttribute cublasLtBIIMatmul
    cublasLtBIIMatmulAlgoCapGetAttribute cublasLtBIIMatmulAlgoCheck cublasLtBIIMatmulAlgoGetHeuristic
    cublasLtBIIMatmulAlgoGetIds cublasLtBIIMatmulAlgoInit cublasLtBSBMatmul cublasLtBSBMatmulAlgoCapGetAttribute
    cublasLtBSBMatmulAlgoCheck cublasLtBSBMatmulAlgoGetHeuristic cublasLtBSBMatmulAlgoGetIds cublasLtBSBMatmulAlgoInit
    cublasLtBSSMatmul cublasLtBSSMatmulAlgoCapGetAttribute cublasLtBSSMatmulAlgoCheck cublasLtBSSMatmulAlgoGetHeuristic
    cublasLtBSSMatmulAlgoGetIds cublasLtBSSMatmulAlgoInit cublasLtCCCMatmul cublasLtCCCMatmulAlgoCapGetAttribute
    cublasLtCCCMatmulAlgoCheck cublasLtCCCMatmulAlgoGetHeuristic cublasLtCCCMatmulAlgoGetIds cublasLtCCCMatmulAlgoInit
    cublasLtClearNvjetCache cublasLtCtxInit cublasLtDDDMatmul cublasLtDDDMatmulAlgoCapGetAttribute cublasLtDDDMatmulAlgoCheck
    cublasLtDDDMatmulAlgoGetHeuristic cublasLtDDDMatmulAlgoGetIds cublasLtDDDMatmulAlgoInit cublasLtGetEnvironmentMode
    cublasLtHHHMatmul cublasLtHHHMatmulAlgoCapGetAttribute cublasLtHHHMatmulAlgoCheck cublasLtHHHMatmulAlgoGetHeuristic
    cublasLtHHHMatmulAlgoGetIds cublasLtHHHMatmulAlgoInit cublasLtHSHMatmul cublasLtHSHMatmulAlgoCapGetAttribute
    cublasLtHSHMatmulAlgoCheck cublasLtHSHMatmulAlgoGetHeuristic cublasLtHSHMatmulAlgoGetIds cublasLtHSHMatmulAlgoInit
    cublasLtHSSMatmul cublasLtHSSMatmulAlgoCapGetAttribute cublasLtHSSMatmulAlgoCheck cublasLtHSSMatmulAlgoGetHeuristic
    cublasLtHSSMatmulAlgoGetIds cublasLtHSSMatmulAlgoInit cublasLtHeuristicLutSerializeEntry cublasLtHeuristicsCacheCreate
    cublasLtHeuristicsCacheDestroy cublasLtHeuristicsCacheGet cublasLtHeuristicsCacheGetCapacity cublasLtHeuristicsCachePut
    cublasLtHeuristicsCacheSetCapacity cublasLtKCCMatmul cublasLtKCCMatmulAlgoCapGetAttribute cublasLtKCCMatmulAlgoCheck
    cublasLtKCCMatmulAlgoGetHeuristic cublasLtKCCMatmulAlgoGetIds cublasLtKCCMatmulAlgoInit cublasLtKCKMatmul
    cublasLtKCKMatmulAlgoCapGetAttribute cublasLtKCKMatmulAlgoCheck cublasLtKCKMatmulAlgoGetHeuristic
    cublasLtKCKMatmulAlgoGetIds cublasLtKCKMatmulAlgoInit cublasLtLegacyGemmACC cublasLtLegacyGemmBII cublasLtLegacyGemmBSS
    cublasLtLegacyGemmCCC cublasLtLegacyGemmDDD cublasLtLegacyGemmHHH cublasLtLegacyGemmHSH cublasLtLegacyGemmHSS
    cublasLtLegacyGemmSSS cublasLtLegacyGemmTSS cublasLtLegacyGemmTST cublasLtLegacyGemmZZZ cublasLtLoggerForceDisable
    cublasLtLoggerOpenFile cublasLtLoggerSetCallback cublasLtLoggerSetFile cublasLtLoggerSetLevel cublasLtLoggerSetMask
    cublasLtMatmulAlgoCapGetAttribute cublasLtMatmulAlgoConfigGetAttribute cublasLtMatmulAlgoConfigGetAttributeRange
    cublasLtMatmulAlgoConfigSetAttribute cublasLtMatmulAlgoGetIds cublasLtMatrixTransform cublasLtMatrixTransformDescCreate
    cublasLtMatrixTransformDescDestroy cublasLtMatrixTransformDescGetAttribute cublasLtMatrixTransformDescInit_internal
    cublasLtMatrixTransformDescSetAttribute cublasLtSSSMatmul cublasLtSSSMatmulAlgoCapGetAttribute cublasLtSSSMatmulAlgoCheck
    cublasLtSSSMatmulAlgoGetHeuristic cublasLtSSSMatmulAlgoGetIds cublasLtSSSMatmulAlgoInit cublasLtSetEnvironmentMode
    cublasLtShutdownCtx cublasLtTSSMatmul cublasLtTSSMatmulAlgoCapGetAttribute cublasLtTSSMatmulAlgoCheck
    cublasLtTSSMatmulAlgoGetHeuristic cublasLtTSSMatmulAlgoGetIds cublasLtTSSMatmulAlgoInit cublasLtTSTMatmul
    cublasLtTSTMatmulAlgoCapGetAttribute cublasLtTSTMatmulAlgoCheck cublasLtTSTMatmulAlgoGetHeuristic
    cublasLtTSTMatmulAlgoGetIds cublasLtTSTMatmulAlgoInit cublasLtVCCMatmul cublasLtVCCMatmulAlgoCapGetAttribute
    cublasLtVCCMatmulAlgoCheck cublasLtVCCMatmulAlgoGetHeuristic cublasLtVCCMatmulAlgoGetIds cublasLtVCCMatmulAlgoInit
    cublasLtVCVMatmul cublasLtVCVMatmulAlgoCapGetAttribute cublasLtVCVMatmulAlgoCheck cublasLtVCVMatmulAlgoGetHeuristic
    cublasLtVCVMatmulAlgoGetIds cublasLtVCVMatmulAlgoInit cublasLtZZZMatmul cublasLtZZZMatmulAlgoCapGetAttribute
    cublasLtZZZMatmulAlgoCheck cublasLtZZZMatmulAlgoGetHeuristic cublasLtZZZMatmulAlgoGetIds cublasLtZZZMatmulAlgoInit
    cublasLt_for_cublas_BII cublasLt_for_cublas_BSS cublasLt_for_cublas_DDD cublasLt_for_cublas_HHH cublasLt_for_cublas_HSH
    cublasLt_for_cublas_HSS cublasLt_for_cublas_SSS cublasLt_for_cublas_TSS cublasLt_for_cublas_TST cublasRotEx
    cublasRotEx_64 cublasRotgEx cublasRotmEx cublasRotmEx_64 cublasRotmgEx cublasSasum cublasSaxpy cublasSbdmm cublasScasum
    cublasScnrm2 cublasScopy cublasSdot cublasSetBackdoor cublasSetBackdoorEx cublasSetEmulationSpecialValuesSupport
    cublasSetEmulationStrategy cublasSetFixedPointEmulationMantissaBitOffset cublasSetFixedPointEmulationMantissaControl
    cublasSetFixedPointEmulationMaxMantissaBitCount cublasSetEnvironmentMode cublasSetKernelStream cublasSetMatrixAsync
    cublasSetMatrixAsync_64 cublasSetMatrix_64 cublasSetVectorAsync cublasSetVectorAsync_64 cublasSetVector_64 cublasSgbmv
    cublasSgelsBatched cublasSgemm cublasSgemmGroupedBatched cublasSgemmGroupedBatched_64 cublasSgemv cublasSger
    cublasShutdown cublasSnrm2 cublasSrot cublasSrotg cublasSrotm cublasSrotmg cublasSrotmg_v2 cublasSsbmv cublasSscal
    cublasSspmv cublasSspr cublasSspr2 cublasSswap cublasSsymm cublasSsymv cublasSsyr cublasSsyr2 cublasSsyr2k cublasSsyrk
    cublasStbmv cublasStbsv cublasStpmv cublasStpsv cublasStrmm cublasStrmv cublasStrsm cublasStrsv cublasSwapEx
    cublasSwapEx_64 cublasTSSgemvBatched cublasTSSgemvBatched_64 cublasTSSgemvStridedBatched cublasTSSgemvStridedBatched_64
    cublasTSTgemvBatched cublasTSTgemvBatched_64 cublasTSTgemvStridedBatched cublasTSTgemvStridedBatched_64
    cublasUint8gemmBias cublasXerbla cublasXtCgemm cublasXtChemm cublasXtCher2k cublasXtCherk cublasXtCherkx cublasXtCreate
    cublasXtCspmm cublasXtCsymm cublasXtCsyr2k cublasXtCsyrk cublasXtCsyrkx cublasXtCtrmm cublasXtCtrsm cublasXtDestroy
    cublasXtDeviceSelect cublasXtDgemm cublasXtDspmm cublasXtDsymm cublasXtDsyr2k cublasXtDsyrk cublasXtDsyrkx cublasXtDtrmm
    cublasXtDtrsm cublasXtGetBlockDim cublasXtGetNumBoards cublasXtGetPinningMemMode cublasXtMaxBoards cublasXtSetBlockDim
    cublasXtSetCpuRatio cublasXtSetCpuRoutine cublasXtSetPinningMemMode cublasXtSgemm cublasXtSspmm cublasXtSsymm
    cublasXtSsyr2k cublasXtSsyrk cublasXtSsyrkx cublasXtStrmm cublasXtStrsm cublasXtZgemm cublasXtZhemm cublasXtZher2k
    cublasXtZherk cublasXtZherkx cublasXtZspmm cublasXtZsymm cublasXtZsyr2k cublasXtZsyrk cublasXtZsyrkx cublasXtZtrmm
    cublasXtZtrsm cublasZaxpy cublasZbdmm cublasZcopy cublasZdotc cublasZdotu cublasZdrot cublasZdscal cublasZgbmv
    cublasZgelsBatched cublasZgemm cublasZgemv cublasZgerc cublasZgeru cublasZhbmv cublasZhemm cublasZhemv cublasZher
    cublasZher2 cublasZher2k cublasZherk cublasZhpmv cublasZhpr cublasZhpr2 cublasZrot cublasZrotg cublasZscal cublasZswap
    cublasZsymm cublasZsyr2k cublasZsyrk cublasZtbmv cublasZtbsv cublasZtpmv cublasZtpsv cublasZtrmm cublasZtrmv cublasZtrsm
    cublasZtrsv;
}
