#!/bin/sh
# All ways to ask for help, its width, and the hint for a mistyped word.
. "$(dirname "$0")/expect.sh"
unset COLUMNS

accepts "nothing at all"
cp stdout in/help
grep -q 'Usage: detent' in/help || fail "nothing at all does not print the help"
accepts "help" help
cmp -s stdout in/help || fail "'help' prints something else than nothing at all"
accepts "--help" --help
cmp -s stdout in/help || fail "'--help' prints something else than nothing at all"
accepts "help --long" help --long
grep -q '^Exit status' stdout || fail "'help --long' has no exit codes"
refuses "--long without help" 2 "there is no option '--long'" plan "$model" --long
for command in quantize quantize-weights calibrate merge cast plan lint repair explain compare compare-types sensitivity run verify inspect cache \
  "cache export"; do
  accepts "$command --help" $command --help
  cp stdout in/command
  accepts "help $command" help $command
  cmp -s stdout in/command || fail "'help $command' is not '$command --help'"
  for width in 60 80; do
    COLUMNS=$width
    export COLUMNS
    accepts "help $command in $width columns" help $command
    # An address or a list of names without a blank stands alone on its line.
    awk -v width=$width 'length > width && NF > 1 && length($1) < width - 22' stdout >in/long
    [ -s in/long ] && fail "help $command is wider than $width: $(head -n 1 in/long)"
    unset COLUMNS
  done
  accepts "help $command --long" help $command --long
  head -n 2 stdout >in/begin
  head -n 2 in/command | cmp -s - in/begin || fail "'help $command --long' does not begin with the help"
  for option in $(sed -n 's/^  \(-[^ ]*\).*/\1/p' in/command); do
    grep -qF -e "  $option" stdout || fail "'help $command --long' has no $option"
  done
  grep -q '^Description' stdout || fail "'help $command --long' has no description"
  grep -q '^  130 Interrupted: ' stdout || fail "'help $command --long' has no exit codes"
  grep -nE '[`|]  |\]\(' stdout && fail "'help $command --long' shows Markdown"
  awk 'length > 100 && !/^    /' stdout >in/long
  [ -s in/long ] && fail "help $command --long is wider than 100: $(head -n 1 in/long)"
  awk 'length > 100' in/command >in/long
  [ -s in/long ] && fail "help $command is wider than 100: $(head -n 1 in/long)"
done

# The number of options, with --help, and of lines; keys and the options of every command are not among
# them.
# offers COMMAND MOST LINES
offers() {
  "$DETENT" help "$1" >in/command
  count=$(grep -c '^  -' in/command)
  [ "$count" -ge 15 ] && [ "$count" -le "$2" ] || fail "help $1 has $count options, expected 15 to $2"
  lines=$(wc -l <in/command)
  [ "$lines" -le "$3" ] || fail "help $1 has $lines lines, expected $3 at most"
  grep -qE '^  --(concat|maxpool|weights|per-tensor|external-data|report|max-memory|steps|shard)( |$)' in/command &&
    fail "help $1 shows a key, or an option of every command"
}
offers quantize 47 140
offers compare 41 124
offers compare-types 41 122
offers sensitivity 34 105
offers quantize-weights 33 88
offers repair 25 74
offers calibrate 22 74
offers plan 22 75
offers run 16 58
"$DETENT" help | grep -q -- '--max-memory BYTES' || fail "help does not show the options of every command"
for key in concat deconv-activation act-add se-mul maxpool small-layers residual attention quantize-outputs include-op exclude-op \
  outliers bias-correction weights weight-range weight-bits per-tensor range bias scales io-type external-data batch-axis mask steps \
  state shard missing; do
  "$DETENT" help quantize | grep -qE "(^| )$key=" || fail "help quantize does not show the key $key"
  "$DETENT" help quantize --long | grep -qE "^ +$key: " || fail "help quantize --long does not explain the key $key"
