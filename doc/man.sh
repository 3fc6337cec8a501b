#!/bin/sh
# man.sh - writes the manual page of a command, made of its --help, which is made of the table of its options.
#
#     sh doc/man.sh PROGRAM COMMAND >meshcast-COMMAND.1
set -eu
"$1" "$2" --help | awk -v name="meshcast-$2" -v title="$(sed -n 's/^\.TH MESHCAST //p' doc/man/meshcast.1)" '
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return (text ~ /^[.\047]/ ? "\\&" : "") text
}
function put(line) {
    page[within] = page[within] line "\n"
}
NR == 1 { sub(/^[^:]*: /, ""); summary = name " - " $0; next }
within == "" && /^[a-z]/ { summary = summary " " $0; next }
/^$/ { is_new = 1; next }
/^Examples:$/ { within = "EXAMPLES"; is_new = 0; next }
/^Options:$/ { within = "OPTIONS"; is_new = 0; next }
/^Usage: / { within = "SYNOPSIS" }
/^See also: / { within = "SEE ALSO"; put(".BR meshcast (1),"); $0 = substr($0, 11) }
is_new && /^[^ ]/ && !/^Usage: / && within != "SEE ALSO" { within = "DESCRIPTION" }
within == "SYNOPSIS" { put(roff(substr($0, 8))); next }
within == "EXAMPLES" { put((is_new ? "\n" : "") roff(substr($0, 3))); is_new = 0; next }
within == "OPTIONS" && /^  [-A-Z]/ {
    option = substr($0, 3)
    text = match(option, /  +/) ? substr(option, RSTART + RLENGTH) : ""
    put(".TP\n.B " roff(text == "" ? option : substr(option, 1, RSTART - 1)))
    if (text != "") put(roff(text))
    next
}
is_new && within == "DESCRIPTION" { put(".PP"); is_new = 0 }
within == "DESCRIPTION" && /^  / { put(".nf\n" roff($0) "\n.fi"); next }
{ sub(/^ +/, ""); put(roff($0)) }
END {
    print ".TH " toupper(name) " " title "\n.SH NAME\n" roff(summary) "\n.SH SYNOPSIS\n.nf\n" page["SYNOPSIS"] ".fi"
    sub(/^\.PP\n/, "", page["DESCRIPTION"])
    if ("DESCRIPTION" in page && page["DESCRIPTION"] != "") printf ".SH DESCRIPTION\n%s", page["DESCRIPTION"]
    printf ".SH OPTIONS\n%s.SH EXAMPLES\n.EX\n%s.EE\n.SH SEE ALSO\n", page["OPTIONS"], page["EXAMPLES"]
    printf "%s", page["SEE ALSO"] == "" ? ".BR meshcast (1)\n" : page["SEE ALSO"]
}'
