//! Kernels in Rust on a sanitized device: reports name Rust lines, kinds of checks can be selected,
//! and failed bounds checks of safe launches are findings too.

use lanework::prelude::*;
use lanework::{Checks, Report, ReportKind};

/// The number of the line after `marker` in this file.
fn line_of(marker: &str) -> u32 {
    let text = include_str!("rust.rs");
    let at = text.lines().position(|line| line.trim() == format!("// {marker}"));
    at.expect("the marker") as u32 + 2
}

fn found(result: lanework::Result<()>) -> Vec<Report> {
    match result {
        Ok(()) => Vec::new(),
        Err(error) => {
            assert!(!error.reports().is_empty(), "{error}");
            error.reports().to_vec()
        }
    }
}

#[kernel]
fn reversed(x: &[f32], y: &mut [f32], wait: bool) {
    let tile = shared::<f32>(64);
    let i = thread_idx.x;
    // the write
    tile[i] = x[i];
    if wait {
        sync_threads();
    }
    // the read
    y[i] = tile[63 - i];
}

#[test]
fn a_race_names_both_rust_lines_and_a_barrier_fixes_it() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x = device.upload(&[1.0f32; 64])?;
    let mut y = device.uninit(64)?;
    let reports = found(reversed(&x, &mut y, false).grid(1).block(64).launch(&device));
    assert!(reports.iter().all(|report| report.kind == ReportKind::Race), "{reports:?}");
    let race = &reports[0];
    let other = race.other.as_ref().and_then(|other| other.location.clone()).expect("a line");
    let mut lines = [race.line(), other.line];
    lines.sort_unstable();
    assert_eq!(lines, [line_of("the write"), line_of("the read")]);
    assert!(other.file.ends_with("rust.rs") && race.kernel.contains("reversed"));
    assert!(found(reversed(&x, &mut y, true).grid(1).block(64).launch(&device)).is_empty());
    Ok(())
}

#[kernel]
fn scaled(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    // the scaled read
    y[i] = 2.0 * x[i];
}

#[test]
fn kinds_can_be_disabled_and_buffers_track_initialized_bytes() -> lanework::Result<()> {
    for (checks, count) in
        [(Checks::default(), 1), (Checks::default().without(ReportKind::Uninitialized), 0)]
    {
        let device = Device::emulator().sanitized_for(checks);
        let (x, mut y) = (device.uninit(32)?, device.uninit(32)?);
        let reports = found(scaled(&x, &mut y).grid(1).block(32).launch(&device));
        assert_eq!(reports.len(), count, "{reports:?}");
        if let [report] = reports.as_slice() {
            assert_eq!(
                (report.kind, report.line(), report.count),
                (ReportKind::Uninitialized, line_of("the scaled read"), 32)
            );
        }
        // A kernel may read elements that an earlier kernel wrote.
        let mut z = device.uninit(32)?;
        assert!(found(scaled(&y, &mut z).grid(1).block(32).launch(&device)).is_empty());
    }
    Ok(())
}

#[test]
fn an_index_out_of_bounds_is_a_report_of_a_safe_launch() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (x, mut y) = (device.zeros(32)?, device.zeros(24)?);
    let reports = found(scaled(&x, &mut y).grid(1).block(32).launch(&device));
    let kinds: Vec<ReportKind> = reports.iter().map(|report| report.kind).collect();
    assert_eq!(kinds, [ReportKind::OutOfBounds]);
    assert!(reports[0].message.contains("index"), "{}", reports[0].message);
    Ok(())
}

#[test]
fn live_buffers_are_reported_as_leaks_on_request() -> lanework::Result<()> {
    let device = Device::emulator().sanitized_for(Checks::all());
    let buffer = device.zeros::<f32>(100)?;
    let leaks = device.leaks();
    assert_eq!(leaks.len(), 1);
    assert_eq!(leaks[0].kind, ReportKind::Leak);
    assert!(leaks[0].message.contains("400 bytes"), "{}", leaks[0].message);
    drop(buffer);
    assert!(device.leaks().is_empty());
    assert!(Device::emulator().sanitized().leaks().is_empty());
    Ok(())
}

