//! The signature of a kernel: the names and types of its parameters, from its CUDA C++ source if the file has one, else
//! from its PTX and the mangled name.

use super::layout::{StructLayout, element_of, tokens};
use super::mangled::cpp_parameters;
use lanework::ptx::cpp_names::{CppName, readable};
use lanework::ptx::{Module, Variable};
use lanework_lab::ElementType;
use std::path::{Path, PathBuf};

/// A kernel's name and parameters.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The entry in the PTX.
    pub entry: String,
    /// The parameters.
    pub parameters: Vec<KernelParameter>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParameter {
    /// Its name in the source, else in the PTX.
    pub name: String,
    /// Its declaration: `const float *x`, or `.u64 x` in PTX.
    pub declared: String,
    /// The kind of its argument.
    pub takes: Takes,
    /// The struct that it is or points to, if the source has it.
    pub layout: Option<StructLayout>,
}

/// The kind of argument of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// A number of this type.
    Number(ElementType),
    /// The address of memory: its element type and how many of them one C++ element has, if known, and whether the
    /// kernel only reads it.
    Memory(Option<(ElementType, u64)>, bool),
    /// Bits whose meaning the PTX does not say: a number or an address.
    Bits(ElementType),
    /// A struct of this many bytes.
    Struct(u64),
}

impl Signature {
    /// The signature of an entry of a module that these files contain.
    pub fn of(module: &Module, entry: &str, files: &[PathBuf]) -> Signature {
        let params = module.entry(entry).map_or(&[][..], |function| &function.params[..]);
        let source = files.iter().find_map(|file| in_source(file, entry, params.len()));
        let (text, source) =
            (source.as_ref().map(|(text, _)| text), source.as_ref().map(|(_, all)| all));
        let mangled = cpp_parameters(entry).unwrap_or_default();
        let parameter = |(index, param): (usize, &Variable)| {
            let pointee = mangled.get(index).and_then(Option::as_ref);
            let of_source = source.map(|all| &all[index]);
            let takes = match (of_source, pointee) {
                (Some(declared), _) if declared.is_pointer() && param.size() == 8 => {
                    // The source names a template's parameter; the mangled entry, its type.
                    let named = element_of(&declared.type_name());
                    let element = named.or_else(|| pointee.and_then(|of| element_of(of.name)));
                    Takes::Memory(element, declared.is_const())
                }
                (None, Some(pointee)) => Takes::Memory(element_of(pointee.name), false),
                _ if param.attributes.iter().any(|word| word.trim_start_matches('.') == "ptr") => {
                    Takes::Memory(None, false)
                }
                (Some(declared), _) => match element_of(&declared.type_name()) {
                    Some((element, 1)) if element.bytes as u64 == param.size() => {
                        Takes::Number(element)
                    }
                    _ => of_ptx(param),
                },
                _ => of_ptx(param),
            };
            match of_source {
                Some(declared) if !declared.name.is_empty() => KernelParameter {
                    name: declared.name.clone(),
                    declared: declared.text.clone(),
                    takes,
                    layout: text.and_then(|text| layout(text, declared, takes)),
                },
                _ => KernelParameter {
                    name: param.name.clone(),
                    declared: format!(".{} {}", param.ty.name(), param.name),
                    takes,
                    layout: None,
                },
            }
        };
        let parameters = params.iter().enumerate().map(parameter).collect();
        Signature { entry: entry.to_owned(), parameters }
    }

    /// The parameter that a user calls `name`: its name, or its number counted from 1.
    pub fn index(&self, name: &str) -> Option<usize> {
        let named = self.parameters.iter().position(|parameter| parameter.name == name);
        let numbered = || name.parse::<usize>().ok()?.checked_sub(1);
        named.or_else(numbered).filter(|index| *index < self.parameters.len())
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all: Vec<&str> = self.parameters.iter().map(|one| one.declared.as_str()).collect();
        write!(f, "{}({})", readable(&self.entry), all.join(", "))
    }
}

