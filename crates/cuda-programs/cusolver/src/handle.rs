//! Handles (library contexts and settings) and their functions: streams, options and versions.
//!
//! Last come the unimplemented functions: each reports it and returns `CUSOLVER_STATUS_NOT_SUPPORTED`. They cover all other
//! functions of NVIDIA's headers (12.4.1.2), so programs that reference them still load.

use crate::{Result, Status, refuse};
use lanework_standin::{Out, begin, calls, store, unsupported};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// The object of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A context of the library, with its stream.
    Context(usize),
    /// Options of the generic functions, which have no effect here.
    Parameters,
    /// Settings of Jacobi's methods: whether to sort values.
    Jacobi(bool),
}

fn table() -> MutexGuard<'static, (usize, BTreeMap<usize, Object>)> {
    static TABLE: Mutex<(usize, BTreeMap<usize, Object>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a handle.
///
/// # Errors
/// If the driver is not the emulator's.
pub fn create(object: Object) -> Result<usize> {
    begin("cuSOLVER")?;
    let mut table = table();
    table.0 += 1;
    // Handles are never addresses of the program.
    let handle = 0x5_0000 + 16 * table.0;
    table.1.insert(handle, object);
    Ok(handle)
}

/// Reads or changes the object of a handle.
fn with<T>(handle: usize, what: &str, change: impl FnOnce(&mut Object) -> Option<T>) -> Result<T> {
    match table().1.get_mut(&handle).and_then(change) {
        Some(found) => Ok(found),
        None => refuse(
            Status::NotInitialized,
            &format!("{handle:#x} is not a handle of {what}, or is already destroyed"),
        ),
    }
}

/// Destroys a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize) -> Result {
    with(handle, "this library", |_| Some(()))?;
    table().1.remove(&handle);
    Ok(())
}

/// The stream of a context.
///
/// # Errors
/// If the context is unknown.
pub fn stream(handle: usize) -> Result<usize> {
    with(handle, "cusolverDnCreate", |held| match held {
        Object::Context(stream) => Some(*stream),
        _ => None,
    })
}

/// Sets the stream of a context.
///
/// # Errors
/// If the context is unknown.
pub fn set_stream(handle: usize, to: usize) -> Result {
    with(handle, "cusolverDnCreate", |held| match held {
        Object::Context(stream) => {
            *stream = to;
            Some(())
        }
        _ => None,
    })
}

/// Whether Jacobi's methods sort values.
///
/// # Errors
/// If the settings are unknown.
pub fn sorts(handle: usize) -> Result<bool> {
    with(handle, "settings", |held| match held {
        Object::Jacobi(sorted) => Some(*sorted),
        _ => None,
    })
}

/// Sets whether Jacobi's methods sort values.
///
/// # Errors
/// If the settings are unknown.
pub fn set_sorted(handle: usize, to: bool) -> Result {
    with(handle, "settings", |held| match held {
        Object::Jacobi(sorted) => {
            *sorted = to;
            Some(())
        }
        _ => None,
    })
}

/// The reported version: 12.0.4, of CUDA 13.0.
const VERSION: [i32; 3] = [12, 0, 4];

/// Creates a handle and stores it.
fn give(to: Out<'_, usize>, held: Object) -> Result {
    let handle = create(held)?;
    store(to, handle)
}

