#!/bin/sh
# Several writers, full disks and signals: a name always has one whole file, the old one or the new one. nohup would
# ignore SIGHUP.
[ -n "${HEARS_SIGHUP-}" ] || HEARS_SIGHUP=1 exec env --default-signal=HUP "$0" "$@"
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
# write_a ARG..., write_b ARG...: in the background, as $pid.
write_a() { "$DETENT" quantize in/m.onnx --quiet --data in/x.npy --accept-broken --calibrator max -o out/m.onnx "$@" >stdout 2>stderr & pid=$!; }
write_b() { write_a --target onnxruntime "$@"; }

# Two at a time: with --overwrite the later one stays, without it the earlier one.
for i in 1 2 3 4 5 6; do
  cases=$((cases + 1))
  write_a --overwrite; one=$pid
  write_b --overwrite; two=$pid
  wait $one || fail "two writers: the first failed"
  wait $two || fail "two writers: the second failed"
  whole "two writers"
  [ "$(ls -A out)" = m.onnx ] || fail "two writers left: $(ls -A out)"
  rm out/m.onnx
  write_a; one=$pid
  write_b; two=$pid
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
ends "the first writer" 0
begin=$(date +%s%N)
write_b --overwrite
wait $pid || fail "a writer failed"
took=$((($(date +%s%N) - begin) / 1000))
for part in $(awk -v took=$took 'BEGIN { srand(19); for (i = 0; i < 40; ++i) printf "%.4f ", rand() * 1.1 * took / 1e6 }'); do
  cases=$((cases + 1))
  write_b --overwrite
  sleep "$part"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  clear_up_behind $pid
  whole "kill -9 after $part s"
done
others=$(ls -A out | grep -v -e '^m\.onnx$' -e '^\.m\.onnx\.[0-9a-f]*-[0-9a-f]*\.tmp$')
[ -z "$others" ] || fail "kill -9 left other files: $others"
rm -rf out/m.onnx out/.m.onnx.*
pid=

# A disk that takes 1 kB and no more: one line, exit 15, the old file unchanged and no other file.
full() { # SENTENCE FILE ARG...
  sentence=$1 file=$2
  shift 2
  cases=$((cases + 1))
  for old in none some; do
    rm -rf out/*
    [ $old = none ] || { mkdir -p "$(dirname "$file")" && echo precious >"$file"; }
    ls -AR out >listing
    (ulimit -f 1 && exec "$DETENT" "$@" --overwrite 2>stderr >/dev/null) & pid=$!
    ends "$sentence" 15
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

# SIGTERM and SIGHUP act like Ctrl-C at any time: while the model is read, and later. Printing commands do not end by
# themselves, because no process reads the pipe; running commands have samples without end.
awk 'BEGIN { printf "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1,4] v0) => (float[1,4] v30000) {"
  for (i = 0; i < 30000; ++i) printf " v%d = Relu (v%d)", i + 1, i; print " }" }' | "$WRITE_MODEL" in/long.onnx
mkfifo in/full
exec 3<>in/full
dd if=/dev/zero of=in/full bs=4096 oflag=nonblock 2>/dev/null # until it is full
stdout=in/full
for signal in TERM HUP; do
  for command in plan inspect lint "quantize --data $endless --threads 1 --quiet -o out/m.onnx" "run --data $endless --threads 1 --quiet -o out/run"; do
    for later in 0 0.2 0.6; do
      # shellcheck disable=SC2086
      begins $command in/long.onnx
      once "$command" obeys
      sleep $later
      kill -$signal $pid
      ends "SIG$signal $later s later in $command" 130
      [ -z "$(find out -type f)" ] || fail "SIG$signal in $command left $(find out -type f)"
      rm -rf out/*
    done
  done
done
unset stdout
finish
