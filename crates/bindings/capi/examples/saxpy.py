"""y = a * x + y on an emulated GPU, in Python's own memory, with nothing but ctypes.

    cargo build --release -p lanework-capi
    python crates/bindings/capi/examples/saxpy.py target/release/liblanework_c.so
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_size_t, c_uint32, c_uint64, c_void_p

PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<7>;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f4;
DONE:
    ret;
}
"""


class Shape(ctypes.Structure):
    _fields_ = [("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("cluster", c_uint32 * 3),
                ("dynamic_shared", c_uint32), ("cooperative", c_uint32)]


def load(path):
    """The library, with the types of the functions used here."""
    library = ctypes.CDLL(path)
    library.lanework_last_error.restype = c_char_p
    library.lanework_device_open.argtypes = [c_char_p, c_void_p, POINTER(c_uint64)]
    library.lanework_register.argtypes = [c_uint64, c_void_p, c_size_t]
    library.lanework_module_load.argtypes = [c_uint64, c_char_p, c_size_t, POINTER(c_uint64)]
    library.lanework_launch.argtypes = [
        c_uint64, c_char_p, POINTER(Shape), POINTER(c_void_p), c_size_t, c_void_p]
    return library


def main(path):
    library = load(path)

    def call(function, *arguments):
        if getattr(library, function)(*arguments) != 0:
            raise RuntimeError(library.lanework_last_error().decode())

    count = 1000
    x = (c_float * count)(*range(count))
    y = (c_float * count)(*[1.0] * count)
    device, module = c_uint64(), c_uint64()
    call("lanework_device_open", b"host", None, byref(device))
    call("lanework_module_load", device, PTX, 0, byref(module))
    for array in (x, y):
        call("lanework_register", device, array, ctypes.sizeof(array))

    def launch(n):
        values = [c_float(2.0), c_uint64(ctypes.addressof(x)), c_uint64(ctypes.addressof(y)),
                  c_uint32(n)]
        pointers = (c_void_p * 4)(*[ctypes.addressof(value) for value in values])
        triple = c_uint32 * 3
        shape = Shape(triple(4, 1, 1), triple(256, 1, 1), triple(0, 0, 0), 0, 0)
        call("lanework_launch", module, b"saxpy", byref(shape), pointers, 4, None)

    launch(count)
    assert list(y) == [2.0 * i + 1.0 for i in range(count)]
    print("y[999] =", y[999])
    try:
        launch(count + 1)
    except RuntimeError as error:
        print("one too many:", error)
    else:
        raise AssertionError("an access past the end went unnoticed")


if __name__ == "__main__":
    main(sys.argv[1])
