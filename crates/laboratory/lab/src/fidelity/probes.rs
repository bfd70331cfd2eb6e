//! Microbenchmarks of memory instructions (probes): one warp repeats one instruction on one access pattern, so that the
//! hardware's counts for the access are isolated from other traffic.

mod patterns;

pub use patterns::{module, patterns, sweep};

use Space::{Both, Generic, Global, Local, Shared};

/// Memory that a probe accesses.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Shared,
    Global,
    Local,
    /// To shared memory, by a generic address.
    Generic,
    /// To shared memory, from global memory.
    Both,
}

/// A probed instruction.
#[derive(Clone, Copy)]
pub struct Probe {
    /// The entry's name.
    pub name: &'static str,
    /// The instruction: `@` is the address, `#0` the first of four words, `$0` the same of 64 bits, `!0`
    /// of 16.
    text: &'static str,
    /// Bytes that a lane accesses; offsets are multiples of it.
    pub bytes: u32,
    /// Where.
    space: Space,
    /// Whether all lanes must pass addresses, as matrix instructions require.
    pub whole_warp: bool,
    /// Whether ptxas may merge repeated accesses of one address.
    repeats_alike: bool,
}

const fn probe(name: &'static str, text: &'static str, bytes: u32, space: Space) -> Probe {
    Probe { name, text, bytes, space, whole_warp: false, repeats_alike: false }
}

const fn rows(name: &'static str, text: &'static str) -> Probe {
    let repeats_alike = text.as_bytes()[0] == b'l';
    Probe { name, text, bytes: 16, space: Shared, whole_warp: true, repeats_alike }
}

/// An access to local memory, which ptxas knows to be private.
const fn local(name: &'static str, text: &'static str, bytes: u32) -> Probe {
    Probe { name, text, bytes, space: Local, whole_warp: false, repeats_alike: true }
}

/// A load of memory that is read-only during the kernel (`ld.global.nc`).
const fn constant(name: &'static str, text: &'static str, bytes: u32) -> Probe {
    Probe { name, text, bytes, space: Global, whole_warp: false, repeats_alike: true }
}

