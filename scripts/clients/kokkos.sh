#!/usr/bin/env bash
# Builds unit tests of Kokkos (core, containers, algorithms) with nvcc and runs them on the emulator's driver; each file is a program that
# uses GoogleTest.
#
# Usage, in the repository: scripts/clients/kokkos.sh; `programs.bash` lists the environment variables. ONLY matches names like `core.Reducers_a`,
# `containers.UnorderedMap` and `algorithms.Sort`. JOBS says how many tests are built and run at once (2). A test takes a minute or more to
cd "$(dirname "$0")/../.." || exit 1
suite=kokkos
. scripts/clients/programs.bash
. scripts/clients/gtest.bash
root=$(sources kokkos/kokkos "${REVISION:-28848dfa8fc1411873b6a663c4d29ba05712510e}") || exit 1
export STANDARD=c++17

# The headers that Kokkos' CMake files write for CUDA and the host's serial back end.
config=$built/config
mkdir -p "$config/desul/atomics"
{
    echo '#define KOKKOS_CORE_CONFIG_H'
    version=($(sed -nE 's/^set\(Kokkos_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)\)/\2/p' "$root/CMakeLists.txt"))
    echo "#define KOKKOS_VERSION $((version[0] * 10000 + version[1] * 100 + version[2]))"
    echo "#define KOKKOS_VERSION_MAJOR ${version[0]}"
    echo "#define KOKKOS_VERSION_MINOR ${version[1]}"
    echo "#define KOKKOS_VERSION_PATCH ${version[2]}"
    for name in ENABLE_SERIAL ENABLE_CUDA ENABLE_CXX17 ENABLE_CUDA_LAMBDA ENABLE_DEPRECATED_CODE_4 ENABLE_COMPLEX_ALIGN ENABLE_IMPL_MDSPAN \
        ENABLE_LIBDL ARCH_HOPPER ARCH_HOPPER90; do echo "#define KOKKOS_$name"; done
} > "$config/KokkosCore_config.h"
echo '#define DESUL_ATOMICS_ENABLE_CUDA' > "$config/desul/atomics/Config.hpp"
printf '#include <fwd/Kokkos_Fwd_%s.hpp>\n' CUDA SERIAL > "$config/KokkosCore_Config_FwdBackend.hpp"
printf '#include <decl/Kokkos_Declare_%s.hpp>\n' CUDA SERIAL > "$config/KokkosCore_Config_DeclareBackend.hpp"
echo '#include <setup/Kokkos_Setup_Cuda.hpp>' > "$config/KokkosCore_Config_SetupBackend.hpp"
: > "$config/KokkosCore_Config_PostInclude.hpp"

options=(-include "$PWD/scripts/clients/cuda12_calls.h" --extended-lambda -I"$config" -I"$root/core/src" -I"$root/containers/src" -I"$root/algorithms/src"
    -I"$root/tpls/desul/include" -I"$root/tpls/mdspan/include" -I"$root/tpls/gtest" -I"$root/core/unit_test/category_files"
    -DKOKKOS_DEPENDENCE -DGTEST_HAS_PTHREAD=0)

# The library, GoogleTest and the programs' entry.
pieces=()
for file in "$root"/core/src/{impl,Cuda,Serial}/*.cpp "$root"/containers/src/impl/*.cpp "$root/tpls/gtest/gtest/gtest-all.cc" \
    "$root/tpls/desul/src/Lock_Array_CUDA.cpp" "$root/core/unit_test/UnitTestMainInit.cpp"; do
    piece=$built/lib.$(basename "${file%.*}").o
    pieces+=("$piece")
    background compile "lib.$(basename "${file%.*}")" "$piece" -c -x cu "${options[@]}" "$file"
done
wait
for piece in "${pieces[@]}"; do
    [ -e "$piece" ] || { echo "cannot compile $piece: see $logs" >&2; exit 1; }
done

# test_one NAME SOURCE INCLUDES...
test_one() {
    local name=$1 source=$2
    shift 2
    if ! compile "$name" "$built/$name" "$@" "${options[@]}" "$source" "${pieces[@]}" -lcuda -ldl; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-110)"
    elif [ -z "${BUILD_ONLY:-}" ]; then
        attempt_gtest "$name" "$built/$name"
    fi
}

# file NAME FOLDER FILE: a test in a source file.
file() {
    wanted "$1" || return 0
    echo "#include \"$3\"" > "$built/$1.cu"
    background test_one "$1" "$built/$1.cu" -I"$root/$2"
}

# header PART FOLDER FILE [CATEGORY]: a test in a header, for the CUDA back end.
header() {
    local name=$1.$(basename "${3%.hpp}" | sed 's/^Test//')${4:+.$4} source
    wanted "$name" || return 0
    source=$built/$name.cu
    printf '#include <Test%s_Category.hpp>\n#include <%s>\n' "${4:-Cuda}" "$3" > "$source"
    background test_one "$name" "$source" -I"$root/$2"
}

for name in Bitset DualView DynamicView DynViewAPI_generic DynViewAPI_rank12345 DynViewAPI_rank67 DynRankView_TeamScratch ErrorReporter OffsetView \
    ScatterView StaticCrsGraph WithoutInitializing UnorderedMap Vector; do
    header containers containers/unit_tests "Test$name.hpp"
done
for name in Sort SortByKey SortCustomComp BinSortA BinSortB NestedSort Random; do header algorithms algorithms/unit_tests "Test$name.hpp"; done

# Kokkos' CMake file lists the tests' names, which are also those of headers.
for name in $(grep -oE '\b[A-Z][A-Za-z0-9]+(_[A-Za-z0-9]+)*\b' "$root/core/unit_test/CMakeLists.txt" | sort -u); do
    [ -e "$root/core/unit_test/Test$name.hpp" ] || continue
    case $name in
        SubView_*) header core core/unit_test "Test$name.hpp" CudaUVM ;;
        ViewHooks) ;; # of an older View
        *) header core core/unit_test "Test$name.hpp" ;;
    esac
done
for name in BasicView ReferenceCountedAccessor ReferenceCountedDataHandle; do header core core/unit_test "view/Test$name.hpp"; done
for space in CudaHostPinned CudaUVM; do
    for name in SharedAlloc ViewAPI_a ViewAPI_b ViewAPI_c ViewAPI_d ViewAPI_e ViewCopy_a ViewCopy_b ViewMapping_a ViewMapping_b; do
        header core core/unit_test "Test$name.hpp" $space
    done
done
for file in "$root"/core/unit_test/cuda/TestCuda_{InterOp_Streams,ReducerViewSizeLimit,Spaces,Task,TeamScratchStreams}.cpp; do
    name=core.$(basename "${file%.cpp}" | sed s/TestCuda_/cuda_/)
    file "$name" core/unit_test "$file"
done
for file in "$root"/algorithms/unit_tests/TestStd*.cpp; do
    name=algorithms.$(basename "${file%.cpp}" | sed s/^Test//)
    case $name in *CompileOnly | *Common) continue ;; esac
    file "$name" algorithms/unit_tests "$file"
done
wait
summary
cases
