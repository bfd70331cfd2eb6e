#!/usr/bin/env python3
"""Calls the driver API, valid and invalid, and prints each result on a line: `group: call(arguments) = code outputs`.

It loads `libcuda.so.1`, so the same program runs on a GPU and on the emulator:

    python3 calls.py                              # on a GPU
    lanework exec --plain -- python3 calls.py     # on the emulator

Each group runs in its own process, so that no error affects another group. Pointers and handles are printed as `set` or
`null`; no value depends on the machine. `calls.py NAME ...` runs the named groups.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys
import tempfile

LIBRARY = ctypes.CDLL("libcuda.so.1")
GROUPS = []
GROUP = ""
# The number of the current call of the group, which the parent reads when a call ends the process.
CURRENT = mmap.mmap(-1, 8)
# Calls of the group that ended the process: they are not repeated.
CRASHES = set()
PTX = b"""
.version 7.8
.target sm_80
.address_size 64
.global .align 4 .u32 counter;
.global .align 8 .u64 pair[2];
.const .align 4 .u32 fixed[4];
.visible .entry none() { ret; }
.visible .entry store(.param .u64 p, .param .u32 v) {
  .reg .b64 %a; .reg .b32 %v;
  ld.param.u64 %a, [p]; ld.param.u32 %v, [v]; cvta.to.global.u64 %a, %a; st.global.u32 [%a], %v; ret;
}
.visible .entry small() .maxntid 64, 1, 1 { ret; }
.visible .entry exact() .reqntid 64, 1, 1 { ret; }
.visible .entry shared(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %v; .shared .align 4 .b8 s[4096];
  ld.param.u64 %a, [p]; ld.shared.u32 %v, [s]; st.global.u32 [%a], %v; ret;
}
.visible .entry trap() { trap; ret; }
.visible .entry breakpoint() { brkpt; ret; }
.visible .entry misaligned(.param .u64 p, .param .u32 v) {
  .reg .b64 %a; .reg .b32 %v;
  ld.param.u64 %a, [p]; add.u64 %a, %a, 2; ld.param.u32 %v, [v]; st.global.u32 [%a], %v; ret;
}
.visible .entry deep(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %v; .reg .b64 %l; .local .align 8 .b8 frame[16384];
  ld.param.u64 %a, [p]; mov.u64 %l, frame; ld.param.u32 %v, [p]; and.b32 %v, %v, 63; cvt.u64.u32 %a, %v;
  add.u64 %l, %l, %a; st.local.u32 [%l], %v; ret;
}
.visible .entry sharedover() {
  .reg .b32 %v; .reg .b64 %a; .shared .align 4 .b8 t[16];
  mov.u64 %a, t; add.u64 %a, %a, 1048576; mov.u32 %v, 1; st.shared.u32 [%a], %v; ret;
}
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 text[5] = {116, 101, 120, 116, 0};
.visible .entry assertion() {
  .reg .b64 %a; mov.u64 %a, text; cvta.global.u64 %a, %a;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %a; st.param.b64 [b], %a; st.param.b32 [c], 7; st.param.b64 [d], %a; st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e); }
  ret;
}
\0"""


def group(function):
    GROUPS.append(function)
    return function


class Out:
    """Memory for a result. `show` is how it is printed: 'd' and 'u' as a number, 'p' as `set` or `null`, '-' not at all."""

    def __init__(self, show="p", bytes=8):
        self.show, self.bytes = show, bytes
        self.memory = ctypes.create_string_buffer(bytes)

    @property
    def value(self):
        return int.from_bytes(self.memory.raw[: min(8, self.bytes)], "little")

    @property
    def address(self):
        return ctypes.addressof(self.memory)

    def __str__(self):
        if self.show == "d":
            return str(int.from_bytes(self.memory.raw[: self.bytes], "little", signed=True))
        if self.show == "u":
            return str(self.value)
        if self.show == "x":
            return self.memory.raw.hex()
        return "set" if self.value else "null"


def pointer():
    return Out("p")


def number(bytes=4):
    return Out("d", bytes)


def hidden(bytes=8):
    return Out("-", bytes)


class Named:
    """An argument that is printed by a name, not by its value."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __str__(self):
        return self.name


KEEP = []


def packed(name, form, *values):
    memory = ctypes.create_string_buffer(struct.pack(form, *values))
    KEEP.append(memory)
    return Named(name, ctypes.addressof(memory))


def text(value):
    memory = ctypes.create_string_buffer(value)
    KEEP.append(memory)
    return Named(repr(value.decode()), ctypes.addressof(memory))


def raw(name, arguments):
    words = []
    for argument in arguments:
        if isinstance(argument, Out):
            words.append(argument.address)
        elif isinstance(argument, Named):
            words.append(argument.value)
        else:
            words.append(argument)
    function = getattr(LIBRARY, name, None)
    if function is None:
        return None
    return function(*[ctypes.c_uint64(word % 2**64) for word in words])


def call(name, *arguments, note=""):
    """Calls a function and prints its result."""
    shown = ", ".join("out" if isinstance(a, Out) else str(a) for a in arguments)
    number_of_call = int.from_bytes(CURRENT[:], "little") + 1
    CURRENT[:] = number_of_call.to_bytes(8, "little")
    sys.stdout.write(f"{GROUP}: {name}({shown}){' [' + note + ']' if note else ''} = ")
    if number_of_call in CRASHES:
        print("crash")
        return None
    code = raw(name, arguments)
    found = ""
    if code == 0:
        found = "".join(f" {a}" for a in arguments if isinstance(a, Out) and a.show != "-")
    print("missing" if code is None else f"{code}{found}")
    return code


def quiet(name, *arguments):
    """Calls a function whose result is not compared."""
    return raw(name, arguments)


def need(name, *arguments):
    code = raw(name, arguments)
    if code != 0:
        print(f"{GROUP}: setup {name} = {code}")
        os._exit(3)


def start():
    need("cuInit", 0)
    context = pointer()
    need("cuDevicePrimaryCtxRetain", context, 0)
    need("cuCtxSetCurrent", context.value)
    return Named("context", context.value)


def allocated(bytes=4096, name="device"):
    at = pointer()
    need("cuMemAlloc_v2", at, bytes)
    return Named(name, at.value)


