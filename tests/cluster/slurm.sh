#!/bin/sh
# The recipe for Slurm on four nodes: one task is queued again while it runs, one is interrupted as before the end of its time, one
# node dies, a finished task is queued again; the table is that of one run.
COPIES=${COPIES:-$((16 * $(nproc)))} # a task takes about a second, whatever the machine
. "$(dirname "$0")/recipes.sh"
needs slurmctld slurmd srun munged python3
. "$here/slurm_cluster.sh"
cleanup() {
  stop_cluster
  rm -rf "$work"
}
start=$(date +%s)
start_cluster 4 4
echo "four nodes after $(($(date +%s) - start)) s"

block "Slurm" 1 >recipe.sh
# The recipe's checkpoints come after 60 s: here a task takes seconds.
sed -i 's/--resume /--resume --checkpoint 0.1 /' recipe.sh
job=$(sbatch --parsable recipe.sh)
merge=$(block "Slurm" 2 | sed "s/JOB/$job/" | sh | awk '{ print $NF }')

state() { squeue -h -t all -r -j "$1" -o %T; }
all_are() { [ "$(state "$1" | sort -u)" = "$2" ]; }
begun() { [ -n "$(process_of "$1")" ]; }
has_left_something() { [ -e "part-$1.dct.partial" ]; }
# stop TASK: it stands still as soon as it has left something. Its number goes to stopped.TASK.
stop() {
  until_true 60 begun "$1" || return 1
  process_of "$1" >"stopped.$1"
  until_true 60 has_left_something "$1" || return 1
  kill -STOP "$(cat "stopped.$1")" && [ ! -e "part-$1.dct" ]
}

# Three tasks are stopped in the middle of their work, so that nothing below depends on how fast this machine is.
stopping=""
for task in 1 2 3; do
  (trap - EXIT; stop $task || touch "missed.$task") &
  stopping="$stopping $!"
done
# shellcheck disable=SC2086 # numbers
wait $stopping
for task in 1 2 3; do
  [ ! -e "missed.$task" ] || fail "task $task cannot be stopped in the middle of its work: $(squeue; cat slurm-*.out)"
done
# The first is queued again: Slurm wakes and ends it. The second is signalled as --signal does it: its steps, not its shell.
scontrol requeue "${job}_1"
kill -INT "$(cat stopped.2)"
kill -CONT "$(cat stopped.2)"
# The node of the third dies.
node=$(node_of "$(cat stopped.3)")
kill_node "$node"
echo "task 1 was queued again, task 2 interrupted, node $node is dead"

until_true 240 all_are "$job" COMPLETED || fail "the tasks do not end: $(squeue -t all; cat slurm-*.out)"
until_true 60 all_are "$merge" COMPLETED || fail "the merge does not end: $(squeue -t all; cat "slurm-$merge.out")"
same "Slurm"
[ "$(ls part-*.dct | wc -l)" -eq 16 ] || fail "not 16 shards: $(ls)"
! ls -A | grep -E '[.]partial$|[.]tmp$' || fail "files were left"
for task in 1 2 3; do
  grep -q "measured before" "slurm-${job}_$task.out" || fail "task $task did not go on: $(cat "slurm-${job}_$task.out")"
done

grep -q "interrupted; part-2" "slurm-${job}_2.out" || fail "task 2 was not interrupted: $(cat "slurm-${job}_2.out")"

# A finished task is queued again: it finds its table complete.
scontrol requeue "${job}_4"
done_again() { all_are "${job}_4" COMPLETED && grep -q '^kept part-4.dct' "slurm-${job}_4.out"; }
until_true 60 done_again || fail "the finished task: $(state "${job}_4"; cat "slurm-${job}_4.out")"
echo "slurm: 16 tasks, byte-identical after a requeue, an interruption, a dead node and a second run; $(($(date +%s) - start)) s"
