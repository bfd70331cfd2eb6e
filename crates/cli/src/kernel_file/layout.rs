//! The types of a CUDA C++ source: elements of arrays, and the layouts of structs that kernels take by value or by address. A struct
//! that is not plain (bases, bit fields, templates, conditional members) has no layout.

use lanework_lab::ElementType;

/// The most scalars of a struct whose layout is read.
const MOST: usize = 256;

/// Nested structs are read to this depth.
const DEEPEST: u32 = 8;

/// The layout of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct StructLayout {
    /// Its scalars in order; those of arrays, vectors and nested structs, one by one.
    pub fields: Vec<StructField>,
    /// Its size in bytes.
    pub bytes: u64,
    align: u64,
}

/// A scalar of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct StructField {
    /// Bytes from the start of the struct.
    pub at: u64,
    /// Its contents.
    pub holds: Holds,
}

/// The contents of a scalar of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holds {
    /// A number.
    Number(ElementType),
    /// An address: the type of the elements there, if known, and whether they are `const`.
    Address(Option<ElementType>, bool),
}

impl Holds {
    fn bytes(self) -> u64 {
        match self {
            Holds::Number(element) => element.bytes as u64,
            Holds::Address(..) => 8,
        }
    }
}

impl StructLayout {
    /// The layout of the struct with this name, if the source defines it once and plainly.
    pub fn of(source: &str, name: &str) -> Option<StructLayout> {
        Structs { source, tokens: tokens(source) }.layout(name, 0)
    }

    /// Its type and number, if all its scalars are numbers of one type without gaps.
    pub fn uniform(&self) -> Option<(ElementType, u64)> {
        let Holds::Number(element) = self.fields.first()?.holds else { return None };
        let count = self.fields.len() as u64;
        let same = self.fields.iter().all(|field| field.holds == Holds::Number(element));
        (same && count * element.bytes as u64 == self.bytes).then_some((element, count))
    }

    /// Whether its scalars are where `struct:PART,PART` puts its parts: each at the next multiple of its size.
    pub fn is_packed_like_parts(&self) -> bool {
        let mut end = 0u64;
        let at = self.fields.iter().all(|field| {
            let start = end.next_multiple_of(field.holds.bytes());
            end = start + field.holds.bytes();
            start == field.at
        });
        let largest = self.fields.iter().map(|field| field.holds.bytes()).max().unwrap_or(1);
        at && end.next_multiple_of(largest) == self.bytes
    }

    /// Adds a member: `count` copies of its scalars.
    fn push(&mut self, part: &StructLayout, count: u64) -> Option<()> {
        let start = self.bytes.next_multiple_of(part.align);
        let scalars = part.fields.len() as u64 * count;
        if scalars + self.fields.len() as u64 > MOST as u64 {
            return None;
        }
        for copy in 0..count {
            let moved = part.fields.iter().map(|field| StructField {
                at: start + copy * part.bytes + field.at,
                holds: field.holds,
            });
            self.fields.extend(moved);
        }
        self.bytes = start + count * part.bytes;
        self.align = self.align.max(part.align);
        Some(())
    }

    fn of_scalar(holds: Holds) -> StructLayout {
        let bytes = holds.bytes();
        StructLayout { fields: vec![StructField { at: 0, holds }], bytes, align: bytes }
    }

    /// A scalar or a vector of CUDA. Vectors of three are aligned like their elements.
    fn of_vector(element: ElementType, lanes: u64) -> StructLayout {
        let one = StructLayout::of_scalar(Holds::Number(element));
        let fields =
            (0..lanes).map(|lane| StructField { at: lane * one.bytes, ..one.fields[0].clone() });
        let bytes = lanes * one.bytes;
        let align = if lanes == 3 { one.bytes } else { bytes.min(16) };
        StructLayout { fields: fields.collect(), bytes, align }
    }
}

/// A source and its tokens.
struct Structs<'a> {
    source: &'a str,
    tokens: Vec<&'a str>,
}

