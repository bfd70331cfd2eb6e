#!/usr/bin/env bash
# Builds the page of the lab: a folder of static files, target/page. It has two WebAssembly modules of the same code: one for every browser
# with SIMD, and one with relaxed SIMD and tail calls, which the page prefers where the processor fuses multiply-adds.
#
# Usage, in the repository: scripts/page.sh [OUT]
# LANEWORK_PAGE_MODULES=fused builds only the second module, which is then both: for tests in a new browser.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/page}
page=crates/bindings/web/page
target=wasm32-wasip1
if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" 2>/dev/null; then
    echo "SKIPPED: rustup cannot install $target, so the page was not built"
    exit 0
fi
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so the page was not built"; exit 0; }
if [ ! -d $page/node_modules/esbuild ] && ! npm install --prefix $page --no-package-lock --no-audit --no-fund --silent; then
    echo "SKIPPED: the editor's packages cannot be installed, so the page was not built"
    exit 0
fi

features=+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint
module() { # FOLDER, FEATURES
    RUSTFLAGS="-C target-feature=$2 -C link-arg=-zstack-size=16777216" cargo build --quiet --locked --profile web --target "$target" --target-dir "target/wasm/$1" -p lanework-web --lib
}
module fused "$features,+relaxed-simd,+tail-call"
fused=target/wasm/fused/$target/web/lanework_web.wasm
plain=$fused
if [ "${LANEWORK_PAGE_MODULES:-both}" = both ]; then
    module plain "$features"
    plain=target/wasm/plain/$target/web/lanework_web.wasm
fi
node $page/build.mjs "$out" "$plain" "$fused"
echo "$out: $(du -sk "$out" | cut -f1) KiB; compressed, with one module: $(cat "$out"/*.js "$out"/*.html "$out"/*.css "$out"/*.json "$out"/lanework-fused.wasm | gzip -9 | wc -c | awk '{printf "%.2f", $1 / 1048576}') MiB"
