"""Launches on arrays: arguments, results, and errors."""

import ctypes

import lanework
import numpy as np
import pytest

HEADER = ".version 7.0\n.target sm_70\n.address_size 64\n"

# x[i] = x[i] + add for i < n, one element per thread.
ADD = HEADER + """
.visible .entry add(.param .u64 x, .param .f32 add, .param .u32 n) {
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [add]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3]; add.f32 %f3, %f2, %f1; st.global.f32 [%rd3], %f3;
done:
    ret;
}
"""

# Stores an 8-byte and a 4-byte parameter to memory.
STORE = HEADER + """
.visible .entry store(.param .u64 x, .param .align 4 .b8 pair[8], .param .s32 number) {
    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x]; ld.param.b32 %r1, [pair]; ld.param.b32 %r2, [pair+4]; ld.param.b32 %r3, [number];
    st.global.b32 [%rd1], %r1; st.global.b32 [%rd1+4], %r2; st.global.b32 [%rd1+8], %r3;
    ret;
}
"""


def test_an_array_is_changed_in_place_and_counted():
    x = np.arange(100, dtype=np.float32)
    result = lanework.run(ADD, "add", 1, 128, x, 2.5, 100)
    assert (x == np.arange(100, dtype=np.float32) + 2.5).all()
    assert result.ok and not result.checked and result.findings == ()
    assert result.counters["global_load"]["requests"] == 4
    assert result.counters["global_load"]["sectors"] == 13
    assert result.lines and result.profile["grid"] == [1, 1, 1]


def test_what_a_kernel_does_wrong_is_an_object():
    x = np.zeros(100, np.float32)
    result = lanework.check(ADD, None, 1, 128, x, 1.0, 128)
    assert not result.ok and {found.kind for found in result.findings} == {"out-of-bounds"}
    first = result.findings[0]
    assert first.allocation["name"] == "args[0]" and first.allocation["bytes"] == 400
    assert first.size == 4 and first.block == (0, 0, 0) and first.thread[0] >= 100
    assert first.help and first.text in str(result)
    # The launch continued: it has written the existing elements.
    assert (x == 1).all()
    with pytest.raises(lanework.FindingsError, match="out-of-bounds"):
        result.raise_for_findings()


def test_a_run_without_checks_stops_at_a_fault_and_leaves_the_arrays():
    x = np.zeros(100, np.float32)
    with pytest.raises(lanework.LaunchError, match="args\\[0\\]"):
        lanework.run(ADD, "add", 1, 128, x, 1.0, 128)
    assert (x == 0).all()


def test_two_views_of_an_array_are_one():
    x = np.zeros(64, np.float32)
    text = ADD.replace("entry add(.param .u64 x,", "entry add(.param .u64 y, .param .u64 x,")
    lanework.run(text, "add", 1, 32, x, x[32:], 1.0, 32)
    assert (x[:32] == 0).all() and (x[32:] == 1).all()


def test_a_read_only_array_stays_as_it_is():
    x = np.zeros(32, np.float32)
    x.flags.writeable = False
    with pytest.raises(lanework.LaunchError, match="read-only"):
        lanework.run(ADD, "add", 1, 32, x, 1.0, 32)
    assert (x == 0).all()
    lanework.run(ADD, "add", 1, 32, x, 1.0, 0)  # it may be passed, and read
    data = bytes(128)
    with pytest.raises(lanework.LaunchError, match="read-only"):
        lanework.run(ADD, "add", 1, 32, data, 1.0, 32)
    assert data == bytes(128)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bytearray(128),
        lambda: memoryview(bytearray(128)),
        lambda: (ctypes.c_float * 32)(),
        lambda: np.zeros((4, 8), np.float32, order="F"),
        lambda: np.zeros((8, 4), np.float32).T,
        lambda: Interface(np.zeros(32, np.float32)),
        lambda: Exporter(np.zeros(32, np.float32)),
    ],
    ids=["bytearray", "memoryview", "ctypes", "fortran", "transposed", "interface", "dlpack"],
)
def test_memory_comes_in_many_forms(make):
    memory = make()
    lanework.run(ADD, "add", 1, 32, memory, 1.0, 32)
    inner = getattr(memory, "inner", memory)
    assert (np.frombuffer(inner, np.float32) == 1).all() if isinstance(inner, (bytearray, memoryview)) else (np.asarray(inner) == 1).all()


