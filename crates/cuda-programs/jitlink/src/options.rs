//! Linker options. Few affect linking here; unknown ones are errors, as in nvJitLink.

/// Options without a value.
const ALONE: &[&str] = &[
    "G",
    "O0",
    "O1",
    "O2",
    "O3",
    "debug",
    "device-debug",
    "g",
    "generate-line-info",
    "lineinfo",
    "link-time-opt",
    "lto",
    "no-cache",
    "optimize-unused-variables",
    "ptx",
    "relocatable-device-code",
    "shared",
    "time",
    "time-passes",
    "variables-used-only",
    "verbose",
];
/// Options with a value.
const VALUED: &[&str] = &[
    "O",
    "Xcicc",
    "Xnvvm",
    "Xptxas",
    "arch",
    "device-stack-protector",
    "dump",
    "fma",
    "frandom-seed",
    "ftz",
    "gpu-architecture",
    "jump-table-density",
    "kernels-used",
    "lto-kernel",
    "maxrregcount",
    "ofast-compile",
    "opt-level",
    "optix-ir",
    "prec-div",
    "prec-sqrt",
    "r",
    "reserve-null-pointer",
    "split-compile",
    "split-compile-extended",
    "variables-used",
    "use_fast_math",
];

/// Whether nvJitLink accepts an option, including the form of an architecture name.
pub fn known(option: &str) -> bool {
    let Some(name) = option.strip_prefix("--").or(option.strip_prefix('-')) else { return false };
    match name.split_once('=') {
        Some(("arch" | "gpu-architecture", architecture)) => is_architecture(architecture),
        Some((name, _)) => VALUED.contains(&name) || ALONE.contains(&name),
        None => ALONE.contains(&name) || VALUED.contains(&name),
    }
}

/// `sm_90`, `compute_90`, `lto_90`, optionally with an architecture- or family-specific suffix.
pub fn is_architecture(name: &str) -> bool {
    let number = ["sm_", "compute_", "lto_"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let number = number.map(|number| number.strip_suffix(['a', 'f']).unwrap_or(number));
    number
        .is_some_and(|number| number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn options_of_the_library_are_known_and_others_are_not() {
        for option in [
            "-arch=sm_90a",
            "--arch=compute_120f",
            "-lto",
            "-O3",
            "-maxrregcount=32",
            "-Xptxas=-v",
            "-ftz=true",
        ] {
            assert!(known(option), "{option}");
        }
        for option in ["-arch=sm_XX", "-arch=90", "-fictitious_option", "lto", ""] {
            assert!(!known(option), "{option}");
        }
    }
}