/// Reads one element past the initialized ones, in a line of `FILE` that is inlined into the user's kernel.
const READS_AHEAD: &str = r#".version 8.0
.target sm_80
.address_size 64
.visible .entry ahead(.param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    .loc 1 10 5
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.s32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    .loc 1 12 5
    .loc 2 99 3, function_name $L__text, inlined_at 1 12 5
    ld.shared.u32 %r5, [%r4+4];
    .loc 1 13 5
    setp.lt.u32 %p1, %r1, 31;
    selp.b32 %r6, %r5, 0, %p1;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
}
.file 1 "/home/user/ahead.cu"
.file 2 "FILE"
.section .debug_str
{
$L__text:
.b8 0
}
"#;

#[test]
fn libraries_may_read_ahead_in_shared_memory() -> lanework::Result<()> {
    let found_in = |file: &str| -> lanework::Result<Vec<Report>> {
        let device = Device::emulator().sanitized();
        let module = device.load_ptx(&READS_AHEAD.replace("FILE", file))?;
        let out = device.zeros::<u8>(128)?;
        let arguments = [lanework::PtxArg::Memory(&out)];
        // SAFETY: the emulator checks every access.
        let result = unsafe { module.launch("ahead", lanework::PtxShape::new(1, 32), &arguments) };
        Ok(found(result.map(drop)))
    };
    let header = "/usr/local/cuda/include/cub/block/block_merge_sort.cuh";
    assert!(found_in(header)?.is_empty());
    for file in ["/usr/local/cuda/include/sm_80_rt.h", "/home/user/cub/mine.cuh"] {
        let reports = found_in(file)?;
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert_eq!(reports[0].kind, ReportKind::Uninitialized);
    }
    Ok(())
}

#[test]
fn host_reads_are_checked_on_request() -> lanework::Result<()> {
    let quiet = Device::emulator().sanitized();
    assert!(quiet.uninit::<f32>(32)?.download().is_ok());
    let device = Device::emulator().sanitized_for(Checks::default().with_host_reads());
    let x = device.upload(&[1.0f32; 24])?;
    let mut y = device.uninit::<f32>(32)?;
    let mut part = [0.0f32; 24];
    scaled(&x, &mut y).grid(1).block(24).launch(&device)?;
    y.download_part(0, &mut part)?;
    assert_eq!(part, [2.0; 24]);
    let error = y.download().expect_err("eight were not written");
    let report = &error.reports()[0];
    assert_eq!((report.kind, report.line()), (ReportKind::Uninitialized, 0));
    assert_eq!(report.allocation.as_ref().map(|near| near.offset), Some(96));
    assert!(!report.to_string().contains("thread"), "{report}");
    Ok(())
}

/// Blocks move elements down by one, and copy a struct with its padding, in lines of `FILE`.
const MOVES: &str = r#".version 8.0
.target sm_80
.address_size 64
.visible .entry compact(.param .u64 x)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .loc 1 20 1
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra OVER;
    st.global.u32 [%rd3+-4], %r2;
OVER:
    ret;
}
.visible .entry padding(.param .u64 x)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    .loc 1 30 1
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, 1;
    st.global.u8 [%rd1], %r1;
    ld.global.u64 %rd2, [%rd1];
    not.b64 %rd2, %rd2;
    st.global.u64 [%rd1+8], %rd2;
    ret;
}
.visible .entry unread(.param .u64 x)
{
    .reg .b64 %rd<4>;
    .loc 1 40 1
    ld.param.u64 %rd1, [x];
    ld.global.u64 %rd2, [%rd1];
    st.global.u64 [%rd1+8], %rd2;
    ret;
}
.file 1 "FILE"
"#;

