//! The rubric tree on the screen: keys in, frames out, on the sample and on trees made up here.

use std::{path::PathBuf, sync::Arc};

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Size};
use trajview::{
    formats::{SourceBytes, format_by_name},
    run::{Run, Turn, rubric_tree::RubricTree},
    runtime::{self, ScreenOptions},
    session::{
        effect::{Effect, OpenAnswer},
        pending::Loading,
        start_place::StartPlace,
        views::View,
    },
    shell::{App, AppMessage, config::Config, draw, state},
    views::scores::tree::{NodeOrder, TreePart},
    widgets::{
        export, key,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

fn sample_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sample-runs/paperbench")
}

fn frame_as(wishes: ScreenOptions, width: u16, height: u16, keys: &str) -> Buffer {
    runtime::headless_frame(
        &[sample_path()],
        Size { width, height },
        keys,
        StartPlace::default(),
        wishes,
    )
    .unwrap()
}

fn frame_text(width: u16, height: u16, keys: &str) -> String {
    export::frame_text(&frame_as(ScreenOptions::default(), width, height, keys))
}

/// A run that is open on a screen of 120 columns.
fn open_rubric(run: Run, place: StartPlace) -> App {
    let mut app = App::default();
    app.update(AppMessage::Resized(Size { width: 120, height: 40 }));
    let asked = app.update(AppMessage::Open(PathBuf::from("run"), place));
    let [Effect::Open(request, ..)] = asked.as_slice() else { panic!("{asked:?}") };
    app.update(AppMessage::Opened(*request, OpenAnswer::Whole(Ok(Arc::new(run)))));
    app
}

fn press_keys(app: &mut App, keys: &str) {
    for key in key::parse_keys(keys).unwrap() {
        app.update(AppMessage::Press(key));
    }
}

fn frame_now(app: &App) -> String {
    export::frame_text(&draw::draw_picture(app, Theme::without_colours()))
}

fn read_run(text: &str) -> Run {
    let format = format_by_name("paperbench").unwrap();
    format.index_run(&[SourceBytes { name: "t.json", bytes: text.as_bytes() }]).unwrap()
}

fn sample_run() -> Run {
    read_run(&std::fs::read_to_string(sample_path().join("grader_output.json")).unwrap())
}

fn app_with(keys: &str) -> App {
    let mut app = open_rubric(sample_run(), StartPlace::default());
    press_keys(&mut app, keys);
    app
}

/// The way of the chosen node.
fn selected_text(app: &App) -> String {
    let state = &app.screens.open_run().unwrap().scores.tree;
    state.tab_title(TreePart::Detail).trim().trim_start_matches("node ").to_owned()
}

fn row_count(app: &App) -> usize {
    app.screens.open_run().unwrap().scores.tree.rows.len()
}

#[test]
fn a_graded_tree_opens_as_a_tree_with_the_words_of_its_root_beside_it() {
    insta::assert_snapshot!(frame_text(120, 40, ""));
}

#[test]
fn a_judge_s_answer_stands_in_its_parts() {
    insta::assert_snapshot!(frame_text(120, 40, "s 3j <enter>"));
}

#[test]
fn on_a_small_screen_tree_and_words_are_tabs() {
    insta::assert_snapshot!(frame_text(80, 24, "x x"));
    insta::assert_snapshot!(frame_text(80, 24, "x x <tab>"));
}

#[test]
fn the_smallest_screen_still_has_scores_and_words() {
    insta::assert_snapshot!(frame_text(60, 15, "v"));
}

#[test]
fn without_utf_8_the_tree_is_ascii() {
    let wishes = ScreenOptions {
        config: Config { ascii: true, ..Config::default() },
        ..ScreenOptions::default()
    };
    let seen = export::frame_text(&frame_as(wishes, 80, 24, "Z /attention <enter>"));
    assert!(seen.is_ascii(), "{seen}");
    insta::assert_snapshot!(seen);
}

#[test]
fn a_file_without_turns_says_so_in_the_other_views() {
    for keys in ["1w", "2w"] {
        assert!(frame_text(80, 24, keys).contains("this file has a rubric tree and no turns"));
    }
    assert!(frame_text(80, 24, "1w 3w").contains("rubric tree  0.673 · 27 leaves"));
}

#[test]
fn a_run_with_a_tree_beside_it_opens_in_the_replay_and_has_it_among_the_scores() {
    let tree = sample_run().rubric_tree;
    let run = Run { turns: vec![Turn::default()], rubric_tree: tree, ..Run::default() };
    let mut app = open_rubric(run, StartPlace::default());
    assert_eq!(app.screens.open_run().unwrap().session.view, View::Replay);

    press_keys(&mut app, "3w");

    assert!(frame_now(&app).contains("rubric tree  0.673"), "{}", frame_now(&app));
}

#[test]
fn nodes_fold_and_unfold_and_lead_to_their_neighbours() {
    let mut app = app_with("6G");
    assert_eq!((selected_text(&app), row_count(&app)), ("0/1/1/0".into(), 24));

    press_keys(&mut app, "h"); // a leaf leads to what it belongs to
    assert_eq!(selected_text(&app), "0/1/1");
    press_keys(&mut app, "h");
    assert_eq!((selected_text(&app), row_count(&app)), ("0/1/1".into(), 21));
    press_keys(&mut app, "l l");
    assert_eq!((selected_text(&app), row_count(&app)), ("0/1/1/0".into(), 24));
    press_keys(&mut app, "gg z");
    assert_eq!((selected_text(&app), row_count(&app)), ("0".into(), 1));
    press_keys(&mut app, "O");
    assert_eq!(row_count(&app), 37);
    press_keys(&mut app, "O");
    assert_eq!(row_count(&app), 1);
    press_keys(&mut app, "Z G");
    assert_eq!((selected_text(&app), row_count(&app)), ("0/5/2".into(), 37));
}

#[test]
fn what_was_chosen_stays_chosen_when_it_is_folded_away() {
    let mut app = app_with("Z /graph<space>is <enter> <esc>");
    assert_eq!(selected_text(&app), "0/0/2/2");
    press_keys(&mut app, "z");
    assert_eq!(selected_text(&app), "0");
}

#[test]
fn failing_and_invalid_leaves_are_gone_to_wherever_they_are_folded_away() {
    let mut app = app_with("z x");
    assert_eq!(selected_text(&app), "0/0/2/2");
    press_keys(&mut app, "2x");
    assert_eq!(selected_text(&app), "0/3/2");
    press_keys(&mut app, "ctrl-x");
    assert_eq!(selected_text(&app), "0/1/1/2");
    press_keys(&mut app, "v");
    assert_eq!(selected_text(&app), "0/2/3");
    press_keys(&mut app, "V");
    assert_eq!(selected_text(&app), "0/2/3");
    assert!(frame_now(&app).contains("no invalid leaf before; 2 in all"), "{}", frame_now(&app));
}

#[test]
fn the_largest_losses_stand_first_and_lead_back_into_the_tree() {
    let mut app = app_with("z s");
    let state = &app.screens.open_run().unwrap().scores.tree;
    let losses: Vec<f64> =
        state.rows.iter().map(|id| state.measures.get(*id).score_loss()).collect();
    assert_eq!((losses.len(), selected_text(&app)), (6, "0/2/3".into()));
    assert!(losses.is_sorted_by(|a, b| a >= b));
    assert!((losses.iter().sum::<f64>() - (1.0 - 0.6729166666666666)).abs() < 1e-12);

    press_keys(&mut app, "4G <enter>");

    assert_eq!(
        (selected_text(&app), app.screens.open_run().unwrap().scores.tree.order),
        ("0/1/1/2".into(), NodeOrder::Tree)
    );
}

#[test]
fn code_alone_has_its_own_score_and_leaves_the_rest_out() {
    let mut app = app_with("c Z");
    assert!(frame_now(&app).contains("rubric tree  0.769 · 20 leaves"), "{}", frame_now(&app));
    assert!(frame_now(&app).contains("code only"));
    assert_eq!(row_count(&app), 29);
    press_keys(&mut app, "c Z");
    assert_eq!(row_count(&app), 37);
}

#[test]
fn looking_for_words_lists_what_says_them_and_what_it_belongs_to() {
    let mut app = app_with("z /schedule");
    assert!(frame_now(&app).contains("\"schedule\": 1 node"), "{}", frame_now(&app));
    assert_eq!((selected_text(&app), row_count(&app)), ("0/2/0".into(), 3));

    press_keys(&mut app, "<enter> <esc>");
    assert_eq!(selected_text(&app), "0/2/0");
    press_keys(&mut app, "/0/1/1/2 <enter>");
    assert_eq!(selected_text(&app), "0/1/1/2");
    press_keys(&mut app, "/nothing<space>like<space>it");
    assert!(frame_now(&app).contains("no match for \"nothing like it\"; esc shows all"));
    press_keys(&mut app, "<esc>");
    assert!(row_count(&app) > 3);
}

#[test]
fn matches_are_gone_through_one_after_the_other() {
    let mut app = app_with("/target <enter>");
    let first = selected_text(&app);
    press_keys(&mut app, "n");
    assert_ne!(selected_text(&app), first);
    press_keys(&mut app, "N");
    assert_eq!(selected_text(&app), first);
}

#[test]
fn a_rubric_that_nobody_graded_says_so() {
    let text = r#"{"id": "r", "requirements": "all", "weight": 1, "sub_tasks": [
        {"id": "a", "requirements": "one", "weight": 3, "task_category": "Code Execution", "sub_tasks": []},
        {"id": "b", "requirements": "two", "weight": 1, "task_category": "Result Analysis", "sub_tasks": []}]}"#;
    let mut app = open_rubric(read_run(text), StartPlace::default());
    assert!(frame_now(&app).contains("rubric tree  not graded · 2 leaves"), "{}", frame_now(&app));
    press_keys(&mut app, "j");
    assert!(frame_now(&app).contains("weight 3 of 4 among 2 siblings"), "{}", frame_now(&app));
    for (keys, said) in [
        ("x", "this rubric is not graded"),
        ("s", "this rubric is not graded: no losses"),
        ("c", "no leaf has the category Code Development"),
        ("n", "no search: press /"),
    ] {
        press_keys(&mut app, keys);
        assert!(frame_now(&app).contains(said), "{keys}: {}", frame_now(&app));
    }
}