def host(bytes=4096, name="host"):
    memory = ctypes.create_string_buffer(bytes + 4096)
    KEEP.append(memory)
    return Named(name, (ctypes.addressof(memory) + 4095) // 4096 * 4096)


def pinned(bytes=4096, name="pinned"):
    at = pointer()
    need("cuMemAllocHost_v2", at, bytes)
    return Named(name, at.value)


def managed(bytes=4096, name="managed"):
    at = pointer()
    need("cuMemAllocManaged", at, bytes, 1)
    return Named(name, at.value)


def registered(bytes=4096, name="registered"):
    memory = host(bytes, name)
    need("cuMemHostRegister_v2", memory, bytes, 0)
    return memory


def pooled(bytes=4096, name="pooled"):
    at = pointer()
    need("cuMemAllocAsync", at, bytes, 0)
    need("cuStreamSynchronize", 0)
    return Named(name, at.value)


def freed(bytes=4096, name="freed"):
    at = allocated(bytes, name)
    need("cuMemFree_v2", at)
    return at


def plus(named, offset):
    return Named(f"{named.name}{offset:+}", named.value + offset)


def stream(flags=0, name="stream"):
    made = pointer()
    need("cuStreamCreate", made, flags)
    return Named(name, made.value)


def event(flags=0, name="event"):
    made = pointer()
    need("cuEventCreate", made, flags)
    return Named(name, made.value)


def module(name="module"):
    made = pointer()
    memory = ctypes.create_string_buffer(PTX)
    KEEP.append(memory)
    need("cuModuleLoadData", made, ctypes.addressof(memory))
    return Named(name, made.value)


def function(of, name):
    made = pointer()
    need("cuModuleGetFunction", made, of, text(name.encode()))
    return Named(name, made.value)


def graph(name="graph"):
    made = pointer()
    need("cuGraphCreate", made, 0)
    return Named(name, made.value)


def arguments(*values):
    """Kernel arguments: pairs of a format and a value."""
    places = []
    for form, value in values:
        memory = ctypes.create_string_buffer(struct.pack(form, value))
        KEEP.append(memory)
        places.append(ctypes.addressof(memory))
    return packed("arguments", f"<{len(places)}Q", *places)


def launch(of, grid=(1, 1, 1), block=(1, 1, 1), shared=0, on=0, parameters=0, extra=0, note=""):
    return call("cuLaunchKernel", of, *grid, *block, shared, on, parameters, extra, note=note)


BAD = Named("bad", 0x10000 * 4096 + 8)


# Before and without initialization.


@group
def uninitialized():
    for name, given in [
        ("cuDeviceGetCount", [number()]), ("cuDeviceGet", [number(), 0]), ("cuCtxGetCurrent", [pointer()]),
        ("cuCtxSetCurrent", [0]), ("cuCtxSynchronize", []), ("cuMemAlloc_v2", [pointer(), 16]), ("cuMemFree_v2", [0]),
        ("cuStreamCreate", [pointer(), 0]), ("cuEventCreate", [pointer(), 0]), ("cuDevicePrimaryCtxRetain", [pointer(), 0]),
        ("cuGraphCreate", [pointer(), 0]), ("cuModuleLoadData", [pointer(), 0]), ("cuCtxGetDevice", [number()]),
        ("cuDeviceTotalMem_v2", [hidden(), 0]), ("cuMemGetInfo_v2", [hidden(), hidden()]), ("cuCtxPopCurrent_v2", [pointer()]),
        ("cuCtxGetLimit", [number(8), 0]), ("cuLibraryLoadData", [pointer(), 0, 0, 0, 0, 0, 0, 0]),
        ("cuPointerGetAttribute", [hidden(), 1, 16]), ("cuStreamQuery", [0]), ("cuLaunchKernel", [0] * 11),
    ]:
        call(name, *given)
    call("cuDriverGetVersion", hidden(4))
    call("cuDriverGetVersion", 0)
    call("cuInit", 1)
    call("cuInit", 0xFFFFFFFF)
    call("cuInit", 0)
    call("cuInit", 0)
    call("cuInit", 1)


@group
def contextless():
    need("cuInit", 0)
    memory = host()
    for name, given in [
        ("cuCtxGetCurrent", [pointer()]), ("cuCtxSynchronize", []), ("cuCtxGetDevice", [number()]), ("cuCtxGetFlags", [number()]),
        ("cuCtxSetFlags", [0]), ("cuCtxGetLimit", [number(8), 0]), ("cuCtxSetLimit", [0, 2048]), ("cuCtxPopCurrent_v2", [pointer()]),
        ("cuCtxGetApiVersion", [0, number()]), ("cuCtxGetCacheConfig", [number()]), ("cuCtxGetStreamPriorityRange", [number(), number()]),
        ("cuCtxGetId", [0, hidden()]), ("cuMemAlloc_v2", [pointer(), 16]), ("cuMemFree_v2", [0]), ("cuMemFree_v2", [BAD]),
        ("cuMemAllocHost_v2", [pointer(), 16]), ("cuMemFreeHost", [0]), ("cuMemHostAlloc", [pointer(), 16, 0]),
        ("cuMemAllocManaged", [pointer(), 16, 1]), ("cuMemHostRegister_v2", [memory, 4096, 0]), ("cuMemHostUnregister", [memory]),
        ("cuMemGetInfo_v2", [hidden(), hidden()]), ("cuMemcpyHtoD_v2", [BAD, memory, 4]), ("cuMemsetD8_v2", [BAD, 0, 4]),
        ("cuStreamCreate", [pointer(), 0]), ("cuStreamSynchronize", [0]), ("cuStreamQuery", [0]), ("cuEventCreate", [pointer(), 0]),
        ("cuModuleLoadData", [pointer(), text(PTX)]), ("cuGraphCreate", [pointer(), 0]), ("cuMemAllocAsync", [pointer(), 16, 0]),
        ("cuDeviceGetDefaultMemPool", [pointer(), 0]), ("cuDeviceGetMemPool", [pointer(), 0]), ("cuProfilerStart", []),
        ("cuCtxResetPersistingL2Cache", []), ("cuPointerGetAttribute", [hidden(), 1, memory]), ("cuStreamIsCapturing", [0, number()]),
        ("cuCtxDestroy_v2", [0]), ("cuCtxPushCurrent_v2", [0]), ("cuCtxSetCurrent", [0]), ("cuMemAddressReserve", [pointer(), 2 << 20, 0, 0, 0]),
        ("cuArrayCreate_v2", [pointer(), packed("descriptor", "<QQII", 16, 0, 0x20, 1)]),
    ]:
        name_shown = [Named("ptx", a.value) if isinstance(a, Named) and a.name.startswith("'\\n") else a for a in given]
        call(name, *name_shown)


@group
def devices():
    need("cuInit", 0)
    for ordinal in (0, -1, 64, 0x7FFFFFFF):
        call("cuDeviceGet", number(), ordinal)
        call("cuDeviceTotalMem_v2", hidden(), ordinal)
        call("cuDeviceGetAttribute", number(), 1, ordinal)
        call("cuDeviceGetUuid_v2", hidden(16), ordinal)
        call("cuDeviceComputeCapability", hidden(4), hidden(4), ordinal)
        call("cuDevicePrimaryCtxRetain", pointer(), ordinal)
        call("cuDeviceGetName", hidden(64), 64, ordinal)
        call("cuDeviceGetPCIBusId", hidden(64), 64, ordinal)
        call("cuDeviceGetDefaultMemPool", pointer(), ordinal)
        call("cuDeviceCanAccessPeer", number(), ordinal, 0)
        call("cuDeviceGetExecAffinitySupport", number(), 0, ordinal)
    call("cuDeviceGet", 0, 0)
    call("cuDeviceGetCount", 0)
    call("cuDeviceTotalMem_v2", 0, 0)
    call("cuDeviceGetName", 0, 64, 0)
    call("cuDeviceGetName", hidden(64), 0, 0)
    call("cuDeviceGetPCIBusId", hidden(64), 4, 0)
    call("cuDeviceGetPCIBusId", hidden(64), 12, 0)
    call("cuDeviceGetPCIBusId", 0, 64, 0)
    call("cuDeviceGetByPCIBusId", number(), text(b"nonsense"))
    call("cuDeviceGetByPCIBusId", number(), text(b"ffff:ff:1f.0"))
    call("cuDeviceGetByPCIBusId", number(), 0)
    call("cuDeviceGetUuid_v2", 0, 0)
    call("cuDeviceGetAttribute", 0, 1, 0)
    for attribute in (0, -1, 1, 2, 4, 5, 8, 10, 15, 41, 75, 76, 81, 92, 94, 97, 106, 111, 120, 148, 149, 200, 1000):
        call("cuDeviceGetAttribute", number(), attribute, 0)
    for attribute in range(0, 7):
        call("cuDeviceGetP2PAttribute", number(), attribute, 0, 0)
    for kind in (0, 1, -1):
        call("cuDeviceGetExecAffinitySupport", number(), kind, 0)
    call("cuDeviceGetLuid", hidden(8), number(), 0)
    call("cuDeviceGetTexture1DLinearMaxWidth", number(8), 0x20, 1, 0)
    call("cuDeviceGetTexture1DLinearMaxWidth", number(8), 0x20, 3, 0)
    call("cuDeviceGetTexture1DLinearMaxWidth", number(8), 7, 1, 0)
    call("cuProfilerInitialize", 0, 0, 0)


@group
def errors():
    for code in list(range(-1, 10)) + [34, 36, 46, 99, 100, 101, 102, 199] + list(range(200, 228)) + list(range(300, 306)) + [
        399, 400, 401, 402, 403, 499, 500, 501, 600, 601] + list(range(699, 723)) + list(range(799, 814)) + list(range(900, 918)) + [999, 1000]:
        found = pointer()
        code_of_call = raw("cuGetErrorName", [code, found])
        name = ctypes.string_at(found.value).decode() if found.value else "null"
        other = raw("cuGetErrorString", [code, found])
        told = ctypes.string_at(found.value).decode() if found.value else "null"
        print(f"{GROUP}: {code} = {code_of_call} {name}, {other} {told}")
    call("cuGetErrorName", 0, 0)
    call("cuGetErrorString", 0, 0)


@group
def procedures():
    need("cuInit", 0)
    for name in (b"cuMemAlloc", b"cuMemAlloc_v2", b"cuCtxCreate", b"cuNothing", b"", b"cuStreamBeginCapture", b"cuLaunchKernel",
                 b"cuGraphInstantiate", b"cuMemcpyHtoD_v2", b"cuGetProcAddress", b"cuStreamBatchMemOp", b"cudaMalloc"):
        for version in (3000, 6050, 12000, 13000):
            found, status = pointer(), number()
            call("cuGetProcAddress_v2", text(name), found, version, 0, status)
    for flags in (0, 1, 2, 3, 4, 8):
        call("cuGetProcAddress_v2", text(b"cuLaunchKernel"), pointer(), 12000, flags, number())
    call("cuGetProcAddress_v2", 0, pointer(), 12000, 0, number())
    call("cuGetProcAddress_v2", text(b"cuLaunchKernel"), 0, 12000, 0, number())
    call("cuGetProcAddress_v2", text(b"cuNothing"), pointer(), 12000, 0, 0)
    call("cuGetProcAddress_v2", text(b"cuLaunchKernel"), pointer(), 12000, 0, 0)
    call("cuGetExportTable", pointer(), packed("unknown", "<16s", b"0123456789abcdef"))
    call("cuGetExportTable", pointer(), 0)
    call("cuModuleGetLoadingMode", number())
    call("cuModuleGetLoadingMode", 0)


# Contexts.


@group
def contexts():
    need("cuInit", 0)
    made = pointer()
    call("cuDevicePrimaryCtxGetState", 0, number(), number())
    call("cuDevicePrimaryCtxRelease_v2", 0)
    call("cuDevicePrimaryCtxRelease_v2", 5)
    call("cuDevicePrimaryCtxReset_v2", 5)
    call("cuDevicePrimaryCtxReset_v2", 0)
    call("cuDevicePrimaryCtxRetain", 0, 0)
    for flags in (0, 1, 2, 3, 4, 5, 7, 8, 16, 24, 32, 64, 128, 256):
        call("cuDevicePrimaryCtxSetFlags_v2", 0, flags)
        call("cuDevicePrimaryCtxGetState", 0, number(), number())
    need("cuDevicePrimaryCtxSetFlags_v2", 0, 0)
    call("cuDevicePrimaryCtxRetain", made, 0)
    call("cuDevicePrimaryCtxRetain", made, 0)
    call("cuDevicePrimaryCtxGetState", 0, number(), number())
    call("cuDevicePrimaryCtxSetFlags_v2", 0, 4)
    call("cuDevicePrimaryCtxGetState", 0, 0, number())
    call("cuDevicePrimaryCtxGetState", 0, number(), 0)
    primary = Named("primary", made.value)
    call("cuCtxGetCurrent", pointer())
    call("cuCtxSetCurrent", primary)
    call("cuCtxGetCurrent", pointer())
    call("cuCtxGetCurrent", 0)
    call("cuCtxGetDevice", number())
    call("cuCtxGetDevice", 0)
    call("cuCtxGetFlags", number())
    call("cuCtxGetFlags", 0)
    call("cuCtxDestroy_v2", primary)
    call("cuCtxGetApiVersion", primary, number())
    call("cuCtxGetApiVersion", primary, 0)
    call("cuCtxGetApiVersion", 0, number())
    call("cuCtxPushCurrent_v2", primary)
    call("cuCtxPopCurrent_v2", pointer())
    call("cuCtxPopCurrent_v2", 0)
    call("cuCtxGetCurrent", pointer())
    call("cuCtxPopCurrent_v2", pointer())
    call("cuCtxSetCurrent", primary)
    call("cuCtxGetStreamPriorityRange", number(), number())
    call("cuCtxGetStreamPriorityRange", 0, 0)
    call("cuCtxGetCacheConfig", number())
    call("cuCtxGetCacheConfig", 0)
    for value in (0, 1, 2, 3, 4, -1):
        call("cuCtxSetCacheConfig", value)
        call("cuCtxGetCacheConfig", number())
    call("cuCtxGetSharedMemConfig", number())
    for value in (0, 1, 2, 3):
        call("cuCtxSetSharedMemConfig", value)
        call("cuCtxGetSharedMemConfig", number())
    call("cuCtxGetId", 0, hidden())
    call("cuCtxGetId", 0, 0)
    call("cuCtxGetExecAffinity", hidden(32), 0)
    call("cuCtxResetPersistingL2Cache")
    call("cuProfilerStart")
    call("cuProfilerStop")
    call("cuProfilerStop")
    for flags in (0, 1, 2, 4, 3, 8, 32):
        call("cuCtxSetFlags", flags)
        call("cuCtxGetFlags", number())
    call("cuDevicePrimaryCtxRelease_v2", 0)
    call("cuDevicePrimaryCtxGetState", 0, number(), number())
    call("cuDevicePrimaryCtxRelease_v2", 0)
    call("cuDevicePrimaryCtxGetState", 0, number(), number())
    call("cuDevicePrimaryCtxRelease_v2", 0)
    call("cuMemAlloc_v2", pointer(), 16)
    call("cuCtxGetDevice", number())
    call("cuCtxSynchronize")


@group
def own_contexts():
    need("cuInit", 0)
    first, second = pointer(), pointer()
    for flags in (8, 3, 7, 64, 256, 512):
        made = pointer()
        if call("cuCtxCreate_v2", made, flags, 0) == 0:
            call("cuCtxGetFlags", number())
            call("cuCtxDestroy_v2", Named("made", made.value))
    call("cuCtxCreate_v2", 0, 0, 0)
    call("cuCtxCreate_v2", first, 0, 9)
    call("cuCtxCreate_v2", first, 0, 0)
    call("cuCtxCreate_v2", second, 0, 0)
    one, two = Named("one", first.value), Named("two", second.value)
    call("cuCtxPopCurrent_v2", pointer())
    call("cuCtxGetCurrent", pointer())
    call("cuCtxGetId", one, hidden())
    memory = allocated(64)
    call("cuCtxSetCurrent", two)
    call("cuMemFree_v2", memory, note="of another context of the device")
    memory = allocated(64)
    call("cuCtxSetCurrent", one)
    call("cuMemsetD8_v2", memory, 0, 64, note="of another context of the device")
    on = stream(name="stream of one")
    happens = event(name="event of one")
    loaded = module()
    none = function(loaded, "none")
    call("cuCtxSetCurrent", two)
    call("cuStreamSynchronize", on)
    call("cuStreamQuery", on)
    call("cuEventRecord", happens, on)
    call("cuEventRecord", happens, 0, note="stream of two")
    call("cuEventSynchronize", happens)
    call("cuStreamWaitEvent", 0, happens, 0)
    launch(none, on=on, note="stream of one, in two")
    launch(none, note="function of one, in two")
    call("cuMemsetD8Async", memory, 0, 4, on)
    call("cuCtxEnablePeerAccess", one, 0, note="same device")
    call("cuCtxEnablePeerAccess", two, 0, note="itself")
    call("cuCtxEnablePeerAccess", 0, 0)
    call("cuCtxEnablePeerAccess", one, 1)
    call("cuCtxDisablePeerAccess", one)
    call("cuCtxDestroy_v2", one)
    call("cuEventQuery", happens, note="context destroyed")
    call("cuCtxGetCurrent", pointer())
    call("cuCtxDestroy_v2", two)
    call("cuCtxGetCurrent", pointer())
    call("cuCtxSynchronize")


@group
def destroyed_context():
    need("cuInit", 0)
    first = pointer()
    need("cuCtxCreate_v2", first, 0, 0)
    one = Named("one", first.value)
    need("cuCtxPushCurrent_v2", one)
    call("cuCtxDestroy_v2", one)
    call("cuCtxGetCurrent", pointer())
    call("cuCtxSynchronize")
    call("cuMemAlloc_v2", pointer(), 16)
    call("cuStreamCreate", pointer(), 0)
    call("cuCtxPopCurrent_v2", pointer())


@group
def reset_context():
    context = start()
    memory = allocated()
    on, happens = stream(), event()
    loaded = module()
    none = function(loaded, "none")
    call("cuDevicePrimaryCtxReset_v2", 0)
    call("cuDevicePrimaryCtxGetState", 0, number(), number())
    call("cuCtxGetCurrent", pointer())
    call("cuCtxGetDevice", number())
    call("cuCtxSynchronize")
    call("cuMemAlloc_v2", pointer(), 16)
    again = pointer()
    call("cuDevicePrimaryCtxRetain", again, 0)
    print(f"{GROUP}: same handle {again.value == context.value}")
    call("cuCtxSetCurrent", Named("again", again.value))
    call("cuMemAlloc_v2", pointer(), 16)
    call("cuCtxSynchronize")
    call("cuDevicePrimaryCtxReset_v2", 0)
    call("cuDevicePrimaryCtxRelease_v2", 0)


@group
def limits():
    start()
    for limit in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1):
        call("cuCtxGetLimit", Out("u") if limit < 5 else Out("u"), limit)
    for value in (0, 1, 15, 16, 17, 100, 512, 1000, 1024, 1025, 1500, 4096, 65536, 131072, 262144, 523712, 524288, 1 << 20, 1 << 30):
        call("cuCtxSetLimit", 0, value)
        call("cuCtxGetLimit", Out("u"), 0)
    call("cuCtxSetLimit", 0, 1024)
    for value in (0, 1, 1000, 4096, 65536, 1 << 20, (1 << 20) + 1, 7340032, 1 << 26, 1 << 40):
        call("cuCtxSetLimit", 1, value)
        call("cuCtxGetLimit", Out("u"), 1)
    for value in (0, 1, 1000, 1 << 20, (4 << 20) + 1, 8388608, 10000000, 1 << 26, 1 << 45):
        call("cuCtxSetLimit", 2, value)
        call("cuCtxGetLimit", Out("u"), 2)
    for limit, values in ((3, (0, 1, 2, 24, 25, 1000)), (4, (0, 1, 2048, 32768)), (5, (0, 1, 32, 64, 100, 128, 129)),
                          (6, (0, 1, 1 << 20, 1 << 24, 1 << 30)), (7, (0, 1)), (8, (0, 1)), (99, (0, 1))):
        for value in values:
            call("cuCtxSetLimit", limit, value)
            call("cuCtxGetLimit", Out("u"), limit)
    call("cuCtxGetLimit", 0, 0)
    loaded = module()
    launch(function(loaded, "none"))
    call("cuCtxSynchronize")
    for limit in (0, 1, 2, 3, 4):
        call("cuCtxSetLimit", limit, 4096 if limit < 3 else 2, note="after a launch")


# Memory.


@group
def allocation():
    start()
    call("cuMemAlloc_v2", pointer(), 0)
    call("cuMemAlloc_v2", 0, 16)
    call("cuMemAlloc_v2", pointer(), 1)
    call("cuMemAlloc_v2", pointer(), 1 << 44)
    call("cuMemAlloc_v2", pointer(), 2**64 - 1)
    for kind, name in ((allocated, "cuMemFree_v2"), (managed, "cuMemFree_v2"), (pooled, "cuMemFree_v2"), (pinned, "cuMemFree_v2"),
                       (registered, "cuMemFree_v2"), (host, "cuMemFree_v2"), (pinned, "cuMemFreeHost"), (allocated, "cuMemFreeHost"),
                       (managed, "cuMemFreeHost"), (registered, "cuMemFreeHost"), (host, "cuMemFreeHost"),
                       (registered, "cuMemHostUnregister"), (pinned, "cuMemHostUnregister"), (allocated, "cuMemHostUnregister"),
                       (managed, "cuMemHostUnregister"), (host, "cuMemHostUnregister")):
        memory = kind()
        call(name, plus(memory, 16))
        call(name, memory)
        call(name, memory, note="again")
    for name in ("cuMemFree_v2", "cuMemFreeHost", "cuMemHostUnregister"):
        call(name, 0)
        call(name, BAD)
    for width, height, element in ((0, 1, 4), (1, 0, 4), (1, 1, 4), (100, 3, 4), (513, 3, 8), (100, 3, 16), (100, 3, 3), (100, 3, 0), (100, 3, 32), (1 << 40, 1 << 10, 4)):
        call("cuMemAllocPitch_v2", pointer(), Out("u"), width, height, element)
    call("cuMemAllocPitch_v2", 0, Out("u"), 16, 16, 4)
    call("cuMemAllocPitch_v2", pointer(), 0, 16, 16, 4)
    call("cuMemAllocHost_v2", pointer(), 0)
    call("cuMemAllocHost_v2", 0, 16)
    call("cuMemAllocHost_v2", pointer(), 1 << 50)
    for flags in (0, 1, 2, 4, 7, 8, 16, 32):
        at = pointer()
        if call("cuMemHostAlloc", at, 64, flags) == 0:
            call("cuMemHostGetFlags", number(), Named("made", at.value))
            call("cuMemHostGetDevicePointer_v2", pointer(), Named("made", at.value), 0)
    call("cuMemHostAlloc", pointer(), 0, 0)
    call("cuMemHostAlloc", 0, 64, 0)
    for flags in (0, 1, 2, 3, 4, 5):
        call("cuMemAllocManaged", pointer(), 64, flags)
    call("cuMemAllocManaged", pointer(), 0, 1)
    call("cuMemAllocManaged", 0, 64, 1)
    call("cuMemGetInfo_v2", hidden(), hidden())
    call("cuMemGetInfo_v2", 0, hidden())
    call("cuMemGetInfo_v2", 0, 0)


