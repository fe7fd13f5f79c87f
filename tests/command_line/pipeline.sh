#!/bin/sh
# Several files as one model: an encoder and a decoder that writes its own text, and a network that is cut in two.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

network enc "(float[batch, T, 8] audio) => (float[batch, T, 16] memory)" "
  $(weight w1 8,16 128) $(weight b1 16 16) $(weight w2 16,16 256)
  h = MatMul (audio, w1)
  s = Add (h, b1)
  r = Relu (s)
  memory = MatMul (r, w2)"
opset='"" : 17' network dec "(int64[batch, 1] ids, float[batch, T, 16] memory, float[batch, P, 16] past) =>
  (float[batch, 1, 12] logits, float[batch, Q, 16] keys)" "
  $(weight table 12,16 192) $(weight wq 16,16 256) $(weight wk 16,16 256) $(weight w1 16,16 256) $(weight head 16,12 192)
  h = Gather (table, ids)
  k = MatMul (h, wk)
  keys = Concat <axis = 1> (past, k)
  turned = Transpose <perm = [0, 2, 1]> (keys)
  q = MatMul (h, wq)
  scores = MatMul (q, turned)
  shares = Softmax <axis = -1> (scores)
  mixed = MatMul (shares, keys)
  known = MatMul (memory, w1)
  heard = ReduceMean <axes = [1], keepdims = 1> (known)
  sum = Add (h, mixed)
  all = Add (sum, heard)
  logits = MatMul (all, head)"
array audio 12,5,8 3
loop='"loop": {"model": "dec", "steps": 6, "state": {"feeds": {"keys": "past", "argmax(logits)": "ids"}, "start": {"ids": 1}}}'
models='"models": {"enc": "enc.onnx", "dec": "dec.onnx"}'
feeds='"feeds": {"enc:memory": "dec:memory"}'
echo "{$models, $feeds, \"data\": {\"enc:audio\": \"audio.npy\"}, $loop}" >in/pair.json
options="--quiet --calibrator mse --policy small-layers=quantize --accept-broken"

# Both files, one report: calibrated on all steps, judged at the end.
accepts "a pair" quantize in/enc.onnx in/dec.onnx -o out/pair --pipeline in/pair.json $options
[ "$(ls out/pair | tr '\n' ' ')" = "dec.onnx enc.onnx report.json " ] || fail "other files: $(ls out/pair)"
grep -q '^calibrated 12 samples of 6 steps' stdout || fail "the text does not count samples and steps"
grep -qE '^ +enc, enc.onnx: 2 of 2 layers INT8; quantized alone: SQNR ' stdout || fail "the text does not say what the encoder costs"
grep -qE '^ +dec, dec.onnx: ' stdout || fail "the text does not say what the decoder costs"
grep -q 'over 6 steps of each model fed by its own states' stdout || fail "the text does not say what was measured"
grep -q "judged by 'dec:logits', 'dec:keys' alone, of 3 outputs" stdout || fail "it is not judged at its end alone"
for line in '"name": "enc",' '"name": "dec",' '"model": "in/pair.json",' '"output": "out/pair/enc.onnx",' '"steps": 6,' '"name": "dec:memory",'; do
  grep -qF "$line" out/pair/report.json || fail "the report lacks $line"
done
grep -qF '"name": "enc:memory",' out/pair/report.json && fail "what leaves a file has a pair"
for file in enc dec; do
  run inspect out/pair/$file.onnx
  grep -q 'FileBoundary\|detent.files\|enc:\|dec:' stdout out/pair/$file.onnx && fail "$file.onnx tells of the pipeline"
  accepts "$file.onnx" lint out/pair/$file.onnx
done
accepts "the encoder runs" run out/pair/enc.onnx --data in/audio.npy -o out/memory --quiet
[ "$(ls out/memory)" = memory.npy ] || fail "the encoder writes something else"
cp -r out/pair in/first

