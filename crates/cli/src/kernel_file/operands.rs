//! Assigns the arguments of a command line, positional or as NAME=VALUE, to the parameters of a kernel.

use super::argument::{Argument, Contents, FORMS, element_type, extents, parse, scalar};
use super::layout::{Holds, StructField, StructLayout};
use super::signature::{KernelParameter, Signature, Takes};
use crate::args::KernelArgs;
use crate::npy;
use lanework_lab::ElementType;
use lanework_terminal::failure::Failure;
use std::path::Path;

/// The value of each parameter, as typed and as read, in the kernel's order. `-o NAME=FILE` marks memory to write.
///
/// # Errors
/// Missing, surplus and unknown arguments, and values of no known form. The message has the kernel's signature and a
/// command line to copy.
pub fn assign(
    args: &KernelArgs,
    signature: &Signature,
) -> Result<Vec<(String, Argument)>, Failure> {
    let asked = Asked { args, signature, values: place(args, signature)? };
    let mut found = Vec::new();
    for (index, parameter) in signature.parameters.iter().enumerate() {
        let Some(text) = &asked.values[index] else { return Err(asked.missing()) };
        let argument = value(text, parameter)
            .map_err(|why| asked.refused(&format!("{}={text}: {why}", parameter.name), &[index]))?;
        found.push((text.clone(), argument));
    }
    for output in &args.outputs {
        let named = output.split_once('=').filter(|(_, file)| !file.is_empty());
        let Some((name, file)) = named else {
            return Err(Failure::input(
                format_args!("-o {output} is not NAME=FILE"),
                format_args!("give a parameter and a file, such as -o y=y.npy; {}", asked.kernel()),
            ));
        };
        let index = signature.index(name).ok_or_else(|| asked.unknown(name))?;
        let Argument::Memory { after, .. } = &mut found[index].1 else {
            return Err(Failure::input(
                format_args!("-o {output}: `{name}` is not memory"),
                format_args!("name a pointer of {}", asked.kernel()),
            ));
        };
        *after = Some(file.into());
    }
    Ok(found)
}

/// The texts of the parameters' values.
fn place(args: &KernelArgs, signature: &Signature) -> Result<Vec<Option<String>>, Failure> {
    let mut values = vec![None; signature.parameters.len()];
    let mut positional = Vec::new();
    let asked = |values: &Vec<_>| Asked { args, signature, values: values.clone() };
    for text in args.values() {
        let Some((name, value)) = named(&text) else {
            positional.push(text);
            continue;
        };
        let index = signature.parameters.iter().position(|parameter| parameter.name == name);
        let Some(index) = index else { return Err(asked(&values).unknown(name)) };
        if values[index].replace(value.to_owned()).is_some() {
            return Err(asked(&values).refused(&format!("`{name}` is given twice"), &[]));
        }
    }
    let mut positional = positional.into_iter();
    for value in values.iter_mut().filter(|value| value.is_none()) {
        *value = positional.next();
    }
    match positional.next() {
        None => Ok(values),
        Some(surplus) => {
            let what = format!("`{surplus}` is one argument too many");
            Err(asked(&values).refused(&what, &[]))
        }
    }
}

/// `NAME=VALUE`.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '%';
    let starts = name.starts_with(|c: char| is_name(c) && !c.is_numeric());
    (starts && name.chars().all(is_name)).then_some((name, value))
}

/// The bytes of a struct whose scalars have several types.
const U8: ElementType = ElementType { name: "u8", bytes: 1 };

