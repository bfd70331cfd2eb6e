#!/usr/bin/env bash
# Runs examples of NVIDIA's CuTe DSL and tests of quack, whose kernels use it, on the emulator's driver: no GPU is needed. CuTe DSL hands the
# driver machine code; `lanework exec` makes it add line information, and with it the PTX, which the driver runs instead. `lanework.torch` computes the references.
#
# Usage, in the repository: scripts/clients/cute.sh [NAME]..., names of the rows below. `python.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
client=cute
. scripts/clients/python.bash
packages torch==2.15.0 nvidia-cutlass-dsl==4.8.1 quack-kernels==0.6.5 numpy==2.5.5 pytest==9.2.0 pytest-timeout
modules
examples=$(sources NVIDIA/cutlass 7107b0553)/examples/python/CuTeDSL/cute
quack=$(sources Dao-AILab/quack c8ec3170057987da0ec99883736f381ea1937cf3)/tests
wanted=" $* "

# example NAME FILE ARGUMENTS...: an example compares its result itself.
example() {
    local name=$1 file=$2 code
    shift 2
    [[ "$wanted" == "  " || "$wanted" == *" $name "* ]] || return
    timeout --kill-after=5 "${SECONDS_EACH:-300}" "$LANEWORK" exec ${EXEC:---plain} -- "$python" -m lanework.torch "$examples/$file" "$@" > "$folder/$name.log" 2>&1
    code=$?
    [ $code -eq 0 ] && echo "$name: passed" || echo "$name: exit code $code: $(grep -aE '^[A-Za-z.]*(Error|Exception)|^lanework' "$folder/$name.log" | tail -1 | cut -c1-200)"
}

# quack NAME ARGUMENTS...
quack() {
    local name=$1
    shift
    [[ "$wanted" == "  " || "$wanted" == *" $name "* ]] || return
    (cd "$quack" && tests "$name" -p lanework.torch "$@")
}

once="--warmup_iterations 0 --iterations 1"
example elementwise-add ampere/kernel/elementwise/elementwise_add.py --M 128 --N 256
example elementwise-apply ampere/kernel/elementwise/elementwise_apply.py --M 128 --N 256 --op add
example sgemm ampere/kernel/dense_gemm/sgemm.py --mnk 128,128,32 $once
example tensorop-gemm ampere/kernel/dense_gemm/tensorop_gemm.py --mnkl 128,128,64,1 $once
example attention ampere/kernel/attention/flash_attention_v2.py --batch_size 1 --seqlen_q 128 --seqlen_k 128 --num_head 1 $once
example hopper-gemm hopper/kernel/dense_gemm/dense_gemm.py --mnkl 128,128,64,1 $once
example hopper-gemm-persistent hopper/kernel/dense_gemm/dense_gemm_persistent.py --mnkl 256,128,64,1 $once
example hopper-attention hopper/kernel/attention/fmha.py --q_shape 1,128,1,64 --k_shape 1,128,1,64 $once
example hopper-grouped-gemm hopper/kernel/grouped_gemm/grouped_gemm.py $once
example cta-norm hopper/kernel/cta_norm/cta_norm.py --M 4 --N 1024 $once
quack quack-softmax test_softmax.py -k "False-1-192 or False-1-1024 or False-199-192"
