#!/bin/sh
# ranks.sh - two ranks of one thread against one rank of two threads, router by router, and how fast ranks talk.
#
#     sh bench/ranks.sh MESHCAST MESHCAST-MPI RANKS_SPEED MPIRUN [SIDE [C [ROUTER ...]]]
#
# SIDE is 1024 and C 16 if not given. Each router runs PAIRS (5) times in either way, one after the other; a line has the
# median seconds of both, and the median of the ratios threads / ranks: 1 is as fast. The last line is kernel sort. Nothing
# else should run: ranks that wait use their cores.
set -eu
alone=$1 ranks=$2 speed=$3 mpirun=$4 side=${5:-1024} c=${6:-16}
shift 4
[ $# -eq 0 ] || shift
[ $# -eq 0 ] || shift
pairs=${PAIRS:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# of OpenMPI: whoever is root may, and every rank may use every core
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none

echo "How long a call takes between two ranks: the median, in microseconds."
"$mpirun" -n 2 "$speed"

seconds() { sed -n 's/.*"wall_seconds": \([0-9.e-]*\).*/\1/p'; }
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

# compare NAME ARGUMENT ...: one line
compare() {
    name=$1
    shift
    : >"$folder/threads" >"$folder/ranks" >"$folder/ratios"
    for _ in $(seq "$pairs"); do
        a=$("$alone" "$@" --threads 2 --json -q | seconds)
        b=$("$mpirun" -n 2 "$ranks" "$@" --threads 1 --json -q | seconds)
        if [ -z "$a" ] || [ -z "$b" ]; then
            echo "ranks.sh: $name has failed" >&2
            exit 1
        fi
        echo "$a" >>"$folder/threads"
        echo "$b" >>"$folder/ranks"
        awk "BEGIN { print $a / $b }" >>"$folder/ratios"
    done
    printf '| %s | %.3f | %.3f | %.2f |\n' "$name" "$(median <"$folder/threads")" "$(median <"$folder/ranks")" \
        "$(median <"$folder/ratios")"
}

"$alone" gen --side "$side" --pattern uniform --congestion "$c" --degree "$c" --seed 1 -o "$folder/set"
echo
echo "How long a run takes: medians of $pairs runs with two threads, and as many on two ranks of one thread, in turn."
echo "A ratio of 1 is as fast, a larger one says that ranks are faster. Anything else that runs makes it smaller."
echo
echo "| $side x $side, d = c = $c | two threads, s | two ranks, s | threads / ranks |"
echo '| --- | --- | --- | --- |'
[ $# -gt 0 ] || set -- trees replicate stream unicast circulate random expander
for router in "$@"; do
    compare "\`$router\`" route "$folder/set" --router "$router"
done
compare '`kernel sort`' kernel sort --side "$side"