done
"$DETENT" help quantize | grep -q 'Reports the mean IoU' && fail "help quantize has more than the first sentence of --masks"
"$DETENT" help quantize --long | grep -q 'Reports the mean IoU' || fail "help quantize --long has only the first sentence of --masks"

# The values of an option, without the descriptions of CLI11's validators; and every calibrator.
for command in quantize calibrate compare sensitivity verify; do
  "$DETENT" help $command | grep -nE ' in \[|:\{|:(INT|FLOAT|POSITIVE)' >in/validators && fail "help $command shows validators: $(head -n 1 in/validators)"
done
for command in quantize compare sensitivity; do
  "$DETENT" help $command | grep -q samplemax || fail "help $command does not name samplemax"
done
"$DETENT" help quantize | grep -q -- '--threads N' || fail "help quantize does not say that --threads takes N"

# The example can be copied, however often it is broken.
for width in 40 100; do
  COLUMNS=$width "$DETENT" help plan | sed -n '/^Example/,$p' | sed 1d | tr -d '\\\n' | tr -s ' ' >in/example
  grep -q '^ detent plan datasets/.*onnx --target tensorrt --shape image=1,3,128,128' in/example ||
    fail "the example of plan in $width columns: $(cat in/example)"
done

# suggests SENTENCE WORD ARG...: wrong usage, and this word is what was meant.
suggests() {
  sentence=$1 word=$2
  shift 2
  refuses "$sentence" 2 "hint: did you mean '$word'?" "$@"
}
# guesses_nothing SENTENCE ARG...: wrong usage, and no word is near.
guesses_nothing() {
  sentence=$1
  shift
  refuses "$sentence" 2 "" "$@"
  grep -q 'did you mean' stderr && fail "$sentence: $(grep 'did you mean' stderr)"
}
suggests "a command" quantize qantize
suggests "a command that was begun" calibrate calib
suggests "a command behind help" plan help plna
suggests "a command of cache" export cache exprot
suggests "an option" --target plan "$model" --tagret onnxruntime
suggests "an option that is required" --data calibrate "$model" --dta in -o out/table.dct
refuses "an option that is not there, and none that is required" 2 "there is no option '--calibratr'" quantize "$model" --calibratr mse
says "what it stands for" "did you mean '--calibrator'?"
refuses "none that is required" 2 "--output is required" quantize "$model" --calibrator mse
suggests "an option of every command" --quiet plan "$model" --queit
suggests "a calibrator" entropy $quantize_sample -o out/model.onnx --calibrator entrpy
suggests "a calibrator with a number" percentile $quantize_sample -o out/model.onnx --calibrator percentil:99.9
suggests "a calibrator of a list" mse compare "$model" --data in --eval in --calibrators max,mes
suggests "a target" tensorrt plan "$model" --target tensort
refuses "a target with a version" 2 "there is no target 'tensorrt:8.4'" plan "$model" --target tensorrt:8.4
grep -q "hint: --target tensorrt:8.6, the nearest that is known" stderr || fail "a target with a version: the nearest is not named"
suggests "an accuracy" balanced $quantize_sample -o out/model.onnx --accuracy balansed
suggests "a policy" independent plan "$model" --policy concat=indepedent
suggests "a key as an option" "--policy concat=VALUE" plan "$model" --concat independent
suggests "a type" uint8 $quantize_sample -o out/model.onnx --activation unit8
suggests "an equalization" relu $quantize_sample -o out/model.onnx --equalize rleu
suggests "a preset" imagenet quantize "$model" --data "$sample/calib" --preprocess imagnet -o out/model.onnx --quiet
guesses_nothing "a command that is like none" nosuch
guesses_nothing "an option that is like none" plan "$model" --nosuch
guesses_nothing "a calibrator that is like none" $quantize_sample -o out/model.onnx --calibrator nosuch
guesses_nothing "a target that is like none" plan "$model" --target nosuch
guesses_nothing "an accuracy that is like none" $quantize_sample -o out/model.onnx --accuracy nosuch
finish