#[test]
fn what_a_rubric_says_never_drives_the_terminal() {
    let text = r#"{"id": "r\u001b[2J", "requirements": "all\u202e of\u001b]0;x\u0007 it", "weight": 1, "sub_tasks": [],
        "task_category": "Code\u001b[31m", "score": 1, "judge_metadata": {"full_judge_response": "\u001b[5m# Score\n1"}}"#;
    let drawn = export::frame_ansi(&draw::draw_picture(
        &open_rubric(read_run(text), StartPlace::default()),
        Theme::without_colours(),
    ));
    for order in ["\u{1b}[2J", "\u{1b}]0", "\u{202e}", "\u{1b}[31m", "\u{1b}[5m"] {
        assert!(!drawn.contains(order), "{order:?}");
    }
}

#[test]
fn the_mouse_chooses_opens_and_scrolls() {
    let mut app = app_with("");
    let point = |app: &mut App, kind, column, row| {
        let mouse = Mouse { kind, column, row };
        app.update(AppMessage::Shell(state::ShellMessage::Mouse(mouse)));
    };
    point(&mut app, MouseKind::Click, 10, 4); // below title, border and heads
    assert_eq!(selected_text(&app), "0/0");
    point(&mut app, MouseKind::DoubleClick, 10, 4);
    assert_eq!(row_count(&app), 28);
    point(&mut app, MouseKind::Click, 100, 5); // the tree has the whole width
    assert_eq!(selected_text(&app), "0/0/0");
    assert_eq!(app.screens.open_run().unwrap().scores.tree.part, TreePart::List);
    point(&mut app, MouseKind::Click, 100, 33);
    assert_eq!(app.screens.open_run().unwrap().scores.tree.part, TreePart::Detail);
    press_keys(&mut app, "<esc>");
    app.update(AppMessage::Resized(Size { width: 80, height: 24 }));
    press_keys(&mut app, "Z gg");
    point(&mut app, MouseKind::WheelDown, 10, 10);
    assert_eq!(app.screens.open_run().unwrap().scores.tree.list.top(), 3);
    point(&mut app, MouseKind::Click, 12, 1);
    assert_eq!(app.screens.open_run().unwrap().scores.tree.part, TreePart::Detail);
}

