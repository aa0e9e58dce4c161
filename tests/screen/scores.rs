//! The scores of components: keys in, frames out, on a made-up run that loses two of them, and on a sample.

use std::path::{Path, PathBuf};

use ratatui::{buffer::Buffer, layout::Size};
use trajview::{
    run::rubric::{
        Checklist, Component, Evidence, EvidenceQuote, Exposure, Judge, JudgeToolCall, Judgement,
        Label, LabelFile, QuoteCheck, QuotedEvidence, Recoverability, Rubric, Verdict,
    },
    runtime::{self, ScreenOptions},
    session::{effect::Effect, start_place::StartPlace, views::View},
    shell::{AppMessage, draw, state},
    widgets::{
        display_options::Alphabet,
        export, key,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::story::{Answering, Story, Telling};

const SCHEDULE: &str = "import math\n\n\nclass CosineSchedule:\n    def __init__(self, steps):\n        self.steps = steps\n\n    def alpha_bar(self, t):\n        return math.cos(t / self.steps * math.pi / 2) ** 2\n";
const LOSSES: &str = "def snr_weight(t, bars, most=5.0):\n    \"\"\"1 while there is little noise, falling to 0.\"\"\"\n    return min(bars[t] / max(1.0 - bars[t], 1e-9), most) / most\n\n\ndef joint_loss(seq, xyz, t, bars):\n    return snr_weight(t, bars) * (seq + xyz)\n";
const PLAIN_LOSSES: &str = "def joint_loss(seq, xyz, t, bars):\n    return bars[t] * (seq + xyz)\n";
const TRAIN: &str = "from ppdiff.losses import joint_loss\nfrom ppdiff.schedule import CosineSchedule\n\n\ndef train(steps, seq, xyz):\n    schedule = CosineSchedule(steps)\n    bars = [schedule.alpha_bar(t) for t in range(steps)]\n    return [joint_loss(seq, xyz, t, bars) for t in range(steps)]\n";
const FAST_TRAIN: &str = "from ppdiff.loss import joint_loss\n\n\ndef train(steps, seq, xyz):\n    bars = [1.0 - t / steps for t in range(steps)]\n    return [joint_loss(seq, xyz, t, bars) for t in range(steps)]\n\n\ntrain(9, 1.0, 2.0)\n";

fn made_component(id: &str, name: &str, formula: &str, turn: usize) -> Component {
    Component {
        id: id.into(),
        name: name.into(),
        intent: "What the paper asks for, in a sentence that is long enough to be cut in two."
            .into(),
        formula: formula.into(),
        inputs: "t".into(),
        outputs: "a number".into(),
        connects_to: vec!["C01".into()],
        committed_at_turn: Some(turn),
        blocker: None,
    }
}

fn made_verdict(component: &str, score: Option<u8>, path: &str, lines: (usize, usize)) -> Verdict {
    Verdict {
        component: component.into(),
        score,
        label: None,
        rationale: "The formula is there and \u{1b}[31mthe training loop\u{202e} uses it.".into(),
        evidence: vec![Evidence { path: path.into(), lines: Some(lines), quote: None }],
        trace: vec![JudgeToolCall {
            tool: "search".into(),
            arguments: r#"{"pattern":"snr","path":"ppdiff"}"#.into(),
            bytes: Some(1234),
            sha256: Some("d50caee6aa".into()),
            excerpt: Some("ppdiff/losses.py:1: def snr_weight\n…".into()),
        }],
        error: score.is_none().then(|| "the judge ran out of looks".into()),
        ..Verdict::default()
    }
}

fn made_judgement(file: &str, turn: usize, verdicts: Vec<Verdict>) -> Judgement {
    let judge = Judge {
        name: "reader".into(),
        kind: "http".into(),
        model: Some("a-model".into()),
        budget: Some(8),
        ..Judge::default()
    };
    Judgement {
        file: format!("judgements/{file}.json"),
        judge,
        commit: Some("0123456789abcdef".into()),
        turn: Some(turn),
        rubric: Some("slump-5".into()),
        created_at: Some("2026-01-02T03:04:05Z".into()),
        verdicts,
        ..Judgement::default()
    }
}

fn made_rubric() -> Rubric {
    let components = vec![
        made_component("C01", "Cosine schedule (CosineSchedule)", "cos(t/T pi/2)^2", 1),
        made_component("C02", "Joint loss (joint_loss)", "w(t) (s + x)", 2),
        made_component("C03", "Time weight (snr_weight)", "min(SNR, 5)/5", 2),
        made_component("C04", "Guidance (guided)", "(1 + w) f - w f", 3),
        made_component("C05", "What nobody named", "", 3),
    ];
    let early = vec![
        made_verdict("C01", Some(4), "ppdiff/schedule.py", (4, 9)),
        made_verdict("C02", Some(4), "ppdiff/losses.py", (6, 7)),
        made_verdict("C03", Some(4), "ppdiff/losses.py", (1, 3)),
    ];
    let late = vec![
        made_verdict("C01", Some(1), "ppdiff/train.py", (5, 5)),
        made_verdict("C02", Some(3), "ppdiff/loss.py", (1, 2)),
        made_verdict("C03", Some(0), "ppdiff/loss.py", (2, 2)),
        made_verdict("C04", None, "gone.py", (1, 2)),
        made_verdict("C99", Some(2), "ppdiff/loss.py", (40, 50)),
    ];
    let label =
        Label { component: "C01".into(), score: Some(2.0), blind: Some(true), ..Label::default() };
    let level = |id: &str, level| Recoverability { id: id.into(), by_turn: vec![(1, level)] };
    Rubric {
        checklist: Some(Checklist { task: None, judge: None, components }),
        exposure: Some(Exposure { components: vec![level("C01", 4), level("C03", 3)] }),
        judgements: vec![made_judgement("early", 2, early), made_judgement("late", 5, late)],
        labels: vec![LabelFile {
            file: "labels/ann.json".into(),
            annotator: "ann".into(),
            labels: vec![label],
            ..LabelFile::default()
        }],
        ..Rubric::default()
    }
}

/// Five turns: the schedule loses its use in the fourth, the weight is removed in the fifth.
fn losing_story() -> Story {
    let mut told = Telling::default();
    told.turn("A cosine schedule", |turn| turn.write("ppdiff/schedule.py", SCHEDULE));
    told.turn("The losses, weighted by time, and training", |turn| {
        turn.write("ppdiff/losses.py", LOSSES);
        turn.write("ppdiff/train.py", TRAIN);
    });
    told.checkpoint("losses");
    told.turn("Call the file loss.py", |turn| {
        turn.rename("ppdiff/losses.py", "ppdiff/loss.py");
        turn.write("ppdiff/train.py", Box::leak(TRAIN.replace("losses", "loss").into_boxed_str()));
    });
    told.turn("Make it faster", |turn| turn.write("ppdiff/train.py", FAST_TRAIN));
    told.turn("Simplify the loss", |turn| turn.write("ppdiff/loss.py", PLAIN_LOSSES));
    told.checkpoint("clean-up");
    let mut story = told.end();
    story.rubric = made_rubric();
    story
}

fn judged_by(rubric: Rubric) -> Story {
    Story { rubric, ..losing_story() }
}

fn world_of(story: Story, width: u16, height: u16, keys: &str) -> Answering {
    let mut world = Answering::telling(story);
    world.send(AppMessage::Resized(Size { width, height }));
    press_keys(&mut world, "3w");
    press_keys(&mut world, keys);
    world
}

fn open_scores(keys: &str) -> Answering {
    world_of(losing_story(), 120, 40, keys)
}

fn press_keys(world: &mut Answering, keys: &str) {
    key::parse_keys(keys).unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
}

fn frame_now(world: &Answering) -> String {
    export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()))
}