calls! { "cuSOLVER", Status;
    fn cusolverDnCreate(to: Out<'_, usize>) {
        give(to, Object::Context(0))
    }
    fn cusolverDnDestroy(handle: usize) { destroy(handle) }
    fn cusolverDnSetStream(handle: usize, to: usize) { set_stream(handle, to) }
    fn cusolverDnGetStream(handle: usize, to: Out<'_, usize>) {
        store(to, stream(handle)?)
    }
    fn cusolverDnSetDeterministicMode(handle: usize, _mode: i32) { stream(handle).map(drop) }
    fn cusolverDnGetDeterministicMode(handle: usize, to: Out<'_, i32>) {
        stream(handle)?;
        // Results are deterministic.
        store(to, 1)
    }
    fn cusolverDnCreateParams(to: Out<'_, usize>) {
        give(to, Object::Parameters)
    }
    fn cusolverDnDestroyParams(handle: usize) { destroy(handle) }
    fn cusolverDnSetAdvOptions(_parameters: usize, _function: i32, _algorithm: i32) { Ok(()) }
    fn cusolverDnCreateSyevjInfo(to: Out<'_, usize>) {
        give(to, Object::Jacobi(true))
    }
    fn cusolverDnDestroySyevjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXsyevjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXsyevjGetResidual(_handle: usize, info: usize, to: Out<'_, f64>) {
        sorts(info)?;
        store(to, 0.0)
    }
    fn cusolverDnXsyevjGetSweeps(_handle: usize, info: usize, to: Out<'_, i32>) {
        sorts(info)?;
        store(to, 0)
    }
    fn cusolverDnCreateGesvdjInfo(to: Out<'_, usize>) {
        give(to, Object::Jacobi(true))
    }
    fn cusolverDnDestroyGesvdjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXgesvdjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXgesvdjGetResidual(_handle: usize, info: usize, to: Out<'_, f64>) {
        sorts(info)?;
        store(to, 0.0)
    }
    fn cusolverDnXgesvdjGetSweeps(_handle: usize, info: usize, to: Out<'_, i32>) {
        sorts(info)?;
        store(to, 0)
    }
    fn cusolverGetVersion(to: Out<'_, i32>) {
        let [major, minor, patch] = VERSION;
        store(to, 1000 * major + 100 * minor + patch)
    }
    fn cusolverGetProperty(number: i32, to: Out<'_, i32>) {
        let part = usize::try_from(number).ok().and_then(|number| VERSION.get(number));
        match part {
            Some(part) => store(to, *part),
            None => refuse(Status::InvalidValue, &format!("the library has no property {number}")),
        }
    }
}

