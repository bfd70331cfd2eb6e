//! `lanework-lab latencies`: microbenchmarks of a GPU for the time model, as chains of dependent instructions in PTX.
//!
//! One warp, or one block for barriers, runs each chain twice and reads the clock around the second run, so that the
//! instructions are cached. The result is the mean cycles of a link.

use crate::args::LatenciesArgs;
use lanework::{Device, PtxArg, PtxShape};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use serde::Serialize;
use std::fmt::Write;

/// Links of a chain.
const LINKS: usize = 128;

/// A chain: its name, the threads of the block, the lines before it, and those of a link.
struct Chain {
    name: &'static str,
    threads: u32,
    start: &'static str,
    link: &'static str,
}

const fn chain(name: &'static str, start: &'static str, link: &'static str) -> Chain {
    Chain { name, threads: 32, start, link }
}

/// The chains. Registers %r1, %f1 and %d1 carry the value; %rd2 is the address of zeros.
const CHAINS: &[Chain] = &[
    chain("fma.f32", "", "fma.rn.f32 %f1, %f1, %f2, %f3;"),
    chain("mad.lo.u32", "", "mad.lo.u32 %r1, %r1, %r2, %r3;"),
    chain("mad.wide.u32, cvt", "", "mad.wide.u32 %rd1, %r1, %r2, %rd3; cvt.u32.u64 %r1, %rd1;"),
    chain("xor, add", "", "xor.b32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;"),
    chain("setp, selp", "", "setp.lt.u32 %p1, %r1, %r2; selp.u32 %r1, %r3, %r1, %p1;"),
    chain("setp, guarded add", "", "setp.ne.u32 %p1, %r1, %r2; @%p1 xor.b32 %r1, %r1, %r3;"),
    chain("fma.f16x2", "", "fma.rn.f16x2 %r1, %r1, %r2, %r3;"),
    chain("fma.f64", "", "fma.rn.f64 %d1, %d1, %d2, %d2;"),
    chain("ex2.approx", "", "ex2.approx.ftz.f32 %f1, %f1;"),
    chain("cvt to s32 and back", "", "cvt.rzi.s32.f32 %r1, %f1; cvt.rn.f32.s32 %f1, %r1;"),
    chain("popc", "", "popc.b32 %r1, %r1;"),
    chain("shfl.bfly", "", "shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff;"),
    chain(
        "vote.ballot",
        "",
        "setp.ne.u32 %p1, %r1, %r2; vote.sync.ballot.b32 %r1, %p1, 0xffffffff;",
    ),
    chain("redux.add", "", "redux.sync.add.u32 %r1, %r1, 0xffffffff;"),
    chain(
        "ld.shared",
        "mov.u32 %r1, tile; st.shared.u32 [%r1], %r1; bar.sync 0;",
        "ld.shared.u32 %r1, [%r1];",
    ),
    chain(
        "ld.global, L1",
        "st.global.u64 [%rd2], %rd2; mov.u64 %rd1, %rd2;",
        "ld.global.ca.u64 %rd1, [%rd1];",
    ),
    chain(
        "ld.global, L2",
        "st.global.u64 [%rd2], %rd2; mov.u64 %rd1, %rd2;",
        "ld.global.cg.u64 %rd1, [%rd1];",
    ),
    chain("atom.shared.add", "mov.u32 %r4, tile;", "atom.shared.add.u32 %r1, [%r4], %r1;"),
    chain("atom.global.add", "", "atom.global.add.u32 %r1, [%rd2], %r1;"),
    chain("membar.gl", "", "membar.gl;"),
    chain(
        "mma.m16n8k16",
        "mov.f32 %f4, %f1; mov.f32 %f5, %f1; mov.f32 %f6, %f1;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f4, %f5, %f6}, {%r1, %r2, %r3, %r1}, {%r2, %r3}, \
         {%f1, %f4, %f5, %f6};",
    ),
    chain("bar.sync, 1 warp", "", "bar.sync 0;"),
    Chain { name: "bar.sync, 8 warps", threads: 256, start: "", link: "bar.sync 0;" },
    Chain { name: "bar.sync, 32 warps", threads: 1024, start: "", link: "bar.sync 0;" },
];

