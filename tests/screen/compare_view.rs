//! Two runs on one screen, keys in and frames out: the sample pair, judged by its authors' reading.

use ratatui::layout::Size;
use trajview::{
    runtime::{self, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    shell::config::Config,
    widgets::export,
};

use crate::common::project_path;

const PAIR: [&str; 2] = ["sample-runs/codex-p12", "sample-runs/codex-p12-single-shot"];

fn of_runs(runs: &[&str], (width, height): (u16, u16), keys: &str, view: View) -> String {
    let paths: Vec<_> = runs.iter().map(|run| project_path(run)).collect();
    let place = StartPlace { view, ..StartPlace::default() };
    let size = Size { width, height };
    // A few rules are enough to be measured by, and quick.
    let rules = Some(project_path("assets/rules/python/booleans.yml"));
    let config = Config { rules, ..Config::default() };
    let wishes = ScreenOptions { config, ..ScreenOptions::default() };
    let frame = runtime::headless_frame_as(RunOpener::Disk, &paths, size, keys, place, wishes);
    export::frame_text(&frame.expect("the runs open"))
}

fn frame_text(width: u16, height: u16, keys: &str) -> String {
    of_runs(&PAIR, (width, height), keys, View::Replay)
}

#[test]
fn two_runs_open_side_by_side_with_the_largest_loss_on_top() {
    insta::assert_snapshot!(frame_text(120, 40, ""));
}

#[test]
fn a_wide_screen_has_the_curves_beside_the_numbers() {
    insta::assert_snapshot!(frame_text(200, 50, "jj"));
}

#[test]
fn on_a_small_screen_parts_are_tabs() {
    insta::assert_snapshot!(frame_text(80, 24, "<s-tab>"));
}

#[test]
fn the_smallest_screen_shows_the_code_of_both_runs() {
    insta::assert_snapshot!(frame_text(60, 15, "jj<tab>]"));
}

#[test]
fn curves_lie_over_each_other_by_phase_checkpoint_or_turn() {
    let by_phase = frame_text(80, 24, "<tab><tab>");
    assert!(by_phase.contains("by phase"), "{by_phase}");
    assert!(by_phase.contains("start") && by_phase.contains("final"), "{by_phase}");

    insta::assert_snapshot!(frame_text(80, 24, "<tab><tab>aa20h"));
}

#[test]
fn final_trees_are_listed_and_a_file_opens_line_by_line() {
    let list = frame_text(120, 40, "vv<tab><tab><tab>");
    assert!(list.contains("final trees: 35 files, 20 the same"), "{list}");

    insta::assert_snapshot!(frame_text(120, 40, "vv<tab><tab><tab>jj<enter>"));
}

#[test]
fn components_can_be_sorted_as_listed_and_by_a_score() {
    let first = |keys: &str| {
        let frame = frame_text(120, 40, keys);
        let row = frame.lines().find(|line| line.starts_with("│C")).map(str::to_owned);
        row.unwrap_or_default().chars().skip(1).take(3).collect::<String>()
    };
    assert_eq!([first("gg"), first("sgg"), first("sssgg")], ["C18", "C01", "C23"]);
}

#[test]
fn the_cell_of_the_chosen_component_is_marked() {
    assert!(frame_text(120, 40, "").contains("0 Absent          ·    ·    ·    ·  [2]"));
    assert!(frame_text(120, 40, "G").contains("[=14]"));
}

#[test]
fn enter_opens_the_run_with_the_keyboard_at_the_lines_and_backspace_comes_back() {
    let there = frame_text(120, 40, "jj]<enter>");
    assert!(there.contains("turn 56/56"), "{there}");
    assert!(there.contains("ppdiff/sampler.py") && there.contains("▌"), "{there}");
    assert!(there.contains("run a; backspace returns to the comparison"), "{there}");

    let other = frame_text(120, 40, "jjl<enter>");
    assert!(other.contains("turn 1/1") && other.contains("ppdiff/schedule.py"), "{other}");

    let back = frame_text(120, 40, "jj<enter><bs>");
    assert!(back.contains("score transitions (a → b)"), "{back}");
    assert!(back.contains("code of C10"), "{back}");
    assert_eq!(frame_text(120, 40, "jj<enter>5w"), back);
}

#[test]
fn views_of_a_run_need_one_to_be_open() {
    let seen = frame_text(120, 40, "1w");
    assert!(seen.contains("no run is open: `trajview RUN` opens one"), "{seen}");
    let one = of_runs(&PAIR[..1], (120, 40), "5w", View::Replay);
    assert!(one.contains("One run is open; a comparison needs two or more."), "{one}");
    assert!(one.contains("trajview A B  compares two runs, from a shell"), "{one}");
}

#[test]
fn more_than_two_runs_are_columns_and_pairs_are_gone_through() {
    let three = [PAIR[0], PAIR[1], PAIR[0]];
    insta::assert_snapshot!(of_runs(&three, (120, 40), "", View::Compare));

    let next = of_runs(&three, (120, 40), "p", View::Compare);
    assert!(next.contains("score transitions (a → c)"), "{next}");
    assert!(next.contains("24 judged in both, 24 unchanged"), "{next}");
}

/// Three recordings of one task by three versions of an agent.
const THREE: [&str; 3] =
    ["sample-runs/codex-p12", "sample-runs/codex-p12-single-shot", "sample-runs/codex-rollout"];

#[test]
fn three_runs_have_a_column_each_with_the_difference_to_the_base() {
    for size in [(80, 24), (120, 40), (200, 50)] {
        let keys = if size.1 == 24 { "<s-tab>" } else { "" };
        let seen = of_runs(&THREE, size, keys, View::Compare);
        assert!(seen.contains("each run − a"), "{seen}");
        let turns = seen.lines().find(|line| line.contains("turns   ")).unwrap();
        let words: Vec<&str> = turns.split_whitespace().collect();
        let at = words.iter().position(|word| word.ends_with("turns")).unwrap();
        assert_eq!(words[at + 1..at + 6], ["56", "1", "−55", "12", "−44"], "{seen}");
        // Each run has a timeline with its lane.
        let lanes = seen.lines().rev().take(20).filter(|line| line.contains("erosion")).count();
        assert!(lanes >= 3, "{seen}");
        for name in ["a emergent", "b single-shot", "c "] {
            assert!(seen.lines().rev().take(20).any(|line| line.contains(name)), "{name}: {seen}");
        }
    }
}

#[test]
fn the_next_run_becomes_the_base() {
    let seen = of_runs(&THREE, (120, 40), "b", View::Compare);
    assert!(seen.contains("each run − b"), "{seen}");
    let turns = seen.lines().find(|line| line.contains("turns   ")).unwrap();
    assert!(turns.contains("56") && turns.contains("+55") && turns.contains("+11"), "{seen}");
    let two = frame_text(120, 40, "b");
    assert!(two.contains("two runs: the difference is"), "{two}");
}

#[test]
fn columns_that_do_not_fit_are_counted_and_come_into_sight() {
    let five = [PAIR[0], PAIR[1], PAIR[0], PAIR[1], PAIR[0]];
    let first = of_runs(&five, (80, 24), "<s-tab>", View::Compare);
    assert!(first.contains("each run − a  2›"), "{first}");
    assert!(first.contains("+3 (i)"), "{first}");
    let components = of_runs(&five, (120, 40), "", View::Compare);
    assert_eq!(components.matches("2›").count(), 2, "{components}");
    let last = of_runs(&five, (80, 24), "<s-tab>>>", View::Compare);
    assert!(last.contains("each run − a  ‹2"), "{last}");
}

/// Two logs of Claude Code whose third command differs, after enough equal ones to be folded.
fn transcripts(size: (u16, u16), keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let record = |kind: &str, at: usize, content: serde_json::Value| {
        serde_json::json!({
            "type": kind, "uuid": format!("{kind}{at}"), "sessionId": "s", "cwd": "/tmp/w",
            "version": "2.1.0", "timestamp": format!("2026-01-01T00:00:{at:02}.000Z"),
            "message": {"role": kind, "content": content},
        })
    };
    let log = |name: &str, commands: &[&str]| {
        let mut records = vec![record("user", 0, "Make the tests pass.".into())];
        for (at, command) in (1..).zip(commands) {
            let call = serde_json::json!([{
                "type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": command},
            }]);
            let result = serde_json::json!([{
                "type": "tool_result", "tool_use_id": format!("t{at}"), "content": "done",
            }]);
            records.extend([record("assistant", 2 * at - 1, call), record("user", 2 * at, result)]);
        }
        let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path.to_str().unwrap().to_owned()
    };
    let shared = ["ls", "git log", "cat a.py", "cat b.py", "cat c.py"];
    let a = log("a.jsonl", &[&shared[..], &["pytest -q", "git diff", "git add ."]].concat());
    let b =
        log("b.jsonl", &[&shared[..], &["pytest -x", "git diff", "rm a.py", "git add ."]].concat());
    of_runs(&[&a, &b], size, keys, View::Compare)
}

