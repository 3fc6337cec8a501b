#!/bin/sh
# coverage.sh - the branches of every reader that its fuzzer's corpus takes; fails below 85 % of a reader's, or 70 % of a file's.
#
#     test/fuzz/coverage.sh BUILD_FOLDER
#
# The folder holds a program per fuzzer, built for coverage. Each runs the files of its corpus and
# nothing else. A branch is one outcome of a condition in the source; a condition that the compiler
# knows the outcome of does not count.
set -eu
folder=$1
least=85
least_of_file=70
status=0

# tool NAME: the name by which the tool of clang's version is to be had
tool() {
    version=$(clang -dumpversion | cut -d. -f1)
    command -v "$1-$version" || command -v "$1"
}

# run FUZZER: leaves what its corpus took
run() {
    LLVM_PROFILE_FILE="$folder/$1.raw" "$folder/$1" -runs=0 -verbosity=0 "test/corpus/$1" \
        >"$folder/$1.log" 2>&1 || {
        tail -40 "$folder/$1.log"
        status=1
    }
}

# share FUZZERS FILE TAKEN ALL LEAST: prints a line, and fails the script below LEAST %
share() {
    few=
    [ $((100 * $3)) -ge $(($5 * $4)) ] || { few='  too few' status=1; }
    printf '%-18s %-40s %4d of %4d branches  %3d %%%s\n' "$1" "$2" "$3" "$4" $((100 * $3 / ($4 + !$4))) "$few"
}

# of 'FUZZER ...' FILE ...: a reader's files, a line each, of what the corpora of these fuzzers take together
of() {
    programs= profiles= fuzzers=$1 taken=0 all=0
    shift
    for fuzzer in $fuzzers; do
        [ -f "$folder/$fuzzer.raw" ] || run "$fuzzer"
        programs="${programs:+$programs -object }$folder/$fuzzer"
        profiles="$profiles $folder/$fuzzer.raw"
    done
    # shellcheck disable=SC2086
    "$(tool llvm-profdata)" merge -o "$folder/merged" $profiles
    for file in "$@"; do
        # 13 columns: the name, and all, missed, share of regions, functions, lines, branches
        # shellcheck disable=SC2086
        set_of=$("$(tool llvm-cov)" report $programs -instr-profile="$folder/merged" "$file" |
            awk '$1 == "TOTAL" && NF == 13 && $11 > 0 { print $11 - $12, $11 }')
        case $set_of in
        *' '*) ;;
        *) echo "$file: llvm-cov's report has another form" && status=1 && continue ;;
        esac
        taken=$((taken + ${set_of% *})) all=$((all + ${set_of#* }))
        share "$fuzzers" "$file" "${set_of% *}" "${set_of#* }" $least_of_file
    done
    share "$fuzzers" "(together)" $taken $all $least
}

rm -f "$folder"/*.raw
of 'message_set import' base/byte_source.c base/gunzip.c base/archive_member.c
of 'message_set import' base/text_scan.c
of message_set workloads/message_set_read.c
of graph network/topology/topology_graph.c
of broken network/topology/topology_broken.c
of import workloads/import.c workloads/foreign_format.c workloads/matrix_market.c workloads/edge_list.c \
    workloads/dimacs.c workloads/rutherford_boeing.c workloads/timed_list.c workloads/timed_table.c \
    workloads/netrace.c workloads/npe_trace.c base/fields.c \
    workloads/hypergraph.c workloads/metis_graph.c workloads/expert_routes.c workloads/placement.c \
    workloads/experts.c \
    workloads/import_formats.h base/json_scan.c base/json_scan.h base/text_scan.c base/text_scan.h
of expander expanders/expander_file.c
of trace audit/trace_reader.c audit/audit.c audit/tables.c
of network_trace audit/flits_audit.c audit/flits_reader.c audit/flits_state.c audit/flits_rules.c
of report lab/command_report.c lab/results_database.c lab/results_group.c lab/results_fit.c lab/results_tables.c \
    lab/results_plot.c
of own_router library/own_router.c
of run_encoder view/run_encoder.c view/run_machine.c view/run_network.c view/columns.c
of run_decoder view/run_decoder.c
of command_line cli/command.c lab/option_lists.c library/option_table.c library/run_options.c \
    library/command_expander.c cli/command_complete.c base/suggestion.c library/adversary_graph.c \
    routers/router.c routers/parameters.c
exit $status