/// Reads the value of a parameter.
fn value(text: &str, parameter: &KernelParameter) -> Result<Argument, String> {
    if let Some((form @ ("zeros" | "uninit" | "rand"), rest)) = text.split_once(':')
        && rest.starts_with(|c: char| c.is_ascii_digit())
    {
        return memory_of(form, rest, parameter);
    }
    let of_file = text.to_ascii_lowercase().ends_with(".npy");
    let formed = |(form, _): (&str, &str)| {
        let forms = ["in", "inout", "out", "zeros", "uninit", "rand", "tensormap", "struct"];
        forms.contains(&form) || element_type(form).is_ok()
    };
    if text.split_once(':').is_some_and(formed) {
        return parse(text);
    }
    if of_file {
        let before = Contents::File(text.into());
        return Ok(Argument::Memory { before, after: None, map: None });
    }
    let number = |element| -> Result<Argument, String> {
        Ok(Argument::Scalar(element, scalar(element, text)?))
    };
    match parameter.takes {
        _ if text.contains(':') => Err(format!("give a number or {FORMS}")),
        Takes::Number(element) => number(element),
        Takes::Bits(element) => match (text.parse::<i128>(), text.parse::<f64>(), element.bytes) {
            (Err(_), Ok(_), 4) => number(ElementType::named("f32").unwrap_or(element)),
            (Err(_), Ok(_), 8) => number(ElementType::named("f64").unwrap_or(element)),
            _ => number(element),
        },
        Takes::Memory(..) => Err(format!(
            "`{}` is a pointer: give a file such as x.npy, zeros:1000, rand:1000 or uninit:1000",
            parameter.declared
        )),
        Takes::Struct(bytes) => Err(format!(
            "`{}` is a struct of {bytes} bytes: give struct:PART,PART, such as {}",
            parameter.declared,
            match &parameter.layout {
                Some(layout) if layout.is_packed_like_parts() => of_struct(layout, "1000", &[]),
                _ => "struct:f32:2,u32:7".to_owned(),
            }
        )),
    }
}

/// `zeros:SHAPE`, `uninit:SHAPE` or `rand:SHAPE[:SEED]` with the element type of the parameter.
fn memory_of(form: &str, rest: &str, parameter: &KernelParameter) -> Result<Argument, String> {
    let (element, lanes) = match (parameter.takes, &parameter.layout) {
        (Takes::Memory(Some(of), _), _) => of,
        (Takes::Memory(None, _), Some(layout)) => match layout.uniform() {
            Some(of) => of,
            None if form == "rand" => {
                return Err(format!(
                    "random bytes are no values of the struct of `{}`: give zeros:{rest}, uninit:{rest} or a file",
                    parameter.declared
                ));
            }
            None => (U8, layout.bytes),
        },
        _ => {
            return Err(format!(
                "the element type of `{}` is unknown here: give {form}:f32:{rest}",
                parameter.declared
            ));
        }
    };
    let (shape, seed) = match rest.split_once(':') {
        Some((shape, seed)) if form == "rand" => {
            (shape, seed.parse().map_err(|_| format!("`{seed}` is not a valid seed"))?)
        }
        _ => (rest, 1),
    };
    let mut shape = extents(shape)?;
    if lanes > 1 {
        shape.push(lanes);
    }
    let before = match form {
        "zeros" => Contents::Zeros(element, shape),
        "rand" => Contents::Random(element, shape, seed),
        _ => Contents::Poison(element, shape),
    };
    Ok(Argument::Memory { before, after: None, map: None })
}

/// A command line with its arguments so far, for messages.
struct Asked<'a> {
    args: &'a KernelArgs,
    signature: &'a Signature,
    values: Vec<Option<String>>,
}

