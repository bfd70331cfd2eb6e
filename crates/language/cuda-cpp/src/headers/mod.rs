//! The built-in headers: C++ text that the front end compiles like any other source.
//!
//! A function with the attribute `ptx("TEXT")` expands to that PTX. A function with `op("NAME")` is an operation that
//! `lower` implements.

/// Headers that are included in every source.
pub const ALWAYS: &[(&str, &str)] = &[
    ("lanework/base.h", include_str!("base.h")),
    ("lanework/device.h", include_str!("device.h")),
    ("lanework/math.h", include_str!("math.h")),
    ("lanework/vectors.h", include_str!("vectors.h")),
    ("lanework/objects.h", include_str!("objects.h")),
];

/// The headers that host code includes after them.
pub const HOST: &[(&str, &str)] = &[
    ("lanework/host.h", include_str!("host.h")),
    ("lanework/devices.h", include_str!("devices.h")),
    ("lanework/std/base.h", include_str!("std/base.h")),
    ("lanework/std/chrono.h", include_str!("std/chrono.h")),
];

/// Headers that are included before a file that contains one of the words, in host code or in both.
const BY_WORD: &[(&str, &str, bool, &[&str])] = &[
    ("lanework/blas.h", include_str!("blas.h"), false, &["cublasCreate", "cublasLtCreate"]),
    (
        "lanework/textures.h",
        include_str!("textures.h"),
        false,
        &[
            "tex1D",
            "tex2D",
            "tex3D",
            "texCubemap",
            "surf1D",
            "surf2D",
            "surf3D",
            "cudaChannelFormat",
            "cudaCreateChannelDesc",
            "cudaTextureDesc",
            "cudaResourceDesc",
            "cudaArray",
            "cudaMipmappedArray",
            "cudaMalloc3D",
            "cudaMemcpy3D",
            "cudaPitchedPtr",
            "cudaExtent",
            "cudaPos",
            "cudaGraphAdd",
            "cudaGraphNode",
            "cudaGraphGet",
            "cudaGraphDebug",
            "GraphMem",
            "cudaKernelNodeParams",
        ],
    ),
    (
        "lanework/arrays.h",
        include_str!("arrays.h"),
        true,
        &[
            "cudaChannelFormat",
            "cudaCreateChannelDesc",
            "cudaTextureDesc",
            "cudaResourceDesc",
            "cudaArray",
            "cudaMipmappedArray",
            "cudaMalloc3D",
            "cudaMemcpy3D",
            "cudaPitchedPtr",
            "cudaExtent",
            "cudaPos",
            "cudaGraphAdd",
            "cudaGraphNode",
            "cudaGraphGet",
            "cudaGraphDebug",
            "GraphMem",
            "cudaKernelNodeParams",
        ],
    ),
    ("pthread.h", include_str!("std/pthread.h"), true, &["pthread_"]),
    (
        "lanework/driver_api.h",
        include_str!("driver_api.h"),
        true,
        &["CUresult", "CUdevice ", "CUmodule", "cuModule", "cuDeviceGet(", "nvrtc"],
    ),
    (
        "cusolverDn.h",
        include_str!("cusolver.h"),
        true,
        &["getrfBatched", "getrsBatched", "getriBatched"],
    ),
    (
        "lanework/simd.h",
        include_str!("simd.h"),
        false,
        &["__va", "__vc", "__vh", "__vi", "__vm", "__vn", "__vs"],
    ),
    (
        "lanework/graphs.h",
        include_str!("graphs.h"),
        true,
        &[
            "cudaGraphAdd",
            "cudaGraphNode",
            "cudaGraphGet",
            "cudaGraphDebug",
            "GraphMem",
            "cudaKernelNodeParams",
        ],
    ),
];

/// The name and text of the headers that a file needs by its words.
pub fn by_words(file: &str, host: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let needed = move |words: &[&str]| words.iter().any(|word| file.contains(word));
    let wanted = BY_WORD.iter().filter(move |header| (host || !header.2) && needed(header.3));
    wanted.map(|header| (header.0, header.1))
}