#[test]
fn transcripts_stand_side_by_side_from_the_first_step_that_differs() {
    for size in [(80, 24), (120, 40), (200, 50)] {
        let seen = transcripts(size, "d");
        assert!(seen.contains("difference 1 of 2"), "{seen}");
        assert!(seen.contains("rows: 4 the same"), "{seen}");
        let changed = seen.lines().find(|line| line.contains(" ~ ")).unwrap();
        assert!(changed.contains("1.6") && changed.contains("pytest -q"), "{seen}");
        assert!(changed.contains("pytest -x"), "{seen}");
        let alone = seen.lines().find(|line| line.contains(" > ") && line.contains("rm a.py"));
        assert!(alone.is_some(), "{seen}");
    }
    let head = transcripts((120, 40), "");
    assert!(head.contains("first step that differs: a 1.6, b 1.6"), "{head}");
    let named = transcripts((120, 40), "d");
    let sentence = "first step that differs: a 1.6 Bash: pytest -q | b 1.6 Bash: pytest -x (6 equal before it)";
    assert!(named.contains(sentence), "{named}");
}

#[test]
fn n_goes_to_the_next_difference_and_enter_opens_the_step_or_the_fold() {
    let next = transcripts((120, 40), "dn");
    assert!(next.contains("difference 2 of 2"), "{next}");
    let last = transcripts((120, 40), "dnn");
    assert!(last.contains("no difference after this"), "{last}");
    let before = transcripts((120, 40), "dgg");
    assert!(before.contains(" 2 differences "), "{before}");
    let back = transcripts((120, 40), "dnN");
    assert!(back.contains("difference 1 of 2"), "{back}");
    let unfolded = transcripts((120, 40), "dgg<enter>");
    assert!(
        unfolded.contains("Make the tests pass.") && unfolded.contains("git log"),
        "{unfolded}"
    );
    let open = transcripts((120, 40), "dnl<enter>");
    assert!(open.contains("run b; backspace returns to the comparison"), "{open}");
    let named = transcripts((120, 40), ":transcripts<enter>");
    assert!(named.contains("difference 1 of 2"), "{named}");
}

