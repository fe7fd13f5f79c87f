#!/bin/sh
# recipes_twins.sh ROOT PROGRAM: recipes_test.py refuses a block that fails, a form that is wrong though the block
# cannot run, an unknown line above a block and a wrong exit code; it passes the same things when they are right.
set -eu
root=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/examples" "$work/datasets"
ln -s "$root/datasets/samples" "$work/datasets/samples"

# expect RESULT CODE TEXT: the page of one recipe with this text, and a command with this code, pass (0) or not (1).
expect() {
  printf '# Recipes\n\n## One\n\n%b\n' "$3" >"$work/tests/examples/RECIPES.md"
  printf '| `detent inspect absent.onnx` | | %s |\n' "$2" >"$work/AGENTS.md"
  status=0
  python3 "$root/tests/examples/recipes_test.py" "$work" "$program" >"$work/log" 2>&1 || status=1
  [ "$status" = "$1" ] || { echo "not $1: $3"; cat "$work/log"; exit 1; }
}

right='```sh\ndetent --version\n```'
expect 0 10 "$right"
expect 1 11 "$right"
expect 1 10 '```sh\ndetent --no-such-option\n```'
expect 1 10 '```sh\ntrue\n'
absent='Needs `no_such_program`; without it the test'
expect 0 10 "$absent only checks the form.\n\n\`\`\`python\nx = 1\n\`\`\`\n\n$right"
expect 1 10 "$absent only checks the form.\n\n\`\`\`python\nx = \n\`\`\`\n\n$right"
expect 1 10 "$absent sleeps.\n\n\`\`\`python\nx = 1\n\`\`\`\n\n$right"
expect 0 10 "$absent runs \`echo 1 >made\`\n\n\`\`\`sh\nno_such_program >made\n\`\`\`\n\n\`\`\`sh\ngrep 1 made\n\`\`\`"
expect 1 10 "$absent only checks the form.\n\n\`\`\`sh\nno_such_program >made\n\`\`\`\n\n\`\`\`sh\ngrep 1 made\n\`\`\`"