@group
def registration():
    start()
    memory = host(1 << 16, "memory")
    call("cuMemHostRegister_v2", 0, 4096, 0)
    call("cuMemHostRegister_v2", memory, 0, 0)
    call("cuMemHostRegister_v2", BAD, 4096, 0)
    for flags in (0, 1, 2, 3, 4, 8, 16, 32, 64):
        if call("cuMemHostRegister_v2", memory, 4096, flags) == 0:
            call("cuMemHostGetFlags", number(), memory)
            call("cuMemHostGetDevicePointer_v2", pointer(), memory, 0)
            call("cuMemHostUnregister", memory)
    call("cuMemHostRegister_v2", memory, 8192, 0)
    call("cuMemHostRegister_v2", memory, 8192, 0, note="again")
    call("cuMemHostRegister_v2", plus(memory, 4096), 8192, 0, note="overlaps")
    call("cuMemHostRegister_v2", plus(memory, 8192), 100, 0, note="next to it")
    call("cuMemHostRegister_v2", plus(memory, 8292), 100, 0, note="same page")
    call("cuMemHostUnregister", plus(memory, 4096))
    call("cuMemHostUnregister", memory)
    call("cuMemHostUnregister", memory)
    for kind in (allocated, pinned, managed):
        call("cuMemHostRegister_v2", kind(8192), 4096, 0)
    for kind in (allocated, pinned, managed, host, registered):
        at = kind(4096)
        call("cuMemHostGetDevicePointer_v2", pointer(), at, 0)
        call("cuMemHostGetFlags", number(), at)
        call("cuMemGetAddressRange_v2", pointer(), Out("u"), at)
        call("cuMemGetAddressRange_v2", pointer(), Out("u"), plus(at, 100))
    call("cuMemHostGetDevicePointer_v2", pointer(), pinned(), 1)
    call("cuMemHostGetDevicePointer_v2", 0, pinned(), 0)
    call("cuMemHostGetDevicePointer_v2", pointer(), 0, 0)
    at = allocated(100)
    call("cuMemGetAddressRange_v2", 0, 0, at)
    call("cuMemGetAddressRange_v2", 0, Out("u"), at)
    call("cuMemGetAddressRange_v2", pointer(), Out("u"), plus(at, 99))
    call("cuMemGetAddressRange_v2", pointer(), Out("u"), plus(at, 100))
    call("cuMemGetAddressRange_v2", pointer(), Out("u"), 0)
    call("cuMemGetAddressRange_v2", pointer(), Out("u"), freed())


KINDS = (allocated, pooled, managed, pinned, registered, host, freed)


def both(of_to, of_from):
    """Memory of two kinds; what is freed is freed last, so that the other does not get its address."""
    if of_to is freed:
        source = of_from(4096)
        return of_to(64 << 20), source
    to = of_to(4096)
    return to, of_from(64 << 20 if of_from is freed else 4096)


@group
def copy_htod():
    start()
    for of_to in KINDS:
        for of_from in (host, pinned, registered, managed, allocated):
            call("cuMemcpyHtoD_v2", *both(of_to, of_from), 64)
    to, source = allocated(), host()
    for bytes in (0, 1, 4096):
        call("cuMemcpyHtoD_v2", to, source, bytes)
    call("cuMemcpyHtoD_v2", 0, source, 16)
    call("cuMemcpyHtoD_v2", to, 0, 16)
    call("cuMemcpyHtoD_v2", 0, 0, 0)
    call("cuMemcpyHtoD_v2", to, source, 1 << 40)
    call("cuMemcpyHtoD_v2", to, source, 2**64 - 1)
    call("cuMemcpyHtoDAsync_v2", to, source, 16, 0)
    call("cuMemcpyHtoDAsync_v2", to, source, 16, 1)
    call("cuMemcpyHtoDAsync_v2", to, source, 16, 2)


@group
def copy_dtoh():
    start()
    for of_from in KINDS:
        for of_to in (host, pinned, registered, managed, allocated):
            call("cuMemcpyDtoH_v2", *both(of_to, of_from), 64)
    source, to = allocated(), host()
    for bytes in (0, 1, 4096):
        call("cuMemcpyDtoH_v2", to, source, bytes)
    call("cuMemcpyDtoH_v2", 0, source, 16)
    call("cuMemcpyDtoH_v2", to, 0, 16)
    call("cuMemcpyDtoH_v2", 0, 0, 0)
    call("cuMemcpyDtoHAsync_v2", to, source, 16, 0)


@group
def copy_dtod():
    start()
    for of_from in KINDS:
        for of_to in KINDS:
            call("cuMemcpyDtoD_v2", *both(of_to, of_from), 64)
    source, to = allocated(), allocated()
    call("cuMemcpyDtoD_v2", to, source, 0)
    call("cuMemcpyDtoD_v2", to, source, 1 << 40)
    call("cuMemcpyDtoD_v2", to, plus(to, 8), 64, note="overlaps")


@group
def copy_any():
    start()
    for of_from in KINDS:
        for of_to in KINDS:
            call("cuMemcpy", *both(of_to, of_from), 64)
    source, to = allocated(), host()
    call("cuMemcpy", to, source, 0)
    call("cuMemcpy", 0, source, 16)
    call("cuMemcpy", to, 0, 16)
    call("cuMemcpyAsync", to, source, 16, 0)
    call("cuMemcpyPeer", to, 0, source, 0, 16)


@group
def past_the_end():
    start()
    # The last allocation of its size: what follows it is unmapped, or another allocation.
    at = allocated(32 << 20)
    big = host(40 << 20)
    call("cuMemcpyHtoD_v2", at, big, (32 << 20) + 1)
    call("cuMemcpyHtoD_v2", at, big, 33 << 20)
    call("cuMemcpyDtoH_v2", big, at, (32 << 20) + 1)
    call("cuMemcpyHtoD_v2", plus(at, (32 << 20) - 8), big, 16)
    call("cuMemcpyHtoD_v2", plus(at, -8), big, 16)
    call("cuMemsetD8_v2", at, 0, (32 << 20) + 1)
    call("cuMemsetD32_v2", at, 0, (8 << 20) + 1)
    call("cuCtxSynchronize")
    pool = pooled(32 << 20)
    call("cuMemcpyHtoD_v2", pool, big, (32 << 20) + 1)
    shared = managed(32 << 20)
    call("cuMemcpyHtoD_v2", shared, big, (32 << 20) + 1)
    call("cuMemsetD8_v2", shared, 0, (32 << 20) + 1)
    locked = pinned(32 << 20)
    call("cuMemcpyDtoH_v2", locked, at, (32 << 20) + 1)
    call("cuCtxSynchronize")


def copy2d(from_kind, source, from_pitch, to_kind, to, to_pitch, width, height, x=0, y=0):
    def side(kind, at, pitch):
        where = at.value if isinstance(at, Named) else at
        return (x, y, kind, 0, where if kind == 1 else 0, where if kind in (2, 4) else 0, where if kind == 3 else 0, pitch)
    name = f"{{{from_kind} {source} {from_pitch} -> {to_kind} {to} {to_pitch}, {width}x{height} at {x},{y}}}"
    return packed(name, "<QQIIQQQQ QQIIQQQQ QQ".replace(" ", ""), *side(from_kind, source, from_pitch), *side(to_kind, to, to_pitch), width, height)


@group
def copy_2d():
    start()
    device, memory = allocated(1 << 16), host(1 << 16)
    for from_kind, source in ((1, memory), (2, device), (4, device), (4, memory), (3, 0), (0, memory), (5, memory), (1, 0), (2, 0), (1, device), (2, memory)):
        call("cuMemcpy2D_v2", copy2d(from_kind, source, 256, 2, device, 256, 64, 4))
    for to_kind, to in ((1, memory), (4, memory), (3, 0), (0, memory), (5, memory), (1, 0), (2, 0), (1, device), (2, memory)):
        call("cuMemcpy2D_v2", copy2d(2, device, 256, to_kind, to, 256, 64, 4))
    for width, height, pitch in ((0, 4, 256), (64, 0, 256), (64, 4, 0), (64, 4, 63), (64, 4, 64), (64, 1, 32), (64, 1, 0), (64, 257, 256), (300, 1, 256), (64, 4, 1 << 32)):
        call("cuMemcpy2D_v2", copy2d(1, memory, 1024, 2, device, pitch, width, height))
        call("cuMemcpy2D_v2", copy2d(1, memory, pitch, 2, device, 1024, width, height))
        call("cuMemcpy2DUnaligned_v2", copy2d(1, memory, 1024, 2, device, pitch, width, height))
    call("cuMemcpy2D_v2", copy2d(1, memory, 256, 2, device, 256, 64, 4, x=200))
    call("cuMemcpy2D_v2", copy2d(1, memory, 256, 2, device, 256, 64, 4, x=192))
    call("cuMemcpy2D_v2", 0)
    call("cuMemcpy2DAsync_v2", copy2d(1, memory, 256, 2, device, 256, 64, 4), 0)
    call("cuMemcpy3D_v2", 0)
    call("cuMemcpy3DAsync_v2", 0, 0)


