//! Status codes (`CUresult`), their names and texts.

use lanework::Error;
use lanework::sim::FaultKind;

macro_rules! codes {
    ($($code:literal $name:ident $constant:literal $text:literal;)*) => {
        /// A status other than success.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Status {
            $(#[doc = $text] $name = $code,)*
        }

        /// The name of a status and its text, both ended by a zero byte.
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
    34 StubLibrary "CUDA_ERROR_STUB_LIBRARY" "CUDA driver is a stub library";
    100 NoDevice "CUDA_ERROR_NO_DEVICE" "no CUDA-capable device is detected";
    101 InvalidDevice "CUDA_ERROR_INVALID_DEVICE" "invalid device ordinal";
    200 InvalidImage "CUDA_ERROR_INVALID_IMAGE" "device kernel image is invalid";
    201 InvalidContext "CUDA_ERROR_INVALID_CONTEXT" "invalid device context";
    205 MapFailed "CUDA_ERROR_MAP_FAILED" "mapping of buffer object failed";
    208 AlreadyMapped "CUDA_ERROR_ALREADY_MAPPED" "resource already mapped";
    209 NoBinaryForGpu "CUDA_ERROR_NO_BINARY_FOR_GPU" "no kernel image is available for execution on the device";
    211 NotMapped "CUDA_ERROR_NOT_MAPPED" "resource not mapped";
    217 PeerAccessUnsupported "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" "peer access is not supported between these two devices";
    218 InvalidPtx "CUDA_ERROR_INVALID_PTX" "a PTX JIT compilation failed";
    222 UnsupportedPtxVersion "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "the provided PTX was compiled with an unsupported toolchain.";
    300 InvalidSource "CUDA_ERROR_INVALID_SOURCE" "device kernel image is invalid";
    301 FileNotFound "CUDA_ERROR_FILE_NOT_FOUND" "file not found";
    400 InvalidHandle "CUDA_ERROR_INVALID_HANDLE" "invalid resource handle";
    401 IllegalState "CUDA_ERROR_ILLEGAL_STATE" "the operation cannot be performed in the present state";
    500 NotFound "CUDA_ERROR_NOT_FOUND" "named symbol not found";
    600 NotReady "CUDA_ERROR_NOT_READY" "device not ready";
    700 IllegalAddress "CUDA_ERROR_ILLEGAL_ADDRESS" "an illegal memory access was encountered";
    701 LaunchOutOfResources "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "too many resources requested for launch";
    702 LaunchTimeout "CUDA_ERROR_LAUNCH_TIMEOUT" "the launch timed out and was terminated";
    704 PeerAccessAlreadyEnabled "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" "peer access is already enabled";
    705 PeerAccessNotEnabled "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" "peer access has not been enabled";
    708 PrimaryContextActive "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" "cannot set while device is active in this process";
    709 ContextIsDestroyed "CUDA_ERROR_CONTEXT_IS_DESTROYED" "context is destroyed";
    710 Assert "CUDA_ERROR_ASSERT" "device-side assert triggered";
    712 HostMemoryAlreadyRegistered "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "part or all of the requested memory range is already mapped";
    713 HostMemoryNotRegistered "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "pointer does not correspond to a registered memory region";
    714 HardwareStackError "CUDA_ERROR_HARDWARE_STACK_ERROR" "hardware stack error";
    715 IllegalInstruction "CUDA_ERROR_ILLEGAL_INSTRUCTION" "an illegal instruction was encountered";
    716 MisalignedAddress "CUDA_ERROR_MISALIGNED_ADDRESS" "misaligned address";
    719 LaunchFailed "CUDA_ERROR_LAUNCH_FAILED" "unspecified launch failure";
    720 CooperativeLaunchTooLarge "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "too many blocks in cooperative launch";
    800 NotPermitted "CUDA_ERROR_NOT_PERMITTED" "operation not permitted";
    801 NotSupported "CUDA_ERROR_NOT_SUPPORTED" "operation not supported";
    900 StreamCaptureUnsupported "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "operation not permitted when stream is capturing";
    901 StreamCaptureInvalidated "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "operation failed due to a previous error during capture";
    904 StreamCaptureUnjoined "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" "capturing stream has unjoined work";
    906 StreamCaptureImplicit "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" "operation would make the legacy stream depend on a capturing blocking stream";
    907 CapturedEvent "CUDA_ERROR_CAPTURED_EVENT" "operation not permitted on an event last recorded in a capturing stream";
    908 StreamCaptureWrongThread "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" "attempt to terminate a thread-local capture sequence from another thread";
    910 GraphExecUpdateFailure "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    912 InvalidClusterSize "CUDA_ERROR_INVALID_CLUSTER_SIZE" "invalid cluster size";
    914 InvalidResourceType "CUDA_ERROR_INVALID_RESOURCE_TYPE" "invalid resource type";
    915 InvalidResourceConfiguration "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" "invalid resource configuration";
    999 Unknown "CUDA_ERROR_UNKNOWN" "unknown error";
}

/// What a call gives: nothing, or a status other than success.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// The status that a GPU's driver gives for an error of a launch: whether the launch is refused, or the context is lost.
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
        Kind::StackOverflow => (Status::HardwareStackError, true),
        Kind::InstructionLimit | Kind::TimeLimit | Kind::Deadlock => (Status::LaunchTimeout, true),
        Kind::Assertion => (Status::Assert, true),
        Kind::Trap => (Status::IllegalInstruction, true),
        _ => (Status::LaunchFailed, true),
    }
}
