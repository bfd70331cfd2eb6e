//! Arithmetic, logic and shifts (PTX manual, "Integer Arithmetic", "Extended-Precision", "Floating Point", "Half Precision", "Logic
//! and Shift"), comparison and selection, and conversions ("Data Movement: cvt, cvt.pack").

macro_rules! arithmetic {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => { $next! { [$($rest)*] $($before)*
        # Arithmetic
        Add "add" integer::add, Sub "sub" integer::sub, Mul "mul" integer::mul, Min "min" integer::min_max,
        Max "max" integer::min_max [
            form("$int", "d a a").only("add sub"),
            form("sat s32", "d a a").only("add sub"),
            form("cc u32|s32|u64|s64", "d a a").only("add sub"),
            form("$round? ftz? sat? f32", "d a a").only("add sub mul"),
            form("$round? f64", "d a a").only("add sub mul"),
            form("rn? ftz? sat? $half", "d a a").only("add sub mul"),
            form("rn? $brain", "d a a").only("add sub mul"),
            form("relu? u16x2|s16x2", "*"),
            form("$round? ftz? f32x2", "d:b64 a:b64 a:b64").only("add sub mul"),
            form("$round? sat? f32 f16|bf16", "d a:1 a:0").only("add sub"),
            form("^lo|hi $int", "d a a").only("mul"),
            form("^wide u16|s16|u32|s32", "d:w a a").only("mul"),
            form("$int", "d a a").only("min max"),
            form("relu s32", "d a a").only("min max"),
            form("ftz? NaN? f32", "d a a ao").only("min max"),
            form("ftz? NaN? xorsign abs f32", "d a a").only("min max"),
            form("ftz? NaN? abs f32", "d a a a").only("min max"),
            form("f64", "d a a").only("min max"),
            form("ftz? NaN? $half", "d a a").only("min max"),
            form("ftz? NaN? xorsign abs $half", "d a a").only("min max"),
            form("NaN? $brain", "d a a").only("min max"),
            form("NaN? xorsign abs $brain", "d a a").only("min max"),
            needs("f16|f16x2", "4.2 sm_53").only("add sub mul"), // Half Precision Floating Point Instructions
            needs("f16|f16x2", "7.0 sm_80").only("min max"), // Half Precision: min, max
            needs("bf16|bf16x2", "7.0 sm_80").only("min max"), // Half Precision: fma, neg, abs, min, max
            needs("bf16|bf16x2", "7.8 sm_90").only("add sub mul"), // Half Precision: add, sub, mul; Comparison
            needs("f32.f16|f32.bf16", "8.6 sm_100").only("add sub"), // Mixed Precision Floating-Point Instructions
            needs("f32x2", "8.6 sm_100").only("add sub mul"), // Floating Point: add, sub, mul, fma
            needs("NaN", "7.0 sm_80").only("min max"), // Floating Point: min, max
            needs("xorsign", "7.2 sm_86").only("min max"), // Floating Point: min, max
            needs("f32 4+", "8.8 sm_100").only("min max"), // Floating Point: min, max
            needs("u16x2|s16x2", "8.0 sm_90").only("add min max"), // Integer: add, min, max
            needs("relu", "8.0 sm_90").only("min max")] // Integer: min, max
        Addc "addc" integer::add_carry, Subc "subc" integer::add_carry [form("cc? u32|s32|u64|s64", "d a a")]
        Mul24 "mul24" integer::mul24 [form("^lo|hi u32|s32", "d a a")]
        Mad24 "mad24" integer::mad24 [
            form("^lo|hi u32|s32", "d a a a"),
            form("^hi sat s32", "d a a a")]
        Mad "mad" integer::mad, Fma "fma" float::fma [
            form("^lo|hi $int", "d a a a").only("mad"),
            form("^hi sat s32", "d a a a").only("mad"),
            form("^wide u16|s16|u32|s32", "d:w a a a:w").only("mad"),
            form("^lo|hi cc u32|s32|u64|s64", "d a a a").only("mad"),
            form("$round ftz? sat? f32", "d a a a"),
            form("$round f64", "d a a a"),
            form("rn ftz? sat? $half", "d a a a").only("fma"),
            form("rn ftz? relu $half", "d a a a").only("fma"),
            form("rn relu? $brain", "d a a a").only("fma"),
            form("rn oob relu? f16|f16x2|bf16|bf16x2", "d a a a").only("fma"),
            form("$round ftz? f32x2", "d:b64 a:b64 a:b64 a:b64").only("fma"),
            form("$round sat? f32 f16|bf16", "d a:1 a:1 a:0").only("fma"),
            needs("f16|f16x2", "4.2 sm_53").only("fma"), // Half Precision Floating Point Instructions
            needs("bf16|bf16x2", "7.0 sm_80").only("fma"), // Half Precision: fma, neg, abs, min, max
            needs("relu", "7.0 sm_80").only("fma"), // Half Precision: fma
            needs("oob", "8.1 sm_90").only("fma"), // Half Precision: fma
            needs("f32.f16|f32.bf16", "8.6 sm_100").only("fma"), // Mixed Precision Floating-Point Instructions
            needs("f32x2", "8.6 sm_100").only("fma")] // Floating Point: add, sub, mul, fma
        Madc "madc" integer::mad_carry [form("^lo|hi cc? u32|s32|u64|s64", "d a a a")]
        Sad "sad" integer::sad [form("$int", "d a a a")]
        Div "div" integer::div [
            form("$int", "d a a"),
            form("approx ftz? f32", "d a a"),
            form("^full ftz? f32", "d a a"),
            form("$round ftz? f32", "d a a"),
            form("$round f64", "d a a")]
        Rem "rem" integer::rem [form("$int", "d a a")]
        Abs "abs" float::abs, Neg "neg" float::neg [
            form("s16|s32|s64", "d a"),
            form("ftz? f32", "d a"),
            form("f64", "d a"),
            form("ftz? $half", "d a"),
            form("$brain", "d a"),
            needs("f16|f16x2", "6.0 sm_53").only("neg"), // Half Precision Floating Point Instructions
            needs("f16|f16x2", "6.5 sm_53").only("abs"), // Half Precision: abs
            needs("bf16|bf16x2", "7.0 sm_80")] // Half Precision: fma, neg, abs, min, max
        Rcp "rcp" float::root, Sqrt "sqrt" float::root [
            form("approx ftz? f32", "d a"),
            form("$round ftz? f32", "d a"),
            form("$round f64", "d a"),
            form("approx ftz f64", "d a").only("rcp")]
        Rsqrt "rsqrt" float::approximate [form("approx ftz? f32|f64", "d a")]
        Sin "sin" float::approximate, Cos "cos" float::approximate, Lg2 "lg2" float::approximate,
        Ex2 "ex2" float::approximate [
            form("approx ftz? f32", "d a"),
            form("approx $half", "d a").only("ex2"),
            form("approx ftz $brain", "d a").only("ex2"),
            needs("f16|f16x2", "7.0 sm_75").only("ex2"), // Half Precision: ex2
            needs("bf16|bf16x2", "7.8 sm_90").only("ex2")] // Half Precision: tanh, ex2
        Tanh "tanh" float::approximate [
            form("approx f32|f16|f16x2|bf16|bf16x2", "d a"),
            needs("", "7.0 sm_75"), // Floating Point: tanh
            needs("bf16|bf16x2", "7.8 sm_90")] // Half Precision: tanh, ex2
        Testp "testp" float::testp [form("finite|infinite|number|notanumber|normal|subnormal f32|f64", "q a")]
        Copysign "copysign" float::copysign [form("f32|f64", "d a a")]
        Popc "popc" logic::popc, Clz "clz" logic::clz [form("b32|b64", "d:u32 a")]
        Bfind "bfind" logic::bfind [form("shiftamt? u32|u64|s32|s64", "d:u32 a")]
        Fns "fns" logic::fns [form("b32", "d a a:u32 a:s32")]
        Brev "brev" logic::brev [form("b32|b64", "d a")]
        Bfe "bfe" logic::bfe [form("u32|u64|s32|s64", "d a a:u32 a:u32")]
        Bfi "bfi" logic::bfi [form("b32|b64", "d a a a:u32 a:u32")]
        Szext "szext" logic::szext [
            form("clamp|wrap u32|s32", "d a a:u32"),
            needs("", "7.6 sm_70")] // Integer: szext, bmsk
        Bmsk "bmsk" logic::bmsk [
            form("clamp|wrap b32", "d a a"),
            needs("", "7.6 sm_70")] // Integer: szext, bmsk
        Dp4a "dp4a" integer::dp4a [
            form("u32|s32 u32|s32", "d:s32 a:u32 a:u32 a:s32"),
            needs("", "5.0 sm_61")] // Integer: dp4a, dp2a
        Dp2a "dp2a" integer::dp2a [
            form("^lo|hi u32|s32 u32|s32", "d:s32 a:u32 a:u32 a:s32"),
            needs("", "5.0 sm_61")] // Integer: dp4a, dp2a
        # Logic
        And "and" logic::bitwise, Or "or" logic::bitwise, Xor "xor" logic::bitwise [
            form("b16|b32|b64", "d a a"),
            form("pred", "q p p")]
        Not "not" logic::not [
            form("b16|b32|b64", "d a"),
            form("pred", "q p")]
        Cnot "cnot" logic::cnot [form("b16|b32|b64", "d a")]
        Lop3 "lop3" logic::lop3 [
            form("b32", "d a a a i"),
            form("^and|or b32", "d_/p a a a i p"),
            needs("and|or|xor", "8.2 sm_70"), // Logic and Shift: lop3
            needs("", "4.3 sm_50")] // Logic and Shift Instructions: lop3
        Shl "shl" logic::shl [form("b16|b32|b64", "d a a:u32")]
        Shr "shr" logic::shr [form("b16|b32|b64|u16|u32|u64|s16|s32|s64", "d a a:u32")]
        Shf "shf" logic::shf [
            form("^l|r wrap|clamp b32", "d a a a:u32"),
            needs("", "3.1 sm_32")] // Logic and Shift Instructions: shf
        Prmt "prmt" logic::prmt [form("b32 f4e|b4e|rc8|ecl|ecr|rc16?", "d a a a")]
        # Comparison
        Setp "setp" compare::setp [
            form("$compare $bool>p? s16|s32|s64", "q_/p a a"),
            form("$compare|lo|ls|hi|hs $bool>p? u16|u32|u64", "q_/p a a"),
            form("eq|ne $bool>p? b16|b32|b64", "q_/p a a"),
            form("$unordered $bool>p? ftz? f32", "q_/p a a"),
            form("$unordered $bool>p? f64", "q_/p a a"),
            form("$unordered $bool>p? ftz? f16", "q_ a a"),
            form("$unordered $bool>p? ftz? f16x2", "q_/p a a"),
            form("$unordered $bool>p? bf16", "q_ a a"),
            form("$unordered $bool>p? bf16x2", "q_/p a a"),
            needs("f16|f16x2", "4.2 sm_53"), // Half Precision Floating Point Instructions
            needs("bf16|bf16x2", "7.8 sm_90")] // Half Precision: add, sub, mul; Comparison
        Set "set" compare::set [
            form("$compare $bool>p? u32|s32|f32 s16|s32|s64", "d a:1 a:1"),
            form("$compare|lo|ls|hi|hs $bool>p? u32|s32|f32 u16|u32|u64", "d a:1 a:1"),
            form("eq|ne $bool>p? u32|s32|f32 b16|b32|b64", "d a:1 a:1"),
            form("$unordered $bool>p? ftz? u32|s32|f32 f32", "d a:1 a:1"),
            form("$unordered $bool>p? u32|s32|f32 f64", "d a:1 a:1"),
            form("$unordered $bool>p? ftz? f16|u16|s16|u32|s32 f16", "d a:1 a:1"),
            form("$unordered $bool>p? ftz? f16x2|u32|s32 f16x2", "d a:1 a:1"),
            form("$unordered $bool>p? bf16|u16|s16|u32|s32 bf16", "d a:1 a:1"),
            form("$unordered $bool>p? bf16x2|u32|s32 bf16x2", "d a:1 a:1"),
            form("$unordered $bool>p? bf16 f16|f32", "d a:1 a:1"),
            form("$unordered $bool>p? ftz? f16 f32", "d a:1 a:1"),
            form("$unordered $bool>p? f16|bf16 f64", "d a:1 a:1"),
            form("$compare $bool>p? f16|bf16 s16|s32|s64", "d a:1 a:1"),
            form("$compare|lo|ls|hi|hs $bool>p? f16|bf16 u16|u32|u64", "d a:1 a:1"),
            form("eq|ne $bool>p? f16|bf16 b16|b32|b64", "d a:1 a:1"),
            needs("f16|f16x2", "4.2 sm_53"), // Half Precision Floating Point Instructions
            needs("bf16|bf16x2", "7.8 sm_90")] // Half Precision: add, sub, mul; Comparison
        Selp "selp" compare::selp [form("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "d a a p")]
        Slct "slct" compare::slct [
            form("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32", "d a a a:1"),
            form("ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 f32", "d a a a:1")]
        # Conversion
        Cvt "cvt" convert::cvt [
            form("$byte $byte", "D As:1"),
            form("sat u8 u16|u32|u64|s8|s16|s32|s64", "D As:1"),
            form("sat s8 u8|u16|u32|u64|s16|s32|s64", "D As:1"),
            form("sat u16 u32|u64|s8|s16|s32|s64", "D As:1"),
            form("sat s16 u16|u32|u64|s32|s64", "D As:1"),
            form("sat u32 u64|s8|s16|s32|s64", "D As:1"),
            form("sat s32 u32|u64|s64", "D As:1"),
            form("sat u64 s8|s16|s32|s64", "D As:1"),
            form("sat s64 u64", "D As:1"),
            form("$round ftz? sat? f32 $byte", "D A:1"),
            form("$round sat? f16|f64 $byte", "D A:1"),
            form("$round bf16 $int", "D A:1"),
            form("$round bf16 s8|u8", "D a:1"),
            form("$integral ftz? sat? $byte f32", "D A:1"),
            form("$integral sat? $byte f16|f64", "D A:1"),
            form("$integral $int bf16", "D A:1"),
            form("$integral s8|u8 bf16", "d A:1"),
            form("$integral? ftz? sat? f32 f32", "D A:1"),
            form("$integral? sat? f64 f64", "D A:1"),
            form("$integral? sat? f16 f16", "D A:1"),
            form("$integral? bf16 bf16", "D A:1"),
            form("$round ftz? sat? f32 f64", "D A:1"),
            form("ftz? sat? f64 f32", "D A:1"),
            form("$round ftz? sat? f16 f32", "D A:1"),
            form("rn|rz relu? satfinite? f16|bf16 f32", "D A:1"),
            form("$round sat? f16 f64", "D A:1"),
            form("$round bf16 f64", "D A:1"),
            form("$round ftz? bf16 f32", "D A:1"),
            form("ftz? sat? f32 f16", "D A:1"),
            form("ftz? f32 bf16", "D A:1"),
            form("sat? f64 f16", "D A:1"),
            form("f64 bf16", "D A:1"),
            form("$round? f16 bf16", "D A:1"),
            form("$round? bf16 f16", "D A:1"),
            form("rn|rz relu? satfinite? f16x2|bf16x2 f32", "d a:f32 a:f32"),
            form("rs relu? satfinite? f16x2|bf16x2 f32", "d:b32 a:f32 a:f32 a:b32"),
            form("rs ...", "*"),
            form("rna satfinite? tf32 f32", "d:b32 a:f32"),
            form("rn|rz satfinite? relu? tf32 f32", "d:b32 a:f32"),
            form("rn satfinite relu? e4m3x2|e5m2x2 f32", "d:b16 a:f32 a:f32"),
            form("rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d:b16 a:f16x2"),
            form("rn relu? f16x2 e4m3x2|e5m2x2", "d:f16x2 a:b16"),
            form("rn satfinite relu? e2m3x2|e3m2x2 f32", "d:b16 a:f32 a:f32"),
            form("rn satfinite relu? e2m3x2|e3m2x2 f16x2", "d:b16 a:f16x2"),
            form("rn relu? f16x2 e2m3x2|e3m2x2", "d:f16x2 a:b16"),
            form("rn satfinite relu? e2m1x2 f32", "d:b8 a:f32 a:f32"),
            form("rn satfinite relu? e2m1x2 f16x2", "d:b8 a:f16x2"),
            form("rn relu? f16x2 e2m1x2", "d:f16x2 a:b8"),
            form("rz|rp satfinite? ue8m0x2 f32", "d:b16 a:f32 a:f32"),
            form("rz|rp satfinite? ue8m0x2 bf16x2", "d:b16 a:b32"),
            form("rn bf16x2 ue8m0x2", "d:b32 a:b16"),
            form("e2m1x4|e2m3x4|e3m2x4|e4m3x4|e5m2x4|s2f6x2 ...", "*"),
            form("^pack sat u16|s16 s32", "d:u32 a:s32 a:s32"),
            form("^pack sat u8|s8|u4|s4|u2|s2 s32 b32", "d:u32 a:s32 a:s32 a:u32"),
            needs("bf16|bf16x2|f16x2|relu|tf32", "7.0 sm_80"), // Data Movement: cvt
            needs("f32.bf16", "7.1 sm_80"), // Data Movement: cvt
            needs("bf16 u8|u16|u32|u64|s8|s16|s32|s64|f16|f64|bf16.bf16", "7.8 sm_90"), // Data Movement: cvt
            needs("rn.tf32|rz.tf32", "7.8 sm_90"), // Data Movement: cvt
            needs("rn|rz satfinite tf32", "8.6 sm_100"), // Data Movement: cvt
            needs("satfinite", "8.1 sm_70"), // Data Movement: cvt
            needs("e4m3x2|e5m2x2", "8.1 sm_89"), // Data Movement: cvt
            needs("e2m1x2|e2m3x2|e3m2x2|ue8m0x2", "8.6 sm_100a"), // Data Movement: cvt
            needs("e2m1x2.f16x2|e2m3x2.f16x2|e3m2x2.f16x2", "9.1 sm_100a"), // Data Movement: cvt
            needs("rs", "8.7 sm_100a before sm_110"), // Data Movement: cvt
            needs("pack", "6.5 sm_72")] // Data Movement: cvt.pack
    } };
}
