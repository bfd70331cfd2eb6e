//! Mutations of a module, each of which imitates one mistake: a wrong type, a wrong space, a lost comma.

use crate::random::Random;
use crate::source::{Piece, Source};

type Mutation = fn(&Source, &mut Random) -> Option<String>;

/// The mutations by name; all are equally likely.
pub const MUTATIONS: &[(&str, Mutation)] = &[
    ("register of another type", register),
    ("register of another type", register),
    ("type modifier", type_modifier),
    ("type modifier", type_modifier),
    ("state space", state_space),
    ("state space", state_space),
    ("operand count or order", operand_list),
    ("modifier list", modifier_list),
    ("modifier replaced", modifier_replaced),
    ("opcode", opcode),
    ("immediate", immediate),
    ("operand form", operand_form),
    ("special register", special),
    ("name as operand", name_operand),
    ("undeclared name", undeclared),
    ("parameter space", parameter_space),
    ("declaration type", declaration_type),
    ("declaration", declaration),
    ("label", label),
    ("guard", guard),
    ("vector", vector),
    ("address", address),
    ("call", call),
    ("heading", heading),
    ("statement inserted", inserted),
    ("punctuation", punctuation),
    ("line", line),
    ("character", character),
];

const TYPES: &[&str] = &[
    "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32",
    "s64", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64",
];
const SPACES: &[&str] =
    &["global", "shared", "local", "const", "param", "reg", "shared::cta", "shared::cluster"];
const MODIFIERS: &[&str] = &[
    "rn",
    "rz",
    "rm",
    "rp",
    "rni",
    "rzi",
    "rmi",
    "rpi",
    "ftz",
    "sat",
    "approx",
    "full",
    "lo",
    "hi",
    "wide",
    "volatile",
    "sync",
    "aligned",
    "uni",
    "relaxed",
    "acquire",
    "release",
    "gpu",
    "cta",
    "sys",
    "v2",
    "v4",
    "nc",
    "ca",
    "cg",
    "cs",
    "wb",
    "wt",
    "eq",
    "lt",
    "ge",
    "ltu",
    "and",
    "or",
    "xor",
    "add",
    "min",
    "max",
    "cas",
    "exch",
    "to",
    "relu",
    "NaN",
    "cc",
    "x",
    "wrap",
    "clamp",
    "down",
    "idx",
    "all",
    "any",
    "ballot",
    "noftz",
    "L2::128B",
    "satfinite",
    "trans",
    "x4",
    "row",
    "col",
    "m8n8",
    "bogus",
];
const IMMEDIATES: &[&str] = &[
    "0",
    "1",
    "-1",
    "32",
    "65536",
    "4294967296",
    "-2147483649",
    "0xFFFFFFFFFFFFFFFF",
    "99999999999999999999",
    "1.0",
    "0f3F800000",
    "0d3FF0000000000000",
    "0f3F8",
    "0x",
    "1e400",
    "WARP_SZ",
    "08",
    "1U",
    "(1+2)*3",
    "5/0",
    "1.5+2.5",
    "-0f3F800000",
    "true",
    "0b102",
];
const SPECIALS: &[&str] = &[
    "%tid.x",
    "%tid",
    "%tid.w",
    "%laneid",
    "%laneid.x",
    "%clock64",
    "%clock",
    "%nctaid.y",
    "%smid",
    "%warpid",
    "%lanemask_lt",
    "%dynamic_smem_size",
    "%globaltimer",
    "%nosuch",
    "%tid.q",
    "%envreg3",
    "%total_smem_size",
    "%cluster_ctarank",
    "%pm0",
    "%gridid",
];

/// Chooses an instruction: from the whole text, or first an opcode and then an instruction with it.
fn any<'s>(source: &'s Source, random: &mut Random) -> Option<&'s Piece> {
    let chosen = random.pick(&source.instructions)?;
    if random.below(2) == 0 {
        return Some(chosen);
    }
    let mut names: Vec<&str> = source.instructions.iter().map(|p| p.words[0].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let name = *random.pick(&names)?;
    let same: Vec<&Piece> = source.instructions.iter().filter(|p| p.words[0] == name).collect();
    random.pick(&same).copied()
}

fn changed(
    source: &Source,
    random: &mut Random,
    change: impl FnOnce(&mut Piece, &mut Random) -> Option<()>,
) -> Option<String> {
    let mut piece = any(source, random)?.clone();
    change(&mut piece, random)?;
    Some(source.with_line(piece.line, &piece.text()))
}

