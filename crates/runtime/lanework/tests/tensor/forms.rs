//! Kernels with one tensor-core instruction each: a block reads the raw registers (and, for `wgmma`, the
//! raw shared memory) of one product and writes the raw registers of its result.

use crate::numbers::{Number, Random};

/// Words that one block reads, in order.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// A number of elements in each lane's registers.
    Registers(Number, usize),
    /// A number of bytes of shared memory, filled with elements.
    Shared(Number, usize),
    /// One word of sparsity metadata per lane, for elements of a type.
    Metadata(Number),
    /// One word per lane: 64 tiles contain every 16-bit pattern in the lower half, and in reverse order in the
    /// upper half.
    Every,
    /// A number of f32 values per lane that are close to rounding boundaries of narrower types.
    Halfway(usize),
}

/// A kernel of one instruction.
pub struct Form {
    pub name: String,
    pub ptx: String,
    pub threads: u32,
    pub inputs: Vec<Input>,
    /// Words that each lane writes.
    pub out: usize,
    /// Whether the arithmetic rounds. Such forms run more tiles.
    pub rounds: bool,
}

impl Input {
    fn words(self, threads: usize) -> usize {
        match self {
            Input::Registers(number, count) => threads * (count * number.bits()).div_ceil(32),
            Input::Shared(_, bytes) => bytes / 4,
            Input::Metadata(_) | Input::Every => threads,
            Input::Halfway(count) => threads * count,
        }
    }
}

impl Form {
    /// Words that one block reads.
    pub fn in_words(&self) -> usize {
        self.inputs.iter().map(|input| input.words(self.threads as usize)).sum()
    }

    /// Words that one block writes.
    pub fn out_words(&self) -> usize {
        self.out * self.threads as usize
    }

    /// Number of tiles: all draws of factors and accumulators if results are rounded, and every 16-bit
    /// pattern of a conversion.
    pub fn tiles(&self) -> usize {
        match (self.threads, self.rounds && self.out_words() <= 1024) {
            (1024, _) => 64,
            (_, true) => 36,
            _ => 2,
        }
    }

    /// The input of tile `tile`.
    pub fn operands(&self, tile: usize) -> Vec<u32> {
        let draws = crate::numbers::DRAWS;
        let (factors, accumulator) = (draws[tile % 6], draws[tile / 6 % 6]);
        let seed = self
            .name
            .bytes()
            .fold(tile as u64 + 1, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
        let mut random = Random::new(seed);
        let mut words = Vec::new();
        for (i, input) in self.inputs.iter().enumerate() {
            let draw = if i == 2 { accumulator } else { factors };
            let count = input.words(self.threads as usize);
            match *input {
                Input::Registers(number, _) | Input::Shared(number, _) => {
                    words.extend(random.words(number, draw, count));
                }
                Input::Every => words.extend((0..1024).map(|lane| {
                    let bits = (tile * 1024 + lane) as u32 & 0xffff;
                    bits | (!bits & 0xffff) << 16
                })),
                Input::Halfway(_) => words.extend((0..count).map(|_| random.halfway())),
                Input::Metadata(number) => words.extend((0..count).map(|_| {
                    let pairs: &[u32] = match number {
                        Number::Tf32 => &[0b1110, 0b0100],
                        _ => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
                    };
                    (0..8).fold(0, |word, i| {
                        word | pairs[random.below(pairs.len() as u64) as usize] << (4 * i)
                    })
                })),
            }
        }
        words
    }
}

fn prefix(number: Number) -> &'static str {
    match number {
        Number::F32 => "%f",
        Number::F64 => "%d",
        _ => "%r",
    }
}

fn list(number: Number, first: usize, count: usize) -> String {
    let names: Vec<String> =
        (first..first + count).map(|i| format!("{}{i}", prefix(number))).collect();
    format!("{{{}}}", names.join(","))
}

/// Registers that hold `count` elements.
pub fn registers(number: Number, count: usize) -> usize {
    match number {
        Number::F64 => count,
        _ => (count * number.bits()).div_ceil(32),
    }
}

fn head(shared: usize, in_bytes: usize, out_bytes: usize) -> String {
    let shared = if shared > 0 {
        format!(".shared .align 1024 .b8 tile[{shared}];\n")
    } else {
        String::new()
    };
    format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\
        .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
        .reg .pred %p<4>; .reg .b32 %r<400>; .reg .b64 %rd<40>; .reg .f32 %f<400>; .reg .f64 %d<80>;\n\
        {shared}\
        ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n\
        cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n\
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n\
        mad.wide.u32 %rd1, %r2, {in_bytes}, %rd1; mad.wide.u32 %rd2, %r2, {out_bytes}, %rd2;\n"
    )
}

