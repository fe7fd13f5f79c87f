#!/bin/sh
# --print-config prints what --config reads, for every command, with texts of any kind.
. "$(dirname "$0")/expect.sh"

# reads_back COMMAND ARG...: the printed configuration says the same when it is the only argument.
# COMMAND may be "cache export".
reads_back() {
  name=$1
  shift
  # shellcheck disable=SC2086 # "cache export" is two words
  accepts "$name --print-config" $name "$@" --print-config
  cp stdout "in/$name.toml"
  # shellcheck disable=SC2086
  accepts "$name --config" $name --config "in/$name.toml" --print-config
  cmp stdout "in/$name.toml" || fail "$name: the configuration does not come out as it went in"
  [ -s stderr ] && fail "$name: the printed configuration has a warning"
  leaves_nothing "$name --print-config"
}
# holds NAME LINE...: each is a line of the configuration.
holds() {
  name=$1
  shift
  for line in "$@"; do
    grep -qxF -e "$line" "in/$name.toml" || fail "$name: the configuration lacks $line: $(cat "in/$name.toml")"
  done
}

mkdir one two
text='a "b" \d'"'"'#[c], {d} \n'
data="--data x=a,b.npy --data [y]=random:normal,n=4 --shuffle 7 --limit 3 --batch-axis x=1 --mask m --steps 2 --state s.json --shard 2/3"
run="--threads 2 --skip-bad-data --max-memory 3G --allow-external one --allow-external two"
judging="--judged-outputs a,b --detections none"
reports="--all --json - --json r.json --html r.html --overwrite"

reads_back quantize model.onnx -o out/m.onnx $data --preprocess "imagenet,mean=.5/.5/.5" --table t.dct \
  --calibrator percentile:99.9 --override o.json --accuracy best --target onnxruntime --target tensorrt:8.6 \
  --include "$text" --exclude '^a[bc],d$' --exclude '\bconv\.' --exclude 'line
feed	tab' --type fp8 --activation uint8 --cpu vnni --float-type fp16 \
  --policy concat=inputs,exclude-op=Gemm --policy quantize-outputs=on,exclude-op=MatMul,outliers=drop,bias-correction=on \
  --format weights=fp32,weight-bits=7,per-tensor=on,scales=fp32,io-type=same,external-data=always \
  --equalize relu:0.75,gate --max-drop 0.01 --eval e --eval-limit 5 --labels l.csv --masks m --metric-command "./m 'x' \"y\"" \
  --next-token $judging --accept-broken $run --time-limit 1.5h --stop-after plan $reports
holds quantize 'time-limit = "1.5h"' '[quantize]' 'MODEL = "model.onnx"' 'target = ["onnxruntime", "tensorrt:8.6"]' 'limit = "3"' \
  'data = ["x=a,b.npy", "[y]=random:normal,n=4"]' 'json = ["-", "r.json"]' 'max-memory = "3G"' 'max-drop = "0.01"' \
  "exclude = [\"^a[bc],d\$\", '\\bconv\\.', \"line\\nfeed\\ttab\"]" 'overwrite = true' \
  'policy = "outliers=drop,exclude-op=Gemm,exclude-op=MatMul,concat=inputs,deconv-activation=auto,act-add=both,se-mul=both,maxpool=after,small-layers=auto,attention=auto,residual=auto,embeddings=auto,float-weights=float,quantize-outputs=on,bias-correction=on"' \
  'format = "scales=fp32,weights=fp32,weight-range=max,weight-bits=7,per-tensor=on,range=narrow,io-type=same,external-data=always"'
reads_back quantize model.onnx -o out/m.onnx --data d # defaults
reads_back quantize model.onnx -o out/m.onnx --data d --feed batch-axis=x=1,mask=m,mask=n --feed steps=2,state=s.json,shard=2/3,missing=nan
holds quantize 'batch-axis = ["x=1"]' 'mask = ["m", "n"]' 'steps = "2"' 'state = "s.json"' 'shard = "2/3"' 'missing = "nan"'
grep -q '^feed ' in/quantize.toml && fail "keys of --feed are printed twice"
reads_back quantize model.onnx -o out/m.onnx --data d --mask "a,b" --state "s,t.json" --steps 3
holds quantize 'mask = ["a,b"]' 'state = "s,t.json"'

reads_back quantize-weights model.onnx -o out/m.onnx $data --type int8 --block channel --format external-data=always \
  --target onnxruntime --exclude "$text" --policy exclude-op=Gather --min-sqnr 20.5 $judging $run $reports
reads_back calibrate model.onnx -o out/t.dct $data --target tensorrt,onnxruntime --policy residual=float --format scales=fp32 \
  --float-type bf16 --equalize auto --resume --checkpoint 0 --isa avx2 $run --json - --overwrite