fn frame_text(width: u16, height: u16, keys: &str) -> String {
    frame_now(&world_of(losing_story(), width, height, keys))
}

#[test]
fn the_table_stands_beside_the_verdict_and_above_the_lifeline() {
    insta::assert_snapshot!(frame_text(120, 40, "2j"));
}

/// The rubric whose last judgement has an unlooked level of C02 and an unsupported one of C01.
fn doubted_rubric() -> Rubric {
    let mut rubric = made_rubric();
    let verdicts = &mut rubric.judgements[1].verdicts;
    verdicts[0].quoted_evidence = Some(QuotedEvidence { found: 0, total: 1 });
    let quote = EvidenceQuote { text: "optimizer.step()".into(), check: QuoteCheck::Missing };
    verdicts[0].evidence[0].quote = Some(quote);
    (verdicts[1].looks, verdicts[1].trace, verdicts[1].is_left_out) = (Some(0), vec![], true);
    rubric
}

#[test]
fn levels_in_doubt_have_a_sign_in_the_table_and_a_sentence_in_the_panel() {
    let unsupported = frame_now(&world_of(judged_by(doubted_rubric()), 120, 60, ""));
    let unlooked = frame_now(&world_of(judged_by(doubted_rubric()), 120, 60, "j"));

    let row = |id: &str| {
        unsupported.lines().find(|line| line.contains(&format!("│{id} "))).unwrap().to_owned()
    };
    assert!(row("C01").contains("1 Wrong ‽"), "{unsupported}");
    assert!(row("C02").contains("3 Equivalent ∅"), "{unsupported}");
    assert!(unsupported.contains("‽ unsupported: "), "{unsupported}");
    assert!(unsupported.contains("quote not in the file"), "{unsupported}");
    assert!(unsupported.contains("unlooked 1   unsupported 1"), "{unsupported}");
    assert!(unsupported.contains("judged 2 of 5"), "C01 and C03 count: {unsupported}");
    assert!(unlooked.contains("∅ unlooked: "), "{unlooked}");
    assert!(unlooked.contains("the judge called no tool"), "{unlooked}");
}

