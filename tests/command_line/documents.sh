# shellcheck shell=sh
# Sourced after expect.sh: collects JSON documents of the program and validates them against the JSON Schemas in the
# folder $SCHEMAS.
: "${validate:=$here/validate_documents.py}"
schemas=$SCHEMAS
mkdir documents
python=
for one in python3 /usr/bin/python3; do
  [ -z "$python" ] && "$one" -c 'from jsonschema import Draft202012Validator' 2>/dev/null && python=$one
done
if [ -z "$python" ]; then
  echo "SKIPPED: Python's module jsonschema with draft 2020-12 is not there (Debian: python3-jsonschema)"
  exit 77
fi

# document NAME KIND ARG...: keeps the output of `detent ARG... --json` as documents/NAME.json; exit code 0, or 1 if a
# check or bound fails.
document() {
  name=$1 kind=$2
  shift 2
  run "$@" --json documents/$name.json
  [ "$code" -le 1 ] || fail "$name: exit $code"
  grep -q "^  \"schema\": \"urn:detent:$kind:" documents/$name.json || fail "$name: its document is no '$kind'"
}

# follow_schemas [OPTION...]: all documents follow them, and their twins do not.
follow_schemas() {
  cases=$((cases + 1))
  "$python" "$validate" "$@" "$schemas" documents/*.json >stdout 2>stderr || fail "documents and schemas differ"
  tail -n 1 stdout
}