/// Parts of the C++ library for host code, by the headers that contain them.
const LIBRARY: &[(&str, &str)] = &[
    ("algorithm numeric iterator execution", include_str!("std/algorithm.h")),
    ("string string_view stdexcept", include_str!("std/string.h")),
    (
        "iostream streams iomanip sstream fstream ostream istream ios iosfwd streambuf",
        include_str!("std/streams.h"),
    ),
    ("memory", include_str!("std/memory.h")),
    ("functional", include_str!("std/functional.h")),
    ("tuple optional", include_str!("std/tuple.h")),
    ("variant any", include_str!("std/variant.h")),
    ("bitset", include_str!("std/bitset.h")),
    ("map set", include_str!("std/map.h")),
    ("unordered_map hash unordered_set", include_str!("std/hash.h")),
    ("deque sequences list queue stack forward_list", include_str!("std/sequences.h")),
    ("random", include_str!("std/random.h")),
    ("complex valarray", include_str!("std/complex.h")),
    ("helper_cuda.h helper_functions.h helper_string.h helper_timer.h", include_str!("helpers.h")),
    ("fcntl.h sys/stat.h sys/mman.h dirent.h sys/times.h", include_str!("std/files.h")),
    ("getopt.h unistd.h", include_str!("std/getopt.h")),
    ("omp.h", include_str!("std/omp.h")),
    ("mpi.h", include_str!("std/mpi.h")),
    ("nccl.h", include_str!("nccl.h")),
    ("pthread.h", include_str!("std/pthread.h")),
    ("thread mutex atomic future condition_variable shared_mutex", include_str!("std/thread.h")),
];

/// Headers that add to the contents of [`ALWAYS`].
const TEXTS: &[(&str, &str)] = &[
    ("lanework/elementary.h", include_str!("elementary.h")),
    ("assert.h", "#ifdef NDEBUG\n#undef assert\n#define assert(condition) ((void)0)\n#endif\n"),
    (
        "error.h",
        "inline void error(int status, int number, const char *format, ...) {\n\
         fflush(stdout);\nva_list list;\nva_start(list, format);\nvfprintf(stderr, format, list);\nva_end(list);\n\
         if (number) fprintf(stderr, \": %s\", strerror(number));\nfprintf(stderr, \"\\n\");\nif (status) exit(status);\n}\n",
    ),
    (
        "gnu-versions.h",
        "#define _GNU_GETOPT_INTERFACE_VERSION 2\n#define _GNU_OBSTACK_INTERFACE_VERSION 1\n",
    ),
    ("cuda_fp16.h", include_str!("fp16.h")),
    ("cuda_bf16.h", include_str!("bf16.h")),
    ("cuda_fp8.h", include_str!("fp8.h")),
    ("mma.h", include_str!("mma.h")),
    ("cooperative_groups.h", include_str!("cooperative_groups.h")),
    ("lanework/cooperative_tiles.h", include_str!("cooperative_tiles.h")),
    ("lanework/errors.h", include_str!("errors.h")),
    ("torch/extension.h", include_str!("torch.h")),
    ("helper_math.h", include_str!("helper_math.h")),
    ("type_traits", include_str!("type_traits.h")),
    ("cublas_v2.h", include_str!("cublas.h")),
    ("cublasLt.h", "#include <cublas_v2.h>\n"),
    ("cuComplex.h", include_str!("complex.h")),
    ("cuda/atomic", include_str!("libcu.h")),
    ("cub/cub.cuh", include_str!("cub.h")),
    ("tuple", "#include <lanework/tuple.h>\n#include <vector>\n"),
    ("complex", include_str!("complex_numbers.h")),
    (
        "bits/stdc++.h",
        "#include <algorithm>\n#include <complex>\n#include <functional>\n#include <iostream>\n\
         #include <map>\n#include <memory>\n#include <optional>\n#include <queue>\n\
         #include <random>\n#include <bitset>\n#include <variant>\n#include <string>\n#include <thread>\n#include <tuple>\n\
         #include <unordered_map>\n#include <vector>\n#include <cassert>\n",
    ),
    ("lanework/tuple.h", include_str!("tuple.h")),
    ("lanework/complex_numbers.h", include_str!("complex_numbers.h")),
    ("lanework/cub_block.h", include_str!("cub_block.h")),
    ("lanework/cub_device.h", include_str!("cub_device.h")),
    ("cusparse.h", include_str!("cusparse.h")),
    ("lanework/cusparse_older.h", include_str!("cusparse_older.h")),
    ("cufft.h", include_str!("cufft.h")),
    ("cusolverDn.h", include_str!("cusolver.h")),
    ("curand_kernel.h", include_str!("curand_kernel.h")),
    ("lanework/sobol.h", include_str!("sobol.h")),
    ("curand.h", include_str!("curand.h")),
    ("thrust/thrust.h", include_str!("thrust.h")),
    ("lanework/thrust/algorithms.h", include_str!("thrust/algorithms.h")),
    ("lanework/thrust/vectors.h", include_str!("thrust/vectors.h")),
    ("lanework/thrust/numbers.h", include_str!("thrust/numbers.h")),
    ("map", "#include <type_traits>\n#include <vector>\n"),
    ("functional", "#include <type_traits>\n#include <vector>\n"),
];

