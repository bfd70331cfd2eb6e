#!/usr/bin/env bash
# The documentation's site, docs/book: one book for each language, and a start page that leads to the one in the reader's language. If the page
# of the lab is built (scripts/page.sh), it becomes the site's folder `lab`, and the examples in CUDA C++ have links that open them there.
set -euo pipefail
cd "$(dirname "$0")/../docs"
rm -rf book
mdbook build en
mdbook build zh
cp theme/index.html book/index.html
if [ -f ../target/page/index.html ]; then cp -r ../target/page book/lab; fi
