#!/bin/sh
# golden.sh PROGRAM FILE - runs the command lines of FILE, which follow "$ ", one after the other in
# one new folder, and prints FILE anew: each line with what it writes to standard output, and its
# status unless that is 0. Times and rates become TIME, the program's version VERSION, an array of
# numbers one line, a carriage return at a line's end \r. To accept what has changed:
#
#     for f in test/data/golden/*; do test/cli/golden.sh ./meshcast $f >new && mv new $f; done
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
folder=$(mktemp -d) || exit 4
trap 'rm -rf "$folder"' EXIT
meshcast() { "$program" "$@"; }

# Replaces times and joins arrays.
normalise()
{
    sed -E 's/("[a-z_]*(seconds|per_second)": )[^,]+/\1TIME/
        s/("meshcast": )"[^"]*"/\1VERSION/; s/\r$/\\r/' | awk '
    # Splits a line of CSV into field[]; returns how many there are.
    function split_csv(line, field,    n, quoted, i, c) {
        n = 1; field[1] = ""
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (c == "\"") quoted = !quoted
            if (c == "," && !quoted) field[++n] = ""
            else field[n] = field[n] c
        }
        return n
    }
    function print_csv(field, n, end,    i) {
        for (i = 1; i <= n; i++) printf "%s%s", field[i], i < n ? "," : end "\n"
    }
    /^[a-z_]+,[a-z_]+,/ { print; sub(/\\r$/, ""); columns = split_csv($0, name); next }
    columns > 0 {
        end = sub(/\\r$/, "") ? "\\r" : ""
        n = split_csv($0, field)
        for (i = 1; i <= n; i++) {
            if (name[i] ~ /seconds|per_second/ && field[i] != "") field[i] = "TIME"
            if (name[i] == "meshcast") field[i] = "VERSION"
        }
        print_csv(field, n, end); next
    }
    open != "" {
        text = $0; sub(/^ +/, "", text)
        if (text ~ /^-?[0-9][0-9.e+-]*,?$/) { open = open (n++ ? " " : "") text; next }
        if (n > 0 && text ~ /^\],?$/) { print open text; open = ""; next }
        print open; open = ""
    }
    /\[$/ { open = $0; n = 0; next }
    { print }'
}

grep '^\$ ' "$2" | while IFS= read -r line; do
    printf '%s\n' "$line"
    (cd "$folder" && eval "${line#??}" 2>/dev/null; echo $? >status) | normalise
    read -r status <"$folder/status"
    if test "$status" != 0; then
        echo "status $status"
    fi
done
