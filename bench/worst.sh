#!/bin/sh
# worst.sh - searches the worst sets of every router and writes them, and results/worst.csv:
#     sh bench/worst.sh PROGRAM [TRIES [ROUTER ..]]
# TRIES (default 600) is how many sets each of the searches tries: both objectives, both costs of copies, each of SHAPES
# ("16,16,1": side 16, congestion 16, one message per node; not every router has all). Each begins with the set that
# test/worst has for it, so nothing that was found before is lost. The sets of routers that are not named (default: all)
# stay, and are run once.
set -eu
program=$1
tries=${2:-600}
[ $# -lt 2 ] && shift || shift 2
shapes=${SHAPES:-16,16,1 32,4,1 24,9,1 16,16,4 64,16,1}
folder=test/worst
csv=results/worst.csv
routers=$("$program" complete -- search --router "" | tr '\n' ' ')
searched=${*:-$routers}
json=$(mktemp)
list=$(mktemp)
table=$(mktemp)
trap 'rm -f "$json" "$list" "$table" "$folder"/new.mcast' EXIT
trap 'exit 1' HUP INT TERM

# is_left_out ROUTER SHAPE: random circulates where c is large for the mesh, several messages per node are searched for two
# routers, and one shape for circulate
is_left_out() {
    case $1,$2 in
    random,32,* | random,64,* | circulate,16,16,1) return 1 ;;
    random,* | circulate,* | *,64,*) return 0 ;;
    replicate,* | stream,* | *,1) return 1 ;;
    esac
}

# field NAME: the value of a key of the JSON
field() {
    awk -v name="\"$1\":" '$1 == name && ++seen == 1 {
        sub(/^[^:]*: /, ""); sub(/,$/, ""); gsub(/"/, ""); print }' "$json"
}

# one ROUTER OBJECTIVE COPY SIDE CONGESTION PER_NODE: a search, its set, its line of runs.txt, its row of the CSV
one() {
    set_file=$folder/$1-$2-$3-$4-$5.mcast
    [ "$6" = 1 ] || set_file=$folder/$1-$2-$3-$4-$5-$6.mcast
    begin=
    [ -f "$set_file" ] && begin=$set_file
    limit="--tries $tries"
    case " $searched " in
    *" $1 "*) ;;
    *) limit="--tries 1" ;;
    esac
    status=0
    # shellcheck disable=SC2086
    "$program" search $begin --router "$1" --objective "$2" --copy "$3" --side "$4" \
        --congestion "$5" --per-node "$6" $limit --threads 1 -o $folder/new.mcast --json --quiet \
        >"$json" || status=$?
    [ "$status" -le 1 ] || exit "$status"
    # A set that nothing was found beyond keeps its file, which says how it was found
    if [ "$begin" != "" ] && [ "$(field from)" = "${begin##*/}" ] && [ "$(field moves)" = 0 ]; then
        rm $folder/new.mcast
    else
        mv $folder/new.mcast "$set_file"
    fi
    figure=$(field figure) bound=$(field bound)
    echo "${set_file##*/} $1 $2 $3 $(field seed) $figure" >>"$list"
    [ "$bound" = null ] && bound=
    ran_as=$(field ran_as)
    [ "$ran_as" = null ] && ran_as=
    echo "$1,$2,$3,$4,$5,$6,$figure,$bound,$(field is_broken),$ran_as" >>"$table"
}

for router in $routers; do
    for objective in steps buffer; do
        for copy in free unit; do
            for shape in $shapes; do
                side=${shape%%,*} rest=${shape#*,}
                is_left_out "$router" "$shape" ||
                    one "$router" $objective $copy "$side" "${rest%,*}" "${rest#*,}"
            done
        done
    done
done
# sets of other shapes, which no search here makes
awk 'NR == FNR { made[$1] = 1; next } !($1 in made)' "$list" $folder/runs.txt >>"$list"
cp "$list" $folder/runs.txt
{
    echo router,objective,copy,side,congestion,per_node,found,promised,is_broken,ran_as
    cat "$table"
} >"$csv"
