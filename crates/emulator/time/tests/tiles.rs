//! Tiles of tensor maps, whose addresses a trace does not have.

use lanework_engine::device::Device;
use lanework_engine::event::AccessKind;
use lanework_engine::launch::Options;
use lanework_ptx::Module;
use lanework_ptx_ir::analysis::Analyses;
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::trace::chain::WaitChain;
use lanework_time::trace::work::GridWork;
use lanework_time::trace::{
    AccessTarget, BlockTrace, GlobalRange, KernelTrace, NO_SECTORS, NONE, Residence, Runs,
    TraceStep, Traffic, WarpTrace,
};
use std::sync::Arc;

const COPY: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	.shared .align 128 .b8 tile[32768];
	.shared .align 8 .b64 full;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [q];
	mov.u32 %r1, tile;
	mov.u32 %r2, full;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {0, 0}], [%r1];
	ret;
}
";

const BLOCKS: u32 = 16_384;
const TILE: u32 = 32_768;

/// Each block copies a tile.
fn copy() -> KernelTrace {
    let module = Module::parse(COPY).expect("valid PTX");
    let program = Device::new(Options::default()).load(&module).expect("a valid module");
    let kernel = Arc::clone(program.kernel("k").expect("the kernel"));
    let runs = Arc::new(Runs::new(&kernel, &Analyses::new(&kernel)));
    let name = |run: usize| kernel.origins[runs.all[run].origin as usize].name.as_str();
    let copies = (0..runs.all.len()).filter(|&run| name(run).starts_with("cp.async.bulk.tensor"));
    let traffic = copies.zip([AccessKind::Load, AccessKind::Store]).map(|(run, kind)| Traffic {
        step: run as u32,
        target: AccessTarget::Bulk,
        kind,
        wavefronts: TILE / 128,
        lines: TILE / 128,
        first: NO_SECTORS,
        sectors: TILE / 32,
        collisions: 0,
        rounds: 0,
        bytes: TILE,
        token: NONE,
    });
    let traffic: Vec<Traffic> = traffic.collect();
    assert_eq!(traffic.len(), 2);
    let steps = (0..runs.all.len() as u32).map(|run| TraceStep { run, mask: u32::MAX });
    let steps: Vec<TraceStep> = steps.collect();
    let instructions = steps.len() as u64;
    let warp = WarpTrace { steps, traffic, waits: Vec::new(), instructions };
    let range = |start| GlobalRange {
        start,
        bytes: u64::from(BLOCKS * (TILE / 1024)) * 1024,
        residence: Residence::Device,
    };
    KernelTrace {
        runs,
        grid: [BLOCKS, 1, 1],
        threads: 32,
        cluster: 1,
        shared_bytes: TILE + 8,
        registers: 16,
        exact_registers: true,
        listing: None,
        allocations: vec![range(1 << 32), range(1 << 33)],
        blocks: vec![BlockTrace {
            block: u64::from(BLOCKS / 2),
            warps: vec![warp],
            sectors: Vec::new(),
            tokens: Vec::new(),
            complete: true,
        }],
        recurrences: Vec::new(),
        sampled: GridWork::default(),
        heavy: None,
        polls: false,
        chain: WaitChain::default(),
        kernel,
    }
}

#[test]
fn tiles_are_read_once_and_written_once() {
    let model = GpuModel::named("H200");
    let found = predict(&copy(), &model, Protocol::Rotated);
    let all = f64::from(BLOCKS) * f64::from(TILE);
    assert_eq!(found.memory_bytes, [all, all]);
    let least = 2.0 * all / model.gpu.bandwidth_gb_s;
    assert!((1.0..1.6).contains(&(found.time_ns / least)), "{} {least}", found.time_ns);
}
