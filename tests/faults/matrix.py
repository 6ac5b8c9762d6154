"""Every fault that the board must live with: what it is, how it is made here, and which tests show what comes of it."""

from msgspec import Struct

HERE = "tests/faults/"
NO_DOOR = "no door yet"  # what it would strike is not there


class Row(Struct, frozen=True):
    number: str
    fault: str
    expected: str
    how: str
    tests: tuple[str, ...] = ()  # node ids; parameters are left out

    @property
    def is_seen_here(self) -> bool:
        """Whether a test of this folder tells what came of it, in numbers."""
        return any(test.startswith(HERE) for test in self.tests)


def here(*names: str) -> tuple[str, ...]:
    return tuple(HERE + name for name in names)


KEEPER, WICKED = "tests/system/test_keeper_wicked.py::", "tests/worker/test_wicked_runs.py::"
WORKER, TROUBLE, LANDING = (
    "tests/worker/test_worker.py::",
    "tests/worker/test_trouble.py::",
    "tests/worker/git/test_landing.py::",
)
OPENING = "tests/store/test_sqlite_open.py::"
POSTGRES, PARTITION = "test_postgres.py::", "test_partition.py::"
ON_SERVER = "test_workers_on_server.py::"
STANDBY, EVENTS = "test_standby.py::", "test_many_events.py::"
KILLED, POWER, DAMAGE = "test_killed_writing.py::", "test_power.py::", "test_damage.py::"
FULL, FAILING, CLOCK, VERSIONS = (
    "test_full_disk.py::",
    "test_failing_disk.py::",
    "test_clock.py::",
    "test_versions.py::",
)