/// Probes that run on every plain pattern.
pub const PROBES: [Probe; 41] = [
    probe("shared_load_1", "ld.volatile.shared.u8 #0, [@]", 1, Shared),
    probe("shared_load_2", "ld.volatile.shared.u16 #0, [@]", 2, Shared),
    probe("shared_load_4", "ld.volatile.shared.u32 #0, [@]", 4, Shared),
    probe("shared_load_v2", "ld.volatile.shared.v2.u32 {#0, #1}, [@]", 8, Shared),
    probe("shared_load_v4", "ld.volatile.shared.v4.u32 {#0, #1, #2, #3}, [@]", 16, Shared),
    probe("shared_store_1", "st.volatile.shared.u8 [@], #0", 1, Shared),
    probe("shared_store_2", "st.volatile.shared.u16 [@], #0", 2, Shared),
    probe("shared_store_4", "st.volatile.shared.u32 [@], #0", 4, Shared),
    probe("shared_store_8", "st.volatile.shared.u64 [@], $0", 8, Shared),
    probe("shared_store_v4", "st.volatile.shared.v4.u32 [@], {#0, #1, #2, #3}", 16, Shared),
    rows("ldmatrix_x1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {#0}, [@]"),
    rows("ldmatrix_x2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {#0, #1}, [@]"),
    rows("ldmatrix_x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {#0, #1, #2, #3}, [@]"),
    rows(
        "ldmatrix_x4_trans",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {#0, #1, #2, #3}, [@]",
    ),
    rows("stmatrix_x1", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [@], {#0}"),
    rows("stmatrix_x2", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [@], {#0, #1}"),
    rows("stmatrix_x4", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [@], {#0, #1, #2, #3}"),
    probe("shared_atom_add_u32", "atom.shared.add.u32 #0, [@], #1", 4, Shared),
    probe("shared_red_add_u32", "red.shared.add.u32 [@], #1", 4, Shared),
    probe("shared_atom_max_s32", "atom.shared.max.s32 #0, [@], #1", 4, Shared),
    probe("shared_atom_exch_b32", "atom.shared.exch.b32 #0, [@], #1", 4, Shared),
    probe("shared_atom_cas_b32", "atom.shared.cas.b32 #0, [@], #1, #2", 4, Shared),
    probe("shared_atom_cas_b64", "atom.shared.cas.b64 $0, [@], $1, $2", 8, Shared),
    probe("shared_atom_add_f32", "atom.shared.add.f32 #0, [@], #1", 4, Shared),
    probe("shared_atom_add_u64", "atom.shared.add.u64 $0, [@], $1", 8, Shared),
    probe("global_load_1", "ld.volatile.global.u8 #0, [@]", 1, Global),
    probe("global_load_2", "ld.volatile.global.u16 #0, [@]", 2, Global),
    probe("global_load_4", "ld.volatile.global.u32 #0, [@]", 4, Global),
    probe("global_load_v4", "ld.volatile.global.v4.u32 {#0, #1, #2, #3}, [@]", 16, Global),
    probe("global_store_4", "st.volatile.global.u32 [@], #0", 4, Global),
    probe("global_store_8", "st.volatile.global.u64 [@], $0", 8, Global),
    probe("global_store_v4", "st.volatile.global.v4.u32 [@], {#0, #1, #2, #3}", 16, Global),
    probe("global_atom_add_u32", "atom.global.add.u32 #0, [@], #1", 4, Global),
    probe("global_red_add_u32", "red.global.add.u32 [@], #1", 4, Global),
    probe("global_red_add_f32", "red.global.add.f32 [@], #1", 4, Global),
    probe("global_atom_cas_b32", "atom.global.cas.b32 #0, [@], #1, #2", 4, Global),
    probe("global_atom_add_u64", "atom.global.add.u64 $0, [@], $1", 8, Global),
    probe("async_copy_4", "cp.async.ca.shared.global [@], [%], 4", 4, Both),
    probe("async_copy_8", "cp.async.ca.shared.global [@], [%], 8", 8, Both),
    probe("async_copy_16", "cp.async.ca.shared.global [@], [%], 16", 16, Both),
    probe("async_copy_16_cg", "cp.async.cg.shared.global [@], [%], 16", 16, Both),
];

/// Probes that run only on a few of many patterns, selected by their index in the list.
pub const MORE: &[Probe] = &[
    probe("shared_load_8", "ld.volatile.shared.u64 $0, [@]", 8, Shared),
    probe("shared_load_v2_u64", "ld.volatile.shared.v2.u64 {$0, $1}, [@]", 16, Shared),
    probe("shared_load_v2_u16", "ld.volatile.shared.v2.u16 {!0, !1}, [@]", 4, Shared),
    probe("shared_load_v4_u8", "ld.volatile.shared.v4.u8 {!0, !1, !2, !3}, [@]", 4, Shared),
    probe("shared_load_v4_u16", "ld.volatile.shared.v4.u16 {!0, !1, !2, !3}, [@]", 8, Shared),
    probe("shared_store_v2", "st.volatile.shared.v2.u32 [@], {#0, #1}", 8, Shared),
    probe("shared_store_v2_u64", "st.volatile.shared.v2.u64 [@], {$0, $1}", 16, Shared),
    probe("shared_store_v4_u8", "st.volatile.shared.v4.u8 [@], {!0, !1, !2, !3}", 4, Shared),
    rows("ldmatrix_x1_trans", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {#0}, [@]"),
    rows("ldmatrix_x2_trans", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {#0, #1}, [@]"),
    rows("stmatrix_x1_trans", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [@], {#0}"),
    rows(
        "stmatrix_x4_trans",
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [@], {#0, #1, #2, #3}",
    ),
    probe("shared_atom_and_b32", "atom.shared.and.b32 #0, [@], #1", 4, Shared),
    probe("shared_atom_or_b32", "atom.shared.or.b32 #0, [@], #1", 4, Shared),
    probe("shared_atom_xor_b32", "atom.shared.xor.b32 #0, [@], #1", 4, Shared),
    probe("shared_atom_inc_u32", "atom.shared.inc.u32 #0, [@], #1", 4, Shared),
    probe("shared_atom_dec_u32", "atom.shared.dec.u32 #0, [@], #1", 4, Shared),
    probe("shared_atom_min_u32", "atom.shared.min.u32 #0, [@], #1", 4, Shared),
    probe("shared_atom_max_u32", "atom.shared.max.u32 #0, [@], #1", 4, Shared),
    probe("shared_atom_add_one", "atom.shared.add.u32 #0, [@], 1", 4, Shared),
    probe("shared_red_add_one", "red.shared.add.u32 [@], 1", 4, Shared),
    probe("shared_atom_cas_b16", "atom.shared.cas.b16 !0, [@], !1, !2", 2, Shared),
    probe("shared_atom_exch_b64", "atom.shared.exch.b64 $0, [@], $1", 8, Shared),
    probe("shared_red_inc_u32", "red.shared.inc.u32 [@], #1", 4, Shared),
    probe("shared_red_add_minus_one", "red.shared.add.s32 [@], -1", 4, Shared),
    probe("shared_red_xor_b32", "red.shared.xor.b32 [@], #1", 4, Shared),
    probe("shared_atom_xor_b64", "atom.shared.xor.b64 $0, [@], $1", 8, Shared),
    probe("shared_atom_add_f64", "atom.shared.add.f64 $0, [@], $1", 8, Shared),
    probe("shared_atom_add_f16x2", "atom.shared.add.noftz.f16x2 #0, [@], #1", 4, Shared),
    probe("shared_atom_add_bf16x2", "atom.shared.add.noftz.bf16x2 #0, [@], #1", 4, Shared),
    probe("shared_red_max_s32", "red.shared.max.s32 [@], #1", 4, Shared),
    probe("shared_red_or_b32", "red.shared.or.b32 [@], #1", 4, Shared),
    probe("shared_red_add_f32", "red.shared.add.f32 [@], #1", 4, Shared),
    probe("shared_red_add_u64", "red.shared.add.u64 [@], $1", 8, Shared),
    probe("shared_red_add_f64", "red.shared.add.f64 [@], $1", 8, Shared),
    probe("global_load_8", "ld.volatile.global.u64 $0, [@]", 8, Global),
    probe("global_load_v2", "ld.volatile.global.v2.u32 {#0, #1}, [@]", 8, Global),
    probe("global_load_v2_u64", "ld.volatile.global.v2.u64 {$0, $1}, [@]", 16, Global),
    probe("global_load_v4_u8", "ld.volatile.global.v4.u8 {!0, !1, !2, !3}, [@]", 4, Global),
    constant("global_load_nc_1", "ld.global.nc.u8 #0, [@]", 1),
    constant("global_load_nc_4", "ld.global.nc.u32 #0, [@]", 4),
    constant("global_load_nc_8", "ld.global.nc.u64 $0, [@]", 8),
    constant("global_load_nc_v4", "ld.global.nc.v4.u32 {#0, #1, #2, #3}, [@]", 16),
    probe("global_load_acquire_4", "ld.acquire.gpu.global.u32 #0, [@]", 4, Global),
    probe("global_store_1", "st.volatile.global.u8 [@], #0", 1, Global),
    probe("global_store_2", "st.volatile.global.u16 [@], #0", 2, Global),
    probe("global_store_v2", "st.volatile.global.v2.u32 [@], {#0, #1}", 8, Global),
    probe("global_store_release_4", "st.release.gpu.global.u32 [@], #0", 4, Global),
    probe("global_atom_and_b32", "atom.global.and.b32 #0, [@], #1", 4, Global),
    probe("global_atom_inc_u32", "atom.global.inc.u32 #0, [@], #1", 4, Global),
    probe("global_atom_max_s32", "atom.global.max.s32 #0, [@], #1", 4, Global),
    probe("global_atom_exch_b32", "atom.global.exch.b32 #0, [@], #1", 4, Global),
    probe("global_atom_exch_b64", "atom.global.exch.b64 $0, [@], $1", 8, Global),
    probe("global_atom_min_u64", "atom.global.min.u64 $0, [@], $1", 8, Global),
    probe("global_atom_add_f32", "atom.global.add.f32 #0, [@], #1", 4, Global),
    probe("global_atom_add_f64", "atom.global.add.f64 $0, [@], $1", 8, Global),
    probe("global_atom_add_f16x2", "atom.global.add.noftz.f16x2 #0, [@], #1", 4, Global),
    probe("global_atom_add_bf16x2", "atom.global.add.noftz.bf16x2 #0, [@], #1", 4, Global),
    probe("global_atom_add_one", "atom.global.add.u32 #0, [@], 1", 4, Global),
    probe("global_atom_cas_b64", "atom.global.cas.b64 $0, [@], $1, $2", 8, Global),
    probe("global_atom_cas_b16", "atom.global.cas.b16 !0, [@], !1, !2", 2, Global),
    probe("global_red_add_one", "red.global.add.u32 [@], 1", 4, Global),
    probe("global_red_add_u64", "red.global.add.u64 [@], $1", 8, Global),
    probe("global_red_add_f64", "red.global.add.f64 [@], $1", 8, Global),
    probe("global_red_max_s32", "red.global.max.s32 [@], #1", 4, Global),
    probe("global_red_and_b32", "red.global.and.b32 [@], #1", 4, Global),
    probe("global_red_inc_u32", "red.global.inc.u32 [@], #1", 4, Global),
    probe("global_red_add_f16x2", "red.global.add.noftz.f16x2 [@], #1", 4, Global),
    probe("global_red_min_s64", "red.global.min.s64 [@], $1", 8, Global),
    probe("global_red_add_v2_f32", "red.global.add.v2.f32 [@], {#0, #1}", 8, Global),
    probe("global_red_add_v4_f32", "red.global.add.v4.f32 [@], {#0, #1, #2, #3}", 16, Global),
    probe("generic_load_shared", "ld.volatile.u32 #0, [@]", 4, Generic),
    probe("generic_load_shared_v4", "ld.volatile.v4.u32 {#0, #1, #2, #3}, [@]", 16, Generic),
    probe("generic_store_shared", "st.volatile.u32 [@], #0", 4, Generic),
    probe("generic_store_shared_8", "st.volatile.u64 [@], $0", 8, Generic),
    probe("generic_atom_shared", "atom.add.u32 #0, [@], #1", 4, Generic),
    local("local_load_1", "ld.local.u8 #0, [@]", 1),
    local("local_load_2", "ld.local.u16 #0, [@]", 2),
    local("local_load_4", "ld.local.u32 #0, [@]", 4),
    local("local_load_8", "ld.local.u64 $0, [@]", 8),
    local("local_load_v4", "ld.local.v4.u32 {#0, #1, #2, #3}, [@]", 16),
    local("local_store_1", "st.local.u8 [@], #0", 1),
    local("local_store_2", "st.local.u16 [@], #0", 2),
    local("local_store_4", "st.local.u32 [@], #0", 4),
    local("local_store_8", "st.local.u64 [@], $0", 8),
    local("local_store_v4", "st.local.v4.u32 [@], {#0, #1, #2, #3}", 16),
    probe("async_copy_16_of_8", "cp.async.ca.shared.global [@], [%], 16, 8", 16, Both),
    probe("async_copy_16_cg_of_0", "cp.async.cg.shared.global [@], [%], 16, 0", 16, Both),
    probe("generic_load_shared_8", "ld.volatile.u64 $0, [@]", 8, Generic),
    probe("generic_load_shared_1", "ld.volatile.u8 #0, [@]", 1, Generic),
    probe("generic_store_shared_v4", "st.volatile.v4.u32 [@], {#0, #1, #2, #3}", 16, Generic),
    probe("shared_atom_add_f16", "atom.shared.add.noftz.f16 !0, [@], !1", 2, Shared),
    probe("global_atom_add_f16", "atom.global.add.noftz.f16 !0, [@], !1", 2, Global),
    probe("global_red_add_v4_f16", "red.global.add.noftz.v4.f16 [@], {!0, !1, !2, !3}", 8, Global),
    probe("generic_load_global_4", "ld.volatile.u32 #0, [@]", 4, Global),
    probe("generic_load_global_v4", "ld.volatile.v4.u32 {#0, #1, #2, #3}, [@]", 16, Global),
    probe("generic_store_global_4", "st.volatile.u32 [@], #0", 4, Global),
    probe("generic_atom_global", "atom.add.u32 #0, [@], #1", 4, Global),
    probe("generic_red_global", "red.add.u32 [@], #1", 4, Global),
    probe("generic_atom_global_f32", "atom.add.f32 #0, [@], #1", 4, Global),
    probe("generic_atom_shared_f32", "atom.add.f32 #0, [@], #1", 4, Generic),
    probe("generic_atom_shared_cas", "atom.cas.b32 #0, [@], #1, #2", 4, Generic),
];