@group
def fills():
    start()
    device = allocated(4096)
    for name, unit in (("cuMemsetD8_v2", 1), ("cuMemsetD16_v2", 2), ("cuMemsetD32_v2", 4)):
        for offset in (0, 1, 2, 3, 4):
            call(name, plus(device, offset), 1, 8)
        call(name, device, 1, 0)
        call(name, device, 1, 4096 // unit)
        call(name, 0, 1, 4)
        call(name, 0, 1, 0)
        call(name, BAD, 1, 4)
        call(name, freed(), 1, 4)
        call(name, device, 1, 1 << 61)
        for kind in (pinned, managed, registered, host, pooled):
            call(name, kind(), 1, 4)
        call(name.replace("_v2", "Async"), device, 1, 4, 0)
        call(name.replace("_v2", "Async"), plus(device, 1), 1, 4, 0)
    for name, unit in (("cuMemsetD2D8_v2", 1), ("cuMemsetD2D16_v2", 2), ("cuMemsetD2D32_v2", 4)):
        for pitch, width, height in ((64, 8, 4), (8, 8, 4), (4, 8, 1), (4, 8, 4), (0, 8, 1), (0, 8, 4), (65, 8, 4), (66, 8, 4), (64, 0, 4), (64, 8, 0), (64, 8, 1 << 20), (1 << 40, 8, 2)):
            call(name, device, pitch, 1, width, height)


@group
def pointer_attributes():
    start()
    for kind in (allocated, managed, pinned, registered, host, pooled, freed):
        at = kind(4096)
        for attribute in range(0, 22):
            show = {1: "-", 2: "d", 3: "p", 4: "p", 6: "d", 7: "-", 8: "d", 9: "d", 10: "d", 11: "p", 12: "u", 13: "d", 14: "u", 15: "d"}.get(attribute, "-")
            wide = {2: 4, 6: 4, 8: 4, 9: 4, 10: 4, 13: 4, 15: 4}.get(attribute, 16 if attribute == 5 else 8)
            call("cuPointerGetAttribute", Out(show, wide), attribute, at)
    at = allocated()
    call("cuPointerGetAttribute", 0, 2, at)
    call("cuPointerGetAttribute", number(), 2, 0)
    call("cuPointerGetAttribute", number(), 2, BAD)
    for attribute in (1, 2, 6, 8, 16):
        call("cuPointerSetAttribute", packed("1", "<i", 1), attribute, at)
    call("cuPointerSetAttribute", packed("1", "<i", 1), 6, host())
    call("cuPointerSetAttribute", 0, 6, at)
    kind, where = number(4), pointer()
    for of in (allocated, host, pinned, managed):
        call("cuPointerGetAttributes", 2, packed("types", "<ii", 2, 3), packed("results", "<QQ", kind.address, where.address), of())
        print(f"{GROUP}: gave {kind} {where}")
    call("cuPointerGetAttributes", 0, packed("types", "<i", 2), packed("results", "<Q", kind.address), at)
    call("cuPointerGetAttributes", 1, 0, packed("results", "<Q", kind.address), at)
    call("cuPointerGetAttributes", 1, packed("types", "<i", 99), packed("results", "<Q", kind.address), at)


@group
def advice():
    start()
    at = managed(1 << 16)
    here, cpu = packed("device 0", "<ii", 1, 0), packed("host", "<ii", 2, 0)
    word = {"device 0": 1, "host": 2, "device 7": 1 | 7 << 32, "device -1": 1 | 0xFFFFFFFF << 32, "nowhere": 0, "node": 3, "current node": 4, "kind 9": 9}
    for what in range(0, 9):
        for name, location in word.items():
            call("cuMemAdvise_v2", at, 4096, what, Named(name, location))
    for bytes in (0, 1, 1 << 16, (1 << 16) + 1):
        call("cuMemAdvise_v2", at, bytes, 1, Named("device 0", 1))
        call("cuMemPrefetchAsync_v2", at, bytes, Named("device 0", 1), 0, 0)
    for kind in (allocated, pinned, host, freed):
        call("cuMemAdvise_v2", kind(), 4096, 1, Named("device 0", 1))
        call("cuMemPrefetchAsync_v2", kind(), 4096, Named("device 0", 1), 0, 0)
    for name, location in word.items():
        call("cuMemPrefetchAsync_v2", at, 4096, Named(name, location), 0, 0)
    call("cuMemPrefetchAsync_v2", at, 4096, Named("device 0", 1), 1, 0)
    call("cuMemPrefetchAsync_v2", 0, 4096, Named("device 0", 1), 0, 0)
    call("cuMemPrefetchAsync", at, 4096, 0, 0)
    call("cuMemPrefetchAsync", at, 4096, -1, 0)
    call("cuMemPrefetchAsync", at, 4096, -2, 0)
    call("cuMemAdvise", at, 4096, 1, 0)
    call("cuMemAdvise", at, 4096, 3, -1)
    call("cuMemAdvise", at, 4096, 3, 4)
    fresh = managed(1 << 16, "fresh")
    for attribute in range(0, 10):
        for bytes in (4, 0, 3, 8):
            call("cuMemRangeGetAttribute", Out("d", 8) if bytes == 4 else hidden(), bytes, attribute, fresh, 4096)
    call("cuMemRangeGetAttribute", number(8), 4, 1, allocated(), 4096)
    call("cuMemRangeGetAttribute", number(8), 4, 1, host(), 4096)
    call("cuMemRangeGetAttribute", number(8), 4, 1, fresh, 0)


# Streams and events.


@group
def streams():
    start()
    for flags in (0, 1, 2, 3, 4, 8):
        call("cuStreamCreate", pointer(), flags)
    call("cuStreamCreate", 0, 0)
    for priority in (0, -1, -5, -6, 1, 100, -100):
        made = pointer()
        if call("cuStreamCreateWithPriority", made, 1, priority) == 0:
            call("cuStreamGetPriority", Named("made", made.value), number())
    call("cuStreamCreateWithPriority", pointer(), 2, 0)
    call("cuStreamCreateWithPriority", 0, 0, 0)
    on = stream(1)
    for name, given in (("cuStreamGetFlags", [number()]), ("cuStreamGetPriority", [number()]), ("cuStreamGetId", [hidden()]), ("cuStreamGetCtx", [pointer()]),
                        ("cuStreamGetDevice", [number()]), ("cuStreamQuery", []), ("cuStreamSynchronize", []), ("cuStreamIsCapturing", [number()])):
        for of in (on, 0, 1, 2):
            call(name, of, *given)
        if given:
            call(name, on, 0)
    for attribute in range(0, 16):
        call("cuStreamGetAttribute", on, attribute, Out("-", 64))
    for attribute, value in ((1, 0), (3, 1), (3, 2), (3, 3), (3, 99), (8, -1), (8, 5), (9, 0), (2, 1), (4, 1), (99, 0)):
        call("cuStreamSetAttribute", on, attribute, packed(f"value {value}", "<i60x", value))
    call("cuStreamGetAttribute", on, 3, 0)
    call("cuStreamSetAttribute", on, 3, 0)
    other = stream(0, "other")
    call("cuStreamCopyAttributes", other, on)
    call("cuStreamAddCallback", on, 0, 0, 0)
    call("cuLaunchHostFunc", on, 0, 0)
    at = managed()
    call("cuStreamAttachMemAsync", on, at, 0, 4)
    call("cuStreamAttachMemAsync", on, at, 0, 1)
    call("cuStreamAttachMemAsync", on, at, 4096, 4)
    call("cuStreamAttachMemAsync", on, at, 64, 4)
    call("cuStreamAttachMemAsync", on, at, 0, 3)
    call("cuStreamAttachMemAsync", on, allocated(), 0, 4)
    call("cuStreamAttachMemAsync", on, host(), 0, 4)
    call("cuStreamDestroy_v2", 0)
    call("cuStreamDestroy_v2", 1)
    call("cuStreamDestroy_v2", 2)
    call("cuStreamDestroy_v2", on)


def _after_stream_destroy(name, *given):
    def run():
        start()
        on = stream()
        need("cuStreamDestroy_v2", on)
        call(name, *[on if argument == "on" else argument for argument in given])
    run.__name__ = f"destroyed_stream_{name}"
    group(run)


for _name, _given in (("cuStreamQuery", ["on"]), ("cuStreamSynchronize", ["on"]), ("cuStreamDestroy_v2", ["on"]), ("cuStreamGetFlags", ["on", number()])):
    _after_stream_destroy(_name, *_given)


@group
def events():
    start()
    for flags in (0, 1, 2, 3, 4, 6, 7, 8, 16):
        call("cuEventCreate", pointer(), flags)
    call("cuEventCreate", 0, 0)
    one, two, untimed, on = event(0, "one"), event(0, "two"), event(2, "untimed"), stream()
    call("cuEventQuery", one, note="never recorded")
    call("cuEventSynchronize", one, note="never recorded")
    call("cuStreamWaitEvent", on, one, 0, note="never recorded")
    call("cuEventElapsedTime", hidden(4), one, two, note="never recorded")
    call("cuEventRecord", one, on)
    call("cuEventElapsedTime", hidden(4), one, two, note="one recorded")
    call("cuEventRecord", two, on)
    call("cuEventRecord", untimed, on)
    call("cuEventSynchronize", two)
    call("cuEventElapsedTime", hidden(4), one, two)
    call("cuEventElapsedTime", hidden(4), two, one)
    call("cuEventElapsedTime", 0, one, two)
    call("cuEventElapsedTime", hidden(4), one, untimed)
    call("cuEventElapsedTime", hidden(4), untimed, untimed)
    call("cuEventElapsedTime", hidden(4), one, 0)
    call("cuEventElapsedTime_v2", hidden(4), one, two)
    for flags in (0, 1, 2, 3):
        call("cuEventRecordWithFlags", one, on, flags)
        call("cuStreamWaitEvent", on, one, flags)
    for name, given in (("cuEventQuery", [0]), ("cuEventSynchronize", [0]), ("cuEventRecord", [0, on]), ("cuEventDestroy_v2", [0]), ("cuStreamWaitEvent", [on, 0, 0])):
        call(name, *given)
    call("cuEventRecord", one, 0)
    call("cuEventRecord", one, 1)
    call("cuEventRecord", one, 2)
    call("cuEventDestroy_v2", one)
    call("cuIpcGetEventHandle", hidden(64), two)
    call("cuIpcGetEventHandle", hidden(64), event(6, "shared"))


@group
def destroyed_event():
    start()
    gone = event()
    need("cuEventDestroy_v2", gone)
    call("cuEventQuery", gone)


@group
def memory_words():
    start()
    at, on = allocated(), stream()
    for name in ("cuStreamWriteValue32_v2", "cuStreamWriteValue64_v2"):
        for flags in (0, 1, 2):
            call(name, on, at, 1, flags)
        call(name, on, plus(at, 2), 1, 0)
        call(name, on, plus(at, 4), 1, 0)
        call(name, on, 0, 1, 0)
        call(name, on, freed(), 1, 0)
        call(name, on, host(), 1, 0)
        call(name, on, pinned(), 1, 0)
    for name in ("cuStreamWaitValue32_v2", "cuStreamWaitValue64_v2"):
        for flags in (0, 1, 1 << 30, 16, 99):
            call(name, on, at, 1, flags)
        call(name, on, plus(at, 2), 0, 0)
        call(name, on, 0, 1, 0)
    call("cuStreamSynchronize", on)
    call("cuStreamBatchMemOp_v2", on, 0, 0, 0)
    call("cuStreamBatchMemOp_v2", on, 1, 0, 0)
    call("cuStreamBatchMemOp_v2", on, 1, packed("kind 99", "<i44x", 99), 0)
    call("cuStreamBatchMemOp_v2", on, 300, packed("zeros", "<14400x"), 0)


# Capture.


def during_capture():
    """The calls that are made during a capture."""

    def work(s):
        return {
            "cuMemAlloc_v2": [pointer(), 64], "cuMemFree_v2": [s["spare"]], "cuMemFreeHost": [s["pinned"]], "cuMemAllocHost_v2": [pointer(), 64],
            "cuMemHostAlloc": [pointer(), 64, 0], "cuMemAllocManaged": [pointer(), 64, 1], "cuMemAllocPitch_v2": [pointer(), hidden(), 64, 2, 4],
            "cuMemHostRegister_v2": [s["host"], 4096, 0], "cuMemHostUnregister": [s["registered"]], "cuMemGetInfo_v2": [hidden(), hidden()],
            "cuCtxSynchronize": [], "cuCtxSetLimit": [1, 1 << 20], "cuCtxGetLimit": [number(8), 0], "cuCtxGetDevice": [number()],
            "cuStreamSynchronize": [s["on"]], "cuStreamQuery": [s["on"]], "cuStreamCreate": [pointer(), 0], "cuStreamDestroy_v2": [s["other"]],
            "cuStreamGetPriority": [s["on"], number()], "cuStreamGetFlags": [s["on"], number()], "cuStreamGetCtx": [s["on"], pointer()],
            "cuStreamBeginCapture_v2": [s["on"], 0], "cuStreamIsCapturing": [s["on"], number()],
            "cuStreamAddCallback": [s["on"], s["callback"], 0, 0], "cuStreamAttachMemAsync": [s["on"], s["managed"], 0, 4],
            "cuLaunchHostFunc": [s["on"], s["callback"], 0],
            "cuEventCreate": [pointer(), 0], "cuEventDestroy_v2": [s["event"]], "cuEventRecord": [s["event"], s["on"]],
            "cuEventQuery": [s["recorded"]], "cuEventSynchronize": [s["recorded"]], "cuEventElapsedTime": [hidden(4), s["recorded"], s["recorded"]],
            "cuStreamWaitEvent": [s["on"], s["recorded"], 0],
            "cuMemcpyHtoD_v2": [s["device"], s["host"], 64], "cuMemcpyDtoH_v2": [s["host"], s["device"], 64], "cuMemcpyDtoD_v2": [s["device"], s["spare"], 64],
            "cuMemcpy": [s["device"], s["spare"], 64], "cuMemcpyHtoDAsync_v2": [s["device"], s["host"], 64, s["on"]],
            "cuMemcpyDtoHAsync_v2": [s["host"], s["device"], 64, s["on"]], "cuMemcpyAsync": [s["device"], s["freed"], 64, s["on"]],
            "cuMemsetD8_v2": [s["device"], 0, 64], "cuMemsetD8Async": [s["device"], 0, 64, s["on"]],
            "cuMemAllocAsync": [pointer(), 64, s["on"]], "cuMemFreeAsync": [s["pooled"], s["on"]], "cuMemPoolTrimTo": [s["pool"], 0],
            "cuMemPrefetchAsync_v2": [s["managed"], 4096, 1, 0, s["on"]], "cuMemAdvise_v2": [s["managed"], 4096, 1, 1],
            "cuModuleLoadData": [pointer(), s["ptx"]], "cuModuleUnload": [s["module2"]], "cuModuleGetFunction": [pointer(), s["module"], text(b"none")],
            "cuModuleGetGlobal_v2": [pointer(), hidden(), s["module"], text(b"counter")], "cuFuncSetAttribute": [s["none"], 8, 1024],
            "cuFuncGetAttribute": [hidden(4), 0, s["none"]], "cuLibraryLoadData": [pointer(), s["ptx"], 0, 0, 0, 0, 0, 0],
            "cuLaunchKernel": [s["none"], 1, 1, 1, 1, 1, 1, 0, s["on"], 0, 0], "cuLaunchCooperativeKernel": [s["none"], 1, 1, 1, 1, 1, 1, 0, s["on"], 0],
            "cuGraphCreate": [pointer(), 0], "cuGraphInstantiateWithFlags": [pointer(), s["graph"], 0], "cuGraphLaunch": [s["executable"], s["on"]],
            "cuGraphUpload": [s["executable"], s["on"]], "cuGraphDestroy": [s["graph2"]], "cuGraphExecDestroy": [s["executable2"]],
            "cuStreamWriteValue32_v2": [s["on"], s["device"], 1, 0], "cuStreamWaitValue32_v2": [s["on"], s["device"], 0, 0],
            "cuOccupancyMaxActiveBlocksPerMultiprocessor": [number(), s["none"], 64, 0], "cuPointerGetAttribute": [number(), 2, s["device"]],
            "cuArrayCreate_v2": [pointer(), s["descriptor"]], "cuIpcGetMemHandle": [hidden(64), s["device"]], "cuMemAddressReserve": [pointer(), 2 << 20, 0, 0, 0],
            "cuProfilerStart": [], "cuCtxPushCurrent_v2": [s["context"]], "cuCtxSetCurrent": [s["context"]], "cuDevicePrimaryCtxRetain": [pointer(), 0],
            "cuMemGetAddressRange_v2": [pointer(), hidden(), s["device"]], "cuDeviceGetDefaultMemPool": [pointer(), 0],
        }

    def more(s):
        return [
            ("on the legacy stream", "cuLaunchKernel", [s["none"], 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
            ("on the legacy stream", "cuMemcpyHtoDAsync_v2", [s["device"], s["host"], 64, 0]),
            ("on the legacy stream", "cuMemsetD8Async", [s["device"], 0, 64, 0]),
            ("on the legacy stream", "cuStreamSynchronize", [0]),
            ("on the legacy stream", "cuStreamQuery", [0]),
            ("on the legacy stream", "cuEventRecord", [s["event"], 0]),
            ("on the legacy stream", "cuStreamWaitEvent", [0, s["recorded"], 0]),
            ("on the legacy stream", "cuStreamIsCapturing", [0, number()]),
            ("on the legacy stream", "cuMemAllocAsync", [pointer(), 64, 0]),
            ("on the thread's stream", "cuLaunchKernel", [s["none"], 1, 1, 1, 1, 1, 1, 0, 2, 0, 0]),
            ("on the thread's stream", "cuStreamSynchronize", [2]),
            ("on another stream", "cuLaunchKernel", [s["none"], 1, 1, 1, 1, 1, 1, 0, s["other"], 0, 0]),
            ("on another stream", "cuStreamSynchronize", [s["other"]]),
            ("on another stream", "cuStreamQuery", [s["other"]]),
            ("on another stream", "cuEventRecord", [s["event"], s["other"]]),
            ("on another stream", "cuMemAllocAsync", [pointer(), 64, s["other"]]),
            ("refused", "cuLaunchKernel", [s["none"], 1, 1, 1, 2048, 1, 1, 0, s["on"], 0, 0]),
            ("refused", "cuMemcpyAsync", [0, s["device"], 64, s["on"]]),
            ("refused", "cuMemsetD32Async", [plus(s["device"], 1), 0, 64, s["on"]]),
            ("invalid", "cuMemAlloc_v2", [0, 64]),
            ("the captured stream", "cuStreamDestroy_v2", [s["on"]]),
        ]

    return work, more


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)


def capture_state():
    context = start()
    s = {"context": context, "on": stream(0, "on"), "other": stream(1, "other"), "device": allocated(), "spare": allocated(4096, "spare"), "freed": freed(),
         "pinned": pinned(), "host": host(), "managed": managed(), "registered": registered(), "pooled": pooled(), "event": event(), "recorded": event(0, "recorded"),
         "module": module(), "module2": module("module2"), "graph": graph(), "graph2": graph("graph2")}
    s["none"] = function(s["module"], "none")
    s["ptx"] = Named("ptx", text(PTX).value)
    s["callback"] = Named("callback", ctypes.cast(CALLBACK, ctypes.c_void_p).value)
    s["descriptor"] = packed("descriptor", "<QQII", 16, 0, 0x20, 1)
    pool = pointer()
    need("cuDeviceGetDefaultMemPool", pool, 0)
    s["pool"] = Named("pool", pool.value)
    for name in ("executable", "executable2"):
        made = pointer()
        need("cuGraphInstantiateWithFlags", made, s["graph"], 0)
        s[name] = Named(name, made.value)
    need("cuEventRecord", s["recorded"], s["on"])
    need("cuLaunchKernel", s["none"], 1, 1, 1, 1, 1, 1, 0, s["on"], 0, 0)
    need("cuCtxSynchronize")
    return s


def captured(mode, label, non_blocking=False):
    def run():
        make, more = during_capture()
        s = capture_state()
        if non_blocking:
            s["on"] = stream(1, "on")
        cases = lambda: [("", name, given) for name, given in make(s).items()] + more(s)
        for index in range(len(cases())):
            note, name, given = cases()[index]
            begun = raw("cuStreamBeginCapture_v2", [s["on"], mode])
            code = call(name, *given, note=note)
            status, graph_out = number(), pointer()
            state = raw("cuStreamIsCapturing", [s["on"], status])
            shown = f"{state} {status}" if state == 0 else f"{state}"
            ended = raw("cuStreamEndCapture", [s["on"], graph_out])
            print(f"{GROUP}: ... begin {begun}, capturing {shown}, end {ended} {graph_out}")
            if note == "the captured stream":
                continue
            # Replaces what the call used up.
            for key, gone, make_again in (("spare", "cuMemFree_v2", lambda: allocated(4096, "spare")), ("pinned", "cuMemFreeHost", pinned),
                                          ("pooled", "cuMemFreeAsync", pooled), ("other", "cuStreamDestroy_v2", lambda: stream(1, "other")),
                                          ("event", "cuEventDestroy_v2", event), ("module2", "cuModuleUnload", lambda: module("module2")),
                                          ("graph2", "cuGraphDestroy", lambda: graph("graph2"))):
                if name == gone and code == 0:
                    s[key] = make_again()
            raw("cuCtxSynchronize", [])
            if name == "cuMemHostRegister_v2" and code == 0:
                raw("cuMemHostUnregister", [s["host"]])
            if name == "cuEventRecord":
                s["event"] = event()
            raw("cuEventRecord", [s["recorded"], s["on"]])
            raw("cuCtxSynchronize", [])
    run.__name__ = f"capture_{label}"
    group(run)


captured(0, "global")
captured(1, "thread_local")
captured(2, "relaxed")
captured(0, "global_non_blocking", True)
captured(2, "relaxed_non_blocking", True)


@group
def capture_order():
    s = capture_state()
    on, other, none, first, second = s["on"], s["other"], s["none"], event(0, "first"), event(0, "second")
    call("cuStreamEndCapture", on, pointer())
    call("cuStreamBeginCapture_v2", 0, 0)
    call("cuStreamBeginCapture_v2", 1, 0)
    for mode in (0, 1, 2, 3, -1):
        call("cuStreamBeginCapture_v2", on, mode)
        call("cuStreamEndCapture", on, pointer())
    call("cuStreamBeginCapture_v2", 2, 0, note="the thread's stream")
    call("cuStreamEndCapture", 2, pointer())
    for title, steps in (
        ("fork without join", [("record first on", 0), ("wait other first", 0), ("launch other", 0), ("end on", 0)]),
        ("fork and join", [("record first on", 0), ("wait other first", 0), ("launch other", 0), ("record second other", 0), ("wait on second", 0), ("end on", 0)]),
        ("fork without work", [("record first on", 0), ("wait other first", 0), ("end on", 0)]),
        ("end in the forked stream", [("record first on", 0), ("wait other first", 0), ("end other", 0), ("end on", 0)]),
        ("event from outside", [("record second other", 0), ("wait on second", 0), ("end on", 0)]),
        ("query a captured event", [("record first on", 0), ("query first", 0), ("end on", 0), ("query first", 0)]),
        ("synchronize a captured event", [("record first on", 0), ("sync first", 0), ("end on", 0), ("sync first", 0)]),
        ("elapsed time of a captured event", [("record first on", 0), ("elapsed first", 0), ("end on", 0)]),
        ("wait after the end", [("record first on", 0), ("end on", 0), ("wait other first", 0), ("launch other", 0)]),
        ("the forked stream synchronizes", [("record first on", 0), ("wait other first", 0), ("syncs other", 0), ("end on", 0)]),
        ("destroy the event", [("record first on", 0), ("destroy first", 0), ("launch on", 0), ("end on", 0)]),
        ("begin in the forked stream", [("record first on", 0), ("wait other first", 0), ("begin other", 0), ("end on", 0)]),
        ("legacy waits for a captured event", [("record first on", 0), ("wait legacy first", 0), ("end on", 0)]),
        ("record in legacy", [("record second legacy", 0), ("end on", 0)]),
        ("twice invalid", [("syncs on", 0), ("syncs on", 0), ("launch on", 0), ("memset on", 0), ("record first on", 0), ("end on", 0), ("syncs on", 0)]),
        ("event never recorded", [("wait on second", 0), ("end on", 0)]),
        ("work of two forks", [("record first on", 0), ("wait other first", 0), ("launch other", 0), ("launch on", 0), ("record second other", 0), ("wait on second", 0), ("launch on", 0), ("end on", 0)]),
        ("two captures merge", [("begin other", 0), ("record second other", 0), ("wait on second", 0), ("end other", 0), ("end on", 0)]),
    ):
        first, second = event(0, "first"), event(0, "second")
        names = {"on": on, "other": other, "legacy": Named("legacy", 0), "first": first, "second": second}
        print(f"{GROUP}: -- {title}")
        call("cuStreamBeginCapture_v2", on, 0)
        for step, _ in steps:
            verb, *of = step.split()
            of = [names[name] for name in of]
            if verb == "record":
                call("cuEventRecord", *of)
            elif verb == "wait":
                call("cuStreamWaitEvent", *of, 0)
            elif verb == "launch":
                launch(none, on=of[0])
            elif verb == "memset":
                call("cuMemsetD8Async", s["device"], 0, 16, of[0])
            elif verb == "end":
                call("cuStreamEndCapture", *of, pointer())
            elif verb == "begin":
                call("cuStreamBeginCapture_v2", *of, 0)
            elif verb == "query":
                call("cuEventQuery", *of)
            elif verb == "sync":
                call("cuEventSynchronize", *of)
            elif verb == "syncs":
                call("cuStreamSynchronize", *of)
            elif verb == "elapsed":
                call("cuEventElapsedTime", hidden(4), s["recorded"], *of)
            elif verb == "destroy":
                call("cuEventDestroy_v2", *of)
            for name, of_name in (("on", on), ("other", other)):
                status = number()
                code = raw("cuStreamIsCapturing", [of_name, status])
                print(f"{GROUP}: ... {name} {code} {status}")
        for of in (other, on):
            raw("cuStreamEndCapture", [of, pointer()])
    for title, exchanged in (("relaxed", 2), ("thread", 1)):
        print(f"{GROUP}: -- exchange {title}")
        call("cuStreamBeginCapture_v2", on, 0)
        mode = packed(f"mode {exchanged}", "<i", exchanged)
        call("cuThreadExchangeStreamCaptureMode", mode)
        call("cuMemAlloc_v2", pointer(), 64)
        call("cuThreadExchangeStreamCaptureMode", mode)
        call("cuStreamEndCapture", on, pointer())
    call("cuThreadExchangeStreamCaptureMode", packed("mode 3", "<i", 3))
    call("cuThreadExchangeStreamCaptureMode", 0)
    need("cuStreamBeginCapture_v2", on, 2)
    for version, given in (("_v2", [number(), hidden(), pointer(), pointer(), number(8)]), ("_v3", [number(), hidden(), pointer(), pointer(), pointer(), number(8)])):
        call("cuStreamGetCaptureInfo" + version, on, *given)
        call("cuStreamGetCaptureInfo" + version, other, *given)
        call("cuStreamGetCaptureInfo" + version, 0, *given)
    launch(none, on=on)
    call("cuStreamGetCaptureInfo_v2", on, number(), hidden(), pointer(), pointer(), number(8))
    for flags in (0, 1, 2):
        call("cuStreamUpdateCaptureDependencies", on, 0, 0, flags)
    call("cuStreamUpdateCaptureDependencies", on, packed("bad", "<Q", 8), 1, 1)
    call("cuStreamUpdateCaptureDependencies", other, 0, 0, 0)
    call("cuStreamEndCapture", on, 0)
    call("cuStreamEndCapture", on, pointer())


# Modules, functions and launches.


@group
def modules():
    start()
    ptx = Named("ptx", text(PTX).value)
    for name, image in (("nonsense", b"nonsense in place of PTX\0"), ("empty", b"\0" * 64), ("bad version", b".version 99.0\n.target sm_80\n.address_size 64\n\0"),
                        ("bad target", b".version 7.8\n.target sm_999\n.address_size 64\n\0"), ("newer target", b".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n\0"),
                        ("bad instruction", b".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { nonsense; ret; }\n\0"),
                        ("undefined", b".version 7.8\n.target sm_80\n.address_size 64\n.extern .func f();\n.visible .entry k() { call f; ret; }\n\0"),
                        ("elf", b"\x7fELF" + b"\0" * 60), ("no entry", b".version 7.8\n.target sm_80\n.address_size 64\n\0")):
        call("cuModuleLoadData", pointer(), Named(name, text(image).value))
    call("cuModuleLoadData", pointer(), 0)
    call("cuModuleLoadData", 0, ptx)
    call("cuModuleLoad", pointer(), text(b"/no/such/file.ptx"))
    call("cuModuleLoad", pointer(), 0)
    call("cuModuleLoadDataEx", pointer(), ptx, 0, 0, 0)
    call("cuModuleLoadFatBinary", pointer(), ptx)
    loaded = module()
    for name in (b"none", b"nothing", b"", b"counter"):
        call("cuModuleGetFunction", pointer(), loaded, text(name))
    for name in (b"counter", b"pair", b"fixed", b"none", b"nothing", b""):
        call("cuModuleGetGlobal_v2", pointer(), Out("u"), loaded, text(name))
    call("cuModuleGetGlobal_v2", 0, Out("u"), loaded, text(b"counter"))
    call("cuModuleGetGlobal_v2", pointer(), 0, loaded, text(b"counter"))
    call("cuModuleGetGlobal_v2", 0, 0, loaded, text(b"counter"))
    call("cuModuleGetGlobal_v2", pointer(), Out("u"), loaded, 0)
    call("cuModuleGetFunction", pointer(), loaded, 0)
    call("cuModuleGetFunction", 0, loaded, text(b"none"))
    call("cuModuleGetFunction", pointer(), 0, text(b"none"))
    call("cuModuleGetFunctionCount", number(), loaded)
    call("cuModuleGetFunctionCount", 0, loaded)
    call("cuModuleEnumerateFunctions", hidden(64), 2, loaded)
    call("cuModuleGetTexRef", pointer(), loaded, text(b"nothing"))
    call("cuModuleGetSurfRef", pointer(), loaded, text(b"nothing"))
    none, store = function(loaded, "none"), function(loaded, "store")
    for attribute in range(-1, 18):
        call("cuFuncGetAttribute", number() if attribute not in (0, 2, 3, 4) else hidden(4), attribute, none)
    call("cuFuncGetAttribute", 0, 0, none)
    call("cuFuncGetAttribute", number(), 0, 0)
    for name in ("small", "exact", "shared"):
        of = function(loaded, name)
        for attribute in (0, 1, 8):
            call("cuFuncGetAttribute", number(), attribute, of)
    for attribute, values in ((0, (1,)), (1, (1,)), (8, (0, 1, 49152, 49153, 232448, 232449, -1)), (9, (-1, -2, 0, 50, 100, 101)), (10, (0, 1)), (11, (0, 2)), (14, (0, 1, 2)), (15, (0, 1, 2, 3)), (99, (0,))):
        for value in values:
            call("cuFuncSetAttribute", none, attribute, value)
            call("cuFuncGetAttribute", number() if attribute not in (0, 1) else hidden(4), attribute, none)
    call("cuFuncSetAttribute", function(loaded, "shared"), 8, 232448)
    call("cuFuncSetAttribute", function(loaded, "shared"), 8, 228352)
    call("cuFuncSetAttribute", 0, 8, 16)
    for value in (0, 1, 2, 3, 4):
        call("cuFuncSetCacheConfig", none, value)
        call("cuFuncSetSharedMemConfig", none, value)
    call("cuFuncGetModule", pointer(), none)
    call("cuFuncGetModule", pointer(), 0)
    call("cuFuncGetName", pointer(), none)
    call("cuFuncGetName", pointer(), 0)
    for index in (0, 1, 2):
        call("cuFuncGetParamInfo", store, index, Out("u"), Out("u"))
    call("cuFuncGetParamInfo", store, 0, 0, Out("u"))
    call("cuFuncGetParamInfo", store, 0, Out("u"), 0)
    call("cuFuncIsLoaded", number(), none)
    call("cuFuncLoad", none)
    for threads, bytes in ((1, 0), (32, 0), (64, 0), (1024, 0), (1025, 0), (0, 0), (-1, 0), (64, 49152), (64, 100000), (64, 227 << 10), (64, 1 << 20)):
        call("cuOccupancyMaxActiveBlocksPerMultiprocessor", number(), none, threads, bytes)
    for flags in (0, 1, 2):
        call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", number(), none, 64, 0, flags)
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", 0, none, 64, 0)
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", number(), 0, 64, 0)
    call("cuOccupancyMaxPotentialBlockSize", number(), number(), none, 0, 0, 0)
    call("cuOccupancyMaxPotentialBlockSize", number(), number(), none, 0, 0, 100)
    call("cuOccupancyMaxPotentialBlockSize", number(), number(), none, 0, 0, -1)
    call("cuOccupancyMaxPotentialBlockSize", 0, number(), none, 0, 0, 0)
    for blocks, threads in ((1, 64), (2, 64), (0, 64), (32, 64), (33, 64), (1, 0), (1, 2048)):
        call("cuOccupancyAvailableDynamicSMemPerBlock", Out("u"), none, blocks, threads)
    call("cuModuleUnload", 0)
    call("cuModuleUnload", loaded)


@group
def unloaded_module():
    start()
    loaded = module()
    need("cuModuleUnload", loaded)
    call("cuModuleUnload", loaded)


@group
def libraries():
    need("cuInit", 0)
    ptx = Named("ptx", text(PTX).value)
    made = pointer()
    call("cuLibraryLoadData", 0, ptx, 0, 0, 0, 0, 0, 0)
    call("cuLibraryLoadData", pointer(), 0, 0, 0, 0, 0, 0, 0)
    call("cuLibraryLoadData", pointer(), Named("nonsense", text(b"nonsense in place of PTX").value), 0, 0, 0, 0, 0, 0)
    call("cuLibraryLoadFromFile", pointer(), text(b"/no/such/file"), 0, 0, 0, 0, 0, 0)
    call("cuLibraryLoadData", made, ptx, 0, 0, 0, 0, 0, 0)
    library = Named("library", made.value)
    kernel = pointer()
    call("cuLibraryGetKernelCount", number(), library, note="without a context")
    call("cuLibraryGetKernel", kernel, library, text(b"store"), note="without a context")
    call("cuLibraryGetKernel", pointer(), library, text(b"nothing"), note="without a context")
    call("cuLibraryGetModule", pointer(), library, note="without a context")
    call("cuLibraryGetGlobal", pointer(), Out("u"), library, text(b"counter"), note="without a context")
    call("cuLibraryGetManaged", pointer(), Out("u"), library, text(b"counter"), note="without a context")
    of = Named("kernel", kernel.value)
    call("cuKernelGetFunction", pointer(), of, note="without a context")
    call("cuKernelGetAttribute", hidden(4), 0, of, 0, note="without a context")
    call("cuKernelGetName", pointer(), of)
    call("cuKernelGetLibrary", pointer(), of)
    context = pointer()
    need("cuDevicePrimaryCtxRetain", context, 0)
    need("cuCtxSetCurrent", context.value)
    call("cuLibraryGetModule", pointer(), library)
    call("cuLibraryGetGlobal", pointer(), Out("u"), library, text(b"counter"))
    call("cuLibraryGetGlobal", pointer(), Out("u"), library, text(b"nothing"))
    call("cuLibraryGetManaged", pointer(), Out("u"), library, text(b"counter"))
    call("cuLibraryGetKernel", pointer(), library, 0)
    call("cuLibraryGetKernel", 0, library, text(b"none"))
    call("cuLibraryGetUnifiedFunction", pointer(), library, text(b"none"))
    call("cuKernelGetFunction", pointer(), of)
    call("cuKernelGetFunction", 0, of)
    call("cuKernelGetFunction", pointer(), 0)
    for attribute in (0, 1, 3, 5, 6, 8, 10, 99):
        call("cuKernelGetAttribute", hidden(4), attribute, of, 0)
    call("cuKernelGetAttribute", hidden(4), 0, of, 7)
    call("cuKernelSetAttribute", 8, 60000, of, 0)
    call("cuKernelGetAttribute", number(), 8, of, 0)
    call("cuKernelSetAttribute", 8, 1 << 20, of, 0)
    call("cuKernelSetAttribute", 0, 1, of, 0)
    call("cuKernelSetAttribute", 8, 100, of, 7)
    call("cuKernelSetCacheConfig", of, 1, 0)
    call("cuKernelGetParamInfo", of, 0, Out("u"), Out("u"))
    call("cuKernelGetParamInfo", of, 2, Out("u"), Out("u"))
    device = allocated()
    launch(of, parameters=arguments(("<Q", device.value), ("<I", 5)), note="by the kernel's handle")
    call("cuCtxSynchronize")
    call("cuLibraryUnload", library)
    call("cuLibraryUnload", 0)


@group
def launches():
    start()
    loaded = module()
    none, small, exact, shared, store = [function(loaded, name) for name in ("none", "small", "exact", "shared", "store")]
    device = allocated()
    launch(none)
    for grid in ((0, 1, 1), (1, 0, 1), (1, 1, 0), (0x7FFFFFFF + 1, 1, 1), (1, 65536, 1), (1, 1, 65536), (1, 65535, 1), (1, 1, 65535), (0xFFFFFFFF, 1, 1)):
        launch(none, grid=grid)
    for block in ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1024, 1, 1), (1025, 1, 1), (1, 1024, 1), (1, 1025, 1), (1, 1, 64), (1, 1, 65), (32, 32, 2), (0xFFFFFFFF, 1, 1), (65536, 65536, 1)):
        launch(none, block=block)
    for of in (small, exact):
        for threads in (1, 32, 63, 64, 65, 128):
            launch(of, block=(threads, 1, 1))
    for bytes in (0, 1, 49152, 49153, 65536, 232448, 232449, 0xFFFFFFFF):
        launch(none, shared=bytes)
    for bytes in (0, 45056, 45057):
        launch(shared, shared=bytes, parameters=arguments(("<Q", device.value)))
    need("cuFuncSetAttribute", none, 8, 60000)
    for bytes in (49153, 60000, 60001):
        launch(none, shared=bytes, note="60000 allowed")
    launch(0)
    launch(store, note="no arguments")
    launch(store, parameters=arguments(("<Q", device.value), ("<I", 5)))
    launch(store, parameters=arguments(("<Q", device.value), ("<I", 5)), extra=packed("extra", "<Q", 0), note="both forms")
    buffer = packed("buffer", "<QI", device.value, 5)
    size = packed("size", "<Q", 12)
    launch(store, extra=packed("extra", "<QQQQQ", 1, buffer.value, 2, size.value, 0))
    launch(store, extra=packed("extra 99", "<QQQ", 99, 0, 0))
    call("cuCtxSynchronize")