/// Loads or stores each lane's registers. A lane's words are adjacent, from byte `at` on.
fn move_registers(store: bool, number: Number, first: usize, count: usize, at: usize) -> String {
    let size = if number == Number::F64 { 8 } else { 4 };
    let ty = match number {
        Number::F32 => "f32",
        Number::F64 => "f64",
        _ => "b32",
    };
    let base = if store { "%rd2" } else { "%rd1" };
    let mut text = format!("mad.wide.u32 %rd3, %r1, {}, {base};\n", size * count);
    for i in 0..count {
        let (name, place) = (format!("{}{}", prefix(number), first + i), at + i * size);
        text += &match store {
            true => format!("st.global.{ty} [%rd3+{place}], {name};\n"),
            false => format!("ld.global.{ty} {name}, [%rd3+{place}];\n"),
        };
    }
    text
}

/// A warp's `mma`: the types of D, A, B, C and the elements per lane of A, B, C.
fn warp_form(
    name: &str,
    [d, a, b, c]: [Number; 4],
    [of_a, of_b, of_c]: [usize; 3],
    metadata: Option<u32>,
) -> Form {
    let mut inputs =
        vec![Input::Registers(a, of_a), Input::Registers(b, of_b), Input::Registers(c, of_c)];
    if metadata.is_some() {
        inputs.push(Input::Metadata(a));
    }
    let result = registers(d, of_c);
    let out = result * if d == Number::F64 { 2 } else { 1 };
    let mut form = Form {
        name: name.to_owned(),
        ptx: String::new(),
        threads: 32,
        inputs,
        out,
        rounds: matches!(c, Number::F16 | Number::F32 | Number::F64),
    };
    let mut text = head(0, form.in_words() * 4, form.out_words() * 4);
    let mut at = 0;
    let mut operands = vec![list(d, 70, result)];
    for (i, input) in form.inputs.iter().enumerate() {
        let first = 10 + 15 * i;
        match *input {
            Input::Registers(number, count) => {
                let count = registers(number, count);
                text += &move_registers(false, number, first, count, at);
                operands.push(list(number, first, count));
            }
            _ => {
                text += &move_registers(false, Number::S32, 60, 1, at);
                operands.push(format!("%r60, {}", metadata.unwrap_or(0)));
            }
        }
        at += input.words(32) * 4;
    }
    text += &format!("{name} {};\n", operands.join(", "));
    text += &move_registers(true, d, 70, result, 0);
    form.ptx = text + "ret;\n}\n";
    form
}

fn shape((m, n, k): (usize, usize, usize)) -> String {
    format!("m{m}n{n}k{k}")
}

/// Every `mma` of a warp with dense operands.
pub fn dense() -> Vec<Form> {
    use Number::*;
    let mut forms = Vec::new();
    let mut add = |mnk: (usize, usize, usize), types: [Number; 4], more: &str, tail: &str| {
        let [d, a, b, c] = types.map(Number::name);
        let layout = if more.contains("row") || more.contains("col") { "" } else { ".row.col" };
        let name = format!("mma.sync.aligned.{}{layout}{more}.{d}.{a}.{b}.{c}{tail}", shape(mnk));
        let (m, n, k) = mnk;
        // m8n8k4 of halves is four products, one per quad pair.
        let each = if mnk == (8, 8, 4) && types[1] == F16 { 8 } else { 32 };
        forms.push(warp_form(&name, types, [m * k / each, k * n / each, m * n / each], None));
    };
    for k in [8, 16] {
        add((16, 8, k), [F32, F16, F16, F32], "", "");
        add((16, 8, k), [F16, F16, F16, F16], "", "");
        add((16, 8, k), [F32, Bf16, Bf16, F32], "", "");
        add((16, 8, k / 2), [F32, Tf32, Tf32, F32], "", "");
    }
    for (a, b) in [(E4m3, E4m3), (E4m3, E5m2), (E5m2, E4m3), (E5m2, E5m2)] {
        for k in [16, 32] {
            add((16, 8, k), [F32, a, b, F32], "", "");
            add((16, 8, k), [F16, a, b, F16], "", "");
        }
    }
    for mnk in [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)] {
        add(mnk, [F64, F64, F64, F64], "", "");
    }
    for layout in [".row.col", ".col.row", ".row.row", ".col.col"] {
        add((8, 8, 4), [F32, F16, F16, F32], layout, "");
        add((8, 8, 4), [F16, F16, F16, F16], layout, "");
    }
    add((8, 8, 4), [F32, F16, F16, F16], "", "");
    for (a, b) in [(S8, S8), (U8, U8), (S8, U8), (U8, S8)] {
        for mnk in [(8, 8, 16), (16, 8, 16), (16, 8, 32)] {
            add(mnk, [S32, a, b, S32], "", "");
            add(mnk, [S32, a, b, S32], ".satfinite", "");
        }
    }
    for (a, b) in [(S4, S4), (U4, U4), (S4, U4), (U4, S4)] {
        for mnk in [(8, 8, 32), (16, 8, 32), (16, 8, 64)] {
            add(mnk, [S32, a, b, S32], "", "");
        }
    }
    for mnk in [(8, 8, 128), (16, 8, 128), (16, 8, 256)] {
        add(mnk, [S32, B1, B1, S32], "", ".xor.popc");
        add(mnk, [S32, B1, B1, S32], "", ".and.popc");
    }
    forms
}

