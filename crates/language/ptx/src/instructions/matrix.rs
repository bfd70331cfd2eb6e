//! Warp-level matrices (PTX manual, "Warp Level Matrix Multiply-Accumulate Instructions") and tensor memory ("TensorCore 5th
//! Generation Family Instructions"). Only shapes that the emulator runs have rows; lowering rejects shapes that do not exist.

macro_rules! matrix {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => { $next! { [$($rest)*] $($before)*
        # Matrices
        Wmma "wmma" matrix::wmma [
            form("^load ^a|b sync aligned? row|col m16n16k16|m8n32k16|m32n8k16 global|shared|shared::cta? f16", "8d:b32 m ao:u32"),
            form("^load ^a|b sync aligned? row|col m16n16k16 global|shared|shared::cta? s8|u8", "2d:b32 m ao:u32"),
            form("^load ^a|b sync aligned? row|col m16n16k16 global|shared|shared::cta? bf16", "4d:b32 m ao:u32"),
            form("^load ^a sync aligned? row|col m8n32k16 global|shared|shared::cta? s8|u8", "1d:b32 m ao:u32"),
            form("^load ^a sync aligned? row|col m8n32k16 global|shared|shared::cta? bf16", "2d:b32 m ao:u32"),
            form("^load ^a sync aligned? row|col m32n8k16 global|shared|shared::cta? s8|u8", "4d:b32 m ao:u32"),
            form("^load ^a sync aligned? row|col m32n8k16 global|shared|shared::cta? bf16", "8d:b32 m ao:u32"),
            form("^load ^b sync aligned? row|col m8n32k16 global|shared|shared::cta? s8|u8", "4d:b32 m ao:u32"),
            form("^load ^b sync aligned? row|col m8n32k16 global|shared|shared::cta? bf16", "8d:b32 m ao:u32"),
            form("^load ^b sync aligned? row|col m32n8k16 global|shared|shared::cta? s8|u8", "1d:b32 m ao:u32"),
            form("^load ^b sync aligned? row|col m32n8k16 global|shared|shared::cta? bf16", "2d:b32 m ao:u32"),
            form("^load ^a|b sync aligned? row|col m16n16k8 global|shared|shared::cta? tf32", "4d:b32 m ao:u32"),
            form("^load ^a|b sync aligned? row|col m8n8k4 global|shared|shared::cta? f64", "1d:f64 m ao:u32"),
            form("^load ^a sync aligned? row m8n8k32 global|shared|shared::cta? s4|u4", "1d:b32 m ao:u32"),
            form("^load ^b sync aligned? col m8n8k32 global|shared|shared::cta? s4|u4", "1d:b32 m ao:u32"),
            form("^load ^a sync aligned? row m8n8k128 global|shared|shared::cta? b1", "1d:b32 m ao:u32"),
            form("^load ^b sync aligned? col m8n8k128 global|shared|shared::cta? b1", "1d:b32 m ao:u32"),
            form("^load ^c sync aligned? row|col m16n16k16|m8n32k16|m32n8k16 global|shared|shared::cta? f16", "4d:b32 m ao:u32"),
            form("^store ^d sync aligned? row|col m16n16k16|m8n32k16|m32n8k16 global|shared|shared::cta? f16", "m 4r:b32 ao:u32"),
            form("^load ^c sync aligned? row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8 global|shared|shared::cta? f32", "8d:f32 m ao:u32"),
            form("^store ^d sync aligned? row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8 global|shared|shared::cta? f32", "m 8r:f32 ao:u32"),
            form("^load ^c sync aligned? row|col m16n16k16|m8n32k16|m32n8k16 global|shared|shared::cta? s32", "8d:s32 m ao:u32"),
            form("^store ^d sync aligned? row|col m16n16k16|m8n32k16|m32n8k16 global|shared|shared::cta? s32", "m 8r:s32 ao:u32"),
            form("^load ^c sync aligned? row|col m8n8k32|m8n8k128 global|shared|shared::cta? s32", "2d:s32 m ao:u32"),
            form("^store ^d sync aligned? row|col m8n8k32|m8n8k128 global|shared|shared::cta? s32", "m 2r:s32 ao:u32"),
            form("^load ^c sync aligned? row|col m8n8k4 global|shared|shared::cta? f64", "2d:f64 m ao:u32"),
            form("^store ^d sync aligned? row|col m8n8k4 global|shared|shared::cta? f64", "m 2r:f64 ao:u32"),
            form("^mma sync aligned? row|col row|col m16n16k16|m8n32k16|m32n8k16 satfinite? f16 f16", "4d:b32 8r:b32 8r:b32 4a:b32"),
            form("^mma sync aligned? row|col row|col m16n16k16|m8n32k16|m32n8k16 satfinite? f16 f32", "4d:b32 8r:b32 8r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m16n16k16|m8n32k16|m32n8k16 satfinite? f32 f16", "8d:f32 8r:b32 8r:b32 4a:b32"),
            form("^mma sync aligned? row|col row|col m16n16k16|m8n32k16|m32n8k16 satfinite? f32 f32", "8d:f32 8r:b32 8r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m16n16k16 satfinite? s32 s8 s8 s32", "8d:s32 2r:b32 2r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m8n32k16 satfinite? s32 s8 s8 s32", "8d:s32 1r:b32 4r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m32n8k16 satfinite? s32 s8 s8 s32", "8d:s32 4r:b32 1r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m16n16k16 satfinite? s32 u8 u8 s32", "8d:s32 2r:b32 2r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m8n32k16 satfinite? s32 u8 u8 s32", "8d:s32 1r:b32 4r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m32n8k16 satfinite? s32 u8 u8 s32", "8d:s32 4r:b32 1r:b32 8a:s32"),
            form("^mma sync aligned? row|col row|col m16n16k16 f32 bf16 bf16 f32", "8d:f32 4r:b32 4r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m8n32k16 f32 bf16 bf16 f32", "8d:f32 2r:b32 8r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m32n8k16 f32 bf16 bf16 f32", "8d:f32 8r:b32 2r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m16n16k8 f32 tf32 tf32 f32", "8d:f32 4r:b32 4r:b32 8a:f32"),
            form("^mma sync aligned? row|col row|col m8n8k4 $round? f64 f64 f64 f64", "2d:f64 1r:f64 1r:f64 2a:f64"),
            form("^mma sync aligned? row col m8n8k32 satfinite? s32 s4 s4 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
            form("^mma sync aligned? row col m8n8k32 satfinite? s32 u4 u4 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
            form("^mma ^xor|and ^popc sync aligned? row col m8n8k128 s32 b1 b1 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
            needs("", "6.0 sm_70"), // Warp-level Matrix: wmma
            needs("m8n32k16|m32n8k16", "6.1 sm_70"), // Warp-level Matrix: wmma
            needs("aligned", "6.3 sm_70"), // Warp-level Matrix: wmma
            needs("s8|u8", "6.3 sm_72"), // Warp-level Matrix: wmma
            needs("s4|u4|b1", "6.3 sm_75"), // Warp-level Matrix: wmma
            needs("bf16|tf32|f64", "7.0 sm_80"), // Warp-level Matrix: wmma
            needs("and", "7.1 sm_80"), // Warp-level Matrix: wmma.mma, mma
            gone("!aligned", "6.3", " without `.aligned` was", "write it with `.aligned`"), // Warp-level Matrix: wmma
            gone("f16|f32 satfinite", "6.5", ": floats with `.satfinite` were", "remove `.satfinite`")] // Warp-level Matrix: wmma.mma
        Mma "mma" matrix::mma [
            form("sync aligned m16n8k16 row col f32 f16 f16 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
            form("sync aligned m16n8k16 row col f32 bf16 bf16 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
            form("sync aligned m16n8k8 row col f32 f16 f16 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
            form("sync aligned m16n8k8 row col f32 bf16 bf16 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
            form("sync aligned m16n8k16 row col f16 f16 f16 f16", "2d:b32 4r:b32 2r:b32 2a:b32"),
            form("sync aligned m16n8k8 row col f16 f16 f16 f16", "2d:b32 2r:b32 1r:b32 2a:b32"),
            form("sync aligned m16n8k8 row col f32 tf32 tf32 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
            form("sync aligned m16n8k4 row col f32 tf32 tf32 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
            form("sync aligned m16n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "4d:s32 2r:b32 1r:b32 4a:s32"),
            form("sync aligned m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32", "4d:s32 4r:b32 2r:b32 4a:s32"),
            form("sync aligned m8n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
            form("sync aligned m8n8k4 row col f64 f64 f64 f64", "2d:f64 1r:f64 1r:f64 2a:f64"),
            form("sync aligned m8n8k32 row col satfinite? s32 s4|u4 s4|u4 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
            form("sync aligned m16n8k32 row col satfinite? s32 s4|u4 s4|u4 s32", "4d:s32 2r:b32 1r:b32 4a:s32"),
            form("sync aligned m16n8k64 row col satfinite? s32 s4|u4 s4|u4 s32", "4d:s32 4r:b32 2r:b32 4a:s32"),
            form("sync aligned m8n8k4 row|col row|col f16 f16 f16 f16", "4d:b32 2r:b32 2r:b32 4a:b32"),
            form("sync aligned m8n8k4 row|col row|col f32 f16 f16 f16", "8d:f32 2r:b32 2r:b32 4a:b32"),
            form("sync aligned m8n8k4 row|col row|col f32 f16 f16 f32", "8d:f32 2r:b32 2r:b32 8a:f32"),
            form("sync aligned m16n8k4 row col $round? f64 f64 f64 f64", "4d:f64 2r:f64 1r:f64 4a:f64"),
            form("sync aligned m16n8k8 row col $round? f64 f64 f64 f64", "4d:f64 4r:f64 2r:f64 4a:f64"),
            form("sync aligned m16n8k16 row col $round? f64 f64 f64 f64", "4d:f64 8r:f64 4r:f64 4a:f64"),
            form("sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
            form("sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
            form("sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "2d:b32 2r:b32 1r:b32 2a:b32"),
            form("sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "2d:b32 4r:b32 2r:b32 2a:b32"),
            form("sync aligned m8n8k128 row col s32 b1 b1 s32 xor|and popc", "2d:s32 1r:b32 1r:b32 2a:s32"),
            form("sync aligned m16n8k128 row col s32 b1 b1 s32 xor|and popc", "4d:s32 2r:b32 1r:b32 4a:s32"),
            form("sync aligned m16n8k256 row col s32 b1 b1 s32 xor|and popc", "4d:s32 4r:b32 2r:b32 4a:s32"),
            form("sp|sp::ordered_metadata sync aligned m16n8k32 row col f32 f16 f16 f32", "4d:f32 4r:b32 4r:b32 4a:f32 a:u32 0"),
            form("sp|sp::ordered_metadata sync aligned m16n8k32 row col f32 bf16 bf16 f32", "4d:f32 4r:b32 4r:b32 4a:f32 a:u32 0"),
            form("sp ...", "*"),
            form("sp::ordered_metadata ...", "*"),
            form("kind::* ...", "*"),
            needs("and", "7.1 sm_80"), // Warp-level Matrix: wmma.mma, mma
            needs("", "6.4 sm_70"), // Warp-level Matrix: mma
            needs("m16n8k8|m8n8k16|m8n8k32", "6.5 sm_75"), // Warp-level Matrix: mma
            needs("m8n8k128", "7.0 sm_75"), // Warp-level Matrix: mma
            needs("m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256", "7.0 sm_80"), // Warp-level Matrix: mma
            needs("bf16|tf32|f64", "7.0 sm_80"), // Warp-level Matrix: mma
            needs("f64 m16n8k4|m16n8k8|m16n8k16", "7.8 sm_90"), // Warp-level Matrix: mma
            needs("e4m3|e5m2", "8.4 sm_89"), // Warp-level Matrix: mma
            needs("e4m3|e5m2 m16n8k16|f16", "8.7 sm_89"), // Warp-level Matrix: mma
            needs("kind::*", "8.7 sm_120a"), // Warp-level Matrix: mma
            needs("sp", "7.1 sm_80"), // Warp-level Matrix: mma.sp
            needs("sp::ordered_metadata", "8.5 sm_80")] // Warp-level Matrix: mma.sp
        Tcgen05 "tcgen05" tensor_memory::tcgen05 [
            form("^alloc $pair sync aligned shared::cta? b32", "M ac:u32"),
            form("^dealloc $pair sync aligned b32", "a:u32 ac:u32"),
            form("^relinquish_alloc_permit $pair sync aligned", ""),
            form("^wait::ld|wait::st sync aligned", ""),
            form("^fence::before_thread_sync|fence::after_thread_sync", ""),
            form("^shift down $pair", "t"),
            form("^commit $pair mbarrier::arrive::one shared::cluster? b64", "M"),
            form("^commit $pair mbarrier::arrive::one multicast::cluster shared::cluster? b64", "M r:u16"),
            form("^cp $pair 128x256b|4x256b|128x128b", "t a:b64"),
            form("^cp $pair 64x128b warpx2::02_13|warpx2::01_23", "t a:b64"),
            form("^cp $pair 32x128b warpx4", "t a:b64"),
            form("^cp $pair 128x256b|4x256b|128x128b b8x16 b6x16_p32|b4x16_p64", "t a:b64"),
            form("^cp $pair 64x128b warpx2::02_13|warpx2::01_23 b8x16 b6x16_p32|b4x16_p64", "t a:b64"),
            form("^cp $pair 32x128b warpx4 b8x16 b6x16_p32|b4x16_p64", "t a:b64"),
            form("^ld sync aligned $movement $steps pack::16b? b32", "Vd:b32 t"),
            form("^ld sync aligned 16x32bx2 $steps pack::16b? b32", "Vd:b32 t i"),
            form("^ld ^red sync aligned 32x32b $several min|max abs? NaN? f32", "Vd:b32 d:b32 t"),
            form("^ld ^red sync aligned 32x32b $several min|max u32|s32", "Vd:b32 d:b32 t"),
            form("^ld ^red sync aligned 16x32bx2 $several min|max abs? NaN? f32", "Vd:b32 d:b32 t i"),
            form("^ld ^red sync aligned 16x32bx2 $several min|max u32|s32", "Vd:b32 d:b32 t i"),
            form("^st sync aligned $movement $steps unpack::16b? b32", "t Vr:b32"),
            form("^st sync aligned 16x32bx2 $steps unpack::16b? b32", "t i Vr:b32"),
            form("^mma $pair $float $keepa?", "t w:b64 a:b64 a:u32 p ibo"),
            form("^mma $pair kind::f8f6f4 $keepa?", "t w:b64 a:b64 a:u32 p"),
            form("^mma cta_group::1 $float $keepa?", "t w:b64 a:b64 a:u32 4r:b32 p ibo"),
            form("^mma cta_group::1 kind::f8f6f4 $keepa?", "t w:b64 a:b64 a:u32 4r:b32 p"),
            form("^mma cta_group::2 $float $keepa?", "t w:b64 a:b64 a:u32 8r:b32 p ibo"),
            form("^mma cta_group::2 kind::f8f6f4 $keepa?", "t w:b64 a:b64 a:u32 8r:b32 p"),
            form("^mma sp $pair $float $keepa?", "t w:b64 a:b64 t a:u32 p ibo"),
            form("^mma sp $pair kind::f8f6f4 $keepa?", "t w:b64 a:b64 t a:u32 p"),
            form("^mma sp cta_group::1 kind::f16|kind::tf32 $keepa?", "t w:b64 a:b64 t a:u32 4r:b32 p ibo"),
            form("^mma sp cta_group::1 kind::f8f6f4|kind::i8 $keepa?", "t w:b64 a:b64 t a:u32 4r:b32 p"),
            form("^mma sp cta_group::2 kind::f16|kind::tf32 $keepa?", "t w:b64 a:b64 t a:u32 8r:b32 p ibo"),
            form("^mma sp cta_group::2 kind::f8f6f4|kind::i8 $keepa?", "t w:b64 a:b64 t a:u32 8r:b32 p"),
            form("^mma sp? $pair $float|kind::f8f6f4 ashift collector::a::lastuse|collector::a::discard?", "t t *"),
            form("^mma ^ws cta_group::1 $float|kind::f8f6f4 $keepb?", "t w:b64 a:b64 a:u32 p ao:b64"),
            form("^mma ^ws sp cta_group::1 $float|kind::f8f6f4 $keepb?", "t w:b64 a:b64 t a:u32 p ao:b64"),
            form("^mma $pair kind::mxf8f6f4 block_scale scale_vec::1X|block32? $keepa?", "t w:b64 a:b64 a:u32 t t p"),
            form("^mma $pair kind::mxf4 block_scale scale_vec::2X|block32? $keepa?", "t w:b64 a:b64 a:u32 t t p"),
            form("^mma $pair kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X|block16|block32 $keepa?", "t w:b64 a:b64 a:u32 t t p"),
            form("^mma sp $pair kind::mxf8f6f4 block_scale scale_vec::1X|block32? $keepa?", "t w:b64 a:b64 t a:u32 t t p"),
            form("^mma sp $pair kind::mxf4 block_scale scale_vec::2X|block32? $keepa?", "t w:b64 a:b64 t a:u32 t t p"),
            form("^mma sp $pair kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X|block16|block32 $keepa?", "t w:b64 a:b64 t a:u32 t t p"),
            needs("", "8.6 sm_100a before sm_120"), // TensorCore 5th Generation
            needs("block16|block32", "8.8 sm_100a before sm_120"), // TensorCore 5th Generation: tcgen05.mma
            needs("ld.red", "8.8 sm_103a")] // TensorCore 5th Generation: tcgen05.ld
    } };
}