@group
def cooperative():
    start()
    none = function(module(), "none")
    for grid, block in (((1, 1, 1), (1, 1, 1)), ((132, 1, 1), (64, 1, 1)), ((132 * 32, 1, 1), (64, 1, 1)), ((132 * 32 + 1, 1, 1), (64, 1, 1)), ((132 * 2, 1, 1), (1024, 1, 1)),
                        ((132 * 2 + 1, 1, 1), (1024, 1, 1)), ((100000, 1, 1), (1, 1, 1)), ((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1025, 1, 1))):
        call("cuLaunchCooperativeKernel", none, *grid, *block, 0, 0, 0)
    call("cuCtxSynchronize")


@group
def attributes():
    start()
    none = function(module(), "none")

    def extended(of, grid, block, attributes, shared=0):
        listed = b"".join(struct.pack("<IIIII52x", kind, 0, *values)[:72] for kind, values in attributes)
        memory = ctypes.create_string_buffer(listed + b"\0")
        KEEP.append(memory)
        shown = f"{{{grid} {block} {attributes} {shared}}}"
        config = packed(shown, "<7IIQQI4x", *grid, *block, shared, 0, 0, ctypes.addressof(memory) if attributes else 0, len(attributes))
        call("cuLaunchKernelEx", config, of, 0, 0)

    one = (1, 1, 1)
    extended(none, one, one, [])
    extended(none, (0, 1, 1), one, [])
    for cluster in ((1, 1, 1), (2, 1, 1), (8, 1, 1), (9, 1, 1), (16, 1, 1), (3, 1, 1), (0, 1, 1), (2, 2, 2), (2, 2, 4)):
        extended(none, (48, 48, 48), one, [(4, cluster)])
    extended(none, (5, 1, 1), one, [(4, (2, 1, 1))])
    extended(none, (4, 1, 1), one, [(2, (1, 0, 0))])
    extended(none, (100000, 1, 1), one, [(2, (1, 0, 0))])
    for kind in (0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 99):
        extended(none, one, one, [(kind, (0, 0, 0))])
    call("cuLaunchKernelEx", 0, none, 0, 0)
    call("cuCtxSynchronize")