impl Structs<'_> {
    fn layout(&self, name: &str, depth: u32) -> Option<StructLayout> {
        let mut found = (0..self.tokens.len()).filter_map(|at| self.definition(at, name));
        let (body, align) = found.next().filter(|_| depth < DEEPEST)?;
        if found.next().is_some() {
            return None;
        }
        let mut layout = StructLayout { fields: Vec::new(), bytes: 0, align };
        let mut rest = body;
        while !rest.is_empty() {
            rest = self.member(rest, &mut layout, depth)?;
        }
        layout.bytes = layout.bytes.next_multiple_of(layout.align);
        (!layout.fields.is_empty()).then_some(layout)
    }

    /// The tokens between the braces and the alignment of the struct that is defined at a token, if it has this name.
    fn definition(&self, at: usize, name: &str) -> Option<(&[&str], u64)> {
        let all = &self.tokens[..];
        if !["struct", "class"].contains(&all[at]) || at > 0 && ["<", ","].contains(&all[at - 1]) {
            return None;
        }
        let open =
            at + all[at..].iter().position(|token| ["{", ";", "(", ")", "="].contains(token))?;
        let (open, align) = match all[open] {
            // `__align__(16)` and `alignas(16)`.
            "(" if ["__align__", "alignas"].contains(&all[open - 1]) => {
                let align: u64 = all.get(open + 1)?.parse().ok()?;
                let after = open + 3;
                let found = all.get(after..)?.iter().position(|token| ["{", ";"].contains(token));
                (after + found?, align)
            }
            _ => (open, 1),
        };
        let end = open + balanced(&all[open..])?;
        // `struct NAME {`, or `typedef struct {...} NAME;`.
        let before = all[open - 1] == name;
        let is_typedef = at > 0 && all[at - 1] == "typedef";
        let after = is_typedef && all.get(end + 1) == Some(&name) && all.get(end + 2) == Some(&";");
        if all[open] != "{" || !(before || after) {
            return None;
        }
        // A template's arguments are not known, and bases come before the members.
        let is_template = at > 0 && all[at - 1] == ">";
        let head = &all[at + 1..open];
        let of = |slice: &str| slice.as_ptr() as usize - self.source.as_ptr() as usize;
        let is_conditional = self.source[of(all[open])..of(all[end])].contains("#if");
        let is_plain =
            !is_template && !is_conditional && !head.contains(&":") && align.is_power_of_two();
        // A struct that is not plain counts as one without members.
        Some((if is_plain { &all[open + 1..end] } else { &[] }, align))
    }

    /// Reads the first member of a body. Returns the tokens after it; `None` if it is not plain.
    fn member<'t>(
        &self,
        body: &'t [&'t str],
        layout: &mut StructLayout,
        depth: u32,
    ) -> Option<&'t [&'t str]> {
        if let ["public" | "private" | "protected", ":", rest @ ..] = body {
            return Some(rest);
        }
        let stop = body.iter().position(|token| [";", "{", "("].contains(token))?;
        let first = body[0];
        if ["struct", "class", "union", "enum", "template", "typedef", "virtual"].contains(&first) {
            return None;
        }
        if body[stop] == "(" && body.get(stop + 1) != Some(&"*") && !body[..stop].contains(&"=") {
            // A function: up to its `;`, or past its body.
            let after = stop + balanced(&body[stop..])?;
            let end = after + body[after..].iter().position(|token| [";", "{"].contains(token))?;
            return match body[end] {
                ";" => Some(&body[end + 1..]),
                _ => {
                    let rest = &body[end + balanced(&body[end..])? + 1..];
                    Some(rest.strip_prefix(&[";"]).unwrap_or(rest))
                }
            };
        }
        let end = body.iter().position(|token| *token == ";")?;
        let (member, rest) = (&body[..end], &body[end + 1..]);
        if ["static", "using", "friend"].contains(&first) {
            return Some(rest);
        }
        if member.iter().any(|token| ["{", "(", "<", ":", "&", "#"].contains(token)) {
            return None;
        }
        let mut of_type: Option<(String, bool)> = None;
        for declarator in member.split(|token| *token == ",") {
            let initial = declarator.iter().position(|token| *token == "=");
            let declarator = &declarator[..initial.unwrap_or(declarator.len())];
            let dims =
                declarator.iter().position(|token| *token == "[").unwrap_or(declarator.len());
            let (named, dims) = declarator.split_at(dims);
            let (_, ahead) = named.split_last()?;
            let stars = ahead.iter().filter(|token| **token == "*").count();
            let (ty, is_const) = match &of_type {
                Some(known) => known.clone(),
                None => {
                    let star = ahead.iter().position(|token| *token == "*").unwrap_or(ahead.len());
                    let words = ahead[..star].iter().filter(|word| !PLAIN.contains(word));
                    let words: Vec<&str> = words.copied().collect();
                    (words.join(" "), ahead[..star].contains(&"const"))
                }
            };
            let part = match stars {
                0 => match element_of(&ty) {
                    Some((element, lanes)) => StructLayout::of_vector(element, lanes),
                    None => self.layout(&ty, depth + 1)?,
                },
                _ => {
                    let pointee = element_of(&ty).filter(|of| stars == 1 && of.1 == 1);
                    StructLayout::of_scalar(Holds::Address(pointee.map(|of| of.0), is_const))
                }
            };
            layout.push(&part, self.count(dims)?)?;
            of_type = Some((ty, is_const));
        }
        Some(rest)
    }

    /// The number of elements of `[2][N]`; 1 without dimensions.
    fn count(&self, dims: &[&str]) -> Option<u64> {
        let mut count = 1u64;
        for dim in dims.split_inclusive(|token| *token == "]") {
            let ["[", extent, "]"] = dim else { return None };
            count = count.checked_mul(self.constant(extent)?)?;
        }
        (1..=MOST as u64).contains(&count).then_some(count)
    }

    /// A number, or a name that the source gives one value: `constexpr int N = 4;` or `#define N 4`.
    fn constant(&self, text: &str) -> Option<u64> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let of_constant = self.tokens.windows(4).filter_map(|window| match window {
            [name, "=", value, ";"] if *name == text => Some(*value),
            _ => None,
        });
        let of_macro = self.source.lines().filter_map(|line| {
            let line = line.trim_start().strip_prefix("#define ")?.trim_start();
            let (name, value) = line.split_once(char::is_whitespace)?;
            (name == text).then(|| value.split("//").next().unwrap_or("").trim())
        });
        let values: Vec<&str> = of_constant.chain(of_macro).collect();
        let [value] = values[..] else { return None };
        value.parse().ok()
    }
}