ROWS = (
    Row(
        "F1",
        "kill -9 at any time",
        "nothing acknowledged is lost, the items can be claimed again",
        "a loop that kills writers at random moments; workers are killed at each of their steps",
        (
            *here("test_kills.py::test_a_thousand_kills_lose_nothing_that_was_acknowledged"),
            "tests/acceptance/test_processes.py::test_200_kills_lose_nothing_that_was_acknowledged",
            "tests/worker/test_kill.py::test_killed_at_every_step",
            "tests/worker/test_kill.py::test_a_killed_worker_leaves_no_agent_and_no_lost_work",
        ),
    ),
    Row(
        "F2",
        "kill -9 at the n-th write",
        "the state before or after, never between",
        "strace kills the command at its n-th system call that writes, for every n",
        here(
            KILLED + "test_killed_at_some_writes",
            KILLED + "test_killed_at_every_write",
            KILLED + "test_a_killed_init_leaves_a_board_or_none",
        ),
    ),
    Row("F3", "kill -9 of a server", "clients come back and read on from their cursor", NO_DOOR),
    Row(
        "F4",
        "kill -9 in the middle of a rescue",
        "another one rescues",
        "as F2, of a command that first ends a lease that ran out",
        here(
            KILLED + "test_a_rescue_that_is_killed_is_made_by_the_next",
            KILLED + "test_a_rescue_that_is_killed_at_every_write",
        ),
    ),
    Row(
        "F5",
        "a worker stopped for longer than its lease",
        "its item goes to another, and it can change nothing any more",
        "SIGSTOP, then SIGCONT",
        (
            *here(
                "test_stopped.py::test_stopped_for_longer_than_its_lease",
                ON_SERVER + "test_a_machine_that_sleeps_past_its_lease_and_wakes_changes_nothing",
                ON_SERVER + "test_machines_that_sleep_again_and_again_land_every_item_once",
            ),
            "tests/worker/test_relay.py::test_a_run_that_has_lost_its_lease_changes_nothing",
        ),
    ),
    Row(
        "F6",
        "an agent forks twice, begins a session, ignores TERM",
        "none of its processes lives on",
        "programs of each kind under the keeper",
        (
            KEEPER + "test_each_kind_is_ended",
            KEEPER + "test_of_fifty_none_stays",
            KEEPER + "test_a_worker_that_is_killed_leaves_nobody",
        ),
    ),
    Row(
        "F7",
        "an agent hangs and prints nothing",
        "the limits of silence and time end it, and it counts as an attempt",
        "programs that stand still; the limits drawn at random",
        (
            "tests/worker/test_run_timers.py::test_no_process_outlives_its_limits",
            WICKED + "test_wicked_agents_without_a_sandbox",
        ),
    ),
    Row(
        "F8",
        "an agent prints without end",
        "its output is cut at a limit",
        "programs that flood both streams",
        (
            "tests/system/test_keeper.py::test_output_that_closes_early_or_never_stops_is_no_matter",
            WICKED + "test_some_wicked_agents_in_a_sandbox",
        ),
    ),
    Row(
        "F9",
        "an agent ends well without a report, or with half of one",
        "the run has failed, and the next one is told",
        "programs that say nothing, or nothing that can be read",
        (WORKER + "test_no_report_is_told_to_the_next_run", WICKED + "test_some_wicked_agents_in_a_sandbox"),
    ),
    Row(
        "F10",
        "a fork bomb",
        "it is ended whole, the worker lives",
        "a program that doubles itself, one that answers TERM with children",
        (KEEPER + "test_each_kind_is_ended", WICKED + "test_some_wicked_agents_in_a_sandbox"),
    ),
    Row(
        "F11",
        "an agent deletes its .git or its folder, or fills the disk",
        "its run fails, git never takes the repository above for its own",
        "programs that do so",
        (
            *here(FULL + "test_an_agent_that_fills_the_disk"),
            "tests/worker/git/test_clone.py::test_whatever_became_of_git_the_work_is_taken_in",
            "tests/worker/git/test_repository.py::test_a_work_tree_never_borrows_the_repository_above",
            WICKED + "test_wicked_agents_without_a_sandbox",
        ),
    ),
    Row(
        "F12",
        "PostgreSQL killed",
        "nothing acknowledged is lost",
        "the server is killed, or ends as in a crash, while writers write and are killed too; a standby takes over",
        here(
            POSTGRES + "test_a_server_that_is_killed_under_load_loses_nothing",
            POSTGRES + "test_fifty_crashes_of_the_server_lose_nothing",
            POSTGRES + "test_writers_that_are_killed_lose_nothing",
            POSTGRES + "test_a_thousand_killed_writers_lose_nothing",
            EVENTS + "test_a_reader_misses_no_event_of_eight_writers",
            EVENTS + "test_a_reader_misses_none_of_a_million_events",
            STANDBY + "test_a_standby_takes_over_and_nothing_acknowledged_is_lost",
        ),
    ),
    Row(
        "F13",
        "one connection of PostgreSQL ended",
        "it is made again",
        "the server ends it",
        here(POSTGRES + "test_a_connection_that_is_ended_is_made_again"),
    ),
    Row(
        "F14",
        "no way to PostgreSQL",
        "an error in seconds, by name",
        "the server is stopped; the line of a host in a network namespace is cut, both ways or one way",
        here(
            POSTGRES + "test_a_server_that_is_away_is_told_by_name",
            PARTITION + "test_a_cut_line_is_noticed_within_five_seconds",
        ),
    ),
    Row(
        "F15",
        "answers of PostgreSQL lost",
        "the change is there once",
        "the connection is cut when the commit was made",
        here(POSTGRES + "test_a_commit_whose_answer_is_lost_has_one_effect"),
    ),
    Row(
        "F16",
        "a connection reset in a commit",
        "the change is there once",
        "the connection is cut when the commit was not made; lines between hosts break while they write",
        here(
            POSTGRES + "test_a_commit_whose_answer_is_lost_has_one_effect",
            PARTITION + "test_lines_that_break_while_hosts_write_lose_and_double_nothing",
            PARTITION + "test_lines_that_break_for_long_lose_and_double_nothing",
        ),
    ),
    Row(
        "F17",
        "a slow or lossy network",
        "no run is rescued that is renewed",
        "a line that carries everything late and in small pieces",
        here(POSTGRES + "test_a_slow_line_in_pieces_changes_nothing"),
    ),
    Row(
        "F18",
        "a dead client holds the lock of PostgreSQL",
        "nobody waits for it for long",
        "a client that begins to write and says nothing more; a host that is cut off in the middle of a write",
        here(
            POSTGRES + "test_a_dead_client_inside_a_transaction_holds_nobody_up_for_long",
            PARTITION + "test_a_host_that_is_cut_off_in_the_middle_of_a_write_stops_nobody_for_long",
        ),
    ),
    Row(
        "F19",
        "every wake-up of PostgreSQL lost",
        "work is found by looking",
        "nobody listens; on the way to real workers each is taken out; the listeners of real workers are ended",
        here(
            POSTGRES + "test_work_is_found_by_looking_where_no_wake_up_comes",
            ON_SERVER + "test_work_goes_on_within_a_look_though_no_wake_up_comes",
            ON_SERVER + "test_work_goes_on_though_every_listener_is_ended_again_and_again",
        ),
    ),
    Row(
        "F20",
        "a writer that never ends its transaction",
        "readers do not wait; writers are told so by name",
        "a connection that holds the write lock",
        (
            OPENING + "test_another_program_holds_the_lock",
            WICKED + "test_a_store_that_cannot_be_reached_for_a_while_costs_no_run",
        ),
    ),
    Row(
        "F21",
        "no space left for the store",
        "named store_full, goes on when there is space",
        "a small tmpfs, filled",
        (
            *here(
                FULL + "test_a_full_disk_is_named_and_got_over",
                FULL + "test_a_fresh_process_names_a_full_disk",
                FULL + "test_a_fresh_process_reads_on_a_full_disk",
                FULL + "test_no_board_is_made_on_a_full_disk",
                STANDBY + "test_a_server_whose_disk_is_full_is_named_and_got_over",
            ),
            OPENING + "test_a_full_disk_is_named_and_got_over",
        ),
    ),
    Row(
        "F22",
        "no space left for clones, output, backups",
        "the run fails, nothing half done is seen",
        "a small tmpfs where the agents work",
        here(
            FULL + "test_no_space_for_clones",
            FULL + "test_an_agent_that_fills_the_disk",
            FULL + "test_an_agent_that_fills_the_disk_of_the_board_stops_nobody",
            FULL + "test_what_filled_the_disk_is_not_set_aside",
            FULL + "test_no_space_for_what_an_agent_prints",
            FULL + "test_no_space_for_a_backup",
        ),
    ),
    Row(
        "F23",
        "a write or a sync fails",
        "not acknowledged; the connection is done with; the next process verifies and goes on",
        "strace lets the n-th call fail with EIO",
        (
            *here(
                FAILING + "test_a_command_whose_write_fails",
                FAILING + "test_a_process_that_met_a_failed_sync_is_done_with_that_board",
            ),
            OPENING + "test_after_a_failed_fsync_the_connection_is_not_used_again",
        ),
    ),
    Row(
        "F24",
        "no space, or a short write, in the middle of a commit",
        "refused, nothing is changed",
        "strace lets writes fail with ENOSPC; a limit on the size of files",
        here(FULL + "test_no_space_at_a_write", FAILING + "test_a_file_that_may_not_grow_is_written_short_and_refused"),
    ),
    Row(
        "F25",
        "the power goes",
        "nothing acknowledged is lost; a file is old or new, never empty",
        "a file system of our own that forgets what was not synced, torn page by page in every other cut",
        here(
            POWER + "test_some_power_cuts_lose_nothing_that_was_acknowledged",
            POWER + "test_a_hundred_power_cuts_lose_nothing_that_was_acknowledged",
            POWER + "test_a_store_that_does_not_sync_is_seen_to_lose",
            POWER + "test_the_store_of_a_new_board_survives",
            POWER + "test_the_flow_and_the_prompts_of_a_new_board_survive",
            POWER + "test_a_backup_survives",
            POWER + "test_the_disk_forgets_what_was_not_synced",
        ),
    ),
    Row(
        "F25b",
        "the end of SQLite's log is torn",
        "the whole commits before it",
        "the log cut, and overwritten with garbage, at many places",
        here(
            "test_torn_log.py::test_a_torn_log_is_read_up_to_its_last_whole_commit",
            "test_torn_log.py::test_torn_at_every_997_bytes",
        ),
    ),
    Row(
        "F26",
        "a bit flips, a page or a file is not what it was",
        "refused at opening or found by the doctor; the backup is named",
        "single bits flipped all over the store and SQLite's log; files cut, pages zeroed, files of another day",
        here(
            DAMAGE + "test_some_flipped_bits_are_found",
            DAMAGE + "test_many_flipped_bits_on_a_larger_board_are_found",
            DAMAGE + "test_the_last_events_are_proved_at_every_opening",
            DAMAGE + "test_a_store_cut_short_is_refused",
            DAMAGE + "test_a_page_of_zeros_is_found",
            DAMAGE + "test_an_older_store_under_a_newer_log_is_found",
            DAMAGE + "test_a_store_without_its_log_is_the_board_of_the_last_checkpoint",
            "test_torn_log.py::test_a_flipped_bit_in_the_log_is_no_torn_tail",
            "test_torn_log.py::test_many_flipped_bits_in_the_log",
        ),
    ),
    Row(
        "F27",
        "many writers at once, a reader that does not end",
        "everybody gets a turn; SQLite's log shrinks again",
        "processes that claim and report without a pause; an open read transaction",
        (
            *here("test_busy.py::test_a_storm_of_writers", "test_busy.py::test_a_large_storm_of_writers"),
            "tests/store/test_fair_lock.py::test_first_come_first_served",
        ),
    ),
    Row(
        "F28",
        "the store on a network file system",
        "refused by name; an overlay is only warned about",
        "mount tables of such machines",
        (OPENING + "test_network_file_systems", OPENING + "test_an_overlay_is_only_warned_about"),
    ),
    Row(
        "F29",
        "the wall clock is wrong by days",
        "claims do not notice",
        "the clock is handed in and set wrong; the date of each machine is moved under its programs",
        here(
            CLOCK + "test_the_date_set_wrong_changes_nothing",
            ON_SERVER + "test_machines_whose_clocks_run_apart_work_by_the_servers",
        ),
    ),
    Row(
        "F30",
        "a clock that runs too fast",
        "a run that is renewed keeps its lease up to twice the rate; beyond it is fenced",
        "the clock is handed in and runs faster",
        here(CLOCK + "test_a_clock_that_runs_too_fast_ends_leases_early_and_safely"),
    ),
    Row(
        "F31",
        "a reboot, or a clock that jumps",
        "old leases are over; the store's clock never goes back",
        "the clock is handed in; a time namespace under a real process; the date is moved under PostgreSQL",
        here(
            CLOCK + "test_after_a_reboot_no_old_lease_holds",
            CLOCK + "test_a_clock_that_goes_back_is_not_followed",
            CLOCK + "test_in_a_time_namespace_hours_ahead",
            ON_SERVER + "test_a_servers_clock_that_jumps_holds_up_nobody",
            ON_SERVER + "test_a_servers_clock_that_jumps_again_and_again",
        ),
    ),
    Row(
        "F32",
        "two engines on one store",
        "both are safe",
        "many processes on one board; workers in one simulated world",
        (
            "tests/acceptance/test_processes.py::test_64_processes_claim_1000_items_each_once",
            "tests/sim/test_workers.py::test_nothing_goes_wrong_whatever_happens_to_workers",
        ),
    ),
    Row(
        "F33",
        "a fork with the board open",
        "the child is refused, the parent is not harmed",
        "os.fork",
        (
            *here(VERSIONS + "test_a_child_that_was_forked_cannot_use_or_close_the_board"),
            OPENING + "test_opening_twice_keeps_the_locks_of_the_first",
        ),
    ),
    Row(
        "F34",
        "programs of two versions on one board",
        "the older is refused and changes no byte; the newer migrates, whole or not at all",
        "a board of the first version; one with a migration nobody knows",
        (
            *here(
                VERSIONS + "test_an_older_program_leaves_a_newer_board_alone",
                VERSIONS + "test_a_newer_program_migrates_while_an_older_one_has_it_open",
                VERSIONS + "test_a_process_that_was_killed_while_migrating_is_followed_by_another",
                VERSIONS + "test_a_board_that_was_migrated_is_not_written_by_who_opened_it_before",
            ),
            "tests/store/test_migration.py::test_an_old_board_opens_and_keeps_what_it_had",
        ),
    ),
    Row(
        "F35",
        "killed for want of memory",
        "as F1",
        "the kernel ends such a process with the same signal",
        (
            "tests/acceptance/test_processes.py::test_200_kills_lose_nothing_that_was_acknowledged",
            "tests/worker/test_kill.py::test_killed_at_every_step",
        ),
    ),
    Row(
        "F36",
        "an agent that always fails",
        "no more runs begin than the flow allows",
        "a program that fails at once",
        (
            TROUBLE + "test_an_agent_that_always_fails_cannot_begin_more_runs_than_allowed",
            TROUBLE + "test_quota_pauses_its_pool_over_restarts_and_counts_against_nobody",
        ),
    ),
    Row("F37", "a slow reader of the live board", "left behind, and reads on from its cursor", NO_DOOR),
    Row(
        "F38",
        "a person answers twice, too late, or during a rescue",
        "the first answer counts; a late one is kept as a comment",
        "the rules with such answers; the seeded world",
        (
            "tests/core/test_questions.py::test_a_question_is_answered_once",
            "tests/core/test_questions.py::test_an_answer_that_comes_too_late_is_a_comment_and_closes_the_question",
        ),
    ),
    Row(
        "F39",
        "a lock of git left behind",
        "waited for, or told",
        "locks that stay, and locks that go",
        (
            LANDING + "test_a_lock_that_goes_away_is_waited_for",
            WICKED + "test_what_cannot_be_taken_in_is_not_thrown_away",
        ),
    ),
    Row(
        "F40",
        "a merge conflict, a branch that moved",
        "the item goes back with what was seen; nothing is forced",
        "branches that move between look and landing",
        (
            LANDING + "test_a_branch_that_moved_is_never_forced",
            LANDING + "test_branches_that_do_not_go_together_ask_the_user",
            WORKER + "test_a_conflict_comes_back_marked_and_lands_when_it_is_mended",
        ),
    ),
)
