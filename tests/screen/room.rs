//! What each view does with its room: nothing is cut that would fit, and no view is mostly empty.

use crate::{
    audit_view::{Bundle, assert_has, assert_lacks, audit_screen, frame_after, frame_text},
    common::{project_path, run_cli},
};

const SIZES: [&str; 3] = ["80x24", "120x40", "200x50"];

/// The frame of a sample run at a turn, after some keys.
fn frame_at(sample: &str, turn: &str, size: &str, keys: &str) -> String {
    let run = project_path(&format!("sample-runs/{sample}"));
    let options = ["--at", turn, "--snapshot", size, "--keys", keys];
    let ran = run_cli(&[&[run.to_str().unwrap()], &options[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

fn replay_at(turn: &str, size: &str, keys: &str) -> String {
    frame_at("codex-p12", turn, size, keys)
}

/// The words of a frame without borders, each line joined to the next.
fn flowing_words(frame: &str) -> String {
    let words = frame.replace(['│', '┌', '┐', '└', '┘', '─'], " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The column and the row of some words.
fn place_of(frame: &str, words: &str) -> (usize, usize) {
    let found = frame.lines().enumerate().find_map(|(row, line)| {
        let at = line.find(words)?;
        Some((line[..at].chars().count(), row))
    });
    found.unwrap_or_else(|| panic!("{words}\n{frame}"))
}

#[test]
fn the_request_stands_in_full_above_the_diff_at_every_size() {
    for size in SIZES {
        let seen = replay_at("46", size, "");
        let (column, request) = place_of(&seen, "turn 46: request");
        let (diff_column, diff) = place_of(&seen, "ppdiff/losses.py  +6 −17  ✖ C17, C18 lost");

        assert!(request < diff && column == diff_column, "{seen}");
        let title = seen.lines().nth(diff).unwrap();
        assert_has(title, "   diff: turn 45 → 46   file 1/3 ");
        assert_eq!(title.contains("C18 lost here"), size != "80x24", "{title}");
        assert!(seen.contains("small functions."), "{seen}");
    }
    let words = flowing_words(&replay_at("46", "80x24", ""));
    let request = "The losses are hard to log: total_loss gives a single number. Refactor it so that I get \
        a dictionary with every part and the total, and fold the helpers in, the file has too many small functions.";
    assert!(words.contains(request), "{words}");
}

#[test]
fn a_long_request_has_a_third_of_the_height_and_scrolls_where_it_has_the_keyboard() {
    let at = |keys: &str| frame_at("codex-p12-single-shot", "1", "120x40", keys);
    let rows = |frame: &str| {
        let (_, first) = place_of(frame, "turn 1: request");
        let (_, below) = place_of(frame, "diff: start → turn 1");
        below - first
    };
    let seen = at("");
    let first = place_of(&seen, "turn 1: request").1;
    let view = place_of(&seen, "─ timeline ").1 - first;
    assert_eq!(rows(&seen), view / 3, "{seen}");
    let without_timeline = at("t t");
    assert!((11..=13).contains(&rows(&without_timeline)), "{without_timeline}");

    let end = at("<tab> G");
    assert_ne!(seen.lines().nth(first + 1), end.lines().nth(first + 1), "{end}");
}

#[test]
fn steps_are_counted_as_they_are_listed() {
    let seen = replay_at("46", "120x40", "");
    let wide = replay_at("46", "200x50", "");
    assert!(wide.lines().next().unwrap().contains(" · 5 steps"), "{wide}");
    assert_eq!(seen.matches('▸').count(), 5, "{seen}");
    assert!(replay_at("46", "80x24", "<s-tab>").contains(" steps 5 "));
}

#[test]
fn a_turn_without_edits_shows_its_steps_and_what_they_printed() {
    let seen = replay_at("47", "120x40", "");

    let (_, steps) = place_of(&seen, "steps of turn 47");
    let (_, text) = place_of(&seen, "text of step 1 and later  no file changed");
    assert!(steps < text, "{seen}");
    assert!(seen.contains("ppdiff/config.py:15:    guidance: float = 1.0"), "{seen}");
    assert!(seen.contains("There is no flag for it on the command line."), "{seen}");
}

#[test]
fn the_list_of_files_is_shown_where_there_is_room_and_while_it_has_the_keyboard() {
    let turns = |frame: &str| frame.lines().filter(|line| line.contains("└────")).count();
    let closed = replay_at("46", "120x40", "");
    assert_lacks(&closed, "files of turn 46");
    assert_has(&replay_at("46", "120x40", "<s-tab>"), "M tests/test_losses.py  +6 −18");
    assert_has(&replay_at("46", "200x50", ""), "M tests/test_losses.py");
    assert!(turns(&closed) > 0);
}

#[test]
fn the_first_file_of_a_turn_is_the_one_with_most_changed_lines_that_is_not_a_test() {
    // The files of the turn in the order of their paths: a README, the program, its tests.
    let seen = replay_at("53", "120x40", "");
    assert_has(&seen, "ppdiff/__main__.py");
    let chosen = replay_at("46", "120x40", "f f");
    assert_has(&chosen, "tests/test_losses.py  +6 −18   diff: turn 45 → 46   file 3/3");
}

#[test]
fn a_search_hit_in_a_request_is_shown_there() {
    let seen = replay_at("1", "80x24", "/fold<space>the<space>helpers<enter>");
    assert_has(&seen, "turn 46/56");
    assert_has(&seen, "▌so that I get a dictionary");
}

#[test]
fn the_texts_of_the_steps_fill_the_room_beside_the_diff() {
    let seen = replay_at("46", "200x50", ". . .");
    assert_has(&seen, "text of step 3 and later");
    assert_has(&seen, "*** Update File: ppdiff/losses.py");
}

#[test]
fn in_the_audit_half_of_the_rows_are_code() {
    let mut screen = audit_screen(&Bundle::new(), (120, 40), "ann");
    let seen = frame_text(&screen);
    let (column, _) = place_of(&seen, "ppdiff/losses.py ──");
    let is_code = |line: &&str| {
        let cells: String = line.chars().skip(column).take(9).collect();
        let numbers: Vec<&str> = cells.split_whitespace().collect();
        numbers.len() == 2
            && numbers.iter().all(|it| it.trim_end_matches('▌').parse::<u32>().is_ok())
    };

    let code = seen.lines().filter(is_code).count();
    let view = place_of(&seen, "─ timeline ").1 - 1; // below the tabs
    assert!(code >= 16 && 2 * code + 2 >= view, "{seen}");
    assert_lacks(&seen, "┌ agreement");
    // Without the timeline the code has its rows, too.
    let alone = frame_after(&mut screen, "t");
    assert_lacks(&alone, "─ timeline ");
    assert!(alone.lines().filter(is_code).count() >= 18, "{alone}");
}

#[test]
fn a_part_of_the_audit_is_maximized_and_a_note_has_another_key() {
    let mut screen = audit_screen(&Bundle::new(), (120, 40), "ann");

    let code = frame_after(&mut screen, "<tab><tab> m");
    assert_has(&code, "  queue   item   code ");
    assert_lacks(&code, "┌ queue");
    assert_has(&frame_after(&mut screen, "m"), "┌ queue");
    let noted = frame_after(&mut screen, "4 \" fine <enter>");
    assert_has(&noted, "your note: fine");
}

#[test]
fn lines_of_the_evidence_are_not_listed_again_as_candidates() {
    let mut screen = audit_screen(&Bundle::new(), (200, 50), "ann");

    let seen = frame_after(&mut screen, "3 <esc>");

    assert_has(&seen, "◆ ppdiff/losses.py:10  evidence");
    assert_lacks(&seen, "? ppdiff/losses.py:7–14"); // line 10 is one of these
    assert_has(&seen, "? ppdiff/losses.py:23–26");
}

#[test]
fn the_request_that_asks_for_a_component_is_read_in_the_audit_and_in_the_scores() {
    let request = "Losses. The network will predict x_0 directly";
    assert_has(&frame_text(&audit_screen(&Bundle::new(), (200, 50), "ann")), request);
    let scores = replay_at("46", "200x50", "3w G 9k");
    assert_has(&scores, "turn 22: request");
}

#[test]
fn the_process_view_shows_the_lists_that_have_rows_and_the_turn_in_the_rest_of_the_room() {
    let seen = replay_at("46", "200x50", "8w");
    let (signals, row) = place_of(&seen, "┌ signals ");
    let (plan, below) = place_of(&seen, "┌ recoveries and plan ");
    assert!(below > row && signals == plan, "{seen}");
    // The turn has the room that the lists do not need.
    let (request, beside) = place_of(&seen, "┌ turn 46: request ");
    assert!(beside == row && request > plan, "{seen}");
    assert_has(&seen, "dictionary with every part and the total");
    assert_has(&seen, "± ppdiff/losses.py");

    let lane = seen.lines().find(|line| line.starts_with(" signals ")).unwrap();
    let events = seen.lines().find(|line| line.starts_with(" events ")).unwrap();
    let column = |line: &str, sign| line.chars().position(|it| it == sign);
    let value: Vec<&str> = lane.split_whitespace().take(2).collect();
    assert_eq!(value, ["signals", "•2"], "the turn at the playhead has two: {seen}");
    let turn_46 = column(&seen_checkpoints(&seen), '▼').unwrap();
    assert_eq!(lane.chars().nth(turn_46), Some('2'), "on the axis of the timeline: {seen}");
    assert_eq!(events.chars().nth(turn_46), Some('✖'), "{seen}");

    let stacked = replay_at("46", "120x40", "8w");
    assert!(place_of(&stacked, "┌ signals ").1 < place_of(&stacked, "┌ recoveries and plan ").1);
    let chosen = replay_at("46", "200x50", "8w v");
    assert!(place_of(&chosen, "┌ recoveries and plan ").0 < 5, "{chosen}");
}

#[test]
fn requirements_of_a_rubric_have_the_width_of_the_screen() {
    let run = project_path("sample-runs/paperbench");
    let options = ["--snapshot", "120x40", "--keys", "3w Z"];
    let seen = run_cli(&[&[run.to_str().unwrap()], &options[..]].concat()).out;
    assert_has(&seen, "Every residue has a local frame made from N, CA and C by Gram-Schmidt.");
    assert_has(&seen, "│requirement   ");
}

#[test]
fn the_chosen_number_is_defined_below_the_list() {
    let seen = replay_at("46", "120x40", "2w");
    assert_has(&seen, "erosion: high_mass / mass; 0 without mass");
    assert_has(&replay_at("46", "80x24", "2w j"), "verbosity: flagged_lines / lines");
}

#[test]
fn a_row_of_what_changed_a_point_begins_with_the_whole_name() {
    let seen = replay_at("46", "120x40", "2w");
    assert_has(&seen, "compute_losses  ppdiff/losses.py:7  new, mass 8.5, CC 3");
    // A name is cut at its end only where the row has no room for it and for the numbers.
    assert_has(&seen, "TotalLossTest.test_a_perfect_str…  gone, mass 2.0, CC 1");
    assert_has(&seen, "turn 46: request");
    let wide = replay_at("46", "200x50", "2w");
    assert_has(&wide, "TotalLossTest.test_a_perfect_structure_leaves_the_sequence_term  tests/");
}

#[test]
fn columns_of_the_scores_are_named_in_full_where_there_is_room() {
    assert_has(&replay_at("46", "200x50", "3w"), "spec level change lost at turn");
    assert_has(&replay_at("46", "120x40", "3w"), "lost at");
}

#[test]
fn the_note_on_hidden_columns_belongs_to_the_table_where_pairs_are_listed() {
    let runs = project_path("sample-runs");
    let options = ["--view", "collection", "--snapshot", "200x50", "--keys", "p"];
    let seen = run_cli(&[&[runs.to_str().unwrap()], &options[..]].concat()).out;

    let note = seen.lines().find(|line| line.contains("empty column")).unwrap();
    let at = note.chars().position(|sign| sign == 'e').unwrap();
    let border = note.chars().position(|sign| sign == '│').unwrap_or(usize::MAX);
    assert!(at < border && border != usize::MAX, "{seen}");
}

fn seen_checkpoints(seen: &str) -> String {
    seen.lines().find(|line| line.starts_with(" checkpoint ")).unwrap().to_owned()
}

/// Returns the share of cells between two rows that are blank.
fn blank_share(seen: &str) -> f64 {
    let cells: Vec<char> = seen.lines().skip(1).flat_map(str::chars).collect();
    let width = seen.lines().map(|line| line.chars().count()).max().unwrap_or(1);
    let all = width * seen.lines().count().saturating_sub(1);
    let filled = cells.iter().filter(|sign| **sign != ' ').count();
    1.0 - filled as f64 / all.max(1) as f64
}

fn frame_of(path: &str, options: &[&str]) -> String {
    let run = project_path(path);
    run_cli(&[&[run.to_str().unwrap()], options].concat()).out
}

#[test]
fn a_view_without_content_shows_what_fills_it_and_the_run() {
    let log = "sample-runs/codex-exec-json/stdout.jsonl";
    for (view, size) in
        [("scores", "200x50"), ("audit", "200x50"), ("layers", "200x50"), ("scores", "120x40")]
    {
        let seen = frame_of(log, &["--view", view, "--snapshot", size]);
        assert_has(&seen, "turns of this run");
        assert_has(&seen, "turn 1: request");
        assert_has(&seen, "turn 1: steps and files");
        assert_has(&seen, "trajview ");
    }
    for (view, words) in [("compare", ":compare PATH"), ("runs", ":open FOLDER")] {
        let key = if view == "compare" { "<f5>" } else { "<f6>" };
        let seen = frame_of(log, &["--snapshot", "200x50", "--keys", key]);
        assert_has(&seen, words);
        assert_has(&seen, "turns of this run");
    }
    let small = frame_of(log, &["--view", "layers", "--snapshot", "80x24"]);
    assert_has(&small, "trajview layer RUN LAYER");
}

#[test]
fn the_live_view_without_a_live_run_is_shown_where_it_is_asked_for() {
    let seen = frame_of("sample-runs/codex-p12", &["--view", "live", "--snapshot", "120x40"]);
    assert_has(&seen, "[Live]");
    assert_has(&seen, "requests of the open run");
}

#[test]
fn a_short_table_has_the_whole_width_and_the_facts_of_the_run_below() {
    let seen = frame_of("sample-runs/codex-p12", &["--view", "runs", "--snapshot", "120x40"]);
    let (_, table) = place_of(&seen, "▌codex-p12");
    let (x, facts) = place_of(&seen, "┌ codex-p12 ");
    assert!(x == 0 && facts > table, "{seen}");
    assert_has(&seen, "first request");
    assert_has(&seen, "erosion over the run");
    assert!(blank_share(&seen) < 0.8, "{seen}");
}

#[test]
fn a_short_table_on_a_small_screen_has_the_facts_below_it_too() {
    let seen = frame_of("sample-runs/codex-p12", &["--view", "runs", "--snapshot", "80x24"]);
    let (_, facts) = place_of(&seen, "┌ codex-p12 ");
    assert!(facts > place_of(&seen, "▌codex-p12").1, "{seen}");
    assert_has(&seen, "first request");

    let at_turn = ["--view", "runs", "--at", "46", "--snapshot", "80x24"];
    assert_lacks(&frame_of("sample-runs/codex-p12", &at_turn), "need a single run");
}

#[test]
fn a_run_without_signals_or_curves_shows_its_turn_instead() {
    let log = "sample-runs/logs/mini-swe-agent.traj.json";
    let process = frame_of(log, &["--view", "process", "--snapshot", "200x50"]);
    let curves = frame_of("sample-runs/jobs/terminal-bench", &["--snapshot", "200x50"]);
    assert_has(&process, "turn 1: steps and files");
    assert_has(&curves, "first request");
    for (run, view) in
        [("sample-runs/logs/git-ai.json", "curves"), ("sample-runs/codex-exec-json", "curves")]
    {
        let seen = frame_of(run, &["--view", view, "--snapshot", "200x50"]);
        assert_has(&seen, ": request ");
        assert_has(&seen, ": steps and files ");
        assert_lacks(&seen, "all curves");
    }
}

#[test]
fn a_run_of_one_turn_has_its_steps_where_others_list_their_turns() {
    let log = "sample-runs/logs/swe-agent.traj";
    let seen = frame_of(log, &["--view", "layers", "--snapshot", "120x40"]);
    assert_lacks(&seen, "turns of this run");
    let (request, below) = place_of(&seen, "turn 1: request");
    let (steps, top) = place_of(&seen, "turn 1: steps and files");
    assert!(request < steps && below > top, "{seen}");
}

#[test]
fn where_a_change_is_not_recorded_the_steps_have_the_room_of_the_diff() {
    let seen = frame_at("codex-exec-json", "3", "120x40", "");
    let title = "text of step 1 and later  tinycalc/core.py (2/2): the change is not recorded";
    assert_has(&seen, title);
    assert!(place_of(&seen, "steps of turn 3").1 < place_of(&seen, title).1, "{seen}");
    assert_has(&seen, "from tinycalc.core import add, sub");
}

#[test]
fn the_last_line_names_no_key_that_does_nothing() {
    let last = |path: &str, options: &[&str]| {
        let seen = frame_of(path, &[&["--snapshot", "200x50"], options].concat());
        seen.trim_end().lines().last().unwrap_or_default().to_owned()
    };
    assert_lacks(&last("sample-runs/paperbench", &[]), "timeline");
    let live = last("sample-runs/codex-p12", &["--view", "live"]);
    assert_has(&live, "A start a live run");
    assert_has(&last("sample-runs/codex-p12", &["--view", "layers"]), "←→ turn");
    let one_turn = "sample-runs/logs/swe-agent.traj";
    assert_lacks(&last(one_turn, &["--view", "layers"]), "←→ turn");
    assert_has(&last(one_turn, &["--view", "process"]), "←→ step");
    assert_has(&last(one_turn, &[]), "←→ edit");
}

#[test]
fn a_graded_tree_alone_has_its_requirement_where_others_have_code() {
    let run = "sample-runs/paperbench";
    let seen = frame_of(run, &["--view", "audit", "--annotator", "kim", "--snapshot", "120x40"]);
    assert_has(&seen, "graded tree");
    assert!(!seen.contains("no code to show") && !seen.contains("┌ code "), "{seen}");
    assert_has(&seen, "01 label");
}