/// Other names of headers that have contents.
const ALIASES: &[(&str, &str)] = &[
    ("cassert", "assert.h"),
    ("cuda_fp16.hpp", "cuda_fp16.h"),
    ("cuda_bf16.hpp", "cuda_bf16.h"),
    ("crt/mma.h", "mma.h"),
    ("cooperative_groups/reduce.h", "cooperative_groups.h"),
    ("cooperative_groups/memcpy_async.h", "cooperative_groups.h"),
    ("torch/all.h", "torch/extension.h"),
    ("torch/types.h", "torch/extension.h"),
    ("torch/torch.h", "torch/extension.h"),
    ("ATen/ATen.h", "torch/extension.h"),
    ("ATen/cuda/CUDAContext.h", "torch/extension.h"),
    ("cooperative_groups/scan.h", "cooperative_groups.h"),
    ("cuda/barrier", "cuda/atomic"),
    ("cuda/pipeline", "cuda/atomic"),
    ("cuda/latch", "cuda/atomic"),
    ("cuda/semaphore", "cuda/atomic"),
    ("cufftXt.h", "cufft.h"),
    ("cusolver_common.h", "cusolverDn.h"),
    ("utility", "type_traits"),
    ("array", "type_traits"),
];

/// Headers that only host code needs, or whose contents are always included.
const EMPTY: &str = "\
    algorithm atomic bitset cctype cerrno cfloat chrono cinttypes climits cmath complex \
    condition_variable cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuda.h \
    cuda_pipeline.h cuda_pipeline_primitives.h cuda_profiler_api.h cuda_runtime.h \
    cuda_runtime_api.h cuda_texture_types.h curand.h curand_kernel.h cublas.h cublasLt.h cudnn.h \
    cufft.h cusparse.h cusolverDn.h device_functions.h device_launch_parameters.h deque \
    driver_types.h errno.h exception float.h fstream future helper_cuda.h helper_functions.h \
    helper_string.h helper_timer.h host_defines.h inttypes.h iomanip ios iosfwd \
    iostream istream iterator limits limits.h list locale map math.h math_constants.h \
    math_functions.h memory mutex new numeric nvtx3/nvToolsExt.h omp.h optional ostream queue \
    random ratio regex set sm_60_atomic_functions.h sstream stack stdarg.h stdbool.h stddef.h \
    stdexcept stdint.h stdio.h stdlib.h streambuf string string.h string_view sys/time.h \
    sys/types.h system_error texture_fetch_functions.h texture_types.h thread time.h typeindex \
    typeinfo unistd.h unordered_map unordered_set valarray variant vector vector_functions.h \
    vector_types.h sys/resource.h sys/stat.h fcntl.h mpi.h nccl.h cstdbool builtin_types.h \
    cuda_device_runtime_api.h crt/host_defines.h device_atomic_functions.h initializer_list \
    ctype.h strings.h memory.h malloc.h alloca.h sys/param.h sys/utsname.h sys/wait.h pthread.h \
    values.h linux/limits.h features.h cuda_fp8.hpp cuda_bf16.hpp sys/timeb.h complex.h cfenv \
    fenv.h csignal csetjmp cwchar wchar.h cuchar clocale locale.h codecvt typeindex source_location \
    numbers ranges compare version nvToolsExt.h cudaProfiler.h cuda_device_runtime_api.h \
    nvrtc.h sys/un.h arpa/inet.h netinet/in.h sys/socket.h netdb.h endian.h err.h sys/sysinfo.h sched.h sys/ipc.h \
    sys/shm.h sys/syscall.h libgen.h poll.h sys/times.h sys/select.h langinfo.h cpuid.h immintrin.h x86intrin.h \
    dirent.h cudnn_frontend.h getopt.h signal.h sys/mman.h execution bit filesystem span concepts";

