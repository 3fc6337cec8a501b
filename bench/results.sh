#!/bin/sh
# results.sh - measures what the paper's theorems say and writes doc/results.md with its pictures:
#     [JOBS=J] [SEEDS=N] [C=LIST] [MOST=K] [DB=FILE] sh bench/results.sh PROGRAM [SIDE ...]
# The sides are 64 128 256 512 unless given, C, the congestions, 16 64 256, as far as c n <= 2^MOST
# (22); for the routers that take long, circulate, unicast and expander, 2^(MOST - 2).
# The runs are rows of the database DB (build/results.db), so the script goes on where it was
# interrupted. Up to side 128 there are SEEDS (3) sets of each kind, one of larger ones. JOBS (1)
# runs go on at once. The page up to its line "## Measured" is written by hand and kept.
set -eu
program=$1
shift
test $# -gt 0 || set -- 64 128 256 512
db=${DB:-build/results.db}
congestions=${C:-16 64 256}
most=${MOST:-22}
page=doc/results.md
command -v gnuplot >/dev/null || {
    echo "results.sh: gnuplot draws the pictures; install it (Debian: gnuplot-nox)" >&2
    exit 1
}
mkdir -p "$(dirname "$db")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# sweep SIDE SEEDS EXPONENT ROUTERS: with every c for which c n <= 2^EXPONENT
sweep() {
    fit=
    for c in $congestions; do
        test $((c * $1 * $1)) -gt $((1 << $3)) || fit="$fit${fit:+,}$c"
    done
    test -z "$fit" || "$program" sweep --db "$db" --jobs "${JOBS:-1}" --copy unit,free --side "$1" \
        --seeds "$2" --congestion "$fit" --router "$4" --pattern uniform,worst,hotspot,block
}
for side; do
    seeds=${SEEDS:-3}
    test "$side" -le 128 || seeds=1
    sweep "$side" "$seeds" "$most" replicate,random,stream,trees
    sweep "$side" 1 $((most - 2)) circulate,unicast,expander
done
report() {
    "$program" report "$db" "$@"
}