impl Asked<'_> {
    fn kernel(&self) -> String {
        format!("the kernel is {}", self.signature)
    }

    /// The error for an unknown parameter name.
    fn unknown(&self, name: &str) -> Failure {
        let names = self.signature.parameters.iter().map(|parameter| parameter.name.as_str());
        let close = names.map(|known| (strsim::damerau_levenshtein(known, name), known));
        let what = match close.min().filter(|(distance, _)| *distance <= 2) {
            Some((_, known)) => {
                format!("no parameter is called `{name}`; did you mean {known}?")
            }
            None => format!("no parameter is called `{name}`"),
        };
        self.refused(&what, &[])
    }

    /// The failure of missing arguments.
    fn missing(&self) -> Failure {
        let missing = self.values.iter().filter(|value| value.is_none()).count();
        let total = self.signature.parameters.len();
        self.refused(&format!("arguments given: {}, needed: {total}", total - missing), &[])
    }

    /// A failure with the signature, the arguments that are given and missing, and a command line to copy, in which
    /// the values of `wrong` are examples.
    fn refused(&self, what: &str, wrong: &[usize]) -> Failure {
        let Asked { args, signature, values } = self;
        let parameters = signature.parameters.iter().zip(values).enumerate();
        let (mut given, mut missing, mut line) = (Vec::new(), Vec::new(), Vec::new());
        let examples = Examples::of(signature, values);
        let mut integers = examples.integers.iter();
        for (index, (parameter, value)) in parameters {
            let own: Vec<u64> = integers.by_ref().take(extents_of(parameter)).copied().collect();
            let fitting = value.as_ref().filter(|_| !wrong.contains(&index));
            let shown =
                fitting.cloned().unwrap_or_else(|| example(parameter, &examples.shape, &own));
            line.push(format!("{}={shown}", parameter.name));
            match value {
                Some(text) => given.push(format!("{}={text}", parameter.name)),
                None => missing.push(parameter.name.clone()),
            }
        }
        let mut text = format!("{what}\n  kernel: {signature}");
        if !given.is_empty() {
            text.push_str(&format!("\n  given: {}", given.join(" ")));
        }
        if !missing.is_empty() {
            text.push_str(&format!("\n  missing: {}", missing.join(", ")));
        }
        let mut words: Vec<String> = std::env::args().skip(1).collect();
        if words.first().is_some_and(|word| word == "exercise") {
            return Failure::input(
                text,
                "keep the kernel's parameters: `lanework exercise N --again` writes the file anew",
            );
        }
        let program = of_program(args, &words);
        if args.grid.is_none() && args.block.is_none() {
            // The grid follows from the data, the block does not.
            words.extend(["--block", "256"].map(str::to_owned));
        }
        let of_kernel = command_line(&words, &args.values(), &line);
        Failure::input(
            text,
            match program {
                Some(line) => format!("{line} (runs `main`), or for the kernel alone: {of_kernel}"),
                None => of_kernel,
            },
        )
    }
}

/// The command line that passes plain words to `main`, if the file is a program and no option asks for a kernel.
fn of_program(args: &KernelArgs, words: &[String]) -> Option<String> {
    let given = args.values();
    let is_plain = |value: &String| !value.contains(['=', ':']) && !value.ends_with(".npy");
    let asks = args.grid.is_some() || args.block.is_some() || args.entry.is_some();
    if asks
        || given.is_empty()
        || !given.iter().all(is_plain)
        || !args.files().first().is_some_and(|file| is_program(file))
    {
        return None;
    }
    let before = words.iter().filter(|word| !given.contains(word)).map(|word| quoted(word));
    let line = before.chain(["--".to_owned()]).chain(given.iter().map(|word| quoted(word)));
    Some(format!("lanework {}", line.collect::<Vec<_>>().join(" ")))
}

/// Whether a file is the source of a program with `main`.
#[cfg(all(unix, feature = "host"))]
fn is_program(file: &Path) -> bool {
    crate::program::host::are_sources(&[file.as_os_str().to_owned()])
}

#[cfg(not(all(unix, feature = "host")))]
fn is_program(_: &Path) -> bool {
    false
}

/// Example values that fit each other: a shape of arrays, and the integers of the signature, whose product is at most the
/// number of elements, so that a kernel that takes them as extents stays in bounds.
struct Examples {
    shape: String,
    integers: Vec<u64>,
}

/// The numbers of a parameter that may be extents of an array.
fn extents_of(parameter: &KernelParameter) -> usize {
    let is_extent = match parameter.takes {
        Takes::Number(element) => is_whole(element),
        Takes::Bits(element) => element.bytes < 8,
        Takes::Struct(_) => {
            let fields = parameter.layout.iter().flat_map(|layout| &layout.fields);
            let is_extent =
                |field: &&StructField| matches!(field.holds, Holds::Number(of) if is_whole(of));
            return fields.filter(is_extent).count();
        }
        Takes::Memory(..) => false,
    };
    usize::from(is_extent)
}

/// Whether a type holds whole numbers of more than a byte.
fn is_whole(element: ElementType) -> bool {
    !element.name.contains('f') && element.bytes > 1
}

