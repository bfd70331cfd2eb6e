//! Tensor maps that a kernel modifies, and copies in im2col and scatter-gather modes: compares them with a separate
//! implementation of the PTX manual's text. No GPU has confirmed the results.

use super::{emulators, pointer, run, shape};
use lanework_emulator::{Emulator, FaultKind, Im2col, Options, Swizzle, TensorElement, TensorMap};
use lanework_ptx::Module;

/// Returns a kernel `k(map, out, fresh)` for 32 threads. `%s` is a tile of `bytes` bytes and `%bar` an mbarrier, both in
/// shared memory; after the body, the kernel copies the tile to `out`.
fn module(target: &str, bytes: u32, body: &str) -> Module {
    Module::parse(&format!(
        ".version 8.7\n.target {target}\n.address_size 64\n\
         .visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 fresh)\n{{\n\
         .shared .align 1024 .b8 tile[{bytes}]; .shared .align 128 .b8 copy[128]; .shared .align 8 .b64 bar;\n\
         .reg .b64 %map, %out, %fresh, %l<8>; .reg .b32 %s, %bar, %copy, %t, %r<8>; .reg .pred %p<4>; .reg .b16 %h<4>;\n\
         mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %out, [out]; ld.param.u64 %fresh, [fresh];\n\
         mov.u32 %s, tile; mov.u32 %bar, bar; mov.u32 %copy, copy; mov.u32 %t, %tid.x; setp.eq.u32 %p0, %t, 0;\n\
         @%p0 mbarrier.init.shared.b64 [%bar], 1; bar.sync 0;\n\
         {body}\n\
         bar.sync 0; mov.u32 %r7, %t;\n\
         next: setp.ge.u32 %p1, %r7, {words}; @%p1 bra over; mad.lo.u32 %r6, %r7, 4, %s; ld.shared.b32 %r5, [%r6];\n\
         mul.wide.u32 %l7, %r7, 4; add.u64 %l7, %l7, %out; st.global.b32 [%l7], %r5; add.u32 %r7, %r7, 32; bra next;\n\
         over: ret;\n}}\n",
        words = bytes / 4,
    ))
    .expect("the text parses")
}

/// PTX that expects `bytes` bytes, starts the copy, and waits for it.
fn loaded(bytes: u32, copy: &str) -> String {
    format!(
        "@!%p0 bra wait; mbarrier.arrive.expect_tx.shared.b64 %l0, [%bar], {bytes}; {copy}\n\
         wait: mbarrier.try_wait.parity.shared.b64 %p2, [%bar], 0; @!%p2 bra wait;"
    )
}