# table SCRIPT: runs awk over the workloads, with the CSV's columns as at["name"]
table() {
    tr -d '\r' <"$work/workloads" | awk -F, "
        function number(name) { return \$at[name] + 0 }
        function range(least, most, digits) {
            return sprintf(\"%.\" digits \"f to %.\" digits \"f\", least, most)
        }
        function take(key, value) {
            if (!(key in low) || value < low[key]) low[key] = value
            if (!(key in high) || value > high[key]) high[key] = value
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
        number(\"runs\") == 0 { next }
        { side = number(\"rows\"); c = number(\"congestion\")
          router = \$at[\"router\"]; copy = \$at[\"copy\"]
          if (!(side in seen)) { seen[side] = 1; order[++sides] = side } }
        $1"
}
report --csv >"$work/workloads"

claims() {
    # shellcheck disable=SC2016
    table '
    $at["workload"] == "worst" && c >= 16 { take("1", number("lower_bound") / number("sqrt_cn")) }
    { take("steps " router " " copy, number("steps_per_sqrt_cn"))
      take("buffer " router " " copy, number("buffer_peak_max"))
      take("per c " router " " copy, number("buffer_peak_max") / c)
      root_d = sqrt(number("degree")) * number("sqrt_cn"); log_n = 2 * log(side) / log(2)
      if (router == "unicast") take("root d unicast " copy, number("steps") / root_d)
      if (router == "expander") take("log expander " copy, number("steps") / number("sqrt_cn") / log_n ^ 2)
      if (router == "circulate") take("n/2 " copy, number("steps") / (side * side / 2)) }
    copy == "free" && router == "stream" { take("goal stream", share(1.6, 4)) }
    copy == "free" && router == "replicate" { take("goal replicate", share(1.5, 8)) }
    # the part of S steps and M sides that a run takes without synchronisation
    function share(S, M) {
        return (number("steps") - number("sync_steps")) / (S * number("sqrt_cn") + M * side)
    }
    function both(key, digits) {
        return range(low[key " free"], high[key " free"], digits) " | " \
               range(low[key " unit"], high[key " unit"], digits) " |"
    }
    function claim(what, promise, unit, figures) {
        print "| " what " | " promise " | " unit " | " figures
    }
    END {
        print "| | claim | measured is | free copies | a copy costs a step |"
        print "|---|---|---|---|---|"
        claim("Theorem 1", "some instance needs a constant times sqrt(c n) steps",
              "bound / sqrt(c n), `worst`", range(low["1"], high["1"], 2) " | the same |")
        claim("Theorem 2, `replicate`", "O(sqrt(c n)) steps", "steps / sqrt(c n)",
              both("steps replicate", 2))
        claim("", "1.5 sqrt(c n) + 8 m (our goal, without sync)", "part of it",
              range(low["goal replicate"], high["goal replicate"], 2) " | - |")
        claim("", "O(c) packets per node", "packets / c", both("per c replicate", 2))
        claim("Theorem 3, `random`", "O(sqrt(c n)) steps, w.h.p.", "steps / sqrt(c n)",
              both("steps random", 2))
        claim("", "O(1) packets per node", "packets", both("buffer random", 0))
        claim("`stream`, ours", "1.6 sqrt(c n) + 4 m (our goal, without sync)", "part of it",
              range(low["goal stream"], high["goal stream"], 2) " | - |")
        claim("", "O(sqrt(c n)) steps", "steps / sqrt(c n)", both("steps stream", 2))
        claim("", "at most 16 packets per node, 3 more with unit copies", "packets",
              both("buffer stream", 0))
        claim("Theorem 4, `expander`", "O(sqrt(c n) log(n)^2) steps", "steps / (sqrt(c n) log2(n)^2)",
              both("log expander", 2))
        claim("", "10 to 14 packets per node, 3 more where copies cost", "packets",
              both("buffer expander", 0))
        claim("`unicast`", "O(sqrt(d c n)) steps", "steps / sqrt(d c n)", both("root d unicast", 2))
        claim("", "10 packets per node", "packets",
              both("buffer unicast", 0))
        claim("`circulate`", "n / 2 steps with free copies", "steps / (n / 2)", both("n/2", 2))
        claim("`trees`, baseline", "none", "steps / sqrt(c n)", both("steps trees", 2))
    }'
}

# constants MEASURE: a row per router, copy and c; a column a side: the largest over the patterns
constants() {
    # shellcheck disable=SC2016
    table '
    { key = router " | " copy " | " c
      if (!(key in known)) { known[key] = 1; name[++names] = key }
      take(key " " side, number("'"$1"'")) }
    END {
        printf "| router | copies | c |"; for (i = 1; i <= sides; i++) printf " m = %d |", order[i]
        printf "\n|---|---|---:|"; for (i = 1; i <= sides; i++) printf "---:|"
        print ""
        for (n = 1; n <= names; n++) {
            printf "| %s |", name[n]
            for (i = 1; i <= sides; i++)
                printf " %s |", (name[n] " " order[i]) in high ? \
                    sprintf("'"$2"'", high[name[n] " " order[i]]) : "-"
            print ""
        }
    }' >"$work/constants"
    head -n 2 "$work/constants"
    tail -n +3 "$work/constants" | LC_ALL=C sort -t '|' -k 2,2 -k 3,3 -k 4,4n
}

exponents() {
    report --csv --table fits | tr -d '\r' | awk -F, '
        function mark(value) {
            return value == "" ? "-" : sprintf("%.3f%s", value, value < .4 || value > .6 ? "!" : "")
        }
        function error(value) { return value == "" ? "-" : sprintf("%.3f", value) }
        function coefficient(value) { return value == "" ? "-" : sprintf("%.2f", value) }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            print "| pattern | router | copies | points | x, of c | +- | y, of n | +- | scatter |" \
                " c1, of S | c2, of m | scatter |"
            print "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
            next
        }
        { printf "| %s | %s | %s | %s |", $at["workload"], $at["router"], $at["copy"], $at["points"]
          printf " %s | %s |", mark($at["exponent_c"]), error($at["exponent_c_error"])
          printf " %s | %s |", mark($at["exponent_n"]), error($at["exponent_n_error"])
          printf " %s | %s |", error($at["scatter"]), coefficient($at["coefficient_s"])
          printf " %s | %s |\n", coefficient($at["coefficient_m"]), error($at["coefficients_scatter"]) }'
}

for what in steps buffers ratio; do
    report --plot $what --copy free -o "doc/results-$what.svg"
done
# shellcheck disable=SC2016
minutes=$(table '{ seconds += number("wall_seconds") * number("runs") }
                 END { printf "%.1f", seconds / 60 }')
{
    sed '/^## Measured$/q' "$page"
    # shellcheck disable=SC2016
    printf '\nm = %s; c = %s; %s.\n' "$(table '
        END { for (i = 1; i <= sides; i++) printf "%s%d", i == 1 ? "" : ", ", order[i] }')" \
        "$(echo "$congestions" | sed 's/ /, /g') with c n <= 2^$most, the last three routers 2^$((most - 2))" \
        'patterns `uniform`, `worst`, `hotspot`, `block`, each with its own d'
    printf '\n### Claims and figures\n\n'
    claims
    printf '\n### steps / sqrt(c n), the largest of the patterns, medians over seeds\n\n'
    constants steps_per_sqrt_cn %.2f
    printf '\n### Packets a node, the most over patterns and seeds\n\n'
    constants buffer_peak_max %d
    printf '\n### Exponents of log steps = a + x log c + y log n, coefficients of steps = c1 S + c2 m\n\n'
    exponents
    printf '\n### Pictures (free copies)\n\n'
    for what in steps buffers ratio; do
        printf '![%s](results-%s.svg)\n\n' "$what" "$what"
    done
    report --markdown --table workloads >"$work/all"
    if grep -q '^### Runs that' "$work/all"; then
        sed -n '/^### Runs that/,$p' "$work/all"
    else
        echo 'No run was refused or failed a check.'
    fi
    printf '\nThe runs took %s minutes one after the other.\n' "$minutes"
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