/// A measured chain.
#[derive(Serialize)]
struct Measured {
    chain: &'static str,
    cycles: f64,
}

/// The measured chains of a GPU.
#[derive(Serialize)]
struct LatenciesJson {
    gpu: String,
    links: usize,
    chains: Vec<Measured>,
}

/// Measures every chain on a GPU.
///
/// # Errors
/// If the device is not a GPU, or fails.
pub fn run(args: &LatenciesArgs) -> Outcome {
    let device = Device::open(&args.device)?;
    if device.backend() != lanework::Backend::Cuda {
        return Err(Failure::input(
            "the emulator does not model latencies",
            "name a GPU: --device cuda:0",
        ));
    }
    let mut chains = Vec::new();
    for chain in CHAINS {
        let cycles = measure(&device, chain)?;
        if !args.json {
            print(&format!("{:24} {cycles:8.2}\n", chain.name))?;
        }
        chains.push(Measured { chain: chain.name, cycles });
    }
    match args.json {
        true => print_json(&LatenciesJson { gpu: device.info().name, links: LINKS, chains }),
        false => Ok(()),
    }
}

fn measure(device: &Device, chain: &Chain) -> Result<f64, Failure> {
    let module = device.load_ptx(&module(chain))?;
    let out = device.zeros::<u8>(16)?;
    let data = device.zeros::<u8>(256)?;
    let arguments = [PtxArg::Memory(&out), PtxArg::Memory(&data)];
    let shape = PtxShape::new(1, chain.threads);
    // SAFETY: the kernel accesses the first 8 bytes of `data` and 16 bytes of `out`.
    unsafe { module.launch("chain", shape, &arguments) }?;
    let bytes = out.download()?;
    let cycles = bytes.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Ok(cycles as f64 / LINKS as f64)
}

/// The module of a chain.
fn module(chain: &Chain) -> String {
    let mut body = String::new();
    for _ in 0..LINKS {
        let _ = writeln!(body, "    {}", chain.link);
    }
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry chain(.param .u64 out, .param .u64 data)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %d<4>;\n\
         .shared .align 8 .b32 tile[32];\n\
         ld.param.u64 %rd4, [out]; ld.param.u64 %rd2, [data];\n\
         cvta.to.global.u64 %rd4, %rd4; cvta.to.global.u64 %rd2, %rd2;\n\
         ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r1, 3; add.u32 %r3, %r1, 5; mov.u64 %rd3, %rd2;\n\
         cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; cvt.rn.f32.u32 %f3, %r3;\n\
         cvt.rn.f64.u32 %d1, %r1; cvt.rn.f64.u32 %d2, %r2; mov.u32 %r5, 0; mov.u32 %r6, tile;\n\
         st.shared.u32 [%r6], %r1; bar.sync 0;\n\
         again:\n{start}\n\
         mov.u64 %rd5, %clock64;\n{body}\
         mov.u64 %rd6, %clock64;\n\
         add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2; @%p2 bra again;\n\
         sub.u64 %rd6, %rd6, %rd5; st.global.u64 [%rd4], %rd6;\n\
         cvt.rzi.u32.f32 %r4, %f1; cvt.rzi.u32.f64 %r7, %d1; xor.b32 %r4, %r4, %r7; xor.b32 %r4, %r4, %r1;\n\
         cvt.u32.u64 %r7, %rd1; xor.b32 %r4, %r4, %r7; st.global.u32 [%rd4+8], %r4;\n\
         ret;\n}}\n",
        start = chain.start,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chain_is_valid() {
        let device = Device::emulator();
        for chain in CHAINS {
            let found = device.load_ptx(&module(chain));
            assert!(found.is_ok(), "{}: {:?}", chain.name, found.err());
        }
    }
}