/// Uploads data, runs the kernel, and returns the tile.
fn outcome(
    emulator: &Emulator,
    module: &Module,
    data: &[u32],
    map: impl Fn(u64) -> TensorMap,
    bytes: usize,
) -> Result<(Vec<u32>, Vec<u32>), lanework_emulator::Fault> {
    let words: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    let place = |bytes: usize, name| emulator.allocate(bytes as u64, name).expect("memory");
    let (from, out, fresh) =
        (place(words.len(), "tensor"), place(bytes, "out"), place(128, "fresh"));
    emulator.write(from, &words).expect("in bounds");
    let program = emulator.load(module).expect("the module loads");
    let map = map(from).encode().expect("a map").to_vec();
    run(emulator, &program, &shape("k", 1, 32, None), &[map, pointer(out), pointer(fresh)])?;
    let read = |address, bytes: usize| {
        let mut found = vec![0; bytes];
        emulator.read(address, &mut found).expect("in bounds");
        found.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    Ok((read(out, bytes), read(from, words.len())))
}

fn plain(address: u64, extent: &[u64], tile: &[u32]) -> TensorMap {
    let mut bytes = 4;
    let strides = extent[..extent.len() - 1].iter().map(|extent| {
        bytes *= extent;
        bytes
    });
    TensorMap {
        element: TensorElement::U32,
        address,
        strides: strides.collect(),
        extent: extent.to_vec(),
        tile: tile.to_vec(),
        steps: vec![1; tile.len()],
        swizzle: Swizzle::None,
        nan_outside: false,
        im2col: None,
    }
}

fn numbers(count: usize) -> Vec<u32> {
    (1..=count as u32).collect()
}

#[test]
fn a_map_made_by_the_kernel_equals_the_hosts() {
    // Starts from the host's map and, as Triton does for its descriptors, from zeros.
    for fresh in ["ld.b32 %r2, [%l2];", "mov.b32 %r2, 0;"] {
        made_by_the_kernel(fresh);
    }
}

/// Replaces every field of a map in shared memory, which `fresh` fills first; then copies the map to global memory and
/// uses it there.
fn made_by_the_kernel(fresh: &str) {
    let body = format!(
        "ld.param.u64 %l1, [map];
         mad.lo.u32 %r1, %t, 4, %copy; mul.wide.u32 %l2, %t, 4; add.u64 %l2, %l2, %map; {fresh} st.shared.b32 [%r1], %r2;
         bar.sync 0; @!%p0 bra made; mov.b32 %r1, 1; mov.b32 %r2, 8; mov.b32 %r3, 4; mov.b64 %l2, 64; add.u64 %l1, %l1, 64;
         tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%copy], %l1;
         tensormap.replace.tile.rank.shared::cta.b1024.b32 [%copy], %r1;
         tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%copy], 0, 16;
         tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%copy], 1, %r2;
         tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%copy], 0, %l2;
         tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%copy], 0, 8;
         tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%copy], 1, %r3;
         tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%copy], 0, 1;
         tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%copy], 1, 2;
         tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%copy], 3;
         tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%copy], 0;
         tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%copy], 1;
         tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%copy], 0;
         made: bar.sync 0;
         tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%fresh], [%copy], 128;
         fence.proxy.tensormap::generic.acquire.gpu [%fresh], 128; bar.sync 0; {}",
        loaded(
            64,
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%fresh, {4, 3}], [%bar];"
        )
    );
    let data = numbers(16 * 9);
    for emulator in emulators() {
        let given = |address| plain(address, &[144], &[4]);
        let (tile, _) =
            outcome(&emulator, &module("sm_90a", 64, &body), &data, given, 64).expect("it runs");
        let mut expected = vec![0; 16];
        for row in 0..2usize {
            for x in 0..8 {
                // Rows have 32 bytes, whose 16-byte halves are swapped if bit 7 of the address is set.
                let (y, at) = (3 + 2 * row, row * 8 + x);
                expected[at] = data[16 + y * 16 + 4 + x];
            }
        }
        assert_eq!(tile, expected);
    }
}

/// The coordinates of a pixel by the manual: the bounding box is traversed innermost first, in steps.
fn reference(
    map: &TensorMap,
    im2col: &Im2col,
    start: &[i64],
    offsets: &[i64],
    data: &[u32],
) -> Vec<u32> {
    let (spaces, channels) = (map.extent.len() - 2, map.tile[0] as usize);
    let ends: Vec<(i64, i64)> = (0..spaces)
        .map(|s| {
            let high = map.extent[s + 1] as i64 - 1 + i64::from(im2col.upper[s]);
            (i64::from(im2col.lower[s]), high)
        })
        .collect();
    let mut place = start[1..].to_vec();
    let mut out = Vec::new();
    for _ in 0..im2col.pixels {
        for c in 0..channels {
            let mut index = 0;
            let mut inside = true;
            for d in (0..=spaces).rev() {
                let at = place[d] + offsets.get(d).copied().unwrap_or(0);
                let extent = map.extent[d + 1] as i64;
                inside &= at >= 0 && at < extent;
                index = index * extent + at;
            }
            let channel = start[0] + c as i64;
            inside &= channel < map.extent[0] as i64;
            let at = index * map.extent[0] as i64 + channel;
            out.push(if inside { data[at as usize] } else { 0 });
        }
        let mut d = 0;
        loop {
            if d == spaces {
                place[d] += 1;
                break;
            }
            place[d] += i64::from(map.steps[d + 1]);
            if place[d] <= ends[d].1 {
                break;
            }
            place[d] = ends[d].0;
            d += 1;
        }
    }
    out
}

