#!/usr/bin/env bash
# Builds NVIDIA's CUDA samples (0_Introduction to 6_Performance) that need no other vendor library, and runs them on the emulator's driver: no
# GPU is needed. Those that show pictures compare them with a reference instead, where they can; they are built where OpenGL and GLUT are
# installed (Debian: freeglut3-dev, libglu1-mesa-dev), and need no display.
#
# Usage, in the repository: scripts/clients/samples.sh; `programs.bash` lists the environment variables.
cd "$(dirname "$0")/../.." || exit 1
suite=samples
. scripts/clients/programs.bash
root=$(sources NVIDIA/cuda-samples "${REVISION:-v13.0}") || exit 1

# Arguments that make the problems of programs small.
declare -A arguments=(
    [matrixMul]="-wA=128 -hA=128 -wB=128 -hB=128" [reduction]="--n=65536" [simpleStreams]="--nreps=1"
    [UnifiedMemoryStreams]="" [transpose]="-dimX=256 -dimY=256 -repFactor=1"
    [FDTD3d]="--dimx=32 --dimy=32 --dimz=32 --timesteps=2" [simpleMultiGPU]="" [fluidsGL]=""
    [cdpQuadtree]="" [jacobiCudaGraphs]="" [conjugateGradientUM]=""
    [radixSortThrust]="-n=4096" [cudaGraphsPerfScaling]="3 1 4" [memMapIPCDrv]="" [eigenvalues]="--matrix-size=256 --iters-timing=1"
    [reductionMultiBlockCG]="--n=1048576" [globalToShmemAsyncCopy]="-wA=128 -hA=128 -wB=128 -hB=128"
    [NV12toBGRandResize]="-input=test1920x1080.nv12 -width=1920 -height=1080 -dst_width=640 -dst_height=480 -batch=1"
    [p2pBandwidthLatencyTest]="--numElems=4096" [UnifiedMemoryPerf]="-kernel-iterations=1"
)
# Runs of programs that show pictures, as NVIDIA's `test_args.json` has them.
declare -A pictures=(
    [simpleTexture3D]="--file=ref_texture3D.bin" [volumeRender]="--file=ref_volume.ppm" [simpleGL]="-file=data/ref_simpleGL.bin"
    [recursiveGaussian]="-sigma=10 -file=data/ref_10.ppm; -sigma=14 -file=data/ref_14.ppm; -sigma=18 -file=data/ref_18.ppm; -sigma=22 -file=data/ref_22.ppm"
    [bicubicTexture]="-mode=0 -file=data/0_nearest.ppm; -mode=1 -file=data/1_bilinear.ppm; -mode=2 -file=data/2_bicubic.ppm; -mode=3 -file=data/3_fastcubic.ppm; -mode=4 -file=data/4_catmull-rom.ppm"
    [smokeParticles]="-qatest" [nbody]="-benchmark -compare -cpu -numbodies=1024" [oceanFFT]="-qatest"
    [Mandelbrot]="-mode=0 -file=data/Mandelbrot_fp32.ppm; -mode=1 -file=data/referenceJulia_fp32.ppm"
    [SobelFilter]="-mode=0 -file=data/ref_orig.pgm; -mode=1 -file=data/ref_tex.pgm; -mode=2 -file=data/ref_shared.pgm"
    [FunctionPointers]="-mode=0 -file=data/ref_orig.pgm; -mode=1 -file=data/ref_tex.pgm; -mode=2 -file=data/ref_shared.pgm"
    [bilateralFilter]="-radius=5 -file=data/ref_05.ppm; -radius=6 -file=data/ref_06.ppm; -radius=7 -file=data/ref_07.ppm; -radius=8 -file=data/ref_08.ppm"
    [volumeFiltering]="-file=data/ref_volumefilter.ppm" [bindlessTexture]="-file=data/ref_bindlessTexture.bin" [particles]="-file=data/ref_particles.bin"
    [marchingCubes]="-dump=0 -file=data/posArray.bin; -dump=1 -file=data/normalArray.bin; -dump=2 -file=data/compVoxelArray.bin"
    [imageDenoising]="-kernel=0 -file=data/ref_passthru.ppm; -kernel=1 -file=data/ref_knn.ppm; -kernel=2 -file=data/ref_nlm.ppm; -kernel=3 -file=data/ref_nlm2.ppm"
    [boxFilter]="-radius=14 -file=data/ref_14.ppm; -radius=22 -file=data/ref_22.ppm"
)
[ -e /usr/include/GL/glut.h ] || pictures=()
# Constants that make the problem small where no argument does; the script edits a copy of the program. The matrix products on tensor
# cores check their results only with CPU_DEBUG.
tiles='s/^#define ([MNK])_TILES [0-9]+/#define \1_TILES 16/; s/define CPU_DEBUG 0/define CPU_DEBUG 1/'
declare -A smaller=(
    [simpleAttributes]='s/deviceProp.maxGridSize\[1\]/4/; s/0xAFFFF/0xFFF/'
    [simpleStreams]='s/16 \* 1024 \* 1024;/256 * 1024;/; s/nreps( *)= 10;/nreps\1= 1;/'
    [simplePitchLinearTexture]='s/NUM_REPS 100/NUM_REPS 2/' [convolutionTexture]='s/= 3072/= 768/; s/iterations = 10/iterations = 1/'
    [histogram]='s/64 \* 1048576/1048576/; s/numRuns( *)= 16/numRuns\1= 1/' [scan]='s/13 \* 1048576 \/ 2/1048576/; s/iCycles = 100/iCycles = 1/'
    [sortingNetworks]='s/= 1048576/= 65536/' [graphMemoryFootprint]='s/64 \* 1024 \* 1024/2 * 1024 * 1024/'
    [bf16TensorCoreGemm]=$tiles [cudaTensorCoreGemm]=$tiles [dmmaTensorCoreGemm]=$tiles [immaTensorCoreGemm]=$tiles [tf32TensorCoreGemm]=$tiles
    [globalToShmemAsyncCopy]='s/nIter = 100/nIter = 1/' [jacobiCudaGraphs]='s/N_ROWS 512/N_ROWS 128/'
    [BlackScholes]='s/= 4000000/= 40000/; s/= 512;/= 2;/' [BlackScholes_nvrtc]='s/= 4000000/= 40000/; s/= 512;/= 2;/'
    [HSOpticalFlow]='s/nSolverIters = 500/nSolverIters = 5/' [NV12toBGRandResize]='s/TEST_LOOP 20/TEST_LOOP 1/'
    [alignedTypes]='s/= 50000000/= 500000/; s/NUM_ITERATIONS = 32/NUM_ITERATIONS = 1/'
    [MonteCarloMultiGPU]='s/nOptions = 8 \* 1024/nOptions = 256/' [UnifiedMemoryPerf]='s/maxSampleSizeInMb = 64/maxSampleSizeInMb = 1/; s/ONE_KB 1024/ONE_KB 256/' [conjugateGradientMultiBlockCG]='s/= 1048576;/= 16384;/'
)
gpus() {
    case $1 in simpleP2P | simpleMultiGPU | streamOrderedAllocationP2P | p2pBandwidthLatencyTest | MonteCarloMultiGPU | topologyQuery | simpleIPC | memMapIPCDrv | streamOrderedAllocationIPC) echo 2 ;; *) echo 1 ;; esac
}