#[test]
fn more_than_two_rows_of_the_table_are_compared() {
    let folder = ["sample-runs"];
    let marked = of_runs(&folder, (200, 50), "/codex<enter>cjC", View::Collection);
    assert!(marked.contains("2 runs are marked: c on another compares them all"), "{marked}");
    let compared = of_runs(&folder, (200, 50), "/codex<enter>cjCjc", View::Collection);
    assert!(compared.contains("each run − a"), "{compared}");
}

#[test]
fn the_line_and_the_command_are_copied() {
    let line = frame_text(120, 40, "yl");
    assert!(line.contains("copied the row"), "{line}");
    assert!(frame_text(120, 40, "jjyv").contains("copied both verdicts"));
    let link = frame_text(200, 50, "yy");
    assert!(link.contains("codex-p12-single-shot --view compare --component C18"), "{link}");
}

#[test]
fn facts_and_warnings_are_of_both_runs() {
    let facts = frame_text(120, 40, "i");
    assert!(facts.contains("a codex-p12") && facts.contains("differences"), "{facts}");
    let warnings = frame_text(120, 40, "e");
    assert!(warnings.contains("same task, one judge"), "{warnings}");
}

#[test]
fn a_run_that_is_not_judged_is_told_at_once_and_never_a_zero() {
    let seen = of_runs(&[PAIR[0], "sample-runs/codex-exec-json"], (120, 40), "", View::Replay);
    assert!(seen.contains("b has no checklist and is not judged"), "{seen}");
    assert!(seen.contains("no component is judged in both runs"), "{seen}");
    assert!(seen.contains("not in the checklist of this run"), "{seen}");
}

#[test]
fn two_rows_of_the_table_are_compared() {
    let folder = ["sample-runs"];
    let marked = of_runs(&folder, (200, 50), "/codex-p12<enter>c", View::Collection);
    assert!(
        marked.contains("is marked: c on another run compares the two, C marks more"),
        "{marked}"
    );

    let compared = of_runs(&folder, (200, 50), "/codex-p12<enter>cjc", View::Collection);
    assert!(compared.contains("score transitions (a → b)"), "{compared}");
    let back = of_runs(&folder, (200, 50), "/codex-p12<enter>cjc<esc>", View::Collection);
    assert!(back.contains("2 of ") || back.contains("codex-p12-single-shot"), "{back}");
    assert!(!back.contains("score transitions (a → b)"), "{back}");
}