holds calibrate 'checkpoint = "0"' 'isa = "avx2"' 'resume = true'
reads_back merge a.dct "b c.dct" -o out/t.dct --mixed-isa --partial --resume --overwrite --max-memory 2G
holds merge 'TABLE = ["a.dct", "b c.dct"]'
reads_back cast model.onnx -o out/m.onnx $data --float-type bf16 --format scales=fp32,io-type=same,external-data=never $run --all
reads_back plan model.onnx --target qnn --type fp8 --exclude "$text" --policy attention=fp8 --activation int16 \
  --shape a=1,3,8,8 --shape b=1 --float-type fp16 $data $run $reports
holds plan 'shape = ["a=1,3,8,8", "b=1"]'
reads_back lint model.onnx --target openvino:npu --shape a=1,3,8,8 $data $run $reports --strict
reads_back explain layers.json --profile p.json --model m.onnx --against other.json $reports --max-memory 2G
reads_back repair model.onnx -o out/m.onnx --target onnxruntime $data --eval e --labels l.csv $judging --format external-data=always $run $reports
compared="--eval e --eval-limit 5 --labels l.csv --next-token $judging --policy concat=inputs,outliers=keep --format range=full,bias=int32
  --activation uint8 --float-type fp16 --equalize off --emulate avx2 --fail-below 0.5"
reads_back compare model.onnx $data $compared --calibrators max,mse --targets tensorrt,onnxruntime --draw out/d --layers 4 $run $reports
holds compare 'calibrators = ["max", "mse"]' 'targets = ["tensorrt", "onnxruntime"]' 'emulate = "avx2"' 'fail-below = "0.5"'
reads_back compare-types model.onnx $data $compared --types int8,int4 --block 64 --calibrator mse --max-drop 0.02 $run $reports
reads_back sensitivity model.onnx $data --eval e --eval-limit 5 --next-token --transcripts t.csv --vocab v.txt $judging --calibrator mse --policy maxpool=both \
  --format weight-range=mse --type int8 --weight-only int4 --block 64 --top 0 $run $reports
holds sensitivity 'top = "0"' 'weight-only = "int4"'
reads_back run model.onnx -o out/d $data --emulate avx2 --isa avx512 --draw out/p --detections none --profile $run --json - --overwrite
reads_back verify one "two three" --rtol 0.01 --atol 0 --threads 2 --emulate avx2 --json - --overwrite
holds verify 'DIR = ["one", "two three"]' 'rtol = "0.01"' 'atol = "0"'
reads_back inspect model.onnx --value "$text" --json r.json --overwrite
reads_back "cache export" t.dct -o out/c --calibrator max --target tensorrt:8.6 --dla m.onnx --json - --overwrite
reads_back "cache import" c --model m.onnx -o out/t.dct --json - --overwrite

# Options before the command are those of the program.
accepts "an option before the command" --max-memory 2G plan model.onnx --print-config
head -n 1 stdout | grep -qx 'max-memory = "2G"' || fail "an option before the command is not printed"
cp stdout in/program.toml
accepts "it is read" plan --config in/program.toml --print-config
cmp -s stdout in/program.toml || fail "an option before the command does not come out as it went in"

# The forms of TOML that the reader knows.
cat >in/forms.toml <<'TOML'
# A comment.
threads_are = "not read here"
TOML
refuses "an unknown key of the program" 2 threads_are plan "$model" --config in/forms.toml
cat >in/forms.toml <<'TOML'
[quantize]   # another command's
limit = 5
[plan]
MODEL = "m#1.onnx" # a comment
exclude = [
  "a,b",   # one
  'c\.d',
  "e\"f\\g", ]
include = one, two
target = onnxruntime
all
shape="x=1,2"
TOML
accepts "forms of TOML" plan --config in/forms.toml --print-config
cp stdout in/plan.toml
holds plan 'MODEL = "m#1.onnx"' "exclude = [\"a,b\", 'c\\.d', 'e\"f\\g']" 'include = ["one", "two"]' \
  'target = "onnxruntime"' 'all = true' 'shape = ["x=1,2"]'
for wrong in 'target = "tensorrt' 'target = [ "a"' '[plan' '= 3' 'target = "a"b'; do
  printf '[plan]\n%s\n' "$wrong" >in/wrong.toml
  refuses "a line '$wrong'" 2 "--config: line " plan "$model" --config in/wrong.toml
done

# A value on the command line takes the place of the file's.
printf '[plan]\npolicy = "concat=inputs"\n' >in/policy.toml
accepts "a policy of the file" plan "$model" --config in/policy.toml --print-config
grep -q '^policy = .*concat=inputs' stdout || fail "the policy of the file is lost"
accepts "a policy of the command line" plan "$model" --config in/policy.toml --policy maxpool=both --print-config
grep -q '^policy = .*concat=shared.*maxpool=both' stdout || fail "the command line does not take the place of the file"
printf '[plan]\nconcat = "inputs"\n' >in/key.toml
refuses "a key of --policy as one of the file" 2 concat plan "$model" --config in/key.toml
finish
