#!/bin/sh
# The recipe for GNU parallel: the bytes of one run, also if it is started again.
. "$(dirname "$0")/recipes.sh"
needs parallel
block "GNU parallel" 1 >recipe.sh
sh recipe.sh >out 2>&1 || fail "the recipe: $(cat out)"
same "GNU parallel"
[ "$(ls part-*.dct | wc -l)" -eq 4 ] || fail "not four shards: $(ls)"
sh recipe.sh >out 2>&1 || fail "the recipe once more: $(cat out)"
[ "$(grep -c '^kept ' out)" -eq 5 ] || fail "once more: four shards and their sum are kept: $(cat out)"
rm part-2.dct MODEL.dct
code=0
detent merge part-*.dct -o MODEL.dct >out 2>&1 || code=$?
[ $code -eq 1 ] && grep -q "2/4" out || fail "a missing shard: exit $code, $(cat out)"
sh recipe.sh >out 2>&1 || fail "the recipe with a lost shard: $(cat out)"
same "GNU parallel after a loss"
echo "parallel: 4 shards, byte-identical; again: kept; a lost shard: named, then measured again"