/// The kind of argument by the PTX declaration.
fn of_ptx(param: &Variable) -> Takes {
    let (name, bytes) = (param.ty.name(), param.size());
    if !param.dims.is_empty() || param.vector > 1 {
        return Takes::Struct(bytes);
    }
    let (kind, bits) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
    let named = |name: String| ElementType::named(&name).unwrap_or(U8);
    match kind {
        "s" => Takes::Number(named(format!("i{bits}"))),
        "b" => Takes::Bits(named(format!("u{bits}"))),
        "u" if bytes == 8 => Takes::Bits(named(format!("u{bits}"))),
        _ => Takes::Number(named(name.to_owned())),
    }
}

const U8: ElementType = ElementType { name: "u8", bytes: 1 };

/// A parameter in CUDA C++.
#[derive(Debug, PartialEq)]
struct Declared {
    name: String,
    text: String,
    words: Vec<String>,
}

/// Words of a declaration that do not change its type.
const QUALIFIERS: [&str; 8] = [
    "const",
    "volatile",
    "__restrict__",
    "__restrict",
    "restrict",
    "std",
    "__grid_constant__",
    "struct",
];

impl Declared {
    /// A parameter from its tokens.
    fn of(tokens: &[&str]) -> Declared {
        let tokens =
            &tokens[..tokens.iter().position(|token| *token == "=").unwrap_or(tokens.len())];
        let bracket = tokens.iter().position(|token| *token == "[").unwrap_or(tokens.len());
        let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let words: Vec<&str> =
            tokens[..bracket].iter().copied().filter(|token| is_word(token)).collect();
        // The last word is the name, unless it is all there is: `f(int)`, `f(unsigned int)`.
        let last = tokens[..bracket].last().copied().filter(|token| is_word(token));
        let types: Vec<&str> =
            words.into_iter().filter(|word| !QUALIFIERS.contains(word)).collect();
        let whole = types.join(" ");
        let name = last
            .filter(|last| types.len() > 1 && !QUALIFIERS.contains(last))
            .filter(|_| element_of(&whole).is_none());
        let mut text = String::new();
        for (index, token) in tokens.iter().enumerate() {
            let after = index.checked_sub(1).map(|before| tokens[before]);
            let closed = after.is_some_and(|before| ["*", "&", "<", "::", "["].contains(&before));
            let joins = ["::", "<", ">", ",", "[", "]"].contains(token);
            if !text.is_empty() && !joins && !closed {
                text.push(' ');
            }
            text.push_str(token);
        }
        let name = name.unwrap_or_default().to_owned();
        Declared { name, text, words: tokens.iter().map(|token| (*token).to_owned()).collect() }
    }

    fn is_pointer(&self) -> bool {
        self.words.iter().any(|word| word == "*" || word == "[")
    }

    /// Whether what it points to is `const`.
    fn is_const(&self) -> bool {
        let star = self.words.iter().position(|word| word == "*").unwrap_or(self.words.len());
        self.words[..star].iter().any(|word| word == "const")
    }

    /// The type without qualifiers, name and pointer.
    fn type_name(&self) -> String {
        let end = self.words.iter().position(|word| word == "*" || word == "[");
        let end = end.unwrap_or(self.words.len());
        let is_type = |word: &&String| {
            !QUALIFIERS.contains(&word.as_str()) && **word != self.name && *word != "::"
        };
        let words: Vec<&str> =
            self.words[..end].iter().filter(is_type).map(String::as_str).collect();
        words.join(" ")
    }
}

/// The struct that a parameter is or points to.
fn layout(source: &str, declared: &Declared, takes: Takes) -> Option<StructLayout> {
    let stars = declared.words.iter().filter(|word| ["*", "["].contains(&word.as_str())).count();
    let of = || StructLayout::of(source, &declared.type_name());
    match takes {
        Takes::Struct(bytes) if stars == 0 => of().filter(|layout| layout.bytes == bytes),
        Takes::Memory(None, _) if stars == 1 => of(),
        _ => None,
    }
}

