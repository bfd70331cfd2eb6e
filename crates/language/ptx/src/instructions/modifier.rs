//! The words that can be modifiers. Add new words of the PTX manual here.

use crate::types::{SCALAR_NAMES, ScalarType, StateSpace};
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

macro_rules! words {
    ($($variant:ident $word:literal,)*) => {
        /// A modifier of an instruction: a word after a dot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Modifier {
            /// A register type.
            Type(ScalarType),
            /// The extents of a matrix product, `.m16n8k16`.
            #[allow(missing_docs)]
            Shape { m: u16, n: u16, k: u16 },
            $(#[doc = concat!("`.", $word, "`")] $variant,)*
            /// A word that is not in the table; [`Instruction::name`](crate::Instruction::name) has its text.
            Unknown,
        }

        /// Every word except types and shapes.
        const WORDS: &[(&str, Modifier)] = &[$(($word, Modifier::$variant),)*];

        impl fmt::Display for Modifier {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Modifier::Type(ty) => f.write_str(ty.name()),
                    Modifier::Shape { m, n, k } => write!(f, "m{m}n{n}k{k}"),
                    $(Modifier::$variant => f.write_str($word),)*
                    Modifier::Unknown => f.write_str("?"),
                }
            }
        }
    };
}

#[rustfmt::skip] // grouped by meaning
words! {
    // Rounding, range and precision
    Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi", Rna "rna", Rs "rs", Ftz "ftz",
    Sat "sat", Satfinite "satfinite", Relu "relu", Approx "approx", Full "full", Nan "NaN", Xorsign "xorsign",
    Abs "abs", Oob "oob", Noftz "noftz",
    // Halves and carries of integers
    Lo "lo", Hi "hi", Wide "wide", Cc "cc", Shiftamt "shiftamt", Clamp "clamp", Wrap "wrap", L "l", R "r", F4e "f4e",
    B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr", Rc16 "rc16",
    // Comparisons and tests
    Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Ls "ls", Hs "hs", Equ "equ", Neu "neu", Ltu "ltu",
    Leu "leu", Gtu "gtu", Geu "geu", IsNumber "num", IsNan "nan", Finite "finite", Infinite "infinite",
    Number "number", Notanumber "notanumber", Normal "normal", Subnormal "subnormal",
    // Operations of reductions and atomics
    Add "add", Min "min", Max "max", Inc "inc", Dec "dec", Cas "cas", Exch "exch", And "and", Or "or", Xor "xor",
    Popc "popc",
    // Video instructions
    Shr7 "shr7", Shr15 "shr15", Po "po",
    // Types that no register has
    F32x2 "f32x2", U16x2 "u16x2", S16x2 "s16x2", Tf32 "tf32", B1 "b1", S2 "s2", U2 "u2", S4 "s4", U4 "u4",
    E4m3 "e4m3", E5m2 "e5m2", E2m3 "e2m3", E3m2 "e3m2", E2m1 "e2m1", E4m3x2 "e4m3x2", E5m2x2 "e5m2x2",
    E2m3x2 "e2m3x2", E3m2x2 "e3m2x2", E2m1x2 "e2m1x2", Ue8m0x2 "ue8m0x2", S2f6x2 "s2f6x2",
    E4m3x4 "e4m3x4", E5m2x4 "e5m2x4", E2m3x4 "e2m3x4", E3m2x4 "e3m2x4", E2m1x4 "e2m1x4", AccF32 "acc::f32",
    AccF16 "acc::f16", B1024 "b1024", B8x16 "b8x16", B6x16P32 "b6x16_p32", B4x16P64 "b4x16_p64",
    // Vectors
    V2 "v2", V4 "v4", V8 "v8", Pack "pack",
    // State spaces
    Global "global", Shared "shared", SharedCta "shared::cta", SharedCluster "shared::cluster", Local "local",
    Const "const", Param "param", ParamEntry "param::entry", ParamFunc "param::func", To "to",
    // Memory order and scope
    Volatile "volatile", Weak "weak", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel",
    Sc "sc", Mmio "mmio", Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys", Gl "gl", Nc "nc", Unified "unified",
    SyncRestrictSharedCta "sync_restrict::shared::cta", SyncRestrictSharedCluster "sync_restrict::shared::cluster",
    // Caches
    Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", L1 "L1", L2 "L2", L1EvictNormal "L1::evict_normal",
    L1EvictUnchanged "L1::evict_unchanged", L1EvictFirst "L1::evict_first", L1EvictLast "L1::evict_last",
    L1NoAllocate "L1::no_allocate",
    L2EvictNormal "L2::evict_normal", L2EvictUnchanged "L2::evict_unchanged", L2EvictFirst "L2::evict_first",
    L2EvictLast "L2::evict_last", L2Prefetch64B "L2::64B", L2Prefetch128B "L2::128B", L2Prefetch256B "L2::256B",
    L2CacheHint "L2::cache_hint", Cvt "cvt", Fractional "fractional", AddressRange "range",
    // Control, barriers and warps
    Uni "uni", Idx "idx", Sync "sync", Aligned "aligned", Arrive "arrive", Wait "wait", Red "red", Warp "warp",
    Up "up", Down "down", Bfly "bfly", All "all", Any "any", Ballot "ballot", Mask "mask",
    LaunchDependents "launch_dependents", Proxy "proxy", Alias "alias",
    ProxyAsync "proxy::async", MbarrierInit "mbarrier_init",
    // Asynchronous copies and mbarriers
    Async "async", AsyncGeneric "async::generic", AsyncGlobal "async::global", AsyncSharedCta "async::shared::cta",
    AsyncSharedCluster "async::shared::cluster", Bulk "bulk", BulkGroup "bulk_group", CommitGroup "commit_group",
    WaitGroup "wait_group", WaitAll "wait_all", Read "read", Prefetch "prefetch", Tensor "tensor", Reduce "reduce",
    Mbarrier "mbarrier", Noinc "noinc", MbarrierCompleteTxBytes "mbarrier::complete_tx::bytes",
    MbarrierArriveOne "mbarrier::arrive::one", MulticastCluster "multicast::cluster",
    MulticastClusterAll "multicast::cluster::all", CpMask "cp_mask",
    Init "init", Inval "inval", ArriveDrop "arrive_drop", ExpectTx "expect_tx", CompleteTx "complete_tx",
    TestWait "test_wait", TryWait "try_wait", PendingCount "pending_count", NoComplete "noComplete", Parity "parity",
    D1 "1d", D2 "2d", D3 "3d", D4 "4d", D5 "5d", Tile "tile", TileGather4 "tile::gather4",
    TileScatter4 "tile::scatter4", Im2col "im2col", Im2colW "im2col::w", Im2colW128 "im2col::w::128",
    Im2colNoOffs "im2col_no_offs",
    Tensormap "tensormap", TensormapGeneric "tensormap::generic", Replace "replace", CpFenceproxy "cp_fenceproxy",
    GlobalAddress "global_address", Rank "rank", GlobalDim "global_dim", GlobalStride "global_stride",
    BoxDim "box_dim", ElementStride "element_stride", Elemtype "elemtype", InterleaveLayout "interleave_layout",
    SwizzleMode "swizzle_mode", SwizzleAtomicity "swizzle_atomicity", FillMode "fill_mode",
    TryCancel "try_cancel", QueryCancel "query_cancel", IsCanceled "is_canceled", GetFirstCtaid "get_first_ctaid",
    GetFirstCtaidX "get_first_ctaid::x", GetFirstCtaidY "get_first_ctaid::y", GetFirstCtaidZ "get_first_ctaid::z",
    LdReduce "ld_reduce",
    // Matrices
    Row "row", Col "col", Trans "trans", Load "load", Store "store", Mma "mma", MmaAsync "mma_async", A "a", B "b",
    C "c", D "d", Sp "sp", SpOrderedMetadata "sp::ordered_metadata", Fence "fence", M8n8 "m8n8", M8n16 "m8n16",
    M16n8 "m16n8", M16n16 "m16n16", X1 "x1", X2 "x2", X4 "x4", X8 "x8", X16 "x16", X32 "x32", X64 "x64", X128 "x128",
    KindF16 "kind::f16", KindTf32 "kind::tf32", KindI8 "kind::i8", KindF8f6f4 "kind::f8f6f4",
    KindMxf8f6f4 "kind::mxf8f6f4", KindMxf4 "kind::mxf4", KindMxf4nvf4 "kind::mxf4nvf4",
    // Tensor memory
    Alloc "alloc", Dealloc "dealloc", RelinquishAllocPermit "relinquish_alloc_permit", Ld "ld", St "st", Cp "cp",
    Commit "commit", Shift "shift", Ws "ws", Ashift "ashift", CtaGroup1 "cta_group::1", CtaGroup2 "cta_group::2",
    WaitLd "wait::ld", WaitSt "wait::st",
    FenceBeforeThreadSync "fence::before_thread_sync", FenceAfterThreadSync "fence::after_thread_sync",
    Pack16b "pack::16b", Unpack16b "unpack::16b", BlockScale "block_scale", Block16 "block16", Block32 "block32",
    ScaleVec1X "scale_vec::1X", ScaleVec2X "scale_vec::2X", ScaleVec4X "scale_vec::4X", Size32x32b "32x32b",
    Size16x64b "16x64b", Size16x128b "16x128b", Size16x256b "16x256b", Size16x32bx2 "16x32bx2",
    Size128x256b "128x256b", Size128x128b "128x128b", Size4x256b "4x256b", Size64x128b "64x128b",
    Size32x128b "32x128b",
    Warpx4 "warpx4", Warpx2Pairs02And13 "warpx2::02_13", Warpx2Pairs01And23 "warpx2::01_23",
    CollectorAFill "collector::a::fill", CollectorAUse "collector::a::use", CollectorALastuse "collector::a::lastuse",
    CollectorADiscard "collector::a::discard",
    CollectorB0Fill "collector::b0::fill", CollectorB0Use "collector::b0::use",
    CollectorB0Lastuse "collector::b0::lastuse", CollectorB0Discard "collector::b0::discard",
    CollectorB1Fill "collector::b1::fill", CollectorB1Use "collector::b1::use",
    CollectorB1Lastuse "collector::b1::lastuse", CollectorB1Discard "collector::b1::discard",
    CollectorB2Fill "collector::b2::fill", CollectorB2Use "collector::b2::use",
    CollectorB2Lastuse "collector::b2::lastuse", CollectorB2Discard "collector::b2::discard",
    CollectorB3Fill "collector::b3::fill", CollectorB3Use "collector::b3::use",
    CollectorB3Lastuse "collector::b3::lastuse", CollectorB3Discard "collector::b3::discard",
    // Textures and surfaces
    A1d "a1d", A2d "a2d", Cube "cube", Acube "acube", D2ms "2dms", A2dms "a2dms", Base "base", Level "level",
    Grad "grad", G "g", P "p", Trap "trap", Zero "zero", QueryWidth "width", QueryHeight "height", QueryDepth "depth",
    ArraySize "array_size", NumMipmapLevels "num_mipmap_levels", NumSamples "num_samples",
    NormalizedCoords "normalized_coords", ChannelDataType "channel_data_type", ChannelOrder "channel_order",
    FilterMode "filter_mode", AddrMode0 "addr_mode_0",
}