# The sources that the build file lists, and the kernels that it compiles to files of their own.
plan() {
    python3 - "$1" "$2" << 'P'
import os, re, sys
folder = sys.argv[1]
text = open(os.path.join(folder, "CMakeLists.txt")).read()
text = re.sub(r"#.*", "", text)
pictures = None if sys.argv[2] else re.search(r"OpenGL::|GLUT|OPENGL", text)
other = pictures or re.search(r"Vulkan|EGL|NVSCI|NvSci|MPI_|d3d1|glfw|npp|cufft_static|cusolver|nvjpeg|FreeImage|nvJitLink", text)
code = "".join(open(os.path.join(folder, f), errors="replace").read() for f in os.listdir(folder) if f.endswith((".cu", ".cpp", ".c", ".h", ".cuh", ".hpp")))
# Some are linked to a library that they never call.
used = [re.search(pattern, code) for pattern in (r"cusparse(?=[A-Z])", r"cublasXt", r"cufftXtSetGPUs", "boost(?=/)")]
other = other or next((found for found in used if found), None)
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
    mapfile -t lines < <(plan "$folder" "${pictures[$name]:-}")
    needs=${lines[0]#needs }
    if [ "$needs" != - ]; then row "$name" skipped "needs $needs"; continue; fi
    read -ra files <<< "${lines[1]#sources }"
    if [ ${#files[@]} -eq 0 ]; then row "$name" skipped "no program of one build file"; continue; fi
    from=$folder
    if [ -n "${smaller[$name]:-}" ]; then
        from=$here/source
        rm -rf "$from" && cp -r "$folder" "$from"
        find "$from" -regex '.*\.\(cu\|cpp\|h\|cuh\|hpp\)' -exec sed -i -E "${smaller[$name]}" {} +
    fi
    cd "$from" || exit 1
    good=1
    for line in "${lines[@]:2}"; do
        read -r _ output source <<< "$line"
        case $output in *.ptx) form=-ptx ;; *) form=-fatbin ;; esac
        compile "$name" "$here/$output" $form -I"$root/Common" "$source" || good=0
    done
    flags=(-I"$root/Common" -I"$from/inc" --extended-lambda --expt-relaxed-constexpr -Xcompiler -fopenmp)
    case $name in cdp*) flags+=(-rdc=true -lcudadevrt) ;; esac
    grep -q CUDA::cublas CMakeLists.txt && flags+=(-lcublas -lcublasLt)
    grep -q CUDA::curand CMakeLists.txt && flags+=(-lcurand)
    grep -q CUDA::cufft CMakeLists.txt && flags+=(-lcufft)
    [ "$name" = "simpleSeparateCompilation" ] && flags+=(-rdc=true)
    [ -n "${pictures[$name]:-}" ] && flags+=(-lGL -lGLU -lglut)
    compile "$name" "$here/$name" "${flags[@]}" "${files[@]}" -lcuda -lnvrtc || good=0
    cd - > /dev/null || exit 1
    if [ $good = 0 ]; then row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"; continue; fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    [ -d "$folder/data" ] && cp -r "$folder/data" "$here/" && cp -n "$folder"/data/* "$here/" 2> /dev/null
    cp -n "$from"/*.cu "$from"/*.h "$from"/*.cuh "$here/" 2> /dev/null
    # The build copies these headers beside programs that compile kernels at run time.
    [[ $name = *_nvrtc ]] && cp -rn "$toolkit"/include/cooperative_groups* "$toolkit"/include/cccl/{cuda,nv} "$here/" 2> /dev/null
    read -ra given <<< "${arguments[$name]:-}"
    command=("./$name" "${given[@]}")
    if [ -n "${pictures[$name]:-}" ]; then
        all=${pictures[$name]}
        command=(sh -ec "./$name ${all//;/; ./$name}")
    fi
    (cd "$here" && EXEC="${EXEC:---plain} --gpus $(gpus "$name")" attempt "$name" "${command[@]}")
done
summary