/// A source file and the parameters of an entry there, if the file has a kernel of this name and number of parameters.
fn in_source(file: &Path, entry: &str, count: usize) -> Option<(String, Vec<Declared>)> {
    if file.extension().is_none_or(|kind| kind != "cu") {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let path = CppName::of(entry).map_or(entry.to_owned(), |name| name.path);
    let name = path.rsplit("::").next().unwrap_or(&path);
    let mut found = kernels(&text).into_iter().filter(|(kernel, _)| *kernel == name);
    let found = found.find_map(|(_, all)| (all.len() == count).then_some(all))?;
    Some((text, found))
}

/// The `__global__` functions of a source.
fn kernels(text: &str) -> Vec<(&str, Vec<Declared>)> {
    let (tokens, macros) = (tokens(text), kernel_macros(text));
    let mut found = Vec::new();
    let starts = |at: &usize| tokens[*at] == "__global__" || macros.contains(&tokens[*at]);
    for start in (0..tokens.len()).filter(starts) {
        // `__launch_bounds__(256, 2)` may come before the name.
        let mut at = start + 1;
        while at + 1 < tokens.len() {
            if tokens[at + 1] == "(" && !tokens[at].starts_with("__launch_bounds__") {
                break;
            }
            at = match tokens[at + 1] {
                "(" => closing(&tokens, at + 1),
                _ => at + 1,
            };
        }
        let Some(name) = tokens.get(at).filter(|_| at + 1 < tokens.len()) else { continue };
        let end = closing(&tokens, at + 1);
        let inner = &tokens[at + 2..end.max(at + 2)];
        let mut depth = 0;
        let parts = inner.split(|token| {
            depth += i32::from(["(", "<", "["].contains(token));
            depth -= i32::from([")", ">", "]"].contains(token));
            depth == 0 && *token == ","
        });
        let parts = parts.filter(|part| !part.is_empty() && *part != ["void"]);
        found.push((*name, parts.map(Declared::of).collect()));
    }
    found
}

/// The macros without parameters that stand for `__global__`, such as `#define KERNEL extern "C" __global__ void`.
fn kernel_macros(text: &str) -> Vec<&str> {
    fn of(line: &str) -> Option<&str> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let (name, body) = rest.trim_start().split_once(char::is_whitespace)?;
        (body.contains("__global__") && !name.contains('(')).then_some(name)
    }
    text.lines().filter_map(of).collect()
}

/// The index of the parenthesis that closes the one at `open`; the last token if it is not closed.
fn closing(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    let closes = |(_, token): &(usize, &&str)| {
        depth += i32::from(**token == "(") - i32::from(**token == ")");
        depth == 0
    };
    let found = tokens.iter().enumerate().skip(open).find(closes);
    found.map_or(tokens.len() - 1, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Vec<(String, String)> {
        let found = kernels(text);
        let of = |one: &Declared| (one.name.clone(), one.type_name());
        found.into_iter().flat_map(|(_, all)| all.iter().map(of).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn parameters_are_read_from_the_source() {
        let text = "// __global__ void no(int a)\n#define G __global__\n\
            template <typename T, int N> __global__ void __launch_bounds__(256, 2) k(\n\
            const float *__restrict__ x, float4* y /* out */, unsigned int n, T *t,\n\
            int shape[], const std::array<int, 2> p, float alpha = 1.0f) {}\n\
            extern \"C\" __global__ void none(void) {}";
        let pairs = [
            ("x", "float"),
            ("y", "float4"),
            ("n", "unsigned int"),
            ("t", "T"),
            ("shape", "int"),
            ("p", "array < int , 2 >"),
            ("alpha", "float"),
        ];
        let pairs = pairs.map(|(name, ty)| (name.to_owned(), ty.to_owned()));
        assert_eq!(declared(text), pairs);
        let found = kernels(text);
        assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["k", "none"]);
        assert_eq!(found[0].1[0].text, "const float *__restrict__ x");
        assert!(found[0].1[0].is_const() && !found[0].1[1].is_const());
        assert!(found[0].1[4].is_pointer() && !found[0].1[2].is_pointer());
    }

    #[test]
    fn a_macro_may_stand_for_the_qualifier() {
        let text = "#define K extern \"C\" __global__ void\n# define UNUSED 1\nK fill(int *x, int n) {}\nK run() {}";
        let pairs = [("x", "int"), ("n", "int")];
        assert_eq!(declared(text), pairs.map(|(name, ty)| (name.to_owned(), ty.to_owned())));
        assert_eq!(kernels(text).len(), 2);
    }

    #[test]
    fn parameters_without_names_have_none() {
        let none = |ty: &str| (String::new(), ty.to_owned());
        assert_eq!(
            declared("__global__ void k(unsigned int, const float *, int)"),
            [none("unsigned int"), none("float"), none("int")]
        );
    }
}