/// `mma.sp`: half the columns of A are stored.
pub fn sparse() -> Vec<Form> {
    use Number::*;
    let mut forms = Vec::new();
    let mut add = |ordered: bool, k: usize, types: [Number; 4], selector: u32| {
        let [d, a, b, c] = types.map(Number::name);
        let sp = if ordered { "sp::ordered_metadata" } else { "sp" };
        let name = format!("mma.{sp}.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{b}.{c}");
        let mut form = warp_form(&name, types, [16 * k / 64, k * 8 / 32, 4], Some(selector));
        form.name += &format!(" selector {selector}");
        forms.push(form);
    };
    for ordered in [false, true] {
        for (k, selectors) in [(16, 4), (32, 2)] {
            for selector in 0..selectors {
                add(ordered, k, [F32, F16, F16, F32], selector);
            }
            add(ordered, k, [F16, F16, F16, F16], 1);
            add(ordered, k, [F32, Bf16, Bf16, F32], 1);
            add(ordered, k, [F32, Bf16, Bf16, F32], 0);
        }
        for (k, selectors) in [(8, 4), (16, 2)] {
            for selector in 0..selectors {
                add(ordered, k, [F32, Tf32, Tf32, F32], selector);
            }
        }
        for selector in 0..2 {
            add(ordered, 32, [S32, S8, U8, S32], selector);
        }
        add(ordered, 64, [S32, S8, S8, S32], 0);
        for selector in 0..2 {
            add(ordered, 64, [S32, S4, U4, S32], selector);
        }
        add(ordered, 128, [S32, U4, S4, S32], 0);
        add(ordered, 64, [F32, E4m3, E5m2, F32], 0);
    }
    forms
}

/// The layout of a matrix in shared memory, and its descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Bytes of a swizzled row: 16 (none), 32, 64 or 128.
    pub swizzle: usize,
    /// Whether M or N, not K, is contiguous.
    pub transposed: bool,
    pub start: usize,
    pub leading: usize,
    pub stride: usize,
    pub base: usize,
    /// Bytes of the matrix's region in shared memory.
    pub bytes: usize,
}

impl Place {
    /// The default layout of `rows` rows of M or N.
    pub fn usual(swizzle: usize, transposed: bool, rows: usize) -> Place {
        let (leading, stride, bytes) = match (transposed, swizzle) {
            // Groups of eight rows are consecutive; the second half of K comes after a gap.
            (false, 16) => (128 * rows / 8 + 256, 128, 2 * (128 * rows / 8 + 256)),
            (false, _) => (16, 8 * swizzle, swizzle * rows),
            (true, 16) => (128, 256 + 128, (256 + 128) * rows / 8),
            (true, _) => (16 * swizzle, 8 * swizzle, 16 * swizzle * (2 * rows).div_ceil(swizzle)),
        };
        let bytes = (bytes + 1024).next_multiple_of(1024);
        Place { swizzle, transposed, start: 0, leading, stride, base: 0, bytes }
    }

    /// The descriptor without the start address.
    fn bits(self) -> u64 {
        let mode = match self.swizzle {
            128 => 1,
            64 => 2,
            32 => 3,
            _ => 0u64,
        };
        (self.leading as u64 >> 4) << 16
            | (self.stride as u64 >> 4) << 32
            | (self.base as u64) << 49
            | mode << 62
    }
}

