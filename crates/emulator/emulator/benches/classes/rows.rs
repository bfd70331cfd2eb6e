//! The rows: an instruction class or access pattern each, with its target.

use crate::floor::Floor;

/// A class of instructions.
pub struct ClassRow {
    /// Its name in the table.
    pub name: &'static str,
    /// Target in ns per warp instruction, on one AVX2 core.
    pub target: f64,
    /// The same work in host SIMD.
    pub floor: Floor,
    /// Instructions of the class in `body`.
    pub count: u32,
    /// PTX that is repeated. `#` is the number of the repetition; `kernel.rs` declares the registers.
    pub body: &'static str,
}

const fn row(name: &'static str, target: f64, floor: Floor, body: &'static str) -> ClassRow {
    ClassRow { name, target, floor, count: 1, body }
}

/// A row of `wgmma` for 128 threads: its cost counts per `mma.m16n8k16` of a warp.
const GROUP_PRODUCT: &str = "fence.proxy.async; wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
      {m0,m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12,m13,m14,m15,
       m16,m17,m18,m19,m20,m21,m22,m23,m24,m25,m26,m27,m28,m29,m30,m31}, da, db, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;";

/// An instruction eight times, by a quarter of the lanes.
macro_rules! eight {
    ($code:literal) => {
        concat!("@r bra A#; ", $code, $code, $code, $code, $code, $code, $code, $code, "A#:")
    };
}

