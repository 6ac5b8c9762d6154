"""What a user can rely on, each promise with the tests that would fail if it were broken, and what is not promised.

`scripts/reference.py` makes the page of guarantees from it; `tests/shape/test_reference.py` looks for the tests.
"""

from typing import NamedTuple


class Promise(NamedTuple):
    name: str
    words: str
    tests: tuple[str, ...]


PROMISES = (
    Promise(
        "Acknowledged is durable",
        "When a command has ended with 0, what it did survives a crash, a kill at any moment, and a power cut "
        "on a disk that tells the truth.",
        (
            "tests/faults/test_power.py::test_some_power_cuts_lose_nothing_that_was_acknowledged",
            "tests/faults/test_power.py::test_a_store_that_does_not_sync_is_seen_to_lose",
            "tests/faults/test_killed_writing.py::test_killed_at_some_writes",
            "tests/acceptance/test_processes.py::test_200_kills_lose_nothing_that_was_acknowledged",
        ),
    ),
    Promise(
        "One current run",
        "However many processes claim at once, an item has at most one run that counts.",
        (
            "tests/acceptance/test_processes.py::test_64_processes_claim_1000_items_each_once",
            "tests/store/test_contract.py::test_a_double_claim_cannot_be_written",
            "tests/acceptance/test_kanban_runs.py::test_an_item_is_claimed_once",
        ),
    ),
    Promise(
        "A stale run can do nothing",
        "Whoever has lost the lease, or has a wrong token, changes nothing: no report, no comment, no "
        "lock, no message, no branch.",
        (
            "tests/core/test_properties.py::test_a_stale_token_changes_nothing",
            "tests/acceptance/test_kanban_runs.py::test_a_stale_token_is_refused_and_changes_nothing",
            "tests/core/test_holds.py::test_a_stale_run_locks_unlocks_and_widens_nothing",
            "tests/worker/test_relay.py::test_a_run_that_has_lost_its_lease_changes_nothing",
            "tests/worker/test_fence.py::test_six_landings_are_disturbed_at_their_steps",
            "tests/worker/test_fence.py::test_two_hundred_landings_are_disturbed_at_their_steps",
            "tests/core/test_settling_landings.py::test_after_a_persons_word_nothing_moves",
        ),
    ),
    Promise(
        "Nothing lands past the gates",
        "Whatever comes onto the target branch was green on every gate of its way, on the very tree that landed, by "
        "the command that the gate has then; a gate without a command was answered for the very work that landed; "
        "only a person can waive one, for the work that is there then, and the log says who did.",
        (
            "tests/worker/test_past_the_gates.py::test_what_a_run_dispatched_meets_the_gates_of_the_item_that_asked",
            "tests/worker/test_past_the_gates.py::test_an_item_added_behind_a_gate_meets_it_before_it_lands",
            "tests/core/test_past_the_gates.py::test_nothing_is_recorded_on_a_tree_on_which_a_gate_is_not_green",
            "tests/worker/test_changed_gates.py::test_a_gate_that_was_changed_runs_again_before_the_work_lands",
            "tests/core/test_what_proofs_count_for.py::test_a_conflict_that_was_mended_is_signed_off_again",
            "tests/worker/test_past_the_gates.py::test_what_is_made_after_a_waiver_meets_the_gate",
        ),
    ),
    Promise(
        "Nothing lands past the reviews",
        "Where stages of its way give verdicts (`fix`), whatever comes onto the target branch was before one of them "
        "as it is, merges aside: a mended conflict, a healed gate, late help; only a person can land it unseen. "
        "What a stage behind the last of them writes lands by the flow's own word.",
        (
            "tests/core/test_past_the_reviews.py::test_what_is_mended_for_a_landing_is_reviewed_again",
            "tests/core/test_past_the_reviews.py::test_help_that_comes_after_the_review_is_reviewed",
            "tests/core/test_past_the_reviews.py::test_what_mends_the_gate_of_the_last_review_is_reviewed",
            "tests/worker/test_past_the_reviews.py::test_what_comes_with_a_mended_conflict_does_not_pass_the_reviewer",
            "tests/worker/test_past_the_reviews.py::test_help_that_comes_too_late_does_not_pass_the_reviewer",
            "tests/worker/test_client_settings.py::test_no_change_speaks_as_the_reviewer_by_its_clients_settings",
        ),
    ),
    Promise(
        "Rescue within the lease",
        "The item of an agent that dies or hangs is free again when its lease is over, with the next write, "
        "and no process need be alive for it.",
        (
            "tests/engine/test_time.py::test_an_expired_lease_is_shown_as_free_and_rescued_by_the_next_write",
            "tests/engine/test_running.py::test_a_claim_first_rescues_what_time_has_ended",
            "tests/worker/test_kill.py::test_a_killed_worker_leaves_no_agent_and_no_lost_work",
        ),
    ),
    Promise(
        "The log is complete",
        "Every row is explained by the log and can be made from it alone; events have no gap and are chained, "
        "so that a change to one is found.",
        (
            "tests/core/test_properties.py::test_the_log_alone_gives_every_row",
            "tests/store/test_sqlite_open.py::test_the_whole_log_is_proven",
            "tests/store/test_backup.py::test_the_board_after_any_event_comes_back_as_it_was_and_work_goes_on",
        ),
    ),
    Promise(
        "No orphans",
        "No process of an agent outlives its run or its worker, also where the worker is killed.",
        (
            "tests/system/test_keeper_wicked.py::test_of_fifty_none_stays",
            "tests/system/test_keeper_wicked.py::test_a_worker_that_is_killed_leaves_nobody",
            "tests/system/test_keeper.py::test_an_agent_whose_keepers_are_all_killed_dies_by_the_kernel",
        ),
    ),
    Promise(
        "Keepers hold against their agents",
        "Also without a sandbox, who stops or kills its warden, the server or both loses its run, and nothing of it is "
        "left when the run counts as ended.",
        (
            "tests/system/test_keeper_attacked.py::test_a_killed_warden_means_that_nothing_is_left",
            "tests/system/test_keeper_attacked.py::test_a_warden_that_is_stopped_again_and_again_costs_the_run",
            "tests/system/test_keeper_attacked.py::test_with_warden_and_server_gone_the_worker_ends_the_tree",
            "tests/system/test_keeper_attacked.py::test_a_worker_that_is_stopped_has_no_agents_for_long",
        ),
    ),
    Promise(
        "A run is bounded",
        "Memory, processes, open files and disk of a run have limits, and so has what runs add to the board: the run "
        "is ended, or what it adds is refused, by name.",
        (
            "tests/worker/test_limits.py::test_a_run_that_uses_too_much_is_ended_and_said_why",
            "tests/worker/test_limits.py::test_the_kernel_holds_the_open_files",
            "tests/core/test_counting.py::test_what_comes_of_one_item_is_bounded_and_a_person_is_asked_once",
            "tests/core/test_counting.py::test_what_one_run_says_is_bounded",
            "tests/doors/http/test_http_attacks.py::test_what_is_kept_under_the_keys_of_a_run_is_bounded",
            "tests/doors/http/test_http_attacks.py::test_a_run_takes_no_more_of_the_server_than_of_its_socket",
        ),
    ),
    Promise(
        "No work thrown away",
        "What a run changed is a commit with a ref before its folder is removed, whatever came of the run.",
        (
            "tests/worker/test_worker.py::test_what_does_not_land_can_be_brought_back",
            "tests/worker/test_kill.py::test_killed_at_every_step",
            "tests/worker/test_wicked_runs.py::test_what_cannot_be_taken_in_is_not_thrown_away",
            "tests/worker/git/test_salvage.py::test_no_branch_is_ever_overwritten",
        ),
    ),
    Promise(
        "Your files stay yours",
        "A landing never overwrites or removes a file that git does not know, ignored or not, nor one that you have "
        "changed; and it makes no branch that you did not make, but `moot/TARGET`.",
        (
            "tests/worker/git/test_user_files.py::test_what_git_does_not_know_stays_and_is_named",
            "tests/worker/git/test_user_files.py::test_what_comes_at_the_last_moment_stays",
            "tests/worker/git/test_landing.py::test_a_tree_that_is_not_clean_is_left_alone",
            "tests/worker/test_target.py::test_a_target_that_is_not_there_is_refused",
            "tests/worker/test_target.py::test_a_target_that_goes_away_is_asked_about",
        ),
    ),
    Promise(
        "Poison stops",
        "An item that fails whoever tries it comes to a person after a number of runs that the flow sets.",
        (
            "tests/core/test_failures.py::test_the_fuse_asks_before_the_next_run",
            "tests/core/test_failures.py::test_a_passing_fault_is_tried_three_times_with_growing_pauses_and_then_asked_about",
            "tests/acceptance/test_kanban_ladder.py::test_six_failures_then_the_senior_then_the_human",
            "tests/sim/test_population.py::test_every_preset_comes_to_rest_when_much_goes_wrong_and_nobody_is_there",
        ),
    ),
    Promise(
        "Failure cannot amplify",
        "One failure begins one run at most: pauses grow, pools wait as one, starts within a window are bounded, "
        "and what runs make is bounded in depth.",
        (
            "tests/core/test_pauses.py::test_runs_that_meet_the_same_empty_pool_at_once_are_one_pause",
            "tests/core/test_pauses.py::test_no_window_has_more_starts_than_the_flow_allows",
            "tests/core/test_failures.py::test_the_fourth_generation_is_added_parked_with_a_question",
            "tests/worker/test_trouble.py::test_an_agent_that_always_fails_cannot_begin_more_runs_than_allowed",
        ),
    ),
    Promise(
        "Exclusive paths",
        "Two items whose declared paths overlap are never worked on at once, and nothing lands on a path that "
        "another holds: finished work waits for the holder, and nobody does it again.",
        (
            "tests/core/test_holds.py::test_items_whose_paths_overlap_are_never_worked_on_at_once",
            "tests/core/test_waiting_for_holders.py::test_whoever_holds_it_and_whoever_made_it",
            "tests/core/test_waiting_for_holders.py::test_whatever_is_touched_everything_lands_with_one_effort_each",
            "tests/core/test_rights.py::test_one_path_too_many_and_nothing_of_it_is_taken",
        ),
    ),
    Promise(
        "A report that was taken counts",
        "However the process of a run ends after `moot report`, or with a whole report in the file `MOOT_REPORT`; "
        "where its worker is killed too, as long as the run's lease lasts.",
        (
            "tests/worker/test_reported.py::test_a_report_counts_however_its_process_ends",
            "tests/worker/test_reported.py::test_another_worker_brings_in_what_was_said_before_the_worker_was_killed",
        ),
    ),
    Promise(
        "A question is never lost nor answered twice",
        "It survives every restart, is shown until a person has answered, and only the first answer counts.",
        (
            "tests/core/test_questions.py::test_a_question_is_answered_once",
            "tests/core/test_questions.py::test_only_a_person_answers",
            "tests/acceptance/test_kanban_guidance.py::test_pending_questions_survive_a_restart_and_come_in_the_order_received",
        ),
    ),
    Promise(
        "Repeat is harmless",
        "The same command with the same `--key` has one effect and gives the same answer, byte by byte; with other "
        "content the key is refused. A landing that is made twice changes nothing.",
        (
            "tests/doors/test_keys.py::test_every_writing_command_answers_a_repeated_key_with_the_same_bytes",
            "tests/doors/test_keys.py::test_a_key_with_other_content_is_refused",
            "tests/worker/git/test_landing.py::test_the_same_landing_twice_changes_nothing",
        ),
    ),
    Promise(
        "Fail closed, by name",
        "What is not understood is refused with a code, a sentence and a way on; nothing of it is done. A damaged "
        "store is refused, never guessed at.",
        (
            "tests/bad_input/test_cases.py::test_bad_input_is_answered_by_name",
            "tests/doors/test_errors.py::test_nasty_arguments_never_end_in_a_traceback",
            "tests/faults/test_damage.py::test_some_flipped_bits_are_found",
            "tests/faults/test_matrix.py::test_no_fault_is_left_out",
        ),
    ),
    Promise(
        "Upgrades keep history",
        "A board of an older version opens with all that it had, and is kept as it was before; an older program "
        "leaves a newer board alone.",
        (
            "tests/store/test_migration.py::test_an_old_board_opens_and_keeps_what_it_had",
            "tests/store/test_backup.py::test_a_migration_can_be_undone",
            "tests/store/test_sqlite_open.py::test_a_newer_schema",
        ),
    ),
    Promise(
        "Agent output never becomes engine code",
        "Whatever an agent writes is data: its hooks, filters, settings and words are not run and not evaluated; they "
        "reach the terminal as letters only.",
        (
            "tests/worker/git/test_vectors.py::test_nothing_that_was_planted_runs",
            "tests/worker/clients/test_function.py::test_modules_of_the_clone_do_not_stand_in_for_ours",
            "tests/doors/test_errors.py::test_no_words_reach_the_terminal_as_anything_but_words",
        ),
    ),
    Promise(
        "No run changes the board",
        "What an agent does to `.moot`, at any depth and in any spelling, does not land; and what moot itself reads "
        "or runs outside of the sandbox never lies where work lands.",
        (
            "tests/worker/test_board_attacks.py::test_no_run_changes_a_board_wherever_it_lies",
            "tests/worker/test_board_attacks.py::test_what_is_trusted_is_not_read_from_where_work_lands",
            "tests/worker/test_board_attacks.py::test_no_program_of_the_project_notifies",
            "tests/worker/test_board_attacks.py::test_no_run_changes_what_moot_is_run_from",
        ),
    ),
    Promise(
        "Honest work lands beside hostile agents",
        "Agents that try all of the attacks at once, on the same board, change no file of the user's, land nothing "
        "past the gates, leave no process, and keep nobody else's work from landing.",
        (
            "tests/worker/test_adversary.py::test_one_attack_of_each_topic_beside_honest_agents",
            "tests/worker/test_adversary.py::test_every_attack_at_once_beside_honest_agents",
        ),
    ),
    Promise(
        "What an agent leaves cannot hold the engine",
        "Taking in a run's files ends within a short time, with the second Ctrl-C, and with the worker; what cannot be "
        "taken in is put aside once, and a person is told.",
        (
            "tests/worker/test_harvest.py::test_what_is_too_slow_is_put_aside_once_and_said",
            "tests/worker/test_harvest.py::test_the_clock_holds_where_nothing_was_foreseen",
            "tests/worker/test_harvest.py::test_git_dies_with_the_worker",
            "tests/worker/test_harvest.py::test_two_interrupts_end_a_harvest",
        ),
    ),
    Promise(
        "Secrets stay put",
        "Of your environment a run gets only what its client's entry names; values that pass in are redacted from "
        "what is stored or shown, and a change that adds one does not land.",
        (
            "tests/worker/test_secret_changes.py::test_a_change_with_the_runs_own_key_does_not_land",
            "tests/worker/git/test_leaks.py::test_known_values_are_found_wherever_they_are",
            "tests/worker/test_trouble.py::test_secrets_stay_put",
            "tests/worker/test_environment.py::test_nothing_of_the_worker_s_passes_unless_it_is_named",
            "tests/worker/test_secrets.py::test_a_known_value_is_hidden_in_every_form",
            "tests/system/test_sandbox.py::test_a_canary_of_the_worker_is_found_nowhere",
            "tests/worker/test_outside_attacks.py::test_nothing_that_an_agent_from_outside_says_holds_a_secret_of_its_clone",
        ),
    ),
    Promise(
        "No run signs you out",
        "A run never has a refresh token that rotates, nothing is written back to your credential files, and in a "
        "sandbox no copy of a login outlives the run, whatever is killed.",
        (
            "tests/worker/test_logins.py::test_runs_that_renew_their_login_take_nothing_from_the_user",
            "tests/worker/test_logins.py::test_no_copy_of_a_login_outlives_its_box",
            "tests/worker/test_logins.py::test_what_a_run_does_to_its_copy_is_not_done_to_the_user_s",
            "tests/worker/test_login_files.py::test_refresh_tokens_are_emptied_and_the_rest_stays_byte_by_byte",
        ),
    ),
    Promise(
        "A pause is short, or asked about",
        "Words alone pause a pool for quota an hour at most; a pause of more than six hours asks a person, who can end "
        "it. A pool that no run can work with (login, client) waits for a person, who is asked once; words printed by "
        "a client that has used no tool can cause that.",
        (
            "tests/core/test_pauses.py::test_words_alone_pause_a_pool_for_an_hour_at_most",
            "tests/core/test_pauses.py::test_a_person_ends_the_pause_of_one_pool",
            "tests/worker/clients/test_shown.py::test_an_agent_that_says_its_quota_is_gone_pauses_its_pool_for_an_hour_at_most",
        ),
    ),
)

