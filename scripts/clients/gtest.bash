# What the scripts of suites with GoogleTest share, after `programs.bash`: work in the background, and the number of cases.

# background COMMAND...: runs it beside at most JOBS others.
: > "$logs/cases.tsv"
background() {
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n; done
    "$@" &
}

# attempt_gtest NAME COMMAND...: as `attempt`, with the names of the cases that failed and the numbers of cases.
attempt_gtest() {
    local name=$1 log=$logs/$1.txt code began=$EPOCHSECONDS passed failed skipped
    shift
    LANEWORK_TRACE=1 LD_LIBRARY_PATH=$work/link:$libraries:${LD_LIBRARY_PATH:-} \
        timeout --kill-after=5 "${SECONDS_EACH:-60}" "$LANEWORK" exec ${EXEC:---plain} -- "$@" > "$log" 2> "$log.err" < /dev/null
    code=$?
    passed=$(grep -ac '^\[       OK ' "$log")
    failed=$(grep -aoE '^\[  FAILED  \] [^ ,]+ \(' "$log" | awk '{ print $4 }' | sort -u)
    skipped=$(grep -ac '^\[  SKIPPED \] .* (' "$log")
    printf '%s\t%s\t%s\t%s\n' "$name" "$passed" "$(grep -c . <<< "$failed")" "$skipped" >> "$logs/cases.tsv"
    local said
    said=$(grep -ahE '^lanework: ' "$log.err" | grep -avE '^lanework: cu\w+ = |is not a function|private (driver )?table|is a stand-in' | head -1 | cut -c11-160)
    [ -n "$said" ] || said=$(grep -ahE 'error|terminate|what\(\)' "$log" "$log.err" | grep -av '^lanework: cu' | head -1 | cut -c1-130)
    if [ $code -eq 0 ]; then row "$name" passed "$passed cases, $skipped skipped, $((EPOCHSECONDS - began)) s"
    elif [ $code -eq 124 ] || [ $code -eq 137 ]; then
        row "$name" slow "over ${SECONDS_EACH:-60} s in $(grep -a '^\[ RUN' "$log" | tail -1 | awk '{ print $4 }'), after $passed cases; failed: $(tr '\n' ' ' <<< "$failed")"
    elif [ -z "$failed" ]; then row "$name" failed "exit $code in $(grep -a '^\[ RUN' "$log" | tail -1 | awk '{ print $4 }'), after $passed cases; $said"
    else row "$name" failed "$passed cases passed; failed: $(tr '\n' ' ' <<< "$failed"); $said"; fi
}

# cases: prints the numbers of cases of all programs.
cases() {
    awk -F'\t' '{ p += $2; f += $3; s += $4 } END { printf "cases: %d passed, %d failed, %d skipped\n", p, f, s }' "$logs/cases.tsv"
}