/// Folders of libraries whose headers are treated as empty. If device code uses their names, errors report them.
const LIBRARIES: &str = "\
    torch/ ATen/ c10/ pybind11/ cutlass/ cute/ nvtx3/ boost/ Eigen/ opencv2/ glm/ \
    GL/ cuda/std/ nlohmann/ gtest/ benchmark/ Python.h";

/// Whether only the headers of host code define a function with this name: a line at the left margin does.
pub fn is_host_function(name: &str) -> bool {
    let defines = |line: &str| {
        let Some((before, after)) = line.split_once(name) else { return false };
        let is_type = before.ends_with([' ', '*']) && !before.starts_with([' ', '#', '/']);
        is_type && after.starts_with('(') && !before.contains('(')
    };
    let texts = HOST.iter().chain(LIBRARY).map(|(_, text)| text);
    name.len() > 1 && texts.into_iter().any(|text| text.lines().any(defines))
}

/// Whether a header belongs to a library whose headers are treated as empty.
pub fn is_of_library(name: &str) -> bool {
    LIBRARIES.split(' ').any(|library| name.starts_with(library))
}

/// The canonical name of a header that has several names.
pub fn canonical(name: &str) -> &str {
    let name = name.strip_prefix("cuda/std/").unwrap_or(name);
    if name.starts_with("cub/") {
        return "cub/cub.cuh";
    }
    if name.starts_with("thrust/") {
        return "thrust/thrust.h";
    }
    let own = name.strip_prefix("lanework/std/").and_then(|file| file.strip_suffix(".h"));
    let part = |names: &str| names.split(' ').any(|known| known == own.unwrap_or(name));
    if let Some((names, _)) = LIBRARY.iter().find(|(names, _)| part(names)) {
        return names.split(' ').next().unwrap_or(name);
    }
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

/// The text of a built-in header; in device code, empty for headers that only host code needs. `None` if unknown.
pub fn text(name: &str, host: bool) -> Option<&'static str> {
    let name = canonical(name);
    if host {
        if let Some((_, text)) = HOST.iter().find(|(known, _)| *known == name) {
            return Some(text);
        }
        let first = |names: &str| names.split(' ').next() == Some(name);
        if let Some((_, text)) = LIBRARY.iter().find(|(names, _)| first(names)) {
            return Some(text);
        }
    }
    if let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == name) {
        return Some(text);
    }
    let known = EMPTY.split(' ').any(|known| known == name);
    if known && !host && !name.contains('.') {
        return Some(include_str!("forward.h"));
    }
    (known || is_of_library(name)).then_some("")
}