@group
def obsolete():
    start()
    loaded = module()
    none, store = function(loaded, "none"), function(loaded, "store")
    call("cuFuncSetBlockShape", none, 1, 1, 1)
    call("cuFuncSetBlockShape", none, 2000, 1, 1)
    call("cuLaunch", none)
    call("cuLaunchGrid", none, 1, 1)
    call("cuLaunchGrid", none, 0, 1)
    call("cuParamSetSize", store, 12)
    call("cuParamSetSize", store, 1 << 20)
    call("cuParamSeti", store, 0, 1)


def faulty(kernel, values=(), label=None, shared=0):
    def run():
        context = start()
        loaded = module()
        of = function(loaded, kernel)
        none = function(loaded, "none")
        device, on, happens, memory = allocated(), stream(), event(), host()
        gone = freed(64 << 20)
        given = arguments(*[(form, {"device": device.value, "gone": gone.value}.get(value, value)) for form, value in values]) if values else 0
        launch(of, parameters=given)
        call("cuCtxSynchronize")
        call("cuCtxSynchronize", note="again")
        call("cuStreamSynchronize", on)
        call("cuStreamQuery", on)
        launch(none)
        call("cuMemAlloc_v2", pointer(), 64)
        call("cuMemFree_v2", device)
        call("cuMemcpyDtoH_v2", memory, device, 4)
        call("cuMemsetD8_v2", device, 0, 4)
        call("cuEventRecord", happens, on)
        call("cuEventQuery", happens)
        call("cuStreamCreate", pointer(), 0)
        call("cuEventCreate", pointer(), 0)
        call("cuMemAllocHost_v2", pointer(), 64)
        call("cuMemGetInfo_v2", hidden(), hidden())
        call("cuModuleLoadData", pointer(), Named("ptx", text(PTX).value))
        call("cuModuleGetFunction", pointer(), loaded, text(b"none"))
        call("cuFuncGetAttribute", hidden(4), 0, none)
        call("cuCtxGetLimit", hidden(), 0)
        call("cuCtxGetDevice", number())
        call("cuCtxSetCurrent", context)
        call("cuPointerGetAttribute", number(), 2, device)
        call("cuGraphCreate", pointer(), 0)
        call("cuStreamDestroy_v2", on)
        call("cuEventDestroy_v2", happens)
        call("cuModuleUnload", loaded)
        call("cuDevicePrimaryCtxRetain", pointer(), 0)
        call("cuDevicePrimaryCtxRelease_v2", 0)
        call("cuDevicePrimaryCtxReset_v2", 0)
        again = pointer()
        call("cuDevicePrimaryCtxRetain", again, 0)
        call("cuCtxSetCurrent", Named("again", again.value))
        call("cuMemAlloc_v2", pointer(), 64)
        call("cuCtxSynchronize")
    run.__name__ = f"fault_{label or kernel}"
    group(run)


faulty("trap")
faulty("breakpoint")
faulty("assertion")
faulty("misaligned", [("<Q", "device"), ("<I", 1)])
faulty("store", [("<Q", 0), ("<I", 1)], "null")
faulty("store", [("<Q", "gone"), ("<I", 1)], "freed")
faulty("store", [("<Q", 0x123456789ABC0000), ("<I", 1)], "noncanonical")
faulty("sharedover")


# Pools.


@group
def pools():
    start()
    pool, on = pointer(), stream()
    call("cuDeviceGetDefaultMemPool", pool, 0)
    call("cuDeviceGetMemPool", pointer(), 0)
    call("cuDeviceGetDefaultMemPool", 0, 0)
    default = Named("default", pool.value)
    for attribute in range(0, 14):
        call("cuMemPoolGetAttribute", default, attribute, Out("u") if attribute not in (5, 6) else hidden())
    for attribute in range(0, 12):
        for value in (0, 1, 1 << 20):
            call("cuMemPoolSetAttribute", default, attribute, packed(f"{value}", "<Q", value))
    call("cuMemPoolGetAttribute", default, 1, 0)
    call("cuMemPoolSetAttribute", default, 1, 0)
    call("cuMemPoolGetAttribute", 0, 1, number())
    call("cuMemPoolDestroy", default)
    call("cuMemPoolDestroy", 0)
    call("cuMemPoolTrimTo", default, 0)
    call("cuMemPoolTrimTo", 0, 0)
    call("cuMemAllocAsync", pointer(), 0, on)
    call("cuMemAllocAsync", 0, 64, on)
    call("cuMemAllocAsync", pointer(), 1 << 44, on)
    call("cuMemAllocAsync", pointer(), 64, 0)
    at = pooled()
    call("cuMemFreeAsync", plus(at, 16), on)
    call("cuMemFreeAsync", at, on)
    call("cuMemFreeAsync", at, on, note="again")
    call("cuMemFreeAsync", 0, on)
    call("cuMemFreeAsync", BAD, on)
    call("cuMemFreeAsync", allocated(), on, note="of cuMemAlloc")
    call("cuMemFreeAsync", pinned(), on)
    call("cuMemFreeAsync", managed(), on)
    call("cuStreamSynchronize", on)

    def properties(kind, handles, location, device, maximum=0, usage=0):
        name = f"{{{kind} {handles} {location} {device} {maximum} {usage}}}"
        return packed(name, "<iiiiQQHH52x", kind, handles, location, device, 0, maximum, usage, 0)

    made = pointer()
    call("cuMemPoolCreate", made, properties(1, 0, 1, 0))
    own = Named("own", made.value)
    for given in ((0, 0, 1, 0), (2, 0, 1, 0), (1, 1, 1, 0), (1, 2, 1, 0), (1, 4, 1, 0), (1, 0, 0, 0), (1, 0, 1, 7), (1, 0, 1, -1), (1, 0, 2, 0), (1, 0, 3, 0), (1, 0, 9, 0)):
        call("cuMemPoolCreate", pointer(), properties(*given))
    call("cuMemPoolCreate", pointer(), 0)
    call("cuMemPoolCreate", 0, properties(1, 0, 1, 0))
    of_own = pointer()
    call("cuMemAllocFromPoolAsync", of_own, 64, own, on)
    call("cuMemAllocFromPoolAsync", pointer(), 0, own, on)
    call("cuMemAllocFromPoolAsync", pointer(), 64, 0, on)
    call("cuMemAllocFromPoolAsync", 0, 64, own, on)
    call("cuDeviceSetMemPool", 0, own)
    call("cuDeviceSetMemPool", 0, 0)
    call("cuDeviceSetMemPool", 7, own)
    for flags in (0, 1, 3, 2):
        for location, device in ((1, 0), (1, 7), (2, 0), (0, 0)):
            call("cuMemPoolSetAccess", own, packed(f"{{{location} {device} {flags}}}", "<iii", location, device, flags), 1)
    call("cuMemPoolSetAccess", own, 0, 1)
    call("cuMemPoolSetAccess", own, 0, 0)
    call("cuMemPoolGetAccess", number(), own, packed("device 0", "<ii", 1, 0))
    call("cuMemPoolGetAccess", number(), own, packed("device 7", "<ii", 1, 7))
    call("cuMemPoolGetAccess", number(), own, 0)
    call("cuMemPoolGetAccess", 0, own, packed("device 0", "<ii", 1, 0))
    call("cuMemPoolExportPointer", hidden(64), Named("of_own", of_own.value))
    call("cuMemPoolExportToShareableHandle", hidden(8), own, 1, 0)
    call("cuMemFreeAsync", Named("of_own", of_own.value), on)
    call("cuMemPoolDestroy", own)
    call("cuStreamSynchronize", on)


# Graphs.