/// A product of a warpgroup.
pub struct Group {
    pub n: usize,
    pub types: [Number; 3],
    /// `None`: A is in registers.
    pub a: Option<Place>,
    pub b: Place,
    /// Whether to add the accumulator, and the signs of A and B.
    pub scale: (bool, i32, i32),
    pub tail: &'static str,
    pub sparse: Option<u32>,
}

impl Group {
    pub fn new(n: usize, types: [Number; 3], a: Option<Place>, b: Place) -> Group {
        Group { n, types, a, b, scale: (true, 1, 1), tail: "", sparse: None }
    }

    fn k(&self) -> usize {
        256 / self.types[1].bits() * if self.sparse.is_some() { 2 } else { 1 }
    }

    pub fn form(&self) -> Form {
        use Number::*;
        let [d, a, b] = self.types;
        let (n, k) = (self.n, self.k());
        let sp = if self.sparse.is_some() { ".sp" } else { "" };
        let name = format!(
            "wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{}.{}.{}{}",
            d.name(),
            a.name(),
            b.name(),
            self.tail
        );
        let of_a = match self.a {
            Some(place) => Input::Shared(a, place.bytes),
            None => Input::Registers(a, 64 * 256 / a.bits() / 128),
        };
        let mut inputs =
            vec![of_a, Input::Shared(b, self.b.bytes), Input::Registers(d, 64 * n / 128)];
        if self.sparse.is_some() {
            inputs.push(Input::Metadata(a));
        }
        let result = registers(d, 64 * n / 128);
        let mut form = Form {
            name: format!("{name} {:?} {:?} {:?} {:?}", self.a, self.b, self.scale, self.sparse),
            ptx: String::new(),
            threads: 128,
            inputs,
            out: result,
            rounds: matches!(d, F16 | F32),
        };
        let in_shared = self.a.map_or(0, |place| place.bytes);
        let shared = in_shared + self.b.bytes;
        let mut text = head(shared, form.in_words() * 4, form.out_words() * 4);
        let mut at = 0;
        let mut to = 0;
        for (i, input) in form.inputs.iter().enumerate() {
            match *input {
                Input::Registers(number, count) => {
                    let first = if i == 0 { 10 } else { 70 };
                    text += &move_registers(false, number, first, registers(number, count), at);
                }
                Input::Metadata(_) => text += &move_registers(false, S32, 60, 1, at),
                Input::Every | Input::Halfway(_) => {}
                Input::Shared(_, bytes) => {
                    text += &format!(
                        "mul.lo.u32 %r30, %r1, 4; mov.u32 %r32, tile;\n\
                        loop{i}: cvt.u64.u32 %rd4, %r30; add.s64 %rd5, %rd1, %rd4;\n\
                        ld.global.u32 %r33, [%rd5+{at}]; add.u32 %r34, %r32, %r30;\n\
                        st.shared.u32 [%r34+{to}], %r33; add.u32 %r30, %r30, 512;\n\
                        setp.lt.u32 %p1, %r30, {bytes}; @%p1 bra loop{i};\n"
                    );
                    to += bytes;
                }
            }
            at += input.words(128) * 4;
        }
        text += "fence.proxy.async.shared::cta; bar.sync 0;\n";
        let mut describe = |register: usize, place: Place, from: usize| {
            text += &format!(
                "mov.u32 %r32, tile; add.u32 %r32, %r32, {}; shr.u32 %r32, %r32, 4;\n\
                and.b32 %r32, %r32, 0x3fff; cvt.u64.u32 %rd4, %r32; or.b64 %rd{register}, %rd4, {:#x};\n",
                from + place.start,
                place.bits()
            );
        };
        if let Some(place) = self.a {
            describe(10, place, 0);
        }
        describe(11, self.b, in_shared);
        let from = match self.a {
            Some(_) => "%rd10".to_owned(),
            None => list(S32, 10, 4),
        };
        let (keep, sign_a, sign_b) = self.scale;
        let mut more = String::new();
        if let Some(selector) = self.sparse {
            more += &format!(", %r60, {selector}");
        }
        more += ", %p2";
        if matches!(d, F16 | F32) {
            more += &format!(", {sign_a}, {sign_b}");
        }
        if a.bits() == 16 {
            if let Some(place) = self.a {
                more += if place.transposed { ", 1" } else { ", 0" };
            }
            more += if self.b.transposed { ", 1" } else { ", 0" };
        }
        text += &format!(
            "setp.eq.u32 %p2, %r1, {};\n\
            wgmma.fence.sync.aligned;\n{name} {}, {from}, %rd11{more};\n\
            wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
            if keep { "%r1" } else { "0xffff" },
            list(d, 70, result)
        );
        text += &move_registers(true, d, 70, result, 0);
        form.ptx = text + "ret;\n}\n";
        form
    }
}

