//! Limits on traces count work, so traces are repeatable; blocks beyond a limit are counted to their end.

use lanework_engine::device::Device;
use lanework_engine::launch::{LaunchConfig, Options};
use lanework_ptx::Module;
use lanework_ptx_ir::analysis::Analyses;
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, decides, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::sample::{Effort, record};
use lanework_time::trace::{KernelTrace, Runs};

/// A kernel that repeats products `n` times. `%f1` to `%f4` hold the sums at the end.
fn products(n: u32, end: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{{
	.reg .b64 %rd<4>;
	.reg .b32 %r<6>;
	.reg .f32 %f<5>;
	.reg .pred %p<3>;
	.shared .align 16 .b8 words[128];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0;
	mov.u32 %r2, 1006648320;
	mov.f32 %f1, 0f00000000;
	mov.f32 %f2, 0f00000000;
	mov.f32 %f3, 0f00000000;
	mov.f32 %f4, 0f00000000;
loop:
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1, %f2, %f3, %f4}}, {{%r2, %r2, %r2, %r2}}, {{%r2, %r2}}, {{%f1, %f2, %f3, %f4}};
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, {n};
	@%p1 bra loop;
{end}
	ret;
}}
"
    )
}

const STORE: &str = "	st.global.f32 [%rd1], %f1;";

fn trace(text: &str) -> KernelTrace {
    trace_with(text, Effort::default())
}

fn trace_with(text: &str, effort: Effort) -> KernelTrace {
    let module = Module::parse(text).expect("valid PTX");
    let device = Device::new(Options::default());
    let program = device.load(&module).expect("a valid module");
    let out = device.allocate(4096, "out").expect("memory");
    let launch = LaunchConfig::new("k", [4, 1, 1], [64, 1, 1]);
    let code = start_assembling("", "none", 90);
    record(&device, &program, &launch, &[&out.to_le_bytes()], effort, code).expect("a trace")
}

fn skips_products(end: &str) -> bool {
    let module = Module::parse(&products(10, end)).expect("valid PTX");
    let program = Device::new(Options::default()).load(&module).expect("a valid module");
    let kernel = program.kernel("k").expect("the kernel");
    Runs::new(kernel, &Analyses::new(kernel)).skips_products
}

#[test]
fn products_that_are_only_stored_are_left_out() {
    assert!(skips_products(STORE));
}

#[test]
fn products_that_decide_a_branch_or_an_address_are_computed() {
    let branch =
        "	setp.gt.f32 %p2, %f1, 0f00000000;\n	@%p2 bra over;\n	st.global.f32 [%rd1], %f1;\nover:";
    assert!(!skips_products(branch));
    let address =
        "	cvt.rzi.u64.f32 %rd2, %f1;\n	add.u64 %rd3, %rd1, %rd2;\n	st.global.f32 [%rd3], %f1;";
    assert!(!skips_products(address));
    let through_memory = "	st.shared.f32 [words], %f1;\n	ld.shared.u32 %r3, [words];\n	setp.ne.u32 %p2, %r3, 0;\n	@%p2 bra over;\n	st.global.f32 [%rd1], %f1;\nover:";
    assert!(!skips_products(through_memory));
}

/// Four instructions per round.
const ROUNDS: u32 = 1_500_000;

#[test]
fn a_block_longer_than_its_trace_is_counted_to_its_end_each_time() {
    let text = products(ROUNDS, STORE);
    let [one, other] = [trace(&text), trace(&text)];
    let block = &one.blocks[0];
    assert!(block.complete && block.recorded() < block.executed());
    let least = 2 * 4 * u64::from(ROUNDS);
    assert!((least..least + 100).contains(&block.executed()), "{}", block.executed());
    let of = |trace: &KernelTrace| -> Vec<(u64, u64)> {
        trace.blocks.iter().map(|block| (block.recorded(), block.executed())).collect()
    };
    assert_eq!(of(&one), of(&other));
    let model = GpuModel::named("H200");
    let [first, second] =
        [&one, &other].map(|trace| predict(trace, &model, Protocol::Flushed).value());
    assert_eq!(first, second);
    // The tensor cores of one multiprocessor take at least this long.
    let cycles = f64::from(ROUNDS) * model.timings.mma_interval;
    let least = cycles / model.clock_ghz();
    let predicted = first["predicted_ns"].as_f64().expect("a time");
    assert!(predicted >= least, "{predicted} {least}");
}

/// Block 0 computes for long, then sets a flag, for which the other blocks wait after a part that is longer than their trace.
const FLAG: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<6>;
	.reg .pred %p<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p1, %r1, 0;
	selp.u32 %r2, 100000, 1000, %p1;
	mov.u32 %r3, 0;
loop:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, %r2;
	@%p2 bra loop;
	@%p1 bra set;
poll:
	ld.volatile.global.u32 %r4, [%rd1];
	setp.eq.u32 %p3, %r4, 0;
	@%p3 bra poll;
	ret;
set:
	mov.u32 %r5, 1;
	st.volatile.global.u32 [%rd1], %r5;
	ret;
}
";

#[test]
fn polls_after_the_recorded_part_of_a_block_are_not_its_work() {
    let found = trace_with(FLAG, Effort { steps: 2_000, ..Effort::default() });
    assert!(found.polls);
    for block in &found.blocks {
        let rounds = if block.block == 0 { 100_000 } else { 1_000 };
        let least = 2 * 3 * rounds;
        assert!(block.complete && block.recorded() < least, "{}", block.recorded());
        assert!((least..least + 100).contains(&block.executed()), "{}", block.executed());
    }
}

#[test]
fn a_difference_within_the_intervals_decides_nothing() {
    assert!(!decides([(100.0, 130.0), (110.0, 143.0)]));
    assert!(decides([(100.0, 130.0), (200.0, 260.0)]));
}