#[test]
fn a_small_screen_has_the_table_or_the_verdict() {
    insta::assert_snapshot!(frame_text(80, 24, "j"));
    insta::assert_snapshot!(frame_text(80, 24, "2j <enter> 12j"));
}

#[test]
fn the_smallest_screen_has_one_part() {
    insta::assert_snapshot!(frame_text(60, 15, ""));
    insta::assert_snapshot!(frame_text(60, 15, "x"));
}

#[test]
fn a_wide_screen_has_whole_lifelines_in_the_table() {
    insta::assert_snapshot!(frame_text(200, 50, "G"));
}

#[test]
fn without_utf_8_the_scores_are_ascii() {
    let mut app = open_scores("2j x").app;
    app.shell.looks.alphabet = Alphabet::Ascii;
    let frame = export::frame_text(&draw::draw_picture(&app, Theme::from_options(app.shell.looks)));
    assert!(frame.is_ascii());
    insta::assert_snapshot!(frame);
}

#[test]
fn without_colours_scores_are_told_by_their_length_number_and_word() {
    let mut app = open_scores("").app;
    app.shell.looks.has_colours = false;
    let frame = draw::draw_picture(&app, Theme::from_options(app.shell.looks));
    let is_plain = |cell: &ratatui::buffer::Cell| {
        cell.fg == ratatui::style::Color::Reset && cell.bg == ratatui::style::Color::Reset
    };
    assert!(frame.content.iter().all(is_plain));
    assert!(export::frame_text(&frame).contains("█··· 1 Wrong"));
}

#[test]
fn the_lost_key_goes_to_the_turn_and_enter_to_the_lines_and_backspace_back() {
    let mut world = open_scores("x");
    assert!(frame_now(&world).contains("C01 is lost in turn 4; enter shows the lines"));

    press_keys(&mut world, "<enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!((open.session.view, open.session.turn + 1), (View::Replay, 4));
    assert_eq!(open.replay.diff_key(&open.session).unwrap().path.as_str(), "ppdiff/train.py");
    let shown = frame_now(&world);
    assert!(shown.contains("▌ 6    −     schedule = CosineSchedule(steps)"), "{shown}");

    press_keys(&mut world, "<bs>");
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Scores);
    assert!(frame_now(&world).contains("lost in turn 4"));
}

