"""Writes a Rust program that runs ZLUDA's PTX tests through the CUDA driver: `zluda.py FOLDER`, where FOLDER holds `mod.rs` and the PTX.

The tests are calls of macros, `test_ptx!(name, [inputs], [outputs])` and `test_ptx_warp!(name, [outputs])`, the latter with 64 threads. They
are taken as they stand; the macros here launch the kernel and compare.
"""

import re
import sys

PROGRAM = r"""
use std::ffi::*;
mod half {
    /// Half-precision numbers, as far as the tests name them.
    #[derive(Clone, Copy)]
    pub struct f16(u16);
    impl f16 {
        pub const NAN: f16 = f16(0x7e00);
        pub const NEG_INFINITY: f16 = f16(0xfc00);
        pub fn to_bits(self) -> u16 { self.0 }
        pub fn from_bits(bits: u16) -> f16 { f16(bits) }
        pub fn from_f32(x: f32) -> f16 { Self::from_f64(x as f64) }
        pub fn from_f64(x: f64) -> f16 {
            let sign = (x.to_bits() >> 48 & 0x8000) as u16;
            let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
            let units = (x.abs() / 2f64.powi(exponent - 10)).round_ties_even() as i32;
            f16(sign | if units == 0 { 0 } else { (exponent + 14) * 1024 + units } as u16)
        }
    }
}
type P = *mut c_void;
#[link(name = "cuda")]
unsafe extern "C" {
    fn cuInit(f: u32) -> i32;
    fn cuCtxCreate_v2(c: *mut P, f: u32, d: i32) -> i32;
    fn cuCtxDestroy_v2(c: P) -> i32;
    fn cuModuleLoadData(m: *mut P, p: *const c_void) -> i32;
    fn cuModuleGetFunction(f: *mut P, m: P, n: *const c_char) -> i32;
    fn cuMemAlloc_v2(p: *mut u64, n: usize) -> i32;
    fn cuMemsetD8_v2(d: u64, v: u8, n: usize) -> i32;
    fn cuMemcpyHtoD_v2(d: u64, s: *const c_void, n: usize) -> i32;
    fn cuMemcpyDtoH_v2(d: *mut c_void, s: u64, n: usize) -> i32;
    fn cuLaunchKernel(f: P, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, s: P, a: *mut P, x: P) -> i32;
}
static PASSED: std::sync::Mutex<(u32, u32)> = std::sync::Mutex::new((0, 0));

fn bytes<T>(x: &[T]) -> Vec<u8> { unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), size_of_val(x)) }.to_vec() }

/// Memory with room behind it, as a GPU's pages have: a test's last threads write past its results.
fn memory(n: usize) -> u64 {
    let (mut at, n) = (0, n + 65536);
    assert_eq!(unsafe { cuMemAlloc_v2(&mut at, n) | cuMemsetD8_v2(at, 0, n) }, 0);
    at
}

/// Loads a test's module and, where results are expected, runs it.
fn of(name: &str, input: Option<Vec<u8>>, want: Option<(Vec<u8>, usize)>, threads: u32) -> Result<(), String> {
    let ok = |what: &str, status: i32| if status == 0 { Ok(()) } else { Err(format!("{what}: status {status}")) };
    let text = CString::new(std::fs::read(format!("FOLDER/{name}.ptx")).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
    unsafe {
        ok("loading", cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
        let Some((want, size)) = want else { return Ok(()) };
        let name = CString::new(name).map_err(|e| e.to_string())?;
        ok("finding the kernel", cuModuleGetFunction(&mut function, module, name.as_ptr()))?;
        let mut out = memory(want.len());
        let mut from = memory(input.as_ref().map_or(0, Vec::len));
        let out_at: P = (&raw mut out).cast();
        let mut arguments = [out_at; 2];
        if let Some(input) = &input {
            ok("copying", cuMemcpyHtoD_v2(from, input.as_ptr().cast(), input.len()))?;
            arguments[0] = (&raw mut from).cast();
        }
        let null = std::ptr::null_mut();
        ok("launching", cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 1024, null, arguments.as_mut_ptr(), null))?;
        let mut got = vec![0u8; want.len()];
        ok("running", cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, got.len()))?;
        match (0..got.len()).find(|&i| got[i] != want[i]).map(|i| i / size * size) {
            None => Ok(()),
            Some(i) => Err(format!("element {}: {:02x?}, expected {:02x?}", i / size, &got[i..i + size], &want[i..i + size])),
        }
    }
}

fn run(name: &str, input: Option<Vec<u8>>, want: Option<(Vec<u8>, usize)>, threads: u32) {
    if std::env::args().nth(1).is_some_and(|only| only != name) {
        return;
    }
    let mut context = std::ptr::null_mut();
    assert_eq!(unsafe { cuInit(0) | cuCtxCreate_v2(&mut context, 0, 0) }, 0);
    let (only, result) = (if want.is_some() { "" } else { " (loaded only)" }, of(name, input, want, threads));
    unsafe { cuCtxDestroy_v2(context) };
    let mut passed = PASSED.lock().unwrap();
    match result {
        Ok(()) => passed.0 += 1,
        Err(_) => passed.1 += 1,
    }
    println!("{name}{only}: {}", result.map_or_else(|why| format!("FAILED, {why}"), |()| "passed".to_owned()));
}
macro_rules! test_ptx {
    ($n:ident, $i:expr, $o:expr $(,)?) => {{ let (i, o) = ($i, $o); run(stringify!($n), Some(bytes(&i)), Some((bytes(&o), size_of_val(&o[0]))), 1) }};
    ($n:ident) => { run(stringify!($n), None, None, 1) };
}
macro_rules! test_ptx_with_32 { ($($t:tt)*) => { test_ptx!($($t)*) } }
macro_rules! test_ptx_warp { ($n:ident, $o:expr $(,)?) => {{ let o = $o; run(stringify!($n), None, Some((bytes(&o), size_of_val(&o[0]))), 64) }} }
"""

folder = sys.argv[1]
text = open(f"{folder}/mod.rs").read()
text = text[text.index("test_ptx!(ld_st, "):]
text = text[:re.search(r"\n(#\[|struct |fn |impl |enum |pub |unsafe |static |use |const )", text).start()]
tests = [part for part in re.split(r"(?m)^(?=test_ptx)", text) if part.startswith("test_ptx")]
print(PROGRAM.replace("FOLDER", folder))
# Each test is a function: rustc takes long for one function with all arrays.
for number, test in enumerate(tests):
    print(f"fn t{number}() {{ {test.rstrip()}\n}}")
print("fn main() {", " ".join(f"t{number}();" for number in range(len(tests))))
print('let passed = PASSED.lock().unwrap(); println!("{} passed, {} failed", passed.0, passed.1); }')
