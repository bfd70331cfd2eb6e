#!/usr/bin/env bash
# Looks at the report in a headless browser; installs playwright-core beside the test, and Chromium where apt can.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so no browser looked at the report"; exit 0; }
(cd crates/pages/tests/browser && [ -d node_modules/playwright-core ] ||
    npm install --no-package-lock --no-audit --no-fund --silent --prefix crates/pages/tests/browser) ||
    { echo "SKIPPED: playwright-core cannot be installed, so no browser looked at the report"; exit 0; }
if [ -z "${LANEWORK_BROWSER:-}" ] && ! command -v chromium chromium-browser google-chrome >/dev/null; then
    (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null 2>&1 || true
fi
cargo test --quiet -p lanework-pages --test browser -- --nocapture
