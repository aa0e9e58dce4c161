//! `trajview figure` from the outside: formats, captions, gaps, and what is refused.

use crate::common::{cli_text, project_path, run_cli};

const EMERGENT: &str = "sample-runs/codex-p12";
const SINGLE_SHOT: &str = "sample-runs/codex-p12-single-shot";

/// The figure as it is printed.
fn figure(kind: &str, more: &[&str]) -> String {
    let words = [&["figure", kind][..], more].concat();
    cli_text(&words)
}

#[test]
fn curves_have_a_group_for_each_condition_with_its_number_of_runs() {
    let svg = figure("curves", &[EMERGENT, SINGLE_SHOT]);

    for words in ["emergent (n=1)", "single-shot (n=1)", "erosion", "verbosity", "#0072b2"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(svg.contains("<desc>") && svg.contains("One run each."), "{svg}");
    insta::assert_snapshot!("figure_curves.svg", svg);
}

#[test]
fn bands_are_named_in_the_caption() {
    let logs = ["sample-runs/codex-rollout", "sample-runs/codex-rollout-old"];
    let runs = [&logs[..], &["--by", "agent", "--over", "turns"]].concat();
    let interval = figure("curves", &runs);
    let range = figure("curves", &[&runs[..], &["--band", "range"]].concat());

    assert!(interval.contains("Student's 95 % interval of the mean over runs"));
    assert!(range.contains("from the lowest run to the highest"));
    assert!(interval.contains("(n=2)") && interval.contains("fill-opacity"));
}

#[test]
fn a_run_without_checkpoints_is_drawn_over_its_turns_or_refused() {
    let run = "sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl";

    assert!(figure("curves", &[run]).contains(">turn<"));
    let refused = run_cli(&["figure", "curves", run, "--over", "checkpoints"]);
    assert_eq!(refused.code, Some(4));
    assert!(
        refused.err.contains("no checkpoints; `--over turns` draws its turns"),
        "{}",
        refused.err
    );
}

#[test]
fn survival_has_the_losses_of_the_sample_run_and_those_of_none() {
    let svg = figure("survival", &[EMERGENT, SINGLE_SHOT]);

    assert!(svg.contains("emergent: 4 of 24 components lost, median not reached."), "{svg}");
    assert!(svg.contains("single-shot: 0 of 24 components lost"), "{svg}");
    assert!(svg.contains("Greenwood"));
    let by_turn = figure("survival", &[EMERGENT, "--clock", "turn", "--format", "pgf"]);
    assert!(by_turn.contains("late entry") && by_turn.contains("\\begin{axis}"));
    insta::assert_snapshot!("figure_survival.pgf", by_turn);
}

#[test]
fn one_run_has_the_lifeline_of_each_component_and_several_their_losses_by_turn() {
    let strip = figure("losses", &[EMERGENT]);
    let several = figure("losses", &[EMERGENT, SINGLE_SHOT]);

    assert!(strip.contains("lost (n=4)") && strip.contains("not lost (n=20)"), "{strip}");
    insta::assert_snapshot!("figure_losses.svg", strip);
    assert!(several.contains("components lost") && several.contains("emergent (n=1)"));
}

#[test]
fn transitions_count_the_components_of_paired_runs_by_both_levels() {
    let paired = figure("transitions", &[SINGLE_SHOT, EMERGENT]);

    assert!(paired.contains("level, single-shot") && paired.contains("level, emergent"));
    assert!(paired.contains("n=24"), "{paired}");
    insta::assert_snapshot!("figure_transitions.svg", paired);
    let wrong = run_cli(&["figure", "transitions", EMERGENT, SINGLE_SHOT, "--between", "1", "2"]);
    assert_eq!(wrong.code, Some(2));
    let unjudged = run_cli(&["figure", "transitions", EMERGENT, "--between", "3", "final"]);
    assert_eq!(unjudged.code, Some(4));
    assert!(unjudged.err.contains("it judged the states after these turns"), "{}", unjudged.err);
}

#[test]
fn agreement_has_a_row_for_each_pair_of_raters() {
    let svg = figure("agreement", &[EMERGENT, "--columns", "2"]);

    assert!(svg.contains("exact agreement") && svg.contains("weighted κ (quadratic)"));
    assert!(svg.contains("BCa bootstrap"));
}

#[test]
fn the_end_of_the_name_chooses_the_format_and_a_pdf_embeds_its_font() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, start) in [("a.pdf", "%PDF-"), ("a.svg", "<svg"), ("a.pgf", "% "), ("a.tex", "% ")] {
        let printed = figure("survival", &[EMERGENT, "-o", &path(name)]);
        assert!(printed.contains("Components not lost") && printed.contains("Greenwood"));
        let bytes = std::fs::read(path(name)).unwrap();
        assert!(bytes.starts_with(start.as_bytes()), "{name}");
        if name == "a.pdf" {
            let has = |words: &str| bytes.windows(words.len()).any(|it| it == words.as_bytes());
            assert!(has("/FontFile2") && has("+LiberationSans"));
        }
    }
    let nowhere = run_cli(&["figure", "survival", EMERGENT, "-o", &path("no/a.svg")]);
    assert_eq!(nowhere.code, Some(3));
}

#[test]
fn a_run_of_which_nothing_can_be_drawn_is_left_out_and_named() {
    let log = "sample-runs/codex-rollout/rollout-2026-11-21T20-51-01-01a1ffe0-6f36-7ec0-bf74-73c911debe2e.jsonl";
    let ran = run_cli(&["figure", "survival", EMERGENT, log]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("no component to follow"), "{}", ran.err);
    assert!(ran.out.contains("1 run left out"));
    assert!(project_path(log).exists());
}
