#!/usr/bin/env bash
# Runs llama.cpp's CUDA backend, as it is distributed, on the emulator's driver. `test-backend-ops test` compares every operation with the
# CPU's: the script runs each case once, also the cases of fused operations, and prints a line for each operation. Then a small model
# generates text on both. The stand-in for cuBLAS computes matrix products.
#
# The libraries (whose fatbins hold PTX) and the sources of the same release come from the packages of node-llama-cpp; the test and the
# example are compiled against them with g++, so nothing is built by nvcc.
#
# Usage, in the repository: scripts/clients/llama.sh; `programs.bash` lists the environment variables: ONLY names operations (or `model`),
# SECONDS_EACH limits one case, SECONDS_ALL all of them, EVERY=N takes one case in N. A run continues where the last one stopped; to start
# over, remove target/clients/llama-results.tsv. PYTHON names a Python that has NumPy and `gguf`'s dependencies.
cd "$(dirname "$0")/../.." || exit 1
suite=llama
. scripts/clients/programs.bash
release=${REVISION:-3.22.1} # llama.cpp 0.5.0, ggml 0.25.1
root=$work/sources/llama-$release
if [ ! -d "$root/source" ]; then
    mkdir -p "$root" || exit 1
    (cd "$root" && npm pack --silent "@node-llama-cpp/linux-x64-cuda@$release" "node-llama-cpp@$release" > /dev/null \
        && tar xzf "node-llama-cpp-linux-x64-cuda-$release.tgz" package/bins \
        && tar xzf "node-llama-cpp-$release.tgz" package/llama/gitRelease.bundle \
        && git clone --quiet package/llama/gitRelease.bundle source 2> /dev/null && rm -- *.tgz) || { echo "cannot fetch llama.cpp" >&2; exit 1; }
fi
source=$root/source
libraries_of=$root/package/bins/linux-x64-cuda

# build NAME FILE: beside the libraries, which look for their backends there.
build() {
    [ -e "$libraries_of/$1" ] && return 0
    local file=$2
    [ -e "$file" ] || file=$source/$2
    g++ -std=c++17 -O1 -w -I"$source" -I"$source/tests" -I"$source/include" -I"$source/ggml/include" "$file" -o "$libraries_of/$1" "$libraries_of"/libllama-common.so \
        "$libraries_of"/libllama.*.so "$libraries_of"/libggml.*.so "$libraries_of"/libggml-base.so -pthread -Wl,-rpath,'$ORIGIN' \
        > "$logs/$1.build" 2>&1 || { row "$1" unbuilt "$(grep -m1 error "$logs/$1.build" | cut -c1-100)"; exit 1; }
}
build test-backend-ops tests/test-backend-ops.cpp
build llama-simple examples/simple/simple.cpp
build list-cases "$PWD/scripts/clients/llama_cases.cpp"
[ -n "${BUILD_ONLY:-}" ] && exit
cd "$libraries_of" || exit 1
# NVIDIA's runtime, as a shared library.
emulated() { LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} timeout --kill-after=5 "$@"; }

cases=$work/llama-cases.tsv results=$work/llama-results.tsv
emulated 120 "$LANEWORK" exec --plain -- ./list-cases > "$cases" 2> "$logs/cases.err" || { echo "no cases; see $logs/cases.err" >&2; exit 1; }
run=$OLDPWD/scripts/clients/llama_cases.py
[ "${ONLY:-}" = model ] || LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} timeout "${SECONDS_ALL:-86400}" python3 "$run" "$cases" "$results" \
    "${SECONDS_EACH:-600}" "$logs/cases.log" -- "$LANEWORK" exec ${EXEC:---plain} -- ./test-backend-ops test -b CUDA0
# Prints a line for each operation, from the latest result of each of its cases.
while IFS=$'\t' read -r name verdict reason; do
    wanted "$name" && row "$name" "$verdict" "$reason"
done < <(awk -F'\t' '
    { split($(NR == FNR ? 2 : 4), parts, "(") }
    NR == FNR { if ($1 == "yes") ++listed[parts[1]]; else listed[parts[1]] += 0; next }
    { name = $4; operation[name] = parts[1]; seconds[parts[1]] += $2; last[name] = $1
      if ($1 == "passed") passed[name] += $3; else worst[name] = $5 }
    END {
        for (name in operation) {
            o = operation[name]
            if (last[name] == "passed") good[o] += passed[name]
            else if (last[name] == "slow") ++slow[o]
            else { ++bad[o]; why[o] = name ": " last[name] " " worst[name] }
        }
        for (o in listed) {
            verdict = !listed[o] ? "none" : bad[o] ? "failed" : good[o] >= listed[o] ? "passed" : slow[o] ? "slow" : "partly"
            printf "%s\t%s\t%d of %d passed, %d slow, %d s%s\n", o, verdict, good[o], listed[o], slow[o], seconds[o], bad[o] ? "; " substr(why[o], 1, 100) : ""
        }
    }' "$cases" <(cat "$results" 2> /dev/null) | sort)

# The same tokens on the CPU, where no driver is found, and on the emulated GPU.
python=${PYTHON:-$work/llama/bin/python}
if wanted model; then
    if [ ! -x "$python" ]; then
        python3 -m venv "$work/llama" && "$work/llama/bin/pip" install --quiet gguf==0.19.0 || exit 1
    fi
    for kind in ${KINDS:-F16 Q4_0}; do
        model=$root/$kind.gguf
        [ -e "$model" ] || "$python" "$OLDPWD/scripts/clients/llama.py" "$source/models/ggml-vocab-llama-spm.gguf" "$model" "$kind" || exit 1
        say=(./llama-simple -m "$model" -n 24)
        on_cpu=$("${say[@]}" -ngl 0 'Once upon a time' 2> "$logs/model-$kind.cpu.err")
        on_gpu=$(emulated "${SECONDS_EACH:-600}" "$LANEWORK" exec ${EXEC:---plain} -- "${say[@]}" -ngl 99 'Once upon a time' 2> "$logs/model-$kind.err")
        on_gpu=$(grep -a . <<< "$on_gpu" | head -1) on_cpu=$(grep -a . <<< "$on_cpu" | head -1)
        if ! grep -aq 'CUDA0 model buffer size' "$logs/model-$kind.err"; then
            row "model-$kind" failed "its layers are not on the GPU; see $logs/model-$kind.err"
        elif [ -n "$on_cpu" ] && [ "$on_cpu" = "$on_gpu" ]; then row "model-$kind" passed "24 tokens as on the CPU"
        else row "model-$kind" failed "'${on_gpu:0:60}' where the CPU says '${on_cpu:0:60}'"; fi
    done
fi
summary
