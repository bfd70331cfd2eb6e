//! Device launch (CUDA dynamic parallelism). Programs that use it link NVIDIA's device runtime as PTX, which calls
//! functions of the driver; [`CALLS`] defines them. A launch takes a slot of a queue in the module, and the driver
//! runs the queue after the kernel that filled it.
//!
//! CUDA allows this order: a kernel cannot wait for its child grids, a grid completes after its children, launches of
//! a block to one stream are ordered, and launches to the tail stream run last. So after a grid come its ordinary
//! children in order, each followed by its own children, and then its tail launches. Events and other device streams
//! add no further order.
//!
//! Limit: only as many launches can be pending as the queue has slots (twice a GPU's default). As on a GPU, the next
//! launch gets no parameter buffer.

use crate::launches::TAIL;
use crate::modules::module::Module;
use crate::state::Driver;
use crate::status::{Result, Status};
use lanework::emulator::function_at;

/// Name of the queue.
const QUEUE: &str = "__lanework_launches";
/// Maximum number of pending launches.
const SLOTS: usize = 4096;
/// Bytes before the slots: counts of slots taken, slots launched, and streams and events created.
const HEAD: usize = 64;
/// Bytes before a slot's parameters, and of a whole slot.
const FIELDS: usize = 64;
const SLOT: usize = FIELDS + 4096;

/// Whether PTX calls a function that [`CALLS`] defines.
pub fn is_called(text: &str) -> bool {
    text.contains("__cuda_syscall_cnpv2")
}

/// The functions as PTX.
pub fn calls() -> String {
    let bytes = HEAD + SLOTS * SLOT;
    CALLS
        .replace("QUEUE_BYTES", &bytes.to_string())
        .replace("QUEUE", QUEUE)
        .replace("SLOTS", &SLOTS.to_string())
        .replace("SLOT", &SLOT.to_string())
        .replace("HEAD", &HEAD.to_string())
        .replace("FIELDS", &FIELDS.to_string())
}

/// Layout of a slot: 0 kernel, 8 grid, 20 block, 32 bytes of dynamic shared memory, 36 launch number from 1 on, 40 stream.
const CALLS: &str = "\
.version 7.0
.target sm_70
.address_size 64
.global .align 64 .b8 QUEUE[QUEUE_BYTES];

.func (.param .b64 taken) __lanework_slot()
{
    .reg .pred %full; .reg .b32 %n; .reg .b64 %queue, %slot;
    mov.u64 %queue, QUEUE;
    atom.global.add.u32 %n, [%queue], 1;
    setp.ge.u32 %full, %n, SLOTS;
    mad.wide.u32 %slot, %n, SLOT, HEAD;
    add.u64 %slot, %slot, %queue;
    selp.b64 %slot, 0, %slot, %full;
    st.param.b64 [taken], %slot;
    ret;
}

.func (.param .b32 status) __lanework_submit(.param .b64 parameters, .param .b64 stream)
{
    .reg .pred %none; .reg .b32 %n; .reg .b64 %queue, %slot, %stream;
    ld.param.b64 %slot, [parameters];
    ld.param.b64 %stream, [stream];
    st.param.b32 [status], 1;
    setp.eq.u64 %none, %slot, 0;
    @%none ret;
    sub.u64 %slot, %slot, FIELDS;
    st.global.u64 [%slot + 40], %stream;
    mov.u64 %queue, QUEUE;
    atom.global.add.u32 %n, [%queue + 4], 1;
    add.u32 %n, %n, 1;
    st.global.u32 [%slot + 36], %n;
    st.param.b32 [status], 0;
    ret;
}

