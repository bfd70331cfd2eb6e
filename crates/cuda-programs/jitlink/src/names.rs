//! Exported names: plain ones, which programs look up, and versioned ones, which `nvJitLink.h` uses.

use std::ffi::{c_char, c_void};

macro_rules! names {
    (($($argument:ident: $type:ty),*) $function:ident: $first:ident $($name:ident)*) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("nvJitLink's `", stringify!($first), "`.")]
        pub unsafe extern "C" fn $first($($argument: $type),*) -> i32 {
            // SAFETY: forwards the arguments that this function's own caller passed.
            unsafe { crate::calls::$function($($argument),*) }
        }
        names!(($($argument: $type),*) $function: $($name)*);
    };
    (($($argument:ident: $type:ty),*) $function:ident:) => {};
}

names!((handle: *mut *mut c_void, count: u32, options: *const *const c_char) create:
    nvJitLinkCreate __nvJitLinkCreate_12_0 __nvJitLinkCreate_12_1 __nvJitLinkCreate_12_2 __nvJitLinkCreate_12_3
    __nvJitLinkCreate_12_4 __nvJitLinkCreate_12_5 __nvJitLinkCreate_12_6 __nvJitLinkCreate_12_7 __nvJitLinkCreate_12_8
    __nvJitLinkCreate_12_9 __nvJitLinkCreate_13_0 __nvJitLinkCreate_13_1 __nvJitLinkCreate_13_2 __nvJitLinkCreate_13_3
    __nvJitLinkCreate_13_4 __nvJitLinkCreate_13_5
);
names!((handle: *mut *mut c_void) destroy:
    nvJitLinkDestroy __nvJitLinkDestroy_12_0 __nvJitLinkDestroy_12_1 __nvJitLinkDestroy_12_2 __nvJitLinkDestroy_12_3
    __nvJitLinkDestroy_12_4 __nvJitLinkDestroy_12_5 __nvJitLinkDestroy_12_6 __nvJitLinkDestroy_12_7
    __nvJitLinkDestroy_12_8 __nvJitLinkDestroy_12_9 __nvJitLinkDestroy_13_0 __nvJitLinkDestroy_13_1
    __nvJitLinkDestroy_13_2 __nvJitLinkDestroy_13_3 __nvJitLinkDestroy_13_4 __nvJitLinkDestroy_13_5
);
names!((handle: *mut c_void, kind: i32, data: *const c_void, bytes: usize, name: *const c_char) add_data:
    nvJitLinkAddData __nvJitLinkAddData_12_0 __nvJitLinkAddData_12_1 __nvJitLinkAddData_12_2 __nvJitLinkAddData_12_3
    __nvJitLinkAddData_12_4 __nvJitLinkAddData_12_5 __nvJitLinkAddData_12_6 __nvJitLinkAddData_12_7
    __nvJitLinkAddData_12_8 __nvJitLinkAddData_12_9 __nvJitLinkAddData_13_0 __nvJitLinkAddData_13_1
    __nvJitLinkAddData_13_2 __nvJitLinkAddData_13_3 __nvJitLinkAddData_13_4 __nvJitLinkAddData_13_5
);
names!((handle: *mut c_void, kind: i32, file: *const c_char) add_file:
    nvJitLinkAddFile __nvJitLinkAddFile_12_0 __nvJitLinkAddFile_12_1 __nvJitLinkAddFile_12_2 __nvJitLinkAddFile_12_3
    __nvJitLinkAddFile_12_4 __nvJitLinkAddFile_12_5 __nvJitLinkAddFile_12_6 __nvJitLinkAddFile_12_7
    __nvJitLinkAddFile_12_8 __nvJitLinkAddFile_12_9 __nvJitLinkAddFile_13_0 __nvJitLinkAddFile_13_1
    __nvJitLinkAddFile_13_2 __nvJitLinkAddFile_13_3 __nvJitLinkAddFile_13_4 __nvJitLinkAddFile_13_5
);
names!((handle: *mut c_void) complete:
    nvJitLinkComplete __nvJitLinkComplete_12_0 __nvJitLinkComplete_12_1 __nvJitLinkComplete_12_2
    __nvJitLinkComplete_12_3 __nvJitLinkComplete_12_4 __nvJitLinkComplete_12_5 __nvJitLinkComplete_12_6
    __nvJitLinkComplete_12_7 __nvJitLinkComplete_12_8 __nvJitLinkComplete_12_9 __nvJitLinkComplete_13_0
    __nvJitLinkComplete_13_1 __nvJitLinkComplete_13_2 __nvJitLinkComplete_13_3 __nvJitLinkComplete_13_4
    __nvJitLinkComplete_13_5
);
names!((handle: *mut c_void, size: *mut usize) cubin_size:
    nvJitLinkGetLinkedCubinSize __nvJitLinkGetLinkedCubinSize_12_0 __nvJitLinkGetLinkedCubinSize_12_1
    __nvJitLinkGetLinkedCubinSize_12_2 __nvJitLinkGetLinkedCubinSize_12_3 __nvJitLinkGetLinkedCubinSize_12_4
    __nvJitLinkGetLinkedCubinSize_12_5 __nvJitLinkGetLinkedCubinSize_12_6 __nvJitLinkGetLinkedCubinSize_12_7
    __nvJitLinkGetLinkedCubinSize_12_8 __nvJitLinkGetLinkedCubinSize_12_9 __nvJitLinkGetLinkedCubinSize_13_0
    __nvJitLinkGetLinkedCubinSize_13_1 __nvJitLinkGetLinkedCubinSize_13_2 __nvJitLinkGetLinkedCubinSize_13_3
    __nvJitLinkGetLinkedCubinSize_13_4 __nvJitLinkGetLinkedCubinSize_13_5
);
names!((handle: *mut c_void, to: *mut c_char) cubin:
    nvJitLinkGetLinkedCubin __nvJitLinkGetLinkedCubin_12_0 __nvJitLinkGetLinkedCubin_12_1
    __nvJitLinkGetLinkedCubin_12_2 __nvJitLinkGetLinkedCubin_12_3 __nvJitLinkGetLinkedCubin_12_4
    __nvJitLinkGetLinkedCubin_12_5 __nvJitLinkGetLinkedCubin_12_6 __nvJitLinkGetLinkedCubin_12_7
    __nvJitLinkGetLinkedCubin_12_8 __nvJitLinkGetLinkedCubin_12_9 __nvJitLinkGetLinkedCubin_13_0
    __nvJitLinkGetLinkedCubin_13_1 __nvJitLinkGetLinkedCubin_13_2 __nvJitLinkGetLinkedCubin_13_3
    __nvJitLinkGetLinkedCubin_13_4 __nvJitLinkGetLinkedCubin_13_5
);
names!((handle: *mut c_void, size: *mut usize) ptx_size:
    nvJitLinkGetLinkedPtxSize __nvJitLinkGetLinkedPtxSize_12_0 __nvJitLinkGetLinkedPtxSize_12_1
    __nvJitLinkGetLinkedPtxSize_12_2 __nvJitLinkGetLinkedPtxSize_12_3 __nvJitLinkGetLinkedPtxSize_12_4
    __nvJitLinkGetLinkedPtxSize_12_5 __nvJitLinkGetLinkedPtxSize_12_6 __nvJitLinkGetLinkedPtxSize_12_7
    __nvJitLinkGetLinkedPtxSize_12_8 __nvJitLinkGetLinkedPtxSize_12_9 __nvJitLinkGetLinkedPtxSize_13_0
    __nvJitLinkGetLinkedPtxSize_13_1 __nvJitLinkGetLinkedPtxSize_13_2 __nvJitLinkGetLinkedPtxSize_13_3
    __nvJitLinkGetLinkedPtxSize_13_4 __nvJitLinkGetLinkedPtxSize_13_5
);
names!((handle: *mut c_void, to: *mut c_char) ptx:
    nvJitLinkGetLinkedPtx __nvJitLinkGetLinkedPtx_12_0 __nvJitLinkGetLinkedPtx_12_1 __nvJitLinkGetLinkedPtx_12_2
    __nvJitLinkGetLinkedPtx_12_3 __nvJitLinkGetLinkedPtx_12_4 __nvJitLinkGetLinkedPtx_12_5
    __nvJitLinkGetLinkedPtx_12_6 __nvJitLinkGetLinkedPtx_12_7 __nvJitLinkGetLinkedPtx_12_8
    __nvJitLinkGetLinkedPtx_12_9 __nvJitLinkGetLinkedPtx_13_0 __nvJitLinkGetLinkedPtx_13_1
    __nvJitLinkGetLinkedPtx_13_2 __nvJitLinkGetLinkedPtx_13_3 __nvJitLinkGetLinkedPtx_13_4
    __nvJitLinkGetLinkedPtx_13_5
);
names!((handle: *mut c_void, size: *mut usize) ltoir_size:
    nvJitLinkGetLinkedLTOIRSize __nvJitLinkGetLinkedLTOIRSize_12_0 __nvJitLinkGetLinkedLTOIRSize_12_1
    __nvJitLinkGetLinkedLTOIRSize_12_2 __nvJitLinkGetLinkedLTOIRSize_12_3 __nvJitLinkGetLinkedLTOIRSize_12_4
    __nvJitLinkGetLinkedLTOIRSize_12_5 __nvJitLinkGetLinkedLTOIRSize_12_6 __nvJitLinkGetLinkedLTOIRSize_12_7
    __nvJitLinkGetLinkedLTOIRSize_12_8 __nvJitLinkGetLinkedLTOIRSize_12_9 __nvJitLinkGetLinkedLTOIRSize_13_0
    __nvJitLinkGetLinkedLTOIRSize_13_1 __nvJitLinkGetLinkedLTOIRSize_13_2 __nvJitLinkGetLinkedLTOIRSize_13_3
    __nvJitLinkGetLinkedLTOIRSize_13_4 __nvJitLinkGetLinkedLTOIRSize_13_5
);
names!((handle: *mut c_void, to: *mut c_char) ltoir:
    nvJitLinkGetLinkedLTOIR __nvJitLinkGetLinkedLTOIR_12_0 __nvJitLinkGetLinkedLTOIR_12_1
    __nvJitLinkGetLinkedLTOIR_12_2 __nvJitLinkGetLinkedLTOIR_12_3 __nvJitLinkGetLinkedLTOIR_12_4
    __nvJitLinkGetLinkedLTOIR_12_5 __nvJitLinkGetLinkedLTOIR_12_6 __nvJitLinkGetLinkedLTOIR_12_7
    __nvJitLinkGetLinkedLTOIR_12_8 __nvJitLinkGetLinkedLTOIR_12_9 __nvJitLinkGetLinkedLTOIR_13_0
    __nvJitLinkGetLinkedLTOIR_13_1 __nvJitLinkGetLinkedLTOIR_13_2 __nvJitLinkGetLinkedLTOIR_13_3
    __nvJitLinkGetLinkedLTOIR_13_4 __nvJitLinkGetLinkedLTOIR_13_5
);
names!((handle: *mut c_void, size: *mut usize) error_log_size:
    nvJitLinkGetErrorLogSize __nvJitLinkGetErrorLogSize_12_0 __nvJitLinkGetErrorLogSize_12_1
    __nvJitLinkGetErrorLogSize_12_2 __nvJitLinkGetErrorLogSize_12_3 __nvJitLinkGetErrorLogSize_12_4
    __nvJitLinkGetErrorLogSize_12_5 __nvJitLinkGetErrorLogSize_12_6 __nvJitLinkGetErrorLogSize_12_7
    __nvJitLinkGetErrorLogSize_12_8 __nvJitLinkGetErrorLogSize_12_9 __nvJitLinkGetErrorLogSize_13_0
    __nvJitLinkGetErrorLogSize_13_1 __nvJitLinkGetErrorLogSize_13_2 __nvJitLinkGetErrorLogSize_13_3
    __nvJitLinkGetErrorLogSize_13_4 __nvJitLinkGetErrorLogSize_13_5
);
names!((handle: *mut c_void, to: *mut c_char) error_log:
    nvJitLinkGetErrorLog __nvJitLinkGetErrorLog_12_0 __nvJitLinkGetErrorLog_12_1 __nvJitLinkGetErrorLog_12_2
    __nvJitLinkGetErrorLog_12_3 __nvJitLinkGetErrorLog_12_4 __nvJitLinkGetErrorLog_12_5 __nvJitLinkGetErrorLog_12_6
    __nvJitLinkGetErrorLog_12_7 __nvJitLinkGetErrorLog_12_8 __nvJitLinkGetErrorLog_12_9 __nvJitLinkGetErrorLog_13_0
    __nvJitLinkGetErrorLog_13_1 __nvJitLinkGetErrorLog_13_2 __nvJitLinkGetErrorLog_13_3 __nvJitLinkGetErrorLog_13_4
    __nvJitLinkGetErrorLog_13_5
);
names!((handle: *mut c_void, size: *mut usize) info_log_size:
    nvJitLinkGetInfoLogSize __nvJitLinkGetInfoLogSize_12_0 __nvJitLinkGetInfoLogSize_12_1
    __nvJitLinkGetInfoLogSize_12_2 __nvJitLinkGetInfoLogSize_12_3 __nvJitLinkGetInfoLogSize_12_4
    __nvJitLinkGetInfoLogSize_12_5 __nvJitLinkGetInfoLogSize_12_6 __nvJitLinkGetInfoLogSize_12_7
    __nvJitLinkGetInfoLogSize_12_8 __nvJitLinkGetInfoLogSize_12_9 __nvJitLinkGetInfoLogSize_13_0
    __nvJitLinkGetInfoLogSize_13_1 __nvJitLinkGetInfoLogSize_13_2 __nvJitLinkGetInfoLogSize_13_3
    __nvJitLinkGetInfoLogSize_13_4 __nvJitLinkGetInfoLogSize_13_5
);
names!((handle: *mut c_void, to: *mut c_char) info_log:
    nvJitLinkGetInfoLog __nvJitLinkGetInfoLog_12_0 __nvJitLinkGetInfoLog_12_1 __nvJitLinkGetInfoLog_12_2
    __nvJitLinkGetInfoLog_12_3 __nvJitLinkGetInfoLog_12_4 __nvJitLinkGetInfoLog_12_5 __nvJitLinkGetInfoLog_12_6
    __nvJitLinkGetInfoLog_12_7 __nvJitLinkGetInfoLog_12_8 __nvJitLinkGetInfoLog_12_9 __nvJitLinkGetInfoLog_13_0
    __nvJitLinkGetInfoLog_13_1 __nvJitLinkGetInfoLog_13_2 __nvJitLinkGetInfoLog_13_3 __nvJitLinkGetInfoLog_13_4
    __nvJitLinkGetInfoLog_13_5
);
names!((major: *mut u32, minor: *mut u32) version: nvJitLinkVersion);
