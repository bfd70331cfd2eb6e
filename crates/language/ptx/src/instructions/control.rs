//! Control flow, synchronization and communication (PTX manual, "Control Flow", "Parallel Synchronization and Communication").
//! Textures, surfaces, video and stack instructions are listed by name only; lowering checks the rest.

macro_rules! control {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => { $next! { [$($rest)*] $($before)*
        Exit "exit" control::exit, Trap "trap" control::trap, Brkpt "brkpt" control::trap [form("", "")]
        Ret "ret" control::ret [form("uni?", "")]
        Bra "bra" control::branch [form("uni?", "x")]
        Brx "brx" control::branch_indexed [form("^idx uni?", "a:u32 x")]
        Call "call" control::call [form("uni?", "*")]
        Setmaxnreg "setmaxnreg" asynchrony::setmaxnreg [
            form("^inc|dec sync aligned u32", "i"),
            needs("", "8.0 sm_90a")] // Miscellaneous: setmaxnreg
        Mapa "mapa" asynchrony::mapa [
            form("u64", "d a a:u32"),
            form("shared::cluster u32|u64", "d av a:u32"),
            needs("shared::cta", "7.8 sm_30"), // State Spaces: shared
            needs("shared::cluster", "7.8 sm_90"), // State Spaces: shared
            needs("", "7.8 sm_90")] // Data Movement: mapa, getctarank
        Getctarank "getctarank" asynchrony::getctarank [
            form("u64", "d:u32 a"),
            form("shared::cluster u32|u64", "d:u32 av"),
            needs("", "7.8 sm_90")] // Data Movement: mapa, getctarank
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
        Bar "bar" control::barrier [
            form("^cta? sync", "ab:u32 aot:u32"),
            form("^arrive", "ab:u32 at:u32"),
            form("^cta ^arrive", "ab:u32 at:u32"),
            form("^red popc u32", "d ab:u32 p"),
            form("^red popc u32", "d ab:u32 at:u32 p"),
            form("^red and|or pred", "q ab:u32 p"),
            form("^red and|or pred", "q ab:u32 at:u32 p"),
            form("^cta ^red ...", "*"),
            form("^warp sync", "a:u32")]
        Barrier "barrier" control::barrier [
            form("^cta? sync aligned?", "ab:u32 aot:u32"),
            form("^cta? arrive aligned?", "ab:u32 at:u32"),
            form("^cta? red ...", "*"),
            form("^cluster arrive release|relaxed? aligned?", ""),
            form("^cluster wait acquire? aligned?", ""),
            needs("cta", "7.8 sm_30"), // Parallel Synchronization: barrier
            needs("cluster", "7.8 sm_90"), // Parallel Synchronization: barrier.cluster
            needs("cluster release|acquire|relaxed", "8.0 sm_90")] // Parallel Synchronization: barrier.cluster
        Membar "membar" control::fence [
            form("cta|gl|sys", ""),
            form("^proxy ...", "*"),
            needs("proxy", "7.5 sm_60")] // Parallel Synchronization: membar
        Fence "fence" control::fence [
            form("sc|acq_rel|acquire|release? $scope sync_restrict*?", ""),
            form("^proxy ...", "*"),
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
            form("^arrive|arrive_drop release|relaxed? cta|cluster? shared|shared::cta? b64", "d_ m ao:u32"),
            form("^arrive|arrive_drop release|relaxed? cta|cluster? shared::cluster b64", "x m ao:u32"),
            form("^arrive|arrive_drop ^expect_tx release|relaxed? cta|cluster? shared|shared::cta? b64", "d_ m a:u32"),
            form("^arrive|arrive_drop ^expect_tx release|relaxed? cta|cluster? shared::cluster b64", "x m a:u32"),
            form("^arrive|arrive_drop noComplete release? cta? shared|shared::cta? b64", "d m a:u32"),
            form("^expect_tx|complete_tx relaxed? cta|cluster? $shared? b64", "m a:u32"),
            form("^test_wait|try_wait acquire|relaxed? cta|cluster? shared|shared::cta? b64", "q m a:b64 ao:u32"),
            form("^test_wait|try_wait parity acquire|relaxed? cta|cluster? shared|shared::cta? b64", "q m a:u32 ao:u32"),
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
            form("...", "*"),
            needs("", "7.4 sm_80")] // Data Movement: applypriority, discard, createpolicy
        Clusterlaunchcontrol "clusterlaunchcontrol" asynchrony::cluster_launch_control,
        Multimem "multimem" expand::multimem, Tensormap "tensormap" tensor_map::tensormap [
            form("...", "*"),
            needs("", "8.1 sm_90").only("multimem"), // Data Movement: multimem
            needs("", "8.3 sm_90a").only("tensormap"), // Data Movement: tensormap.replace
            needs("swizzle_atomicity", "8.6 sm_100a").only("tensormap"), // Data Movement: tensormap.replace
            needs("", "8.6 sm_100").only("clusterlaunchcontrol"), // Parallel Synchronization: clusterlaunchcontrol
            needs("multicast::cluster::all", "8.6 sm_100a").only("clusterlaunchcontrol")] // Parallel Synchronization: clusterlaunchcontrol
        Istypep "istypep" texture::is_type [form("texref|samplerref|surfref", "q av:b64")]
        Suld "suld" texture::surface_load, Suq "suq" texture::query, Sured "sured" texture::surface_reduce,
        Sust "sust" texture::surface_store, Tex "tex" texture::sample, Tld4 "tld4" texture::sample,
        Txq "txq" texture::query [form("...", "*")]
        Movmatrix "movmatrix" matrix::movmatrix [
            form("sync aligned m8n8 trans b16", "d:b32 r:b32"),
            needs("", "7.8 sm_75")] // Warp-level Matrix: movmatrix
        Wgmma "wgmma" warpgroup::wgmma [
            form("...", "*"),
            needs("", "8.0 sm_90a before sm_91"), // Asynchronous Warpgroup Level Matrix: wgmma
            needs("sp", "8.2 sm_90a before sm_91"), // Asynchronous Warpgroup Level Matrix: wgmma
            needs("s8.u8|u8.s8", "8.4 sm_90a before sm_91")] // Asynchronous Warpgroup Level Matrix: wgmma
        Vabsdiff "vabsdiff" video::scalar, Vadd "vadd" video::scalar, Vmad "vmad" video::scalar,
        Vmax "vmax" video::scalar, Vmin "vmin" video::scalar, Vset "vset" video::scalar, Vshl "vshl" video::scalar,
        Vshr "vshr" video::scalar, Vsub "vsub" video::scalar [form("...", "*")]
        Vabsdiff2 "vabsdiff2" video::packed, Vadd2 "vadd2" video::packed, Vavrg2 "vavrg2" video::packed,
        Vmax2 "vmax2" video::packed, Vmin2 "vmin2" video::packed, Vset2 "vset2" video::packed,
        Vsub2 "vsub2" video::packed [form("...", "*")]
        Vabsdiff4 "vabsdiff4" video::packed, Vadd4 "vadd4" video::packed, Vavrg4 "vavrg4" video::packed,
        Vmax4 "vmax4" video::packed, Vmin4 "vmin4" video::packed, Vset4 "vset4" video::packed,
        Vsub4 "vsub4" video::packed [form("...", "*")]
    } };
}