unsupported! {
    "cuSOLVER", refuse, Status::NotSupported;

    "solve with the factors of getrf or geqrf, in the precision of the data":
    cusolverDnCCgels cusolverDnCCgels_bufferSize cusolverDnCCgesv cusolverDnCCgesv_bufferSize cusolverDnCEgels cusolverDnCEgels_bufferSize
    cusolverDnCEgesv cusolverDnCEgesv_bufferSize cusolverDnCKgels cusolverDnCKgels_bufferSize cusolverDnCKgesv cusolverDnCKgesv_bufferSize
    cusolverDnCYgels cusolverDnCYgels_bufferSize cusolverDnCYgesv cusolverDnCYgesv_bufferSize cusolverDnDBgels cusolverDnDBgels_bufferSize
    cusolverDnDBgesv cusolverDnDBgesv_bufferSize cusolverDnDDgels cusolverDnDDgels_bufferSize cusolverDnDDgesv cusolverDnDDgesv_bufferSize
    cusolverDnDHgels cusolverDnDHgels_bufferSize cusolverDnDHgesv cusolverDnDHgesv_bufferSize cusolverDnDSgels cusolverDnDSgels_bufferSize
    cusolverDnDSgesv cusolverDnDSgesv_bufferSize cusolverDnDXgels cusolverDnDXgels_bufferSize cusolverDnDXgesv cusolverDnDXgesv_bufferSize
    cusolverDnIRSInfosCreate cusolverDnIRSInfosDestroy cusolverDnIRSInfosGetMaxIters cusolverDnIRSInfosGetNiters
    cusolverDnIRSInfosGetOuterNiters cusolverDnIRSInfosGetResidualHistory cusolverDnIRSInfosRequestResidual cusolverDnIRSParamsCreate
    cusolverDnIRSParamsDestroy cusolverDnIRSParamsDisableFallback cusolverDnIRSParamsEnableFallback cusolverDnIRSParamsGetMaxIters
    cusolverDnIRSParamsSetMaxIters cusolverDnIRSParamsSetMaxItersInner cusolverDnIRSParamsSetRefinementSolver
    cusolverDnIRSParamsSetSolverLowestPrecision cusolverDnIRSParamsSetSolverMainPrecision cusolverDnIRSParamsSetSolverPrecisions
    cusolverDnIRSParamsSetTol cusolverDnIRSParamsSetTolInner cusolverDnIRSXgels cusolverDnIRSXgels_bufferSize cusolverDnIRSXgesv
    cusolverDnIRSXgesv_bufferSize cusolverDnSBgels cusolverDnSBgels_bufferSize cusolverDnSBgesv cusolverDnSBgesv_bufferSize cusolverDnSHgels
    cusolverDnSHgels_bufferSize cusolverDnSHgesv cusolverDnSHgesv_bufferSize cusolverDnSSgels cusolverDnSSgels_bufferSize cusolverDnSSgesv
    cusolverDnSSgesv_bufferSize cusolverDnSXgels cusolverDnSXgels_bufferSize cusolverDnSXgesv cusolverDnSXgesv_bufferSize cusolverDnZCgels
    cusolverDnZCgels_bufferSize cusolverDnZCgesv cusolverDnZCgesv_bufferSize cusolverDnZEgels cusolverDnZEgels_bufferSize cusolverDnZEgesv
    cusolverDnZEgesv_bufferSize cusolverDnZKgels cusolverDnZKgels_bufferSize cusolverDnZKgesv cusolverDnZKgesv_bufferSize cusolverDnZYgels
    cusolverDnZYgels_bufferSize cusolverDnZYgesv cusolverDnZYgesv_bufferSize cusolverDnZZgels cusolverDnZZgels_bufferSize cusolverDnZZgesv
    cusolverDnZZgesv_bufferSize;

    "compute it on the host, or from the results of getrf, potrf, geqrf, syevd or gesvd":
    cusolverDnCgebrd cusolverDnCgebrd_bufferSize cusolverDnCgesvdaStridedBatched cusolverDnCgesvdaStridedBatched_bufferSize
    cusolverDnCheevdx cusolverDnCheevdx_bufferSize cusolverDnChegvd cusolverDnChegvd_bufferSize cusolverDnChegvdx
    cusolverDnChegvdx_bufferSize cusolverDnChegvj cusolverDnChegvj_bufferSize cusolverDnClaswp
    cusolverDnClauum cusolverDnClauum_bufferSize cusolverDnCsytrf cusolverDnCsytrf_bufferSize cusolverDnCsytri cusolverDnCsytri_bufferSize
    cusolverDnCungbr cusolverDnCungbr_bufferSize cusolverDnCungtr cusolverDnCungtr_bufferSize cusolverDnCunmtr cusolverDnCunmtr_bufferSize
    cusolverDnDgebrd cusolverDnDgebrd_bufferSize cusolverDnDgesvdaStridedBatched cusolverDnDgesvdaStridedBatched_bufferSize cusolverDnDlaswp
    cusolverDnDlauum cusolverDnDlauum_bufferSize cusolverDnDorgbr cusolverDnDorgbr_bufferSize cusolverDnDorgtr cusolverDnDorgtr_bufferSize
    cusolverDnDormtr cusolverDnDormtr_bufferSize cusolverDnDsyevdx cusolverDnDsyevdx_bufferSize cusolverDnDsygvd cusolverDnDsygvd_bufferSize
    cusolverDnDsygvdx cusolverDnDsygvdx_bufferSize cusolverDnDsygvj cusolverDnDsygvj_bufferSize
    cusolverDnDsytrf cusolverDnDsytrf_bufferSize cusolverDnDsytri cusolverDnDsytri_bufferSize cusolverDnGetEmulationSpecialValuesSupport
    cusolverDnGetEmulationStrategy cusolverDnGetFixedPointEmulationMantissaBitOffset cusolverDnGetFixedPointEmulationMantissaControl
    cusolverDnGetFixedPointEmulationMaxMantissaBitCount cusolverDnGetMathMode cusolverDnSetEmulationSpecialValuesSupport
    cusolverDnSetEmulationStrategy cusolverDnSetFixedPointEmulationMantissaBitOffset cusolverDnSetFixedPointEmulationMantissaControl
    cusolverDnSetFixedPointEmulationMaxMantissaBitCount cusolverDnSetMathMode cusolverDnSgebrd cusolverDnSgebrd_bufferSize
    cusolverDnSgesvdaStridedBatched cusolverDnSgesvdaStridedBatched_bufferSize cusolverDnSlaswp cusolverDnSlauum cusolverDnSlauum_bufferSize
    cusolverDnSorgbr cusolverDnSorgbr_bufferSize cusolverDnSorgtr cusolverDnSorgtr_bufferSize cusolverDnSormtr cusolverDnSormtr_bufferSize
    cusolverDnSsyevdx cusolverDnSsyevdx_bufferSize cusolverDnSsygvd cusolverDnSsygvd_bufferSize cusolverDnSsygvdx
    cusolverDnSsygvdx_bufferSize cusolverDnSsygvj cusolverDnSsygvj_bufferSize cusolverDnSsytrf
    cusolverDnSsytrf_bufferSize cusolverDnSsytri cusolverDnSsytri_bufferSize
    cusolverDnXgesvdr cusolverDnXgesvdr_bufferSize cusolverDnXhetrf cusolverDnXhetrf_bufferSize
    cusolverDnXhetrs cusolverDnXhetrs_bufferSize cusolverDnXlarft cusolverDnXlarft_bufferSize cusolverDnXpolar cusolverDnXpolar_bufferSize
    cusolverDnXstedc cusolverDnXstedc_bufferSize cusolverDnXsyevdx cusolverDnXsyevdx_bufferSize cusolverDnXsygvStridedBatched
    cusolverDnXsygvStridedBatched_bufferSize cusolverDnXsygvd cusolverDnXsygvd_bufferSize cusolverDnXsygvdx cusolverDnXsygvdx_bufferSize
    cusolverDnXsytrf cusolverDnXsytrf_bufferSize cusolverDnXsytrs cusolverDnXsytrs_bufferSize cusolverDnXtrtri cusolverDnXtrtri_bufferSize
    cusolverDnZgebrd cusolverDnZgebrd_bufferSize cusolverDnZgesvdaStridedBatched cusolverDnZgesvdaStridedBatched_bufferSize
    cusolverDnZheevdx cusolverDnZheevdx_bufferSize cusolverDnZhegvd cusolverDnZhegvd_bufferSize cusolverDnZhegvdx
    cusolverDnZhegvdx_bufferSize cusolverDnZhegvj cusolverDnZhegvj_bufferSize cusolverDnZlaswp
    cusolverDnZlauum cusolverDnZlauum_bufferSize cusolverDnZsytrf cusolverDnZsytrf_bufferSize cusolverDnZsytri cusolverDnZsytri_bufferSize
    cusolverDnZungbr cusolverDnZungbr_bufferSize cusolverDnZungtr cusolverDnZungtr_bufferSize cusolverDnZunmtr cusolverDnZunmtr_bufferSize;

    "solve sparse systems on the host (SciPy, for example) or by kernels of the program":
    cusolverRfAccessBundledFactorsDevice cusolverRfAnalyze cusolverRfBatchAnalyze cusolverRfBatchRefactor cusolverRfBatchResetValues
    cusolverRfBatchSetupHost cusolverRfBatchSolve cusolverRfBatchZeroPivot cusolverRfCreate cusolverRfDestroy
    cusolverRfExtractBundledFactorsHost cusolverRfExtractSplitFactorsHost cusolverRfGetAlgs cusolverRfGetMatrixFormat
    cusolverRfGetNumericBoostReport cusolverRfGetNumericProperties cusolverRfGetResetValuesFastMode cusolverRfRefactor cusolverRfResetValues
    cusolverRfSetAlgs cusolverRfSetMatrixFormat cusolverRfSetNumericProperties cusolverRfSetResetValuesFastMode cusolverRfSetupDevice
    cusolverRfSetupHost cusolverRfSolve cusolverSpCcsrcholBufferInfo cusolverSpCcsrcholBufferInfoHost cusolverSpCcsrcholDiag
    cusolverSpCcsrcholFactor cusolverSpCcsrcholFactorHost cusolverSpCcsrcholSolve cusolverSpCcsrcholSolveHost cusolverSpCcsrcholZeroPivot
    cusolverSpCcsrcholZeroPivotHost cusolverSpCcsreigsHost cusolverSpCcsreigvsi cusolverSpCcsreigvsiHost cusolverSpCcsrlsqvqrHost
    cusolverSpCcsrlsvchol cusolverSpCcsrlsvcholHost cusolverSpCcsrlsvluHost cusolverSpCcsrlsvqrHost
    cusolverSpCcsrluBufferInfoHost cusolverSpCcsrluExtractHost cusolverSpCcsrluFactorHost cusolverSpCcsrluSolveHost
    cusolverSpCcsrluZeroPivotHost cusolverSpCcsrqrBufferInfo cusolverSpCcsrqrBufferInfoBatched cusolverSpCcsrqrBufferInfoHost
    cusolverSpCcsrqrFactor cusolverSpCcsrqrFactorHost cusolverSpCcsrqrSetup cusolverSpCcsrqrSetupHost cusolverSpCcsrqrSolve
    cusolverSpCcsrqrSolveHost cusolverSpCcsrqrZeroPivot cusolverSpCcsrqrZeroPivotHost cusolverSpCcsrqrsvBatched cusolverSpCcsrzfdHost
    cusolverSpCreateCsrcholInfo cusolverSpCreateCsrcholInfoHost cusolverSpCreateCsrluInfoHost cusolverSpCreateCsrqrInfo
    cusolverSpCreateCsrqrInfoHost cusolverSpDcsrcholBufferInfo cusolverSpDcsrcholBufferInfoHost cusolverSpDcsrcholDiag
    cusolverSpDcsrcholFactor cusolverSpDcsrcholFactorHost cusolverSpDcsrcholSolve cusolverSpDcsrcholSolveHost cusolverSpDcsrcholZeroPivot
    cusolverSpDcsrcholZeroPivotHost cusolverSpDcsreigsHost cusolverSpDcsreigvsi cusolverSpDcsreigvsiHost cusolverSpDcsrlsqvqrHost
    cusolverSpDcsrlsvchol cusolverSpDcsrlsvcholHost cusolverSpDcsrlsvluHost cusolverSpDcsrlsvqrHost
    cusolverSpDcsrluBufferInfoHost cusolverSpDcsrluExtractHost cusolverSpDcsrluFactorHost cusolverSpDcsrluSolveHost
    cusolverSpDcsrluZeroPivotHost cusolverSpDcsrqrBufferInfo cusolverSpDcsrqrBufferInfoBatched cusolverSpDcsrqrBufferInfoHost
    cusolverSpDcsrqrFactor cusolverSpDcsrqrFactorHost cusolverSpDcsrqrSetup cusolverSpDcsrqrSetupHost cusolverSpDcsrqrSolve
    cusolverSpDcsrqrSolveHost cusolverSpDcsrqrZeroPivot cusolverSpDcsrqrZeroPivotHost cusolverSpDcsrqrsvBatched cusolverSpDcsrzfdHost
    cusolverSpDestroyCsrcholInfo cusolverSpDestroyCsrcholInfoHost cusolverSpDestroyCsrluInfoHost
    cusolverSpDestroyCsrqrInfo cusolverSpDestroyCsrqrInfoHost cusolverSpScsrcholBufferInfo
    cusolverSpScsrcholBufferInfoHost cusolverSpScsrcholDiag cusolverSpScsrcholFactor cusolverSpScsrcholFactorHost cusolverSpScsrcholSolve
    cusolverSpScsrcholSolveHost cusolverSpScsrcholZeroPivot cusolverSpScsrcholZeroPivotHost cusolverSpScsreigsHost cusolverSpScsreigvsi
    cusolverSpScsreigvsiHost cusolverSpScsrlsqvqrHost cusolverSpScsrlsvchol cusolverSpScsrlsvcholHost cusolverSpScsrlsvluHost
    cusolverSpScsrlsvqrHost cusolverSpScsrluBufferInfoHost cusolverSpScsrluExtractHost cusolverSpScsrluFactorHost
    cusolverSpScsrluSolveHost cusolverSpScsrluZeroPivotHost cusolverSpScsrqrBufferInfo cusolverSpScsrqrBufferInfoBatched
    cusolverSpScsrqrBufferInfoHost cusolverSpScsrqrFactor cusolverSpScsrqrFactorHost cusolverSpScsrqrSetup cusolverSpScsrqrSetupHost
    cusolverSpScsrqrSolve cusolverSpScsrqrSolveHost cusolverSpScsrqrZeroPivot cusolverSpScsrqrZeroPivotHost cusolverSpScsrqrsvBatched
    cusolverSpScsrzfdHost cusolverSpXcsrcholAnalysis cusolverSpXcsrcholAnalysisHost cusolverSpXcsrissymHost
    cusolverSpXcsrluAnalysisHost cusolverSpXcsrluNnzHost cusolverSpXcsrmetisndHost cusolverSpXcsrpermHost cusolverSpXcsrperm_bufferSizeHost
    cusolverSpXcsrqrAnalysis cusolverSpXcsrqrAnalysisBatched cusolverSpXcsrqrAnalysisHost cusolverSpXcsrsymamdHost cusolverSpXcsrsymmdqHost
    cusolverSpXcsrsymrcmHost cusolverSpZcsrcholBufferInfo cusolverSpZcsrcholBufferInfoHost cusolverSpZcsrcholDiag cusolverSpZcsrcholFactor
    cusolverSpZcsrcholFactorHost cusolverSpZcsrcholSolve cusolverSpZcsrcholSolveHost cusolverSpZcsrcholZeroPivot
    cusolverSpZcsrcholZeroPivotHost cusolverSpZcsreigsHost cusolverSpZcsreigvsi cusolverSpZcsreigvsiHost cusolverSpZcsrlsqvqrHost
    cusolverSpZcsrlsvchol cusolverSpZcsrlsvcholHost cusolverSpZcsrlsvluHost cusolverSpZcsrlsvqrHost
    cusolverSpZcsrluBufferInfoHost cusolverSpZcsrluExtractHost cusolverSpZcsrluFactorHost cusolverSpZcsrluSolveHost
    cusolverSpZcsrluZeroPivotHost cusolverSpZcsrqrBufferInfo cusolverSpZcsrqrBufferInfoBatched cusolverSpZcsrqrBufferInfoHost
    cusolverSpZcsrqrFactor cusolverSpZcsrqrFactorHost cusolverSpZcsrqrSetup cusolverSpZcsrqrSetupHost cusolverSpZcsrqrSolve
    cusolverSpZcsrqrSolveHost cusolverSpZcsrqrZeroPivot cusolverSpZcsrqrZeroPivotHost cusolverSpZcsrqrsvBatched cusolverSpZcsrzfdHost;
}