@group
def graphs():
    s = capture_state()
    on, none, device = s["on"], s["none"], s["device"]
    for flags in (0, 1, 2):
        call("cuGraphCreate", pointer(), flags)
    call("cuGraphCreate", 0, 0)
    made, other = graph("made"), graph("second")
    node = pointer()
    call("cuGraphAddEmptyNode", node, made, 0, 0)
    empty = Named("empty", node.value)
    call("cuGraphAddEmptyNode", 0, made, 0, 0)
    call("cuGraphAddEmptyNode", pointer(), 0, 0, 0)
    call("cuGraphAddEmptyNode", pointer(), made, 0, 1)
    call("cuGraphAddEmptyNode", pointer(), made, packed("[empty]", "<Q", empty.value), 1)
    call("cuGraphAddEmptyNode", pointer(), made, packed("[empty, empty]", "<QQ", empty.value, empty.value), 2)
    call("cuGraphAddEmptyNode", pointer(), other, packed("[empty]", "<Q", empty.value), 1, note="node of another graph")
    call("cuGraphAddEmptyNode", pointer(), made, packed("[0]", "<Q", 0), 1)

    def kernel(of, grid=(1, 1, 1), block=(1, 1, 1), shared=0, given=0):
        name = f"{{{of} {grid} {block} {shared}}}"
        return packed(name, "<Q7I4xQQQQ", of.value if isinstance(of, Named) else of, *grid, *block, shared, given, 0, 0, 0)

    kernel_node = pointer()
    call("cuGraphAddKernelNode_v2", kernel_node, made, 0, 0, kernel(none))
    of_kernel = Named("kernel", kernel_node.value)
    for given in (kernel(0), kernel(none, (0, 1, 1)), kernel(none, (1, 1, 1), (1025, 1, 1)), kernel(none, shared=49153), kernel(none, (1, 65536, 1)), kernel(s["none"], block=(0, 1, 1))):
        call("cuGraphAddKernelNode_v2", pointer(), graph(), 0, 0, given)
    call("cuGraphAddKernelNode_v2", pointer(), made, 0, 0, 0)

    def fill(at, element=4, width=4, height=1, pitch=0, value=0):
        name = f"{{{at} {element} {width} {height} {pitch}}}"
        return packed(name, "<QQIIQQ", at.value if isinstance(at, Named) else at, pitch, value, element, width, height)

    fill_node = pointer()
    call("cuGraphAddMemsetNode", fill_node, made, 0, 0, fill(device), s["context"])
    of_fill = Named("fill", fill_node.value)
    for given in (fill(0), fill(s["freed"]), fill(device, 3), fill(device, 0), fill(device, 8), fill(device, 4, 0), fill(device, 4, 4, 0), fill(device, 4, 1 << 40), fill(plus(device, 2), 4),
                  fill(device, 4, 4, 2, 16), fill(device, 4, 4, 2, 8), fill(device, 1, 4, 1, 0, 300), fill(device, 2, 4, 1, 0, 70000), fill(s["host"]), fill(s["pinned"])):
        call("cuGraphAddMemsetNode", pointer(), graph(), 0, 0, given, s["context"])
    call("cuGraphAddMemsetNode", pointer(), made, 0, 0, fill(device), 0)
    call("cuGraphAddMemsetNode", pointer(), made, 0, 0, 0, s["context"])

    def line(source, to, bytes, kinds=(2, 2)):
        def side(kind, at):
            where = at.value if isinstance(at, Named) else at
            return (0, 0, 0, 0, kind, 0, where if kind == 1 else 0, where if kind in (2, 4) else 0, 0, 0, 0, 0)
        name = f"{{{kinds[0]} {source} -> {kinds[1]} {to}, {bytes}}}"
        return packed(name, "<QQQQIIQQQQQQ QQQQIIQQQQQQ QQQ".replace(" ", ""), *side(kinds[0], source), *side(kinds[1], to), bytes, 1, 1)

    copy_node = pointer()
    call("cuGraphAddMemcpyNode", copy_node, made, 0, 0, line(device, s["spare"], 64), s["context"])
    of_copy = Named("copy", copy_node.value)
    for given in (line(0, device, 64), line(s["freed"], device, 64), line(device, s["freed"], 64), line(device, s["spare"], 0), line(device, s["spare"], 1 << 40), line(s["host"], device, 64, (1, 2)),
                  line(device, s["host"], 64, (2, 1)), line(s["host"], device, 64), line(device, device, 64, (0, 2)), line(s["pinned"], device, 64, (4, 4))):
        call("cuGraphAddMemcpyNode", pointer(), graph(), 0, 0, given, s["context"])
    call("cuGraphAddMemcpyNode", pointer(), made, 0, 0, 0, s["context"])
    host_node = pointer()
    call("cuGraphAddHostNode", host_node, made, 0, 0, packed("callback", "<QQ", s["callback"].value, 0))
    call("cuGraphAddHostNode", pointer(), graph(), 0, 0, packed("no callback", "<QQ", 0, 0))
    call("cuGraphAddHostNode", pointer(), made, 0, 0, 0)
    call("cuGraphAddChildGraphNode", pointer(), made, 0, 0, other)
    call("cuGraphAddChildGraphNode", pointer(), graph(), 0, 0, 0)
    call("cuGraphAddChildGraphNode", pointer(), made, 0, 0, made)
    call("cuGraphAddEventRecordNode", pointer(), made, 0, 0, s["event"])
    call("cuGraphAddEventRecordNode", pointer(), graph(), 0, 0, 0)
    call("cuGraphAddEventWaitNode", pointer(), made, 0, 0, s["event"])
    call("cuGraphAddEventWaitNode", pointer(), graph(), 0, 0, 0)
    for of in (empty, of_kernel, of_fill, of_copy, Named("host", host_node.value)):
        call("cuGraphNodeGetType", of, number())
        call("cuGraphKernelNodeGetParams_v2", of, hidden(72))
        call("cuGraphMemsetNodeGetParams", of, hidden(40))
        call("cuGraphMemcpyNodeGetParams", of, hidden(200))
        call("cuGraphHostNodeGetParams", of, hidden(16))
        call("cuGraphEventRecordNodeGetEvent", of, pointer())
        call("cuGraphChildGraphNodeGetGraph", of, pointer())
        call("cuGraphKernelNodeSetParams_v2", of, kernel(none))
        call("cuGraphMemsetNodeSetParams", of, fill(device))
        call("cuGraphMemcpyNodeSetParams", of, line(device, s["spare"], 64))
    call("cuGraphNodeGetType", 0, number())
    call("cuGraphNodeGetType", empty, 0)
    call("cuGraphGetNodes", made, 0, number(8))
    call("cuGraphGetNodes", made, 0, 0)
    call("cuGraphGetRootNodes", made, 0, number(8))
    call("cuGraphGetEdges_v2", made, 0, 0, 0, number(8))
    call("cuGraphNodeGetDependencies_v2", of_kernel, 0, 0, number(8))
    call("cuGraphNodeGetDependentNodes_v2", empty, 0, 0, number(8))

    def edge(name, one, two):
        return packed(f"[{one}]", "<Q", one.value), packed(f"[{two}]", "<Q", two.value)

    for one, two in ((of_kernel, of_fill), (of_kernel, of_fill), (of_kernel, of_kernel), (of_fill, of_kernel)):
        call("cuGraphAddDependencies_v2", made, *edge("edge", one, two), 0, 1)
    call("cuGraphInstantiateWithFlags", pointer(), made, 0, note="a cycle")
    call("cuGraphRemoveDependencies_v2", made, *edge("edge", of_fill, of_kernel), 0, 1)
    call("cuGraphRemoveDependencies_v2", made, *edge("edge", of_fill, of_kernel), 0, 1)
    call("cuGraphAddDependencies_v2", made, 0, 0, 0, 0)
    call("cuGraphAddDependencies_v2", made, 0, 0, 0, 1)
    executable = pointer()
    for flags in (0, 1, 2, 4, 8, 16, 32):
        call("cuGraphInstantiateWithFlags", executable, made, flags)
        if executable.value:
            call("cuGraphExecGetFlags", Named("executable", executable.value), Out("u"))
    need("cuGraphInstantiateWithFlags", executable, made, 0)
    ready = Named("executable", executable.value)
    call("cuGraphInstantiateWithFlags", 0, made, 0)
    call("cuGraphInstantiateWithFlags", pointer(), 0, 0)
    call("cuGraphUpload", ready, on)
    call("cuGraphLaunch", ready, on)
    call("cuGraphLaunch", ready, 0)
    call("cuGraphLaunch", 0, on)
    call("cuGraphUpload", 0, on)
    call("cuStreamSynchronize", on)
    call("cuGraphExecKernelNodeSetParams_v2", ready, of_kernel, kernel(none, (2, 1, 1)))
    call("cuGraphExecKernelNodeSetParams_v2", ready, of_kernel, kernel(none, (0, 1, 1)))
    call("cuGraphExecKernelNodeSetParams_v2", ready, of_fill, kernel(none))
    call("cuGraphExecKernelNodeSetParams_v2", ready, 0, kernel(none))
    call("cuGraphExecMemsetNodeSetParams", ready, of_fill, fill(device, 4, 8), s["context"])
    call("cuGraphExecMemsetNodeSetParams", ready, of_fill, fill(device, 4, 8, 2, 32), s["context"])
    call("cuGraphExecMemsetNodeSetParams", ready, of_fill, fill(s["freed"]), s["context"])
    call("cuGraphExecMemcpyNodeSetParams", ready, of_copy, line(device, s["spare"], 32), s["context"])
    call("cuGraphExecMemcpyNodeSetParams", ready, of_copy, line(s["host"], device, 32, (1, 2)), s["context"])
    call("cuGraphNodeSetEnabled", ready, of_kernel, 0)
    call("cuGraphNodeGetEnabled", ready, of_kernel, number())
    call("cuGraphNodeSetEnabled", ready, empty, 0)
    call("cuGraphNodeSetEnabled", ready, of_kernel, 7)
    call("cuGraphExecUpdate_v2", ready, made, Out("-", 24))
    call("cuGraphExecUpdate_v2", ready, other, Out("-", 24))
    call("cuGraphExecUpdate_v2", ready, 0, Out("-", 24))
    clone = pointer()
    call("cuGraphClone", clone, made)
    call("cuGraphClone", 0, made)
    call("cuGraphClone", pointer(), 0)
    call("cuGraphNodeFindInClone", pointer(), of_kernel, Named("clone", clone.value))
    call("cuGraphNodeFindInClone", pointer(), of_kernel, other)
    call("cuGraphDestroyNode", empty)
    call("cuGraphDestroyNode", 0)
    call("cuGraphDestroy", 0)
    call("cuGraphExecDestroy", 0)
    call("cuGraphExecDestroy", ready)
    call("cuGraphDestroy", Named("clone", clone.value))
    call("cuGraphDestroy", made)


@group
def graph_of_freed():
    s = capture_state()
    on = s["on"]
    gone = allocated(64 << 20, "gone")
    store = function(s["module"], "store")
    need("cuStreamBeginCapture_v2", on, 2)
    call("cuMemsetD8Async", gone, 1, 64, on)
    made, executable = pointer(), pointer()
    need("cuStreamEndCapture", on, made)
    call("cuGraphInstantiateWithFlags", executable, Named("captured", made.value), 0)
    call("cuMemFree_v2", gone)
    call("cuGraphLaunch", Named("executable", executable.value), on, note="memset of freed memory")
    call("cuStreamSynchronize", on)
    call("cuCtxSynchronize")
    call("cuGraphInstantiateWithFlags", pointer(), Named("captured", made.value), 0, note="memset of freed memory")


@group
def graph_of_freed_copy():
    s = capture_state()
    on = s["on"]
    gone = allocated(64 << 20, "gone")
    need("cuStreamBeginCapture_v2", on, 2)
    call("cuMemcpyDtoDAsync_v2", gone, s["device"], 64, on)
    made, executable = pointer(), pointer()
    need("cuStreamEndCapture", on, made)
    call("cuGraphInstantiateWithFlags", executable, Named("captured", made.value), 0)
    call("cuMemFree_v2", gone)
    call("cuGraphLaunch", Named("executable", executable.value), on, note="copy to freed memory")
    call("cuStreamSynchronize", on)
    call("cuCtxSynchronize")


@group
def graph_of_freed_kernel():
    s = capture_state()
    on = s["on"]
    gone = allocated(64 << 20, "gone")
    store = function(s["module"], "store")
    need("cuStreamBeginCapture_v2", on, 2)
    launch(store, on=on, parameters=arguments(("<Q", gone.value), ("<I", 1)))
    made, executable = pointer(), pointer()
    need("cuStreamEndCapture", on, made)
    call("cuGraphInstantiateWithFlags", executable, Named("captured", made.value), 0)
    call("cuMemFree_v2", gone)
    call("cuGraphLaunch", Named("executable", executable.value), on, note="kernel writes freed memory")
    call("cuStreamSynchronize", on)
    call("cuCtxSynchronize")
    call("cuGraphLaunch", Named("executable", executable.value), on)


@group
def graph_memory():
    s = capture_state()
    on = s["on"]
    made = graph("made")

    def parameters(bytes, location=1, device=0, kind=1, access=0):
        return packed(f"{{{bytes} {location} {device} {kind}}}", "<iiiiQQHH52x QQQQ".replace(" ", ""), kind, 0, location, device, 0, 0, 0, 0, 0, 0, bytes, 0)

    node = pointer()
    call("cuGraphAddMemAllocNode", node, made, 0, 0, parameters(64))
    of_node = Named("allocation", node.value)
    for given in (parameters(0), parameters(64, 0), parameters(64, 1, 7), parameters(64, 2), parameters(64, 1, 0, 0), parameters(1 << 50)):
        call("cuGraphAddMemAllocNode", pointer(), graph(), 0, 0, given)
    got = hidden(120)
    call("cuGraphMemAllocNodeGetParams", of_node, got)
    at = Named("address", struct.unpack("<Q", got.memory.raw[112:120])[0])
    print(f"{GROUP}: address {'set' if at.value else 'null'}")
    call("cuGraphAddMemFreeNode", pointer(), made, 0, 0, at, note="no dependency")
    call("cuGraphAddMemFreeNode", pointer(), made, packed("[allocation]", "<Q", of_node.value), 1, at)
    call("cuGraphAddMemFreeNode", pointer(), made, packed("[allocation]", "<Q", of_node.value), 1, at, note="again")
    call("cuGraphAddMemFreeNode", pointer(), graph(), 0, 0, 0)
    call("cuGraphClone", pointer(), made)
    call("cuGraphAddChildGraphNode", pointer(), graph(), 0, 0, made)
    call("cuGraphDestroyNode", of_node)
    executable = pointer()
    call("cuGraphInstantiateWithFlags", executable, made, 0)
    call("cuGraphInstantiateWithFlags", pointer(), made, 0, note="a second time")
    ready = Named("executable", executable.value)
    call("cuGraphLaunch", ready, on)
    call("cuGraphLaunch", ready, on)
    call("cuStreamSynchronize", on)
    call("cuMemFree_v2", at, note="freed by the graph")
    for attribute in (0, 1, 2, 3, 4):
        call("cuDeviceGetGraphMemAttribute", 0, attribute, hidden())
        call("cuDeviceSetGraphMemAttribute", 0, attribute, packed("0", "<Q", 0))
    call("cuDeviceGraphMemTrim", 0)
    call("cuDeviceGraphMemTrim", 7)
    keeps = graph("keeps")
    need("cuGraphAddMemAllocNode", node, keeps, 0, 0, parameters(64))
    need("cuGraphInstantiateWithFlags", executable, keeps, 0)
    ready = Named("keeps", executable.value)
    call("cuGraphLaunch", ready, on)
    call("cuGraphLaunch", ready, on, note="still allocated")
    call("cuStreamSynchronize", on)


