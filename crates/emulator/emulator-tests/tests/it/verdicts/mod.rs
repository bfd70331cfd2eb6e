//! Verdicts on random kernels whose correctness is known by construction. A correct kernel computes the same as the host and
//! has no finding. The same kernel with one planted defect has a finding of the right kind at the right line, and no others.
//!
//! Kernels consist of pieces (`pieces`) in loops and branches (`control`). A piece has its text, its effect on the value of each
//! thread, and its possible defects: a missing barrier, a release without order, a mask that lacks a lane. Each kernel runs
//! without checks in the default and in a random schedule, and with every register varying. Then it runs with checks, by the
//! fast paths and by the reference, whose findings must agree.
//!
//! `LANEWORK_KERNELS=1000-2000 cargo test -p lanework-emulator-tests --test it verdicts` runs other seeds.

mod control;
mod draw;
mod pieces;
mod random;
mod run;
mod scene;
mod text;

use scene::{Host, Piece, Scope, Shape};
use text::Text;

/// The kernel's input: one word per thread.
pub fn input(shape: Shape) -> Vec<u32> {
    (0..shape.total() as u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 32) ^ i).collect()
}

/// Writes a kernel's text with a planted defect, or without one.
fn written(kernel: &draw::Kernel, chosen: Option<usize>) -> (Text, String) {
    let mut text = Text::default();
    (text.chosen, text.clusters, text.decides) = (chosen, kernel.clusters, kernel.decides);
    let (address, end) = (text.register("rd"), text.register("rd"));
    text.line(format!("mul.wide.u32 {address}, %gid, 4; add.u64 {end}, %out, {address}; add.u64 {address}, %in, {address};"));
    text.line(format!("ld.global.u32 %v, [{address}];"));
    kernel.body.emit(&mut text, &Scope::whole(kernel.shape));
    if text.holds {
        text.line("bar.sync 0;");
    }
    text.line(format!("st.global.u32 [{end}], %v;"));
    text.line("ret;");
    let (module, before) = text.finish(kernel.shape.cluster);
    text.expected.lines.iter_mut().for_each(|line| *line += before);
    (text, module)
}

/// Runs the kernels of a seed; returns the wrong verdicts and the number of kernels.
fn complaints(seed: u64) -> (Vec<String>, usize) {
    let kernel = draw::kernel(seed);
    let shape = kernel.shape;
    let facts = vec![scene::Facts::default(); kernel.pieces];
    let mut host = Host { shape, v: input(shape), sums: vec![0; draw::WORDS], facts };
    kernel.body.apply(&mut host, &vec![true; shape.total()]);
    let (text, module) = written(&kernel, None);
    let mut wrong = Vec::new();
    let mut complain = |what: &str, module: &str, why: String| {
        wrong.push(format!("kernel {seed}, {what}: {why}\n{}", run::numbered(module)));
    };
    if let Err(why) = run::right(&module, shape, text.stride(), &host) {
        complain("right", &module, why);
    }
    let chances = text
        .chances
        .iter()
        .enumerate()
        .filter(|(_, chance)| host.facts[chance.piece].meet(chance.need));
    let chances: Vec<usize> = chances.map(|(index, _)| index).collect();
    let mut random = random::Random::new(seed ^ 0x5eed);
    let mut count = 1;
    for _ in 0..3.min(chances.len()) {
        let chosen = random.pick(&chances);
        let (text, module) = written(&kernel, Some(chosen));
        count += 1;
        let name = text.chances[chosen].name;
        if let Err(why) = run::planted(&module, shape, text.stride(), &text.expected) {
            complain(&format!("with {name}"), &module, why);
        }
    }
    (wrong, count)
}

#[test]
fn verdicts_on_random_kernels_are_right() {
    let (mut wrong, mut kernels) = (Vec::new(), 0);
    for seed in random::seeds("LANEWORK_KERNELS", 0..32) {
        let (found, count) = complaints(seed);
        kernels += count;
        wrong.extend(found);
    }
    println!("{kernels} kernels, {} wrong verdicts", wrong.len());
    let shown = wrong.len().min(40);
    assert!(
        wrong.is_empty(),
        "{} wrong verdicts on {kernels} kernels\n{}",
        wrong.len(),
        wrong[..shown].join("\n\n")
    );
}
