//! Calls with structs: launches, 2D and 3D copies, nodes, arrays, textures and callbacks.

use crate::calls::{host, make, size};
use crate::common::address;
use crate::random::Random;
use crate::world::World;
use std::ffi::c_void;
use std::sync::OnceLock;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .b32 word[64];
.visible .entry add(.param .u64 x, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r3, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p, %r1, %r3;
    @%p ret;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry loop(.param .u64 x, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    mov.u64 %rd1, tile;
    add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r2, 0;
again:
    st.shared.u32 [%rd1], %r2;
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 20;
    @%p bra again;
    mov.u64 %rd1, word;
    st.global.u32 [%rd1], %r2;
    ret;
}
\0";

/// A fatbin with uncompressed PTX.
fn fatbin() -> Vec<u8> {
    let mut entry = [0u8; 64];
    entry[0] = 1;
    entry[4] = 64;
    entry[8..12].copy_from_slice(&(PTX.len() as u32).to_le_bytes());
    entry[28] = 70;
    let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
    bytes.extend([1, 0, 16, 0]);
    bytes.extend((64 + PTX.len() as u64).to_le_bytes());
    bytes.extend(entry);
    bytes.extend(PTX.as_bytes());
    bytes
}

/// A module image, mostly valid.
pub fn image(random: &mut Random) -> u64 {
    static FATBIN: OnceLock<Vec<u8>> = OnceLock::new();
    let whole = FATBIN.get_or_init(fatbin);
    match random.below(10) {
        0 => random.pick(&[0, 8, u64::MAX, 0xdead_beef_dead_beef]),
        1 => c"neither PTX nor a fatbin".as_ptr() as u64,
        2 => {
            let mut damaged = whole.clone();
            for _ in 0..1 + random.below(3) {
                let at =
                    if random.one_in(3) { random.below(damaged.len()) } else { random.below(80) };
                damaged[at] = random.pick(&[0, 1, 0xff, 0x80, 0x20]);
            }
            damaged.push(0);
            Vec::leak(damaged).as_ptr() as u64
        }
        3 => {
            let mut damaged = PTX.as_bytes().to_vec();
            let at = random.below(PTX.len() - 1);
            damaged[at] = b' ' + random.below(95) as u8;
            Vec::leak(damaged).as_ptr() as u64
        }
        4 => whole.as_ptr() as u64,
        _ => PTX.as_ptr() as u64,
    }
}

/// A program's callback: nothing, or calls that CUDA forbids there.
unsafe extern "C" fn callback(data: *mut c_void) {
    let mut word = 0u64;
    match data as u64 % 4 {
        0 => {}
        1 => drop(call!("cuCtxGetCurrent"(&mut word => *mut u64))),
        2 => drop(call!("cuCtxSynchronize"(0 => u64))),
        _ => drop(call!("cuStreamSynchronize"(data as u64 / 4 => u64))),
    }
}

unsafe extern "C" fn of_stream(_stream: u64, _status: i32, data: *mut c_void) {
    // SAFETY: the data passed with the callback, which outlives it.
    unsafe { callback(data) }
}

fn call(name: &str, words: &[u64]) -> i32 {
    make(name, address(name) as usize, words)
}

/// A stream and a callback argument, which is the stream itself half of the time.
fn data(stream: u64, random: &mut Random) -> u64 {
    match random.below(4) {
        3 => stream.wrapping_mul(4) | 3,
        other => other as u64,
    }
}

fn memory(world: &World, random: &mut Random) -> u64 {
    world.beside(b'D', random)
}

/// Block or grid sizes: small, sometimes invalid.
fn extent(random: &mut Random) -> u64 {
    match random.below(20) {
        0 => random.pick(&[0, u64::from(u32::MAX), 1025, 65_536]),
        _ => 1 + random.below(3) as u64,
    }
}

fn side(world: &World, random: &mut Random) -> [u64; 11] {
    let odd = |random: &mut Random| match random.below(8) {
        0 => size(random),
        1 => u64::MAX - random.below(64) as u64,
        _ => 0,
    };
    let (kind, array) = (1 + random.below(4) as u64, world.handle(b'A', random));
    [
        odd(random),
        odd(random),
        odd(random),
        0,
        kind,
        host(world, random),
        memory(world, random),
        array,
        0,
        random.pick(&[0, 64, 4096, u64::MAX]),
        random.pick(&[0, 0, 8, u64::MAX]),
    ]
}

/// A 3D copy: memory, then width, height and depth.
fn copy_of_box(world: &World, random: &mut Random) -> Vec<u64> {
    let extent =
        [size(random), random.pick(&[1, 1, 2, 8, u64::MAX]), random.pick(&[1, 1, 2, u64::MAX])];
    [side(world, random).to_vec(), side(world, random).to_vec(), extent.to_vec()].concat()
}

fn pack(low: u64, high: u64) -> u64 {
    low & 0xffff_ffff | high << 32
}

/// A call with structs.
pub fn one(world: &World, random: &mut Random) {
    let stream = world.handle(b'S', random);
    let graph = world.handle(b'G', random);
    let mut out = [0u64; 64];
    let to = out.as_mut_ptr() as u64;
    let keep = |kind: u8, code: i32, out: &[u64]| {
        if code == 0 {
            world.keep(kind, out[0]);
        }
    };
    let arguments = [memory(world, random), random.pick(&[1, 32, 1024, 1 << 20])];
    let places = [arguments.as_ptr() as u64, &raw const arguments[1] as u64];
    let function = world.handle(if random.one_in(2) { b'F' } else { b'K' }, random);
    let grid: [u64; 3] = std::array::from_fn(|_| extent(random));
    let block = [random.pick(&[1, 32, 64, 100, 1024, 2000, 0]), 1, extent(random)];
    let shared = random.pick(&[0, 0, 0, 1024, 60_000, 1 << 20, u64::from(u32::MAX)]);
    let node = [
        function,
        pack(grid[0], grid[1]),
        pack(grid[2], block[0]),
        pack(block[1], block[2]),
        shared,
        places.as_ptr() as u64,
        0,
        0,
        0,
    ];
    // Huge grids only take time.
    let large = grid.iter().fold(1u64, |all, axis| all.saturating_mul(*axis)) > 1 << 10;
    match random.below(26) {
        0..=2 if !large => {
            call(
                "cuLaunchKernel",
                &[
                    function,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    shared,
                    stream,
                    if random.one_in(20) { 0 } else { places.as_ptr() as u64 },
                    0,
                ],
            );
        }
        3 if !large => {
            call(
                "cuLaunchCooperativeKernel",
                &[
                    function,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    shared,
                    stream,
                    places.as_ptr() as u64,
                ],
            );
        }
        4 if !large => {
            let mut attribute = [0u64; 9];
            attribute[0] = random.pick(&[2, 4]);
            attribute[1] = pack(random.below(4) as u64, random.below(4) as u64);
            attribute[2] = random.below(4) as u64;
            let config = [
                pack(grid[0], grid[1]),
                pack(grid[2], block[0]),
                pack(block[1], block[2]),
                shared,
                stream,
                attribute.as_ptr() as u64,
                random.below(2) as u64,
            ];
            call(
                "cuLaunchKernelEx",
                &[config.as_ptr() as u64, function, places.as_ptr() as u64, 0],
            );
        }
        5 | 6 => {
            let all = copy_of_box(world, random);
            let name = if random.one_in(2) { "cuMemcpy3D" } else { "cuMemcpy3DAsync" };
            call(name, &[all.as_ptr() as u64, stream]);
        }
        7 => {
            let all = copy_of_box(world, random);
            let two =
                |side: &[u64]| [side[0], side[1], side[4], side[5], side[6], side[7], side[9]];
            let rows = [&two(&all[..11])[..], &two(&all[11..22]), &all[22..24]].concat();
            let name = if random.one_in(2) { "cuMemcpy2D" } else { "cuMemcpy2DAsync" };
            call(name, &[rows.as_ptr() as u64, stream]);
        }
        8 | 9 if !large => {
            let code = call("cuGraphAddKernelNode", &[to, graph, 0, 0, node.as_ptr() as u64]);
            keep(b'N', code, &out);
        }
        10 => {
            let fill = [
                memory(world, random),
                size(random),
                pack(7, random.pick(&[1, 2, 4, 3])),
                size(random),
                random.pick(&[1, 2, 1 << 40]),
            ];
            let code = call("cuGraphAddMemsetNode", &[to, graph, 0, 0, fill.as_ptr() as u64, 0]);
            keep(b'N', code, &out);
        }
        11 => {
            let all = copy_of_box(world, random);
            let code = call("cuGraphAddMemcpyNode", &[to, graph, 0, 0, all.as_ptr() as u64, 0]);
            keep(b'N', code, &out);
        }
        12 => {
            let parameters = [callback as *const () as u64, data(stream, random)];
            let code = call("cuGraphAddHostNode", &[to, graph, 0, 0, parameters.as_ptr() as u64]);
            keep(b'N', code, &out);
        }
        13 => {
            let mut all = [0u64; 32];
            all[0] = 13;
            all[2] = world.handle(b'Q', random);
            all[3] = pack(random.pick(&[0, 2]), random.pick(&[1, 1, 2, 3, u64::from(u32::MAX)]));
            let code = call("cuGraphAddNode", &[to, graph, 0, 0, 0, all.as_mut_ptr() as u64]);
            keep(b'N', code, &out);
            if code == 0 {
                // SAFETY: the node was created, with at least one body.
                world.keep(b'G', unsafe { (all[4] as *const u64).read() });
            }
        }
        14 => {
            let mut all = [0u64; 16];
            all[13] = size(random);
            let code = call("cuGraphAddMemAllocNode", &[to, graph, 0, 0, all.as_mut_ptr() as u64]);
            keep(b'N', code, &out);
            keep(b'D', code, &all[14..]);
        }
        15 => {
            let code = call("cuGraphAddMemFreeNode", &[to, graph, 0, 0, memory(world, random)]);
            keep(b'N', code, &out);
        }
        16 => {
            let from = [world.handle(b'N', random), world.handle(b'N', random)];
            let name = if random.one_in(2) {
                "cuGraphAddDependencies"
            } else {
                "cuGraphRemoveDependencies"
            };
            call(
                name,
                &[
                    graph,
                    from.as_ptr() as u64,
                    &raw const from[1] as u64,
                    0,
                    random.pick(&[0, 1, 1, 1, u64::MAX]),
                ],
            );
        }
        17 => {
            let shape: [u64; 3] =
                std::array::from_fn(|_| random.pick(&[0, 1, 5, 64, 1 << 17, u64::MAX]));
            let all = [
                shape[0],
                shape[1],
                shape[2],
                pack(random.pick(&[1, 8, 0x20, 0x91]), random.pick(&[1, 2, 4, 3])),
                random.pick(&[0, 1, 4, 2]),
            ];
            let code = call("cuArray3DCreate", &[to, all.as_ptr() as u64]);
            keep(b'A', code, &out);
            let code = call(
                "cuMipmappedArrayCreate",
                &[to, all.as_ptr() as u64, random.pick(&[0, 1, 3, 50])],
            );
            keep(b'V', code, &out);
        }
        18 => {
            let mut resource = [0u64; 20];
            resource[0] = random.below(4) as u64;
            resource[1] = match resource[0] {
                0 => world.handle(b'A', random),
                1 => world.handle(b'V', random),
                _ => memory(world, random),
            };
            resource[2..6].copy_from_slice(&[
                pack(0x20, 1),
                size(random),
                random.pick(&[1, 4]),
                size(random),
            ]);
            let reading = [0u64; 13];
            let code = call(
                "cuTexObjectCreate",
                &[to, resource.as_ptr() as u64, reading.as_ptr() as u64, 0],
            );
            keep(b'T', code, &out);
            let code = call("cuSurfObjectCreate", &[to, resource.as_ptr() as u64]);
            keep(b'U', code, &out);
        }
        19 => {
            let code = call(
                "cuUserObjectCreate",
                &[
                    to,
                    random.below(4) as u64,
                    callback as *const () as u64,
                    1 + random.below(3) as u64,
                    1,
                ],
            );
            keep(b'O', code, &out);
        }
        20 => {
            call("cuLaunchHostFunc", &[stream, callback as *const () as u64, data(stream, random)]);
        }
        21 => {
            call(
                "cuStreamAddCallback",
                &[stream, of_stream as *const () as u64, data(stream, random), 0],
            );
        }
        22 => {
            let properties = [pack(1, 1), pack(1, random.below(3) as u64), 0, 0, 0];
            let code = call(
                "cuMemCreate",
                &[to, random.pick(&[2 << 20, 4 << 20, 100, 0]), properties.as_ptr() as u64, 0],
            );
            keep(b'W', code, &out);
        }
        23 => {
            let access = [1u32, 0, random.pick(&[0, 1, 3, 3, 3])];
            call(
                "cuMemSetAccess",
                &[
                    world.handle(b'B', random),
                    random.pick(&[2 << 20, 4 << 20, 5]),
                    access.as_ptr() as u64,
                    1,
                ],
            );
        }
        24 => {
            let (extent, strides) = ([64u64; 5], [256u64; 5]);
            let (tile, steps) = ([8u32; 5], [1u32; 5]);
            let rank = random.pick(&[1, 2, 5, 6, 0, u64::from(u32::MAX)]);
            call(
                "cuTensorMapEncodeTiled",
                &[
                    to,
                    7,
                    rank,
                    memory(world, random),
                    extent.as_ptr() as u64,
                    strides.as_ptr() as u64,
                    tile.as_ptr() as u64,
                    steps.as_ptr() as u64,
                    0,
                    0,
                    0,
                    0,
                ],
            );
        }
        _ => {
            let mut ops = [[0u64; 6]; 3];
            for op in &mut ops {
                *op = [
                    random.pick(&[1, 2, 4, 5, 6, 7]),
                    memory(world, random),
                    random.below(3) as u64,
                    random.below(3) as u64,
                    0,
                    0,
                ];
            }
            call(
                "cuStreamBatchMemOp",
                &[stream, random.pick(&[0, 1, 3, 300]), ops.as_ptr() as u64, 0],
            );
        }
    }
}
