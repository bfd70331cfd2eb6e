//! Loads, stores, addresses and moves (PTX manual, "Data Movement and Conversion").

macro_rules! memory {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => { $next! { [$($rest)*] $($before)*
        # Conversion
        Mov "mov" mov::mov [
            form("b16|b32|b64|b128", "dk asvk"),
            form("u16|u32|u64|s16|s32|s64", "d asv"),
            form("f32|f64", "d a"),
            form("pred", "q ps"),
            form("v2|v4 b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "x x"),
            needs("b128", "8.3 sm_70")] // Data Movement: ld, st, mov
        # Memory
        Ld "ld" memory::ld, St "st" memory::st [
            form("weak? const|global|local|param|param::entry|param::func|$shared? ca|cg|cs|lu|cv? $vector? $memory", "VD_ m").only("ld"),
            form("weak? global? L1::*? ca|cg|cs|lu|cv? L2::64B|L2::128B|L2::256B? L2::cache_hint>a:b64? $vector? $memory", "VD_ m").only("ld"),
            form("volatile global|local|$shared? L2::64B|L2::128B|L2::256B? $vector? $memory", "VD_ m").only("ld"),
            form("relaxed|acquire $scope global|$shared? L1::*? L2::64B|L2::128B|L2::256B? L2::cache_hint>a:b64? $vector? $memory", "VD_ m").only("ld"),
            form("mmio relaxed sys global? $memory", "VD_ m").only("ld"),
            form("global ca|cg|cs? nc L1::*? L2::64B|L2::128B|L2::256B? L2::cache_hint>a:b64? $vector? $memory", "VD_ m").only("ld"),
            form("weak? global|local|param|param::func|$shared? wb|cg|cs|wt? $vector? $memory", "m VA_").only("st"),
            form("weak? global? L1::*? wb|cg|cs|wt? L2::cache_hint>a:b64? $vector? $memory", "m VA_").only("st"),
            form("volatile global|local|$shared? $vector? $memory", "m VA_").only("st"),
            form("relaxed|release $scope global|$shared? L1::*? L2::cache_hint>a:b64? $vector? $memory", "m VA_").only("st"),
            form("mmio relaxed sys global? $memory", "m VA_").only("st"),
            form("async weak? $shared? mbarrier::complete_tx::bytes v2|v4? b32|b64|u32|u64|s32|s64|f32|f64", "M VA M").only("st"),
            form("async cluster shared::cluster? mbarrier::complete_tx::bytes v2|v4? b32|b64|u32|u64|s32|s64|f32|f64", "M VA M").only("st"),
            form("async release ...", "*").only("st"),
            form("bulk weak? shared::cta?", "m a:b64 0").only("st"),
            form("bulk ...", "*").only("st"),
            needs("weak|relaxed|acquire|release", "6.0 sm_70"), // Data Movement: ld, st
            needs("mmio", "8.2 sm_70"), // Data Movement: ld, st
            needs("L1::*", "7.4 sm_70"), // Cache Eviction Priority Hints
            needs("L2::64B|L2::128B", "7.4 sm_75").only("ld"), // Data Movement: ld
            needs("L2::256B", "7.4 sm_80").only("ld"), // Data Movement: ld
            needs("L2::cache_hint", "7.4 sm_80"), // Cache Eviction Priority Hints
            needs("param::*", "8.3 sm_30"), // State Spaces: param
            needs("volatile local", "9.1"), // Data Movement: ld, st
            needs("v8", "8.8 sm_100"), // Data Movement: ld, st
            needs("v4 b64|u64|s64|f64", "8.8 sm_100"), // Data Movement: ld, st
            needs("b128", "8.3 sm_70"), // Data Movement: ld, st, mov
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("shared::cluster", "7.8 sm_90"), // State Spaces: shared
            needs("cluster", "7.8 sm_90"), // Memory Consistency Model: Scope
            needs("nc", "3.1 sm_32").only("ld"), // Data Movement: ld.global.nc
            needs("async", "8.1 sm_90").only("st"), // Data Movement: st.async
            needs("bulk", "8.6 sm_100").only("st")] // Data Movement: st.bulk
        Ldu "ldu" memory::ld [form("global? v2|v4? $memory", "VD_ m")]
        # Atomics
        Atom "atom" memory::atom, Red "red" memory::red [
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? and|or|xor b32|b64 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? exch b32|b64|b128 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? cas b16|b32|b64|b128", "d_ m a a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? inc|dec u32 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? min|max u32|s32|u64|s64 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? add u32|s32|u64|f32|f64 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global|$shared? add noftz f16|f16x2|bf16|bf16x2 L2::cache_hint>a:b64?", "d_ m a").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global? add v2|v4 f32 L2::cache_hint>a:b64?", "Vd_ m Va").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global? add|min|max noftz $vector f16|bf16 L2::cache_hint>a:b64?", "Vd_ m Va").only("atom"),
            form("relaxed|acquire|release|acq_rel? $scope? global? add|min|max noftz v2|v4 f16x2|bf16x2 L2::cache_hint>a:b64?", "Vd_ m Va").only("atom"),
            form("relaxed|release? $scope? global|$shared? and|or|xor b32|b64 L2::cache_hint>a:b64?", "m a").only("red"),
            form("relaxed|release? $scope? global|$shared? inc|dec u32 L2::cache_hint>a:b64?", "m a").only("red"),
            form("relaxed|release? $scope? global|$shared? min|max u32|s32|u64|s64 L2::cache_hint>a:b64?", "m a").only("red"),
            form("relaxed|release? $scope? global|$shared? add u32|s32|u64|f32|f64 L2::cache_hint>a:b64?", "m a").only("red"),
            form("relaxed|release? $scope? global|$shared? add noftz f16|f16x2|bf16|bf16x2 L2::cache_hint>a:b64?", "m a").only("red"),
            form("relaxed|release? $scope? global? add v2|v4 f32 L2::cache_hint>a:b64?", "m Va").only("red"),
            form("relaxed|release? $scope? global? add|min|max noftz $vector f16|bf16 L2::cache_hint>a:b64?", "m Va").only("red"),
            form("relaxed|release? $scope? global? add|min|max noftz v2|v4 f16x2|bf16x2 L2::cache_hint>a:b64?", "m Va").only("red"),
            form("async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes inc|dec u32", "M a M").only("red"),
            form("async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes min|max u32|s32", "M a M").only("red"),
            form("async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes and|or|xor b32", "M a M").only("red"),
            form("async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add u32|s32|u64|s64", "M a M").only("red"),
            form("async release ...", "*").only("red"),
            needs("L2::cache_hint", "7.4 sm_80"), // Cache Eviction Priority Hints
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("shared::cluster", "7.8 sm_90"), // State Spaces: shared
            needs("cluster", "7.8 sm_90"), // Memory Consistency Model: Scope
            needs("cta|gpu|sys", "5.0 sm_60"), // Parallel Synchronization: atom, red
            needs("relaxed|acquire|release|acq_rel", "6.0 sm_70"), // Parallel Synchronization: atom, red
            needs("f64", "5.0 sm_60"), // Parallel Synchronization: atom, red
            needs("f16x2", "6.2 sm_60"), // Parallel Synchronization: atom, red
            needs("f16", "6.3 sm_70"), // Parallel Synchronization: atom, red
            needs("b16", "6.3 sm_70").only("atom"), // Parallel Synchronization: atom
            needs("bf16|bf16x2", "7.8 sm_90"), // Parallel Synchronization: atom, red
            needs("v2|v4|v8", "8.1 sm_90"), // Parallel Synchronization: atom, red
            needs("b128", "8.3 sm_90").only("atom"), // Parallel Synchronization: atom
            needs("async", "8.1 sm_90").only("red")] // Parallel Synchronization: red.async
        # Conversion
        Isspacep "isspacep" memory::isspacep, Cvta "cvta" memory::cvta [
            form("const|global|local|param|param::entry|$shared", "q Av:u32").only("isspacep"),
            form("const|global|local|param|param::entry|$shared u64", "d av").only("cvta"),
            form("^to const|global|local|param|param::entry|$shared u64", "d a").only("cvta"),
            needs("param*", "7.7 sm_70").only("isspacep"), // Data Movement: isspacep
            needs("param::*", "8.3 sm_30"), // State Spaces: param
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("shared::cluster", "7.8 sm_90"), // State Spaces: shared
            needs("param", "7.7 sm_70").only("cvta")] // Data Movement: cvta
        # Memory
        Prefetch "prefetch" control::nothing [
            form("global|local? L1|L2", "m"),
            form("global? L2::evict_last|L2::evict_normal", "m"),
            form("const|param? tensormap", "m"),
            needs("L2::*", "7.4 sm_80"), // Data Movement: prefetch
            needs("tensormap", "8.0 sm_90")] // Data Movement: prefetch
        Prefetchu "prefetchu" control::nothing [form("L1", "m")]
        # Control
        Cp "cp" memory::cp [
            form("^async ca shared|shared::cta global L2::64B|L2::128B|L2::256B? L2::cache_hint>a:b64?", "m m 16 xo"),
            form("^async cg shared|shared::cta global L2::64B|L2::128B|L2::256B? L2::cache_hint>a:b64?", "m m 16 xo"),
            form("^async ^commit_group|wait_all", ""),
            form("^async ^wait_group", "i"),
            form("^async ^mbarrier ^arrive noinc? shared|shared::cta? b64", "M"),
            form("^async ^bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster>a:b16? L2::cache_hint>a:b64?", "m m a:u32 m"),
            form("^async ^bulk shared::cluster shared::cta mbarrier::complete_tx::bytes", "m m a:u32 m"),
            form("^async ^bulk global shared::cta bulk_group L2::cache_hint>a:b64?", "m m a:u32"),
            form("^async ^bulk ^commit_group", ""),
            form("^async ^bulk ^wait_group read?", "i"),
            form("^async ^bulk ^prefetch L2 global L2::cache_hint>a:b64?", "m a:u32"),
            form("^async ^bulk ^tensor $rank shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster>a:b16? L2::cache_hint>a:b64?", "m Vg m"),
            form("^async ^bulk ^tensor 3d shared::cluster global im2col mbarrier::complete_tx::bytes", "m Vg m 1a:b16"),
            form("^async ^bulk ^tensor 4d shared::cluster global im2col mbarrier::complete_tx::bytes", "m Vg m 2a:b16"),
            form("^async ^bulk ^tensor 5d shared::cluster global im2col mbarrier::complete_tx::bytes", "m Vg m 3a:b16"),
            form("^async ^bulk ^tensor $rank global shared::cta tile? bulk_group L2::cache_hint>a:b64?", "Vg m"),
            form("^async ^bulk ^tensor 3d|4d|5d global shared::cta im2col_no_offs bulk_group", "Vg m"),
            form("^async ^bulk ^prefetch ^tensor $rank L2 global tile? L2::cache_hint>a:b64?", "Vg"),
            form("^async ^bulk ...", "*"),
            form("^reduce ^async ^bulk global shared::cta bulk_group add|min|max|inc|dec u32", "m m a:u32"),
            form("^reduce ^async ^bulk global shared::cta bulk_group and|or|xor b32|b64", "m m a:u32"),
            form("^reduce ^async ^bulk ^tensor $rank global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group L2::cache_hint>a:b64?", "Vg m"),
            form("^reduce ...", "*"),
            needs("L2::cache_hint", "7.4 sm_80"), // Cache Eviction Priority Hints
            needs("async", "7.0 sm_80"), // Data Movement: cp.async
            needs("async L2::64B|L2::128B|L2::256B", "7.4 sm_80"), // Data Movement: cp.async
            needs("bulk", "8.0 sm_90"), // Data Movement: cp.async.bulk
            needs("bulk shared::cta mbarrier::* !shared::cluster", "8.6 sm_90"), // Data Movement: cp.async.bulk
            needs("cta_group::*|tile::scatter4", "8.6 sm_100a before sm_120"), // Data Movement: cp.async.bulk.tensor
            needs("tile::gather4 !shared::cta", "8.6 sm_100a before sm_120"), // Data Movement: cp.async.bulk.tensor
            needs("tile::gather4 shared::cta", "8.6 sm_100"), // Data Movement: cp.async.bulk.tensor
            needs("im2col::w shared::cta", "8.6 sm_100"), // Data Movement: cp.async.bulk.tensor
            needs("cp_mask", "8.6 sm_100")] // Data Movement: cp.async.bulk
        # Matrices
        Ldmatrix "ldmatrix" matrix::ldmatrix [
            form("sync aligned m8n8 x1 trans? shared|shared::cta? b16", "1d:b32 M"),
            form("sync aligned m8n8 x2 trans? shared|shared::cta? b16", "2d:b32 M"),
            form("sync aligned m8n8 x4 trans? shared|shared::cta? b16", "4d:b32 M"),
            form("m16n16|m8n16 ...", "*"),
            needs("", "6.5 sm_75"), // Warp-level Matrix: ldmatrix
            needs("m16n16|m8n16", "8.6 sm_100a")] // Warp-level Matrix: ldmatrix
        Stmatrix "stmatrix" matrix::stmatrix [
            form("sync aligned m8n8 x1 trans? shared|shared::cta? b16", "M 1r:b32"),
            form("sync aligned m8n8 x2 trans? shared|shared::cta? b16", "M 2r:b32"),
            form("sync aligned m8n8 x4 trans? shared|shared::cta? b16", "M 4r:b32"),
            form("m16n8 ...", "*"),
            needs("", "7.8 sm_90"), // Warp-level Matrix: stmatrix
            needs("m16n8", "8.6 sm_100a")] // Warp-level Matrix: stmatrix
    } };
}