/// Products of a warpgroup: all types, shapes, layouts and signs.
pub fn groups() -> Vec<Form> {
    use Number::*;
    let usual = Place::usual;
    let types = [
        [F32, F16, F16],
        [F16, F16, F16],
        [F32, Bf16, Bf16],
        [F32, Tf32, Tf32],
        [F32, E4m3, E4m3],
        [F32, E4m3, E5m2],
        [F32, E5m2, E4m3],
        [F32, E5m2, E5m2],
        [F16, E4m3, E4m3],
        [F16, E5m2, E5m2],
        [S32, S8, S8],
        [S32, U8, S8],
        [S32, B1, B1],
    ];
    let mut groups = Vec::new();
    for ty in types {
        let tail = if ty[1] == B1 { ".and.popc" } else { "" };
        for a in [None, Some(usual(128, false, 64))] {
            groups.push(Group { tail, ..Group::new(8, ty, a, usual(128, false, 8)) });
        }
    }
    groups.push(Group {
        scale: (false, 1, 1),
        ..Group::new(16, [F32, F16, F16], None, usual(64, false, 16))
    });
    groups.push(Group {
        scale: (true, -1, 1),
        ..Group::new(16, [F32, F16, F16], None, usual(64, false, 16))
    });
    groups.push(Group {
        scale: (true, -1, -1),
        ..Group::new(16, [F32, F16, F16], Some(usual(32, false, 64)), usual(64, false, 16))
    });
    groups.push(Group {
        scale: (false, 1, -1),
        ..Group::new(16, [F16, F16, F16], Some(usual(32, false, 64)), usual(32, false, 16))
    });
    groups.iter().map(Group::form).collect()
}

/// The layouts of matrices.
pub fn places() -> Vec<Form> {
    use Number::*;
    let usual = Place::usual;
    let bf16 = [F32, Bf16, Bf16];
    let mut groups = Vec::new();
    for a in [16, 32, 64, 128] {
        for b in [16, 32, 64, 128] {
            for (ta, tb) in [(false, false), (false, true), (true, false), (true, true)] {
                if a == b || (ta != tb && a + b == 144) {
                    groups.push(Group::new(72, bf16, Some(usual(a, ta, 64)), usual(b, tb, 72)));
                }
            }
        }
    }
    for swizzle in [16, 32, 64, 128] {
        for transposed in [false, true] {
            groups.push(Group::new(256, bf16, None, usual(swizzle, transposed, 256)));
        }
        groups.push(Group::new(
            136,
            [F32, Tf32, Tf32],
            Some(usual(swizzle, false, 64)),
            usual(swizzle, false, 136),
        ));
        groups.push(Group::new(
            96,
            [S32, S8, U8],
            Some(usual(swizzle, false, 64)),
            usual(swizzle, false, 96),
        ));
    }
    // Products at an offset along K within the swizzled rows, and with starts that are not aligned to
    // the swizzle, with and without a base offset.
    for (swizzle, start, base) in [
        (128, 32, 0),
        (128, 64, 0),
        (128, 96, 0),
        (64, 32, 0),
        (128, 128, 1),
        (128, 128, 0),
        (128, 640, 5),
        (128, 640, 0),
        (128, 640, 2),
        (64, 128, 1),
        (64, 128, 0),
        (64, 384, 3),
        (32, 128, 1),
        (32, 128, 0),
    ] {
        let b = usual(swizzle, false, 24);
        groups.push(Group::new(24, bf16, None, Place { start, base, ..b }));
    }
    for (swizzle, start, base) in [(128, 256, 2), (128, 256, 0), (64, 256, 2)] {
        let b = usual(swizzle, true, 64);
        groups.push(Group::new(64, bf16, None, Place { start, base, ..b }));
    }
    // Unusual strides.
    let b = usual(128, false, 40);
    groups.push(Group::new(40, bf16, None, Place { stride: 1040, bytes: 8192, ..b }));
    groups.push(Group::new(40, bf16, None, Place { stride: 1024 + 256, bytes: 8192, ..b }));
    groups.push(Group::new(40, bf16, None, Place { leading: 2048, bytes: 8192, ..b }));
    groups.iter().map(Group::form).collect()
}

