//! Linking: texts, files and fatbins become one image that modules and libraries load; errors go to the program's log.

use crate::common::{allocate, context, download, launch};
use std::ffi::{CStr, CString, c_char, c_void};

const CALLER: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 y) twice (.param .b32 x);
.extern .global .align 4 .u32 start;
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r1, [start];
    {
    .param .b32 x; .param .b32 y;
    st.param.b32 [x], %r1;
    call (y), twice, (x);
    ld.param.b32 %r2, [y];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
";

const CALLEE: &str = "
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 start = 21;
.visible .func (.param .b32 y) twice (.param .b32 x) {
    .reg .b32 %r<2>;
    ld.param.b32 %r1, [x];
    add.u32 %r1, %r1, %r1;
    st.param.b32 [y], %r1;
    ret;
}
";

const PTX: i32 = 1;
const CUBIN: i32 = 0;
const FATBIN: i32 = 2;
const LIBRARY: i32 = 4;

/// A linker with logs of these sizes, as C programs create it: options and values live as long as the linker.
struct Linker {
    handle: u64,
    names: Vec<i32>,
    values: Vec<u64>,
    logs: [Vec<u8>; 2],
}

impl Linker {
    fn new(bytes: usize) -> Linker {
        let mut linker = Linker {
            handle: 0,
            names: vec![2, 3, 4, 5, 6, 12],
            values: Vec::new(),
            logs: [vec![0xaa; bytes], vec![0xaa; bytes]],
        };
        let [info, error] = linker.logs.each_mut().map(|log| log.as_mut_ptr() as u64);
        let bytes = bytes as u64;
        linker.values = vec![f32::NAN.to_bits().into(), info, bytes, error, bytes, 1];
        let code = call!("cuLinkCreate"(
            6 => u32, linker.names.as_ptr() => *const i32, linker.values.as_mut_ptr() => *mut u64,
            &mut linker.handle => *mut u64
        ));
        assert_eq!(code, 0);
        linker
    }

    fn add(&self, kind: i32, bytes: &[u8], name: &CStr) -> i32 {
        call!("cuLinkAddData"(
            self.handle => u64, kind => i32, bytes.as_ptr().cast() => *const c_void, bytes.len() => usize,
            name.as_ptr() => *const c_char, 0 => u32, std::ptr::null() => *const i32, std::ptr::null_mut() => *mut u64
        ))
    }

    fn add_text(&self, text: &str, name: &CStr) -> i32 {
        self.add(PTX, CString::new(text).expect("a text").as_bytes_with_nul(), name)
    }

    /// The image and its length.
    fn complete(&self) -> (i32, *const c_void, usize) {
        let (mut image, mut bytes) = (std::ptr::null(), 0);
        let code = call!("cuLinkComplete"(
            self.handle => u64, &mut image => *mut *const c_void, &mut bytes => *mut usize
        ));
        (code, image, bytes)
    }

    fn log(&self, number: usize) -> &str {
        let text = CStr::from_bytes_until_nul(&self.logs[number]).expect("ended").to_str();
        let text = text.expect("a text");
        assert_eq!(self.values[[2, 4][number]], text.len() as u64, "the length of the log");
        text
    }

    fn info(&self) -> &str {
        self.log(0)
    }

    fn error(&self) -> &str {
        self.log(1)
    }

    fn milliseconds(&self) -> f32 {
        f32::from_bits(self.values[0] as u32)
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        assert_eq!(call!("cuLinkDestroy"(self.handle => u64)), 0);
    }
}

fn load(image: *const c_void) -> u64 {
    let mut module = 0u64;
    assert_eq!(call!("cuModuleLoadData"(&mut module => *mut u64, image => *const c_void)), 0);
    module
}

/// The value that `k` of a module stores.
fn result(module: u64) -> u32 {
    let mut function = 0u64;
    let name = c"k".as_ptr();
    let code = call!("cuModuleGetFunction"(&mut function => *mut u64, module => u64, name => *const c_char));
    assert_eq!(code, 0);
    let out = allocate(4);
    assert_eq!(launch(function, 1, &[out]), 0);
    download::<u32>(out, 1)[0]
}

/// A fatbin with one uncompressed PTX entry.
fn fatbin(text: &str) -> Vec<u8> {
    let mut header = [0u8; 64];
    header[0] = 1;
    header[4] = 64;
    header[8..12].copy_from_slice(&(text.len() as u32).to_le_bytes());
    header[28] = 80;
    header[56..60].copy_from_slice(&(text.len() as u32).to_le_bytes());
    let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
    bytes.extend([1, 0, 16, 0]);
    bytes.extend((64 + text.len() as u64).to_le_bytes());
    bytes.extend(header);
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn texts_and_fatbins_become_one_image() {
    context();
    let linker = Linker::new(1000);
    assert_eq!(linker.add_text(CALLER, c"caller.ptx"), 0);
    assert_eq!(linker.add(FATBIN, &fatbin(CALLEE), c"callee.fatbin"), 0);
    let (code, image, bytes) = linker.complete();
    assert_eq!(code, 0);
    assert!(linker.info().contains("caller.ptx, callee.fatbin"), "{}", linker.info());
    assert_eq!(linker.error(), "");
    assert!(linker.milliseconds() >= 0.0);
    let module = load(image);
    assert_eq!(result(module), 42);
    assert_eq!(linker.complete(), (0, image, bytes));
    assert_eq!(linker.add_text(CALLEE, c"late"), 1);

    // A library can also load it, and another linker accepts it as a cubin.
    let (mut library, mut kernel) = (0u64, 0u64);
    let none = std::ptr::null::<c_void>();
    let code = call!("cuLibraryLoadData"(
        &mut library => *mut u64, image => *const c_void, none => *const c_void, none => *const c_void, 0 => u32,
        none => *const c_void, none => *const c_void, 0 => u32
    ));
    assert_eq!(code, 0);
    let code = call!("cuLibraryGetKernel"(
        &mut kernel => *mut u64, library => u64, c"k".as_ptr() => *const c_char
    ));
    assert_eq!(code, 0);
    let again = Linker::new(100);
    // SAFETY: the driver returned an image of this size, which lives as long as the linker.
    let bytes = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) };
    assert_eq!(again.add(CUBIN, bytes, c""), 0);
    drop(linker);
    assert_eq!(result(module), 42, "a module outlives the linker");
    let (code, image, _) = again.complete();
    assert_eq!((code, result(load(image))), (0, 42));
}

