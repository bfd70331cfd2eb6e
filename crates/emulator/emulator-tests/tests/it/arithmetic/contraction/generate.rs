//! Random kernels of sums and products without rounding modifiers.

/// Reproducible random numbers: SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % limit as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// Returns true with a probability of `percent` %.
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Features of random kernels.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name in messages.
    pub name: &'static str,
    /// The type of its arithmetic: `f32` or `f64`.
    pub ty: &'static str,
    /// Number of arithmetic instructions.
    pub length: usize,
    /// Whether most sums add products, so that products have several uses.
    pub dense: bool,
    /// Whether to include rounding modifiers, `.ftz` and constants.
    pub mixed: bool,
    /// Whether guarded stores, fences and branches split the kernel into blocks.
    pub blocks: bool,
}

/// The registers that hold the kernel's inputs.
const READ: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

struct Body<'r> {
    random: &'r mut Random,
    class: Class,
    text: String,
    /// Registers with results, those with products, and those that were read.
    results: Vec<String>,
    products: Vec<String>,
    read: Vec<String>,
    /// Operands of products and sums so far, because ptxas computes equal ones once.
    factors: Vec<[String; 2]>,
    addends: Vec<[String; 2]>,
    stores: usize,
    /// Number of predicates; each is tested once, because ptxas merges blocks under the same condition.
    predicates: usize,
}

/// Writes a random entry of a class.
pub fn entry(name: &str, class: Class, random: &mut Random) -> String {
    let (results, products, read) = (Vec::new(), Vec::new(), Vec::new());
    let mut body = Body {
        random,
        class,
        text: String::new(),
        results,
        products,
        read,
        factors: Vec::new(),
        addends: Vec::new(),
        stores: 0,
        predicates: 0,
    };
    for i in 0..class.length {
        if class.blocks && body.random.percent(25) {
            body.boundary();
        }
        body.arithmetic(&format!("t{i}"));
    }
    body.stores();
    let (ty, bytes) = (class.ty, if class.ty == "f64" { 8 } else { 4 });
    let loads: String = (READ.iter().enumerate())
        .map(|(i, r)| format!("ld.global.{ty} {r}, [%in+{}];\n", i * bytes))
        .collect();
    format!(
        ".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 n)\n{{\n\
         .reg .{ty} {}; .reg .{ty} t<{}>; .reg .b64 %in, %out; .reg .b32 %n; .reg .pred %p<{}>;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];\n\
         {loads}{}ret;\n}}\n",
        READ.join(", "),
        class.length,
        body.predicates + 1,
        body.text
    )
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str(";\n");
    }

    /// Picks an operand, mostly a recent result.
    fn operand(&mut self) -> String {
        let recent = self.results.len().saturating_sub(5);
        if self.results.len() > recent && self.random.percent(70) {
            let at = recent + self.random.below(self.results.len() - recent);
            self.read.push(self.results[at].clone());
            return self.results[at].clone();
        }
        self.random.pick(&READ).to_owned()
    }

    /// Picks an operand of a sum, mostly a product.
    fn addend(&mut self) -> String {
        if self.products.is_empty() || !self.random.percent(if self.class.dense { 75 } else { 50 })
        {
            return self.operand();
        }
        let recent = self.products.len().saturating_sub(4);
        let at = recent + self.random.below(self.products.len() - recent);
        self.read.push(self.products[at].clone());
        self.products[at].clone()
    }

    fn arithmetic(&mut self, to: &str) {
        let ty = self.class.ty;
        let kind = self.random.below(100);
        let ftz =
            if self.class.mixed && ty == "f32" && self.random.percent(25) { ".ftz" } else { "" };
        if kind < 42 {
            let constant = self.class.mixed && self.random.percent(15);
            let first =
                if self.class.dense { self.random.pick(&READ).to_owned() } else { self.operand() };
            let second = match constant {
                true => self.random.pick(&["1.75", "2.5", "3.0", "-0.3"]).to_owned(),
                false => self.random.pick(&READ).to_owned(),
            };
            let mut factors = [first.clone(), second.clone()];
            factors.sort();
            if !self.factors.contains(&factors) {
                self.factors.push(factors);
                let round = if self.class.mixed && self.random.percent(15) { ".rn" } else { "" };
                self.line(&format!("mul{round}{ftz}.{ty} {to}, {first}, {second}"));
                self.products.push(to.to_owned());
                return self.results.push(to.to_owned());
            }
        }
        let (first, second) = loop {
            let (first, second) = (self.addend(), self.addend());
            let mut addends = [first.clone(), second.clone()];
            addends.sort();
            if !self.addends.contains(&addends) {
                self.addends.push(addends);
                break (first, second);
            }
        };
        let name = if self.random.percent(35) { "sub" } else { "add" };
        match self.random.below(100) {
            0..8 if self.class.mixed => self.line(&format!("neg.{ty} {to}, {first}")),
            8..14 if self.class.mixed => self.line(&format!("mov.{ty} {to}, {first}")),
            14..24 if self.class.mixed => {
                let third = self.operand();
                self.line(&format!("fma.rn{ftz}.{ty} {to}, {first}, {second}, {third}"));
            }
            24..32 if self.class.mixed => {
                self.line(&format!("{name}.rn{ftz}.{ty} {to}, {first}, {second}"));
            }
            _ => self.line(&format!("{name}{ftz}.{ty} {to}, {first}, {second}")),
        }
        self.results.push(to.to_owned());
    }

    /// Writes an instruction at which ptxas starts a new block.
    fn boundary(&mut self) {
        let store = format!("st.volatile.global.{} [%out+1024], a", self.class.ty);
        let predicate = format!("%p{}", self.predicates);
        let chosen = self.random.below(4);
        if chosen == 0 || chosen == 2 {
            self.line(&format!("setp.gt.s32 {predicate}, %n, {}", 2 + self.predicates));
            self.predicates += 1;
        }
        match chosen {
            0 => self.line(&format!("@{predicate} {store}")),
            1 => self.line("membar.gl"),
            2 => {
                let label = format!("L{}", self.text.len());
                self.line(&format!("@{predicate} bra {label}"));
                self.line(&store);
                self.text.push_str(&format!("{label}:\n"));
            }
            _ => self.line(&store),
        }
    }

    /// Stores all results that nothing reads, and a few others.
    fn stores(&mut self) {
        let bytes = if self.class.ty == "f64" { 8 } else { 4 };
        for result in std::mem::take(&mut self.results) {
            if !self.read.contains(&result) || self.random.percent(6) {
                let at = self.stores * bytes;
                self.line(&format!("st.global.{} [%out+{at}], {result}", self.class.ty));
                self.stores += 1;
            }
        }
    }
}