NOT_PROMISED = (
    (
        "That the work is good",
        "it passed your gates; without any the item says `evidence: none`",
    ),
    (
        "That an effort is made once",
        "after a crash it is made again, with all it did outside of its clone",
    ),
    (
        "That a budget is kept to the cent",
        "it ends a run once its client has told so much; what is told after that, or only at the end, is on top",
    ),
    ("Anything about a disk that lies", "a disk that says it has written and has not can lose what was acknowledged"),
    (
        "Safety from who can write `.moot/`",
        "the log shows a change made by mistake, not one made with care",
    ),
    (
        "A `notify` that runs a script by `sh -c`",
        "its words are not looked into: what lies in the project there can be changed by what lands",
    ),
    ("Walls around an agent without a sandbox", "there it can do what you can; the board says `not sandboxed`"),
    (
        "That a copy of a login is gone at once without a sandbox",
        "where worker, keeper and agents are killed together it stays in `.moot/runs/` until the next `moot run`",
    ),
    (
        "That an agent cannot use your access token",
        "its client works with it, and so can the agent; only what would sign you out is kept from it",
    ),
    ("That a hidden secret is found", "an agent that wants to put one into its output or a file in disguise can"),
    ("Network file systems, and several machines", "a board is on a local disk of one machine"),
    (
        "That `network: false` closes sockets in the file system",
        "a service that listens at a path outside of the covered folders (your home, `/run`, `/tmp`) can be reached",
    ),
    (
        "Exact limits of memory, disk and processes",
        "the keeper looks twice a second: a burst can pass a limit for a moment before the run is ended; only the "
        "number of processes is held by the kernel, where a control group can be made (`moot doctor` says which); "
        "memory that is in no process, as in an unmapped memfd or a socket, is not counted",
    ),
    (
        "Nothing left of an unsandboxed agent that kills worker, server and warden at once",
        "the next `moot run` ends what still has its run's HOME; what has thrown that away as well stays",
    ),
)
