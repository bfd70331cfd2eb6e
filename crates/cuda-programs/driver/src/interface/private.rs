//! Private tables that NVIDIA's runtime (cudart) requests with `cuGetExportTable`. Public projects found their
//! identifiers and the meaning of their slots.

use crate::api::{api, call, warn};
use crate::devices;
use crate::devices::contexts::{cuCtxGetCurrent, cuCtxGetId, cuDevicePrimaryCtxRetain, or_current};
use crate::interface::procedures::VERSION;
use crate::modules::foreign::say_caller;
use crate::modules::module::cuModuleLoadData;
use crate::pointers::*;
use crate::state::{Handle, driver, lock};
use crate::status::{Result, Status};
use hmac::{Hmac, Mac};
use md2::Md2;
use std::ffi::c_void;
use std::sync::OnceLock;

/// A table: sizes and function addresses.
struct PrivateTable(Vec<usize>);

/// A slot that succeeds without an effect.
unsafe extern "C" fn nothing() -> i32 {
    0
}

/// A slot that is not implemented.
unsafe extern "C" fn refused() -> i32 {
    if crate::api::traces() {
        crate::api::line(
            &"the program called a function of a private driver table that the emulator does not provide",
        );
    }
    Status::NotSupported as i32
}

/// The primary context of a device.
unsafe extern "C" fn primary_context(context: Out<'_, Handle>, device: i32) -> i32 {
    // SAFETY: the runtime passes the arguments of `cuDevicePrimaryCtxRetain` unchanged.
    unsafe { cuDevicePrimaryCtxRetain(context, device) }
}

/// Loads a module from a fatbin's wrapper.
unsafe extern "C" fn load_module(module: Out<'_, Handle>, wrapper: In<'_, u8>) -> i32 {
    // SAFETY: the runtime passes the arguments of `cuModuleLoadData` unchanged.
    unsafe { cuModuleLoadData(module, wrapper) }
}

/// As [`load_module`], with two more arguments.
unsafe extern "C" fn load_module_with(
    module: Out<'_, Handle>,
    wrapper: In<'_, u8>,
    _a: usize,
    _b: usize,
) -> i32 {
    // SAFETY: the runtime passes the arguments of `cuModuleLoadData` unchanged.
    unsafe { cuModuleLoadData(module, wrapper) }
}

/// Scratch memory, where the runtime stores hooks for tools.
unsafe extern "C" fn scratch_1(to: Out<'_, *mut c_void>, bytes: Out<'_, usize>) {
    static SCRATCH: OnceLock<usize> = OnceLock::new();
    scratch(&SCRATCH, 1024, to, bytes)
}

/// As [`scratch_1`].
unsafe extern "C" fn scratch_2(to: Out<'_, *mut c_void>, bytes: Out<'_, usize>) {
    static SCRATCH: OnceLock<usize> = OnceLock::new();
    scratch(&SCRATCH, 14, to, bytes)
}

fn scratch(kept: &OnceLock<usize>, words: usize, to: Out<'_, *mut c_void>, bytes: Out<'_, usize>) {
    let address =
        *kept.get_or_init(|| Box::leak(vec![0u64; words].into_boxed_slice()).as_mut_ptr() as usize);
    let _ = to.store(address as *mut c_void);
    let _ = bytes.store(8 * words);
}

/// Stores a value in a context.
unsafe extern "C" fn put(context: Handle, key: u64, value: u64, _destroy: *const c_void) -> i32 {
    call("a private table's put", &Vec::new, || {
        lock(&or_current(context)?.local).insert(key, value);
        Ok(())
    })
}

/// Removes a value from a context.
unsafe extern "C" fn delete(context: Handle, key: u64) -> i32 {
    call("a private table's delete", &Vec::new, || {
        // A destroyed context has no values.
        if let Ok(context) = or_current(context) {
            lock(&context.local).remove(&key);
        }
        Ok(())
    })
}

/// Reads a value of a context.
unsafe extern "C" fn get(value: Out<'_, u64>, context: Handle, key: u64) -> i32 {
    call("a private table's get", &Vec::new, || {
        let found = lock(&or_current(context)?.local).get(&key).copied();
        value.store(found.ok_or(Status::InvalidHandle)?)
    })
}

/// Context check: always succeeds.
unsafe extern "C" fn context_check(
    _context: Handle,
    result: Out<'_, u32>,
    _other: *const c_void,
) -> i32 {
    call("a private table's check", &Vec::new, || result.store(0))
}

/// Identifiers of the runtime's table and of the handshake table.
const RUNTIME: &str = "6bd5fb6c5bf4e74a8987d93912fd9df9";
const HANDSHAKE: &str = "d4082055bde6704b8d34ba123c66e1f2";

/// Key of the handshake, from public projects.
const KEY: [u8; 16] = [
    0x14, 0x6a, 0xdd, 0xae, 0x53, 0xa9, 0xa7, 0x52, 0xaa, 0x08, 0x41, 0x36, 0x0b, 0xf5, 0x5a, 0x9f,
];

/// Handshake of runtime and driver: HMAC-MD2 over process and device data that both know.
unsafe extern "C" fn handshake(version: u32, seconds: u64, result: Out<'_, [u8; 16]>) -> i32 {
    call("a private table's handshake", &Vec::new, || result.store(answer(version, seconds)?))
}

