#!/bin/sh
# --html FILE of quantize, compare and sensitivity: the page, and errors before any sample is run.
. "$(dirname "$0")/expect.sh"
# The number of samples is so large that a test that calibrates before it checks FILE exceeds its time limit.
long="--data random:normal,n=1000000 --quiet"

accepts "a page" $quantize_sample -o out/model.onnx --html out/page.html
grep -q '<strong class="good">Good</strong>' out/page.html || fail "the page does not begin with the verdict"
for part in error coverage values placement provenance; do
  grep -q "<section id=\"$part\">" out/page.html || fail "the page has no part '$part'"
done
grep -q 'id="choice"' out/page.html || fail "the page does not show between which calibrators was chosen"
rm out/*
accepts "a page of a named calibrator" $quantize_sample --calibrator max -o out/model.onnx --html out/page.html
if grep -q 'id="choice"' out/page.html; then fail "a calibrator that was named is called a choice"; fi
rm out/*
accepts "no page" $quantize_sample -o out/model.onnx
[ "$(ls -A out)" = model.onnx ] || fail "without --html there is more than the model: $(ls -A out)"
rm out/*

# FILE is there already.
for command in \
  "quantize $model $long -o out/model.onnx" \
  "compare $model $long --eval $sample/eval/images --preprocess $preprocess" \
  "sensitivity $model $long --eval $sample/eval/images --preprocess $preprocess"; do
  name=${command%% *}
  printf 'mine\n' >in/existing.html
  refuses "$name: a page that exists" 15 "in/existing.html: exists already" $command --html in/existing.html
  grep -q 'add --overwrite' stderr || fail "$name: nothing tells of --overwrite"
  [ "$(cat in/existing.html)" = mine ] || fail "$name: an existing page was changed"
  refuses "$name: a page below no folder" 15 "in/gone" $command --html in/gone/page.html
  refuses "$name: a page that is a folder" 15 "in: is a folder" $command --html in
done
printf 'mine\n' >in/existing.json
refuses "compare: a document that exists" 15 "in/existing.json: exists already" compare "$model" $long \
  --eval "$sample/eval/images" --preprocess "$preprocess" --json in/existing.json
refuses "sensitivity: a document that exists" 15 "in/existing.json: exists already" sensitivity "$model" $long \
  --eval "$sample/eval/images" --preprocess "$preprocess" --json in/existing.json

accepts "--overwrite" $quantize_sample -o out/model.onnx --html in/existing.html --overwrite
grep -q '<section id="values">' in/existing.html || fail "--overwrite did not replace the page"
rm out/*
accepts "--overwrite of compare" compare "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 8 \
  --eval "$sample/eval/images" --eval-limit 1 --calibrators max --html in/existing.html --json in/existing.json --overwrite
grep -q 'Comparison of calibrators' in/existing.html || fail "--overwrite of compare did not replace the page"
for part in outliers provenance; do
  grep -q "<section id=\"$part\">" in/existing.html || fail "the page of compare has no part '$part'"
done
for field in outlier_samples provenance sample_digest; do
  grep -q "\"$field\":" in/existing.json || fail "--json of compare lacks $field"
done

# The page of a broken model is written too, with the reason.
run quantize "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 8 --calibrator percentile:50 \
  -o out/broken.onnx --html out/broken.html
[ "$code" -eq 1 ] || fail "a broken model: exit $code, expected 1"
grep -q '<strong class="broken">Broken</strong>' out/broken.html || fail "the page does not call the model broken"
grep -q '<section id="blame">' out/broken.html || fail "the page blames nothing"
rm out/*

# Provenance on a page: the command as a shell takes it, the digest of sha256sum, a date only if it is asked for;
# without one two runs give the same bytes.
cp "$model" "in/a model.onnx"
accepts "a page of plan" plan "in/a model.onnx" --html out/page.html
grep -q '<code>detent plan &#39;in/a model.onnx&#39; --html out/page.html</code>' out/page.html || \
  fail "the page does not hold its command"
grep -q "<code>$(sha256sum "in/a model.onnx" | cut -d ' ' -f 1)</code>" out/page.html || \
  fail "the page does not hold the digest of the model"
if grep -q '>Date<' out/page.html; then fail "a page has a date that was not asked for"; fi
cp out/page.html out/first.html
rm out/page.html
accepts "the page of plan again" plan "in/a model.onnx" --html out/page.html
cmp -s out/first.html out/page.html || fail "the same run gives another page"
SOURCE_DATE_EPOCH=1700000000 accepts "a page with a date" plan "in/a model.onnx" --html out/page.html --overwrite
grep -q '<td>2023-11-14 22:13 UTC</td>' out/page.html || fail "SOURCE_DATE_EPOCH gives the page no date"
SOURCE_DATE_EPOCH=today accepts "a date that is none" plan "in/a model.onnx" --html out/page.html --overwrite
if grep -q '>Date<' out/page.html; then fail "a page bears a date that is none"; fi
# The drawing: a box for every node, and the layers of the plan in their type.
[ "$(grep -c '<a id="box-' out/page.html)" -eq 43 ] || fail "the drawing has not 41 nodes, an input and an output"
[ "$(grep -c 'class="int8".*<title>Conv' out/page.html)" -eq 18 ] || fail "the drawing shows other INT8 layers than the plan"
rm out/*

# Digests of the files beside the model and of the samples: the same samples have the same digest in each command,
# others another.
few="--data $sample/calib --preprocess $preprocess --limit 2 --quiet"
accepts "weights beside the model" quantize "$model" $few --calibrator max --accept-broken --format external-data=always -o in/beside.onnx
data=$(cd in && ls beside.onnx.*.data)
accepts "a page of lint" lint in/beside.onnx --html out/page.html
grep -q ">Weights beside it</th><td>$data, .*, digest <code>[0-9a-f]\{32\}</code>" out/page.html || fail "no digest of $data"
first=$(grep -o 'Weights beside it.*' out/page.html)
printf '\377' | dd of="in/$data" bs=1 seek=70000 conv=notrunc 2>/dev/null
accepts "a page of lint after a weight has changed" lint in/beside.onnx --html out/page.html --overwrite
[ "$(grep -o 'Weights beside it.*' out/page.html)" != "$first" ] || fail "the digest does not tell that a weight has changed"
# digest_in FILE MEMBER: of a document.
digest_in() { sed -n "s/^ *\"$2\": \"\([0-9a-f]\{32\}\)\",*$/\1/p" "$1" | head -n 1; }
accepts "a document of quantize" quantize "$model" $few --calibrator max --accept-broken -o in/model.onnx --json out/quantize.json
digest=$(digest_in out/quantize.json sample_digest)
[ -n "$digest" ] || fail "quantize tells of no samples"
accepts "a page of plan with data" plan "$model" $few --target tensorrt:11 --html out/page.html --json out/plan.json --overwrite
[ "$(digest_in out/plan.json sample_digest)" = "$digest" ] || fail "plan read other samples than quantize"
grep -q "<th scope=\"row\">Data</th><td>2 samples, digest <code>$digest</code>" out/page.html || fail "the page of plan tells of no data"
accepts "a page of sensitivity" sensitivity "$model" $few --calibrator max --eval "$sample/calib" --eval-limit 1 --html out/page.html \
  --json out/sensitivity.json --overwrite
[ "$(digest_in out/sensitivity.json calibration_digest)" = "$digest" ] || fail "sensitivity calibrated with other samples than quantize"
judged=$(digest_in out/sensitivity.json evaluation_digest)
[ -n "$judged" ] && [ "$judged" != "$digest" ] || fail "one sample has the digest of two, or none: $judged"
grep -q "<th scope=\"row\">Calibration data</th><td>2 samples, digest <code>$digest</code>" out/page.html || fail "no calibration data"
grep -q "<th scope=\"row\">Evaluation data</th><td>1 sample, digest <code>$judged</code>" out/page.html || fail "no evaluation data"
accepts "a page of plan without data" plan "$model" --html out/page.html --json out/plan.json --overwrite
grep -q '"sample_digest": ""' out/plan.json || fail "plan without data has a digest of it"
if grep -q '<th scope="row">Data</th>' out/page.html; then fail "a page of plan without data tells of data"; fi
rm out/*

accepts "help" quantize --help
grep -q -e '--html shapes_unet.html' stdout || fail "the example of quantize has no page"
finish
