#!/usr/bin/env bash
# Builds NVIDIA's CUDA samples (0_Introduction to 6_Performance) that need neither a display nor another vendor library, and runs them on
# the emulator's driver: no GPU is needed.
#
# Usage, in the repository: scripts/clients/samples.sh; `programs.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
suite=samples
. scripts/clients/programs.bash
root=$(sources NVIDIA/cuda-samples "${REVISION:-v13.0}") || exit 1

# Arguments that make a program small, and second GPUs.
declare -A arguments=(
    [matrixMul]="-wA=128 -hA=128 -wB=128 -hB=128" [reduction]="--n=65536" [simpleStreams]="--nreps=1"
    [UnifiedMemoryStreams]="" [nbody]="-benchmark -compare -numbodies=1024" [transpose]="-dimX=256 -dimY=256 -repFactor=1"
    [FDTD3d]="--dimx=32 --dimy=32 --dimz=32 --timesteps=2" [boxFilter]="-benchmark" [simpleMultiGPU]="" [fluidsGL]=""
    [cdpQuadtree]="" [jacobiCudaGraphs]="" [conjugateGradientUM]="" [UnifiedMemoryPerf]="-minSize=1 -maxSize=1"
    [alignedTypes]="" [radixSortThrust]="-n=4096" [cudaGraphsPerfScaling]="" [memMapIPCDrv]=""
)
gpus() {
    case $1 in simpleP2P | simpleMultiGPU | streamOrderedAllocationP2P | p2pBandwidthLatencyTest | MonteCarloMultiGPU | topologyQuery | simpleIPC | memMapIPCDrv | streamOrderedAllocationIPC) echo 2 ;; *) echo 1 ;; esac
}

# What the build file asks for: sources, and kernels compiled to files of their own.
plan() {
    python3 - "$1" << 'P'
import os, re, sys
folder = sys.argv[1]
text = open(os.path.join(folder, "CMakeLists.txt")).read()
text = re.sub(r"#.*", "", text)
other = re.search(r"OpenGL::|GLUT|OPENGL|Vulkan|EGL|NVSCI|NvSci|MPI_|d3d1|glfw|npp|cufft|cusparse|cusolver|curand|nvjpeg|FreeImage|nvJitLink|cublas", text)
print("needs", other.group(0) if other else "-")
made = re.search(r"add_executable\(\s*\S+\s+([^)]*)\)", text)
print("sources", " ".join(made.group(1).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "").split()) if made else "")
for output, source in re.findall(r'(?:FATBIN|PTX)_FILE\s+"\$\{CMAKE_CURRENT_BINARY_DIR\}/(\S+?)"\)\s*set\(CUDA_KERNEL_SOURCE\s+"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+?)"', text):
    print("kernel", output, source)
P
}

for folder in "$root"/Samples/[0-6]*/*/; do
    folder=${folder%/}
    name=${folder##*/}
    { wanted "$name" && [ -e "$folder/CMakeLists.txt" ]; } || continue
    here=$built/$name
    mkdir -p "$here"
    mapfile -t lines < <(plan "$folder")
    needs=${lines[0]#needs }
    if [ "$needs" != - ]; then row "$name" skipped "needs $needs"; continue; fi
    read -ra files <<< "${lines[1]#sources }"
    if [ ${#files[@]} -eq 0 ]; then row "$name" skipped "no program of one build file"; continue; fi
    cd "$folder" || exit 1
    good=1
    for line in "${lines[@]:2}"; do
        read -r _ output source <<< "$line"
        case $output in *.ptx) form=-ptx ;; *) form=-fatbin ;; esac
        compile "$name" "$here/$output" $form -I"$root/Common" "$source" || good=0
    done
    flags=(-I"$root/Common" -I"$folder/inc" --extended-lambda --expt-relaxed-constexpr -Xcompiler -fopenmp)
    case $name in cdp*) flags+=(-rdc=true -lcudadevrt) ;; esac
    [ "$name" = "simpleSeparateCompilation" ] && flags+=(-rdc=true)
    compile "$name" "$here/$name" "${flags[@]}" "${files[@]}" -lcuda -lnvrtc || good=0
    cd - > /dev/null || exit 1
    if [ $good = 0 ]; then row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"; continue; fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    [ -d "$folder/data" ] && cp -r "$folder/data" "$here/" && cp -n "$folder"/data/* "$here/" 2> /dev/null
    cp -n "$folder"/*.cu "$folder"/*.h "$folder"/*.cuh "$here/" 2> /dev/null
    # What the build copies beside programs that compile as they run.
    [[ $name = *_nvrtc ]] && cp -rn "$toolkit"/include/cooperative_groups* "$toolkit"/include/cccl/{cuda,nv} "$here/" 2> /dev/null
    read -ra given <<< "${arguments[$name]:-}"
    (cd "$here" && EXEC="--plain --gpus $(gpus "$name")" attempt "$name" "./$name" "${given[@]}")
done
summary
