#!/usr/bin/env bash
# Looks at the report in a headless browser; installs playwright-core beside the test, and Chromium where apt can.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so no browser looked at the report"; exit 0; }
here=crates/laboratory/pages/tests/browser
[ -d $here/node_modules/playwright-core ] ||
    npm install --prefix $here --no-package-lock --no-audit --no-fund --silent ||
    { echo "SKIPPED: playwright-core cannot be installed, so no browser looked at the report"; exit 0; }
if [ -z "${LANEWORK_BROWSER:-}" ] && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null 2>&1 || true
fi
cargo test --quiet -p lanework-pages --test it browser -- --nocapture