class Interface:
    """An array that only has `__array_interface__`."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def __array_interface__(self):
        return self.inner.__array_interface__


class Exporter:
    """An array that only supports DLPack."""

    def __init__(self, inner):
        self.inner = inner

    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()


def test_a_tensor_is_given_back():
    import sys

    x = np.zeros(32, np.float32)
    before = sys.getrefcount(x)
    for _ in range(5):
        lanework.run(ADD, "add", 1, 32, Exporter(x), 1.0, 32)
    assert sys.getrefcount(x) == before and (x == 5).all()


def test_gaps_and_other_objects_are_refused():
    with pytest.raises(ValueError, match="gaps"):
        lanework.run(ADD, "add", 1, 32, np.zeros(64, np.float32)[::2], 1.0, 32)
    with pytest.raises(TypeError, match="wants an address"):
        lanework.run(ADD, "add", 1, 32, [0.0] * 32, 1.0, 32)
    with pytest.raises(TypeError, match="2 arguments for the 3 parameters"):
        lanework.run(ADD, "add", 1, 32, np.zeros(32, np.float32), 1.0)


def test_numbers_become_values_of_the_parameter():
    x = np.zeros(3, np.int32)
    lanework.run(STORE, None, 1, 1, x, np.array([7, -8], np.int32), -9)
    assert x.tolist() == [7, -8, -9]
    lanework.run(STORE, None, 1, 1, x, 1 + 2j, np.int16(5))
    assert x[:2].view(np.float32).tolist() == [1, 2] and x[2] == 5
    lanework.run(STORE, None, 1, 1, x, bytes(range(8)), 0xFFFFFFFF)
    assert x[:2].tobytes() == bytes(range(8)) and x[2] == -1
    with pytest.raises(OverflowError, match="args\\[2\\]"):
        lanework.run(STORE, None, 1, 1, x, bytes(8), 1 << 32)
    with pytest.raises(TypeError, match="args\\[2\\]"):
        lanework.run(STORE, None, 1, 1, x, bytes(8), 1.5)
    with pytest.raises(TypeError, match="structure of 8 bytes|takes a value of 8"):
        lanework.run(STORE, None, 1, 1, x, bytes(9), 0)


def test_elements_wider_than_the_accesses_are_noted():
    result = lanework.run(ADD, "add", 1, 32, np.zeros(32, np.float64), 1.0, 32)
    assert any("elements of 8 bytes" in note for note in result.notes)
    assert not lanework.run(ADD, "add", 1, 32, np.zeros(32, np.float32), 1.0, 32).notes


def test_a_result_draws_its_accesses():
    shown = lanework.check(ADD, "add", 1, 32, np.zeros(32, np.float32), 1.0, 32)._repr_html_()
    assert "<svg" in shown and "global_load.requests" in shown and "nothing to report" in shown


def test_sources_that_are_wrong_are_told_with_their_place():
    with pytest.raises(lanework.SourceError, match="line 4"):
        lanework.run(HEADER + "nonsense", None, 1, 1)
    with pytest.raises(lanework.LaunchError, match="available: add"):
        lanework.run(ADD, "sub", 1, 1)
    assert lanework.entries(ADD) == {"add": [("x", ".u64"), ("add", ".f32"), ("n", ".u32")]}


def test_cuda_source_is_compiled():
    source = 'extern "C" __global__ void twice(double *x) { x[threadIdx.x] *= 2; }'
    x = np.arange(8.0)
    result = lanework.check(source, "twice", 1, 8, x)
    assert result.ok and x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert any((line["file"] or "").endswith("kernel.cu") for line in result.lines), result.lines
    with pytest.raises(lanework.SourceError, match="identifier"):
        lanework.run("__global__ void k() { nothing(); }", None, 1, 1)