.visible .func (.param .b64 parameters) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 kernel, .param .align 4 .b8 grid[12],
    .param .align 4 .b8 block[12], .param .b32 shared)
{
    .reg .pred %full; .reg .b32 %n; .reg .b64 %slot, %kernel;
    { .param .b64 taken; call (taken), __lanework_slot; ld.param.b64 %slot, [taken]; }
    setp.eq.u64 %full, %slot, 0;
    @%full bra done;
    ld.param.b64 %kernel, [kernel];
    st.global.u64 [%slot], %kernel;
    ld.param.b32 %n, [grid]; st.global.u32 [%slot + 8], %n;
    ld.param.b32 %n, [grid + 4]; st.global.u32 [%slot + 12], %n;
    ld.param.b32 %n, [grid + 8]; st.global.u32 [%slot + 16], %n;
    ld.param.b32 %n, [block]; st.global.u32 [%slot + 20], %n;
    ld.param.b32 %n, [block + 4]; st.global.u32 [%slot + 24], %n;
    ld.param.b32 %n, [block + 8]; st.global.u32 [%slot + 28], %n;
    ld.param.b32 %n, [shared]; st.global.u32 [%slot + 32], %n;
    add.u64 %slot, %slot, FIELDS;
done:
    st.param.b64 [parameters], %slot;
    ret;
}

.visible .func (.param .b64 parameters) __cuda_syscall_cnpv2GetParameterBuffer(.param .b32 alignment, .param .b32 bytes)
{
    .reg .pred %full; .reg .b64 %slot;
    { .param .b64 taken; call (taken), __lanework_slot; ld.param.b64 %slot, [taken]; }
    setp.eq.u64 %full, %slot, 0;
    @!%full add.u64 %slot, %slot, FIELDS;
    st.param.b64 [parameters], %slot;
    ret;
}

.visible .func (.param .b32 status) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 parameters, .param .b64 stream)
{
    .reg .b32 %n; .reg .b64 %p, %s;
    ld.param.b64 %p, [parameters];
    ld.param.b64 %s, [stream];
    { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %p; st.param.b64 [b], %s;
      call (r), __lanework_submit, (a, b); ld.param.b32 %n, [r]; }
    st.param.b32 [status], %n;
    ret;
}

.visible .func (.param .b32 status) __cuda_syscall_cnpv2LaunchDevice(.param .b64 kernel, .param .b64 parameters, .param .b64 grid,
    .param .b64 block, .param .b32 shared, .param .b64 stream)
{
    .reg .pred %none; .reg .b32 %n; .reg .b64 %p, %s, %from, %kernel;
    ld.param.b64 %p, [parameters];
    ld.param.b64 %s, [stream];
    st.param.b32 [status], 1;
    setp.eq.u64 %none, %p, 0;
    @%none ret;
    ld.param.b64 %kernel, [kernel];
    st.global.u64 [%p + -64], %kernel;
    ld.param.b64 %from, [grid];
    ld.u32 %n, [%from]; st.global.u32 [%p + -56], %n;
    ld.u32 %n, [%from + 4]; st.global.u32 [%p + -52], %n;
    ld.u32 %n, [%from + 8]; st.global.u32 [%p + -48], %n;
    ld.param.b64 %from, [block];
    ld.u32 %n, [%from]; st.global.u32 [%p + -44], %n;
    ld.u32 %n, [%from + 4]; st.global.u32 [%p + -40], %n;
    ld.u32 %n, [%from + 8]; st.global.u32 [%p + -36], %n;
    ld.param.b32 %n, [shared]; st.global.u32 [%p + -32], %n;
    { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %p; st.param.b64 [b], %s;
      call (r), __lanework_submit, (a, b); ld.param.b32 %n, [r]; }
    st.param.b32 [status], %n;
    ret;
}

.func __lanework_handle(.param .b64 place)
{
    .reg .b32 %n; .reg .b64 %queue, %place, %handle;
    mov.u64 %queue, QUEUE;
    atom.global.add.u32 %n, [%queue + 8], 1;
    cvt.u64.u32 %handle, %n;
    add.u64 %handle, %handle, 0x1000;
    ld.param.b64 %place, [place];
    st.u64 [%place], %handle;
    ret;
}