/// The byte ranges of registers in an operand.
fn registers_in(operand: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = operand[at..].find('%').map(|n| at + n) {
        let rest = &operand[start + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        found.push((start, start + 1 + end));
        at = start + 1 + end;
    }
    found
}

fn replace_register(piece: &mut Piece, random: &mut Random, with: &str) -> Option<()> {
    let index = random.below(piece.operands.len().max(1));
    let operand = piece.operands.get(index)?.clone();
    let (start, end) = *random.pick(&registers_in(&operand))?;
    piece.operands[index] = format!("{}{with}{}", &operand[..start], &operand[end..]);
    Some(())
}

fn a_register(source: &Source, random: &mut Random) -> Option<String> {
    let (prefix, _) = random.pick(&source.registers)?;
    Some(if prefix.starts_with('%') { format!("{prefix}1") } else { prefix.clone() })
}

fn register(source: &Source, random: &mut Random) -> Option<String> {
    let with = a_register(source, random)?;
    changed(source, random, |piece, random| replace_register(piece, random, &with))
}

fn type_modifier(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        let is_type = |i: &usize| TYPES.contains(&piece.words[*i].as_str());
        let places: Vec<usize> = (1..piece.words.len()).filter(is_type).collect();
        let place = *random.pick(&places)?;
        piece.words[place] = (*random.pick(TYPES)?).to_owned();
        Some(())
    })
}

fn state_space(source: &Source, random: &mut Random) -> Option<String> {
    let memory: Vec<&Piece> = source
        .instructions
        .iter()
        .filter(|p| {
            p.words.iter().any(|w| SPACES.contains(&w.as_str()))
                || matches!(p.words[0].as_str(), "ld" | "st" | "atom" | "red" | "cvta")
        })
        .collect();
    let mut piece = (*random.pick(&memory)?).clone();
    let place = (1..piece.words.len()).find(|i| SPACES.contains(&piece.words[*i].as_str()));
    let space = (*random.pick(SPACES)?).to_owned();
    match (place, random.below(4)) {
        (Some(place), 0) => drop(piece.words.remove(place)),
        (Some(place), _) => piece.words[place] = space,
        (None, _) => piece.words.insert(1, space),
    }
    Some(source.with_line(piece.line, &piece.text()))
}

fn operand_list(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        let count = piece.operands.len();
        let index = random.below(count.max(1));
        match random.below(4) {
            0 if count > 0 => drop(piece.operands.remove(index)),
            1 if count > 0 => piece.operands.insert(index, piece.operands[index].clone()),
            2 if count > 1 => piece.operands.swap(index, (index + 1) % count),
            _ if count > 1 => piece.operands.rotate_left(1),
            _ => return None,
        }
        Some(())
    })
}

fn modifier_list(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        let count = piece.words.len();
        let index = 1 + random.below(count.saturating_sub(1).max(1));
        match random.below(4) {
            0 if count > 1 => drop(piece.words.remove(index)),
            1 if count > 1 => piece.words.insert(index, piece.words[index].clone()),
            2 if count > 2 => piece.words.swap(index, 1 + index % (count - 1)),
            _ => piece.words.insert(index.min(count), (*random.pick(MODIFIERS)?).to_owned()),
        }
        Some(())
    })
}

fn modifier_replaced(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        if piece.words.len() < 2 {
            return None;
        }
        let index = 1 + random.below(piece.words.len() - 1);
        piece.words[index] = (*random.pick(MODIFIERS)?).to_owned();
        Some(())
    })
}

fn opcode(source: &Source, random: &mut Random) -> Option<String> {
    let other = random.pick(&source.instructions)?.words[0].clone();
    changed(source, random, |piece, random| {
        const MORE: &[&str] = &[
            "addc", "sub", "div", "rem", "fma", "mad24", "selp", "slct", "atom", "red", "ldu",
            "nop",
        ];
        piece.words[0] =
            if random.below(3) == 0 { (*random.pick(MORE)?).to_owned() } else { other };
        Some(())
    })
}

fn immediate(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        let index = random.below(piece.operands.len().max(1));
        let slot = piece.operands.get_mut(index)?;
        *slot = (*random.pick(IMMEDIATES)?).to_owned();
        Some(())
    })
}

