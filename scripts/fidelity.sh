#!/bin/sh
# Counts the launches of `lanework-lab fidelity` with Nsight Compute on this machine's GPU.
#
# Usage, in the repository: scripts/fidelity.sh LANEWORK FOLDER
# LANEWORK is the command. The script writes to FOLDER, for the ladders and compiled kernels, for the probes
# and for the sweep, a list of the launches (.txt) and the counters (.csv). Then, in the repository:
#   lanework-lab fidelity --ncu FOLDER
set -u
lanework=$1
folder=$2
mkdir -p "$folder"

# The compared metrics, from the table of counters, and more that help to explain differences.
bases="
$("$lanework" fidelity --metrics)
smsp__inst_executed
smsp__thread_inst_executed
smsp__inst_executed_op_shared_ld
smsp__inst_executed_op_shared_st
smsp__inst_executed_op_shared_atom
smsp__inst_executed_op_ldsm
smsp__inst_executed_op_ldgsts
l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass
l1tex__data_pipe_lsu_wavefronts_mem_shared
l1tex__data_bank_conflicts_pipe_lsu_mem_shared
caches:
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit
lts__t_sectors_srcunit_tex
lts__t_sectors_srcunit_tex_lookup_hit
lts__t_sectors_srcunit_tex_op_read
lts__t_sectors_srcunit_tex_op_read_lookup_hit
dram__bytes_read
dram__bytes_write
"

# Nsight Compute stops at a metric that its version does not know, so unknown metrics are left out.
ncu --query-metrics --chips gh100 > "$folder/known.txt" 2>&1
# metrics: all metrics. memory: the metrics of memory traffic, without those of the caches.
metrics=
memory=
for base in $bases; do
    if [ "$base" = caches: ]; then
        memory=$metrics
    elif ! grep -q "__" "$folder/known.txt" || grep -Eq "^$base[[:space:]]" "$folder/known.txt"; then
        metrics="$metrics,$base.sum"
    else
        echo "not known here: $base"
    fi
done

count() {
    name=$1
    wanted=$2
    shift 2
    ncu --metrics "${wanted#,}" --clock-control none --csv --page raw --print-units base \
        --log-file "$folder/$name.csv" \
        "$lanework" fidelity --launch cuda:0 "$@" > "$folder/$name.txt"
    echo "$name: $(wc -l < "$folder/$name.txt") launches, $(wc -l < "$folder/$name.csv") lines, exit $?"
}
count kernels "$metrics" --skip probe/,sweep/
count probes "$metrics" --only probe/
count sweep "$memory" --only sweep/
