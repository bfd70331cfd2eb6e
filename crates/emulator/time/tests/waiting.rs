//! Blocks that wait for each other.

use lanework_engine::device::Device;
use lanework_engine::launch::{LaunchConfig, Options};
use lanework_ptx::Module;
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::{Effort, record};

/// Each block waits for the flag of the block before, meets its warps at 200 barriers, and sets its own flag. POLL reads a flag.
const CHAIN: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<7>;
	.reg .pred %p<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	setp.ne.u32 %p2, %r2, 0;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra ready;
	@%p2 bra ready;
poll:
	POLL
	setp.eq.u32 %p3, %r3, 0;
	@%p3 bra poll;
	membar.gl;
ready:
	bar.sync 0;
	mov.u32 %r4, 0;
loop:
	bar.sync 0;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, 200;
	@%p1 bra loop;
	membar.gl;
	bar.sync 0;
	@%p2 bra end;
	atom.global.exch.b32 %r5, [%rd3], 1;
end:
	ret;
}
";

fn trace(poll: &str, blocks: u32) -> KernelTrace {
    let module = Module::parse(&CHAIN.replace("POLL", poll)).expect("valid PTX");
    let device = Device::new(Options::default());
    let program = device.load(&module).expect("a valid module");
    let out = device.allocate(4096, "out").expect("memory");
    device.write(out, &[0; 4096]).expect("zeros");
    let launch = LaunchConfig::new("k", [blocks, 1, 1], [64, 1, 1]);
    let code = start_assembling("", "none", 90);
    let effort = Effort::default();
    record(&device, &program, &launch, &[&out.to_le_bytes()], effort, code).expect("a trace")
}

#[test]
fn a_chain_of_blocks_takes_the_time_of_all_its_blocks() {
    let model = GpuModel::named("H200");
    let polls = [
        "ld.volatile.global.u32 %r3, [%rd3+-4];",
        "atom.global.add.u32 %r3, [%rd3+-4], 0;",
        "mov.u32 %r6, 0;\n	atom.global.or.b32 %r3, [%rd3+-4], %r6;",
        "atom.global.and.b32 %r3, [%rd3+-4], -1;",
    ];
    for poll in polls {
        let cycles = |blocks| predict(&trace(poll, blocks), &model, Protocol::Warm).cycles;
        let one = cycles(1);
        for blocks in [2, 3, 8, 40] {
            let each = cycles(blocks) / f64::from(blocks) / one;
            assert!((0.6..1.6).contains(&each), "{poll}: {blocks} blocks take {each} of one each");
        }
    }
}