/// Words before a type that do not change its layout.
const PLAIN: [&str; 7] =
    ["const", "volatile", "mutable", "std", "::", "__restrict__", "__restrict"];

/// The index of the token that closes the parenthesis or brace at the start.
fn balanced(tokens: &[&str]) -> Option<usize> {
    let mut depth = 0i64;
    tokens.iter().position(|token| {
        depth += i64::from(["(", "{"].contains(token)) - i64::from([")", "}"].contains(token));
        depth == 0
    })
}

/// The element type of a C++ type, and how many of them it has: `float4` has four `f32`.
pub fn element_of(cpp: &str) -> Option<(ElementType, u64)> {
    let name = match cpp {
        "float" => "f32",
        "double" => "f64",
        "half" | "__half" => "f16",
        "nv_bfloat16" | "__nv_bfloat16" => "bf16",
        "bool" | "unsigned char" | "uint8_t" | "uchar" => "u8",
        "char" | "signed char" | "int8_t" => "i8",
        "short" | "short int" | "int16_t" => "i16",
        "unsigned short" | "unsigned short int" | "uint16_t" | "ushort" => "u16",
        "int" | "signed" | "signed int" | "int32_t" => "i32",
        "unsigned" | "unsigned int" | "uint32_t" | "uint" => "u32",
        "long" | "long int" | "long long" | "long long int" | "int64_t" | "ptrdiff_t"
        | "ssize_t" => "i64",
        "unsigned long"
        | "unsigned long int"
        | "unsigned long long"
        | "unsigned long long int"
        | "uint64_t"
        | "size_t" => "u64",
        "half2" | "__half2" => return Some((ElementType::named("f16")?, 2)),
        _ => {
            let lanes = cpp.chars().last()?.to_digit(10).filter(|lanes| (2..=4).contains(lanes))?;
            let (element, 1) = element_of(&cpp[..cpp.len() - 1])? else { return None };
            return Some((element, u64::from(lanes)));
        }
    };
    Some((ElementType::named(name)?, 1))
}

