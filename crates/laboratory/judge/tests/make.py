#!/usr/bin/env python3
"""Compiles the kernels of `honest/` and `cheats/` to `ptx/` by NVRTC: `make.py LIBRARY INCLUDE-FOLDER[:FOLDER..] [NAME..]`."""
import ctypes
import pathlib
import re
import sys

library, include, *only = sys.argv[1:]
includes = include.split(":")
here = pathlib.Path(__file__).parent
folder = pathlib.Path(library).parent
for builtins in folder.glob("libnvrtc-builtins.so*"):
    ctypes.CDLL(str(builtins))
nvrtc = ctypes.CDLL(library)


def compile(source: pathlib.Path) -> str:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    name = f"{source.parent.name}/{source.name}".encode()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), name, 0, None, None)
    options = [b"--gpu-architecture=compute_80", b"-lineinfo", b"-default-device"]
    options += [f"-I{folder}".encode() for folder in includes]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    if status:
        sys.exit(f"{source}: {log.value.decode()}")
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    # The names of folders are specific to this machine.
    return re.sub(r'^(\s*\.file\s+\d+\s+)"[^"]*/(include/|(?=(honest|cheats)/))', r'\1"', ptx.value.decode(), flags=re.M)


for kind in ["honest", "cheats"]:
    (here / "ptx" / kind).mkdir(parents=True, exist_ok=True)
    for source in sorted((here / kind).glob("*.cu")):
        if only and source.stem not in only or "// no ptx" in source.read_text():
            continue
        # A candidate of PTX declares its launch as its source does.
        marks = [line for line in source.read_text().splitlines(True) if line.startswith("// judge:")]
        (here / "ptx" / kind / f"{source.stem}.ptx").write_text("".join(marks) + compile(source))