/// Every row, in the order of the table.
pub const ROWS: &[ClassRow] = &[
    row("add.f32", 12.0, Floor::Arithmetic, "add.f32 x, x, y;"),
    row("fma.f32", 12.0, Floor::Arithmetic, "fma.rn.f32 x, x, y, y;"),
    row("add.ftz.f32", 12.0, Floor::Arithmetic, "add.ftz.f32 x, x, y;"),
    row("fma.ftz.f32", 12.0, Floor::Arithmetic, "fma.rn.ftz.f32 x, x, y, y;"),
    row("max.f32", 12.0, Floor::Arithmetic, "max.f32 x, x, y;"),
    row("add.s32", 12.0, Floor::Arithmetic, "add.s32 u, u, v;"),
    row("mad.lo.s32", 12.0, Floor::Arithmetic, "mad.lo.s32 u, u, v, v;"),
    row("shl.b32", 12.0, Floor::Arithmetic, "shl.b32 u, v, 3;"),
    row("lop3.b32", 12.0, Floor::Arithmetic, "lop3.b32 u, u, v, w, 0x96;"),
    row("prmt.b32", 12.0, Floor::Arithmetic, "prmt.b32 u, u, v, 0x5410;"),
    row("popc.b32", 12.0, Floor::Arithmetic, "popc.b32 u, v;"),
    ClassRow {
        count: 2,
        ..row("setp, selp", 12.0, Floor::Arithmetic, "setp.lt.f32 p, x, y; selp.f32 z, x, y, p;")
    },
    row("cvt.f32.s32", 12.0, Floor::Arithmetic, "cvt.rn.f32.s32 z, u;"),
    row("cvt.s32.f32", 12.0, Floor::Arithmetic, "cvt.rzi.s32.f32 u, x;"),
    row("cvt.f16.f32", 12.0, Floor::Half, "cvt.rn.f16.f32 h, x;"),
    row("cvt.f32.f16", 12.0, Floor::Half, "cvt.f32.f16 z, h;"),
    row("cvt.f16x2.f32", 12.0, Floor::Half, "cvt.rn.f16x2.f32 u, x, y;"),
    row("cvt.bf16x2.f32", 12.0, Floor::Half, "cvt.rn.bf16x2.f32 u, x, y;"),
    row("ex2.approx", 60.0, Floor::Table, "ex2.approx.f32 z, x;"),
    row("ex2.approx.ftz", 60.0, Floor::Table, "ex2.approx.ftz.f32 z, x;"),
    row("lg2.approx", 60.0, Floor::Table, "lg2.approx.f32 z, x;"),
    row("rcp.approx", 60.0, Floor::Table, "rcp.approx.f32 z, x;"),
    row("rcp.approx.ftz", 60.0, Floor::Table, "rcp.approx.ftz.f32 z, x;"),
    row("rsqrt.approx", 60.0, Floor::Table, "rsqrt.approx.f32 z, x;"),
    row("sqrt.approx", 60.0, Floor::Table, "sqrt.approx.f32 z, x;"),
    row("sin.approx", 60.0, Floor::Table, "sin.approx.f32 z, x;"),
    row("cos.approx", 60.0, Floor::Table, "cos.approx.f32 z, x;"),
    row("tanh.approx", 60.0, Floor::Table, "tanh.approx.f32 z, x;"),
    row("div.approx", 60.0, Floor::Table, "div.approx.f32 z, y, x;"),
    row("div.full", 60.0, Floor::Table, "div.full.f32 z, y, x;"),
    row("div.rn.f32", 60.0, Floor::Arithmetic, "div.rn.f32 z, y, x;"),
    row("sqrt.rn.f32", 60.0, Floor::Arithmetic, "sqrt.rn.f32 z, x;"),
    row("add.f16x2", 30.0, Floor::Half, "add.rn.f16x2 u, v, w;"),
    row("mul.f16x2", 30.0, Floor::Half, "mul.rn.f16x2 u, v, w;"),
    row("fma.f16x2", 30.0, Floor::Half, "fma.rn.f16x2 u, v, w, v;"),
    row("max.f16x2", 30.0, Floor::Half, "max.f16x2 u, v, w;"),
    row("fma.f16", 30.0, Floor::Half, "fma.rn.f16 h, h, h, h;"),
    row("add.bf16x2", 30.0, Floor::Half, "add.rn.bf16x2 u, v, w;"),
    row("fma.bf16x2", 30.0, Floor::Half, "fma.rn.bf16x2 u, v, w, v;"),
    row("div.u32", 60.0, Floor::Division, "div.u32 u, v, w1;"),
    row("rem.s32", 60.0, Floor::Division, "rem.s32 u, v, w1;"),
    row("add.f64", 60.0, Floor::Double, "add.f64 d, d, e;"),
    row("fma.f64", 60.0, Floor::Double, "fma.rn.f64 d, d, e, e;"),
    row("div.f64", 60.0, Floor::Double, "div.rn.f64 d, e, d;"),
    row("cvt.f64.f32", 60.0, Floor::Double, "cvt.f64.f32 d, x;"),
    row("mul.wide.u32", 12.0, Floor::Double, "mul.wide.u32 l, u, v;"),
    row("add.s64", 12.0, Floor::Double, "add.s64 l, l, m;"),
    row("shfl.bfly", 40.0, Floor::Gather, "shfl.sync.bfly.b32 u, v, 1, 31, -1;"),
    row("shfl.idx", 40.0, Floor::Gather, "shfl.sync.idx.b32 u, v, w, 31, -1;"),
    row("vote.ballot", 40.0, Floor::Arithmetic, "vote.sync.ballot.b32 u, q, -1;"),
    row("redux.add", 40.0, Floor::Arithmetic, "redux.sync.add.s32 u, v, -1;"),
    row("ld.global", 25.0, Floor::Copy, "ld.global.f32 z, [gl];"),
    row("ld.global scattered", 90.0, Floor::Gather, "ld.global.f32 z, [gs];"),
    row("ld.global.v4", 60.0, Floor::CopyQuads, "ld.global.v4.f32 {z, t1, t2, t3}, [gq];"),
    row("ld.global.u16", 90.0, Floor::Copy, "ld.global.u16 h, [gh];"),
    row("st.global", 25.0, Floor::Copy, "st.global.f32 [gl], x;"),
    row("st.global scattered", 90.0, Floor::Scatter, "st.global.f32 [gs], x;"),
    row("st.global.v4", 60.0, Floor::CopyQuads, "st.global.v4.f32 [gq], {x, y, x, y};"),
    row("ld.shared", 25.0, Floor::Copy, "ld.shared.f32 z, [sl];"),
    row("ld.shared masked index", 90.0, Floor::Copy, "ld.shared.f32 z, [sm];"),
    row("ld.shared scattered", 90.0, Floor::Gather, "ld.shared.f32 z, [ss];"),
    row("ld.shared.v4", 60.0, Floor::CopyQuads, "ld.shared.v4.f32 {z, t1, t2, t3}, [sq];"),
    row("st.shared", 25.0, Floor::Copy, "st.shared.f32 [sl], x;"),
    row("st.shared scattered", 90.0, Floor::Scatter, "st.shared.f32 [ss], x;"),
    row("st.shared.v4", 60.0, Floor::CopyQuads, "st.shared.v4.f32 [sq], {x, y, x, y};"),
    row("red.shared.add", 120.0, Floor::Scatter, "red.shared.add.u32 [sl], 1;"),
    row("atom.shared.add", 120.0, Floor::Scatter, "atom.shared.add.u32 u, [ss], 1;"),
    row("atom.shared.add one", 250.0, Floor::Scatter, "atom.shared.add.u32 u, [so], 1;"),
    row("red.shared.add.f32", 120.0, Floor::Scatter, "red.shared.add.f32 [ss], x;"),
    row("red.global.add", 120.0, Floor::Atomic, "red.global.add.u32 [gs], 1;"),
    row("atom.global.add", 120.0, Floor::Atomic, "atom.global.add.u32 u, [gs], 1;"),
    row("atom.global.add one", 250.0, Floor::Atomic, "atom.global.add.u32 u, [go], 1;"),
    row("red.global.add.f32", 120.0, Floor::Atomic, "red.global.add.f32 [gs], x;"),
    row("atom.global.cas", 120.0, Floor::Atomic, "atom.global.cas.b32 u, [gs], v, w;"),
    row("bar.sync", 120.0, Floor::Arithmetic, "bar.sync 0;"),
    ClassRow {
        count: 5,
        ..row(
            "divergent branch",
            25.0,
            Floor::Arithmetic,
            "@r bra A#; fma.rn.f32 x, x, y, y; bra B#; A#: fma.rn.f32 x, x, y, x; B#: add.s32 u, u, v;",
        )
    },
    row(
        "mma.m16n8k16.f16",
        700.0,
        Floor::Product,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {m0,m1,m2,m3}, {u,v,u,v}, {v,u}, {m0,m1,m2,m3};",
    ),
    row(
        "mma.m16n8k16.bf16",
        700.0,
        Floor::Product,
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {m0,m1,m2,m3}, {u,v,u,v}, {v,u}, {m0,m1,m2,m3};",
    ),
    ClassRow { count: 8, ..row("wgmma per m16n8k16", 700.0, Floor::Product, GROUP_PRODUCT) },
    row("abs.s32", 12.0, Floor::Arithmetic, "abs.s32 u, v;"),
    row("neg.s32", 12.0, Floor::Arithmetic, "neg.s32 u, v;"),
    row("min.s32", 12.0, Floor::Arithmetic, "min.s32 u, u, v;"),
    row("mul.hi.u32", 12.0, Floor::Arithmetic, "mul.hi.u32 u, u, v;"),
    row("bfe.u32", 12.0, Floor::Arithmetic, "bfe.u32 u, v, 3, 8;"),
    row("bfi.b32", 12.0, Floor::Arithmetic, "bfi.b32 u, v, w, 3, 8;"),
    row("shf.l.wrap", 12.0, Floor::Arithmetic, "shf.l.wrap.b32 u, v, w, 7;"),
    row("clz.b32", 12.0, Floor::Arithmetic, "clz.b32 u, v;"),
    row("dp4a", 12.0, Floor::Arithmetic, "dp4a.s32.s32 u, v, w, u;"),
    row("add.u16", 12.0, Floor::Arithmetic, "add.u16 h, h, h;"),
    row("mul.lo.u16", 12.0, Floor::Arithmetic, "mul.lo.u16 h, h, h;"),
    row("cvt.u32.u16", 12.0, Floor::Arithmetic, "cvt.u32.u16 u, h;"),
    row("cvt.u16.u32", 12.0, Floor::Arithmetic, "cvt.u16.u32 h, v;"),
    row("cvt.s32.s8", 12.0, Floor::Arithmetic, "cvt.s32.s8 u, v;"),
    row("cvt.rmi.f32 (floor)", 12.0, Floor::Arithmetic, "cvt.rmi.f32.f32 z, x;"),
    row("cvt.rni.f32", 12.0, Floor::Arithmetic, "cvt.rni.f32.f32 z, x;"),
    row("abs.ftz.f32", 12.0, Floor::Arithmetic, "abs.ftz.f32 z, x;"),
    row("copysign.f32", 12.0, Floor::Arithmetic, "copysign.f32 z, x, y;"),
    row("and.b64", 12.0, Floor::Double, "and.b64 l, l, m;"),
    row("shr.u64", 12.0, Floor::Double, "shr.u64 l, m, 5;"),
    ClassRow {
        count: 2,
        ..row("add.cc, addc", 12.0, Floor::Arithmetic, "add.cc.u32 u, u, v; addc.u32 w, w, v;")
    },
    row("mul.lo.s64", 60.0, Floor::Double, "mul.lo.s64 l, l, m;"),
    row("mul.hi.u64", 60.0, Floor::Double, "mul.hi.u64 l, l, m;"),
    row("div.u64", 60.0, Floor::Double, "div.u64 l, l, m;"),
    row("rem.u64", 60.0, Floor::Double, "rem.u64 l, l, m;"),
    row("min.s64", 12.0, Floor::Double, "min.s64 l, l, m;"),
    ClassRow {
        count: 2,
        ..row("setp.s64, selp", 12.0, Floor::Double, "setp.lt.s64 p, l, m; selp.b64 l, l, m, p;")
    },
    ClassRow {
        count: 2,
        ..row("setp.f64, selp", 12.0, Floor::Double, "setp.lt.f64 p, d, e; selp.f64 d, d, e, p;")
    },
    row("min.f64", 60.0, Floor::Double, "min.f64 d, d, e;"),
    row("rcp.rn.f64", 60.0, Floor::Double, "rcp.rn.f64 d, e;"),
    row("sqrt.rn.f64", 60.0, Floor::Double, "sqrt.rn.f64 d, e;"),
    row("rcp.approx.ftz.f64", 60.0, Floor::Double, "rcp.approx.ftz.f64 d, e;"),
    row("rsqrt.approx.f64", 60.0, Floor::Double, "rsqrt.approx.f64 d, e;"),
    row("add.rz.f64", 60.0, Floor::Double, "add.rz.f64 d, d, e;"),
    row("fma.rm.f32", 60.0, Floor::Double, "fma.rm.f32 x, x, y, y;"),
    row("cvt.f32.f64", 60.0, Floor::Double, "cvt.rn.f32.f64 z, d;"),
    row("cvt.s32.f64", 60.0, Floor::Double, "cvt.rzi.s32.f64 u, d;"),
    row("cvt.f64.s32", 60.0, Floor::Double, "cvt.rn.f64.s32 d, u;"),
    row("cvt.f64.s64", 60.0, Floor::Double, "cvt.rn.f64.s64 d, l;"),
    row("cvt.f32.s64", 60.0, Floor::Double, "cvt.rn.f32.s64 z, l;"),
    row("cvt.s64.f64", 60.0, Floor::Double, "cvt.rzi.s64.f64 l, e;"),
    row("cvt.s64.f32", 60.0, Floor::Double, "cvt.rzi.s64.f32 l, x;"),
    row("cvt.rmi.f64 (floor)", 60.0, Floor::Double, "cvt.rmi.f64.f64 d, e;"),
    row("cvt.u64.u16", 12.0, Floor::Double, "cvt.u64.u16 l, h;"),
    row("setp.f16", 12.0, Floor::Arithmetic, "setp.lt.f16 p, h, h;"),
    row("ld.global.u8", 90.0, Floor::Copy, "ld.global.u8 u, [go];"),
    row("ld.global.f64", 60.0, Floor::Copy, "ld.global.f64 e, [gd];"),
    row("st.global.f64", 60.0, Floor::Copy, "st.global.f64 [gd], d;"),
    row("ld.global.v2", 60.0, Floor::Copy, "ld.global.v2.f32 {z, t1}, [gd];"),
    row("st.global.u8", 90.0, Floor::Copy, "st.global.u8 [gb], u;"),
    row("ld (generic)", 90.0, Floor::Copy, "ld.f32 z, [gl];"),
    row("st (generic)", 90.0, Floor::Copy, "st.f32 [gl], x;"),
    row("ld.local", 90.0, Floor::Gather, "ld.local.f32 z, [lo];"),
    row("st.local", 90.0, Floor::Scatter, "st.local.f32 [lo], x;"),
    row("ld.local.v4", 90.0, Floor::Gather, "ld.local.v4.f32 {z, t1, t2, t3}, [lo];"),
    row("atom.global.max", 120.0, Floor::Atomic, "atom.global.max.s32 u, [gs], v;"),
    row("atom.global.add.u64", 120.0, Floor::Atomic, "atom.global.add.u64 l, [ga], m;"),
    row("atom.global.add.f64", 120.0, Floor::Atomic, "atom.global.add.f64 d, [ga], e;"),
    ClassRow {
        count: 8,
        ..row("add.f32, 8 lanes", 12.0, Floor::Copy, eight!("add.f32 x, x, y; "))
    },
    ClassRow {
        count: 8,
        ..row("add.ftz.f32, 8 lanes", 12.0, Floor::Copy, eight!("add.ftz.f32 x, x, y; "))
    },
    ClassRow {
        count: 8,
        ..row("ld.global, 8 lanes", 90.0, Floor::Copy, eight!("ld.global.f32 z, [gl]; "))
    },
    ClassRow {
        count: 8,
        ..row("st.global, 8 lanes", 90.0, Floor::Copy, eight!("st.global.f32 [gl], x; "))
    },
    ClassRow {
        count: 8,
        ..row("ld.shared, 8 lanes", 90.0, Floor::Copy, eight!("ld.shared.f32 z, [sl]; "))
    },
    ClassRow {
        count: 8,
        ..row("ld.global scattered, 8 lanes", 90.0, Floor::Copy, eight!("ld.global.f32 z, [gs]; "))
    },
];
