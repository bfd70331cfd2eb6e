"""The driver in a Python process: it is loaded first, checks blocks and pytest runs, and is refused if it comes too late."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

#: A kernel that writes one element past its buffer, launched through the driver API.
PROGRAM = '''
import ctypes

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 x) {
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""

def fill(threads, elements=32):
    cuda = ctypes.CDLL("libcuda.so.1")
    def done(code):
        assert code == 0, code
    context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
    done(cuda.cuInit(0))
    done(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    done(cuda.cuCtxSetCurrent(context))
    done(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    done(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"fill"))
    done(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 * elements)))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    one = [ctypes.c_uint(1)] * 3
    done(cuda.cuLaunchKernel(function, *one, ctypes.c_uint(threads), *one[:2], 0, None, arguments, None))
'''


def python(code, *arguments, **environment):
    """Runs a program in a separate process."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LANEWORK_TOOL")}
    command = [sys.executable, *(arguments or ["-c", PROGRAM + textwrap.dedent(code)])]
    ran = subprocess.run(command, capture_output=True, text=True, env={**clean, **environment}, timeout=300)
    return ran.returncode, ran.stdout + ran.stderr


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="CUDA's driver is replaced on Linux only")
pytestmark = needs_linux


def test_a_block_holds_what_its_kernels_did():
    code, said = python(
        """
        import lanework
        with lanework.checked() as good:
            fill(32)
        with lanework.checked() as outer:
            with lanework.checked() as bad:
                fill(33)
            fill(32)
        assert good.ok and good.kernels == ("fill",) and good.launches == 1, good
        assert [found.kind for found in bad.findings] == ["out-of-bounds"], bad
        assert bad.launches == 1 and outer.launches == 2 and len(outer.findings) == 1
        """
    )
    assert code == 0, said


def test_launches_of_the_package_belong_to_the_block():
    for first in ("", "lanework.run(PTX.decode(), None, 1, 32, bytearray(128))"):
        code, said = python(
            f"""
            import lanework
            {first}
            with lanework.checked() as block:
                lanework.run(PTX.decode(), None, 1, 33, bytearray(128))
            assert [found.kind for found in block.findings] == ["out-of-bounds"], block
            assert block.launches == 1, block
            """
        )
        assert code == 0, (first, said)


def test_a_driver_without_checks_is_told():
    code, said = python(
        """
        import lanework
        lanework.install()
        fill(32)
        with lanework.checked():
            pass
        """
    )
    assert code == 1 and "DriverError" in said and "without checks" in said, said


def test_another_driver_is_told(tmp_path: Path):
    other = tmp_path / "libcuda.so.1"
    source = tmp_path / "empty.c"
    source.write_text("int nothing;")
    try:
        subprocess.run(["cc", "-shared", "-o", other, source], check=True)
    except FileNotFoundError:
        pytest.skip("there is no C compiler")
    code, said = python(
        f"""
        import ctypes, lanework
        ctypes.CDLL({str(other)!r})
        lanework.install()
        """
    )
    assert code == 1 and "DriverError" in said and str(other) in said, said


def test_pytest_fails_the_test_whose_kernel_is_wrong(tmp_path: Path):
    (tmp_path / "test_kernels.py").write_text(
        PROGRAM
        + textwrap.dedent(
            """
            def test_right():
                fill(32)

            def test_wrong():
                fill(33)

            def test_after():
                fill(32)
            """
        )
    )
    run = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", str(tmp_path)]
    code, said = python("", *run, "--lanework-check")
    assert code == 1 and "1 failed, 2 passed" in said, said
    assert "FAILED" in said and "test_wrong" in said and "out-of-bounds global write" in said, said
    assert "3 launches were checked: 1 findings" in said, said
    code, said = python("", *run, "--lanework")
    assert "error[" not in said and "launches were checked" not in said, said


def test_the_command_comes_with_the_package():
    code, said = python("", "-m", "lanework", "exec", "--check", "--", sys.executable, "-c", PROGRAM + "\nfill(33)")
    assert code == 1 and "out-of-bounds global write" in said, said


