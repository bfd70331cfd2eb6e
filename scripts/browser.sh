#!/usr/bin/env bash
# Looks at the report and uses the page of the lab in a headless browser; installs playwright-core beside the tests, and Chromium where apt
# can.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so no browser looked at the report"; exit 0; }
report=crates/laboratory/pages/tests/browser
lab=crates/bindings/web/tests/browser
for here in $report $lab; do
    [ -d $here/node_modules/playwright-core ] ||
        npm install --prefix $here --no-package-lock --no-audit --no-fund --silent ||
        { echo "SKIPPED: playwright-core cannot be installed, so no browser looked at the report"; exit 0; }
done
if [ -z "${LANEWORK_BROWSER:-}" ] && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null 2>&1 || true
fi
cargo test --quiet -p lanework-pages --test it browser -- --nocapture

browser=${LANEWORK_BROWSER:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$browser" ] || { echo "SKIPPED: there is no Chromium, so no browser used the page of the lab"; exit 0; }
rm -rf target/page
LANEWORK_PAGE_MODULES=fused scripts/page.sh
if command -v mdbook >/dev/null; then scripts/book.sh >/dev/null 2>&1; else echo "SKIPPED: mdbook is not installed, so no link of the documentation was followed"; fi
# The script says why it built no page.
[ ! -f target/page/index.html ] || node $lab/check.mjs target/page "$browser"