fn operand_form(source: &Source, random: &mut Random) -> Option<String> {
    let other = a_register(source, random)?;
    changed(source, random, |piece, random| {
        let index = random.below(piece.operands.len().max(1));
        let slot = piece.operands.get_mut(index)?;
        *slot = match random.below(11) {
            0 => format!("{slot}+1"),
            1 => format!("-{slot}"),
            2 => format!("!{slot}"),
            3 => format!("{{{slot}}}"),
            4 => format!("[{slot}]"),
            5 => format!("({slot})"),
            6 => format!("{slot}|{other}"),
            7 => format!("{slot}.x"),
            8 => "_".to_owned(),
            9 => format!("{{{slot},{other}}}"),
            _ => slot.trim_matches(['[', ']', '{', '}', '!']).to_owned(),
        };
        Some(())
    })
}

fn special(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        let with = *random.pick(SPECIALS)?;
        replace_register(piece, random, with)
    })
}

fn name_operand(source: &Source, random: &mut Random) -> Option<String> {
    let name = random.pick(&source.names)?.clone();
    changed(source, random, |piece, random| {
        if random.below(2) == 0 {
            return replace_register(piece, random, &name);
        }
        let index = random.below(piece.operands.len().max(1));
        *piece.operands.get_mut(index)? = name;
        Some(())
    })
}

fn undeclared(source: &Source, random: &mut Random) -> Option<String> {
    changed(source, random, |piece, random| {
        const NAMES: &[&str] =
            &["%zz1", "nowhere", "%r99999", "%rd99999", "%f99999", "$none", "%p", "_nope"];
        let with = *random.pick(NAMES)?;
        replace_register(piece, random, with)
    })
}

/// Changes a line that satisfies `test`.
fn on_line(
    source: &Source,
    random: &mut Random,
    test: impl Fn(&str) -> bool,
    change: impl FnOnce(&str, &mut Random) -> Option<String>,
) -> Option<String> {
    let places: Vec<usize> =
        (0..source.lines.len()).filter(|n| test(source.lines[*n].trim())).collect();
    let place = *random.pick(&places)?;
    let with = change(&source.lines[place], random)?;
    Some(source.with_line(place, &with))
}

fn is_parameter(line: &str) -> bool {
    line.contains(".param")
        && !line.contains(';')
        && !line.starts_with("ld")
        && !line.starts_with("st")
}

fn parameter_space(source: &Source, random: &mut Random) -> Option<String> {
    on_line(source, random, is_parameter, |line, random| {
        let with = random.pick(&[".reg", ".global", ".shared", ".local", ".const", "", ".sreg"])?;
        Some(line.replacen(".param", with, 1))
    })
}

fn is_declaration(line: &str) -> bool {
    let starts = [
        ".reg",
        ".param",
        ".global",
        ".shared",
        ".const",
        ".local",
        ".visible .global",
        ".extern .shared",
    ];
    starts.iter().any(|s| line.starts_with(s))
}

fn declaration_type(source: &Source, random: &mut Random) -> Option<String> {
    on_line(source, random, is_declaration, |line, random| {
        let ty = TYPES
            .iter()
            .find(|ty| line.split([' ', '\t']).any(|w| w.strip_prefix('.') == Some(ty)))?;
        Some(line.replacen(&format!(".{ty}"), &format!(".{}", random.pick(TYPES)?), 1))
    })
}

fn declaration(source: &Source, random: &mut Random) -> Option<String> {
    on_line(source, random, is_declaration, |line, random| {
        Some(match random.below(10) {
            0 => format!("{line}\n{line}"),
            1 => String::new(),
            2 => line.replacen('<', "<-", 1),
            3 => line.replacen(".align ", ".align 3", 1),
            4 => line.replacen(']', "*1000000]", 1),
            5 => line.replacen('[', "[-", 1),
            6 => line.replacen(";", " = 5;", 1),
            7 => line.replacen(" .", " .v2 .", 1),
            8 => line.replacen(' ', " .weak ", 1),
            _ => line.replacen(';', ", extra;", 1),
        })
    })
}

fn label(source: &Source, random: &mut Random) -> Option<String> {
    let is_label = |line: &str| line.ends_with(':') && !line.contains(' ');
    let other = random.pick(&source.names)?.clone();
    on_line(source, random, is_label, |line, random| {
        Some(match random.below(5) {
            0 => format!("{line}\n{line}"),
            1 => String::new(),
            2 => line.replace(':', ""),
            3 => format!("{other}:"),
            _ => line.replace(':', ";"),
        })
    })
}