#[test]
fn where_no_leaf_of_code_loses_anything_the_tree_is_listed_again() {
    let leaf = |category: &str, score: f64| {
        format!(
            r#"{{"id": "", "requirements": "r", "weight": 1, "score": {score}, "valid_score": true, "explanation": "",
            "task_category": {category}, "judge_metadata": {{"full_judge_response": ""}}, "sub_tasks": []}}"#
        )
    };
    let leaves = [leaf("\"Code Development\"", 1.0), leaf("\"Code Execution\"", 0.0)].join(",");
    let text =
        format!(r#"{{"id": "n", "requirements": "n", "weight": 1, "sub_tasks": [{leaves}]}}"#);
    let tree = read_run(&text).rubric_tree.unwrap();
    let mut app =
        open_rubric(Run { rubric_tree: Some(tree), ..Run::default() }, StartPlace::default());
    press_keys(&mut app, "s");
    assert_eq!(row_count(&app), 1, "the leaf that loses");
    press_keys(&mut app, "c");
    assert_eq!(row_count(&app), 2, "the root and the leaf of code");
    let notice = app.screens.open_run().unwrap().session.notice.clone();
    assert_eq!(notice.unwrap(), "no leaf lowers the root's score");
}

#[test]
fn a_tree_that_is_read_again_keeps_what_is_unfolded_and_chosen() {
    let mut app = app_with("Z /0/1/1/2 <enter> <esc>");
    let run = sample_run();
    app.update(AppMessage::Grown(Arc::new(run)));
    assert_eq!((selected_text(&app), row_count(&app)), ("0/1/1/2".into(), 37));
}

