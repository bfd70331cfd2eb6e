#!/usr/bin/env bash
# Measures every ladder on the GPU of this machine and writes the report: times, counts, sweeps, the roofline.
#   scripts/measure.sh FOLDER [SECONDS]
# FOLDER gets report.html, the JSON of each part, and history.sqlite with every sample; SECONDS is the longest time of
# sampling one rung [default: 2]. LANEWORK names the command [default: lanework].
set -euo pipefail
out=${1:?give a folder for the results}
limit=${2:-2}
lanework=${LANEWORK:-lanework}
mkdir -p "$out"
store=(--store "$out/history.sqlite")
"$lanework" roofline --time-limit "$limit" --json > "$out/roofline.json"
"$lanework" climb --all --device cuda:0 --time-limit "$limit" "${store[@]}" --json > "$out/times.json"
"$lanework" climb --all --device emulator --json > "$out/counts.json"
"$lanework" sweep transpose --size '512..16384*2' --block 8,16,32 --device cuda:0 --time-limit 0.5 "${store[@]}" \
    --json > "$out/sweep-transpose.json"
"$lanework" sweep sgemm --size '512..4096*2' --rungs shared,tile-2d,vectorized,double-buffered,fitted,cublas \
    --device cuda:0 --time-limit 0.5 "${store[@]}" --json > "$out/sweep-sgemm.json"
"$lanework" bench transpose/swizzled --size 8192 --cache both --device cuda:0 --time-limit "$limit" "${store[@]}"
"$lanework" report --from "$out"/{roofline,times,counts,sweep-transpose,sweep-sgemm}.json -o "$out/report.html"
