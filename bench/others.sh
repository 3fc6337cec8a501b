#!/bin/sh
# others.sh - other simulators beside ours, on one machine in one run, as doc/compare.md says.
#
#     BOOKSIM= NOXIM= ROSS_TORUS= TACOS= sh bench/others.sh PROGRAM [ROUNDS]
#
# All paths are absolute; a program whose variable is empty is left out. The others are built outside this tree, with Debian's
# bison flex g++ libsystemc-dev libyaml-cpp-dev cmake libopenmpi-dev time:
#
#     BookSim2  github.com/booksim/booksim2 28f4329: make in src
#     Noxim     github.com/davidepatti/noxim 4c8e72d: in bin, make OTHER="-DSC_NO_WRITE_CHECK --std=c++17" INCDIR=-I../src LIBDIR=
#     TACOS     github.com/astra-sim/tacos 1811f1f: g++ -O3 -DNDEBUG -std=c++17 -Iinclude -Iinclude/tacos src/main.cpp
#               src/*/*.cpp, with width, height and collectivesCount = 1 in main.cpp
#     ROSS      github.com/ROSS-org/ROSS dc3a6a0: cmake with -DCMAKE_BUILD_TYPE=Release -DROSS_BUILD_MODELS=OFF, and the torus
#               of ROSS-Models db8b997. In torus.h N_dims and N_dims_sim are 2, dim_length and dim_length_sim {32, 32},
#               PACKET_SIZE 32 and WAITING_PACK_COUNT 256. For this ROSS g_tw_npe is 1, g_tw_pe[0] and tw_getpe(..) are
#               g_tw_pe, and the arrays dim_N[ N_dims ] are one longer.
#
#     BOOKSIM     the program booksim of BookSim2
#     NOXIM       the folder of Noxim: bin/noxim, bin/power.yaml, config_examples/default_config.yaml
#     ROSS_TORUS  programs ${ROSS_TORUS}32 and ${ROSS_TORUS}64, the torus model with 32 x 32 and 64 x 64 nodes
#     TACOS       programs ${TACOS}8 and ${TACOS}16, which synthesise an all-gather on 8 x 8 and 16 x 16 nodes
#
# Each of ROUNDS (5) rounds runs every case once, so that all see the same machine; a figure is the median
# of processor time in user mode (GNU time, one core). Load is 0.2 of the network's capacity. A link
# transmission is one flit over one link; each is counted by the simulator's own figures:
#
#     BookSim2  injected flits per node and cycle x nodes x cycles x (hops - 1): it counts routers
#     Noxim     received flits x 2 k / 3, the mean distance
#     ROSS      finished packets x mean hops, of one chunk each
#     meshcast  channel_crossings
#
# Memory: the largest resident set; bytes per node from the two largest meshes of a case, which take equally
# many messages of ours, since their latencies are kept until the end.
set -eu
program=$1
rounds=${2:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# add NAME TIMES COMMAND: a case; in one measurement the command runs so many times
: >"$folder/cases"
add() {
    echo "$1 $2" >>"$folder/cases"
    printf '%s\n' "$3" >"$folder/$1.sh"
}

flits_of() { awk -v k="$1" -v flits="$2" 'BEGIN { printf "%.6f", 0.2 * 4 / k / flits }'; }

for k in 8 16 32; do
    for flits in 1 5; do
        rate=$(flits_of $k $flits)
        add "meshcast-$k-$flits" 1 "'$program' load --topology mesh:${k}x$k --scheme unicast \
            --router-delay 2 --buffer 8 --rate $rate --flits $flits --runs 1 --threads 1 \
            --measure $((300000 / flits)) --json -q"
        [ -n "${BOOKSIM:-}" ] || continue
        cat >"$folder/booksim-$k-$flits.cfg" <<END
topology = mesh; k = $k; n = 2; routing_function = dor; traffic = uniform;
num_vcs = 1; vc_buf_size = 8; packet_size = $flits; injection_rate = $rate;
routing_delay = 0; speculative = 1; seed = 1; sim_type = latency;
warmup_periods = 1; max_samples = 5; sample_period = $((320000 / k / k));
END
        # it ends with status 255
        add "booksim-$k-$flits" 1 "'$BOOKSIM' '$folder/booksim-$k-$flits.cfg' || [ \$? = 255 ]"
    done
    [ -n "${NOXIM:-}" ] || continue
    sed 's/^reset_time: .*/reset_time: 10/' "$NOXIM/config_examples/default_config.yaml" >"$folder/noxim.yaml"
    add "noxim-$k-5" 1 "'$NOXIM/bin/noxim' -config '$folder/noxim.yaml' -power '$NOXIM/bin/power.yaml' \
        -dimx $k -dimy $k -buffer 8 -size 5 5 -pir $(flits_of $k 5) poisson -routing XY -traffic random \
        -warmup 0 -seed 1 -sim $((1024000 / k / k))"
done
for k in 32 64; do
    add "meshcast_torus-$k-1" 1 "'$program' load --topology torus:${k}x$k --scheme unicast --vcs 2 \
        --rate $(awk -v k=$k 'BEGIN { print 0.2 * 8 / k }') --runs 1 --threads 1 \
        --measure 200000 --json -q"
    # links of 5 bytes a ns pass a packet of 32 bytes in 6.4 ns
    [ -z "${ROSS_TORUS:-}" ] || add "ross-$k-1" 1 "cd '$folder' && '$ROSS_TORUS$k' --synch=1 --end=$((320000 / k)) \
        --mem_factor=0 --memory=$((k * k * 24)) --arrive_rate=$((4 * k))"
done
for k in 8 16; do
    "$program" gen --side $k --pattern allgather --groups 1 -o "$folder/gather$k.mcast"
    add "gather_meshcast-$k" 20 "'$program' route '$folder/gather$k.mcast' --router circulate --copy free \
        --threads 1 --json -q"
    [ -z "${TACOS:-}" ] || add "gather_tacos-$k" $((k == 8 ? 20 : 1)) "'$TACOS$k'"
done

# ---- the runs ----

round=0
while [ $round -lt "$rounds" ]; do
    while read -r name times; do
        env time -f '%U %M' -o "$folder/time" sh -c 'i=0; while [ $i -lt '"$times"' ]; do
            sh "'"$folder/$name.sh"'" >"'"$folder/$name.out"'" 2>&1 || exit 1; i=$((i + 1)); done' ||
            { cat "$folder/$name.out" >&2 && exit 1; }
        tail -1 "$folder/time" | awk -v times="$times" '{ print $1 / times, $2 }' >>"$folder/$name.runs"
    done <"$folder/cases"
    round=$((round + 1))
done

# ---- the table ----

value() { awk -v name="\"$2\":" '$1 == name { sub(/,$/, "", $2); print $2; exit }' "$folder/$1.out"; }

# transmissions NAME K: of one run
transmissions() {
    case $1 in
    meshcast*) value "$1" channel_crossings ;;
    gather_meshcast*) value "$1" packet_hops ;;
    booksim*) awk -v n=$(($2 * $2)) '/^Time taken is/ { cycles = $4 } /^Injected flit rate average/ { rate = $6 }
        /^Hops average/ { hops = $4 } END { printf "%.0f", rate * n * cycles * (hops - 1) }' "$folder/$1.out" ;;
    noxim*) awk -v k="$2" '/Total received flits/ { printf "%.0f", $5 * 2 * k / 3 }' "$folder/$1.out" ;;
    ross*) awk '/total packets finished/ { n = $6 } /total hops/ { hops = $3 }
        END { printf "%.0f", n * hops }' "$folder/$1.out" ;;
    gather_tacos*) echo "$(($2 * $2 * ($2 * $2 - 1)))" ;; # each node but one takes each chunk once
    esac
}

