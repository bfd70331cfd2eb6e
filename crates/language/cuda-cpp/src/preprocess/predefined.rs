//! Predefined macros.

use super::Preprocessor;

/// Macros with fixed values.
const FIXED: &[(&str, &str)] = &[
    ("__cplusplus", "201703L"),
    ("__CUDACC__", "1"),
    ("__CUDA__", "1"),
    ("__NVCC__", "1"),
    ("__LANEWORK__", "1"),
    ("__CUDACC_VER_MAJOR__", "12"),
    ("__CUDACC_VER_MINOR__", "8"),
    ("__CUDACC_VER_BUILD__", "0"),
    ("CUDART_VERSION", "12080"),
    ("CUDA_VERSION", "12080"),
    ("__STDC_HOSTED__", "1"),
    ("__GNUC__", "12"),
    ("__GNUC_MINOR__", "0"),
    ("__linux__", "1"),
    ("__x86_64__", "1"),
    ("__LP64__", "1"),
    ("__CHAR_BIT__", "8"),
    ("__SIZEOF_POINTER__", "8"),
    ("__DATE__", "\"Jan  1 2026\""),
    ("__TIME__", "\"00:00:00\""),
    ("__STDC__", "1"),
    ("__cpp_if_constexpr", "201606L"),
    ("__CUDA_NO_HALF_UNDEFINED__", "1"),
];

impl Preprocessor<'_> {
    /// Defines the standard macros and the macros of the caller, given as `NAME` or `NAME=VALUE`.
    pub fn predefine(&mut self, architecture: u32, host: bool, defines: &[String]) {
        for (name, value) in FIXED {
            self.define_text(name, value);
        }
        if host {
            self.define_text("__LW_HOST__", "1");
        } else {
            self.define_text("__CUDA_ARCH__", &(architecture * 10).to_string());
        }
        if architecture >= 90 && !host {
            self.define_text("__CUDA_ARCH_FEAT_SM90_ALL", "1");
        }
        for define in defines {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            self.define_text(name, value);
        }
    }
}
