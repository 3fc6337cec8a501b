#!/bin/sh
# quote.sh - runs the commands of pages and puts what they print into the blocks that follow them.
#
#     sh doc/quote.sh PROGRAM PAGE...
#
# As suite `tutorial` reads a page: the commands are the blocks fenced with ```sh, run one after the other in one folder;
# a plain fenced block that follows is what they print. A block in which only times differ stays as it is. A picture that
# is drawn under the name of one of doc/ replaces that.
set -eu
program=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for page in "$@"; do
    rm -rf "$folder/clone"
    mkdir -p "$folder/bin" "$folder/clone/build"
    ln -sf "$program" "$folder/bin/meshcast"
    ln -s "$program" "$folder/clone/meshcast"
    ln -s "$PWD/test" "$PWD/results" "$folder/clone"
    cp doc/microcircuit.txt "$folder/clone"
    awk -v folder="$folder" '
    function masked(line,    at, rest) { # without times, as the test compares them
        sub(/wall time.*/, "wall time", line)
        for (at = length(line); at > 1; at--) {
            rest = substr(line, at)
            if (substr(line, at - 1, 1) == " " && rest ~ /^[0-9]+\.[0-9][0-9][0-9]( |$)/) {
                line = substr(line, 1, at - 1)
                sub(/ +$/, "", line)
                sub(/^[^ ]+/, "", rest)
                return line rest
            }
        }
        return line
    }
    function run(    status) {
        printf "%s", commands >(folder "/block")
        close(folder "/block")
        status = system("cd " folder "/clone && PATH=" folder "/bin:$PATH sh -e ../block >../out 2>&1")
        if (status != 0) {
            print FILENAME ":" FNR ": the commands end with status " status >"/dev/stderr"
            failed = 1
            exit
        }
        printed = same = ""
        while ((getline line <(folder "/out")) > 0) {
            printed = printed line "\n"
            same = same masked(line) "\n"
        }
        close(folder "/out")
        is_due = 1
    }
    $0 == "```sh" { print; commands = ""; state = "commands"; next }
    state == "commands" && $0 == "```" { print; state = ""; run(); next }
    state == "commands" { print; commands = commands $0 "\n"; next }
    $0 == "```" && is_due { print; old = was = ""; state = "output"; is_due = 0; next }
    state == "output" && $0 == "```" { printf "%s", was == same ? old : printed; print; state = ""; next }
    state == "output" { old = old $0 "\n"; was = was masked($0) "\n"; next }
    { print }
    END { exit failed }' "$page" >"$folder/page"
    for picture in "$folder"/clone/*.svg; do
        [ ! -f "doc/${picture##*/}" ] || cp "$picture" doc
    done
    cmp -s "$folder/page" "$page" || { cat "$folder/page" >"$page"; echo "$page: quoted anew"; }
done