impl Modifier {
    /// The modifier called `word` (no dot); [`Modifier::Unknown`] if the table has none.
    pub fn from_word(word: &str) -> Modifier {
        static BY_WORD: OnceLock<HashMap<&str, Modifier>> = OnceLock::new();
        let by_word = BY_WORD.get_or_init(|| {
            let types = SCALAR_NAMES.iter().map(|(ty, name)| (*name, Modifier::Type(*ty)));
            WORDS.iter().copied().chain(types).collect()
        });
        let shape = || shape(word).filter(|shape| shape.to_string() == word);
        by_word.get(word).copied().or_else(shape).unwrap_or(Modifier::Unknown)
    }

    /// The modifiers that a word of the table's notation matches: `x*` matches every word that starts with `x`.
    pub(super) fn matching(word: &str) -> Vec<Modifier> {
        match word.strip_suffix('*') {
            Some(start) => {
                let named = WORDS.iter().filter(|(word, _)| word.starts_with(start));
                named.map(|(_, modifier)| *modifier).collect()
            }
            None => vec![Modifier::from_word(word)],
        }
    }

    /// The register type that it names.
    pub fn scalar_type(self) -> Option<ScalarType> {
        match self {
            Modifier::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// The state space that it names; `.shared::cta` names shared memory.
    pub fn state_space(self) -> Option<StateSpace> {
        use Modifier::*;
        match self {
            Global => Some(StateSpace::Global),
            Shared | SharedCta | SharedCluster => Some(StateSpace::Shared),
            Local => Some(StateSpace::Local),
            Const => Some(StateSpace::Const),
            Param | ParamEntry | ParamFunc => Some(StateSpace::Param),
            _ => None,
        }
    }

    /// The elements of `.v2`, `.v4` and `.v8`.
    pub fn vector_length(self) -> Option<u8> {
        match self {
            Modifier::V2 => Some(2),
            Modifier::V4 => Some(4),
            Modifier::V8 => Some(8),
            _ => None,
        }
    }

    /// The dimensions of a tensor, `.1d` to `.5d`.
    pub fn dimensions(self) -> Option<u8> {
        match self {
            Modifier::D1 => Some(1),
            Modifier::D2 => Some(2),
            Modifier::D3 => Some(3),
            Modifier::D4 => Some(4),
            Modifier::D5 => Some(5),
            _ => None,
        }
    }

    /// The repeat count of a matrix or tensor memory access, `.x1` to `.x128`.
    pub fn repeats(self) -> Option<usize> {
        use Modifier::*;
        [X1, X2, X4, X8, X16, X32, X64, X128].iter().position(|step| *step == self).map(|n| 1 << n)
    }
}

/// `m16n8k16`.
fn shape(word: &str) -> Option<Modifier> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some(Modifier::Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for (word, modifier) in WORDS {
            assert_eq!(Modifier::from_word(word), *modifier, "{word} is listed twice");
            assert_eq!(modifier.to_string(), *word);
        }
        assert_eq!(Modifier::from_word("m64n256k16").to_string(), "m64n256k16");
        for unknown in ["m064n8k16", "m16n8", "f33", "", "Unknown", "?"] {
            let found = Modifier::from_word(unknown);
            assert!(found == Modifier::Unknown || unknown == "m16n8", "{unknown}");
        }
    }
}
