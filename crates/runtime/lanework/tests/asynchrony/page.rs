//! The page `docs/src/{en,zh}/hopper.md` shows kernels of these tests, their PTX, and drawings of layouts.
//! `LANEWORK_BLESS=1 cargo test -p lanework --test asynchrony page` writes them into the page.
//!
//! A line `<!-- kernel: NAME -->` in the page precedes a block with the kernel's source, `<!-- ptx: NAME -->` before its
//! asynchronous instructions, `<!-- swizzle: B128 -->` before a drawing.

use crate::{assembled, bulk, clusters, gathered, order, pipelines, pixels, tiles};
use lanework::prelude::*;
use lanework::ptx::{Module, Statement};
use lanework::{Launch, Result};
use std::path::PathBuf;

const SOURCES: [&str; 8] = [
    include_str!("assembled.rs"),
    include_str!("bulk.rs"),
    include_str!("clusters.rs"),
    include_str!("gathered.rs"),
    include_str!("order.rs"),
    include_str!("pipelines.rs"),
    include_str!("pixels.rs"),
    include_str!("tiles.rs"),
];

/// The text of a kernel with its comment and attribute.
fn kernel(name: &str) -> String {
    crate::sources::kernel(&SOURCES, name)
}

/// The instructions that a page shows: each kind once, as first printed.
fn instructions(module: &Module, entry: &str) -> String {
    const SHOWN: [&str; 14] = [
        "mbarrier",
        "cp",
        "fence",
        "barrier",
        "bar",
        "elect",
        "setmaxnreg",
        "griddepcontrol",
        "createpolicy",
        "prefetch",
        "mapa",
        "atom",
        "red",
        "st",
    ];
    let body = module.entry(entry).and_then(|entry| entry.body.clone()).unwrap_or_default();
    let mut shown = Vec::<(String, String)>::new();
    for statement in body {
        let Statement::Instruction(instruction) = statement else { continue };
        let name = instruction.name();
        let ordered = ["acquire", "relaxed", "release", "shared::cluster", "L1::no_allocate"];
        let ordered =
            instruction.modifiers.iter().any(|m| ordered.contains(&m.to_string().as_str()));
        let wanted = match instruction.opcode.name() {
            "ld" | "st" => ordered,
            opcode => SHOWN.contains(&opcode),
        };
        if wanted && !shown.iter().any(|(known, _)| *known == name) {
            let operands: Vec<_> = instruction.operands.iter().map(ToString::to_string).collect();
            shown.push((
                name.clone(),
                format!("{name} {};", operands.join(", ")).replace(" ;", ";"),
            ));
        }
    }
    shown.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Where a swizzle puts the 16-byte chunks of eight rows: the drawing of [`Swizzle::apply`].
fn drawing(swizzle: Swizzle) -> String {
    let (width, chunks) = (swizzle.width(), swizzle.width() / 16);
    let mut text = String::from("row | chunk at byte");
    for place in 0..chunks {
        text += &format!("{:>5}", place * 16);
    }
    text += &format!("\n----+----------------{}", "-----".repeat(chunks as usize));
    for row in 0..8 {
        text += &format!("\n{row:>3} |               ");
        for place in 0..chunks {
            let from = swizzle.apply(row * width + place * 16);
            text += &format!("{:>5}", (from - row * width) / 16);
        }
    }
    text
}

fn printed(name: &str) -> Result<String> {
    let device = Device::emulator();
    let words = device.zeros::<u32>(4096)?;
    let floats = device.zeros::<f32>(4096)?;
    let [mut a, mut b] = [device.zeros::<u32>(4096)?, device.zeros::<u32>(4096)?];
    let mut c = device.zeros::<f32>(4096)?;
    let map = TensorMap::new(&words, &Tiles::new([64, 64], [32, 32]))?;
    let source = TensorMap::new(&floats, &Tiles::new([64, 64], [32, 32]))?;
    let tiles = Tiles::new([64, 64], [32, 32]);
    let show = |launch: Launch<'_>| Ok(instructions(&launch.module()?, name));
    match name {
        "transpose" => show(tiles::transpose(&source, TensorMapMut::new(&mut c, &tiles)?)),
        "column_sums" => show(pipelines::column_sums::<4>(&map, 1, &mut a)),
        "shared_loads" => show(clusters::shared_loads(&map, 1, &mut a)),
        "reduction" => show(clusters::reduction(&words, &mut a)),
        "mailboxes" => show(clusters::mailboxes(&words, &mut a)),
        "convolution" => {
            let images =
                PixelMap::new(&floats, &Pixels::new([2, 8, 8, 4], 32).filter(&[3, 3], &[1, 1]))?;
            let mut out = device.zeros::<f32>(512)?;
            show(pixels::convolution::<3, 3>(&images, &floats, &mut out, (8, 8), (1, 1), 1))
        }
        "moved_rows" => {
            let (table, numbers) = (device.zeros::<u32>(4096)?, device.zeros::<i32>(64)?);
            let rows = Tiles::new([64, 64], [1, 16]);
            let source = TensorMap::new(&table, &rows)?;
            let target = TensorMapMut::new(&mut a, &rows)?;
            show(gathered::moved_rows(&source, &numbers, &numbers, 0, target))
        }
        "relay" => show(clusters::relay(&mut a)),
        "ping_pong" => show(order::ping_pong(1, &mut a)),
        "grid_reduction" => show(order::grid_reduction(&words, &mut a, &mut b)),
        "first" => show(order::first(&mut a, 1)),
        "messages" => show(order::messages(&mut a, &mut b)),
        "add_up" => show(bulk::add_up(&words, &mut a, &mut b)),
        "tokens" => show(bulk::tokens(&mut a)),
        "roles" => show(assembled::roles(&mut a)),
        "hints" => show(assembled::hints(&floats, &mut c)),
        other => panic!("no kernel `{other}`"),
    }
}

/// The block below a marker.
fn block(kind: &str, name: &str) -> Result<String> {
    Ok(match (kind, name) {
        ("kernel", name) => format!("```rust\n{}\n```", kernel(name)),
        ("ptx", name) => format!("```text\n{}\n```", printed(name)?),
        ("swizzle", "B32") => format!("```text\n{}\n```", drawing(Swizzle::B32)),
        ("swizzle", "B64") => format!("```text\n{}\n```", drawing(Swizzle::B64)),
        ("swizzle", "B128") => format!("```text\n{}\n```", drawing(Swizzle::B128)),
        other => panic!("no block {other:?}"),
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
        if lines.peek().is_some_and(|next| next.starts_with("```")) {
            lines.next();
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
            .join(format!("../../../docs/src/{language}/hopper.md"));
        let page = std::fs::read_to_string(&path).expect("the page");
        let filled = filled(&page)?;
        if std::env::var_os("LANEWORK_BLESS").is_some() {
            std::fs::write(&path, filled).expect("written");
        } else {
            assert!(
                page == filled,
                "{language}/hopper.md is out of date: run with LANEWORK_BLESS=1"
            );
        }
    }
    Ok(())
}