fn guard(source: &Source, random: &mut Random) -> Option<String> {
    let with = a_register(source, random)?;
    changed(source, random, |piece, random| {
        piece.guard = match random.below(5) {
            0 => format!("@{with} "),
            1 => format!("@!{with} "),
            2 => "@%p99999 ".to_owned(),
            3 => "@1 ".to_owned(),
            _ => format!("{}@%p1 ", piece.guard),
        };
        Some(())
    })
}

fn vector(source: &Source, random: &mut Random) -> Option<String> {
    let vectors: Vec<&Piece> = source
        .instructions
        .iter()
        .filter(|p| {
            p.operands.iter().any(|o| o.contains('{'))
                || p.words.iter().any(|w| w == "v2" || w == "v4")
        })
        .collect();
    let mut piece = (*random.pick(&vectors)?).clone();
    let place = piece.operands.iter().position(|o| o.contains('{'))?;
    let inner = piece.operands[place].trim_matches(['{', '}', ' ']).to_owned();
    let mut elements: Vec<&str> = inner.split(',').map(str::trim).collect();
    let other = a_register(source, random)?;
    match random.below(6) {
        0 => drop(elements.pop()),
        1 => elements.push(&other),
        2 => {
            let index = random.below(elements.len());
            elements[index] = &other;
        }
        3 => {
            let arity = piece.words.iter().position(|w| w == "v2" || w == "v4")?;
            piece.words[arity] = (*random.pick(&["v2", "v4", "v8", "v3", "v1"])?).to_owned();
        }
        4 => {
            let arity = piece.words.iter().position(|w| w == "v2" || w == "v4")?;
            piece.words.remove(arity);
        }
        _ => {
            let index = random.below(elements.len());
            elements[index] = "0";
        }
    }
    piece.operands[place] = format!("{{{}}}", elements.join(", "));
    Some(source.with_line(piece.line, &piece.text()))
}

fn address(source: &Source, random: &mut Random) -> Option<String> {
    let with = a_register(source, random)?;
    let name = random.pick(&source.names)?.clone();
    changed(source, random, |piece, random| {
        let place = piece.operands.iter().position(|o| o.starts_with('['))?;
        let inner = piece.operands[place].trim_matches(['[', ']']).to_owned();
        piece.operands[place] = match random.below(10) {
            0 => format!("[{with}]"),
            1 => format!("[{name}]"),
            2 => inner,
            3 => format!("[{inner}+{with}]"),
            4 => format!("[{inner}+1.5]"),
            5 => format!("[{inner}-4]"),
            6 => format!("[{inner}+99999999999]"),
            7 => "[64]".to_owned(),
            8 => format!("[{inner}"),
            _ => format!("[{inner}, 4]"),
        };
        Some(())
    })
}

fn call(source: &Source, random: &mut Random) -> Option<String> {
    let is_call = |line: &str| {
        line.starts_with("call")
            || line.starts_with(".func")
            || line.contains("st.param")
            || line.contains("ld.param")
    };
    let with = a_register(source, random)?;
    on_line(source, random, is_call, |line, random| {
        Some(match random.below(7) {
            0 => line.replacen("param0", "param9", 1),
            1 => line.replacen("param", "parm", 1),
            2 => line.replacen("b64", "b32", 1).replacen("u64", "u32", 1),
            3 => line.replacen("]", "+4]", 1),
            4 => line.replacen('[', &format!("[{with}+"), 1),
            5 => line.replacen(".param", ".param::entry", 1),
            _ => line.replacen("ld.param", "st.param", 1),
        })
    })
    .filter(|text| *text != source.lines.join("\n") + "\n")
}