/// The words and marks of a source, without comments, strings and directives.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let until = |mark: &str| rest.find(mark).map_or(rest.len(), |at| at + mark.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if rest.starts_with("//") => until("\n"),
            _ if rest.starts_with("/*") => until("*/"),
            '#' => until("\n"),
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let skipped = rest.starts_with("//") || rest.starts_with("/*");
        if !skipped && !first.is_whitespace() && first != '#' && first != '"' {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, name: &str) -> Option<String> {
        let layout = StructLayout::of(source, name)?;
        let field = |field: &StructField| match field.holds {
            Holds::Number(element) => format!("{}@{}", element.name, field.at),
            Holds::Address(of, is_const) => {
                let of = of.map_or("?", |element| element.name);
                format!("{}*{of}@{}", if is_const { "c" } else { "" }, field.at)
            }
        };
        let fields: Vec<String> = layout.fields.iter().map(field).collect();
        Some(format!("{} {}", layout.bytes, fields.join(" ")))
    }

    #[test]
    fn members_are_where_the_compiler_puts_them() {
        let source = "
            #define TAPS 2 // number
            constexpr int LANES = 3;
            // struct Old { int x; };
            struct Shape {
                int width, height = 4;
                __device__ bool inside(int x) const { return x < width; }
                static const int most = 7;
                Shape();
            };
            struct Partial { double sum; float low; };
            typedef struct { char tag; short s[TAPS]; } Tagged;
            struct __align__(16) Wide { float x[LANES]; };
            struct View { const float *__restrict__ in; float *out, *other; unsigned long long n; Partial p; float4 v; };
            class Point { public: float x, y, z; };
            int use(struct Shape s) { return s.width; }";
        for (name, expected) in [
            ("Shape", "8 i32@0 i32@4"),
            ("Partial", "16 f64@0 f32@8"),
            ("Tagged", "6 i8@0 i16@2 i16@4"),
            ("Wide", "16 f32@0 f32@4 f32@8"),
            ("View", "64 c*f32@0 *f32@8 *f32@16 u64@24 f64@32 f32@40 f32@48 f32@52 f32@56 f32@60"),
            ("Point", "12 f32@0 f32@4 f32@8"),
        ] {
            assert_eq!(shown(source, name).as_deref(), Some(expected), "{name}");
        }
        let uniform = |name: &str| StructLayout::of(source, name).and_then(|of| of.uniform());
        assert_eq!(
            uniform("Point").map(|(element, count)| (element.name, count)),
            Some(("f32", 3))
        );
        assert_eq!((uniform("Partial"), uniform("Wide")), (None, None));
        let packed = |name: &str| StructLayout::of(source, name).unwrap().is_packed_like_parts();
        assert!(packed("Shape") && packed("Tagged") && !packed("Wide"));
    }

    #[test]
    fn a_struct_that_is_not_plain_has_no_layout() {
        for source in [
            "struct A : B { int x; };",
            "template <int N> struct A { int x[N]; };",
            "struct A { int x : 3; };",
            "struct A {\n#if W\n double x;\n#else\n float x;\n#endif\n};",
            "struct A { virtual void f(); int x; };",
            "struct A { union { int x; float y; }; };",
            "struct A { Unknown x; };",
            "struct A { int x[N]; };",
            "struct A { int &x; };",
            "struct A { void (*f)(int); };",
            "struct A { int x; }; namespace n { struct A { float x, y; }; }",
            "struct A { A x; };",
            "struct A { float x[1000]; };",
            "struct A;",
            "struct A {",
            "struct",
        ] {
            assert_eq!(shown(source, "A"), None, "{source}");
        }
    }

    #[test]
    fn elements_of_vectors_are_counted() {
        let of = |cpp| element_of(cpp).map(|(element, lanes)| (element.name, lanes));
        assert_eq!(of("float4"), Some(("f32", 4)));
        assert_eq!(of("uint2"), Some(("u32", 2)));
        assert_eq!(of("unsigned long long"), Some(("u64", 1)));
        assert_eq!(of("int5"), None);
        assert_eq!(of("Particle"), None);
    }
}
