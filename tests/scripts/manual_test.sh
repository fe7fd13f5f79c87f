#!/bin/sh
# usage: manual_test.sh DETENT MANUAL_FOLDER
# Manual pages have the options of `--help`; completions offer them, asked from the installed shells.
set -eu
detent=$1
manual=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "manual_test: $*" >&2
  exit 1
}
commands=$("$detent" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]\{1,\}\)  .*/\1/p')
[ -n "$commands" ] || fail "no commands in --help"

# The page of every command has every option of it, and no other.
for command in $commands; do
  page=$manual/man/detent-$command.1
  [ -s "$page" ] || fail "no page for $command"
  [ "$command" = cache ] && continue  # its options are those of export and import
  COLUMNS=120 "$detent" help "$command" | grep -o '^  \(-[a-z],\)\{0,1\}--[a-z-]*' | grep -o -- '--[a-z-]*' | sort -u >"$work/help"
  sed 's/\\-/-/g' "$page" | sed -n '/^\.TP/{n;p;}' | grep -o -- '--[a-z-]*' | sort -u >"$work/page"
  diff "$work/help" "$work/page" >"$work/diff" || fail "$command: --help and its page differ: $(cat "$work/diff")"
done
if command -v man >/dev/null; then
  for page in "$manual"/man/*.1; do
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=all -l "$page" >"$work/text" 2>"$work/warnings" || fail "man cannot show $page"
    [ ! -s "$work/warnings" ] || fail "$page: $(cat "$work/warnings")"
  done
  grep -q "EXIT STATUS" "$work/text" || fail "a page without its exit codes"
else
  echo "manual_test: man SKIPPED, it is not installed"
fi

# ask_bash WORD...: prints the offers for the last word
ask_bash() {
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); compopt() { :; }; _detent_main; printf "%s\n" "${COMPREPLY[@]}"' \
    "$manual/bash/detent" "$@"
}
ask_bash detent qua | grep -qx quantize || fail "bash: 'detent qua' does not offer quantize"
ask_bash detent quantize --accur | grep -qx -- --accuracy || fail "bash: no --accuracy"
ask_bash detent quantize m.onnx --accuracy "" | sort | tr '\n' ' ' | grep -qx "balanced best fast " || fail "bash: the choices of --accuracy"
ask_bash detent quantize --accuracy = f | grep -qx fast || fail "bash: --accuracy=f"
ask_bash detent cache ex | grep -qx export || fail "bash: 'detent cache ex'"
ask_bash detent he | grep -qx help || fail "bash: no help"
ask_bash detent help qua | grep -qx quantize || fail "bash: the commands behind help"
ask_bash detent help plan --l | grep -qx -- --long || fail "bash: --long of help"
[ -z "$(ask_bash detent plan --lon)" ] || fail "bash: --long without help"
touch "$work/model.onnx"
(cd "$work" && ask_bash detent lint mod | grep -qx model.onnx) || fail "bash: files"
ask_bash detent quantize --pol | grep -qx -- --policy || fail "bash: no --policy"
ask_bash detent quantize m.onnx --policy "" | grep -qx "concat=inputs" || fail "bash: no keys of --policy"
ask_bash detent quantize m.onnx --policy concat = in | tr '\n' ' ' | grep -qx "inputs independent \|independent inputs " ||
  fail "bash: the values of a key of --policy"
for words in "--target qnn" "--preprocess imagenet" "--calibrator entropy" "--latency-command openvino"; do
  ask_bash detent quantize m.onnx "${words% *}" "" | grep -qx "${words#* }" || fail "bash: no $words"
done
ask_bash detent quantize m.onnx --target openvino : n | grep -qx npu || fail "bash: --target openvino:n"
ask_bash detent quantize m.onnx --target = q | grep -qx qnn || fail "bash: --target=q"
[ -z "$(ask_bash detent quantize m.onnx --target rtx)" ] || fail "bash: --target rtx"
[ -z "$(ask_bash detent quantize --conc)" ] || fail "bash offers a key as an option"
[ -z "$(ask_bash detent quantize --frobni)" ] || fail "bash offers an unknown option"

if command -v fish >/dev/null; then
  ask_fish() { fish -c "source $manual/fish/detent.fish; complete -C '$1'"; }
  ask_fish "detent qua" | grep -q "^quantize" || fail "fish: commands"
  ask_fish "detent quantize --accur" | grep -q "^--accuracy" || fail "fish: options"
  ask_fish "detent quantize --accuracy " | cut -f 1 | sort | tr '\n' ' ' | grep -qx "balanced best fast " || fail "fish: choices"
  ask_fish "detent help qua" | grep -q "^quantize" || fail "fish: the commands behind help"
  ask_fish "detent help plan --lon" | grep -q "^--long" || fail "fish: --long of help"
  [ -z "$(ask_fish "detent plan --lon")" ] || fail "fish: --long without help"
  [ -z "$(ask_fish "detent quantize --frobni")" ] || fail "fish offers an unknown option"
else
  echo "manual_test: fish SKIPPED, it is not installed"
fi

if command -v zsh >/dev/null; then
  # A shell on a pseudo terminal; what the completion adds is printed instead of shown.
  cat >"$work/ask.zsh" <<'ASK'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $3/dump; bindkey '^I' complete-word; zstyle ':completion:*' list-prompt ''; setopt no_beep; LISTMAX=1000; echo READY-\$((1+1))"
zpty -r shell out '*READY-2*'
zpty -w -n shell "$2"$'\t'
sleep $4
zpty -w -n shell $'\C-a'"echo GOT: \""$'\C-e'"\""$'\n'
sleep $4
out=''
while zpty -r -t shell line; do out+=$line; done
print -r -- "$out"
ASK
  # ask_zsh LINE WANTED: retries with more time for a busy machine.
  ask_zsh() {
    for seconds in 1 4 12 60; do
      zsh -f "$work/ask.zsh" "$manual/zsh" "$1" "$work" $seconds 2>/dev/null | tr -d '\r' | grep -q "GOT: $2" && return 0
    done
    return 1
  }
  ask_zsh "detent quant" "detent quantize" || fail "zsh: commands"
  ask_zsh "detent help sens" "detent help sensitivity" || fail "zsh: the commands behind help"
  ask_zsh "detent help plan --lo" "detent help plan --long" || fail "zsh: --long of help"
  ask_zsh "detent quantize --accur" "detent quantize --accuracy" || fail "zsh: options"
  ask_zsh "detent quantize --accuracy=fa" "detent quantize --accuracy=fast" || fail "zsh: choices"
else
  echo "manual_test: zsh SKIPPED, it is not installed"
fi