/// `wgmma` with sparse A.
pub fn sparse_groups() -> Vec<Form> {
    use Number::*;
    let usual = Place::usual;
    let mut groups = Vec::new();
    for (types, selectors) in [
        ([F32, F16, F16], 2),
        ([F16, F16, F16], 1),
        ([F32, Bf16, Bf16], 2),
        ([F32, Tf32, Tf32], 2),
        ([F32, E4m3, E5m2], 1),
        ([S32, S8, S8], 1),
    ] {
        for selector in 0..selectors {
            for a in [None, Some(usual(64, false, 64))] {
                let b = Place { bytes: 4096, ..usual(128, false, 8) };
                groups.push(Group { sparse: Some(selector), ..Group::new(8, types, a, b) });
            }
        }
    }
    for swizzle in [16, 32, 64, 128] {
        for transposed in [false, true] {
            let b = usual(swizzle, transposed, 24);
            let b = Place { bytes: 8192.max(2 * b.bytes), ..b };
            groups.push(Group {
                sparse: Some(0),
                ..Group::new(24, [F32, F16, F16], Some(usual(32, false, 64)), b)
            });
        }
    }
    groups.iter().map(Group::form).collect()
}

/// A conversion of each lane's words: `text` computes `%r70` from `%r10` (or `%f10`, `%f11`).
fn lane_form(name: String, input: Input, text: &str) -> Form {
    let mut form = Form {
        name,
        ptx: String::new(),
        threads: 1024,
        inputs: vec![input],
        out: 1,
        rounds: false,
    };
    let mut body = head(0, form.in_words() * 4, form.out_words() * 4);
    body += &match input {
        Input::Every => move_registers(false, Number::S32, 10, 1, 0),
        _ => move_registers(false, Number::F32, 10, 2, 0),
    };
    body += &format!(".reg .b16 %h<8>; mov.b32 %r70, 0;\n{text}\n");
    body += &move_registers(true, Number::S32, 70, 1, 0);
    form.ptx = body + "ret;\n}\n";
    form
}

/// Conversions from and to the narrow types.
pub fn conversions() -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |input: Input, name: String, operands: &str| {
        let text = match operands {
            "h, r" => format!("{name} %h1, %r10; cvt.u32.u16 %r70, %h1;"),
            "r, h" => format!("cvt.u16.u32 %h1, %r10; {name} %r70, %h1;"),
            "h, f, f" => format!("{name} %h1, %f10, %f11; cvt.u32.u16 %r70, %h1;"),
            "r, f, f" => format!("{name} %r70, %f10, %f11;"),
            "h, f" => format!("{name} %h1, %f10; cvt.u32.u16 %r70, %h1;"),
            _ => format!("{name} %r70, %f10;"),
        };
        forms.push(lane_form(name, input, &text));
    };
    for relu in ["", ".relu"] {
        for to in ["e4m3x2", "e5m2x2"] {
            add(Input::Every, format!("cvt.rn.satfinite{relu}.{to}.f16x2"), "h, r");
            add(Input::Every, format!("cvt.rn{relu}.f16x2.{to}"), "r, h");
            add(Input::Halfway(2), format!("cvt.rn.satfinite{relu}.{to}.f32"), "h, f, f");
        }
        for finite in ["", ".satfinite"] {
            for round in ["rn", "rz"] {
                for to in ["bf16", "f16"] {
                    let more = format!("{relu}{finite}");
                    add(Input::Halfway(2), format!("cvt.{round}{more}.{to}x2.f32"), "r, f, f");
                    add(Input::Halfway(2), format!("cvt.{round}{more}.{to}.f32"), "h, f");
                }
                // `.satfinite` with these needs sm_100.
                if finite.is_empty() {
                    add(Input::Halfway(2), format!("cvt.{round}{relu}.tf32.f32"), "r, f");
                }
            }
            if relu.is_empty() {
                add(Input::Halfway(2), format!("cvt.rna{finite}.tf32.f32"), "r, f");
            }
        }
    }
    forms
}

/// Every form.
pub fn all() -> Vec<Form> {
    let all = [dense(), sparse(), groups(), places(), sparse_groups(), conversions()];
    all.into_iter().flatten().collect()
}
