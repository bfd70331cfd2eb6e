#!/usr/bin/env bash
# Builds the page of the lab: a folder of static files, target/page. It has three WebAssembly modules of the same code: one for every browser
# with SIMD; one with relaxed SIMD and tail calls, which the page prefers where the processor fuses multiply-adds; and one with threads
# besides, which it prefers if the browser lets it share memory.
#
# Usage, in the repository: scripts/page.sh [OUT]
# LANEWORK_PAGE_MODULES=fused leaves the first module out, and the second is then both: for tests in a new browser.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/page}
page=crates/bindings/web/page
for target in wasm32-wasip1 wasm32-wasip1-threads; do
    if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" 2>/dev/null; then
        echo "SKIPPED: rustup cannot install $target, so the page was not built"
        exit 0
    fi
done
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so the page was not built"; exit 0; }
if [ ! -d $page/node_modules/esbuild ] && ! npm install --prefix $page --no-package-lock --no-audit --no-fund --silent; then
    echo "SKIPPED: the editor's packages cannot be installed, so the page was not built"
    exit 0
fi

features=+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint
module() { # FOLDER, TARGET, FEATURES, LINKER'S ARGUMENTS
    RUSTFLAGS="-C target-feature=$3 -C link-arg=-zstack-size=16777216 ${4:-}" cargo build --quiet --locked --profile web --target "$2" --target-dir "target/wasm/$1" -p lanework-web --lib >&2
    echo "target/wasm/$1/$2/web/lanework_web.wasm"
}
fused=$(module fused wasm32-wasip1 "$features,+relaxed-simd,+tail-call")
threads=$(module threads wasm32-wasip1-threads "$features,+relaxed-simd,+tail-call" "-C link-arg=--max-memory=4294967296")
plain=$fused
[ "${LANEWORK_PAGE_MODULES:-both}" != both ] || plain=$(module plain wasm32-wasip1 "$features")
node $page/build.mjs "$out" "$plain" "$fused" "$threads"
echo "$out: $(du -sk "$out" | cut -f1) KiB; compressed, with one module: $(cat "$out"/*.js "$out"/*.html "$out"/*.css "$out"/*.json "$out"/lanework-threads.wasm | gzip -9 | wc -c | awk '{printf "%.2f", $1 / 1048576}') MiB"
