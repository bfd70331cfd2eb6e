//! The page `docs/src/{en,zh}/tensor-cores.md` shows kernels that these tests run, their PTX,
//! tables of products and drawings of layouts.
//! `LANEWORK_BLESS=1 cargo test -p lanework --test tiles page` writes them into the page.
//!
//! A line `<!-- kernel: NAME -->` in the page precedes a block with the kernel's source,
//! `<!-- ptx: NAME -->` before its instructions of tensor cores, `<!-- layout: NAME -->` before a drawing,
//! `<!-- table: NAME -->` before a table.

use crate::fragments;
use crate::kernels::{attention, mma, wgmma};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{GROUP_PRODUCTS, PRODUCTS};
use lanework::prelude::*;
use lanework::ptx::{Module, Statement};
use lanework::{Launch, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;

const SOURCES: [&str; 4] = [
    include_str!("fragments.rs"),
    include_str!("kernels/attention.rs"),
    include_str!("kernels/mma.rs"),
    include_str!("kernels/wgmma.rs"),
];

/// The text of a kernel with its comment and attribute.
fn kernel(name: &str) -> String {
    crate::sources::kernel(&SOURCES, name)
}

/// The instructions that the page shows: each once, as first printed.
fn instructions(module: &Module, entry: &str) -> String {
    const SHOWN: [&str; 8] =
        ["cp", "ldmatrix", "stmatrix", "movmatrix", "mma", "wgmma", "mbarrier", "fence"];
    let body = module.entry(entry).and_then(|entry| entry.body.clone()).unwrap_or_default();
    let mut shown = BTreeMap::new();
    let mut text = String::new();
    for statement in body {
        let Statement::Instruction(instruction) = statement else { continue };
        let name = instruction.name();
        let wanted = SHOWN.contains(&instruction.opcode.name());
        if wanted && shown.insert(name.clone(), ()).is_none() {
            let operands: Vec<_> = instruction.operands.iter().map(ToString::to_string).collect();
            let mut line = format!("{name} {};", operands.join(", ")).replace(" ;", ";");
            // Abbreviates the list of an accumulator's 128 registers.
            if let (Some(open), Some(close)) = (line.find('{'), line.find('}'))
                && line[open..close].split(", ").count() > 8
            {
                let names: Vec<&str> = line[open + 1..close].split(", ").collect();
                let ends = format!("{{{}, ..., {}", names[0], names[names.len() - 1]);
                line = format!("{}{ends}{}", &line[..open], &line[close..]);
            }
            text += &line;
            text.push('\n');
        }
    }
    text.trim_end().to_owned()
}

fn printed(name: &str) -> Result<String> {
    let device = Device::emulator();
    let x = device.zeros::<bf16>(256 * 64)?;
    let floats = device.zeros::<f32>(512)?;
    let mut halves = device.zeros::<bf16>(3 * 512)?;
    let mut c = device.zeros::<f32>(64)?;
    let (rows, depth) = wgmma::TILE;
    let map = |rows| {
        TensorMap::new(&x, &Tiles::new([256, 64], [rows, depth]).swizzle(lanework::Swizzle::B128))
    };
    let (of_a, of_b) = (map(rows)?, map(256)?);
    let show = |launch: Launch<'_>| Ok(instructions(&launch.module()?, name));
    match name {
        "plain" => show(mma::plain(&x, &x, &mut c, 16, 16)),
        "good" => show(mma::good(&x, &x, &mut c, 16, 16)),
        "attention" => show(attention::attention(&x, &x, &x, &mut c, 64, 1.0)),
        "product" => show(wgmma::product::<256>(&of_a, &of_b, &mut c, 128, 256, 64)),
        "stores" => show(fragments::stores(&floats, &mut halves)),
        other => panic!("no kernel `{other}`"),
    }
}

fn layout(name: &str) -> String {
    match name {
        "A of 16-bit elements" => FragmentA::<bf16, 16, 16>::drawing(),
        "B of 16-bit elements" => FragmentB::<bf16, 16, 8>::drawing(),
        "C" => FragmentC::<f32, 16, 8>::drawing(),
        "A of 8-bit elements" => FragmentA::<i8, 16, 32>::drawing(),
        "A of 32-bit elements" => FragmentA::<Tf32, 16, 8>::drawing(),
        "A of f64" => FragmentA::<f64, 8, 4>::drawing(),
        "64 x 16" => FragmentC::<f32, 64, 16>::drawing(),
        "Swizzle128" => SharedTile::<f16, 64, 64, Swizzle128>::drawing(),
        "Swizzle64" => SharedTile::<f16, 64, 32, Swizzle64>::drawing(),
        "Swizzle32" => SharedTile::<f16, 64, 16, Swizzle32>::drawing(),
        "NoSwizzle" => SharedTile::<f16, 64, 16, NoSwizzle>::drawing(),
        other => panic!("no layout `{other}`"),
    }
}

/// The table of products by the types of factors and sums.
fn table(name: &str) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut add = |types: &[&str; 3], shape: String| {
        let key = format!("{} x {} | {}", types[0], types[1], types[2]);
        match rows.iter_mut().find(|(known, _)| *known == key) {
            Some((_, shapes)) => *shapes += &format!(", {shape}"),
            None => rows.push((key, shape)),
        }
    };
    match name {
        "mma" => PRODUCTS.iter().for_each(|(types, [m, n, k])| add(types, format!("m{m}n{n}k{k}"))),
        "wgmma" => GROUP_PRODUCTS.iter().for_each(|types| {
            let bits = match types[0] {
                "f16" | "bf16" => 16,
                "tf32" => 32,
                _ => 8,
            };
            let widths =
                if types[2] == "s32" { "8, 16, 24, 32, 48 ... 256" } else { "8, 16 ... 256" };
            add(types, format!("m64nNk{}, N = {widths}", 256 / bits));
        }),
        other => panic!("no table `{other}`"),
    }
    let lines: Vec<String> =
        rows.iter().map(|(types, shapes)| format!("| {types} | {shapes} |")).collect();
    format!("| A x B | C, D | PTX |\n| --- | --- | --- |\n{}", lines.join("\n"))
}

