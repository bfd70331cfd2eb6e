//! Modules that a program loads itself, and NVRTC, which is the compiler of this command.

use super::plain::status;
use super::state::{RuntimeSource, loaded, put};
use lanework_cuda_cpp::{CompileOptions, Loader};
use lanework_host::{External, Process, Stop, word};
use std::ffi::{CString, c_char};

/// Codes of NVRTC.
const INVALID_OPTION: u64 = 5;
const COMPILATION: u64 = 6;

/// The most headers or options of a program.
const MOST: u64 = 1 << 16;

unsafe extern "C" {
    fn cuModuleLoadData(module: *mut u64, image: *const c_char) -> i32;
    fn cuModuleUnload(module: u64) -> i32;
    fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) -> i32;
    fn cuModuleGetGlobal_v2(at: *mut u64, bytes: *mut u64, module: u64, name: *const c_char)
    -> i32;
}

/// Text of the program that ends with a zero byte.
fn text(process: &Process, address: u64) -> Result<CString, Stop> {
    // The text that was read has no zero byte.
    Ok(CString::new(process.text(address)?).unwrap_or_default())
}

/// Text of the program; empty for a null pointer.
fn words(process: &Process, address: u64) -> Result<String, Stop> {
    let bytes = if address == 0 { Vec::new() } else { process.text(address)? };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The texts of an array of pointers.
fn list(process: &Process, address: u64, count: u64) -> Result<Vec<String>, Stop> {
    let pointers = process.accessed(process.memory.read(address, 8 * count.min(MOST)), "read")?;
    let pointers = pointers.chunks_exact(8).map(|word| {
        let word = word.try_into().unwrap_or_default();
        words(process, u64::from_le_bytes(word))
    });
    pointers.collect()
}

/// The headers that a program gave to NVRTC.
struct Given<'a>(&'a [(String, String)]);

impl Loader for Given<'_> {
    fn load(&mut self, name: &str, _: &str) -> Option<(String, String)> {
        self.0.iter().find(|(known, _)| known == name).cloned()
    }
}

/// Options of NVRTC as options of the compiler; the option that is wrong otherwise. Options for speed are ignored.
fn options(given: &[String]) -> Result<CompileOptions, String> {
    let mut options = CompileOptions { architecture: 75, ..CompileOptions::default() };
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let split = option.split_once('=');
        let (name, value) = split.map_or((option.as_str(), None), |(a, b)| (a, Some(b)));
        let mut value = || value.or_else(|| rest.next().map(String::as_str)).unwrap_or("");
        match name {
            "--gpu-architecture" | "-arch" => {
                let number = value().trim_start_matches(|c: char| !c.is_ascii_digit());
                options.specific = number.ends_with('a');
                let number = number.trim_end_matches(|c: char| !c.is_ascii_digit());
                options.architecture = number.parse().map_err(|_| option.clone())?;
            }
            "--define-macro" | "-D" => {
                let define = if split.is_some() {
                    option[name.len() + 1..].to_owned()
                } else {
                    value().to_owned()
                };
                options.defines.push(define);
            }
            _ if option.starts_with("-D") => options.defines.push(option[2..].to_owned()),
            _ if !option.starts_with('-') => return Err(option.clone()),
            _ => {}
        }
    }
    Ok(options)
}

/// Compiles a source; its PTX or the errors stay with it.
fn compile(source: &mut RuntimeSource, given: &[String]) -> u64 {
    let options = match options(given) {
        Ok(options) => options,
        Err(option) => {
            source.log = format!("error: `{option}` is not an option of NVRTC\n");
            return INVALID_OPTION;
        }
    };
    let mut headers = Given(&source.headers);
    match lanework_cuda_cpp::compile(&source.text, &source.name, &options, &mut headers) {
        Ok(compiled) => {
            (source.ptx, source.log) = (compiled.text, compiled.warnings);
            0
        }
        Err(failure) => {
            (source.ptx, source.log) = (String::new(), failure.text);
            COMPILATION
        }
    }
}

/// A source's PTX or log, with a zero byte at its end.
fn result(process: &mut Process, a: &[u64]) -> Result<Vec<u8>, Stop> {
    let source = loaded(process)?.sources.get(word(a, 0) as usize);
    let text = source.map(|source| if word(a, 1) == 0 { &source.ptx } else { &source.log });
    Ok(text.map_or(Vec::new(), |text| text.bytes().chain([0]).collect()))
}

/// The functions.
pub const MODULES: &[(&str, External)] = &[
    ("cuModuleLoadData", |process, a| {
        let image = text(process, word(a, 1))?;
        let mut module = 0;
        // SAFETY: the result is a word, and the text ends with a zero byte.
        let code = unsafe { cuModuleLoadData(&raw mut module, image.as_ptr()) };
        if code == 0 {
            put(process, word(a, 0), module)?;
        }
        Ok(status(code))
    }),
    ("cuModuleUnload", |_, a| {
        // SAFETY: the driver refuses handles that it did not give.
        Ok(status(unsafe { cuModuleUnload(word(a, 0)) }))
    }),
    ("cuModuleGetFunction", |process, a| {
        let name = text(process, word(a, 2))?;
        let mut function = 0;
        // SAFETY: the result is a word, and the name ends with a zero byte; the driver refuses other modules.
        let code = unsafe { cuModuleGetFunction(&raw mut function, word(a, 1), name.as_ptr()) };
        if code == 0 {
            put(process, word(a, 0), function)?;
        }
        Ok(status(code))
    }),
    ("cuModuleGetGlobal_v2", |process, a| {
        let name = text(process, word(a, 3))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the results are words, and the name ends with a zero byte; the driver refuses other modules.
        let code = unsafe {
            cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, word(a, 2), name.as_ptr())
        };
        if code == 0 {
            loaded(process)?.memory.add(address, bytes);
            for (at, value) in [(0, address), (1, bytes)] {
                if word(a, at) != 0 {
                    put(process, word(a, at), value)?;
                }
            }
        }
        Ok(status(code))
    }),
    ("__lw_rtc_create", |process, a| {
        let text = words(process, word(a, 0))?;
        let name = words(process, word(a, 1))?;
        let name = if name.is_empty() { "default_program".to_owned() } else { name };
        let count = u64::from(word(a, 2) as u32);
        let texts = list(process, word(a, 3), count)?;
        let names = list(process, word(a, 4), count)?;
        let headers = names.into_iter().zip(texts).collect();
        let sources = &mut loaded(process)?.sources;
        sources.push(RuntimeSource { text, name, headers, ..RuntimeSource::default() });
        Ok(sources.len() as u64 - 1)
    }),
    ("__lw_rtc_compile", |process, a| {
        let given = list(process, word(a, 2), u64::from(word(a, 1) as u32))?;
        let source = loaded(process)?.sources.get_mut(word(a, 0) as usize);
        Ok(source.map_or(COMPILATION, |source| compile(source, &given)))
    }),
    ("__lw_rtc_bytes", |process, a| Ok(result(process, a)?.len() as u64)),
    ("__lw_rtc_get", |process, a| {
        let text = result(process, a)?;
        let written = process.memory.write(word(a, 2), &text);
        process.accessed(written, "write").map(|()| 0)
    }),
];
