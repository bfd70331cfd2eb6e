#!/usr/bin/env bash
# The documentation's site, docs/book: one book for each language, and a start page that leads to the one in the reader's language.
set -euo pipefail
cd "$(dirname "$0")/../docs"
rm -rf book
mdbook build en
mdbook build zh
cp theme/index.html book/index.html