fn heading(source: &Source, random: &mut Random) -> Option<String> {
    let is_heading = |line: &str| {
        [
            ".version",
            ".target",
            ".address_size",
            ".visible .entry",
            ".maxntid",
            ".reqntid",
            ".entry",
            ".file",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    };
    on_line(source, random, is_heading, |line, random| {
        let trimmed = line.trim();
        let with: &[&str] = if trimmed.starts_with(".version") {
            &[
                ".version 6.0",
                ".version 7.0",
                ".version 9.9",
                ".version 5",
                ".version 3.2",
                ".version x",
            ]
        } else if trimmed.starts_with(".target") {
            &[
                ".target sm_60",
                ".target sm_70",
                ".target sm_83",
                ".target sm_90",
                ".target sm_75, debug",
                ".target compute_80",
                ".target sm_80, nonsense",
            ]
        } else if trimmed.starts_with(".address_size") {
            &[".address_size 32", ".address_size 16", ".address_size"]
        } else if trimmed.starts_with(".file") {
            &[".file x", ".file 1", ""]
        } else if trimmed.starts_with(".maxntid") || trimmed.starts_with(".reqntid") {
            &[
                ".maxntid 0",
                ".reqntid 5, 5, 5, 5",
                ".maxntid 4096",
                ".maxntid -1",
                ".maxntid 1 .reqntid 32",
                ".maxntid %r1",
            ]
        } else {
            return Some(match random.below(4) {
                0 => line.replacen(".entry", ".func", 1),
                1 => line.replacen(".visible", ".extern", 1),
                2 => line.replacen(".entry", ".entri", 1),
                _ => line.replacen(".entry", ".entry .weak", 1),
            });
        };
        Some((*random.pick(with)?).to_owned())
    })
}

fn inserted(source: &Source, random: &mut Random) -> Option<String> {
    const STATEMENTS: &[&str] = &[
        ".nonsense 5 6 7;",
        ".pragma \"nounroll\";",
        ".pragma 5;",
        ".reg .b32 %r;",
        ".branchtargets A, B;",
        ".global .b32 inner;",
        ".shared .b32 inner[4];",
        ".local .f16 inner;",
        ".param .b32 inner;",
        "nonsense;",
        "5;",
        "add;",
        "ret",
        "{ }",
        "}",
        "{",
        ";",
        ".loc 1 1 1",
        ".loc 99 1 1",
        ".loc x",
        "here: here2:",
        ".visible .b32 x;",
        ".entry k2 { ret; }",
        "bra;",
        "mov.b32 5, 6;",
        ".callprototype _ ();",
        "\"text\"",
        "# comment",
        "@%p1",
        ".maxntid 5",
        ".section .debug { }",
        "ret; ret;",
        "/* comment */",
        "/* open",
        "\\",
        ".version 8.0",
        ".target sm_80",
        ".reg .v2 .b32 pair;",
        ".reg .f16x2 h2;",
        ".reg .b8 byte;",
        ".align 4",
        ".shared .align 16 .b8 big[400000];",
        ".local .b8 big[99999999999];",
        ".const .b32 c = 1;",
        "trap; exit;",
    ];
    let place = any(source, random)?.line;
    let statement = random.pick(STATEMENTS)?;
    Some(source.with_line(place, &format!("{}\n{statement}", source.lines[place])))
}

fn punctuation(source: &Source, random: &mut Random) -> Option<String> {
    let place = random.below(source.lines.len());
    let line = &source.lines[place];
    let marks: Vec<usize> = line
        .bytes()
        .enumerate()
        .filter(|(_, b)| b";,{}[]().:@<>+!|%".contains(b))
        .map(|(n, _)| n)
        .collect();
    let at = *random.pick(&marks)?;
    if line[..at].contains("//") {
        return None;
    }
    let (before, after) = (&line[..at], &line[at + 1..]);
    let mark = &line[at..=at];
    let with = match random.below(4) {
        0 | 1 => format!("{before}{after}"),
        2 => format!("{before}{mark}{mark}{after}"),
        _ => format!("{before}{}{after}", random.pick(&[";", ",", "}", "[", ".", "?", "&", "="])?),
    };
    Some(source.with_line(place, if with.is_empty() { " " } else { &with }))
}

fn line(source: &Source, random: &mut Random) -> Option<String> {
    let place = random.below(source.lines.len());
    let line = &source.lines[place];
    let other = random.pick(&source.lines)?;
    if line.trim().is_empty() || line.trim().starts_with("//") {
        return None;
    }
    Some(match random.below(4) {
        0 => source.with_line(place, " "),
        1 => source.with_line(place, &format!("{line}\n{line}")),
        2 => source.with_line(place, &format!("{line}\n{other}")),
        _ => source.with_line(place, other),
    })
}

fn character(source: &Source, random: &mut Random) -> Option<String> {
    let place = any(source, random)?.line;
    let line: Vec<char> = source.lines[place].chars().collect();
    let at = random.below(line.len().max(1));
    let mut with = line.clone();
    match random.below(4) {
        0 => drop(with.remove(at)),
        1 => with.insert(at, *random.pick(&['x', '1', ' ', '.', '%', '-', '\\', '"', 'é'])?),
        2 => with[at] = *random.pick(&['x', '7', ' ', '_', '$', '#'])?,
        _ if at + 1 < with.len() => with.swap(at, at + 1),
        _ => return None,
    }
    Some(source.with_line(place, &with.into_iter().collect::<String>()))
}