/// The sample as it was judged by several, beside itself.
fn judged_twice(keys: &str, size: (u16, u16)) -> String {
    let folder = crate::common::judged::judged_sample();
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();
    of_runs(&[run, run], size, keys, View::Compare)
}

#[test]
fn the_verdicts_of_another_judge_and_pooled_ones_are_named_where_they_stand() {
    let medium = (120, 40);
    let next = judged_twice("f", medium);
    assert!(next.contains("judged by second-reader, a at turn 56"), "{next}");
    assert!(next.contains("both runs by second-reader"), "{next}");

    let pooled = judged_twice("P", medium);
    assert!(pooled.contains("judged by mean of "), "{pooled}");
    assert!(pooled.contains("pooled: mean, nearest level"), "{pooled}");
    let pooled = judged_twice("PP", medium);
    assert!(pooled.contains("both runs by median of "), "{pooled}");
    let alone = judged_twice("PPPP", medium);
    assert!(!alone.contains("pooled: "), "{alone}");
    let none = frame_text(120, 40, "P");
    assert!(none.contains("mean of 2: "), "{none}");
    assert!(none.contains("b by nobody"), "{none}");
}

#[test]
fn pooled_verdicts_of_two_runs_at_three_sizes() {
    for (name, size) in [("80x24", (80, 24)), ("120x40", (120, 40)), ("200x50", (200, 50))] {
        insta::assert_snapshot!(format!("pooled_{name}"), judged_twice("PPP", size));
    }
}

#[test]
fn the_facts_of_a_comparison_have_intervals() {
    let facts = frame_text(120, 40, "i");
    assert!(facts.contains("components resampled with both scores"), "{facts}");
    assert!(facts.contains("a 3.125 [2.500, 3.542], b 3.875 [3.667, 3.958]"), "{facts}");
    assert!(frame_text(200, 50, "").contains("+0.750  [0.333, 1.375]"));
}

/// Two sessions that nobody judged: of one agent, with sub-agents in one.
const PLAIN: [&str; 2] = ["sample-runs/claude-code", "sample-runs/logs/pi.jsonl"];

#[test]
fn of_two_plain_sessions_what_was_done_and_asked_comes_first() {
    insta::assert_snapshot!(of_runs(&PLAIN, (120, 40), "", View::Replay));
    insta::assert_snapshot!(of_runs(&PLAIN, (80, 24), "j", View::Replay));
    let numbers = of_runs(&PLAIN, (80, 24), "<s-tab>", View::Replay);
    assert!(!numbers.contains("not judged"), "{numbers}");
    assert_eq!(numbers.matches("neither").count(), 1, "{numbers}");
}

#[test]
fn enter_on_a_request_opens_its_session_at_that_turn() {
    let opened = of_runs(&PLAIN, (120, 40), "j<enter>", View::Replay);
    assert!(opened.contains("turn 2/"), "{opened}");
}

#[test]
fn what_was_measured_once_is_a_point_and_no_level_line() {
    let by_phase = frame_text(120, 40, "vv<tab><tab>");
    let curves = frame_text(80, 24, "<tab><tab>");

    assert!(curves.contains("by phase"), "{curves}");
    assert!(!curves.contains('┄') && !by_phase.contains('┄'), "{curves}{by_phase}");
    assert!(curves.contains('○'), "{curves}");
}

#[test]
fn the_component_that_is_chosen_goes_along_into_the_run() {
    let scores = frame_text(120, 40, "<enter><f3>");
    assert!(scores.contains("┌ C18 "), "{scores}");
}

#[test]
fn the_losses_of_both_runs_stand_in_one_table_and_enter_opens_the_lines() {
    let table = frame_text(120, 40, "vvv");
    assert!(table.contains("4 lost, 4 only in a"), "{table}");
    let row = table.lines().find(|line| line.contains("Min-SNR") && line.contains("turn 46"));
    assert!(row.is_some_and(|row| row.contains("kept") && row.contains("only in a")), "{table}");

    let lines = frame_text(120, 40, "vvv<s-tab><s-tab><s-tab>j<enter>");
    assert!(lines.contains("ppdiff/losses.py") && lines.contains("snr_weight"), "{lines}");
    let other = frame_text(120, 40, "vvv<s-tab><s-tab><s-tab>jl<enter>");
    assert!(other.contains("b did not lose C17"), "{other}");
}
