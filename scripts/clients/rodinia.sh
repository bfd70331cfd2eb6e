#!/usr/bin/env bash
# Builds Rodinia's CUDA programs, makes small inputs, and runs them on the emulator's driver. Texture references were removed in CUDA 12;
# programs that use them are built only if OLD_NVCC names an nvcc of CUDA 11 (Debian 12: nvidia-cuda-toolkit).
#
# Usage, in the repository: scripts/clients/rodinia.sh; `programs.bash` lists the environment variables.
cd "$(dirname "$0")/../.." || exit 1
suite=rodinia
. scripts/clients/programs.bash
root=$(sources yuhc/gpu-rodinia "${REVISION:-9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4}") || exit 1

# Inputs: every one from a fixed seed.
python3 - "$built" << 'P'
import os, random, struct, sys
os.chdir(sys.argv[1])
random.seed(7)
def lines(name, rows): open(name, "w").write("".join(str(row) + "\n" for row in rows))
lines("temperature", (323 + 10 * random.random() for _ in range(64 * 64)))
lines("power", (random.random() / 100 for _ in range(64 * 64)))
lines("temperature3d", (323 + 10 * random.random() for _ in range(64 * 64 * 8)))
lines("power3d", (random.random() / 100 for _ in range(64 * 64 * 8)))
nodes, degree = 2048, 6
with open("graph", "w") as out:
    out.write(f"{nodes}\n" + "".join(f"{degree * i} {degree}\n" for i in range(nodes)) + f"\n0\n\n{nodes * degree}\n")
    out.write("".join(f"{random.randrange(nodes)} {random.randrange(1, 10)}\n" for _ in range(nodes * degree)))
n = 16
with open("matrix", "w") as out:
    row = lambda: " ".join(f"{random.random() + .1:.3f}" for _ in range(n)) + "\n"
    out.write(f"{n}\n\n" + "".join(row() for _ in range(n)) + "\n" + row() + "\n" + row())
keys = random.sample(range(100000), 3000)
lines("numbers", (f"{random.random():.6f}" for _ in range(20000)))
lines("points", (f"{i} " + " ".join(f"{10 * random.randrange(5) + random.random():.3f}" for _ in range(8)) for i in range(500)))
open("keys", "w").write(f"{len(keys)}\n" + "".join(f"{key}\n" for key in keys))
open("commands", "w").write("j 100 6 100\nk 200\n")
with open("hurricanes", "w") as out:
    for _ in range(640):
        out.write(f"1967 9 11 0 1 AAAAAA   {random.uniform(7, 63):5.1f} {random.uniform(0, 359):5.1f} {random.randrange(10, 160):3d} {random.randrange(1000):4d}\n"[:48] + "\n")
os.makedirs("../../data/dwt2d", exist_ok=True) # dwt2d reads it there, as rows of three bytes
open("../../data/dwt2d/image.bmp", "wb").write(bytes(random.randrange(256) for _ in range(3 * 64 * 64)))
open("hurricanes.list", "w").write("hurricanes\n")
with open("bytes", "wb") as out: out.write(bytes(min(255, int(random.expovariate(.05))) for _ in range(1 << 16)))
cells = 256
with open("cells", "w") as out:
    out.write(f"{cells}\n")
    for i in range(cells):
        out.write("0.5 " + " ".join(f"{random.randrange(cells)} {random.random():.4f} {random.random():.4f} {random.random():.4f}" for _ in range(4)) + "\n")
P

# CUDA 13 removed fields of the device properties; constants replace them.
copy=$built/source
rm -rf "$copy" && mkdir -p "$copy" && cp -r "$root/cuda" "$root/common" "$copy/"
grep -rlE 'clockRate|deviceOverlap' "$copy/cuda" | xargs sed -i -E 's/[A-Za-z_]+\.clockRate/1/g; s/[A-Za-z_]+\. ?deviceOverlap/1/g'
# A function of lud ends without returning its value, which is undefined behavior in C++.
sed -i 's/^  free(tmp);$/  free(tmp); return RET_SUCCESS;/' "$copy/cuda/lud/common/common.c"
# kmeans names its constant by a string, which CUDA reads as an address since version 5. It also selects a second GPU.
sed -i 's/cudaMemcpyToSymbol("c_clusters"/cudaMemcpyToSymbol(c_clusters/; s/cudaSetDevice(1)/cudaSetDevice(0)/' "$copy/cuda/kmeans/kmeans_cuda.cu"
samples=$(sources NVIDIA/cuda-samples v13.0) || exit 1 # for their helper_cuda.h

