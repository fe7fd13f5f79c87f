#!/bin/sh
# Several writers, full disks and signals: what stands under a name is always one whole file, the old one or the new one.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${MAKE_FILES:?the program that makes files}"

printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,40] x) => (float[1,40] y) <float[40,40] w = {%s}> { y = MatMul (x, w) }' \
  "$(seq -s, 1 1600)" | "$WRITE_MODEL" in/m.onnx
"$MAKE_FILES" npy in/x.npy 4,40 1
set -- quantize in/m.onnx --quiet --data in/x.npy --accept-broken
accepts "one model" "$@" --calibrator max -o in/a.onnx
accepts "another" "$@" --calibrator max --target onnxruntime -o in/b.onnx
cmp -s in/a.onnx in/b.onnx && fail "both models are the same"
whole() { # SENTENCE: out/m.onnx is one of the two
  cmp -s out/m.onnx in/a.onnx || cmp -s out/m.onnx in/b.onnx || fail "$1: out/m.onnx is neither model"
}
write_a() { "$DETENT" quantize in/m.onnx --quiet --data in/x.npy --accept-broken --calibrator max -o out/m.onnx "$@" >/dev/null 2>&1; }
write_b() { write_a --target onnxruntime "$@"; }

# Two at a time: with --overwrite the later one stays, without it the earlier one.
for i in 1 2 3 4 5 6; do
  cases=$((cases + 1))
  write_a --overwrite & one=$!
  write_b --overwrite & two=$!
  wait $one || fail "two writers: the first failed"
  wait $two || fail "two writers: the second failed"
  whole "two writers"
  [ "$(ls -A out)" = m.onnx ] || fail "two writers left: $(ls -A out)"
  rm out/m.onnx
  write_a & one=$!
  write_b & two=$!
  codes=0
  wait $one || codes=$((codes + $?))
  wait $two || codes=$((codes + $?))
  [ $codes -eq 15 ] || fail "two writers without --overwrite: exit codes add to $codes, expected 0 and 15"
  whole "two writers without --overwrite"
  [ "$(ls -A out)" = m.onnx ] || fail "two writers without --overwrite left: $(ls -A out)"
  rm out/m.onnx
done

# kill -9 at seeded instants over the time that a writer takes.
write_a
begin=$(date +%s%N)
write_b --overwrite
took=$((($(date +%s%N) - begin) / 1000))
for part in $(awk -v took=$took 'BEGIN { srand(19); for (i = 0; i < 40; ++i) printf "%.4f ", rand() * 1.1 * took / 1e6 }'); do
  cases=$((cases + 1))
  write_b --overwrite & writer=$!
  sleep "$part"
  kill -KILL $writer 2>/dev/null
  wait $writer 2>/dev/null
  whole "kill -9 after $part s"
done
others=$(ls -A out | grep -v -e '^m\.onnx$' -e '^\.m\.onnx\.[0-9a-f]*-[0-9a-f]*\.tmp$')
[ -z "$others" ] || fail "kill -9 left other files: $others"
rm -rf out/m.onnx out/.m.onnx.*

# A disk that takes 1 kB and no more: one line, exit 15, the old file as it was and nothing beside it.
full() { # SENTENCE FILE ARG...
  sentence=$1 file=$2
  shift 2
  cases=$((cases + 1))
  for old in none some; do
    rm -rf out/*
    [ $old = none ] || { mkdir -p "$(dirname "$file")" && echo precious >"$file"; }
    ls -AR out >listing
    code=0
    (ulimit -f 1 && exec "$DETENT" "$@" --overwrite 2>stderr >/dev/null) || code=$?
    [ $code -eq 15 ] || fail "$sentence: exit $code, expected 15"
    says "$sentence" 'File too large'
    [ $old = none ] || [ "$(cat "$file")" = precious ] || fail "$sentence: the old file was changed"
    [ $old = none ] || ls -AR out | cmp -s - listing || fail "$sentence left: $(ls -AR out)"
    [ -z "$(find out -name '*.tmp')" ] || fail "$sentence left a temporary file"
  done
  rm -rf out/*
}
accepts "a table" calibrate in/m.onnx --quiet --data in/x.npy -o in/t.dct
"$MAKE_FILES" npy in/many.npy 40,40 1
full "quantize on a full disk" out/m.onnx "$@" -o out/m.onnx
full "cast on a full disk" out/m.onnx cast in/m.onnx --quiet --data in/x.npy --float-type fp16 -o out/m.onnx
full "calibrate on a full disk" out/t.dct calibrate in/m.onnx --quiet --data in/x.npy -o out/t.dct
full "merge on a full disk" out/t.dct merge in/t.dct -o out/t.dct
full "run on a full disk" out/run/y.npy run in/m.onnx --quiet --data in/many.npy -o out/run
full "a JSON report on a full disk" out/p.json plan in/m.onnx --json=out/p.json
full "a page on a full disk" out/p.html plan in/m.onnx --html out/p.html
rm -rf out/*
if [ -e /dev/full ]; then
  run inspect in/m.onnx
  "$DETENT" plan in/m.onnx >/dev/full 2>stderr
  code=$?
  [ $code -eq 15 ] || fail "standard output on a full disk: exit $code, expected 15"
  says "standard output on a full disk" 'standard output cannot be written'
fi

# SIGTERM and SIGHUP are obeyed like Ctrl-C, wherever they come.
awk 'BEGIN { printf "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1,4] v0) => (float[1,4] v60000) {"
  for (i = 0; i < 60000; ++i) printf " v%d = Relu (v%d)", i + 1, i; print " }" }' | "$WRITE_MODEL" in/long.onnx
for signal in TERM HUP; do
  for command in plan inspect lint "quantize --data random:normal,n=100000 --quiet -o out/m.onnx" \
    "run --data random:normal,n=100000 --quiet -o out/run"; do
    for after in 0.1 0.5 1; do
      cases=$((cases + 1))
      # shellcheck disable=SC2086
      "$DETENT" $command in/long.onnx >stdout 2>stderr </dev/null & pid=$!
      sleep $after
      kill -$signal $pid 2>/dev/null || { wait $pid; continue; } # it was done before
      begin=$(date +%s%N)
      code=0
      wait $pid || code=$?
      took=$((($(date +%s%N) - begin) / 1000000))
      # Before the program has begun, the system's own way; and what was about to end may be done.
      [ $code -eq 130 ] || [ $code -eq 0 ] || { [ $after = 0.1 ] && [ $code -gt 128 ]; } || fail "SIG$signal after $after s in $command: exit $code, expected 130"
      [ $took -le 2000 ] || fail "SIG$signal after $after s in $command: it went on for $took ms"
      [ -z "$(find out -type f)" ] || fail "SIG$signal in $command left $(find out -type f)"
      rm -rf out/*
    done
  done
done
finish