# Virtual memory, arrays, textures and IPC.


@group
def virtual_memory():
    start()

    def properties(kind=1, handles=0, location=1, device=0):
        return packed(f"{{{kind} {handles} {location} {device}}}", "<iiiiQ8x", kind, handles, location, device, 0)

    page = 2 << 20
    for given in (properties(), properties(0), properties(2), properties(1, 1), properties(1, 0, 0), properties(1, 0, 1, 7), properties(1, 0, 2)):
        call("cuMemGetAllocationGranularity", Out("u"), given, 0)
    call("cuMemGetAllocationGranularity", Out("u"), properties(), 1)
    call("cuMemGetAllocationGranularity", Out("u"), properties(), 2)
    call("cuMemGetAllocationGranularity", 0, properties(), 0)
    call("cuMemGetAllocationGranularity", Out("u"), 0, 0)
    at, handle = pointer(), pointer()
    for bytes, alignment, wanted, flags in ((0, 0, 0, 0), (1, 0, 0, 0), (4096, 0, 0, 0), (page, 3, 0, 0), (page, 4096, 0, 0), (page, page, 0, 0), (page, 0, 0, 1), (1 << 60, 0, 0, 0)):
        call("cuMemAddressReserve", pointer(), bytes, alignment, wanted, flags)
    call("cuMemAddressReserve", 0, page, 0, 0, 0)
    call("cuMemAddressReserve", at, 4 * page, 0, 0, 0)
    base = Named("base", at.value)
    for bytes, given, flags in ((0, properties(), 0), (1, properties(), 0), (4096, properties(), 0), (page, properties(0), 0), (page, properties(1, 0, 0), 0), (page, properties(1, 0, 1, 7), 0), (page, properties(), 1), (1 << 45, properties(), 0)):
        call("cuMemCreate", pointer(), bytes, given, flags)
    call("cuMemCreate", 0, page, properties(), 0)
    call("cuMemCreate", pointer(), page, 0, 0)
    call("cuMemCreate", handle, page, properties(), 0)
    physical = Named("physical", handle.value)
    call("cuMemMap", base, 0, 0, physical, 0)
    call("cuMemMap", base, 4096, 0, physical, 0)
    call("cuMemMap", plus(base, 4096), page, 0, physical, 0)
    call("cuMemMap", base, 2 * page, 0, physical, 0)
    call("cuMemMap", base, page, page, physical, 0)
    call("cuMemMap", base, page, 0, physical, 1)
    call("cuMemMap", base, page, 0, 0, 0)
    call("cuMemMap", allocated(), page, 0, physical, 0, note="not reserved")
    call("cuMemMap", base, page, 0, physical, 0)
    call("cuMemMap", base, page, 0, physical, 0, note="again")
    call("cuMemsetD8_v2", base, 0, 16, note="no access yet")

    def access(location, device, flags):
        return packed(f"{{{location} {device} {flags}}}", "<iii", location, device, flags)

    for given in ((1, 0, 3), (1, 0, 1), (1, 0, 0), (1, 0, 2), (1, 7, 3), (0, 0, 3), (2, 0, 3)):
        call("cuMemSetAccess", base, page, access(*given), 1)
    call("cuMemSetAccess", base, page, 0, 1)
    call("cuMemSetAccess", base, page, access(1, 0, 3), 0)
    call("cuMemSetAccess", base, 2 * page, access(1, 0, 3), 1, note="not mapped")
    call("cuMemSetAccess", base, 4096, access(1, 0, 3), 1)
    call("cuMemSetAccess", base, page, access(1, 0, 3), 1)
    call("cuMemGetAccess", Out("u"), packed("device 0", "<ii", 1, 0), base)
    call("cuMemGetAccess", Out("u"), packed("device 7", "<ii", 1, 7), base)
    call("cuMemsetD8_v2", base, 0, 16)
    call("cuMemsetD8_v2", base, 0, page + 1)
    call("cuMemFree_v2", base)
    call("cuMemRetainAllocationHandle", pointer(), base)
    call("cuMemRetainAllocationHandle", pointer(), allocated(), note="of cuMemAlloc")
    call("cuMemGetAllocationPropertiesFromHandle", hidden(32), physical)
    call("cuMemExportToShareableHandle", hidden(8), physical, 1, 0)
    call("cuMemAddressFree", base, 4 * page, note="mapped")
    call("cuMemUnmap", base, 4096)
    call("cuMemUnmap", plus(base, page), page)
    call("cuMemUnmap", base, page)
    call("cuMemUnmap", base, page, note="again")
    call("cuMemsetD8_v2", base, 0, 16, note="unmapped")
    call("cuMemRelease", physical)
    call("cuMemRelease", physical)
    call("cuMemRelease", physical, note="again")
    call("cuMemAddressFree", base, page)
    call("cuMemAddressFree", base, 4 * page)
    call("cuMemAddressFree", base, 4 * page, note="again")


@group
def arrays():
    start()

    def plain(width, height, form, channels):
        return packed(f"{{{width} {height} {form:#x} {channels}}}", "<QQII", width, height, form, channels)

    def deep(width, height, depth, form, channels, flags):
        return packed(f"{{{width} {height} {depth} {form:#x} {channels} {flags}}}", "<QQQIIII", width, height, depth, form, channels, flags, 0)

    for given in ((16, 0, 0x20, 1), (16, 16, 0x20, 1), (0, 0, 0x20, 1), (0, 16, 0x20, 1), (131072, 0, 0x20, 1), (131073, 0, 0x20, 1), (131073, 1, 0x20, 1), (16, 65536, 0x01, 1), (16, 65537, 0x01, 1),
                  (16, 16, 0x20, 0), (16, 16, 0x20, 2), (16, 16, 0x20, 3), (16, 16, 0x20, 4), (16, 16, 0x20, 5), (16, 16, 0x01, 1), (16, 16, 0x02, 1), (16, 16, 0x03, 1), (16, 16, 0x08, 1), (16, 16, 0x09, 1),
                  (16, 16, 0x0A, 1), (16, 16, 0x10, 1), (16, 16, 0x00, 1), (16, 16, 0x04, 1), (16, 16, 0xFF, 1)):
        call("cuArrayCreate_v2", pointer(), plain(*given))
    call("cuArrayCreate_v2", pointer(), 0)
    call("cuArrayCreate_v2", 0, plain(16, 16, 0x20, 1))
    for given in ((16, 16, 16, 0x20, 1, 0), (16, 0, 16, 0x20, 1, 0), (16384, 1, 1, 0x20, 1, 0), (16385, 1, 1, 0x20, 1, 0), (16, 16, 4, 0x20, 1, 1), (16, 0, 4, 0x20, 1, 1), (16, 16, 0, 0x20, 1, 1), (16, 16, 2049, 0x01, 1, 1),
                  (16, 16, 6, 0x20, 1, 4), (16, 15, 6, 0x20, 1, 4), (16, 16, 5, 0x20, 1, 4), (16, 16, 12, 0x20, 1, 5), (16, 16, 7, 0x20, 1, 5), (16, 16, 0, 0x20, 1, 2), (16, 16, 0, 0x20, 1, 8), (16, 16, 0, 0x20, 1, 16), (16, 16, 0, 0x20, 1, 256)):
        call("cuArray3DCreate_v2", pointer(), deep(*given))
    made = pointer()
    need("cuArrayCreate_v2", made, plain(16, 16, 0x20, 1))
    array = Named("array", made.value)
    call("cuArrayGetDescriptor_v2", Out("x", 24), array)
    call("cuArray3DGetDescriptor_v2", hidden(40), array)
    call("cuArrayGetDescriptor_v2", 0, array)
    call("cuArrayGetDescriptor_v2", hidden(24), 0)
    call("cuArrayGetPlane", pointer(), array, 0)
    memory, device = host(), allocated()
    for offset, bytes in ((0, 64), (0, 0), (0, 65), (60, 8), (64, 4), (0, 1024), (0, 1025)):
        call("cuMemcpyHtoA_v2", array, offset, memory, bytes)
        call("cuMemcpyAtoH_v2", memory, array, offset, bytes)
        call("cuMemcpyDtoA_v2", array, offset, device, bytes)
        call("cuMemcpyAtoD_v2", device, array, offset, bytes)
    call("cuMemcpyHtoA_v2", 0, 0, memory, 64)
    call("cuMemcpy2D_v2", copy2d(1, memory, 64, 3, array, 0, 64, 16))
    call("cuMemcpy2D_v2", copy2d(1, memory, 64, 3, array, 0, 64, 17))
    call("cuMemcpy2D_v2", copy2d(1, memory, 64, 3, array, 0, 68, 16))

    def resource(kind, *words):
        return packed(f"{{{kind} {len(words)}}}", "<i4x16QI4x", kind, *(list(words) + [0] * (16 - len(words))), 0)

    texture = packed("texture", "<iiiiIIiff 4f 12i".replace(" ", ""), 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, *[0] * 12)
    object = pointer()
    call("cuTexObjectCreate", object, resource(0, array.value), texture, 0)
    of_texture = Named("texture object", object.value)
    call("cuTexObjectCreate", pointer(), resource(0, 0), texture, 0)
    call("cuTexObjectCreate", pointer(), resource(9, 0), texture, 0)
    call("cuTexObjectCreate", pointer(), 0, texture, 0)
    call("cuTexObjectCreate", pointer(), resource(0, array.value), 0, 0)
    call("cuTexObjectCreate", 0, resource(0, array.value), texture, 0)
    linear = lambda at, form, channels, bytes: resource(2, at, form | channels << 32, bytes)
    for given in ((device.value, 0x20, 1, 4096), (device.value, 0x20, 1, 0), (device.value + 4, 0x20, 1, 64), (device.value, 0x20, 3, 64), (0, 0x20, 1, 64), (device.value, 0x20, 1, 1 << 40)):
        call("cuTexObjectCreate", pointer(), Named(f"{{linear {'null' if given[0] == 0 else given[0] - device.value} {given[1:]}}}", linear(*given).value), texture, 0)
    call("cuSurfObjectCreate", pointer(), resource(0, array.value), note="no surface flag")
    flagged = pointer()
    need("cuArray3DCreate_v2", flagged, deep(16, 16, 0, 0x20, 1, 2))
    surface = pointer()
    call("cuSurfObjectCreate", surface, resource(0, flagged.value))
    call("cuSurfObjectCreate", pointer(), resource(2, device.value))
    call("cuSurfObjectDestroy", Named("surface", surface.value))
    call("cuSurfObjectDestroy", 0)
    call("cuTexObjectGetResourceDesc", hidden(144), of_texture)
    call("cuTexObjectGetTextureDesc", hidden(104), of_texture)
    call("cuTexObjectGetResourceViewDesc", hidden(112), of_texture)
    call("cuTexObjectDestroy", of_texture)
    call("cuTexObjectDestroy", 0)
    for levels in (0, 1, 5, 6, 100):
        call("cuMipmappedArrayCreate", pointer(), deep(16, 16, 0, 0x20, 1, 0), levels)
    mipmap = pointer()
    need("cuMipmappedArrayCreate", mipmap, deep(16, 16, 0, 0x20, 1, 0), 3)
    for level in (0, 2, 3, 99):
        call("cuMipmappedArrayGetLevel", pointer(), Named("mipmap", mipmap.value), level)
    call("cuMipmappedArrayDestroy", Named("mipmap", mipmap.value))
    call("cuMipmappedArrayDestroy", 0)
    call("cuArrayDestroy", 0)
    call("cuArrayDestroy", array)


@group
def sharing():
    start()
    for kind in (allocated, managed, pinned, host, registered, pooled, freed):
        at = kind()
        call("cuIpcGetMemHandle", hidden(64), at)
    at = allocated()
    call("cuIpcGetMemHandle", hidden(64), plus(at, 512))
    call("cuIpcGetMemHandle", 0, at)
    call("cuIpcGetMemHandle", hidden(64), 0)
    call("cuIpcCloseMemHandle", at)
    call("cuIpcCloseMemHandle", 0)


# Other interfaces.


@group
def legacy():
    start()
    for name in ("cuMemAlloc", "cuMemFree", "cuCtxCreate", "cuDeviceTotalMem", "cuMemcpyHtoD", "cuModuleGetGlobal", "cuStreamGetCaptureInfo", "cuStreamWaitEvent_ptsz", "cuLaunchKernel_ptsz", "cuMemcpyAsync_ptsz",
                 "cuMemcpyHtoD_v2_ptds", "cuMemsetD8_v2_ptds", "cuStreamSynchronize_ptsz", "cuStreamQuery_ptsz", "cuEventRecord_ptsz", "cuGraphLaunch_ptsz", "cuMemAllocAsync_ptsz", "cuMemFreeAsync_ptsz",
                 "cuStreamBeginCapture", "cuCtxDestroy", "cuStreamDestroy", "cuEventDestroy", "cuMemHostRegister", "cuGraphInstantiate", "cuDevResourceDestroyDesc", "cuNothing"):
        print(f"{GROUP}: exports {name} {getattr(LIBRARY, name, None) is not None}")


@group
def green():
    start()
    kind = hidden(144)
    for resource in (0, 1, 1000, 10000, 99):
        call("cuDeviceGetDevResource", 0, hidden(144), resource)
    call("cuDeviceGetDevResource", 7, hidden(144), 1)
    call("cuDeviceGetDevResource", 0, 0, 1)
    call("cuDeviceGetDevResource", 0, kind, 1)
    call("cuDevResourceGenerateDesc", pointer(), kind, 0)
    call("cuDevResourceGenerateDesc", 0, kind, 1)
    description = pointer()
    call("cuDevResourceGenerateDesc", description, kind, 1)
    for flags in (0, 1, 2):
        call("cuGreenCtxCreate", pointer(), Named("description", description.value), 0, flags)
    call("cuGreenCtxCreate", pointer(), 0, 0, 1)
    call("cuGreenCtxDestroy", 0)


def in_child(run, output):
    """Runs a group in a process of its own; the result is the signal that ended it, 0 if none did."""
    CURRENT[:] = bytes(8)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.dup2(output.fileno(), 1)
        try:
            run()
        except BaseException as error:
            print(f"{GROUP}: stopped: {type(error).__name__}: {error}")
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def main():
    global GROUP
    for run in GROUPS:
        GROUP = run.__name__
        if sys.argv[1:] and GROUP not in sys.argv[1:]:
            continue
        CRASHES.clear()
        while True:
            with tempfile.TemporaryFile() as output:
                number_of_signal = in_child(run, output)
                output.seek(0)
                lines = output.read().decode()
            if number_of_signal != signal.SIGSEGV or len(CRASHES) > 40:
                break
            CRASHES.add(int.from_bytes(CURRENT[:], "little"))
        sys.stdout.write(lines)
        if number_of_signal:
            print(f"{GROUP}: ended by signal {number_of_signal}")


if __name__ == "__main__":
    main()