# NAME FOLDER SOURCES | FLAGS | ARGUMENTS
programs='
b+tree b+tree main.c kernel/kernel_gpu_cuda_wrapper.cu kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c util/num/num.c util/cuda/cuda.cu | -I. | file keys command commands
backprop backprop backprop.c facetrain.c imagenet.c backprop_cuda.cu | | 1024
bfs bfs bfs.cu | | graph
euler3d cfd euler3d.cu | -Dblock_length=64 | cells
euler3d_double cfd euler3d_double.cu | -Dblock_length=64 | cells
pre_euler3d cfd pre_euler3d.cu | -Dblock_length=64 | cells
dwt2d dwt2d main.cu dwt.cu components.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/common.cu dwt_cuda/rdwt97.cu dwt_cuda/rdwt53.cu | -I. | image.bmp -d 64x64 -f -5 -l 2
gaussian gaussian gaussian.cu | | -s 24
gaussian-file gaussian gaussian.cu | | -f matrix
hotspot hotspot hotspot.cu | | 64 2 2 temperature power hotspot.out
hotspot3D hotspot3D 3D.cu | | 64 8 4 power3d temperature3d hotspot3D.out
huffman huffman main_test_cu.cu vlc_kernel_sm64huff.cu scan.cu pack_kernels.cu cpuencode.cpp stats_logger.cpp | -DTESTING -I. | bytes
lavaMD lavaMD main.c util/num/num.c util/timer/timer.c util/device/device.cu kernel/kernel_gpu_cuda_wrapper.cu | -I. | -boxes1d 2
lud lud/cuda lud.cu lud_kernel.cu ../common/common.c | -I../common -Xcompiler -O0 | -s 64 -v
myocyte myocyte main.cu | | 2 1 0
nn nn nn_cuda.cu | | hurricanes.list -r 5 -lat 30 -lng 90
nw nw needle.cu | | 64 10
particlefilter_float particlefilter ex_particle_CUDA_float_seq.cu | | -x 32 -y 32 -z 3 -np 128
particlefilter_naive particlefilter ex_particle_CUDA_naive_seq.cu | | -x 32 -y 32 -z 3 -np 128
pathfinder pathfinder pathfinder.cu | | 1024 20 5
srad_v1 srad/srad_v1 main.cu | | 2 0.5 16 16
srad_v2 srad/srad_v2 srad.cu | | 64 64 0 15 0 15 0.5 2
streamcluster streamcluster streamcluster_cuda_cpu.cpp streamcluster_cuda.cu | | 10 20 16 512 512 100 none streamcluster.out 1
'
while IFS='|' read -r what flags arguments; do
    read -ra words <<< "$what"
    [ ${#words[@]} -gt 0 ] || continue
    name=${words[0]}
    wanted "$name" || continue
    read -ra flags <<< "$flags"
    read -ra arguments <<< "$arguments"
    cd "$copy/cuda/${words[1]}" || exit 1
    compile "$name" "$built/$name" -DcudaThreadSynchronize=cudaDeviceSynchronize -DcudaThreadExit=cudaDeviceReset -include sys/time.h \
        -include string.h -Xcompiler -fcommon -Xcompiler -fopenmp -I"$samples/Common" "${flags[@]}" "${words[@]:2}"
    good=$?
    cd - > /dev/null || exit 1
    if [ $good != 0 ]; then row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"; continue; fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    (cd "$built" && attempt "$name" "./$name" "${arguments[@]}")
done <<< "$programs"
# Programs with texture references.
old='
hybridsort bucketsort.cu mergesort.cu main.cu | -DVERIFY -DTIMER | numbers
kmeans cluster.c getopt.c kmeans.c kmeans_clustering.c kmeans_cuda.cu rmse.c | -lm | -o -i points
'
while IFS='|' read -r what flags arguments; do
    read -ra words <<< "$what"
    [ ${#words[@]} -gt 0 ] || continue
    name=${words[0]}
    wanted "$name" || continue
    if [ -z "${OLD_NVCC:-}" ]; then row "$name" skipped "texture references, which need an nvcc of CUDA 11 (OLD_NVCC)"; continue; fi
    read -ra flags <<< "$flags"
    read -ra arguments <<< "$arguments"
    cd "$copy/cuda/$name" || exit 1
    NVCC=$OLD_NVCC libraries=$work/link ARCHITECTURE=80 compile "$name" "$built/$name" -DcudaThreadSynchronize=cudaDeviceSynchronize -Xcompiler -fcommon -Xcompiler -fpermissive \
        -I"$samples/Common" "${words[@]:1}" "${flags[@]}"
    good=$?
    cd - > /dev/null || exit 1
    if [ $good != 0 ]; then row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"; continue; fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    (cd "$built" && attempt "$name" "./$name" "${arguments[@]}")
done <<< "$old"
wanted mummergpu && row mummergpu skipped "ends in its own host code before it calls CUDA"
for name in heartwall leukocyte; do wanted $name && row $name skipped "its film is not in the repository"; done
summary
