# shellcheck shell=sh
# Sourced by slurm.sh: a Slurm cluster for one test. All daemons run on this host as this user, listen on loopback
# only and keep their files below $cluster. Every process is ended by its number.
cluster=$work/cluster
export SLURM_CONF="$cluster/slurm.conf"

# free_ports COUNT: different free ports below those that the system gives out.
free_ports() {
  python3 - "$1" <<'PYTHON'
import random, socket, sys
held = []
while len(held) < int(sys.argv[1]):
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", random.randint(10000, 30000)))
        held.append(s)
    except OSError:
        pass
print(*(s.getsockname()[1] for s in held))
PYTHON
}

# daemon NAME COMMAND...: in the background; its number goes to NAME.daemon.
daemon() {
  name=$1
  shift
  "$@" >"$cluster/$name.out" 2>&1 </dev/null &
  echo $! >"$cluster/$name.daemon"
}

# until_true SECONDS COMMAND...
until_true() {
  tries=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}

idle_nodes() { [ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" -eq "$1" ]; }

configuration() { # NODES CPUS PORT...
  nodes=$1 cpus=$2 port=$3
  shift 3
  cat <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0,bf_interval=2,requeue_delay=1
PriorityType=priority/basic
SlurmdParameters=config_overrides
SlurmdTimeout=5
KillWait=5
MinJobAge=600
ReturnToService=2
CONF
  for node in $(seq "$nodes"); do
    echo "NodeName=n$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$1 CPUs=$cpus State=UNKNOWN"
    shift
  done
  echo "PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=60 State=UP"
}

start_cluster() { # NODES CPUS
  mkdir -p "$cluster/state"
  chmod 755 "$cluster"
  head -c 128 /dev/urandom >"$cluster/munge.key"
  chmod 600 "$cluster/munge.key"
  daemon munged munged -F --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" --pid-file="$cluster/munge.pid" \
    --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed"
  until_true 60 test -S "$cluster/munge.socket" || fail "munged does not start: $(cat "$cluster/munged.out")"
  # shellcheck disable=SC2046 # numbers
  configuration "$1" "$2" $(free_ports $(($1 + 1))) >"$SLURM_CONF"
  daemon slurmctld slurmctld -D
  until_true 60 scontrol ping || fail "slurmctld does not start: $(tail "$cluster/slurmctld.log")"
  for node in $(seq "$1"); do daemon "n$node" slurmd -D -N "n$node"; done
  until_true 120 idle_nodes "$1" || fail "not all nodes came up: $(sinfo -N -l)"
}

# processes_with NAME=VALUE: processes of this cluster's jobs that have it in their environment.
processes_with() {
  for file in $(grep -lzx "$1" /proc/[0-9]*/environ 2>/dev/null); do
    grep -qzx "SLURM_CONF=$SLURM_CONF" "$file" 2>/dev/null && basename "$(dirname "$file")"
  done
  true
}

# process_of TASK: the number of the program that an array's task runs.
process_of() {
  for process in $(processes_with "SLURM_ARRAY_TASK_ID=$1"); do
    [ "$(cat "/proc/$process/comm" 2>/dev/null)" != detent ] || echo "$process"
  done
}

node_of() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^SLURMD_NODENAME=//p'; }

# processes_on NODE: processes of its jobs, and their slurmstepds.
processes_on() {
  for process in $(processes_with "SLURMD_NODENAME=$1"); do
    echo "$process"
    parent=$(awk '/^PPid:/ { print $2 }' "/proc/$process/status" 2>/dev/null || true)
    case "$(cat "/proc/${parent:-0}/comm" 2>/dev/null || true)" in slurmstepd*) echo "$parent" ;; esac
  done | sort -u
}

# Ends the daemon and all processes of the node at once, as a power cut does.
kill_node() {
  # shellcheck disable=SC2046 # numbers
  kill -9 "$(cat "$cluster/$1.daemon")" $(processes_on "$1") 2>/dev/null || true
  rm "$cluster/$1.daemon"
}

stop_cluster() {
  [ -e "$cluster/slurmctld.daemon" ] || return 0
  timeout 10 scancel --me 2>/dev/null || true
  for _ in $(seq 50); do [ -n "$(timeout 5 squeue -h --me 2>/dev/null)" ] || break; sleep 0.1; done
  daemons=$(cat "$cluster"/*.daemon)
  # shellcheck disable=SC2086 # numbers
  kill $daemons 2>/dev/null || true
  for process in $daemons; do
    for _ in $(seq 50); do kill -0 "$process" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$process" 2>/dev/null || true
  done
}
