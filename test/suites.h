/* suites.h - the list of all suites, one a module; a new test file adds its line twice. */
#ifndef MESHCAST_TEST_SUITES_H
#define MESHCAST_TEST_SUITES_H

#include <check.h>

Suite *allocation_suite(void);
Suite *aside_suite(void);
Suite *attempt_suite(void);
Suite *attempts_suite(void);
Suite *audit_suite(void);
Suite *block_tour_suite(void);
Suite *capacity_suite(void);
Suite *channel_suite(void);
Suite *channel_crowd_suite(void);
Suite *channel_unwatched_suite(void);
Suite *cli_expander_suite(void);
Suite *cli_kernel_suite(void);
Suite *cli_results_suite(void);
Suite *cli_sets_suite(void);
Suite *cli_stress_suite(void);
Suite *cli_suite(void);
Suite *cli_view_suite(void);
Suite *completion_suite(void);
Suite *credit_suite(void);
Suite *determinism_suite(void);
Suite *discard_suite(void);
Suite *documents_suite(void);
Suite *expander_suite(void);
Suite *expander_bounds_suite(void);
Suite *expander_file_suite(void);
Suite *expander_route_suite(void);
Suite *express_crowd_suite(void);
Suite *express_suite(void);
Suite *express_unwatched_suite(void);
Suite *extend_suite(void);
Suite *failure_suite(void);
Suite *forward_order_suite(void);
Suite *forward_turns_suite(void);
Suite *forward_unwatched_suite(void);
Suite *forward_suite(void);
Suite *help_suite(void);
Suite *import_files_suite(void);
Suite *import_suite(void);
Suite *install_suite(void);
Suite *kernel_input_suite(void);
Suite *kernel_locality_suite(void);
Suite *kernel_suite(void);
Suite *keyed_permutation_suite(void);
Suite *locality_suite(void);
Suite *library_errors_suite(void);
Suite *library_suite(void);
Suite *lower_bound_suite(void);
Suite *machine_suite(void);
Suite *manual_suite(void);
Suite *march_suite(void);
Suite *message_set_suite(void);
Suite *migrate_suite(void);
Suite *monotone_suite(void);
Suite *multicast_tree_suite(void);
Suite *node_order_suite(void);
Suite *own_router_errors_suite(void);
Suite *own_router_rules_suite(void);
Suite *own_router_suite(void);
Suite *output_file_suite(void);
Suite *pair_suite(void);
Suite *pattern_suite(void);
Suite *pcg_suite(void);
Suite *permutation_suite(void);
Suite *pipes_suite(void);
Suite *plane_suite(void);
Suite *prefix_sparse_suite(void);
Suite *prefix_suite(void);
Suite *progress_suite(void);
Suite *random_paper_suite(void);
Suite *random_suite(void);
Suite *report_suite(void);
Suite *ring_suite(void);
Suite *round_suite(void);
Suite *router_suite(void);
Suite *segmented_broadcast_suite(void);
Suite *signals_suite(void);
Suite *sort_states_suite(void);
Suite *sort_steps_suite(void);
Suite *sort_suite(void);
Suite *sources_suite(void);
Suite *stream_grid_suite(void);
Suite *stream_suite(void);
Suite *stress_suite(void);
Suite *suggestion_suite(void);
Suite *sweep_input_suite(void);
Suite *sweep_runs_suite(void);
Suite *sweep_suite(void);
Suite *synchronise_suite(void);
Suite *tessellation_suite(void);
Suite *tile_cycle_suite(void);
Suite *tutorial_suite(void);
Suite *unicast_methods_suite(void);
Suite *unicast_route_suite(void);
Suite *unicast_suite(void);
Suite *view_suite(void);
Suite *word_pass_suite(void);
Suite *word_suite(void);

static Suite *(*const SUITES[])(void) = {
    locality_suite,
    determinism_suite,
    kernel_locality_suite,
    help_suite,
    tutorial_suite,
    random_suite,
    stream_suite,
    router_suite,
    attempts_suite,
    kernel_suite,
    capacity_suite,
    cli_view_suite,
    sweep_suite,
    cli_expander_suite,
    expander_bounds_suite,
    keyed_permutation_suite,
    expander_route_suite,
    message_set_suite,
    pair_suite,
    pattern_suite,
    permutation_suite,
    library_suite,
    library_errors_suite,
    own_router_suite,
    own_router_errors_suite,
    own_router_rules_suite,
    lower_bound_suite,
    import_suite,
    import_files_suite,
    node_order_suite,
    attempt_suite,
    audit_suite,
    output_file_suite,
    cli_suite,
    pipes_suite,
    signals_suite,
    cli_kernel_suite,
    cli_results_suite,
    cli_sets_suite,
    cli_stress_suite,
    sweep_input_suite,
    progress_suite,
    allocation_suite,
    sweep_runs_suite,
    report_suite,
    pcg_suite,
    random_paper_suite,
    block_tour_suite,
    ring_suite,
    tessellation_suite,
    tile_cycle_suite,
    plane_suite,
    aside_suite,
    sort_suite,
    sort_states_suite,
    sort_steps_suite,
    prefix_sparse_suite,
    prefix_suite,
    multicast_tree_suite,
    migrate_suite,
    synchronise_suite,
    unicast_route_suite,
    unicast_methods_suite,
    unicast_suite,
    monotone_suite,
    kernel_input_suite,
    install_suite,
    credit_suite,
    failure_suite,
    suggestion_suite,
    completion_suite,
    manual_suite,
    machine_suite,
    march_suite,
    round_suite,
    forward_suite,
    forward_order_suite,
    forward_turns_suite,
    forward_unwatched_suite,
    stress_suite,
    discard_suite,
    segmented_broadcast_suite,
    documents_suite,
    extend_suite,
    sources_suite,
    channel_suite,
    channel_crowd_suite,
    channel_unwatched_suite,
    express_suite,
    express_unwatched_suite,
    express_crowd_suite,
    stream_grid_suite,
    expander_suite,
    expander_file_suite,
    view_suite,
    word_pass_suite,
    word_suite,
};

#endif
