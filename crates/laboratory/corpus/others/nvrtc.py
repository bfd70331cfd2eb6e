# `python nvrtc.py LIBRARY SOURCE.cu TARGET OUT.ptx`: compiles by NVRTC, a shared library, for a target such as 80.
import ctypes
import sys

library, source, target, out = sys.argv[1:]
nvrtc = ctypes.CDLL(library)
major, minor = ctypes.c_int(), ctypes.c_int()
nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
program = ctypes.c_void_p()
text = open(source, "rb").read()
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.encode(), 0, None, None) == 0
options = [f"--gpu-architecture=compute_{target}".encode(), b"-lineinfo", b"--std=c++17", b"--device-int128", b"-DINFINITY=__int_as_float(0x7f800000)"]
status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
size = ctypes.c_size_t()
nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetProgramLog(program, log)
if status:
    sys.exit(log.value.decode())
assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
ptx = ctypes.create_string_buffer(size.value)
assert nvrtc.nvrtcGetPTX(program, ptx) == 0
open(out, "w").write(f"// NVRTC {major.value}.{minor.value}\n" + ptx.value.decode())
