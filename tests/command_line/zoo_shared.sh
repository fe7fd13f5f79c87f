#!/bin/sh
# The zoo's networks, each fed as stacked arrays, as folders of one file a sample, and as test_data_set folders: the
# same tables. Samples are named after their files, so the compared tables name samples by their content.
. "$(dirname "$0")/expect.sh"
zoo=${DETENT_SHARED-}/zoo
if [ ! -d "$zoo" ]; then
  echo "SKIPPED zoo_shared: no shared folder with networks at '${DETENT_SHARED-}'"
  exit 77
fi

# calibrate_as FORM ARG...: in/FORM.dct, samples named by content.
calibrate_as() {
  form=$1
  shift
  rm -f in/table.dct
  accepts "$name as $form" calibrate "$zoo/$name/model.onnx" --quiet --limit 4 -o in/table.dct "$@"
  "$MAKE_FILES" nameless in/table.dct "in/$form.dct" || fail "$name as $form: no table"
}

for name in chess duck_policy gtcrn_simple jax_vit_fn latentradio_enc pfld; do
  rm -rf in/* && mkdir -p in/rows
  inputs=$(sed 's/.*"inputs": \[\([^]]*\)\].*/\1/; s/[",]/ /g' "$zoo/$name/inputs.json")
  stacked="" rows="" arrays=""
  for input in $inputs; do
    array=$zoo/$name/calib__$input.npy
    "$MAKE_FILES" rows "$array" "in/rows/$input"
    stacked="$stacked --data $input=$array" rows="$rows --data $input=in/rows/$input" arrays="$arrays $array"
  done
  # shellcheck disable=SC2086
  "$MAKE_FILES" test_data in/sets $arrays
  # shellcheck disable=SC2086
  calibrate_as stacked $stacked
  # shellcheck disable=SC2086
  calibrate_as rows $rows
  calibrate_as sets --data in/sets
  cmp in/stacked.dct in/rows.dct || fail "$name: a folder of arrays gives another table than their stack"
  cmp in/stacked.dct in/sets.dct || fail "$name: test_data_set folders give another table than the stack"
  # The negative twin: other samples.
  # shellcheck disable=SC2086
  calibrate_as others $stacked --shuffle 7
  [ "$name" = jax_vit_fn ] || ! cmp -s in/stacked.dct in/others.dct || fail "$name: other samples give the same table"
done
finish
