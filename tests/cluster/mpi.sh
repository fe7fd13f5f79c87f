#!/bin/sh
# The recipe for Open MPI: the bytes of one run, also if it is started again.
. "$(dirname "$0")/recipes.sh"
needs mpirun
# mpirun refuses root without these two.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
block "Open MPI" 1 >recipe.sh
for time in first second; do
  sh recipe.sh >out 2>&1 || fail "the recipe, $time time: $(cat out)"
  same "Open MPI, $time time"
done
[ "$(grep -c '^kept ' out)" -eq 5 ] || fail "once more: four shards and their sum are kept: $(cat out)"
echo "mpi: 4 processes, byte-identical; again: kept"
