//! Rust names as PTX identifiers.

/// The name as a valid PTX identifier.
pub(crate) fn identifier(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let reserved = RESERVED.binary_search(&name.as_str()).is_ok();
    if reserved || name.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        format!("k_{name}")
    } else {
        name
    }
}

/// Reserved words of PTX, sorted.
const RESERVED: [&str; 71] = [
    "abs",
    "activemask",
    "add",
    "and",
    "atom",
    "bar",
    "bfe",
    "bfi",
    "bra",
    "brev",
    "brkpt",
    "call",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cp",
    "cvt",
    "cvta",
    "discard",
    "div",
    "ex2",
    "exit",
    "fence",
    "fma",
    "fns",
    "isspacep",
    "istypep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "mapa",
    "match",
    "max",
    "mbarrier",
    "membar",
    "min",
    "mma",
    "mov",
    "mul",
    "mul24",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prmt",
    "rcp",
    "red",
    "redux",
    "rem",
    "ret",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "sqrt",
    "st",
    "sub",
];
