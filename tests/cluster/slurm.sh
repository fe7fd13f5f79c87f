#!/bin/sh
# The recipe for Slurm on four nodes: one task is queued again while it runs, one is interrupted like a task whose
# time ends, one node dies, a finished task is queued again; the table is that of one run.
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
# Three tasks find a pipe in the place of their checkpoints. They cannot continue from a pipe, so they begin anew, and
# write a checkpoint after each of their six samples. The pipe holds less than one.
held="1 2 3"
for task in $held; do mkfifo "part-$task.dct.partial"; done
rm bin/detent
cat >bin/detent <<WRAPPER
#!/bin/sh
if [ -p "part-\${SLURM_ARRAY_TASK_ID-}.dct.partial" ]; then
  # shellcheck disable=SC2046
  set -- \$(echo "\$*" | sed 's/--threads [0-9]*/--threads 1/; s/--resume/--checkpoint 0.000001/')
fi
exec "$DETENT" "\$@"
WRAPPER
chmod +x bin/detent
job=$(sbatch --parsable recipe.sh)
merge=$(block "Slurm" 2 | sed "s/JOB/$job/" | sh | awk '{ print $NF }')

state() { squeue -h -t all -r -j "$1" -o %T; }
all_are() { [ "$(state "$1" | sort -u)" = "$2" ]; }

# first_checkpoint <STREAM: a reader that gets its turn late finds the end of the first checkpoint behind the start of
# the second one, and reads both.
first_checkpoint() {
  python3 -c '
import sys
data = sys.stdin.buffer.read()
end = data.find(data[:8], 8)
sys.stdout.buffer.write(data if end < 0 else data[:end])'
}

# The first checkpoint is read and left as a file. The task has then done another sample or two and waits while it
# writes its next checkpoint.
for task in $held; do
  pipe=part-$task.dct.partial
  timeout 240 cat "$pipe" >read || fail "task $task writes no checkpoint: $(squeue; cat slurm-*.out)"
  eval "exec $((task + 3))<$pipe" # waits for a writer
  first_checkpoint <read >checkpoint
  mv checkpoint "$pipe"
  [ ! -e "part-$task.dct" ] || fail "task $task does not stand still"
done
second=$(process_of 2) third=$(process_of 3)
[ -n "$second" ] && [ -n "$third" ] || fail "tasks 2 and 3 do not run: $(squeue; cat slurm-*.out)"
# The first task is queued again: Slurm ends it. The second is signalled as --signal does it: its steps, not its
# shell. The pipes let both continue.
scontrol requeue "${job}_1"
kill -INT "$second"
timeout 60 cat <&4 >rest.1 &
timeout 60 cat <&5 >rest.2 &
# The node of the third dies.
node=$(node_of "$third")
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
