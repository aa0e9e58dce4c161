//! The process view over the sample run, as the program draws it.

use crate::common::{project_path, run_cli};

fn process_frame(size: &str, keys: &str) -> String {
    let run = project_path("sample-runs/codex-p12");
    let run = run.to_str().unwrap();
    let ran = run_cli(&[run, "--view", "process", "--snapshot", size, "--keys", keys]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn pillars_what_one_is_made_of_and_signals_on_one_screen() {
    insta::assert_snapshot!("process_120x40", process_frame("120x40", ""));
    insta::assert_snapshot!("process_200x50", process_frame("200x50", "P"));
    insta::assert_snapshot!("process_80x24", process_frame("80x24", ""));
}

#[test]
fn a_small_screen_shows_what_a_pillar_is_made_of_in_the_place_of_the_pillars() {
    let seen = process_frame("80x24", "j j <enter>");
    assert!(seen.contains("recovery efficiency") && seen.contains("RAC"), "{seen}");
    assert!(!seen.contains("RigorScore"), "{seen}");
}

#[test]
fn a_signal_opens_at_its_step() {
    let seen = process_frame("120x40", "<tab> <tab> j <enter>");
    assert!(seen.contains("turn 46/56") && seen.contains("step 3/5"), "{seen}");
    assert!(seen.contains("def snr_weight"), "{seen}");
}

#[test]
fn a_counted_event_opens_at_its_step() {
    // The first of the errors.
    let seen = process_frame("120x40", "j j <enter> 5G <enter>");
    assert!(seen.contains("turn 3/56"), "{seen}");
}

#[test]
fn weights_are_moved_and_put_back() {
    let before = process_frame("120x40", "");
    let moved = process_frame("120x40", "5>");
    assert!(moved.contains("(+50 %)"), "{moved}");
    assert_ne!(before, moved);
    assert_eq!(before, process_frame("120x40", "5> ~"));
}

#[test]
fn the_scorers_defaults_are_marked() {
    let seen = process_frame("120x40", "P");
    assert!(seen.contains("rigor-shipped") && seen.contains("0.200*"), "{seen}");
}

#[test]
fn the_lists_say_what_there_is_not() {
    let plan = process_frame("120x40", "v");
    assert!(plan.contains("recovered at 3.7") && plan.contains("Layers"), "{plan}");
    let states = process_frame("120x40", "v v");
    assert!(states.contains("no builds or tests on request"), "{states}");
    let decisions = process_frame("120x40", "v v v");
    assert!(decisions.contains("no decisions.json"), "{decisions}");
    let memory = process_frame("120x40", "v v v v");
    assert!(memory.contains("this run has no memory events"), "{memory}");
    let recording = process_frame("120x40", "v v v v v");
    assert!(recording.contains("no problems found in the recording"), "{recording}");
}

#[test]
fn what_is_built_and_tested_is_asked_for_in_a_form() {
    let empty = process_frame("120x40", "B");
    assert!(empty.contains("build and test the files of every turn"), "{empty}");
    assert!(empty.contains("which command?"), "{empty}");
    let filled = process_frame("120x40", "B <space> t r u e <enter>");
    assert!(filled.contains("sh -c 'true'") && filled.contains("checks.jsonl"), "{filled}");
}

#[test]
fn states_that_were_built_are_a_list_that_opens_at_their_turns() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let sample = project_path("sample-runs/codex-p12");
    let copied = std::process::Command::new("cp").arg("-r").arg(sample).arg(&run).status();
    assert!(copied.unwrap().success());
    let run = run.to_str().unwrap();
    let ran = run_cli(&["process", run, "--build", "test -e ppdiff/losses.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let seen = |keys: &str| {
        let view = ["--view", "process", "--snapshot", "200x50", "--keys", keys];
        run_cli(&[&[run], &view[..]].concat()).out
    };

    let list = seen("v v");
    let opened = seen("v v j j <enter>");

    assert!(list.contains("not good") && list.contains("build failed (exit code 1)"), "{list}");
    assert!(opened.contains("turn 3/56"), "{opened}");
    let pillar = seen("4j <enter>");
    assert!(pillar.contains("built on request with `test -e ppdiff/losses.py`"), "{pillar}");
    // Begun from the form, another command takes its place, and the list shows it at once.
    let again = seen("v v B <space> t r u e <enter> <enter>");
    assert!(again.contains("builds and tests done: 49 run and saved in"), "{again}");
    assert!(again.contains("build ok") && !again.contains("not good"), "{again}");
}

#[test]
fn a_key_goes_from_signal_to_signal_in_every_view_and_says_why() {
    let run = project_path("sample-runs/codex-p12");
    let seen = |view: &str, keys: &str| {
        let run = run.to_str().unwrap();
        run_cli(&[run, "--view", view, "--snapshot", "120x40", "--keys", keys]).out
    };

    let first = seen("replay", ")");
    assert!(first.contains("turn 42/56") && first.contains("step 5/"), "{first}");
    assert!(first.contains("symbol no longer used: nothing uses CosineSchedule"), "{first}");
    assert!(first.contains("apply_patch  • symbol no longer used"), "{first}");
    let third = seen("curves", ") 2)");
    assert!(
        third.contains("turn 46/56") && third.contains("symbol no longer used: snr_weight"),
        "{third}"
    );
    // The title over the scores is that of the judged state; the playhead is where the replay shows it.
    assert!(seen("scores", ") ) ( 1w").contains("turn 42/56"));
    assert!(seen("replay", "9)").contains("no signal after this one"));
    assert!(seen("replay", "(").contains("no signal before this one"));
}

#[cfg(unix)]
mod decided {
    use std::fs;

    use ratatui::layout::Size;
    use trajview::{
        runtime::{HeadlessScreen, RunOpener, ScreenOptions},
        session::{
            effect::{EditedFile, Effect},
            start_place::StartPlace,
            views::View,
        },
        shell::{AppMessage, state},
        widgets::{export, key::Key},
    };

    use crate::common::{
        decided::{decision_desk, made_decisions},
        judge_desk::Desk,
        run_cli as program,
    };

    fn process_frame(desk: &Desk, size: &str, keys: &str, more: &[&str]) -> String {
        let run = desk.run();
        let first =
            [run.to_str().unwrap(), "--view", "process", "--snapshot", size, "--keys", keys];
        let ran = program(&[&first[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    }

    #[test]
    fn the_lane_of_decisions_says_what_is_kept_and_what_is_broken() {
        let desk = decision_desk();
        let before = process_frame(&desk, "120x40", "v v v", &[]);
        assert!(before.contains("not judged") && !before.contains("broken"), "{before}");

        desk.judge(&["--rubric", "decisions"]);

        insta::assert_snapshot!("decisions_120x40", process_frame(&desk, "120x40", "v v v j", &[]));
        insta::assert_snapshot!("decisions_200x50", process_frame(&desk, "200x50", "v v v j", &[]));
    }

    #[test]
    fn a_chain_opens_where_its_newest_decision_applies_first_or_says_that_it_applies_nowhere() {
        let desk = decision_desk();
        let opened = process_frame(&desk, "120x40", "v v v gg <enter>", &[]);
        assert!(opened.contains("turn 16/56"), "{opened}");

        let mut store = made_decisions();
        store[2] = serde_json::json!({"id": "uniform-noise", "answer": "Qwxz.", "supersedes": ["mask-noise"]});
        fs::write(desk.run().join("decisions.json"), store.to_string()).unwrap();
        let nowhere = process_frame(&desk, "120x40", "v v v gg <enter>", &[]);
        assert!(nowhere.contains("applies to no step"), "{nowhere}");
    }

    #[test]
    fn a_store_that_is_named_is_laid_over_the_run_and_the_head_says_so() {
        let desk = decision_desk();
        let path = desk.folder.path().join("mine.json");
        fs::write(
            &path,
            r#"[{"id": "only-one", "answer": "One way in.", "files": ["ppdiff/nn.py"]}]"#,
        )
        .unwrap();

        let seen =
            process_frame(&desk, "120x40", "v v v", &["--decisions", path.to_str().unwrap()]);

        assert!(seen.contains("/mine.json") && seen.contains("only-one"), "{seen}");
        assert!(!seen.contains("fixed-target"), "{seen}");
        let run = desk.run();
        let none =
            program(&[run.to_str().unwrap(), "--snapshot", "80x24", "--decisions", "no/such.json"]);
        assert_eq!(none.code, Some(3), "{}", none.err);
    }

    #[test]
    fn decisions_are_drawn_into_the_bundle_by_a_key_and_never_over_others() {
        let desk = decision_desk();
        let store = desk.run().join("decisions.json");
        let own = fs::read(&store).unwrap();
        let kept = process_frame(&desk, "120x40", "v v v \"", &[]);
        assert!(kept.contains("the run already has a decisions file"), "{kept}");
        assert_eq!(fs::read(&store).unwrap(), own);

        fs::remove_file(&store).unwrap();
        let drawn = process_frame(&desk, "120x40", "v v v \"", &[]);

        assert!(drawn.contains("run/decisions.json"), "{drawn}");
        assert!(drawn.contains("extracted from the requests into"), "{drawn}");
        assert!(trajview::store::decisions::read_store(&store).unwrap().decisions.len() > 5);
    }

    #[test]
    fn the_store_opens_in_the_editor_at_the_decision_and_is_read_again_afterwards() {
        let desk = decision_desk();
        let store = desk.run().join("decisions.json");
        fs::write(&store, serde_json::to_string_pretty(&made_decisions()).unwrap()).unwrap();
        let place = StartPlace { view: View::Process, ..StartPlace::default() };
        let size = Size { width: 120, height: 40 };
        let mut screen = HeadlessScreen::open(
            RunOpener::Disk,
            &[desk.run()],
            size,
            place,
            ScreenOptions::default(),
        )
        .unwrap();
        screen.press_keys("v v v j").unwrap();

        let effects = screen.app_mut().update(AppMessage::Press(Key::from_char('E')));

        let [Effect::Edit(editing)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(editing.what, EditedFile::File(store.clone()));
        let text = fs::read_to_string(&store).unwrap();
        let line = text.lines().nth(editing.line - 1).unwrap();
        assert!(line.contains("\"id\": "), "{line}");
        fs::write(&store, text.replace("uniform-noise", "even-noise")).unwrap();
        screen.send_message(AppMessage::Shell(state::ShellMessage::Edited));
        let seen = export::frame_text(&screen.draw_frame());
        assert!(seen.contains("even-noise") && !seen.contains("uniform-noise"), "{seen}");
        // A file that was broken in the editor can be mended there.
        fs::write(&store, "[").unwrap();
        screen.send_message(AppMessage::Shell(state::ShellMessage::Edited));
        assert!(export::frame_text(&screen.draw_frame()).contains("no JSON"));
        let effects = screen.app_mut().update(AppMessage::Press(Key::from_char('E')));
        assert!(matches!(effects.as_slice(), [Effect::Edit(_)]), "{effects:?}");
    }
}