/// The block below a marker.
fn block(kind: &str, name: &str) -> Result<String> {
    Ok(match kind {
        "kernel" => format!("```rust\n{}\n```", kernel(name)),
        "ptx" => format!("```text\n{}\n```", printed(name)?),
        "layout" => format!("```text\n{}\n```", layout(name).trim_end()),
        "table" => format!("{}\n", table(name)),
        other => panic!("no block of kind `{other}`"),
    })
}

/// The page with all blocks below markers replaced.
fn filled(page: &str) -> Result<String> {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let marker = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some((kind, name)) = marker.and_then(|marker| marker.split_once(": ")) else {
            continue;
        };
        if kind == "table" {
            while lines.next_if(|next| next.starts_with('|')).is_some() {}
            lines.next_if(|next| next.is_empty());
        } else if lines.next_if(|next| next.starts_with("```")).is_some() {
            while lines.next().is_some_and(|line| line != "```") {}
        }
        out += &block(kind, name)?;
        out.push('\n');
    }
    Ok(out)
}

#[test]
fn the_page_shows_the_code_that_runs() -> Result<()> {
    for language in ["en", "zh"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../../docs/src/{language}/tensor-cores.md"));
        let page = std::fs::read_to_string(&path).expect("the page");
        let filled = filled(&page)?;
        if std::env::var_os("LANEWORK_BLESS").is_some() {
            std::fs::write(&path, filled).expect("written");
        } else {
            let name = format!("{language}/tensor-cores.md");
            assert!(page == filled, "{name} is out of date: run with LANEWORK_BLESS=1");
        }
    }
    Ok(())
}
