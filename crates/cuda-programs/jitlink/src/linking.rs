//! Linking: all inputs become one PTX module. Few options have an effect; unknown ones are errors, as in nvJitLink.

use crate::real;

/// One input, with its `nvJitLinkInputType`.
pub struct Input {
    pub kind: i32,
    pub data: Vec<u8>,
    pub name: String,
}

/// A linker with its inputs and results. Results are zero-terminated.
pub struct Linker {
    options: Vec<String>,
    texts: lanework_ptx::Linker,
    /// Error in the first invalid text; `complete` reports it.
    problem: Option<String>,
    /// LTO-IR and other inputs that only the real library reads.
    intermediate: Vec<Input>,
    pub linked: Vec<u8>,
    pub errors: Vec<u8>,
}

/// Input types.
const CUBIN: i32 = 1;

const PTX: i32 = 2;

/// LTO-IR.
pub const LTO_IR: i32 = 3;

const FATBIN: i32 = 4;

const LIBRARY: i32 = 6;

const ANY: i32 = 10;

/// Magic numbers of fatbins and ELF files.
const FATBIN_MAGIC: [u8; 4] = 0xba55_ed50u32.to_le_bytes();

const ELF_MAGIC: [u8; 4] = *b"\x7fELF";

impl Linker {
    pub fn new(options: Vec<String>) -> Linker {
        Linker {
            options,
            texts: lanework_ptx::Linker::default(),
            problem: None,
            intermediate: Vec::new(),
            linked: Vec::new(),
            errors: vec![0],
        }
    }

    /// Stores an error message.
    pub fn refuse(&mut self, outcome: Outcome, why: String) -> Outcome {
        self.errors = why.into_bytes();
        self.errors.push(0);
        outcome
    }

    /// Adds an input.
    pub fn add(&mut self, input: Input) -> Outcome {
        let name = if input.name.is_empty() {
            format!("input {}", self.texts.names().count())
        } else {
            input.name.clone()
        };
        let looks_like_text = input.data.windows(8).take(4096).any(|window| window == b".version");
        match input.kind {
            PTX => self.add_text(name, &input.data),
            CUBIN | FATBIN | ANY if looks_like_text && !input.data.starts_with(&FATBIN_MAGIC) => self.add_text(name, &input.data),
            LTO_IR => {
                self.intermediate.push(input);
                Outcome::Success
            }
            FATBIN | ANY if input.data.starts_with(&FATBIN_MAGIC) => {
                self.intermediate.push(input);
                Outcome::Success
            }
            LIBRARY | ANY if self.texts.add_archive(&name) => Outcome::Success,
            _ if input.data.starts_with(&ELF_MAGIC) => self.refuse(
                Outcome::MissingFatbin,
                format!("{name} is machine code; the emulator runs PTX: compile it to PTX, as `nvcc -ptx` or NVRTC do"),
            ),
            kind => self.refuse(Outcome::UnrecognizedInput, format!("{name} is of kind {kind}, which is not linked here")),
        }
    }

    fn add_text(&mut self, name: String, bytes: &[u8]) -> Outcome {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]);
        if let Err(problems) = self.texts.add(&name, &text, self.most_registers()) {
            self.problem.get_or_insert_with(|| format!("{name}: {problems}"));
        }
        Outcome::Success
    }

    /// Links all inputs.
    pub fn complete(&mut self) -> Outcome {
        let intermediate = std::mem::take(&mut self.intermediate);
        if !intermediate.is_empty() {
            let wanted: Vec<String> =
                self.texts.undefined_functions().into_iter().map(str::to_owned).collect();
            match real::compile(&self.options, intermediate, &wanted) {
                Ok(text) => self.add_text("LTO-IR".to_owned(), text.as_bytes()),
                Err(why) => return self.refuse(Outcome::NvvmCompile, why),
            };
        }
        if let Some(why) = self.problem.take() {
            return self.refuse(Outcome::PtxCompile, why);
        }
        if self.texts.names().next().is_none() {
            // No inputs: an empty module.
            self.linked =
                format!(".version 8.8\n.target {}\n.address_size 64\n\0", target(&self.options))
                    .into_bytes();
            return Outcome::Success;
        }
        match self.texts.link() {
            Ok(text) => self.linked = text.into_bytes(),
            Err(error) => {
                let why = format!("{}\n  = help: {}", error.message, error.help);
                return self.refuse(Outcome::PtxCompile, why);
            }
        }
        self.linked.push(0);
        Outcome::Success
    }

    /// The register limit given by the options.
    fn most_registers(&self) -> Option<u32> {
        let number = |option: &String| option.strip_prefix("-maxrregcount=")?.parse().ok();
        self.options.iter().rev().find_map(number).filter(|&most| most > 0)
    }
}

/// The target architecture given by the options.
pub fn target(options: &[String]) -> String {
    let architecture =
        |option: &String| option.trim_start_matches('-').strip_prefix("arch=").map(str::to_owned);
    let asked = options.iter().rev().find_map(architecture).unwrap_or_else(|| "sm_90".to_owned());
    asked.replace("compute_", "sm_").replace("lto_", "sm_")
}