#[test]
fn an_event_in_a_renamed_file_leads_to_the_change_of_that_file() {
    let world = open_scores("2j 3l <tab> <tab> <enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!((open.session.view, open.session.turn + 1), (View::Replay, 4));

    let world = self::open_scores("2j x <enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!(
        (open.session.turn + 1, open.replay.diff_key(&open.session).unwrap().path.as_str()),
        (5, "ppdiff/loss.py")
    );
    let shown = frame_now(&world);
    let at_cursor = shown.lines().find(|line| line.contains("││▌")).unwrap();
    assert!(at_cursor.contains("− def snr_weight(t, bars, most=5.0):"), "{shown}");
}

#[test]
fn an_event_is_shown_against_the_turn_before_whatever_the_base_was() {
    let mut world = world_of(losing_story(), 120, 40, "1w b b 3w x <enter>");
    assert!(frame_now(&world).contains("diff: turn 3 →"), "{}", frame_now(&world));

    press_keys(&mut world, "<bs> 1w");
    assert!(!frame_now(&world).contains("diff: turn 3 →"), "{}", frame_now(&world));
}

#[test]
fn what_is_not_lost_says_how_it_stands() {
    assert!(frame_now(&open_scores("j x")).contains("C02 is not lost: joint_loss in use"));
    assert!(frame_now(&open_scores("3j x")).contains("C04 is not lost: no code defines guided"));
    let words = "C05 is not lost: no symbol to follow: neither its name nor a verdict has one";
    assert!(frame_now(&open_scores("4j x")).contains(words));
}

#[test]
fn events_are_gone_through_in_both_ways() {
    let turn = |keys: &str| open_scores(keys).app.screens.open_run().unwrap().session.turn + 1;
    assert_eq!([turn("n"), turn("2n"), turn("9n"), turn("G")], [2, 4, 1, 1]);
    assert_eq!([turn("4l N"), turn("4l 2N"), turn("n n N")], [4, 2, 2]);
    assert!(frame_now(&open_scores("9n")).contains("no event of C01 after this turn"));
}

#[test]
fn judgements_are_flipped_and_changes_told_from_the_other() {
    let late = frame_now(&open_scores(""));
    assert!(
        late.contains("reader (http, a-model, at most 8 calls) · after turn 5 at 0123456"),
        "{late}"
    );
    assert!(late.contains("judgement 2 of 2") && late.contains("change since turn 2"));
    assert!(late.contains("MCF —") && late.contains("judged 3 of 5, partial"), "{late}");

    let early = frame_now(&open_scores("f"));
    assert!(
        early.contains("after turn 2") && early.contains("judgement 1 of 2: judgements/early.json")
    );
    assert!(early.contains("▲3"), "{early}");
    let asked_for = frame_now(&open_scores("F F"));
    assert!(asked_for.contains("judgement 2 of 2: judgements/late.json"));
    assert!(asked_for.contains("MCF 1.333 of 4") && asked_for.contains("judged 3 of 5, partial"));
}

#[test]
fn the_table_is_sorted_by_score_or_by_loss() {
    let order = |keys: &str| {
        let world = open_scores(keys);
        let open = world.app.screens.open_run().unwrap();
        let rows = open.scores.components.component_rows(&open.session);
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(""), "C01 C02 C03 C04 C05 C99");
    assert_eq!(order("s"), "C03 C01 C99 C02 C04 C05");
    assert_eq!(order("s s"), "C01 C03 C02 C04 C05 C99");
}

#[test]
fn the_chosen_component_stays_chosen_when_the_order_changes() {
    let world = open_scores("2j s");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!(open.scores.components.component_row(&open.session).unwrap().id, "C03");
}

#[test]
fn evidence_opens_the_file_as_it_was_judged_at_the_line() {
    // The request stands above the evidence: row 18 of the verdict is the place, row 19 its line.
    let code = open_scores("<enter> 18j <enter>");
    assert_eq!(code.app.screens.open_run().unwrap().replay.diff.line_number(), Some(5));
    let mut world = open_scores("<enter> 17j <enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!((open.session.view, open.session.turn + 1), (View::Replay, 5));
    assert_eq!(open.replay.diff.line_number(), Some(5));
    let shown = frame_now(&world);
    assert!(shown.contains("ppdiff/train.py  after turn 5"), "{shown}");
    assert!(shown.contains("◆ C01 evidence"), "{shown}");

    press_keys(&mut world, "W");
    assert!(frame_now(&world).contains("reader gave 1 Wrong"));
    press_keys(&mut world, "<esc> <bs>");
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Scores);
}

#[test]
fn what_has_no_score_says_why_and_is_never_0() {
    let shown = frame_now(&open_scores("3j"));
    assert!(shown.contains("C04 Guidance (guided)") && shown.contains("no score  by reader"));
    assert!(shown.contains("the judge ran out of looks"));
    let end = frame_now(&open_scores("3j <enter> G"));
    assert!(end.contains("no such text file at that turn"), "{end}");
    let shown = frame_now(&open_scores("4j"));
    assert!(
        shown.contains("not judged") && shown.contains("reader has no verdict on this component")
    );
    let shown = frame_now(&open_scores("G"));
    assert!(shown.contains("the checklist has no such component"));
    let end = frame_now(&open_scores("G <enter> G"));
    assert!(end.contains("the file has 2 lines"), "{end}");
}

#[test]
fn a_checklist_without_a_judgement_is_shown_without_scores() {
    let world = world_of(judged_by(Rubric { judgements: vec![], ..made_rubric() }), 120, 40, "");
    let shown = frame_now(&world);
    assert!(shown.contains("no judgements of this run yet"), "{shown}");
    assert!(shown.contains("5 components, no scores") && !shown.contains(" 0 Absent"));
    assert!(shown.contains("lost in turn 4"), "{shown}");
}

#[test]
fn judgements_without_a_checklist_are_shown_by_id() {
    let world = world_of(judged_by(Rubric { checklist: None, ..made_rubric() }), 120, 40, "");
    let shown = frame_now(&world);
    assert!(shown.contains("C99") && !shown.contains("checklist"), "{shown}");
    assert!(shown.contains("MCF 1.500 of 4"), "{shown}");
}

#[test]
fn a_run_that_nothing_judges_says_so() {
    let world = world_of(judged_by(Rubric::default()), 80, 24, "");
    let shown = frame_now(&world);
    assert!(shown.contains("no rubric for this run"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_judgement_of_another_commit_shows_its_words_and_no_code() {
    let mut rubric = made_rubric();
    rubric.judgements[1].turn = None;
    let shown = frame_now(&world_of(judged_by(rubric), 120, 40, ""));
    assert!(shown.contains("not a turn of this run at 0123456"), "{shown}");
    assert!(shown.contains("the judged commit is not a turn of this run"), "{shown}");
}

#[test]
fn new_verdicts_are_seen_when_the_view_is_come_back_to() {
    let mut world = open_scores("1w");
    world.story_mut().rubric.judgements.pop();
    press_keys(&mut world, "3w");
    let shown = frame_now(&world);
    assert!(shown.contains("after turn 2") && !shown.contains("judgement 2 of 2"), "{shown}");
}

#[test]
fn a_click_chooses_a_row_or_a_turn() {
    let mut world = open_scores("");
    let click = |world: &mut Answering, kind, column, row| {
        world.send(AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column, row })));
    };
    click(&mut world, MouseKind::Click, 9, 7);
    let open = world.app.screens.open_run().unwrap();
    assert_eq!(open.scores.components.component_row(&open.session).unwrap().id, "C03");

    let shown = frame_now(&world);
    let strip = shown.lines().position(|line| line.contains("│snr_weight")).unwrap();
    let first = shown.lines().nth(strip + 1).unwrap().chars().position(|sign| sign == '▲').unwrap();
    click(&mut world, MouseKind::Click, first as u16 + 65, strip as u16);
    let went = world.app.screens.open_run().unwrap().session.turn + 1;
    assert!(went == 4, "{went} of {shown}");
    click(&mut world, MouseKind::WheelDown, 1 + 20, strip as u16);
    assert_eq!(world.app.screens.open_run().unwrap().session.turn, went);
}

#[test]
fn the_verdict_and_the_link_are_copied() {
    let copied = |keys: &str| {
        let mut world = open_scores(keys);
        let effects = world.app.update(AppMessage::Press(key::parse_keys("y").unwrap()[0]));
        assert_eq!(effects, []);
        let last = if keys.contains("2j") { "v" } else { "y" };
        let effects = world.app.update(AppMessage::Press(key::parse_keys(last).unwrap()[0]));
        match effects.as_slice() {
            [Effect::Copy(text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(copied("j"), "trajview 'a run' --at 1 --component C02");
    let verdict = copied("2j");
    assert!(verdict.starts_with("C03 Time weight (snr_weight): 0 Absent\njudge reader, turn 5"));
    assert!(verdict.ends_with("ppdiff/loss.py:2-2") && !verdict.contains('\u{1b}'), "{verdict}");
}

fn sample_paths() -> Vec<PathBuf> {
    vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs/codex-p12")]
}

fn sample_frame(component: &str, keys: &str) -> Buffer {
    let place = StartPlace {
        view: View::Scores,
        component: Some(component.into()),
        ..StartPlace::default()
    };
    let size = Size { width: 120, height: 40 };
    runtime::headless_frame(&sample_paths(), size, keys, place, ScreenOptions::default()).unwrap()
}

#[test]
fn components_of_the_sample_are_one_key_from_the_turn_that_lost_them() {
    for (component, turn, line) in [
        ("C10", 42, "− model, schedule = Denoiser(config), CosineSchedule(config.n_st"),
        ("C17", 46, "− def snr_weight(t, bars, gamma=5.0):"),
        ("C18", 46, "− def interface_weights(coords, binder):"),
        ("C20", 49, "− def self_condition(self, complex_, xt, st, t, rng):"),
    ] {
        let shown = export::frame_text(&sample_frame(component, "x <enter>"));
        assert!(shown.contains(&format!("turn {turn}/56")), "{shown}");
        let squeezed = shown.lines().find(|line| line.contains("││▌")).unwrap();
        let squeezed = squeezed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed.contains(line), "{squeezed}");
    }
}

#[test]
fn a_component_that_is_not_there_is_told_which_are() {
    let shown = export::frame_text(&sample_frame("C99", ""));
    assert!(shown.contains("no component C99: there are C01 to C24"), "{shown}");
}

fn losses_frame(size: (u16, u16), keys: &str) -> String {
    let place = StartPlace { view: View::Scores, ..StartPlace::default() };
    let paths = [crate::common::project_path("sample-runs/codex-p12")];
    let size = Size { width: size.0, height: size.1 };
    let frame = runtime::headless_frame(&paths, size, keys, place, ScreenOptions::default());
    export::frame_text(&frame.expect("the sample opens"))
}

#[test]
fn the_table_of_losses_has_turn_scores_lines_and_request_and_enter_opens_the_diff() {
    for size in [(80, 24), (120, 40), (200, 50)] {
        let table = losses_frame(size, "!");
        assert!(table.contains("4 of 24 lost · scores by authors-reading"), "{table}");
        let row = table.lines().find(|line| line.contains("C18")).unwrap();
        for cell in ["46", "4 at 39 → 0 at 56", "losses.py:15"] {
            assert!(row.contains(cell), "{cell}: {table}");
        }
        let below = losses_frame(size, "!jj");
        for words in [
            "Interface weights of the losses lost at turn 46",
            "The losses are hard to log",
            "interface_weights: gone",
        ] {
            assert!(below.contains(words), "{words}: {below}");
        }
    }

    let diff = losses_frame((120, 40), "!jj<enter>");
    assert!(
        diff.contains("def interface_weights") && diff.contains("C18 lost at turn 46"),
        "{diff}"
    );
    let back = losses_frame((120, 40), "!jj<enter><bs>");
    assert!(back.contains("lost components"), "{back}");
    assert!(losses_frame((120, 40), "!<esc>").contains("┌ components"));
}

#[test]
fn the_next_loss_is_reached_from_any_view_and_after_the_last_comes_the_first() {
    let place = StartPlace { view: View::Curves, ..StartPlace::default() };
    let paths = [crate::common::project_path("sample-runs/codex-p12")];
    let size = Size { width: 120, height: 40 };
    let options = ScreenOptions::default();
    let opener = runtime::RunOpener::Disk;
    let mut screen = runtime::HeadlessScreen::open(opener, &paths, size, place, options).unwrap();
    let mut next = || {
        screen.send_message(AppMessage::NextLoss);
        let frame = export::frame_text(&screen.draw_frame());
        frame.split_whitespace().collect::<Vec<_>>().join(" ")
    };

    for (words, line) in [
        (
            "C10 lost at turn 42: CosineSchedule lost its last use (loss 1 of 4)",
            "− model, schedule = Denoiser(config), CosineSchedule",
        ),
        ("C17 lost at turn 46: snr_weight gone (loss 2 of 4)", "def snr_weight"),
        ("C18 lost at turn 46: interface_weights gone (loss 3 of 4)", "def interface_weights"),
        ("C20 lost at turn 49", "self_condition"),
        ("C10 lost at turn 42", "− model, schedule = Denoiser(config), CosineSchedule"),
    ] {
        let frame = next();
        assert!(frame.contains(words) && frame.contains(line), "{words}: {frame}");
    }
}
