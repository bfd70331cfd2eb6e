//! Control flow, synchronization and communication (PTX manual, "Control Flow", "Parallel Synchronization and Communication").
//! Textures, surfaces, video and stack instructions are listed by name only; lowering checks the rest.

macro_rules! control {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => { $next! { [$($rest)*] $($before)*
        # Control
        Exit "exit" control::exit, Trap "trap" control::trap, Brkpt "brkpt" control::trap [form("", "")]
        Ret "ret" control::ret [form("uni?", "")]
        Bra "bra" control::branch [form("uni?", "x")]
        Brx "brx" control::branch_indexed [form("^idx uni?", "a:u32 x")]
        Call "call" control::call [form("uni?", "*")]
        Setmaxnreg "setmaxnreg" asynchrony::setmaxnreg [
            form("^inc|dec sync aligned u32", "64"),
            needs("", "8.0 sm_90a")] // Miscellaneous: setmaxnreg
        # Conversion
        Mapa "mapa" asynchrony::mapa [
            form("u32|u64", "d a a:u32"),
            form("shared::cluster u32|u64", "d av a:u32"),
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("shared::cluster", "7.8 sm_90"), // State Spaces: shared
            needs("", "7.8 sm_90")] // Data Movement: mapa, getctarank
        Getctarank "getctarank" asynchrony::getctarank [
            form("u64", "d:u32 a"),
            form("shared::cluster u32|u64", "d:u32 av"),
            needs("", "7.8 sm_90")] // Data Movement: mapa, getctarank
        # Warp
        Shfl "shfl" control::shfl [
            form("sync up|down|bfly|idx b32", "d_/p a a:u32 a:u32 a:u32"),
            form("up|down|bfly|idx b32", "d_/p a a:u32 a:u32"),
            gone("!sync", "6.4 sm_70", " without `.sync` was", "write it with `.sync` and, as its last operand, a mask of the lanes that take part")] // Parallel Synchronization: shfl (deprecated)
        Vote "vote" control::vote [
            form("sync all|any|uni pred", "q p a:u32"),
            form("sync ballot b32", "d p a:u32"),
            form("all|any|uni pred", "q p"),
            form("ballot b32", "d p"),
            gone("!sync", "6.4 sm_70", " without `.sync` was", "write it with `.sync` and, as its last operand, a mask of the lanes that take part")] // Parallel Synchronization: vote (deprecated)
        Match "match" control::match_lanes [
            form("sync any b32|b64", "d:b32 a a:u32"),
            form("sync all b32|b64", "d:b32/p a a:u32"),
            needs("", "6.0 sm_70")] // Parallel Synchronization: match.sync
        Redux "redux" control::redux [
            form("sync add|min|max u32|s32", "d a a:u32"),
            form("sync and|or|xor b32", "d a a:u32"),
            form("sync min|max abs? NaN? f32", "d a a:u32"),
            needs("", "7.0 sm_80"), // Parallel Synchronization: redux.sync
            needs("f32", "8.6 sm_100a before sm_110")] // Parallel Synchronization: redux.sync
        Activemask "activemask" control::active_mask [
            form("b32", "d"),
            needs("", "6.2 sm_30")] // Parallel Synchronization: activemask
        Elect "elect" control::elect [
            form("sync", "d_:b32/p a:u32"),
            needs("", "8.0 sm_90")] // Parallel Synchronization: elect.sync
        # Control
        Bar "bar" control::barrier [
            form("^cta? sync", "ab:u32 aot:u32"),
            form("^arrive", "ab:u32 at:u32"),
            form("^cta ^arrive", "ab:u32 at:u32"),
            form("^red popc u32", "d ab:u32 p"),
            form("^red popc u32", "d ab:u32 at:u32 p"),
            form("^red and|or pred", "q ab:u32 p"),
            form("^red and|or pred", "q ab:u32 at:u32 p"),
            form("^cta ^red popc u32", "d ab:u32 p"),
            form("^cta ^red and|or pred", "q ab:u32 p"),
            form("^cta ^red ...", "*"),
            form("^warp sync", "a:u32")]
        Barrier "barrier" control::barrier [
            form("^cta? sync aligned?", "ab:u32 aot:u32"),
            form("^cta? arrive aligned?", "ab:u32 at:u32"),
            form("^cta? red popc aligned? u32", "d ab:u32 p"),
            form("^cta? red and|or aligned? pred", "q ab:u32 p"),
            form("^cta? red ...", "*"),
            form("^cluster arrive release|relaxed? aligned?", ""),
            form("^cluster wait acquire? aligned?", ""),
            needs("cta", "7.8 sm_30"), // Parallel Synchronization: barrier
            needs("cluster", "7.8 sm_90"), // Parallel Synchronization: barrier.cluster
            needs("cluster release|acquire|relaxed", "8.0 sm_90")] // Parallel Synchronization: barrier.cluster
        Membar "membar" control::fence [
            form("cta|gl|sys", ""),
            form("^proxy alias", ""),
            form("^proxy ...", "*"),
            needs("proxy", "7.5 sm_60")] // Parallel Synchronization: membar
        Fence "fence" control::fence [
            form("sc|acq_rel|acquire|release? $scope", ""),
            form("acquire sync_restrict::shared::cluster cluster", ""),
            form("release sync_restrict::shared::cta cluster", ""),
            form("^proxy alias", ""),
            form("^proxy async global|shared::cta|shared::cluster?", ""),
            form("^proxy tensormap::generic release $scope", ""),
            form("^proxy tensormap::generic acquire $scope", "m 128"),
            form("^proxy ...", "*"),
            form("^mbarrier_init release cluster", ""),
            form("^mbarrier_init ...", ""),
            needs("cluster", "7.8 sm_90"), // Memory Consistency Model: Scope
            needs("", "6.0 sm_70"), // Parallel Synchronization: fence
            needs("proxy", "7.5 sm_70"), // Parallel Synchronization: fence
            needs("async*|mbarrier_init", "8.0 sm_90"), // Parallel Synchronization: fence
            needs("tensormap*", "8.3 sm_90"), // Parallel Synchronization: fence
            needs("sync_restrict*", "8.6 sm_90")] // Parallel Synchronization: fence
        Mbarrier "mbarrier" asynchrony::mbarrier [
            form("^init shared|shared::cta? b64", "m a:u32"),
            form("^inval shared|shared::cta? b64", "m"),
            form("^arrive|arrive_drop shared|shared::cta? b64", "d_ m ao:u32"),
            form("^arrive|arrive_drop shared::cluster b64", "x m ao:u32"),
            form("^arrive|arrive_drop ^expect_tx shared|shared::cta? b64", "d_ m a:u32"),
            form("^arrive|arrive_drop ^expect_tx shared::cluster b64", "x m a:u32"),
            form("^arrive|arrive_drop release|relaxed cta|cluster shared|shared::cta? b64", "d_ m ao:u32"),
            form("^arrive|arrive_drop release|relaxed cta|cluster shared::cluster b64", "x m ao:u32"),
            form("^arrive|arrive_drop ^expect_tx release|relaxed cta|cluster shared|shared::cta? b64", "d_ m a:u32"),
            form("^arrive|arrive_drop ^expect_tx release|relaxed cta|cluster shared::cluster b64", "x m a:u32"),
            form("^arrive|arrive_drop noComplete shared|shared::cta? b64", "d m a:u32"),
            form("^arrive|arrive_drop noComplete release cta shared|shared::cta? b64", "d m a:u32"),
            form("^expect_tx|complete_tx $shared? b64", "m a:u32"),
            form("^expect_tx|complete_tx relaxed cta|cluster $shared? b64", "m a:u32"),
            form("^test_wait shared|shared::cta? b64", "q m a:b64"),
            form("^test_wait parity shared|shared::cta? b64", "q m a:u32"),
            form("^try_wait shared|shared::cta? b64", "q m a:b64 ao:u32"),
            form("^try_wait parity shared|shared::cta? b64", "q m a:u32 ao:u32"),
            form("^test_wait acquire|relaxed cta|cluster shared|shared::cta? b64", "q m a:b64"),
            form("^test_wait parity acquire|relaxed cta|cluster shared|shared::cta? b64", "q m a:u32"),
            form("^try_wait acquire|relaxed cta|cluster shared|shared::cta? b64", "q m a:b64 ao:u32"),
            form("^try_wait parity acquire|relaxed cta|cluster shared|shared::cta? b64", "q m a:u32 ao:u32"),
            form("^pending_count b64", "d:u32 a:b64"),
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("", "7.0 sm_80"), // mbarrier
            needs("parity", "7.1 sm_80"), // mbarrier.test_wait
            needs("try_wait", "7.8 sm_90"), // mbarrier.try_wait
            needs("arrive|arrive_drop !noComplete 3+", "7.8 sm_90"), // mbarrier.arrive
            needs("expect_tx|complete_tx|cluster|shared::cluster", "8.0 sm_90"), // mbarrier.expect_tx
            needs("release|acquire", "8.0 sm_80"), // mbarrier.arrive, mbarrier.test_wait
            needs("arrive|arrive_drop|test_wait|try_wait relaxed", "8.6 sm_90")] // mbarrier.arrive, mbarrier.test_wait
        Nanosleep "nanosleep" control::nothing [
            form("u32", "a"),
            needs("", "6.2 sm_70")] // Miscellaneous: nanosleep
        Pmevent "pmevent" control::nothing [form("mask?", "i")]
        Griddepcontrol "griddepcontrol" control::nothing [
            form("launch_dependents|wait", ""),
            needs("", "7.8 sm_90")] // Parallel Synchronization: griddepcontrol
        # Memory
        Alloca "alloca" allocation::alloca [
            form("u32|u64", "d a io"),
            needs("", "7.3 sm_52")] // Stack Manipulation: alloca, stacksave, stackrestore
        Stacksave "stacksave" allocation::save [
            form("u32|u64", "d"),
            needs("", "7.3 sm_52")] // Stack Manipulation: alloca, stacksave, stackrestore
        Stackrestore "stackrestore" allocation::restore [
            form("u32|u64", "r"),
            needs("", "7.3 sm_52")] // Stack Manipulation: alloca, stacksave, stackrestore
        Applypriority "applypriority" control::nothing, Createpolicy "createpolicy" memory::create_policy,
        Discard "discard" control::nothing [
            form("global? L2::evict_normal", "m 128").only("applypriority"),
            form("global? L2", "m 128").only("discard"),
            form("^fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged b64", "d ao:f32").only("createpolicy"),
            form("^range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged b64", "d m a:u32 a:u32").only("createpolicy"),
            form("^cvt L2 b64", "d a").only("createpolicy"),
            form("...", "*"),
            needs("", "7.4 sm_80")] // Data Movement: applypriority, discard, createpolicy
        Multimem "multimem" expand::multimem [
            form("^ld_reduce weak? global? add|min|max u32|s32|u64", "d m"),
            form("^ld_reduce relaxed|acquire $scope global? add|min|max u32|s32|u64", "d m"),
            form("^ld_reduce weak? global? add acc::f32 v4 f16x2|bf16x2", "4d:b32 m"),
            form("^st weak? global? b32|u32|s32|b64|u64|s64|f32|f64", "m a"),
            form("^st relaxed|release $scope global? b32|u32|s32|b64|u64|s64|f32|f64", "m a"),
            form("^red relaxed|release $scope global? add|min|max u32|s32|u64", "m a"),
            form("...", "*"),
            needs("", "8.1 sm_90")] // Data Movement: multimem
        # Control
        Clusterlaunchcontrol "clusterlaunchcontrol" asynchrony::cluster_launch_control,
        Tensormap "tensormap" tensor_map::tensormap [
            form("^try_cancel async shared::cta? mbarrier::complete_tx::bytes multicast::cluster::all? b128", "m m").only("clusterlaunchcontrol"),
            form("^query_cancel ^is_canceled pred b128", "q a:b128").only("clusterlaunchcontrol"),
            form("^query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128", "d a:b128").only("clusterlaunchcontrol"),
            form("^query_cancel get_first_ctaid v4 b32 b128", "4d:b32 a:b128").only("clusterlaunchcontrol"),
            form("^replace tile global_address global|shared::cta b1024 b64", "m a:b64").only("tensormap"),
            form("^replace tile rank global|shared::cta b1024 b32", "m a:u32").only("tensormap"),
            form("^replace tile box_dim|global_dim|element_stride global|shared::cta b1024 b32", "m i a:u32").only("tensormap"),
            form("^replace tile global_stride global|shared::cta b1024 b64", "m i a:b64").only("tensormap"),
            form("^replace tile elemtype|interleave_layout|swizzle_mode|fill_mode global|shared::cta b1024 b32", "m 0").only("tensormap"),
            form("^cp_fenceproxy global shared::cta tensormap::generic release $scope sync aligned", "m m 128").only("tensormap"),
            form("...", "*"),
            needs("replace", "8.3 sm_90a").only("tensormap"), // Data Movement: tensormap.replace
            needs("cp_fenceproxy", "8.3 sm_90").only("tensormap"), // Parallel Synchronization: tensormap.cp_fenceproxy
            needs("swizzle_atomicity", "8.6 sm_100a").only("tensormap"), // Data Movement: tensormap.replace
            needs("", "8.6 sm_100").only("clusterlaunchcontrol"), // Parallel Synchronization: clusterlaunchcontrol
            needs("multicast::cluster::all", "8.6 sm_100a").only("clusterlaunchcontrol")] // Parallel Synchronization: clusterlaunchcontrol
        Istypep "istypep" texture::is_type [form("texref|samplerref|surfref", "q av:b64")]
        Tex "tex" texture::sample, Tld4 "tld4" texture::sample [
            form("base? 1d v4 f32|u32|s32 s32|f32", "4d:b32 1g").only("tex"),
            form("2d|a1d v4 f32|u32|s32 s32|f32", "4d:b32 2g").only("tex"),
            form("3d|a2d v4 f32|u32|s32 s32|f32", "4d:b32 4g").only("tex"),
            form("cube|acube v4 f32|u32|s32 f32", "4d:b32 4g").only("tex"),
            form("2dms|a2dms v4 f32|u32|s32 s32", "4d:b32 4g").only("tex"),
            form("level 2d v4 f32|u32|s32 f32", "4d:b32 2g a:f32").only("tex"),
            form("grad 2d v4 f32|u32|s32 f32", "4d:b32 2g 2a:f32 2a:f32").only("tex"),
            form("2d v4 f32|u32|s32 f32", "4d:b32 2g 2a:b32").only("tex"),
            form("2d v4 f16 f32", "4d:b16 2g").only("tex"),
            form("^r|g|b|a 2d v4 f32|u32|s32 f32", "4d:b32 2g").only("tld4"),
            form("^r|g|b|a 2d v4 f32|u32|s32 f32", "4d:b32 2g 2a:b32").only("tld4"),
            form("...", "*")]
        Suld "suld" texture::surface_load, Sust "sust" texture::surface_store [
            form("b 1d b32 trap|clamp|zero", "1d:b32 1g").only("suld"),
            form("b 2d|a1d v2 b32 trap|clamp|zero", "2d:b32 2g").only("suld"),
            form("b 3d|a2d v4 b32 trap|clamp|zero", "4d:b32 4g").only("suld"),
            form("b|p 1d b32 trap|clamp|zero", "1g 1a:b32").only("sust"),
            form("b 2d|a1d v2 b32 trap|clamp|zero", "2g 2a:b32").only("sust"),
            form("b 3d|a2d v2 b64 trap|clamp|zero", "4g 2a:b64").only("sust"),
            form("...", "*")]
        Sured "sured" texture::surface_reduce [
            form("b add|min|max 1d u32|s32 trap|clamp|zero", "1g a:b32"),
            form("b and|or 1d b32 trap|clamp|zero", "1g a:b32"),
            form("p add|min|max|and|or 1d b32 trap|clamp|zero", "1g a:b32"),
            form("...", "*")]
        Suq "suq" texture::query, Txq "txq" texture::query [
            form("width|height|depth|array_size|channel_data_type|channel_order b32", "d m"),
            form("num_mipmap_levels|num_samples|normalized_coords|filter_mode|addr_mode_0 b32", "d m").only("txq"),
            form("...", "*")]
        # Matrices
        Movmatrix "movmatrix" matrix::movmatrix [
            form("sync aligned m8n8 trans b16", "d:b32 r:b32"),
            needs("", "7.8 sm_75")] // Warp-level Matrix: movmatrix
        Wgmma "wgmma" warpgroup::wgmma [
            form("^fence|commit_group sync aligned", ""),
            form("^wait_group sync aligned", "i"),
            form("^mma_async sync aligned m64n8k16 f32 f16 f16", "4d:f32 a:b64 a:b64 p i i i i"),
            form("^mma_async sync aligned m64n8k16 f32 f16 f16", "4d:f32 4r:b32 a:b64 p i i i"),
            form("^mma_async sync aligned m64n8k16 f32 bf16 bf16", "4d:f32 a:b64 a:b64 p i i i i"),
            form("^mma_async sync aligned m64n8k16 f16 f16 f16", "2d:b32 a:b64 a:b64 p i i i i"),
            form("^mma_async sync aligned m64n8k8 f32 tf32 tf32", "4d:f32 a:b64 a:b64 p i i"),
            form("^mma_async sync aligned m64n8k32 f32 e4m3|e5m2 e4m3|e5m2", "4d:f32 a:b64 a:b64 p i i"),
            form("^mma_async sync aligned m64n8k32 satfinite? s32 s8|u8 s8|u8", "4d:s32 a:b64 a:b64 p"),
            form("...", "*"),
            needs("", "8.0 sm_90a before sm_91"), // Asynchronous Warpgroup Level Matrix: wgmma
            needs("sp", "8.2 sm_90a before sm_91"), // Asynchronous Warpgroup Level Matrix: wgmma
            needs("s8.u8|u8.s8", "8.4 sm_90a before sm_91")] // Asynchronous Warpgroup Level Matrix: wgmma
        # Video
        Vabsdiff "vabsdiff" video::scalar, Vadd "vadd" video::scalar, Vmax "vmax" video::scalar,
        Vmin "vmin" video::scalar, Vsub "vsub" video::scalar [
            form("u32|s32 u32|s32 u32|s32 sat?", "d a:1 a:2"),
            form("u32|s32 u32|s32 u32|s32 sat? add|min|max", "d a:1 a:2 a:0"),
            form("...", "*")]
        Vshl "vshl" video::scalar, Vshr "vshr" video::scalar [
            form("u32|s32 u32|s32 u32 sat? clamp|wrap", "d a:1 a:2"),
            form("u32|s32 u32|s32 u32 sat? clamp|wrap add|min|max", "d a:1 a:2 a:0"),
            form("...", "*")]
        Vmad "vmad" video::scalar [
            form("u32|s32 u32|s32 u32|s32 sat? shr7|shr15?", "d a:1 a:2 a:0"),
            form("u32|s32 u32|s32 u32|s32 po sat? shr7|shr15?", "d a:1 a:2 a:0"),
            form("...", "*")]
        Vset "vset" video::scalar [
            form("u32|s32 u32|s32 $compare", "d:u32 a a:1"),
            form("u32|s32 u32|s32 $compare add|min|max", "d:u32 a a:1 a:u32"),
            form("...", "*")]
        Vset2 "vset2" video::packed, Vset4 "vset4" video::packed [
            form("u32|s32 u32|s32 $compare add?", "d:u32 a a:1 a:u32"),
            form("...", "*")]
        Vabsdiff2 "vabsdiff2" video::packed, Vadd2 "vadd2" video::packed, Vavrg2 "vavrg2" video::packed,
        Vmax2 "vmax2" video::packed, Vmin2 "vmin2" video::packed, Vsub2 "vsub2" video::packed,
        Vabsdiff4 "vabsdiff4" video::packed, Vadd4 "vadd4" video::packed, Vavrg4 "vavrg4" video::packed,
        Vmax4 "vmax4" video::packed, Vmin4 "vmin4" video::packed, Vsub4 "vsub4" video::packed [
            form("u32|s32 u32|s32 u32|s32 sat|add?", "d a:1 a:2 a:0"),
            form("...", "*")]
    } };
}