# steps NAME K: those of an all-gather; of TACOS its time over that of a chunk on a link
steps() {
    case $1 in
    gather_meshcast*) value "$1" steps ;;
    gather_tacos*) awk -v n=$(($2 * $2)) '/^Collective Time/ {
        printf "%.2f", $3 / (0.5 + 12 * 2 ^ 20 / n / (50 * 2 ^ 30 / 1e6)) }' "$folder/$1.out" ;;
    *) echo - ;;
    esac
}

grep -m 1 'model name' /proc/cpuinfo 2>/dev/null | sed 's/.*: /processor: /' || true
echo "$(uptime | sed 's/.*load/load/'), $rounds rounds"
echo
echo '| case | k x k | transmissions | s | least to most | millions a second | steps | MB |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
while read -r name times; do
    k=$(echo "$name" | cut -d- -f2)
    sort -n "$folder/$name.runs" | awk -v name="$name" -v k="$k" -v hops="$(transmissions "$name" "$k")" \
        -v steps="$(steps "$name" "$k")" '
        { s[NR] = $1; if ($2 > most) most = $2 }
        END { m = s[int((NR + 1) / 2)]
              printf "| %s | %d | %d | %.4g | %.4g to %.4g | %.3g | %s | %.1f |\n", name, k, hops, m, s[1], s[NR],
                     (m > 0 ? hops / m / 1e6 : 0), steps, most / 1024 }'
done <"$folder/cases" | tee "$folder/table"
echo
awk -F'|' '{ gsub(/ /, "", $2); split($2, part, "-"); key = part[1] (part[3] != "" ? "-" part[3] : "")
    if (key in size && part[2] > size[key])
        bytes[key] = ($9 - memory[key]) * 1048576 / (part[2] ^ 2 - size[key] ^ 2)
    size[key] = part[2]; memory[key] = $9 }
    END { for (key in bytes) printf "%s: %.0f bytes per node\n", key, bytes[key] }' "$folder/table" | sort
