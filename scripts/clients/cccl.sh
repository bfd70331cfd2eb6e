#!/usr/bin/env bash
# Builds unit tests of CCCL (libcu++, Thrust, CUB) with nvcc and runs them on the emulator's driver; they compare with results of the host.
#
# Usage, in the repository: scripts/clients/cccl.sh; `programs.bash` lists the environment variables. ONLY matches names like
# `libcudacxx.cuda.barrier.init`, `thrust.scan` and `cub.block_reduce`. JOBS says how many tests are built and run at once (2). A test of Thrust
# or CUB takes minutes to compile. The tests of CUB run with the first of each of their parameters.
cd "$(dirname "$0")/../.." || exit 1
suite=cccl
. scripts/clients/programs.bash
root=$(sources NVIDIA/cccl "${REVISION:-571f2fc3bc53cd710e306ad43d58995c1fe4219f}") || exit 1
includes=(-I"$root/libcudacxx/include" -I"$root/thrust" -I"$root/cub")
export STANDARD=c++20

# test NAME ARGUMENTS...: builds and runs one test.
test_one() {
    local name=$1
    shift
    if ! compile "$name" "$built/$name" --expt-relaxed-constexpr --extended-lambda "${includes[@]}" "$@"; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"
    elif [ -z "${BUILD_ONLY:-}" ]; then
        attempt "$name" "$built/$name"
    fi
}

# start NAME ARGUMENTS...: the same in the background, if the pattern of names matches.
start() {
    wanted "$1" || return 0
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n; done
    test_one "$@" &
}

# Each test of libcu++ is a `main` that runs on the host, and then in a kernel.
tests=$root/libcudacxx/test
for folder in cuda heterogeneous std/atomics std/thread std/numerics/c.math std/utilities/variant std/containers/views; do
    while read -r file; do
        grep -qE 'UNSUPPORTED:.*(c\+\+20|nvcc|linux|!icc)' "$file" && continue
        name=${file#"$tests/libcudacxx/"}
        name=libcudacxx.${name//\//.}
        start "${name%.pass.cpp}" -I"$tests/support" -include "$tests/libcudacxx/force_include.h" -x cu "$file" -lcuda
    done < <(find "$tests/libcudacxx/$folder" -name '*.pass.cpp' | sort)
done
wait

# Thrust's tests share a framework.
if wanted thrust.framework || [ -z "${ONLY:-}" ] || [[ ${ONLY:-} == *thrust* ]]; then
    for part in unittest/testframework unittest/cuda/testframework; do
        compile "thrust.${part//\//.}" "$built/${part//\//.}.o" -c "${includes[@]}" -I"$root/thrust/testing" "$root/thrust/testing/$part.cu" &
    done
    wait
fi
for file in "$root"/thrust/testing/*.cu "$root"/thrust/testing/cuda/*.cu; do
    name=${file#"$root/thrust/testing/"}
    case $name in catch2_test_* | unittest_tester.cu) continue ;; esac
    name=thrust.${name//\//.}
    start "${name%.cu}" -DTHRUST_TEST_DEVICE_SIDE -I"$root/thrust/testing" "$file" "$built"/unittest.*testframework.o
done
wait

# CUB's tests use Catch2 and generators of their own.
catch=$(sources catchorg/Catch2 "${CATCH_REVISION:-v3.7.1}") || exit 1
if [ -z "${ONLY:-}" ] || [[ ${ONLY:-} == *cub* ]]; then
    mkdir -p "$built/catch"/{catch2/matchers,catch2/generators}
    for header in $(grep -rhoE 'catch2/[a-z_/]+\.hpp' "$root/c2h" "$root/cub/test" | sort -u); do
        echo '#include "catch_amalgamated.hpp"' > "$built/catch/$header"
    done
    includes+=(-I"$built/catch" -I"$catch/extras" -I"$root/c2h/include" -I"$root/cub/test" -DCATCH_CONFIG_PREFIX_ALL -DC2H_HAS_CURAND=0)
    compile cub.catch "$built/catch.o" -c -DCATCH_AMALGAMATED_CUSTOM_MAIN "${includes[@]}" "$catch/extras/catch_amalgamated.cpp" &
    for part in generators generators_gen_values generators_uniform_offsets generators_vector catch2_runner catch2_runner_helper; do
        compile "cub.$part" "$built/c2h.$part.o" -c --expt-relaxed-constexpr --extended-lambda "${includes[@]}" "$root/c2h/$part.cu" &
    done
    wait
    for file in "$root"/cub/test/catch2_test_*.cu; do
        name=$(basename "$file" .cu)
        parameters=()
        while read -r _ _ parameter _ values; do
            parameters+=("-D$parameter=${values%%:*}")
        done < <(grep -E '^// %PARAM%' "$file")
        start "cub.${name#catch2_test_}" "${parameters[@]}" "$file" "$built/catch.o" "$built"/c2h.*.o -lcuda
    done
    wait
fi
summary
