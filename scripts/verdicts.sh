#!/bin/bash
# Records the verdicts of NVIDIA's compute-sanitizer on each planted bug of the sanitizer's suite, on a
# machine with a GPU: `verdicts.sh PLANTED OUT`, with the program that `cargo build -p lanework --example
# planted` makes. Each kernel runs in a process of its own under each tool; OUT/verdicts.txt gets a line for
# each.
planted=$1 out=$2
logs=$(mktemp -d)
export planted logs
one() {
    name=$1 tool=$2
    log=$logs/$name.$tool
    options=
    [ "$tool" = racecheck ] && options="--racecheck-report all"
    # Kernels that never end are killed.
    # shellcheck disable=SC2086
    timeout -s KILL "${LIMIT:-20}" compute-sanitizer --tool "$tool" $options "$planted" "$name" >"$log" 2>&1
    code=$?
    summary=$(grep -E "SUMMARY" "$log" | tail -1 | sed 's/=* *//')
    first=$(grep -E "^=+ (Invalid|Uninitialized|Barrier|Error|Warning|Misaligned|Divergent|Address|Unused|Race)" "$log" | head -1 | sed 's/=* *//')
    [ $code -eq 137 ] && summary="timed out"
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$tool" "$code" "${summary:-no summary}" "${first:-}"
}
export -f one
# The tools that find the kinds of a kernel's bugs; a correct kernel is given to the tools most likely to
# report it.
tools() {
    case $1 in
    '') echo racecheck synccheck ;;
    *race* | *async*) echo racecheck ;;
    *barrier* | *deadlock* | *inactive*) echo synccheck ;;
    *uninit*) echo initcheck ;;
    *) echo memcheck ;;
    esac
}
"$planted" | while read -r name kinds; do
    for tool in $(tools "$kinds"); do echo "$name $tool"; done
done | xargs -P "${JOBS:-16}" -L 1 bash -c 'one "$@"' _ | sort >"$out/verdicts.txt"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/verdicts.head"
compute-sanitizer --version | head -3 >>"$out/verdicts.head"
tar czf "$out/verdicts-logs.tgz" -C "$logs" .