#[test]
fn pixels_of_a_convolution_are_gathered() {
    // 3 images of 8 channels, 5 pixels wide and 4 high; a filter of 3 by 3 with a border of one pixel.
    let data = numbers(8 * 5 * 4 * 3);
    let emulator = Emulator::new(Options { verify: true, ..Options::default() });
    for (steps, lower, upper, pixels, start, offsets) in [
        ([1, 1], [-1, -1, 0], [-1, -1, 0], 20, [0i64, -1, -1, 0], [0i64, 0]),
        ([1, 1], [-1, -1, 0], [-1, -1, 0], 24, [4, 2, 1, 1], [2, 1]),
        ([2, 1], [-1, 0, 0], [-1, -2, 0], 16, [0, 1, 0, 0], [1, 2]),
    ] {
        let im2col = Im2col { lower, upper, pixels };
        let map = |address| TensorMap {
            steps: vec![1, steps[0], steps[1], 1],
            im2col: Some(im2col),
            ..plain(address, &[8, 5, 4, 3], &[4, 1, 1, 1])
        };
        let bytes = 16 * pixels;
        let [c, w, h, n] = start;
        let copy = format!(
            "mov.b16 %h0, {}; cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%s], [%map, {{{c}, {w}, {h}, {n}}}], [%bar], {{%h0, {}}};",
            offsets[0], offsets[1]
        );
        let module = module("sm_90a", bytes, &loaded(bytes, &copy));
        let (tile, _) = outcome(&emulator, &module, &data, map, bytes as usize).expect("it runs");
        assert_eq!(tile, reference(&map(0x1000), &im2col, &start, &offsets, &data), "{im2col:?}");
    }
    // Adds one to each element, and stores the elements where they were loaded.
    let im2col = Im2col { lower: [0; 3], upper: [0; 3], pixels: 6 };
    let map = |address| TensorMap {
        im2col: Some(im2col),
        ..plain(address, &[8, 5, 4, 3], &[4, 1, 1, 1])
    };
    let store = "mad.lo.u32 %r1, %t, 4, %s; st.shared.b32 [%r1], %t; fence.proxy.async; bar.sync 0; @!%p0 bra done;
        cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%map, {4, 3, 1, 2}], [%s];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; done:";
    let (_, after) =
        outcome(&emulator, &module("sm_90a", 128, store), &data, map, 128).expect("it runs");
    let mut expected = data.clone();
    for (pixel, (w, h)) in [(3, 1), (4, 1), (0, 2), (1, 2), (2, 2), (3, 2)].into_iter().enumerate()
    {
        for c in 0..4 {
            expected[((2 * 4 + h) * 5 + w) * 8 + 4 + c] += (4 * pixel + c) as u32;
        }
    }
    assert_eq!(after, expected);
}

#[test]
fn four_rows_are_gathered_and_scattered() {
    let data = numbers(16 * 10);
    let emulator = Emulator::new(Options { verify: true, ..Options::default() });
    let map = |address| plain(address, &[16, 10], &[8, 1]);
    let gather = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%s], [%map, {4, 7, 0, 12, 3}], [%bar];";
    let (tile, _) =
        outcome(&emulator, &module("sm_100a", 128, &loaded(128, gather)), &data, map, 128)
            .expect("it runs");
    let row = |y: usize| (0..8).map(move |x| (16 * y + 4 + x + 1) as u32);
    let expected: Vec<u32> = row(7).chain(row(0)).chain([0; 8]).chain(row(3)).collect();
    assert_eq!(tile, expected);
    let scatter = "mad.lo.u32 %r1, %t, 4, %s; st.shared.b32 [%r1], %t; fence.proxy.async; bar.sync 0; @!%p0 bra done;
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%map, {8, 2, 9, 1, 5}], [%s];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; done:";
    let (_, after) =
        outcome(&emulator, &module("sm_100a", 128, scatter), &data, map, 128).expect("it runs");
    let mut expected = data.clone();
    for (i, y) in [2, 9, 1, 5].into_iter().enumerate() {
        for x in 0..8 {
            expected[16 * y + 8 + x] = (8 * i + x) as u32;
        }
    }
    assert_eq!(after, expected);
    // A map with taller tiles, and an im2col map.
    let high = |address| plain(address, &[16, 10], &[8, 2]);
    let module = module("sm_100a", 128, &loaded(128, gather));
    let fault = outcome(&emulator, &module, &data, high, 128).expect_err("two rows");
    assert_eq!(fault.kind, FaultKind::TensorMap, "{fault}");
}
