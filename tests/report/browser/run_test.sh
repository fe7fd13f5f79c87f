#!/bin/sh
# run_test.sh sample: writes the page, opens it in Chromium, or says what is missing and exits 77 (CTest: skipped).
# Environment: SAMPLE_PAGE (the program that writes it), ARTEFACTS (folder for the page and the screenshots),
# CHROMIUM (the browser; default: chromium, chromium-browser or google-chrome, whichever is there).
set -eu
cd "$(dirname "$0")"
skip() {
  echo "SKIPPED report.browser.$page: $1"
  exit 77
}
page=$1
command -v node >/dev/null || skip "Node.js is not installed"
for program in "${CHROMIUM-}" chromium chromium-browser google-chrome; do
  [ -n "$program" ] && command -v "$program" >/dev/null && break
  program=""
done
[ -n "$program" ] || skip "Chromium is not installed"

folder=$ARTEFACTS/$page
mkdir -p "$folder"
case "$page" in
  sample) "$SAMPLE_PAGE" "$folder/report.html" ;;
  *) echo "run_test.sh: no page named '$page'" >&2; exit 2 ;;
esac
CHROMIUM=$program exec node report.test.mjs "$folder/report.html" "$folder"
