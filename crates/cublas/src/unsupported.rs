//! Functions that are not computed: each says so, and answers `CUBLAS_STATUS_NOT_SUPPORTED`.

use crate::status::{Status, refuse};
use lanework_standin::call;

macro_rules! unsupported {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLAS's `", stringify!($name), "`, which is not computed.")]
        pub extern "C" fn $name() -> i32 {
            call(stringify!($name), || {
                refuse(Status::NotSupported, concat!(stringify!($name), " is not computed; levels 1 to 3, and small systems in batches, are"))
            })
        }
    )*};
}

unsupported! {
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
    cublasZtrsv
}
