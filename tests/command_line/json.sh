#!/bin/sh
# --json [FILE|-] of every command, --html FILE, and existing files.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
# A small network: the options work the same for every model.
images="--data $sample/calib --preprocess $preprocess"
unet=$model model=in/net.onnx
network net "(float[N, 3, 16, 16] x) => (float[N, 4, 16, 16] y)" "$(weight w 8,3,3,3 216) $(weight v 8,8,3,3 576) $(weight u 4,8,1,1 32)
  a = Conv <pads = [1, 1, 1, 1]> (x, w) b = Relu (a) c = Conv <pads = [1, 1, 1, 1]> (b, v) d = Relu (c) y = Conv (d, u)"
data="--data random:normal,n=4"
layers="--policy small-layers=quantize"
eval="--eval random:normal,n=1,seed=2"
$DETENT calibrate "$model" $data --quiet -o in/table.dct >/dev/null || fail "no table to begin with"
$DETENT quantize "$model" --table in/table.dct $layers --quiet -o in/int8.onnx >/dev/null || fail "no model to begin with"
$DETENT cache export in/table.dct -o in/scales.cache >/dev/null || fail "no cache to begin with"
mkdir -p in/verified/test_data_set_0
cp "$model" in/verified/model.onnx

# Prints the arguments of a command without --json; $1 tells outputs apart.
arguments() {
  case $1 in
    quantize) echo "quantize $model --table in/table.dct $layers -o out/$2.onnx" ;;
    calibrate) echo "calibrate $model $data -o out/$2.dct" ;;
    merge) echo "merge in/table.dct -o out/$2.dct" ;;
    plan) echo "plan $model" ;;
    lint) echo "lint in/int8.onnx" ;;
    compare) echo "compare $model $data $eval $layers --calibrators max" ;;
    sensitivity) echo "sensitivity $model $data $eval $layers --calibrator max" ;;
    run) echo "run $model $data -o out/$2" ;;
    inspect) echo "inspect $model" ;;
    export) echo "cache export in/table.dct -o out/$2.cache" ;;
    import) echo "cache import in/scales.cache --model $model -o out/$2.dct" ;;
  esac
}

# is_document FILE SENTENCE: one JSON document and nothing else.
is_document() {
  [ "$(head -c 1 "$1")" = "{" ] || fail "$2: the document does not begin with a brace: $(head -n 1 "$1")"
  [ "$(grep -c '^{' "$1")" = 1 ] && [ "$(tail -n 1 "$1")" = "}" ] || fail "$2: not one document"
}

for command in quantize calibrate merge plan lint compare sensitivity run inspect export import; do
  accepts "$command --json" $(arguments $command alone) --json
  is_document stdout "$command --json"
  accepts "$command --json -" $(arguments $command dash) --json -
  is_document stdout "$command --json -"
  [ -e - ] && fail "$command --json - made a file called -"
  accepts "$command --json FILE" $(arguments $command file) --json out/report.json
  is_document out/report.json "$command --json FILE"
  grep -q '^{' stdout && fail "$command --json FILE prints the document too"
  [ -s stdout ] || fail "$command --json FILE prints no text"
  printf 'mine\n' >in/existing.json
  run $(arguments $command existing) --json in/existing.json
  [ "$code" -eq 15 ] || fail "$command --json of a file that exists: exit $code, expected 15"
  says "$command --json of a file that exists" "in/existing.json: exists already"
  [ "$(cat in/existing.json)" = mine ] || fail "$command: an existing document was changed"
  ls out/existing* >/dev/null 2>&1 && fail "$command: wrote $(ls -d out/existing*) before it looked at the document"
  accepts "$command --json --overwrite" $(arguments $command existing) --json in/existing.json --overwrite
  is_document in/existing.json "$command --json --overwrite"
  rm -rf out/*
done

# The position of the option does not matter: an input stays an input.
for place in "--json $model" "--json=- $model" "$model --json"; do
  accepts "plan $place" plan $place --target onnxruntime
  is_document stdout "plan $place"
done
accepts "a name without .json" plan "$model" --json out/report
is_document out/report "a name without .json"
rm out/*
refuses "a document below no folder" 15 in/gone lint in/int8.onnx --json in/gone/report.json
run verify --json in/verified
[ "$code" -le 1 ] || fail "verify --json FOLDER: exit $code"
is_document stdout "verify --json FOLDER"

# A configuration file means the same.
printf '[plan]\njson = "-"\n' >in/plan.toml
accepts "json in a configuration" plan "$model" --config in/plan.toml
is_document stdout "json in a configuration"
printf '[plan]\njson = true\n' >in/plan.toml
accepts "json as a flag in a configuration" plan "$model" --config in/plan.toml
is_document stdout "json as a flag in a configuration"
printf '[plan]\njson = false\n' >in/plan.toml
accepts "no json in a configuration" plan "$model" --config in/plan.toml
grep -q '^layers' stdout || fail "json = false does not print the text"

# In a file the text stays; without --overwrite it replaces nothing.
accepts "quantize --json" $(arguments quantize same) --json --quiet
grep -v -e '"seconds"' -e '"peak_mb"' stdout >in/one
rm out/*
accepts "quantize --json FILE" $(arguments quantize same) --json out/report.json --quiet
grep -q '^verdict' stdout || fail "--json FILE leaves out the text"
grep -v -e '"seconds"' -e '"peak_mb"' out/report.json | cmp -s - in/one || fail "--json and --json FILE write different documents"
run $(arguments quantize other) --json out/report.json
[ "$code" -eq 15 ] || fail "--json of a file that exists: exit $code, expected 15"
[ -e out/other.onnx ] && fail "--json of a file that exists: the model was written"
rm -rf out/*
refuses "another name" 2 "there is no option '--report'" $(arguments quantize same) --report out/report.json
accepts "a document on standard output and in a file" $(arguments quantize same) --json - --json out/report.json --quiet
cmp -s stdout out/report.json || fail "two --json write different documents"
rm -rf out/*
refuses "one file twice" 15 'names what --json writes, too' $(arguments quantize same) --json out/report.json --json out/report.json
rm -rf out/*

# A broken model ends with exit 1, but its document is whole.
run quantize "$unet" --quiet $images --limit 8 --calibrator percentile:50 \
  -o out/broken.onnx --json
[ "$code" -eq 1 ] || fail "a broken model with --json: exit $code, expected 1"
is_document stdout "a broken model with --json"
rm -rf out/*

# Pages of plan and lint.
for command in plan lint; do
  accepts "$command --html" $(arguments $command page) --html out/page.html
  grep -q '<section id="placement">' out/page.html || fail "the page of $command has no part 'placement'"
  grep -q 'https\{0,1\}://' out/page.html && fail "the page of $command names an address"
  run $(arguments $command page) --html out/page.html
  [ "$code" -eq 15 ] || fail "$command --html of a page that exists: exit $code, expected 15"
  accepts "$command --html --overwrite" $(arguments $command page) --html out/page.html --overwrite
  rm out/*
  refuses "$command --html -" 2 "--html needs a FILE" $(arguments $command page) --html -
done
accepts "lint for the other engine" lint in/int8.onnx --target onnxruntime --html out/page.html
grep -q '<section id="findings">' out/page.html || fail "the page of lint has no findings"
finish