#[test]
fn a_requirement_and_the_judge_s_words_are_copied() {
    let mut app = app_with("/0/1/1/2 <enter>");
    let mut copied = |keys: &str| {
        let keys = key::parse_keys(keys).unwrap().into_iter();
        let effects: Vec<Effect> =
            keys.flat_map(|key| app.update(AppMessage::Press(key))).collect();
        effects.into_iter().find_map(|effect| match effect {
            Effect::Copy(text) => Some(text),
            _ => None,
        })
    };
    let requirement =
        "The order within a block is causal attention, self attention, equivariant layer.";
    assert_eq!(copied("y l"), Some(format!("0/1/1/2 {requirement}")));
    let verdict = copied("y v").unwrap();
    assert!(
        verdict.starts_with(&format!("{requirement}\nscore 0\n\n# Expectations\n")),
        "{verdict}"
    );
}

/// A tree of so many nodes, with words of every length and judges of every mood.
fn any_tree() -> impl Strategy<Value = RubricTree> {
    let leaf = (0..3_u8, 0..4_u8, "[a-c\u{1b}漢 ]{0,40}").prop_map(|(weight, score, words)| {
        format!(
            r#"{{"id": "", "requirements": {0}, "weight": {weight}, "score": {1}, "valid_score": {2}, "explanation": {0},
            "task_category": {3}, "judge_metadata": {{"full_judge_response": {0}}}, "sub_tasks": []}}"#,
            serde_json::to_string(&words).unwrap(),
            f64::from(score.min(2)) / 2.0,
            score < 3,
            if score == 1 { "\"Code Development\"" } else { "null" },
        )
    });
    let tree = leaf.prop_recursive(5, 40, 6, |below| {
        (0..3_u8, prop::collection::vec(below, 0..6)).prop_map(|(weight, below)| {
            let below = below.join(",");
            format!(
                r#"{{"id": "n", "requirements": "n", "weight": {weight}, "sub_tasks": [{below}]}}"#
            )
        })
    });
    tree.prop_map(|text| read_run(&text).rubric_tree.unwrap().as_ref().clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_tree_the_keys_and_the_size_a_frame_is_drawn(
        tree in any_tree(),
        keys in proptest::collection::vec("[hljkgGoOzZfFvVscnN/ab:w]|<enter>|<bs>|<tab>|<esc>|<pgdn>|<c-u>|[1-9]", 0..40),
        width in 20_u16..220,
        height in 5_u16..60,
    ) {
        let run = Run { rubric_tree: Some(Arc::new(tree)), ..Run::default() };
        let mut app = open_rubric(run, StartPlace::default());
        app.update(AppMessage::Resized(Size { width, height }));
        for key in &keys {
            press_keys(&mut app, key);
            let Loading::Ready(open) = &app.screens.opened else { panic!("it is open") };
            let state = &open.scores.tree;
            prop_assert!(state.rows.is_empty() || state.selected_node().is_some());
            prop_assert!(!state.rows.is_empty() || state.find.is_active());
        }
        draw::draw_picture(&app, Theme::with_terminal_colours());
    }
}