impl Examples {
    /// Examples for the arrays that are given, or for arrays of 1000 elements.
    fn of(signature: &Signature, values: &[Option<String>]) -> Examples {
        let given = values.iter().flatten().find_map(|text| shape_of(text));
        let shape = given.unwrap_or_else(|| "1000".to_owned());
        let sizes = extents(&shape).unwrap_or_default();
        let count = signature.parameters.iter().map(extents_of).sum();
        let elements = sizes.iter().product::<u64>();
        let integers = match count {
            0 => Vec::new(),
            1 => vec![sizes.iter().copied().min().unwrap_or(1)],
            _ if count == sizes.len() => sizes,
            _ => {
                let fits = |side: &u64| {
                    let power = side.checked_pow(u32::try_from(count).unwrap_or(u32::MAX));
                    power.is_some_and(|product| product <= elements)
                };
                vec![(1..=elements).take_while(fits).last().unwrap_or(1); count]
            }
        };
        Examples { shape, integers }
    }
}

/// The shape of an array that is given as a file or by its shape.
fn shape_of(text: &str) -> Option<String> {
    if text.ends_with(".npy") {
        let file = text.split_once(':').map_or(text, |(_, file)| file);
        let (array, _) = npy::read(Path::new(file)).ok()?;
        let shape: Vec<String> = array.shape.iter().map(u64::to_string).collect();
        return Some(shape.join("x")).filter(|shape| extents(shape).is_ok());
    }
    let (form, rest) = text.split_once(':')?;
    let last = rest.rsplit(':').next()?;
    let fits = ["zeros", "rand", "uninit"].contains(&form) && extents(last).is_ok();
    fits.then(|| last.to_owned())
}

/// A value that a parameter takes, for a command line to copy, with these whole numbers.
fn example(parameter: &KernelParameter, count: &str, integers: &[u64]) -> String {
    match (parameter.takes, &parameter.layout) {
        (Takes::Number(_) | Takes::Bits(_), _) if let Some(integer) = integers.first() => {
            integer.to_string()
        }
        (Takes::Number(element), _) if element.name.contains('f') => "2.0".to_owned(),
        (Takes::Number(_), _) => "1".to_owned(),
        (Takes::Memory(Some(_), true), _) => format!("rand:{count}"),
        (Takes::Memory(None, true), Some(layout)) if layout.uniform().is_some() => {
            format!("rand:{count}")
        }
        (Takes::Memory(Some(_), false), _) | (Takes::Memory(None, _), Some(_)) => {
            format!("zeros:{count}")
        }
        (Takes::Memory(None, _) | Takes::Bits(_), _) => format!("zeros:f32:{count}"),
        (Takes::Struct(_), Some(layout)) if layout.is_packed_like_parts() => {
            of_struct(layout, count, integers)
        }
        (Takes::Struct(bytes), _) => {
            let (element, count) = if bytes % 4 == 0 { ("u32", bytes / 4) } else { ("u8", bytes) };
            let parts: Vec<String> = (0..count).map(|_| format!("{element}:0")).collect();
            format!("struct:{}", parts.join(","))
        }
    }
}

/// A struct by value: its whole numbers in order, and memory of `count` elements for addresses.
fn of_struct(layout: &StructLayout, count: &str, integers: &[u64]) -> String {
    let mut integers = integers.iter();
    let part = |field: &StructField| match field.holds {
        Holds::Number(of) if of.name.contains('f') => format!("{}:2.0", of.name),
        Holds::Number(of) => {
            let given = if is_whole(of) { integers.next() } else { None };
            format!("{}:{}", of.name, given.copied().unwrap_or(1))
        }
        Holds::Address(Some(of), true) => format!("rand:{}:{count}", of.name),
        Holds::Address(of, _) => format!("zeros:{}:{count}", of.map_or("u8", |of| of.name)),
    };
    let parts: Vec<String> = layout.fields.iter().map(part).collect();
    format!("struct:{}", parts.join(","))
}

/// Options without a value.
const FLAGS: [&str; 10] = [
    "--cooperative",
    "--fidelity",
    "--json",
    "--leaks",
    "--proxy-fences",
    "--cold",
    "--warm",
    "--save",
    "--unverified",
    "--open",
];