fn answer(version: u32, seconds: u64) -> Result<[u8; 16]> {
    // Versions ending in 0 or 1 expect fixed answers.
    if let last @ 0..=1 = version % 10 {
        let low: u64 = if last == 0 { 0x3341_181c_03cb_675c } else { 0x1841_181c_03cb_675c };
        let both = [low.to_le_bytes(), 0x8ed3_83aa_1f4c_d1e8_u64.to_le_bytes()];
        return Ok(std::array::from_fn(|i| both[i / 8][i % 8]));
    }
    let words = |wanted: &str| {
        tables()
            .iter()
            .find(|(known, _)| *known == id(wanted))
            .map_or(&[][..], |(_, PrivateTable(words))| words)
    };
    let (runtime, own) = (words(RUNTIME), words(HANDSHAKE));
    // SAFETY: `pthread_self` only returns a number, whose lower half is used.
    let thread = unsafe { libc::pthread_self() } as u32;
    let mut mac = Hmac::<Md2>::new_from_slice(&KEY).map_err(|_| Status::Unknown)?;
    for word in [VERSION as u32, version, std::process::id(), thread] {
        mac.update(&word.to_le_bytes());
    }
    for word in [runtime.as_ptr() as u64, own.as_ptr() as u64, own[1] as u64, seconds] {
        mac.update(&word.to_le_bytes());
    }
    for gpu in &driver()?.gpus {
        mac.update(&gpu.uuid());
        // Domain, bus and device on the PCI bus.
        for attribute in [50, 33, 34] {
            mac.update(&devices::device_attribute(attribute, gpu).unwrap_or(0).to_le_bytes());
        }
    }
    Ok(mac.finalize().into_bytes().into())
}

/// Parses an identifier.
fn id(text: &str) -> [u8; 16] {
    std::array::from_fn(|i| {
        text.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or(0)
    })
}

/// A table of `count` slots. Slots that are not filled refuse the call; if `sized`, the first slot holds the table's
/// size in bytes.
fn slots(count: usize, sized: bool, filled: &[(usize, *const ())]) -> PrivateTable {
    let mut words = vec![refused as *const () as usize; count];
    if sized {
        words[0] = 8 * count;
    }
    for &(slot, function) in filled {
        words[slot] = function as usize;
    }
    PrivateTable(words)
}

/// All tables by identifier.
fn tables() -> &'static [([u8; 16], PrivateTable)] {
    static TABLES: OnceLock<Vec<([u8; 16], PrivateTable)>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let quiet = nothing as *const ();
        vec![
            (
                id(RUNTIME),
                slots(
                    13,
                    true,
                    &[
                        (1, load_module as *const ()),
                        (2, primary_context as *const ()),
                        (6, load_module_with as *const ()),
                        (7, quiet),
                        (8, load_module_with as *const ()),
                        (12, quiet),
                    ],
                ),
            ),
            (
                id("42d85a8123f6cb478298f6e78a3aecdc"),
                slots(4, true, &[(2, cuCtxGetCurrent as *const ())]),
            ),
            // Contexts: required by runtimes since CUDA 13.4; cuBLASLt calls slot 4.
            (
                id("21318c60971432488ca641ff7324c8f2"),
                slots(95, true, &[(4, cuCtxGetId as *const ())]),
            ),
            (
                id("a094798c2e742e7493f20800200c0a66"),
                slots(7, true, &[(2, scratch_1 as *const ()), (6, scratch_2 as *const ())]),
            ),
            (
                id("c693336e1121df11a8c368f355d89593"),
                slots(
                    4,
                    false,
                    &[(0, put as *const ()), (1, delete as *const ()), (2, get as *const ())],
                ),
            ),
            (id("195bcbf4d67d024aacc51d29cea631ae"), slots(3, true, &[])),
            (id("b10541e1f7c7c74a9f64f223be99f1e2"), slots(26, true, &[])),
            (id(HANDSHAKE), slots(3, true, &[(1, handshake as *const ())])),
            (
                id("263e88607cd2614392f6bbd5006dfa7e"),
                slots(4, true, &[(2, context_check as *const ()), (3, quiet)]),
            ),
        ]
    })
}

api! {
    fn cuGetExportTable(found: Out<'_, *const c_void>, id: In<'_, [u8; 16]>) {
        let id = id.get()?;
        let Some((_, PrivateTable(words))) = tables().iter().find(|(known, _)| *known == id) else {
            if crate::api::traces() {
                warn("the emulator does not provide this private driver table", &format!("{id:02x?}"));
            }
            say_caller();
            return Err(Status::InvalidValue);
        };
        found.store(words.as_ptr().cast())
    }
}

#[cfg(test)]
mod tests {
    use super::{cuGetExportTable, id, tables};
    use crate::pointers::*;

    #[test]
    fn tables_begin_with_their_size_and_have_no_empty_slot() {
        for (_, table) in tables() {
            let words = &table.0;
            assert!(words.iter().all(|word| *word != 0));
            // The table without a size starts with a function.
            assert!(words[0] == 8 * words.len() || words.len() == 4 && words[0] > 4096);
        }
    }

    #[test]
    fn runtimes_since_13_4_find_the_table_of_contexts() {
        let mut found = std::ptr::null();
        let mut find = |id: &[u8; 16]| {
            // SAFETY: both pointers are to variables that outlive the call.
            unsafe { cuGetExportTable(Out::new(&raw mut found), In::new(id)) }
        };
        assert_eq!(find(&id("21318c60971432488ca641ff7324c8f2")), 0);
        assert_ne!(find(&[0; 16]), 0);
        // SAFETY: the table that was found begins with its size; the second call stored nothing.
        assert_eq!(unsafe { *found.cast::<usize>() }, 95 * 8);
    }
}
