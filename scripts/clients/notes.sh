#!/usr/bin/env bash
# Compiles the course notes' programs as people do (`nvcc notes.cu`) and runs each as it is, checked, and profiled, on the emulator's driver.
#
# Usage, in the repository: scripts/clients/notes.sh; `programs.bash` lists the environment variables.
cd "$(dirname "$0")/../.." || exit 1
suite=notes
. scripts/clients/programs.bash
for file in crates/cuda-programs/driver/tests/notes/*.cu; do
    name=$(basename "$file" .cu)
    wanted "$name" || continue
    if [ ! -e "$built/$name" ] && ! "$NVCC" -arch=sm_90 -lineinfo -o "$built/$name" "$file" -L"$libraries" > "$logs/$name.build" 2>&1; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"
        continue
    fi
    for mode in plain check profile; do EXEC=--$mode attempt "$name-$mode" "$built/$name"; done
done
summary
