//! A program of several files as one source. Each file may have its own macros, and its own `static` names and classes, as
//! if it were compiled alone: a name that several files define for themselves is renamed in each file after the first.
//! The compiler links functions as if their names, and those of their parameters' classes, were not renamed.
//!
//! Limit: names are found by a scan of each file's text and of the files that it includes by name in quotes, without a
//! preprocessor. A header that two files include has the declarations that it has in the first one.

mod names;

use names::{OwnNames, own_names};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// CUDA's vector types. A file that does not use CUDA may define its own.
const VECTORS: [&str; 12] = [
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double",
];

/// A source that includes the files, given as a path to include and a text. `load` reads a file that another one includes.
pub fn joined(files: &[(String, String)], load: &dyn Fn(&Path) -> Option<String>) -> String {
    let (mut known_headers, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut source = String::new();
    for (number, (path, text)) in files.iter().enumerate() {
        let own = own_names(text);
        let (mut more, mut whole, mut shared) = (own.linked.clone(), text.clone(), String::new());
        let mut definitions = own.definitions.clone();
        for (header, text) in headers_of(Path::new(path), text, load) {
            if known_headers.insert(header) {
                let OwnNames { definitions: found, linked, .. } = own_names(&text);
                more.extend(found.iter().cloned().chain(linked));
                definitions.extend(found);
                whole.push_str(&text);
            } else {
                shared.push_str(&text);
            }
        }
        let shared: BTreeSet<&str> = shared.split(|c: char| !names::is_word(c)).collect();
        // The name may also be that of a member of a class, or of the standard library.
        let has_other_uses = |name: &str| {
            [".", "->", "std::"].iter().any(|before| whole.contains(&format!("{before}{name}")))
        };
        let is_host = !path.ends_with(".cu") && !text.contains("cuda");
        let clashes: BTreeSet<&String> = own
            .definitions
            .iter()
            .filter(|name| seen.contains(*name) || is_host && is_vector(name))
            .chain(more.iter().filter(|name| seen.contains(*name) && !has_other_uses(name)))
            .filter(|name| !shared.contains(name.as_str()))
            .collect();
        if number > 0 {
            source.push_str("#pragma lanework_file\n");
        }
        for name in &clashes {
            let _ = writeln!(source, "#define {name} {name}__file{}", number + 1);
        }
        // A macro of a header may have the same name: it is restored for the next file.
        for name in &own.macros {
            let _ = writeln!(source, "#pragma push_macro(\"{name}\")");
        }
        let _ = writeln!(source, "#include \"{path}\"");
        for name in &own.macros {
            let _ = writeln!(source, "#pragma pop_macro(\"{name}\")");
        }
        for name in clashes {
            let _ = writeln!(source, "#undef {name}");
        }
        seen.extend(definitions);
    }
    source
}

/// Whether this is the name of a vector type: `float4`.
fn is_vector(name: &str) -> bool {
    name.strip_suffix(['1', '2', '3', '4']).is_some_and(|element| VECTORS.contains(&element))
}

/// The files that a file includes by name in quotes and that `load` finds next to it, and those that they include.
fn headers_of(
    path: &Path,
    text: &str,
    load: &dyn Fn(&Path) -> Option<String>,
) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    let mut waiting = vec![(path.to_owned(), text.to_owned())];
    while let Some((path, text)) = waiting.pop() {
        for name in text.lines().filter_map(included) {
            let file = plain_path(&path.with_file_name(name));
            if found.iter().all(|(known, _)| *known != file)
                && let Some(text) = load(&file)
            {
                found.push((file.clone(), text.clone()));
                waiting.push((file, text));
            }
        }
    }
    found
}

/// The name that a line includes, if it is in quotes.
fn included(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    name.trim_start().strip_prefix('"')?.split('"').next()
}

/// The path without `.` and `..`.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"
#include <cstdio>
#define N 4
#define SQUARE(x) \
    ((x) * (x))
struct Polygon { int sides; };
static const int width = N;
namespace tools { static inline int helper(int x) { return SQUARE(x); } }
extern "C" void visible(int *x) { *x = helper(1); } // static int comment() {}
template <class T> __global__ void __launch_bounds__(N, SQUARE(N)) kernel(T *x) { *x = 1; }
int Polygon::area() const { return 1; }
static int unused(int x);
"#;

    #[test]
    fn a_file_owns_its_static_names_classes_and_macros() {
        let own = own_names(FIRST);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&own.definitions), "Polygon helper kernel width");
        assert!(own.linked.is_empty());
        assert_eq!(names(&own.macros), "N SQUARE");
    }

    #[test]
    fn only_names_that_clash_are_renamed() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let second =
            "static float helper(float x) { return x; }\n__device__ int alone() { return 1; }";
        let source = joined(&[file("a.cu", FIRST), file("b.cu", second)], &|_| None);
        let first = "#pragma push_macro(\"N\")\n#pragma push_macro(\"SQUARE\")\n#include \"a.cu\"\n\
             #pragma pop_macro(\"N\")\n#pragma pop_macro(\"SQUARE\")\n";
        let wanted = format!(
            "{first}#pragma lanework_file\n#define helper helper__file2\n#include \"b.cu\"\n#undef helper\n"
        );
        assert_eq!(source, wanted);
    }

    #[test]
    fn a_name_of_a_header_is_renamed_unless_both_files_include_the_header() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let first = "#include \"own/a.h\"\n#include \"shared.h\"\n";
        let second = "  #  include \"own/../shared.h\"\nint squared(int x) { return x; }\n\
                      template <> int both(int x) { return x; }\n\
                      typedef struct __attribute__((aligned(16))) { float x; } float4;\n";
        let load = |path: &Path| match path.to_str() {
            Some("p/own/a.h") => Some("inline int squared(int x) { return x * x; }".to_owned()),
            Some("p/shared.h") => Some("template <class T> T both(T x) { return x; }".to_owned()),
            _ => None,
        };
        let source = joined(&[file("p/a.cu", first), file("p/b.cpp", second)], &load);
        let wanted = "#include \"p/a.cu\"\n#pragma lanework_file\n#define float4 float4__file2\n\
                      #define squared squared__file2\n#include \"p/b.cpp\"\n#undef float4\n#undef squared\n";
        assert_eq!(source, wanted);
    }
}
