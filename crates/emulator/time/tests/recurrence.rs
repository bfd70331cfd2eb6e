//! Blocks that return to the memory of blocks which are not their neighbors.

use lanework_engine::device::Device;
use lanework_engine::launch::{LaunchConfig, Options};
use lanework_ptx::Module;
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::{Effort, record};
use lanework_time::trace::stored;

const THREADS: u32 = 256;

/// Thread `i` reads the word in row `i % rows` and column `i / rows` of a matrix whose rows are `pitch` bytes apart, and writes
/// word `i`.
fn text(rows: u32, pitch: u32) -> String {
    format!(
        "\
.version 7.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{{
	.reg .b64 %rd<8>;
	.reg .b32 %r<8>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [q];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r1, {THREADS}, %r2;
	rem.u32 %r4, %r3, {rows};
	div.u32 %r5, %r3, {rows};
	mul.wide.u32 %rd3, %r4, {pitch};
	mul.wide.u32 %rd4, %r5, 4;
	add.u64 %rd5, %rd1, %rd3;
	add.u64 %rd5, %rd5, %rd4;
	ld.global.u32 %r6, [%rd5];
	mul.wide.u32 %rd6, %r3, 4;
	add.u64 %rd7, %rd2, %rd6;
	st.global.u32 [%rd7], %r6;
	ret;
}}
"
    )
}

/// The trace of a matrix of `columns` columns, and the address of the matrix.
fn trace(rows: u32, columns: u32, padding: u32) -> (KernelTrace, u64) {
    let pitch = 4 * (columns + padding);
    let module = Module::parse(&text(rows, pitch)).expect("valid PTX");
    let device = Device::new(Options::default());
    let program = device.load(&module).expect("a valid module");
    let matrix = device.allocate(u64::from(rows * pitch), "matrix").expect("memory");
    let words = device.allocate(u64::from(4 * rows * columns), "words").expect("memory");
    device.write(matrix, &vec![0; (rows * pitch) as usize]).expect("zeros");
    let launch = LaunchConfig::new("k", [rows * columns / THREADS, 1, 1], [THREADS, 1, 1]);
    let arguments = [matrix.to_le_bytes(), words.to_le_bytes()];
    let arguments = arguments.each_ref().map(|bytes| &bytes[..]);
    let code = start_assembling("", "none", 90);
    let effort = Effort::default();
    (record(&device, &program, &launch, &arguments, effort, code).expect("a trace"), matrix)
}

#[test]
fn blocks_return_to_the_rows_of_a_matrix_with_each_column() {
    // The last one has walks of 6.25 blocks, so the next column starts within a block.
    let cases =
        [(1024, 0, 4), (1024, 32, 4), (4096, 0, 16), (768, 0, 3), (2816, 5, 11), (1600, 8, 6)];
    for (rows, padding, distance) in cases {
        let (found, start) = trace(rows, 1024, padding);
        let [only] = found.recurrences[..] else { panic!("{rows}: {:?}", found.recurrences) };
        assert_eq!((only.start, only.distance), (start, distance), "{rows} {padding}");
        assert!((0.5..0.95).contains(&only.shared), "{rows} {padding}: {}", only.shared);
        assert_eq!(found.blocks.len(), 9, "the others only show where they are");
    }
}

#[test]
fn each_byte_of_a_matrix_that_is_read_by_columns_is_fetched_once() {
    let model = GpuModel::named("H200");
    let (mut found, _) = trace(1024, 8192, 0);
    let bytes = |found: &KernelTrace| predict(found, &model, Protocol::Flushed).memory_bytes[0];
    let all = f64::from(4 * 1024 * 8192);
    let read = bytes(&found);
    assert!((0.99..1.1).contains(&(read / all)), "{}", read / all);
    found.recurrences.clear();
    let alone = bytes(&found);
    assert!(alone > 2.0 * read, "{alone} {read}");
}

#[test]
fn blocks_that_use_all_of_their_units_or_that_do_not_return_are_not_followed() {
    let (rows, columns) = (64, 4096);
    let (found, _) = trace(rows, columns, 0);
    assert!(found.recurrences.is_empty(), "neighbors share the rows: {:?}", found.recurrences);
    let (found, _) = trace(1 << 16, 1, 63);
    assert!(found.recurrences.is_empty(), "one column: {:?}", found.recurrences);
}

#[test]
fn stored_traces_keep_recurrences_and_older_ones_have_none() {
    let (found, _) = trace(1024, 1024, 0);
    let path = std::env::temp_dir().join(format!("lanework-recurrence-{}", std::process::id()));
    let code = text(1024, 4096);
    stored::write(&found, (&code, "k"), [THREADS, 1, 1], &path).expect("a writable folder");
    let read = || stored::read(&path, 90, false).expect("a stored trace").trace.recurrences;
    let same = read();
    let mut file = std::fs::read(&path).expect("the file");
    let key = b"\"recurrences\"";
    let at = file.windows(key.len()).position(|part| part == key).expect("the recurrences");
    file[at + 1] = b'_';
    std::fs::write(&path, file).expect("a writable file");
    let older = read();
    std::fs::remove_file(&path).expect("the file");
    assert_eq!(same, found.recurrences);
    assert!(older.is_empty());
}