@pytest.mark.parametrize("library", ["numba.cuda", "cupy"])
def test_kernels_of_others_are_judged(library):
    pytest.importorskip(library, reason=f"{library} is not installed: CLIENTS=1 scripts/python.sh")
    programs = {
        "numba.cuda": """
            import lanework
            with lanework.checked() as block:
                import numpy as np
                from numba import cuda
                @cuda.jit
                def k(x):
                    x[cuda.grid(1)] = 1
                k[1, 33](cuda.to_device(np.zeros(32, np.int32)))
        """,
        "cupy": """
            import lanework
            with lanework.checked() as block:
                import cupy
                k = cupy.RawKernel('extern "C" __global__ void k(int *x) { x[threadIdx.x] = 1; }', "k")
                x = cupy.zeros(32, cupy.int32)
                k((1,), (512,), (x,))
        """,
    }
    check = """
            assert any(found.kind == "out-of-bounds" for found in block.findings), block
    """
    code, said = python(programs[library] + check.replace("            ", "            "))
    assert code == 0, said


#: An ELF file of machine code with one section besides their names.
MACHINE_CODE = """
import struct

def machine_code(section, content):
    names = b"\\0" + section + b"\\0"
    header = b"\\x7fELF\\2\\1".ljust(40, b"\\0") + struct.pack("<Q", 64 + len(names + content)) + bytes(10) + struct.pack("<HHH", 64, 2, 0)
    table = [struct.pack("<I20xQQ24x", *entry) for entry in ((0, 64, len(names)), (1, 64 + len(names), len(content)))]
    return header + names + content + b"".join(table)
"""


@pytest.mark.parametrize("section, status", [(".nv_debug_ptx_txt", 0), (".text.fill", 209)])
def test_machine_code_runs_by_the_ptx_inside_it(section, status):
    code, said = python(
        MACHINE_CODE
        + textwrap.dedent(f"""
        import lanework
        lanework.install()
        cuda, module, context, function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        assert cuda.cuInit(0) == cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == cuda.cuCtxSetCurrent(context) == 0
        image = machine_code(b"{section}", PTX.replace(b"\\n", b"\\0"))
        assert cuda.cuModuleLoadData(ctypes.byref(module), image) == {status}
        assert {status} or cuda.cuModuleGetFunction(ctypes.byref(function), module, b"fill") == 0
        print("as expected")
        """)
    )
    assert code == 0 and "as expected" in said, said
    assert ("machine code" in said) == bool(status), said


def test_compilers_within_a_program_put_ptx_into_their_machine_code():
    def variables(**given):
        show = "import os; print(os.environ['CUTE_DSL_LINEINFO'], os.environ['NVCC_APPEND_FLAGS'])"
        environment = {name: value for name, value in os.environ.items() if name not in ("CUTE_DSL_LINEINFO", "NVCC_APPEND_FLAGS")} | given
        command = [sys.executable, "-m", "lanework", "exec", "--plain", "--", sys.executable, "-c", show]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300).stdout.strip()

    assert variables() == "1 -lineinfo"
    # What the user set stays.
    assert variables(CUTE_DSL_LINEINFO="0", NVCC_APPEND_FLAGS="-O2") == "0 -O2 -lineinfo"


def test_the_command_finds_nvidias_tools_of_its_own_environment(tmp_path):
    from lanework.__main__ import variables

    assert set(variables(tmp_path)) == {"LANEWORK_DRIVER", "LANEWORK_PYTHON"}
    library, tool = tmp_path / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", tmp_path / "nvidia/cu13/bin/ptxas"
    for file in (library, tool):
        file.parent.mkdir(parents=True)
        file.touch()
    found = variables(tmp_path)
    assert found["LANEWORK_NVRTC"] == str(library) and found["PTXAS"] == str(tool) and found["LANEWORK_PYTHON"] == sys.executable


def test_the_doctor_finds_this_package():
    # Without an active environment, `python3` may be another Python.
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    ran = subprocess.run([sys.executable, "-m", "lanework", "doctor", "--json"], capture_output=True, text=True, env=environment, timeout=300)
    parts = {part["name"]: part for part in json.loads(ran.stdout)}
    assert parts["Python"]["state"] == "works", ran.stdout + ran.stderr
