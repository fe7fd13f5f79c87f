#!/bin/sh
# same_bytes_test.sh ROOT PROGRAM: a program writes the same as itself; the script finds one that changes a word of a
# text, a byte of a model, or an exit code.
set -eu
script=$1/scripts/same_bytes
samples=$1/datasets/samples
program=$2
QUICK=yes
LIMIT=1
TARGETS="tensorrt onnxruntime"
export QUICK LIMIT TARGETS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  cat "$work/out"
  failures=1
}

"$script" "$program" "$program" "$samples" >"$work/out" 2>&1 || fail "the program differs from itself"
grep -qE '^\| quantize \| [1-9][0-9]* \| 0 \|$' "$work/out" || fail "no row of quantize without differences"
grep -qE '^\| all, on [1-9][0-9]* models \| [1-9][0-9]{2,} \| 0 \|$' "$work/out" || fail "no sum over some hundred files"

cat >"$work/other" <<PROGRAM
#!/bin/sh
'$program' "\$@"
code=\$?
case "\$*" in
  *plan*--json*) echo more ;;
  *cache*export*) code=1; rm cache.export.cache ;;
  *quantize.unsigned*) printf x >>quantize.unsigned.onnx ;;
esac
exit \$code
PROGRAM
chmod +x "$work/other"
if "$script" "$program" "$work/other" "$samples" >"$work/out" 2>&1; then fail "another program passes"; fi
for text in '\| plan \| [0-9]+ \| 2 \|' 'differs: .*/plan.onnxruntime.json.txt' '\| quantize \| [0-9]+ \| 1 \|' \
  'differs: .*/quantize.unsigned.onnx \(.*\)' 'differs: .*/cache.export.code' \
  'only one of the two programs wrote .*/cache.export.cache'; do
  grep -qE "^$text\$" "$work/out" || fail "no line '$text'"
done

[ "$failures" -ne 0 ] || echo "same_bytes: all cases as expected"
exit "$failures"
