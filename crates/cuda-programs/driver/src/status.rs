//! Status codes (`CUresult`) with names and texts.

use lanework::Error;
use lanework::emulator::FaultKind;
use std::cell::RefCell;
use std::mem::ManuallyDrop;

macro_rules! codes {
    ($($code:literal $name:ident $constant:literal $text:literal;)*) => {
        /// A status other than success.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Status {
            $(#[doc = $text] $name = $code,)*
        }

        /// Name and text of a status as C strings.
        pub fn words(code: i32) -> Option<(&'static std::ffi::CStr, &'static std::ffi::CStr)> {
            match code {
                0 => Some((c"CUDA_SUCCESS", c"no error")),
                $($code => Some((ended(concat!($constant, "\0")), ended(concat!($text, "\0")))),)*
                _ => None,
            }
        }

        /// The status of a code.
        pub fn of_code(code: i32) -> Option<Status> {
            match code {
                $($code => Some(Status::$name),)*
                _ => None,
            }
        }
    };
}

fn ended(text: &'static str) -> &'static std::ffi::CStr {
    std::ffi::CStr::from_bytes_with_nul(text.as_bytes()).unwrap_or_default()
}

codes! {
    1 InvalidValue "CUDA_ERROR_INVALID_VALUE" "invalid argument";
    2 OutOfMemory "CUDA_ERROR_OUT_OF_MEMORY" "out of memory";
    3 NotInitialized "CUDA_ERROR_NOT_INITIALIZED" "initialization error";
    4 Deinitialized "CUDA_ERROR_DEINITIALIZED" "driver shutting down";
    5 ProfilerDisabled "CUDA_ERROR_PROFILER_DISABLED" "profiler disabled while using external profiling tool";
    6 ProfilerNotInitialized "CUDA_ERROR_PROFILER_NOT_INITIALIZED" "profiler not initialized: call cudaProfilerInitialize()";
    7 ProfilerAlreadyStarted "CUDA_ERROR_PROFILER_ALREADY_STARTED" "profiler already started";
    8 ProfilerAlreadyStopped "CUDA_ERROR_PROFILER_ALREADY_STOPPED" "profiler already stopped";
    34 StubLibrary "CUDA_ERROR_STUB_LIBRARY" "CUDA driver is a stub library";
    36 CallRequiresNewerDriver "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER" "API call is not supported in the installed CUDA driver";
    46 DeviceUnavailable "CUDA_ERROR_DEVICE_UNAVAILABLE" "CUDA-capable device(s) is/are busy or unavailable";
    100 NoDevice "CUDA_ERROR_NO_DEVICE" "no CUDA-capable device is detected";
    101 InvalidDevice "CUDA_ERROR_INVALID_DEVICE" "invalid device ordinal";
    102 DeviceNotLicensed "CUDA_ERROR_DEVICE_NOT_LICENSED" "device doesn't have valid Grid license";
    200 InvalidImage "CUDA_ERROR_INVALID_IMAGE" "device kernel image is invalid";
    201 InvalidContext "CUDA_ERROR_INVALID_CONTEXT" "invalid device context";
    202 ContextAlreadyCurrent "CUDA_ERROR_CONTEXT_ALREADY_CURRENT" "context already current";
    205 MapFailed "CUDA_ERROR_MAP_FAILED" "mapping of buffer object failed";
    206 UnmapFailed "CUDA_ERROR_UNMAP_FAILED" "unmapping of buffer object failed";
    207 ArrayIsMapped "CUDA_ERROR_ARRAY_IS_MAPPED" "array is mapped";
    208 AlreadyMapped "CUDA_ERROR_ALREADY_MAPPED" "resource already mapped";
    209 NoBinaryForGpu "CUDA_ERROR_NO_BINARY_FOR_GPU" "no kernel image is available for execution on the device";
    210 AlreadyAcquired "CUDA_ERROR_ALREADY_ACQUIRED" "resource already acquired";
    211 NotMapped "CUDA_ERROR_NOT_MAPPED" "resource not mapped";
    212 NotMappedAsArray "CUDA_ERROR_NOT_MAPPED_AS_ARRAY" "resource not mapped as array";
    213 NotMappedAsPointer "CUDA_ERROR_NOT_MAPPED_AS_POINTER" "resource not mapped as pointer";
    214 EccUncorrectable "CUDA_ERROR_ECC_UNCORRECTABLE" "uncorrectable ECC error encountered";
    215 UnsupportedLimit "CUDA_ERROR_UNSUPPORTED_LIMIT" "limit is not supported on this architecture";
    216 ContextAlreadyInUse "CUDA_ERROR_CONTEXT_ALREADY_IN_USE" "exclusive-thread device already in use by a different thread";
    217 PeerAccessUnsupported "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" "peer access is not supported between these two devices";
    218 InvalidPtx "CUDA_ERROR_INVALID_PTX" "a PTX JIT compilation failed";
    219 InvalidGraphicsContext "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" "invalid OpenGL or DirectX context";
    220 NvlinkUncorrectable "CUDA_ERROR_NVLINK_UNCORRECTABLE" "uncorrectable NVLink error detected during the execution";
    221 JitCompilerNotFound "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" "PTX JIT compiler library not found";
    222 UnsupportedPtxVersion "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "the provided PTX was compiled with an unsupported toolchain.";
    223 JitCompilationDisabled "CUDA_ERROR_JIT_COMPILATION_DISABLED" "PTX JIT compilation was disabled";
    224 UnsupportedExecAffinity "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" "the provided execution affinity is not supported";
    225 UnsupportedDevsideSync "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" "the provided PTX contains unsupported call to cudaDeviceSynchronize";
    226 Contained "CUDA_ERROR_CONTAINED" "Invalid access of peer GPU memory over nvlink or a hardware error";
    300 InvalidSource "CUDA_ERROR_INVALID_SOURCE" "device kernel image is invalid";
    301 FileNotFound "CUDA_ERROR_FILE_NOT_FOUND" "file not found";
    302 SharedObjectSymbolNotFound "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" "shared object symbol not found";
    303 SharedObjectInitFailed "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" "shared object initialization failed";
    304 OperatingSystem "CUDA_ERROR_OPERATING_SYSTEM" "OS call failed or operation not supported on this OS";
    400 InvalidHandle "CUDA_ERROR_INVALID_HANDLE" "invalid resource handle";
    401 IllegalState "CUDA_ERROR_ILLEGAL_STATE" "the operation cannot be performed in the present state";
    402 LossyQuery "CUDA_ERROR_LOSSY_QUERY" "attempted introspection would be semantically lossy";
    500 NotFound "CUDA_ERROR_NOT_FOUND" "named symbol not found";
    600 NotReady "CUDA_ERROR_NOT_READY" "device not ready";
    700 IllegalAddress "CUDA_ERROR_ILLEGAL_ADDRESS" "an illegal memory access was encountered";
    701 LaunchOutOfResources "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "too many resources requested for launch";
    702 LaunchTimeout "CUDA_ERROR_LAUNCH_TIMEOUT" "the launch timed out and was terminated";
    703 LaunchIncompatibleTexturing "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" "launch uses incompatible texturing mode";
    704 PeerAccessAlreadyEnabled "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" "peer access is already enabled";
    705 PeerAccessNotEnabled "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" "peer access has not been enabled";
    708 PrimaryContextActive "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" "cannot set while device is active in this process";
    709 ContextIsDestroyed "CUDA_ERROR_CONTEXT_IS_DESTROYED" "context is destroyed";
    710 Assert "CUDA_ERROR_ASSERT" "device-side assert triggered";
    711 TooManyPeers "CUDA_ERROR_TOO_MANY_PEERS" "peer mapping resources exhausted";
    712 HostMemoryAlreadyRegistered "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "part or all of the requested memory range is already mapped";
    713 HostMemoryNotRegistered "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "pointer does not correspond to a registered memory region";
    714 HardwareStackError "CUDA_ERROR_HARDWARE_STACK_ERROR" "hardware stack error";
    715 IllegalInstruction "CUDA_ERROR_ILLEGAL_INSTRUCTION" "an illegal instruction was encountered";
    716 MisalignedAddress "CUDA_ERROR_MISALIGNED_ADDRESS" "misaligned address";
    717 InvalidAddressSpace "CUDA_ERROR_INVALID_ADDRESS_SPACE" "operation not supported on global/shared address space";
    718 InvalidPc "CUDA_ERROR_INVALID_PC" "invalid program counter";
    719 LaunchFailed "CUDA_ERROR_LAUNCH_FAILED" "unspecified launch failure";
    720 CooperativeLaunchTooLarge "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "too many blocks in cooperative launch";
    721 TensorMemoryLeak "CUDA_ERROR_TENSOR_MEMORY_LEAK" "tensor memory not completely freed";
    800 NotPermitted "CUDA_ERROR_NOT_PERMITTED" "operation not permitted";
    801 NotSupported "CUDA_ERROR_NOT_SUPPORTED" "operation not supported";
    802 SystemNotReady "CUDA_ERROR_SYSTEM_NOT_READY" "system not yet initialized";
    803 SystemDriverMismatch "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" "system has unsupported display driver / cuda driver combination";
    804 CompatNotSupportedOnDevice "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" "forward compatibility was attempted on non supported HW";
    805 MpsConnectionFailed "CUDA_ERROR_MPS_CONNECTION_FAILED" "MPS client failed to connect to the MPS control daemon or the MPS server";
    806 MpsRpcFailure "CUDA_ERROR_MPS_RPC_FAILURE" "the remote procedural call between the MPS server and the MPS client failed";
    807 MpsServerNotReady "CUDA_ERROR_MPS_SERVER_NOT_READY" "MPS server is not ready to accept new MPS client requests";
    808 MpsMaxClientsReached "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" "the hardware resources required to create MPS client have been exhausted";
    809 MpsMaxConnectionsReached "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" "the hardware resources required to support device connections have been exhausted";
    810 MpsClientTerminated "CUDA_ERROR_MPS_CLIENT_TERMINATED" "the MPS client has been terminated by the server";
    811 CdpNotSupported "CUDA_ERROR_CDP_NOT_SUPPORTED" "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it";
    812 CdpVersionMismatch "CUDA_ERROR_CDP_VERSION_MISMATCH" "unsupported interaction between different versions of CUDA Dynamic Parallelism";
    900 StreamCaptureUnsupported "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "operation not permitted when stream is capturing";
    901 StreamCaptureInvalidated "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "operation failed due to a previous error during capture";
    902 StreamCaptureMerge "CUDA_ERROR_STREAM_CAPTURE_MERGE" "operation would result in a merge of separate capture sequences";
    903 StreamCaptureUnmatched "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" "capture was not ended in the same stream as it began";
    904 StreamCaptureUnjoined "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" "capturing stream has unjoined work";
    905 StreamCaptureIsolation "CUDA_ERROR_STREAM_CAPTURE_ISOLATION" "dependency created on uncaptured work in another stream";
    906 StreamCaptureImplicit "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" "operation would make the legacy stream depend on a capturing blocking stream";
    907 CapturedEvent "CUDA_ERROR_CAPTURED_EVENT" "operation not permitted on an event last recorded in a capturing stream";
    908 StreamCaptureWrongThread "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" "attempt to terminate a thread-local capture sequence from another thread";
    909 Timeout "CUDA_ERROR_TIMEOUT" "wait operation timed out";
    910 GraphExecUpdateFailure "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    911 ExternalDevice "CUDA_ERROR_EXTERNAL_DEVICE" "an async error has occured in external entity outside of CUDA";
    912 InvalidClusterSize "CUDA_ERROR_INVALID_CLUSTER_SIZE" "a kernel launch error has occurred due to cluster misconfiguration";
    913 FunctionNotLoaded "CUDA_ERROR_FUNCTION_NOT_LOADED" "the function handle is not loaded when calling an API that requires a loaded function";
    914 InvalidResourceType "CUDA_ERROR_INVALID_RESOURCE_TYPE" "one or more resources passed in are not valid resource types for the operation";
    915 InvalidResourceConfiguration "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" "one or more resources are insufficient or non-applicable for the operation";
    916 KeyRotation "CUDA_ERROR_KEY_ROTATION" "an error happened during the key rotation sequence";
    999 Unknown "CUDA_ERROR_UNKNOWN" "unknown error";
}

/// Result of a function: a value, or a status other than success.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// The status that a GPU's driver returns for a launch error, and whether the context is lost (if not, the launch was
/// refused).
pub fn of_launch(error: &Error) -> (Status, bool) {
    let refused = |status| (status, false);
    match error {
        Error::Sanitizer(reports) => match &reports.stopped {
            Some(fault) => of_fault(fault.kind),
            None => refused(Status::LaunchFailed),
        },
        Error::Fault(fault) => of_fault(fault.kind),
        Error::Index(_) => (Status::IllegalAddress, true),
        Error::Memory(_) | Error::Size { .. } => refused(Status::OutOfMemory),
        _ => refused(Status::InvalidValue),
    }
}

fn of_fault(kind: FaultKind) -> (Status, bool) {
    use FaultKind as Kind;
    match kind {
        Kind::LimitExceeded | Kind::BadArguments => (Status::InvalidValue, false),
        Kind::Unsupported => (Status::NotSupported, false),
        Kind::OutOfBounds | Kind::Null | Kind::UseAfterFree => (Status::IllegalAddress, true),
        Kind::Misaligned => (Status::MisalignedAddress, true),
        // An overflowing stack leaves the thread's local memory.
        Kind::StackOverflow => (Status::IllegalAddress, true),
        Kind::InstructionLimit | Kind::TimeLimit | Kind::Deadlock => (Status::LaunchTimeout, true),
        Kind::Assertion => (Status::Assert, true),
        _ => (Status::LaunchFailed, true),
    }
}

thread_local! {
    /// Why the current call of this thread is refused, and what to do. Never dropped, so that calls are possible while the
    /// thread or the process exits.
    static REASON: ManuallyDrop<RefCell<Option<(String, String)>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

/// Returns a status, and keeps the reason for the finding.
pub fn refuse(status: Status, why: impl Into<String>, help: impl Into<String>) -> Status {
    let reason = (why.into(), help.into());
    REASON.with(|kept| kept.replace(Some(reason)));
    status
}

/// Takes the reason of this thread's last refusal: why, and what to do.
pub fn take_reason() -> Option<(String, String)> {
    REASON.with(|kept| kept.take())
}

/// Formats an argument for messages.
pub trait ArgumentText {
    fn shown(&self) -> String;
}

macro_rules! number_texts {
    ($($number:ty)*) => {
        $(impl ArgumentText for $number {
            fn shown(&self) -> String {
                self.to_string()
            }
        })*
    };
}

number_texts! { i32 u32 u8 u16 f32 i64 }