/// Options, with or without a value.
const OPTIONS: &str = "\
    G O0 O1 O2 O3 debug device-debug g generate-line-info lineinfo link-time-opt lto no-cache \
    optimize-unused-variables ptx relocatable-device-code shared time time-passes \
    variables-used-only verbose O Xcicc Xnvvm Xptxas arch device-stack-protector dump fma \
    frandom-seed ftz gpu-architecture jump-table-density kernels-used lto-kernel maxrregcount \
    ofast-compile opt-level optix-ir prec-div prec-sqrt r reserve-null-pointer split-compile \
    split-compile-extended variables-used use_fast_math";

/// Whether nvJitLink accepts an option, including the form of an architecture name.
pub fn known(option: &str) -> bool {
    let Some(name) = option.strip_prefix("--").or(option.strip_prefix('-')) else { return false };
    match name.split_once('=') {
        Some(("arch" | "gpu-architecture", architecture)) => is_architecture(architecture),
        valued => {
            let name = valued.map_or(name, |(name, _)| name);
            OPTIONS.split(' ').any(|known| known == name)
        }
    }
}

/// `sm_90`, `compute_90`, `lto_90`, optionally with an architecture- or family-specific suffix.
pub fn is_architecture(name: &str) -> bool {
    let number = ["sm_", "compute_", "lto_"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let number = number.map(|number| number.strip_suffix(['a', 'f']).unwrap_or(number));
    number
        .is_some_and(|number| number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `nvJitLinkResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Outcome {
    /// Success.
    Success = 0,
    /// Unknown option.
    UnrecognizedOption = 1,
    /// Unreadable input.
    InvalidInput = 3,
    /// Invalid PTX.
    PtxCompile = 4,
    /// LTO-IR that cannot be compiled.
    NvvmCompile = 5,
    /// Internal error.
    Internal = 6,
    /// Unsupported input type.
    UnrecognizedInput = 8,
    /// Null pointer.
    NullInput = 10,
    /// Machine code without PTX.
    MissingFatbin = 15,
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func put;\n.visible .entry twice() { call put; ret; }\n";

    const CALLEE: &str =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func put { ret; }\n";

    fn input(kind: i32, text: &str) -> Input {
        Input { kind, data: text.as_bytes().to_vec(), name: String::new() }
    }

    #[test]
    fn a_declaration_is_resolved_by_another_text() {
        let mut linker = Linker::new(vec!["-arch=sm_90".to_owned()]);
        assert_eq!(linker.add(input(PTX, CALLER)), Outcome::Success);
        assert_eq!(linker.add(input(CUBIN, CALLEE)), Outcome::Success);
        assert_eq!(linker.complete(), Outcome::Success);
        let text = String::from_utf8(linker.linked).expect("text");
        assert!(
            text.ends_with('\0') && text.contains(".entry twice") && text.contains(".func put"),
            "{text}"
        );
    }

    #[test]
    fn the_archive_of_the_device_runtime_is_linked_as_ptx() {
        const WAITS: &str = ".version 7.8\n.target sm_90\n.address_size 64\n\
            .extern .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n\
            .visible .entry waits() { .param .b64 a; .param .b32 b; .param .b32 r;\n\
            call (r), cudaCGSynchronize, (a, b); ret; }\n";
        let mut linker = Linker::new(vec!["-maxrregcount=40".to_owned()]);
        assert_eq!(linker.add(input(PTX, WAITS)), Outcome::Success);
        let data = b"!<arch>\n".to_vec();
        let archive = Input { kind: LIBRARY, data, name: "/a/libcudadevrt.a".to_owned() };
        assert_eq!(linker.add(archive), Outcome::Success);
        assert_eq!(linker.complete(), Outcome::Success);
        let text = String::from_utf8(linker.linked).expect("text");
        assert!(text.contains(".maxnreg 40") && text.contains("barrier.sync"), "{text}");
    }

    #[test]
    fn linking_nothing_gives_an_empty_module() {
        let mut linker = Linker::new(vec!["-arch=compute_80".to_owned()]);
        assert_eq!(linker.complete(), Outcome::Success);
        assert!(String::from_utf8_lossy(&linker.linked).contains(".target sm_80"));
    }

    #[test]
    fn link_errors_describe_the_mistake() {
        let mut linker = Linker::new(Vec::new());
        let mut elf = input(CUBIN, "");
        elf.data = b"\x7fELF....".to_vec();
        assert_eq!(linker.add(elf), Outcome::MissingFatbin);
        assert!(String::from_utf8_lossy(&linker.errors).contains("nvcc -ptx"));
        assert_eq!(linker.add(input(PTX, ".version 7.0 .target")), Outcome::Success);
        assert_eq!(linker.complete(), Outcome::PtxCompile);
        assert!(String::from_utf8_lossy(&linker.errors).starts_with("input 0: "));
        let mut linker = Linker::new(Vec::new());
        assert_eq!(linker.add(input(PTX, CALLER)), Outcome::Success);
        assert_eq!(linker.complete(), Outcome::PtxCompile);
        assert!(String::from_utf8_lossy(&linker.errors).contains("undefined reference to `put`"));
    }

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
