#!/bin/sh
# worst.sh - searches the worst sets of every router and writes them, and the table of doc/worst.md:
#     sh bench/worst.sh PROGRAM [SECONDS [ROUTER ..]]
# SECONDS (default 60) are for each of the searches: both objectives, both costs of copies, each
# mesh of SHAPES ("16,16": side 16, congestion 16), and for some routers each of shapes with up to four messages from a
# node: 112 searches. Each begins with the worst set that stands in
# test/worst, so nothing that was found before is lost, and what routers have learned since is told
# anew. Of the routers that are not named (default: all) the sets stay, and are run once.
# The page up to its line "## Found" is written by hand and kept.
set -eu
program=$1
seconds=${2:-60}
[ $# -lt 2 ] && shift || shift 2
shapes=${SHAPES:-16,16 32,4 8,64}
several_shapes='16,64 8,64'
several_routers='replicate stream'
folder=test/worst
page=doc/worst.md
routers=$("$program" complete -- search --router "" | tr '\n' ' ')
searched=${*:-$routers}
json=$(mktemp)
table=$(mktemp)
list=$(mktemp)
trap 'rm -f "$json" "$json.set" "$table" "$list" "$folder"/new.mcast' EXIT
trap 'exit 1' HUP INT TERM

# field NAME [NUMBER]: the value of a key of the JSON, of its NUMBER-th place
field() {
    awk -v name="\"$1\":" -v wanted="${2:-1}" '$1 == name && ++seen == wanted {
        sub(/^[^:]*: /, ""); sub(/,$/, ""); gsub(/"/, ""); print }' "$json"
}

# origin_of FILE: how its set was found
origin_of() {
    sed -n '3s/.*found by //p' "$1"
}

# one ROUTER OBJECTIVE COPY SIDE CONGESTION PER_NODE: a search, its set, its rows
one() {
    several= shape="$4, $5"
    [ "$6" -gt 1 ] && several=-$6 shape="$shape, l = $6"
    set_file=$folder/$1-$2-$3-$4-$5$several.mcast
    begin=
    [ -f "$set_file" ] && begin=$set_file
    limit="--seconds $seconds"
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
    figure=$(field figure) from=$(field from) moves=$(field moves) last=$(field last_move)
    # A set that nothing was found beyond keeps its file, which says how it was found; one that was
    # found from it has its origin, and the moves of both
    if [ "$begin" != "" ] && [ "$from" = "${begin##*/}" ]; then
        if [ "$moves" != 0 ]; then
            origin=$(origin_of "$begin")
            made=${origin%; * move*}
            before=${origin#"$made"}
            before=${before#; }
            before=${before%% *}
            sed "3s|found by .*|found by $made; $((moves + ${before:-0})) moves, the last: $last|" \
                $folder/new.mcast >"$json.set"
            cat "$json.set" >"$set_file"
        fi
        rm $folder/new.mcast
    else
        mv $folder/new.mcast "$set_file"
    fi
    echo "${set_file##*/} $1 $2 $3 $(field seed) $figure" >>"$list"
    bound=$(field bound) formula=$(field formula) ran_as=$(field ran_as)
    if [ "$bound" = null ]; then
        bound=- formula=-
    else
        bound=$(printf %.0f "$bound")
    fi
    [ "$ran_as" = null ] || formula="as \`$ran_as\`: $formula"
    echo "| \`$1\` | $2 | $3 | $shape | $formula | $(field kind) | $bound | $figure |" \
        "$([ "$(field is_broken)" = true ] && echo '**broken**; ')$(origin_of "$set_file") |" >>"$table"
}

for router in $routers; do
    for objective in buffer steps; do
        for copy in free unit; do
            for shape in $shapes; do
                one "$router" "$objective" "$copy" "${shape%,*}" "${shape#*,}" 1
            done
            case " $several_routers " in
            *" $router "*)
                for shape in $several_shapes; do
                    one "$router" "$objective" "$copy" "${shape%,*}" "${shape#*,}" 4
                done
                ;;
            esac
        done
    done
done
cp "$list" $folder/runs.txt
{
    sed '/^## Found$/q' "$page"
    echo
    echo "| router | objective | copies | m, c | promised | it is | of the worst set | worst found | by |"
    echo "|---|---|---|---|---|---|---|---|---|"
    cat "$table"
} >"$page.new"
mv "$page.new" "$page"
