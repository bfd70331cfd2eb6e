//! Classes of PTX instructions, and their floating-point operations.

/// The class of an instruction by its PTX name, such as `ld.global.f32`.
pub fn class(name: &str) -> &'static str {
    let opcode = name.split('.').next().unwrap_or_default();
    let has = |part: &str| name.split('.').skip(1).any(|found| found == part);
    match opcode {
        "ld" | "ldu" if has("param") || has("const") => "parameters",
        "ld" | "ldu" | "ldmatrix" | "st" | "stmatrix" | "prefetch" | "prefetchu" => {
            if has("shared") || opcode.ends_with("matrix") {
                "shared memory"
            } else if has("local") {
                "local memory"
            } else {
                "global memory"
            }
        }
        "atom" | "red" => "atomics",
        "cp" | "mbarrier" | "griddepcontrol" => "asynchronous",
        "bar" | "barrier" | "membar" | "fence" => "barriers",
        "bra" | "brx" | "call" | "ret" | "exit" | "trap" => "control",
        "mma" | "wmma" | "wgmma" | "tcgen05" => "matrix",
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => "warp",
        "cvt" | "cvta" => "conversions",
        "mov" | "selp" | "prmt" | "slct" | "isspacep" => "moves",
        "set" | "setp" | "testp" => "comparisons",
        "sin" | "cos" | "ex2" | "lg2" | "tanh" | "rsqrt" | "rcp" | "sqrt" | "div"
            if float_bits(name).is_some() =>
        {
            "special functions"
        }
        _ => match float_bits(name) {
            Some(64) => "fp64",
            Some(32) => "fp32",
            Some(_) => "fp16",
            None => "integers",
        },
    }
}

/// The width of the floats that an instruction computes with.
fn float_bits(name: &str) -> Option<u32> {
    name.split('.').skip(1).find_map(|part| match part {
        "f64" => Some(64),
        "f32" | "f32x2" => Some(32),
        "f16" | "f16x2" | "bf16" | "bf16x2" => Some(16),
        _ => None,
    })
}

/// Floating-point operations of one lane; a fused multiply-add counts as two.
fn of_lane(name: &str) -> u64 {
    if float_bits(name).is_none() {
        return 0;
    }
    let packed = if name.contains("x2") { 2 } else { 1 };
    match name.split('.').next().unwrap_or_default() {
        "fma" | "mad" => 2 * packed,
        "add" | "sub" | "mul" | "div" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "ex2"
        | "lg2" | "tanh" => packed,
        _ => 0,
    }
}

/// Floating-point operations of a matrix product by one warp.
fn of_product(name: &str) -> u64 {
    let opcode = name.split('.').next().unwrap_or_default();
    let product = matches!(opcode, "mma" | "wgmma") || name.starts_with("wmma.mma");
    let float = ["f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2"];
    if !product || !name.split('.').any(|part| float.contains(&part)) {
        return 0;
    }
    let shape = name.split('.').find_map(|part| {
        let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(m.parse::<u64>().ok()? * n.parse::<u64>().ok()? * k.parse::<u64>().ok()?)
    });
    // Four warps share a warpgroup's product.
    shape.map_or(0, |mnk| 2 * mnk / if opcode == "wgmma" { 4 } else { 1 })
}

/// Floating-point operations of an instruction, by the number of its executions by warps and lanes.
pub fn flops(name: &str, warps: u64, lanes: u64) -> u64 {
    of_lane(name) * lanes + of_product(name) * warps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_classes() {
        for (name, expected) in [
            ("ld.global.nc.f32", "global memory"),
            ("ld.param.u64", "parameters"),
            ("ld.f32", "global memory"),
            ("st.shared.v4.f32", "shared memory"),
            ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "shared memory"),
            ("fma.rn.f32", "fp32"),
            ("add.f64", "fp64"),
            ("add.s32", "integers"),
            ("setp.lt.f32", "comparisons"),
            ("sqrt.rn.f32", "special functions"),
            ("div.u32", "integers"),
            ("red.global.add.u32", "atomics"),
            ("cp.async.ca.shared.global", "asynchronous"),
            ("bar.sync", "barriers"),
        ] {
            assert_eq!(class(name), expected, "{name}");
        }
    }

    #[test]
    fn operations_are_counted_by_lane_and_by_warp() {
        assert_eq!(flops("fma.rn.f32", 2, 50), 100);
        assert_eq!(flops("fma.rn.f16x2", 1, 32), 128);
        assert_eq!(flops("add.s32", 1, 32), 0);
        assert_eq!(flops("setp.lt.f32", 1, 32), 0);
        let product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
        assert_eq!(flops(product, 3, 96), 3 * 2 * 16 * 8 * 16);
        assert_eq!(flops("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 1, 32), 0);
        let group = "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16";
        assert_eq!(flops(group, 4, 128), 2 * 64 * 128 * 16);
    }
}
