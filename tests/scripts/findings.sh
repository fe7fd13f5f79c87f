# shellcheck shell=sh
# Sourced: the findings of lint, `id level` a line, as the program and as a page list them.

# findings_of PROGRAM: the help says "id  summary (level)" on one line or several.
findings_of() {
  "$1" lint --help | sed -n '/^Findings/,/^$/p' | sed -E ':more; N; $!b more; s/\n {5,}/ /g' |
    sed -nE 's/^ +([a-z0-9-]+) .*\(([a-z, ]+)\)$/\1 \2/p'
}

# findings_on PAGE: a row "| `id` | level |".
findings_on() { sed -nE 's/^\| `([a-z0-9-]+)` \| ([a-z, ]+) \|.*/\1 \2/p' "$1"; }