#[test]
fn files_are_linked_by_their_contents() {
    context();
    let folder = std::env::temp_dir().join(format!("lanework-links-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    // An archive of host objects; one of them has a fatbin.
    let archive = [b"!<arch>\n".as_slice(), b"host code", &fatbin(CALLEE), b"more"].concat();
    let linker = Linker::new(1000);
    for (name, kind, bytes) in
        [("caller.ptx", PTX, CALLER.as_bytes()), ("libcallee.a", LIBRARY, &archive)]
    {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        let path = CString::new(path.to_str().expect("a path")).expect("a path");
        let code = call!("cuLinkAddFile"(
            linker.handle => u64, kind => i32, path.as_ptr() => *const c_char, 0 => u32,
            std::ptr::null() => *const i32, std::ptr::null_mut() => *mut u64
        ));
        assert_eq!(code, 0, "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    let (code, image, _) = linker.complete();
    assert_eq!((code, result(load(image))), (0, 42));
    let destroyed = Linker::new(10).handle;
    let code = call!("cuLinkAddFile"(
        destroyed => u64, PTX => i32, c"/nowhere/at.ptx".as_ptr() => *const c_char, 0 => u32,
        std::ptr::null() => *const i32, std::ptr::null_mut() => *mut u64
    ));
    assert_eq!(code, 400, "a linker that was destroyed");
    let linker = Linker::new(10);
    let code = call!("cuLinkAddFile"(
        linker.handle => u64, PTX => i32, c"/nowhere/at.ptx".as_ptr() => *const c_char, 0 => u32,
        std::ptr::null() => *const i32, std::ptr::null_mut() => *mut u64
    ));
    assert_eq!(code, 301);
}

#[test]
fn link_errors_are_in_the_log() {
    context();
    // An invalid text: line and expectation.
    let linker = Linker::new(1000);
    let wrong = CALLEE.replace("add.u32 %r1, %r1, %r1;", "add.u32 %r1, %r1 %r1;");
    assert_eq!(linker.add_text(&wrong, c"wrong.ptx"), 218);
    let log = linker.error();
    assert!(log.contains("wrong.ptx") && log.contains("add.u32 %r1, %r1 %r1;"), "{log}");
    assert!(log.contains("9"), "the line: {log}");
    // Neither PTX nor machine code.
    assert_eq!(linker.add_text("neither", c""), 218);
    assert_eq!(linker.add(CUBIN, b"neither", c""), 200);
    assert_eq!(linker.add(CUBIN, b"\x7fELF....", c"code.cubin"), 209);
    assert!(linker.error().contains("code.cubin") && linker.error().contains("nvcc"));

    // An undefined name.
    let linker = Linker::new(1000);
    assert_eq!(linker.add_text(CALLER, c"caller.ptx"), 0);
    assert_eq!(linker.complete().0, 999);
    let log = linker.error();
    assert!(log.contains("undefined reference to `twice` in caller.ptx"), "{log}");
    assert!(log.contains("`start`"), "{log}");
    // The missing text can still be added.
    assert_eq!(linker.add_text(CALLEE, c"callee.ptx"), 0);
    assert_eq!(linker.complete().0, 0);
    assert_eq!(linker.error(), "");

    // A duplicate definition, with a log that is too short.
    for bytes in [1000, 12] {
        let linker = Linker::new(bytes);
        assert_eq!(linker.add_text(CALLEE, c"a.ptx"), 0);
        assert_eq!(linker.add_text(CALLEE, c"b.ptx"), 0);
        assert_eq!(linker.complete().0, 999);
        let whole = "error: `start` is defined in a.ptx and in b.ptx";
        assert!(linker.error().starts_with(&whole[..whole.len().min(bytes - 1)]));
    }
}

#[test]
fn options_of_a_linker_are_kept() {
    context();
    let linker = Linker::new(10);
    let (name, value) = ([0i32], [24u64]); // at most 24 registers
    let code = call!("cuLinkAddData"(
        linker.handle => u64, PTX => i32, CALLER.as_ptr().cast() => *const c_void, CALLER.len() => usize,
        std::ptr::null() => *const c_char, 1 => u32, name.as_ptr() => *const i32, value.as_ptr() => *const u64
    ));
    assert_eq!(code, 0);
    assert_eq!(linker.add_text(CALLEE, c""), 0);
    let (code, image, bytes) = linker.complete();
    assert_eq!(code, 0);
    // SAFETY: the driver returned an image of this size, which lives as long as the linker.
    let text = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) };
    assert!(String::from_utf8_lossy(text).contains(".maxnreg 24"));

    // Counts without arrays, null results and unknown handles are errors.
    let mut handle = 0u64;
    let none = std::ptr::null::<i32>();
    let nowhere = std::ptr::null_mut::<u64>();
    for (count, to) in [(2, &raw mut handle), (0, std::ptr::null_mut())] {
        let code = call!("cuLinkCreate"(
            count => u32, none => *const i32, nowhere => *mut u64, to => *mut u64
        ));
        assert_eq!(code, 1);
    }
    let code = call!("cuLinkComplete"(99 => u64, nowhere => *mut u64, nowhere => *mut u64));
    assert_eq!(code, 400);
    assert_eq!(call!("cuLinkDestroy"(99 => u64)), 400);
    assert_eq!(Linker::new(10).complete().0, 1, "nothing was added");
    assert_eq!(linker.add(PTX, b"", c""), 1);
}

#[test]
fn a_module_with_an_undefined_function_does_not_load() {
    context();
    let text = CString::new(CALLER).expect("a text");
    let mut module = 0u64;
    let mut log = vec![0u8; 1000];
    let names = [5i32, 6];
    let mut values = [log.as_mut_ptr() as u64, 1000];
    let code = call!("cuModuleLoadDataEx"(
        &mut module => *mut u64, text.as_ptr().cast() => *const c_void, 2 => u32, names.as_ptr() => *const i32,
        values.as_mut_ptr() => *mut u64
    ));
    assert_eq!(code, 218);
    let log = String::from_utf8_lossy(&log);
    assert!(log.contains("undefined reference to `twice`"), "{log}");
}