#[test]
fn libraries_may_compact_in_place_and_move_padding() -> lanework::Result<()> {
    let found_in = |file: &str, entry: &str, blocks: u32| -> lanework::Result<Vec<Report>> {
        let device = Device::emulator().sanitized();
        let module = device.load_ptx(&MOVES.replace("FILE", file))?;
        let x = match entry {
            "compact" => {
                device.upload(&[1u8, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])?
            }
            _ => device.uninit::<u8>(16)?,
        };
        let arguments = [lanework::PtxArg::Memory(&x)];
        // SAFETY: the emulator checks every access.
        let result =
            unsafe { module.launch(entry, lanework::PtxShape::new(blocks, 1), &arguments) };
        Ok(found(result.map(drop)))
    };
    let (library, own) = ("/cuda/include/cub/agent/agent_select_if.cuh", "/home/user/mine.cu");
    for (entry, blocks, kind) in
        [("compact", 4, ReportKind::Race), ("padding", 1, ReportKind::Uninitialized)]
    {
        assert!(found_in(library, entry, blocks)?.is_empty(), "{entry}");
        let reports = found_in(own, entry, blocks)?;
        assert_eq!(reports.iter().map(|report| report.kind).collect::<Vec<_>>(), [kind], "{entry}");
    }
    // Reports uninitialized memory that the user passed to a library.
    assert_eq!(found_in(library, "unread", 1)?.len(), 1);
    Ok(())
}

/// A full warp writes adjacent words of constant memory, which takes the fast path of stores.
const WRITES_CONSTANTS: &str = "
.version 7.0
.target sm_80
.address_size 64
.const .align 64 .b32 table[32];
.visible .entry writes_constants()
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    mov.u64 %rd1, table;
    cvta.const.u64 %rd2, %rd1;
    cvta.to.global.u64 %rd3, %rd2;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd4, %rd3, %rd4;
    st.global.u32 [%rd4], %r1;
    ret;
}
";

#[test]
fn a_warp_that_writes_constant_memory_is_reported() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let module = device.load_ptx(WRITES_CONSTANTS)?;
    // SAFETY: the emulator checks every access.
    let result = unsafe { module.launch("writes_constants", lanework::PtxShape::new(1, 32), &[]) };
    let reports = found(result.map(drop));
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!((reports[0].kind, reports[0].count), (ReportKind::OutOfBounds, 32));
    Ok(())
}

#[kernel(block = 32)]
fn filled(x: &[u16], y: &mut [u16], have: u32) {
    let tile = shared::<u16>(8 * 32);
    let pipe = CopyPipeline::<1>::new();
    let i = thread_idx.x;
    // the filled copy
    pipe.copy16_filled(&mut tile[8 * i], &x[8 * i], have);
    pipe.commit();
    pipe.wait();
    y[i] = tile[8 * i + 7];
}

#[test]
fn a_filled_copy_reads_only_the_bytes_that_it_has() -> lanework::Result<()> {
    #[kernel(block = 32)]
    fn written(x: &mut [u16], count: u32) {
        for i in 0..count {
            x[8 * thread_idx.x + i] = 1;
        }
    }
    let device = Device::emulator().sanitized();
    for count in 0..=8u32 {
        let (mut x, mut y) = (device.uninit(8 * 32)?, device.uninit(32)?);
        written(&mut x, count).grid(1).block(32).launch(&device)?;
        let right = filled(&x, &mut y, 2 * count).grid(1).block(32).launch(&device);
        assert!(found(right).is_empty(), "{count}");
        assert_eq!(y.download()?, [u16::from(count == 8); 32]);
        if count < 8 {
            let more = filled(&x, &mut y, 2 * count + 2).grid(1).block(32).launch(&device);
            let reports = found(more);
            assert_eq!(reports.len(), 1, "{count}: {reports:?}");
            let [report] = reports.as_slice() else { continue };
            assert_eq!(report.kind, ReportKind::Uninitialized);
            assert_eq!(report.line(), line_of("the filled copy"));
        }
    }
    Ok(())
}