/// The command line `words` with `arguments` in place of the kernel's arguments `given`.
fn command_line(words: &[String], given: &[String], arguments: &[String]) -> String {
    let mut line = vec!["lanework".to_owned()];
    let mut before = "";
    for word in words {
        let is_value = before.starts_with('-') && !before.contains('=') && !FLAGS.contains(&before);
        let of_kernel = match is_value {
            true => before == "--arg",
            false => word == "--arg" || word.starts_with("--arg=") || given.contains(word),
        };
        if !of_kernel {
            line.push(quoted(word));
        }
        before = word;
    }
    line.extend(arguments.iter().map(|argument| quoted(argument)));
    line.join(" ")
}

/// The command line of this process with more words at its end, to copy.
pub fn own_command_line(more: &[&str]) -> String {
    let words = std::env::args().skip(1).chain(more.iter().map(|word| (*word).to_owned()));
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    format!("lanework {}", words.join(" "))
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=,+%@^".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(name: &'static str) -> ElementType {
        ElementType::named(name).unwrap()
    }

    fn saxpy() -> Signature {
        let parameter = |declared: &str, takes| KernelParameter {
            name: declared[declared.len() - 1..].to_owned(),
            declared: declared.to_owned(),
            takes,
            layout: None,
        };
        let pointer = |constant| Takes::Memory(Some((number("f32"), 1)), constant);
        let parameters = vec![
            parameter("float a", Takes::Number(number("f32"))),
            parameter("const float *x", pointer(true)),
            parameter("float *y", pointer(false)),
            parameter("int n", Takes::Number(number("i32"))),
        ];
        Signature { entry: "saxpy".to_owned(), parameters }
    }

    fn assigned(line: &str) -> Result<Vec<(String, Argument)>, String> {
        let words = ["lanework run", "saxpy.cu"].into_iter().chain(line.split_whitespace());
        let args = <KernelArgs as clap::Parser>::try_parse_from(words).unwrap();
        assign(&args, &saxpy()).map_err(|failure| match failure {
            Failure::Input(text) => text,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn arguments_are_positional_or_named() {
        let whole = assigned("2 rand:8:3 zeros:8 8").unwrap();
        assert_eq!(whole, assigned("n=8 2 y=zeros:8 rand:8:3").unwrap());
        let typed = assigned("f32:2 rand:f32:8:3 zeros:f32:8 i32:8").unwrap();
        let arguments = |all: &[(String, Argument)]| -> Vec<Argument> {
            all.iter().map(|(_, argument)| argument.clone()).collect()
        };
        assert_eq!(arguments(&whole), arguments(&typed));
        assert_eq!(whole[3].1, Argument::Scalar(number("i32"), vec![8, 0, 0, 0]));
        let of_file = assigned("2 x.npy y.npy -8 -o y=z.npy").unwrap();
        assert!(matches!(&of_file[1].1, Argument::Memory { after: None, .. }));
        let Argument::Memory { before, after, .. } = &of_file[2].1 else { panic!() };
        assert_eq!(*before, Contents::File("y.npy".into()));
        assert_eq!(after.as_deref(), Some(Path::new("z.npy")));
    }

    #[test]
    fn example_integers_fit_the_arrays() {
        let integer = |name: &str| KernelParameter {
            name: name.to_owned(),
            declared: format!("int {name}"),
            takes: Takes::Number(number("i32")),
            layout: None,
        };
        let of = |count: usize, given: Option<&str>| {
            let parameters = ["a", "b", "c"].map(integer).into_iter().take(count).collect();
            let signature = Signature { entry: "k".to_owned(), parameters };
            Examples::of(&signature, &[given.map(str::to_owned)]).integers
        };
        assert_eq!(of(1, None), [1000]);
        assert_eq!(of(2, None), [31, 31]);
        assert_eq!(of(2, Some("rand:f32:20x50")), [20, 50]);
        assert_eq!(of(3, Some("zeros:20x50")), [10, 10, 10]);
        assert_eq!(of(1, Some("zeros:20x50")), [20]);
        assert!(of(0, None).is_empty());
    }

    #[test]
    fn examples_of_structs_have_their_fields() {
        let source = "struct Shape { int width, height; }; struct Sum { double all; int n; };
            struct View { const float *in; float *out; Shape shape; float scale; };";
        let of = |name: &str, by_value: bool| {
            let layout = StructLayout::of(source, name).unwrap();
            let takes = match by_value {
                true => Takes::Struct(layout.bytes),
                false => Takes::Memory(None, true),
            };
            let declared = format!("{name} x");
            KernelParameter { name: "x".to_owned(), declared, takes, layout: Some(layout) }
        };
        let line = |parameter: &KernelParameter| {
            let signature =
                Signature { entry: "k".to_owned(), parameters: vec![parameter.clone()] };
            let Examples { shape, integers } = Examples::of(&signature, &[None]);
            example(parameter, &shape, &integers)
        };
        assert_eq!(line(&of("Shape", true)), "struct:i32:31,i32:31");
        let view = "struct:rand:f32:1000,zeros:f32:1000,i32:31,i32:31,f32:2.0";
        assert_eq!(line(&of("View", true)), view);
        assert!(parse(view).is_ok());
        // An array of structs: of one type, or of bytes.
        assert_eq!(
            (line(&of("Shape", false)), line(&of("Sum", false))),
            ("rand:1000".to_owned(), "zeros:1000".to_owned())
        );
        let shape = |text, name| match value(text, &of(name, false)) {
            Ok(Argument::Memory { before: Contents::Zeros(element, shape), .. }) => {
                Ok((element.name, shape))
            }
            Ok(other) => panic!("{other:?}"),
            Err(why) => Err(why),
        };
        assert_eq!(shape("zeros:8", "Shape"), Ok(("i32", vec![8, 2])));
        assert_eq!(shape("zeros:8", "Sum"), Ok(("u8", vec![8, 16])));
        assert!(shape("rand:8", "Sum").unwrap_err().contains("give zeros:8, uninit:8 or a file"));
        let why = value("7", &of("Shape", true)).unwrap_err();
        assert!(why.ends_with("such as struct:i32:1,i32:1"), "{why}");
    }

    #[test]
    fn errors_have_the_signature_and_a_line_to_copy() {
        let signature = "kernel: saxpy(float a, const float *x, float *y, int n)";
        for (given, words) in [
            ("", &["arguments given: 0, needed: 4", "missing: a, x, y, n", "x=rand:1000"][..]),
            ("2 zeros:16", &["given: a=2 x=zeros:16", "missing: y, n", "y=zeros:16 n=16"]),
            ("2 x.npy y.npy 3 4", &["`4` is one argument too many"]),
            ("m=3", &["no parameter is called `m`; did you mean"]),
            ("length=3", &["no parameter is called `length`\n"]),
            ("a=1 a=2", &["`a` is given twice"]),
            ("a=x 1 2 3", &["a=x: `x` is not a valid f32", "a=2.0"]),
            ("2 1000 1000 1000", &["`const float *x` is a pointer"]),
            ("2 in: y.npy 3", &["a file is missing"]),
            ("2 q:1 y.npy 3", &["TYPE:VALUE"]),
        ] {
            let why = assigned(given).expect_err(given);
            assert!(why.contains(signature), "{given}: {why}");
            for words in words {
                assert!(why.contains(words), "{given}: no `{words}` in\n{why}");
            }
        }
        for (output, words) in
            [("y", "is not NAME=FILE"), ("z=f", "called `z`"), ("a=f", "not memory")]
        {
            let why = assigned(&format!("2 zeros:8 zeros:8 8 -o {output}")).expect_err(output);
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn the_line_to_copy_keeps_every_option() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let line = "check k.cu --block 256 --json 256 --arg f32:2 --sarif out.sarif";
        assert_eq!(
            command_line(&words(line), &words("256 f32:2"), &words("n=256 a=it's")),
            "lanework check k.cu --block 256 --json --sarif out.sarif n=256 'a=it'\\''s'"
        );
    }
}