# The same bytes with more threads, by the file alone, and with data on the command line.
refuses_again() {
  sentence=$1 text=$2
  shift 2
  find out -type f -exec md5sum {} + | sort >before
  run "$@"
  [ "$code" -eq 15 ] || fail "$sentence: exit $code, expected 15"
  says "$sentence" "$text"
  find out -type f -exec md5sum {} + | sort | cmp -s - before || fail "$sentence: a file was changed"
}
rm out/pair/report.json
refuses_again "files that exist" "dec.onnx: exists already" quantize in/enc.onnx in/dec.onnx -o out/pair --pipeline in/pair.json $options
rm out/pair/*.onnx && cp in/first/report.json out/pair
refuses_again "a report that exists" "report.json: exists already" quantize in/pair.json -o out/pair $options
accepts "--overwrite and threads" quantize in/pair.json -o out/pair --overwrite --threads 3 $options
echo "{$models, $feeds, $loop}" >in/bare.json
accepts "data of the command line" quantize in/bare.json -o out/bare --data enc:audio=in/audio.npy $options
for file in enc dec; do
  for other in pair bare; do cmp -s in/first/$file.onnx out/$other/$file.onnx || fail "$other: other bytes of $file.onnx"; done
done
rm -rf out/*

# Bounds and other options work on all files, whose nodes are named FILE:NAME.
accepts "a bound" quantize in/pair.json -o out/pair $options --min-sqnr 60
grep -q '^ *enc, enc.onnx: ' stdout || fail "a bound: no files"
accepts "a file that stays float" quantize in/pair.json -o out/float $options --exclude '^enc:'
grep -q '^ *enc, enc.onnx: 0 of 2 layers INT8$' stdout || fail "the encoder is not left float"
cmp -s in/enc.onnx out/float/enc.onnx || grep -aq QuantizeLinear out/float/enc.onnx && fail "the encoder has pairs"
for target in onnxruntime openvino tensorrt:11; do accepts "$target" quantize in/pair.json -o "out/${target%:*}" $options --target $target; done
accepts "16-bit floats" quantize in/pair.json -o out/half $options --target tensorrt:11 --float-type fp16
accepts "plan" plan in/pair.json --shape enc:audio=1,5,8 --shape dec:ids=1,1 --shape dec:past=1,4,16
accepts "compare" compare in/pair.json --data enc:audio=in/audio.npy --eval enc:audio=in/audio.npy --steps 6 --state in/pair.json --calibrators max,mse --quiet
accepts "inspect" inspect in/pair.json
grep -q 'enc:audio' stdout && ! grep -q 'dec:memory' stdout || fail "inspect does not show what the pipeline reads"
accepts "run" run in/pair.json --data enc:audio=in/audio.npy --steps 6 --state in/pair.json -o out/ran --quiet
cp in/pair.json out/pair
accepts "run the quantized files" run out/pair/pair.json --data enc:audio=in/audio.npy --steps 6 --state out/pair/pair.json -o out/int8 --quiet
[ "$(ls out/ran)" = "$(ls out/int8)" ] && ls out/ran | grep -q logits || fail "other outputs: $(ls out/ran out/int8)"
cmp -s out/ran/*logits* out/int8/*logits* && fail "the quantized files compute as the float ones"
accepts "ranges" quantize in/pair.json -o out/ranges.json $options --stop-after ranges
accepts "a page" quantize in/pair.json -o out/page $options --html out/page.html
rm -rf out/*

# A table of all files: the same bytes as from the data; that of another pipeline is refused.
accepts "a table" calibrate in/pair.json --data enc:audio=in/audio.npy -o out/pair.dct --quiet --policy small-layers=quantize
mv out/pair.dct in
accepts "quantized by it" quantize in/pair.json --table in/pair.dct -o out/table $options
for file in enc dec; do cmp -s in/first/$file.onnx out/table/$file.onnx || fail "the table gives other bytes of $file.onnx"; done
rm -rf out/*
sed 's/"enc"/"voice"/; s/enc:/voice:/g' in/pair.json >in/voice.json
refuses "a table of other files" 14 "" quantize in/voice.json --table in/pair.dct -o out/voice $options

# States of several files: an encoder that reads overlapping windows of a stream, and the decoder's.
network stream "(float[batch, 3, 8] audio, float[batch, 1, 16] heard) => (float[batch, 1, 16] memory, float[batch, 1, 16] hearing)" "
  $(weight w1 8,16 128) $(weight w2 16,16 256)
  h = MatMul (audio, w1)
  m = ReduceMean <axes = [1], keepdims = 1> (h)
  s = Add (m, heard)
  hearing = Tanh (s)
  memory = MatMul (hearing, w2)"
stream='"models": {"enc": "stream.onnx", "dec": "dec.onnx"}, "feeds": {"enc:memory": "dec:memory"}, "data": {"enc:audio": "audio.npy"}'
state='"feeds": {"keys": "past", "enc:hearing": "enc:heard", "argmax(logits)": "ids"}, "start": {"ids": 1}'
echo "{$stream, \"loop\": {\"model\": \"dec\", \"steps\": 3, \"state\": {$state, \"cut\": {\"enc:audio\": {\"axis\": 1, \"hop\": 1}}}}}" >in/stream.json
accepts "states of two files" quantize in/stream.json -o out/stream $options
grep -q 'over 3 steps of each model fed by its own states' stdout || fail "the steps of both files are not counted"
accepts "their outputs" run in/stream.json -o out/ran --steps 3 --quiet
[ -e out/ran/dec_logits.npy ] && [ ! -e out/ran/enc_hearing.npy ] || fail "it writes other outputs: $(ls out/ran)"
rm -rf out/*
sed 's/"hop": 1/"hop": 2/' in/stream.json >in/wide.json
refuses "windows beyond the end" 12 "--steps 2 at most" quantize in/wide.json -o out/wide $options
sed 's/, "hop": 1//' in/stream.json >in/apart.json
refuses "windows apart" 12 "--steps 1 at most" quantize in/apart.json -o out/apart $options
sed 's/"enc:heard"/"enc:herd"/' in/stream.json >in/herd.json
refuses "a state of no input" 13 "has no input 'enc:herd'" quantize in/herd.json -o out/herd $options

# A decoder without a cache reads all tokens so far.
network all "(int64[batch, S] ids, float[batch, T, 16] memory) => (float[batch, S, 12] logits)" "
  $(weight table 12,16 192) $(weight w1 16,16 256) $(weight head 16,12 192)
  h = Gather (table, ids)
  known = MatMul (memory, w1)
  heard = ReduceMean <axes = [1], keepdims = 1> (known)
  sum = Add (h, heard)
  logits = MatMul (sum, head)"
echo '{"models": {"enc": "enc.onnx", "dec": "all.onnx"}, "feeds": {"enc:memory": "dec:memory"}, "data": {"enc:audio": "audio.npy"},
  "loop": {"model": "dec", "steps": 5, "state": {"feeds": {"append(argmax(logits))": "ids"}, "start": {"ids": [1, 4]}}}}' >in/all.json
accepts "a decoder without a cache" quantize in/all.json -o out/all $options
rm -rf out/*

# Texts: a transducer by the data and the loop of its file, and CTC of a file alone.
network frames "(float[batch, T, 8] audio) => (float[batch, T, 16] memory)" "
  $(weight w1 8,16 128)
  h = MatMul (audio, w1)
  memory = Tanh (h)"
network pred "(int64[batch, 1] ids, float[batch, 1, 16] h) => (float[batch, 1, 16] told, float[batch, 1, 16] next)" "
  $(weight table 5,16 80) $(weight wh 16,16 256)
  x = Gather (table, ids)
  r = MatMul (h, wh)
  s = Add (x, r)
  next = Tanh (s)
  told = Identity (next)"
network join "(float[batch, 1, 16] frame, float[batch, 1, 16] told) => (float[batch, 1, 5] scores)" "
  $(weight w1 16,5 80)
  s = Add (frame, told)
  t = Tanh (s)
  scores = MatMul (t, w1)"
network heads "(float[batch, T, 8] audio) => (float[batch, T, 5] scores)" "
  $(weight w1 8,5 40)
  scores = MatMul (audio, w1)"
printf '<blank>\na\nb\n|\nc\n' >in/tokens.txt
parts='"models": {"enc": "frames.onnx", "pred": "pred.onnx", "join": "join.onnx"}, "data": {"enc:audio": "audio.npy"},
  "feeds": {"enc:memory": "join:frame", "pred:told": "join:told"},
  "loop": {"model": "pred", "steps": 6, "state": {"feeds": {"next": "h", "argmax(join:scores)": "ids"}, "start": {"ids": 0}}}'
decode='"kind": "transducer", "blank": 0, "frames": "enc:memory", "most-per-frame": 2'
echo "{$parts, \"decode\": {$decode, \"vocab\": \"tokens.txt\"}}" >in/rnnt.json
echo '{"models": {"m": "heads.onnx"}, "data": {"m:audio": "audio.npy"}, "decode": {"kind": "ctc", "vocab": "tokens.txt"}}' >in/ctc.json
accepts "texts" run in/rnnt.json -o out/texts --quiet
[ "$(ls out/texts)" = texts.csv ] && [ "$(wc -l <out/texts/texts.csv)" -eq 13 ] || fail "no table of 12 texts"
head -n 2 out/texts/texts.csv | grep -q '^file,text,tokens$' || fail "the table has no header"
grep -qE '^audio.npy\[0\],.*,[1-4 ]+$' out/texts/texts.csv || fail "no tokens: $(sed -n 2p out/texts/texts.csv)"
accepts "steps instead" run in/rnnt.json -o out/steps --steps 4 --quiet
[ -e out/steps/join_scores.npy ] && [ ! -e out/steps/texts.csv ] || fail "--steps writes no outputs: $(ls out/steps)"
run run in/rnnt.json -o out/other --state in/pair.json --quiet
[ "$code" -eq 2 ] && grep -q -e '--state needs --steps' stderr || fail "other states without steps: exit $code"
refuses_again "a text that exists" "texts.csv: exists already" run in/rnnt.json -o out/texts --quiet
mv out/texts in/texts && rm -rf out/*
refuses "a profile of texts" 2 '--profile does not go with "decode"' run in/rnnt.json -o out/other --profile
accepts "the transducer" quantize in/rnnt.json -o out/rnnt $options --target onnxruntime --eval enc:audio=in/audio.npy --transcripts in/texts/texts.csv
grep -q 'WER' stdout || fail "it is not judged by words"
sed -n '/"score": {/,/}/p' out/rnnt/report.json | grep -qE '"float": 0(\.0)?,' || fail "the float files do not write their own texts"
accepts "a bound on words" quantize in/rnnt.json -o out/rnnt $options --overwrite --eval enc:audio=in/audio.npy --transcripts in/texts/texts.csv --max-drop 0
cp in/rnnt.json in/audio.npy in/tokens.txt out/rnnt
accepts "texts of the quantized files" run out/rnnt/rnnt.json -o out/texts --quiet --overwrite
# A bound ends with as many clips as decide: a wide one after the first 32 of 128, a narrow one later.
array many 128,5,8 5
sed 's/audio.npy/many.npy/' in/rnnt.json >in/many.json
accepts "texts of many clips" run in/many.json -o out/many --quiet
bounded() { sed -n '/"bound": {/,/^  }/p' out/wide/report.json | grep -oE '"samples": [0-9]+' | sort -u | tr -d '\n'; }
wide=
for bound in 0.9 0.05; do
  accepts "a bound of $bound" quantize in/many.json -o out/wide $options --overwrite --target onnxruntime --eval enc:audio=in/many.npy \
    --transcripts out/many/texts.csv --max-drop $bound
  [ "$(bounded)" = '"samples": 32' ] && wide=$bound
done
[ "$wide" = 0.9 ] || fail "bounds of .9 and .05 end with the same clips"
accepts "compare by words" compare in/rnnt.json --data enc:audio=in/audio.npy --eval enc:audio=in/audio.npy --transcripts in/texts/texts.csv \
  --calibrators max,mse --quiet
grep -q 'best by WER' stdout || fail "the words do not decide"
accepts "CTC" run in/ctc.json -o out/ctc --quiet
grep -q '^file,text,tokens$' out/ctc/texts.csv || fail "CTC writes no texts"
rm -rf out/*
# sensitivity: the words of every layer, beside the same dB as without them.
words="sensitivity in/rnnt.json --data enc:audio=in/audio.npy --eval enc:audio=in/audio.npy --quiet --policy small-layers=quantize"
accepts "layers" $words --json out/plain.json
accepts "words of layers" $words --transcripts in/texts/texts.csv --json out/words.json
grep -q '"wer_alone"' out/plain.json && fail "word errors without transcripts"
[ "$(grep -c '"wer_alone": [0-9]' out/words.json)" -eq "$(grep -c '"sqnr_db_alone"' out/words.json)" ] ||
  fail "layers without word errors: $(grep -c '"wer_alone"' out/words.json)"
sed -n '/"fp32": {/,/}/p' out/words.json | grep -qE '"wer": 0(\.0)?,?$' || fail "the float files do not write their own texts"
for file in plain words; do grep -E '"sqnr_db_(alone|all_but)"' out/$file.json >out/$file.txt; done
cmp -s out/plain.txt out/words.txt || fail "the words change the dB"
echo 'file,text' >in/few.csv && sed -n 2p in/texts/texts.csv | cut -d, -f1,2 >>in/few.csv
rm -rf out/*
refuses "a clip without words" 12 "have no transcript" $words --transcripts in/few.csv
echo '{"models": {"m": "heads.onnx"}, "decode": {"kind": "ctc"}}' >in/map.json
refuses "no data for it" 2 "--data is required" run in/map.json -o out/other
refuses "CTC without a vocabulary" 13 'needs "vocab"' run in/map.json -o out/other --data m:audio=in/audio.npy
# refuses_text SENTENCE TEXT DECODE
refuses_text() {
  echo "{$parts, \"decode\": {$3}}" >in/map.json
  refuses "$1" 13 "$2" run in/map.json -o out/other --quiet
}
refuses_text "another kind" "did you mean 'transducer'?" "$(echo "$decode" | sed s/transducer/transduser/)"
refuses_text "a key of another kind" 'the key "end" is not known' "$decode, \"end\": 1"
refuses_text "no such output" "feeds no file" "$(echo "$decode" | sed s/enc:memory/enc:memori/)"
refuses_text "another axis" "a frame along axis 2 of ?x?x16 is not ?x1x16" "$decode, \"axis\": 2"
refuses_text "no such length" "has no output 'lengths'" "$decode, \"lengths\": \"enc:lengths\""
refuses_text "a blank beyond the scores" "the blank 7 and 0 durations need 8 or more" "$(echo "$decode" | sed 's/"blank": 0/"blank": 7/')"
rm -rf out/*

# A network that is cut in two: the same ranges and the same codes of weights as of the whole.
conv() { echo "$(weight w$1 8,$2,3,3 $((72 * $2))) $(weight b$1 8 8) c$1 = Conv <pads = [1, 1, 1, 1]> ($3, w$1, b$1)"; }
network whole "(float[N, 3, 12, 12] x) => (float[N, 8, 12, 12] y)" "
  $(conv 1 3 x) r1 = Relu (c1) $(conv 2 8 r1) m = Relu (c2) $(conv 3 8 m) r3 = Relu (c3) s = Add (r3, m) $(conv 4 8 s) y = Relu (c4)"
network front "(float[N, 3, 12, 12] x) => (float[N, 8, 12, 12] m)" "$(conv 1 3 x) r1 = Relu (c1) $(conv 2 8 r1) m = Relu (c2)"
network back "(float[N, 8, 12, 12] m) => (float[N, 8, 12, 12] y)" "
  $(conv 3 8 m) r3 = Relu (c3) s = Add (r3, m) $(conv 4 8 s) y = Relu (c4)"
echo '{"models": {"a": "front.onnx", "b": "back.onnx"}, "feeds": {"a:m": "b:m"}}' >in/cut.json
same="--quiet --calibrator max --accuracy fast --equalize off --policy small-layers=quantize --accept-broken"
scales() { sed -n '/"values": \[/,/^  \]/p' "$1" | grep -oE '"(name|scale)": [^,]*' | sed 's/"[ab]:/"/' | paste -d ' ' - - | sort; }
for target in tensorrt onnxruntime; do
  accepts "the whole, $target" quantize in/whole.onnx --data random:normal,n=16 -o out/whole.onnx $same --target $target --json out/whole.json --overwrite
  accepts "the halves, $target" quantize in/cut.json --data a:x=random:normal,n=16 -o out/cut $same --target $target --overwrite
  scales out/whole.json >whole && scales out/cut/report.json >halves
  [ -s whole ] && cmp -s whole halves || { fail "$target: the halves have other scales"; diff whole halves; }
  grep -aq '_of_[ab]:' out/cut/*.onnx && fail "$target: a name tells of the pipeline"
done
rm -rf out/*

# Refusals.
# 16-bit floats where the files declare the types of inner values, and an inner value without a shape.
network typed "(float[batch, T, 8] audio) => (float[batch, T, 16] memory) <float[batch, T, 16] h>" "
  $(weight w1 8,16 128) $(weight w2 16,16 256)
  h = MatMul (audio, w1)
  memory = MatMul (h, w2)"
network rest "(float[] memory) => (float[batch, T, 16] y) <float[batch, T, 16] h>" "
  $(weight w1 16,16 256)
  h = MatMul (memory, w1)
  y = Relu (h)"
echo '{"models": {"enc": "typed.onnx", "dec": "rest.onnx"}, "feeds": {"enc:memory": "dec:memory"}}' >in/typed.json
for words in --target=tensorrt:11 --float-type=bf16 "--type=fp8 --target=tensorrt:11" --target=onnxruntime; do
  # shellcheck disable=SC2086  # words
  accepts "inner values with a type and without a shape: $words" quantize in/typed.json --data enc:audio=in/audio.npy -o out/typed --quiet --overwrite \
    --accept-broken $words
done
run inspect out/typed/rest.onnx
grep -q 'memory.*?x?x?' stdout || fail "an input without a shape got no rank"
array memory 12,5,16 4
accepts "a file with such an input" quantize in/rest.onnx --data in/memory.npy -o out/alone.onnx --quiet --accept-broken
rm -rf out/*

# One file is one model.
for command in "quantize-weights in/pair.json -o out/a.onnx" "cast in/pair.json --float-type fp16 -o out/a.onnx" "lint in/pair.json" \
  "repair in/pair.json --target onnxruntime -o out/a.onnx"; do
  # shellcheck disable=SC2086  # words
  refuses "a pipeline for $command" 10 "in/pair.json: describes a pipeline of several models" $command
done

refuses "several models" 2 "several models need --pipeline" quantize in/enc.onnx in/dec.onnx -o out/pair
refuses "a file that is not named" 2 "audio.npy: is none of the files that in/pair.json names" \
  quantize in/enc.onnx in/audio.npy -o out/pair --pipeline in/pair.json
refuses "a file that is not given" 2 "its file 'dec', in/dec.onnx, is not given" quantize in/enc.onnx -o out/pair --pipeline in/pair.json
refuses "no JSON" 2 "does not end in .json" quantize in/enc.onnx in/dec.onnx -o out/pair --pipeline in/audio.npy
refuses "a latency command" 2 "--latency-command does not go with" quantize in/pair.json --latency-command true -o out/pair
refuses "a stage" 2 "--stop-after rewrite does not go with" quantize in/pair.json --stop-after rewrite -o out/pair
refuses "16-bit outputs" 2 "io-type=same does not go with" quantize in/pair.json --format io-type=same -o out/pair
refuses "DLA" 2 "--target tensorrt:dla does not go with" quantize in/pair.json --target tensorrt:dla -o out/pair
refuses "two targets" 2 "--pipeline takes one --target" quantize in/pair.json --target tensorrt --target onnxruntime -o out/pair.onnx
refuses "other states" 2 "--state does not go with" quantize in/pair.json --steps 3 --state in/pair.json -o out/pair
grep -qF 'write in in/pair.json: "loop": {"model": "dec", "steps": 3, "state": {"feeds": {"OUTPUT": "INPUT"}}}' stderr ||
  fail "it does not say what to write: $(cat stderr)"
# The file that the message tells works, with the names in place of the capitals; without them it is refused.
echo "{$models, $feeds, \"data\": {\"enc:audio\": \"audio.npy\"}}" >in/loopless.json
refuses "steps without a loop" 2 'its file has no "loop"' quantize in/loopless.json --steps 3 -o out/loopless
written=$(sed -n 's/.*write in in\/loopless.json: \(.*\)$/\1/p' stderr)
echo "{$models, $feeds, \"data\": {\"enc:audio\": \"audio.npy\"}, $written}" >in/capitals.json
sed 's/"FILE"/"dec"/; s/"OUTPUT": "INPUT"/"keys": "past", "argmax(logits)": "ids"/; s/}}}}$/}, "start": {"ids": 1}}}}/' in/capitals.json >in/told.json
refuses "capitals" 13 "FILE" quantize in/capitals.json -o out/capitals $options
accepts "what it says" quantize in/told.json -o out/told $options
grep -q '^calibrated 12 samples of 3 steps' stdout || fail "the steps are others"
accepts "other steps" quantize in/told.json -o out/other $options --steps 4
grep -q '^calibrated 12 samples of 4 steps' stdout || fail "--steps changes nothing"
rm -rf out/told out/other
refuses "a folder of inputs" 15 "" quantize in/pair.json -o in --overwrite --quiet
refuses "no folder above" 15 "there is no folder 'out/none'" quantize in/pair.json -o out/none/pair --quiet
cp in/audio.npy in/file
refuses "a file instead of a folder" 15 "in/file: exists already" quantize in/pair.json -o in/file --quiet --overwrite
# refuses_pipeline SENTENCE CODE TEXT MAP
refuses_pipeline() {
  echo "$4" >in/map.json
  refuses "$1" "$2" "$3" quantize in/map.json --data enc:audio=in/audio.npy -o out/pair --quiet
}
refuses_pipeline "a missing file" 10 "none.onnx" '{"models": {"enc": "none.onnx", "dec": "dec.onnx"}, "feeds": {"enc:memory": "dec:memory"}}'
refuses_pipeline "an unknown output" 13 "has no output 'memori'; its outputs are 'enc:memory'" "{$models, \"feeds\": {\"enc:memori\": \"dec:memory\"}}"
refuses_pipeline "an unknown input" 13 "did you mean 'dec:memory'?" "{$models, \"feeds\": {\"enc:memory\": \"dec:memry\"}}"
refuses_pipeline "types that do not fit" 13 "their types are float and int64" "{$models, \"feeds\": {\"enc:memory\": \"dec:ids\"}}"
cp in/back.onnx in/turn.onnx
refuses_pipeline "a circle" 13 "go in a circle: 'a:y' -> 'b:m', 'b:y' -> 'a:m'" \
  '{"models": {"a": "back.onnx", "b": "turn.onnx"}, "feeds": {"a:y": "b:m", "b:y": "a:m"}}'
refuses_pipeline "an unknown file" 13 "did you mean 'enc'?" "{$models, \"feeds\": {\"encc:memory\": \"dec:memory\"}}"
refuses_pipeline "a loop in another file" 13 "the model has no input 'enc:past'" "{$models, $feeds, $(echo "$loop" | sed 's/"dec"/"enc"/')}"
refuses_pipeline "inputs that nothing feeds" 2 "there is no --data for the input 'dec:ids'" "{$models, $feeds}"
refuses_pipeline "no first token" 13 "the first tokens of 'dec:ids' are not known" "{$models, $feeds, $(echo "$loop" | sed 's/, "start".*/}}/')}"
refuses_pipeline "an unknown key" 13 'the key "feed" is not known' "{$models, \"feed\": {}}"
refuses_pipeline "no JSON text" 13 "ends in the middle" '{"models":'
mkdir in/again && cp in/enc.onnx in/again/dec.onnx
refuses_pipeline "two files of one name" 13 "two files are named dec.onnx" '{"models": {"enc": "again/dec.onnx", "dec": "dec.onnx"}, "feeds": {"enc:memory": "dec:memory"}}'
echo "{$models, $feeds}" >in/map.json
refuses "no data" 2 "ranges need --data or --table" quantize in/map.json -o out/pair --quiet

finish