.visible .func (.param .b32 status) __cuda_syscall_cnpv2StreamCreate(.param .b64 stream, .param .b32 flags)
{
    .reg .b64 %p;
    ld.param.b64 %p, [stream];
    { .param .b64 a; st.param.b64 [a], %p; call __lanework_handle, (a); }
    st.param.b32 [status], 0;
    ret;
}

.visible .func (.param .b32 status) __cuda_syscall_cnpv2EventCreate(.param .b64 event, .param .b32 flags)
{
    .reg .b64 %p;
    ld.param.b64 %p, [event];
    { .param .b64 a; st.param.b64 [a], %p; call __lanework_handle, (a); }
    st.param.b32 [status], 0;
    ret;
}

.visible .func (.param .b32 status) __cuda_syscall_cnpv2StreamDestroy(.param .b64 stream) { st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2EventDestroy(.param .b64 event) { st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2EventRecord(.param .b64 event, .param .b64 stream) { st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2StreamWaitEvent(.param .b64 stream, .param .b64 event, .param .b32 flags)
{ st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2GetLastError() { st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2SetLastError(.param .b32 error) { st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2GetDevice(.param .b64 device)
{ .reg .b64 %p; ld.param.b64 %p, [device]; st.u32 [%p], 0; st.param.b32 [status], 0; ret; }
.visible .func (.param .b32 status) __cuda_syscall_cnpv2GetDeviceCount(.param .b64 count)
{ .reg .b64 %p; ld.param.b64 %p, [count]; st.u32 [%p], 1; st.param.b32 [status], 0; ret; }
";

/// A child launch.
pub struct Child {
    /// Kernel name.
    pub kernel: String,
    /// Blocks, and threads of a block.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    /// The bytes of each argument.
    pub arguments: Vec<Vec<u8>>,
    /// Number of its launch in the parent, from 0 on.
    pub number: usize,
    /// Its stream in the parent.
    pub stream: u64,
}

/// Whether kernels of a module may launch children.
pub fn has_queue(module: &Module) -> bool {
    module.code.variable(QUEUE).is_some()
}

/// Drains a module's queue, in execution order.
pub fn take(module: &Module, driver: &Driver) -> Result<Vec<Child>> {
    let Some((queue, _)) = module.code.variable(QUEUE) else { return Ok(Vec::new()) };
    let mut head = [0; HEAD];
    driver.read(queue, &mut head)?;
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let wide =
        |bytes: &[u8], at: usize| u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32;
    let taken = (word(&head, 0) as usize).min(SLOTS);
    if taken == 0 {
        return Ok(Vec::new());
    }
    let mut slots = vec![0; taken * SLOT];
    driver.read(queue + HEAD as u64, &mut slots)?;
    let mut found = Vec::new();
    for slot in slots.chunks_exact(SLOT) {
        let number = word(slot, 36);
        if number == 0 {
            continue;
        }
        let kernel = function_at(module.code.module(), wide(slot, 0));
        let kernel = kernel.filter(|kernel| kernel.entry).ok_or(Status::LaunchFailed)?;
        let entry = module.entry(&kernel.name)?;
        let arguments = entry.parameters.iter().map(|&(at, size)| {
            slot.get(FIELDS + at..FIELDS + at + size)
                .map(<[u8]>::to_vec)
                .ok_or(Status::LaunchFailed)
        });
        let three = |at: usize| [0, 4, 8].map(|step| word(slot, at + step));
        let child = Child {
            kernel: kernel.name.clone(),
            grid: three(8),
            block: three(20),
            dynamic_shared: word(slot, 32),
            arguments: arguments.collect::<Result<_>>()?,
            number: number as usize - 1,
            stream: wide(slot, 40),
        };
        found.push(((wide(slot, 40) == TAIL, number), child));
    }
    for number in 0..taken {
        driver.write(queue + (HEAD + number * SLOT + 36) as u64, &[0; 4])?;
    }
    driver.write(queue, &[0; 8])?;
    found.sort_by_key(|(order, _)| *order);
    Ok(found.into_iter().map(|(_, child)| child).collect())
}
