#!/usr/bin/env bash
# Builds programs of HeCBench that make their own inputs, and runs them with small problems on the emulator's driver. Many compare with the
# host and print FAIL where they differ.
#
# Usage, in the repository: scripts/clients/hecbench.sh; `programs.bash` lists the environment variables.
cd "$(dirname "$0")/../.." || exit 1
suite=hecbench
. scripts/clients/programs.bash
root=$(sources zjin-lcf/HeCBench "${REVISION:-f27000a5188f8ac79bd43fc95a1b3f890c18823d}") || exit 1

programs='
accuracy 256 32 10 1
adam 1000 20 1
adamw 1000 1
addBiasResidualLayerNorm 1
adjacent 10000 1
adv 7 15 20 1
aidw 1 1 1
all-pairs-distance 1
aobench 1
asmooth 64 20 9 1
assert
asta -w 0 -r 1 -m 64 -n 64
atan2 10000 1
atomicAggregate 1
atomicCAS 1
atomicCost 16 1
atomicIntrinsics 12 1
atomicPerf 1
atomicSystemWide 1
attention 256 64 3 1
attention-paged 1 4 128 64 16 1
attentionMergeState 16 4 64 1
attentionMultiHead 1
axpby 1
background-subtract 64 64 1 3
base64e
bezier-surface -n 32
bh 256 1
bilateral 64 64 0.5 0.5 1
bincount 10000 1
bitonic-sort 10 2
bitpermute 1
blas-gemm 79 91 83 1
blockAccess 64 64 1
blockexchange 64 64 1
blockScan 4096 1
bscan 1
bsearch 4096 1
bspline-vgh
burger 64 64 2
bwt 1000
car 1
cbsfil 64 64 1
ccsd-trpdrv 8 16 1
chacha20 1
channelShuffle 2 16 16 1
channelSum 16 16 1
che 1
chi2 40 400 20 20 64 1
clock
cmembench 1
cobahh 1000 1
collision 1
colorwheel 10 64 1
complex 10000 1
compute-score -p=1
concat 1
concurrentKernels 4
contract 8 1
conversion 4096 1
convolution1D 4096 1
convolution3D 2 1 6 16 16 5 1
convolutionSeparable 256 256 1
cooling 1000 1
coordinates 10000 1
crc64 1 5 26000000
cross 1000 1
crossEntropy 1
crs 1 1
d3q19-bgk 8
damage 10000 1
dct8x8 64 64 1
debayer 64 64 1
dense-embedding 2000 16 1
depixel 32 32 1
dispatch
distort 64 64 0.001 1
doh 48 64 1
dp4a 4096 1
dpid 64 48 0.5 1
dropout 4096 1
dwconv 1 4 16 16 1
ecdh 1000 1
eigenvalue 64 1
entropy 64 64 1
epistasis 16 64 1
expdist 64 1
extrema 1
f16atomic 1024 1
f16max 1
f8cast 4096 1
fdtd3d --dimx=96 --dimy=96 --timesteps=2
fft 1 1
fhd 100 256 0
filter 10000 256 1
flame 1
flip 3 16 1
floydwarshall 64 1 16
fluidSim 2
fma 64 64 65 64 1
fpc 256 1
fsm 256
fwt 1
ga 1000 100 11 1
gabor 64 64 1
gamma-correction 64 64 16 1
gaussian -q -t -s 64
geam 64 64 1
gelu 1 16 64 1
glu 1 16 1
goulash 1 1
graphExecution
groupnorm 2 4 8 8 2 1
gru 16 32 1
haccmk 1
hadamard 64 1
heat 64 2
heat2d 64 64 2
hellinger 1
histogram --i=1
hmm
hwt1d 4096 1
idivide 1
interleave 1
intrinsics-cast 1000 1
intrinsics-simd 1000 1
is 16 16 16
ising -x 64 -y 64 -w 1 -n 1
iso2dfd 64 64 2
jaccard 64 32 1
jacobi
jenkins-hash 256 4096 1
kalman 10 10 3 1
keogh 16 1000 1
kernelLaunch 10
kiss 1
kurtosis 10000 1
langevin 4096 1
laplace3d 32 32 32 2 1
lavaMD -boxes1d 2
layernorm 1 16 64 1
layout 1
lif 100 4 10
logprob 4 2 100 1
lombscargle 1
loopback 0 1
lud -s 64
mandelbrot 1
mask 16 16 16 1
matern 16 1
matrix-rotate 64 1
matrixT 64 64 1
maxpool3d 32 32 2 1
md 1 1
memtest 1
merge 1000 1
mergeVS 1
michalewicz 1000 1
minisweep --niterations 1 --ncell_x 4 --ncell_y 4
minkowski 1
minmax 1000 1
mixbench 64 1
moe 64 16 1 1
moe-align 10
moe-sum 16 64 1
morphology 3 3 64 64 1
mr 1
mrc 1000 1
mrg32k3a 1000 1
mtf 16 1
multinomial 64 16 1
murmurhash3 1000 1
mxfp4 4096 1
nbody 64 3
ne 64 64 1
nlll 16 16 1
nonzero 32 32 1
nosync 4096 1
nqueen 8 3 1
ntt 1
nw 64 10 1
overlap
overlay 640 480
p4 1
pad -a 0.1
page-rank -n 100 -i 2
particle-diffusion 10 1
pathfinder 1000 20 5
perlin
permute 1 1
perplexity 100 5 1
phmm 1
pnpoly 1
pointwise 2 1 16 4 1
pool 1 2 16 16 4 4 1
popcount 4096 1
present 100 1
projectile 1
pso 3 10
qem 1
qrg 10
quantBnB 4096 1
quantVLLM 4 64 1
quicksort 1 64 64
randomAccess 1
relu 1000 1
remap 1000 1
reshapeKVCache 4 4 16 1
resize 32 32 16 16 16 1
reverse 1
reverse2D 64 64 1
rfs 1 1000
ring 1 1024 1
rmsnorm 4 64 1
rodrigues 1000 1
romberg 128 64 1
rotary 1
rowwiseMoments 2 4 8 8 2 1
rushlarsen 1 100
s8n 16 32 1
scan 4096 1
scan2 1 4096 256
scan3 1 4096
scatter 1000 1
scatterAdd 1000 4 16 1
scel 16 64 1
secp256k1 1
segment-reduce 16 1
shuffle 100 1
silu 1 2 16 16 1
simplemoc -s 100 -e 8 -n 1
simpleSpmv 1024 64 1
sobol 1000 10 1
softmax 100 64 1 1
softmax-fused 1 1 64 64 1
softmax-online 1
sortKV 1000 1
split 4096 1
spm 8 1
stddev 64 16 1
stencil1d 4096 1
stencil3d 16 1
su3 -i 1 -l 4 -t 128 -v 3 -w 1
surfel 64 64 48 1
tensorAccessor 16 16 1
tensorT 1
thomas 16 32 16 1
threadfence 1 4096
tissue 8 1
tsa 32 32 1
upsample 1 4 8 8 1
vadd 256 256 1
vanGenuchten 8 8 8 1
vote 1
warpexchange 64 64 1
wedford 4 16 64 1
wlcpow 1
wmma 0 16 16 16 1 1
wyllie 1000 1 1
zerocopy 1
zeropoint 1000 1
zoom 1 3 32 32 1
'
while read -r name given; do
    [ -n "$name" ] && wanted "$name" || continue
    folder=$root/src/$name-cuda
    here=$built/$name
    if [ ! -e "$here" ]; then
        mapfile -t words < <(make --no-print-directory -pn -C "$folder" 2> /dev/null | sed -n -E 's/^(source|SOURCE|SRC|sources|cuda_source) :?= *//p' | tr ' ' '\n' | grep -E '\.(cu|cpp|c)$')
        mapfile -t flags < <(make --no-print-directory -pn -C "$folder" 2> /dev/null | sed -n -E 's/^CFLAGS :?= *//p' | head -1 | grep -oE -- '-[ID][^ ]+|--extended-lambda|-rdc=true|-dc')
        # Device code in several files.
        grep -qE -- '(-dc|-rdc=true)\b' "$folder/Makefile" && flags+=(-rdc=true)
        mapfile -t libraries_used < <(grep -ohE -- '-l(cublas|curand|cufft|cuda)\b' "$folder/Makefile" | sort -u)
        cd "$folder" || exit 1
        compile "$name" "$here" --extended-lambda --expt-relaxed-constexpr "${flags[@]/-dc/-rdc=true}" -Xcompiler -fopenmp "${words[@]}" "${libraries_used[@]}"
        good=$?
        cd - > /dev/null || exit 1
        if [ $good != 0 ]; then row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"; continue; fi
    fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    read -ra given <<< "$given"
    (cd "$folder" && attempt "$name" "$here" "${given[@]}")
done <<< "$programs"
summary
