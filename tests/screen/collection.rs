//! The table of runs: keys in, frames out, on made-up runs, on the samples and on folders made for it.

use std::{fs, path::Path};

use ratatui::{buffer::Buffer, layout::Size};
use trajview::{
    metrics::quality::QualitySnapshot,
    run::{
        RunCard, Warning,
        checkpoint_record::PassCount,
        run_card::{CardIdentity, CardTests, CardTotals, RecordedValue, RunTrouble},
    },
    runtime::{self, FilterWorker, ScreenOptions},
    session::{
        columns::RunTableColumn,
        effect::{Effect, OpenAnswer},
        question::{Answer, AnswerPart, Question},
        request::RequestId,
        start_place::StartPlace,
        table_protocol::{FoundRuns, ReadDepth, RunFileScores},
        views::View,
    },
    shell::{App, AppMessage, draw, state},
    study::{BootstrapPlan, paired::test_metrics},
    views::table,
    widgets::{
        export, key,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::common::{cli_text, project_path, run_cli};

/// A program that shows a table, and a world that answers it from memory.
struct Desk {
    app: App,
    /// What nobody answers.
    left: Vec<Effect>,
    names: Vec<String>,
    filtering: FilterWorker,
}

/// What a made-up run says and measures; the error is why it cannot be read.
type LiveEvent = Result<(RunCard, RunFileScores), String>;

fn live_event(name: &str) -> LiveEvent {
    let words = |words: &str| Some(words.to_owned());
    let card = |task: &str, condition: &str, agent: &str, turns: usize| RunCard {
        turns,
        checkpoints: 3,
        lines: Some((1200, 34)),
        tokens: Some(turns as u64 * 10_000),
        totals: CardTotals { seconds: Some(turns as f64 * 60.0), ..CardTotals::default() },
        moments: vec![turns / 2, turns],
        identity: CardIdentity {
            id: name.into(),
            title: format!("the {name} run"),
            task: words(task),
            agent: words(agent),
            model: words("gpt-5.5"),
            condition: words(condition),
            ..CardIdentity::default()
        },
        ..RunCard::default()
    };
    let scores = |erosion: f64| RunFileScores {
        end: Some(Box::new(QualitySnapshot {
            erosion,
            verbosity: erosion / 2.0,
            ..QualitySnapshot::default()
        })),
        process: None,
        dir: Some(0.5),
        unmeasured: None,
        is_partial: false,
        curve: vec![Some(0.0), Some(erosion / 2.0), Some(erosion)],
    };
    let tests = |passed| CardTests::Counted {
        strict: PassCount { passed, total: 40 },
        iso: Some(PassCount { passed: passed / 2, total: 20 }),
        core: None,
    };
    match name {
        "alpha" => {
            let warning = Warning { place: "a.jsonl:3".into(), what: "is cut off".into() };
            let card = RunCard {
                trouble: RunTrouble {
                    warnings: 1,
                    first_warnings: vec![warning],
                    failures: Some(0),
                },
                tests: Some(tests(31)),
                recorded: vec![RecordedValue { number: "erosion", value: 0.31, doubt: None }],
                ..card("cfgpipe", "emergent", "codex 0.169.0", 9)
            };
            Ok((card, scores(0.41)))
        }
        "beta" => Ok((card("cfgpipe", "single-shot", "codex 0.169.0", 1), scores(0.12))),
        "gamma" => Ok((card("tally", "emergent", "claude-code 2.1", 12), scores(0.55))),
        "delta" => {
            let mut card = card("tally", "single-shot", "claude-code 2.1", 2);
            (card.tokens, card.identity.condition) = (None, None);
            Ok((card, RunFileScores::default()))
        }
        paired if paired.starts_with("pair") => {
            let number = usize::from(paired.as_bytes()[4] - b'0');
            let is_long = paired.ends_with('e');
            let condition = if is_long { "emergent" } else { "single-shot" };
            let task = format!("task {number}");
            let turns = if is_long { 20 + number } else { 1 };
            let eroded =
                if is_long { 0.3 + 0.04 * number as f64 } else { 0.1 + 0.01 * (number % 3) as f64 };
            Ok((card(&task, condition, "codex 0.169.0", turns), scores(eroded)))
        }
        _ => Err(format!("cannot read runs/{name}: no such file")),
    }
}

const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "omega"];

impl Desk {
    fn open_table(width: u16, height: u16) -> Self {
        Self::show_runs(&NAMES, width, height)
    }

    fn show_runs(names: &[&str], width: u16, height: u16) -> Self {
        let mut desk = Self::ask_runs(names, width, height);
        desk.answer_all();
        desk
    }

    /// Nothing is answered yet.
    fn wait_runs(width: u16, height: u16) -> Self {
        Self::ask_runs(&NAMES, width, height)
    }

    fn ask_runs(names: &[&str], width: u16, height: u16) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let filtering = FilterWorker::default();
        let mut desk = Self { app: App::default(), left: vec![], names, filtering };
        desk.send(AppMessage::Resized(Size { width, height }));
        desk.send(AppMessage::Collect(vec!["runs".into()], StartPlace::default()));
        desk
    }

    fn send(&mut self, message: AppMessage) {
        let effects = self.app.update(message);
        self.left.extend(effects);
    }

    fn find(&mut self, request: RequestId, found: FoundRuns) {
        self.send(AppMessage::Partly(request, AnswerPart::Runs(found)));
    }

    fn answer_all(&mut self) {
        while let Some(at) = self.left.iter().position(is_question) {
            let effect = self.left.remove(at);
            self.answer(&effect);
        }
    }

    fn answer(&mut self, effect: &Effect) {
        let Effect::Ask(request, question) = effect else { panic!("nobody knows {effect:?}") };
        let answer = match &**question {
            Question::RunPaths { sources, order: _ } => {
                let paths = self.names.iter().map(|name| sources[0].join(name)).collect();
                self.find(*request, FoundRuns::Paths(paths));
                Answer::RunPaths(Ok(()))
            }
            Question::Cards { depth, asked } => {
                let cards = asked.iter().map(|asked| (asked.row, card_of(&asked.path)));
                let found = match depth {
                    ReadDepth::Beginning => {
                        FoundRuns::Beginnings(cards.map(|(row, it)| (row, it.ok())).collect())
                    }
                    ReadDepth::Index | ReadDepth::Whole => FoundRuns::Cards(cards.collect()),
                };
                self.find(*request, found);
                Answer::Cards(Ok(()))
            }
            Question::RunScores { asked } => {
                for asked in asked {
                    let scores = live_event(name_of(&asked.path)).map(|(_, scores)| scores);
                    self.find(*request, FoundRuns::Scores(vec![(asked.row, scores)]));
                }
                Answer::RunScores(Ok(()))
            }
            Question::PairTests { sides } => {
                let plan = BootstrapPlan { resamples: 200, ..BootstrapPlan::default() };
                Answer::PairTests(Ok(test_metrics(sides, RunTableColumn::better_direction, &plan)))
            }
            Question::Filtered { wanted } => {
                Answer::Filtered(self.filtering.matching_rows(wanted.clone()))
            }
            other => panic!("nobody knows {other:?}"),
        };
        self.send(AppMessage::Answered(*request, answer));
    }

    fn press(&mut self, keys: &str) {
        for key in key::parse_keys(keys).unwrap() {
            self.send(AppMessage::Press(key));
            self.answer_all();
        }
    }

    fn click(&mut self, kind: MouseKind, column: u16, row: u16) {
        self.send(AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column, row })));
        self.answer_all();
    }

    fn text(&self) -> String {
        export::frame_text(&draw::draw_picture(&self.app, Theme::without_colours()))
    }

    /// The runs that are listed, in order.
    fn listed_runs(&self) -> Vec<&str> {
        let table = self.app.screens.collection.as_ref().unwrap();
        let runs = table.table_lines().iter().filter_map(table::order::TableLine::run_index);
        runs.map(|row| table.rows[row].name.as_str()).collect()
    }

    fn selected(&self) -> &str {
        let table = self.app.screens.collection.as_ref().unwrap();
        table.selected_run().map_or("", |row| &row.name)
    }
}

fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn card_of(path: &Path) -> Result<Box<RunCard>, String> {
    live_event(name_of(path)).map(|(card, _)| Box::new(card))
}

/// Whether it is a question of the table; a run that is open asks others, which nobody here answers.
fn is_question(effect: &Effect) -> bool {
    let Effect::Ask(_, question) = effect else { return false };
    matches!(
        **question,
        Question::RunPaths { .. }
            | Question::Cards { .. }
            | Question::RunScores { .. }
            | Question::PairTests { .. }
            | Question::Filtered { .. }
    )
}

#[cfg(feature = "sql")]
#[test]
fn a_condition_in_sql_narrows_the_table_down_while_it_is_typed() {
    let mut desk = Desk::open_table(120, 40);
    desk.press("W turns>3");
    assert_eq!(desk.listed_runs(), ["alpha", "gamma"]);
    desk.press("<space> and <space> cond");
    assert_eq!(desk.listed_runs(), ["alpha", "gamma"], "what cannot be evaluated moves no row");
    insta::assert_snapshot!(desk.text());

    desk.press("<tab> =");
    assert!(desk.text().contains("the condition is not finished"), "{}", desk.text());
    desk.press("'emergent' <space> and <space> erosion>0.5 <enter>");
    assert_eq!(desk.listed_runs(), ["gamma"]);
    assert!(
        desk.text().contains("1 of 5 where `turns>3 and condition ='emergent' and erosion>0.5`")
    );
    insta::assert_snapshot!(desk.text());

    desk.press("W <c-u> warp>9");
    assert!(desk.text().contains("no column warp"), "{}", desk.text());
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), ["gamma"], "cancel");
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), NAMES, "the filter is gone");
}

#[cfg(feature = "sql")]
#[test]
fn a_condition_in_sql_fits_a_small_screen() {
    let mut desk = Desk::open_table(80, 24);
    desk.press("W lines");
    insta::assert_snapshot!(desk.text());
    desk.press("_added>=1200 <space> and <space> mcf");
    desk.press("<space> is <space> null <enter>");
    insta::assert_snapshot!(desk.text());
}

#[cfg(feature = "sql")]
#[test]
fn a_condition_in_sql_and_a_filter_hold_together() {
    let mut desk = Desk::open_table(120, 20);
    desk.press("/codex <enter> W turns<=9 <enter>");
    assert_eq!(desk.listed_runs(), ["alpha", "beta"]);
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), ["alpha", "beta", "delta"]);
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), NAMES);
}

#[test]
fn a_table_of_runs_has_what_each_says_and_measures() {
    insta::assert_snapshot!(Desk::open_table(120, 20).text());
}

#[test]
fn colours_tell_what_is_computed_from_what_is_recorded() {
    let mut desk = Desk::open_table(110, 15);
    desk.press("z");
    let picture = draw::draw_picture(&desk.app, Theme::with_terminal_colours());
    insta::assert_snapshot!(export::frame_ansi(&picture).replace('\x1b', "␛"));
}

#[test]
fn before_anything_is_read_the_names_are_there_and_the_rest_is_coming() {
    let mut desk = Desk::wait_runs(100, 15);
    let find = desk.left.remove(0);
    desk.answer(&find);

    let seen = desk.text();

    assert!(seen.contains("reading 0/5 · X stops"), "{seen}");
    assert!(seen.contains(" gamma") && seen.contains('…'), "{seen}");
    assert!(!seen.contains('—') || seen.contains("— not recorded"), "{seen}");
    desk.send(AppMessage::Press(key::Key::from_char('j')));
    assert_eq!(desk.selected(), "beta");
}

#[test]
fn runs_are_sorted_by_a_column_both_ways_and_what_is_not_known_stays_last() {
    let mut desk = Desk::open_table(120, 20);

    desk.press("4l s");
    assert_eq!(desk.listed_runs(), ["gamma", "alpha", "beta", "delta", "omega"]);
    desk.press("s");
    assert_eq!(desk.listed_runs(), ["beta", "alpha", "gamma", "delta", "omega"]);
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), NAMES);
}

#[test]
fn the_cursor_stays_on_its_run_when_the_order_changes() {
    let mut desk = Desk::open_table(120, 20);

    desk.press("jj 4l s s");

    assert_eq!(desk.selected(), "gamma");
}

#[test]
fn a_filter_narrows_the_table_down_while_it_is_typed() {
    let mut desk = Desk::open_table(120, 20);

    desk.press("/ erosion>0.2");
    assert_eq!(desk.listed_runs(), ["alpha", "gamma"]);
    desk.press("<enter> / <c-u> condition:-");
    assert_eq!(desk.listed_runs(), ["delta", "omega"]);
    desk.press("<esc>");
    assert_eq!(desk.listed_runs(), ["alpha", "gamma"]);
    desk.press("/ <c-u> warp:9");
    let seen = desk.text();
    assert!(seen.contains("filter warp:9") && seen.contains("no column \"warp\""), "{seen}");
}

#[test]
fn runs_are_grouped_and_groups_fold() {
    let mut desk = Desk::open_table(120, 20);

    desk.press("z z z <enter>");

    insta::assert_snapshot!(desk.text());
}

const PAIRS: [&str; 11] = [
    "pair1e", "pair1s", "pair2e", "pair2s", "pair3e", "pair3s", "pair4e", "pair4s", "pair5e",
    "pair5s", "pair6e",
];

#[test]
fn two_conditions_are_held_against_each_other() {
    let mut desk = Desk::show_runs(&PAIRS, 120, 30);
    desk.press("p");
    insta::assert_snapshot!(desk.text());
    let mut desk = Desk::show_runs(&PAIRS, 80, 24);
    desk.press("p");
    insta::assert_snapshot!(desk.text());
}

#[test]
fn the_pairs_are_those_that_the_filter_takes() {
    let mut desk = Desk::show_runs(&PAIRS, 120, 30);
    desk.press("p / task:1 <enter>");
    assert!(
        desk.text().contains("1 pair of one agent and task · 0 runs unpaired"),
        "{}",
        desk.text()
    );
    desk.press("/ <c-u> condition:emergent <enter>");
    let sentence = "these runs have fewer than two conditions to compare";
    assert!(desk.text().contains(sentence), "{}", desk.text());
    desk.press("p p");
    assert!(!desk.text().contains("paired"), "{}", desk.text());
}

#[test]
fn a_run_opens_and_the_way_back_leads_to_its_row() {
    let mut desk = Desk::open_table(120, 20);
    desk.press("jj <enter>");
    let opened = desk.left.iter().find_map(|effect| match effect {
        Effect::Open(request, path, _) => Some((*request, path.clone())),
        _ => None,
    });
    let (request, path) = opened.unwrap();
    assert_eq!(path, Path::new("runs/gamma"));
    desk.send(AppMessage::Opened(
        request,
        OpenAnswer::Whole(Ok(trajview::run::Run::default().into())),
    ));
    assert!(desk.app.screens.shown_table().is_none());

    desk.press("<bs>");
    assert_eq!((desk.selected(), desk.app.screens.shown_table().is_some()), ("gamma", true));
    desk.left.clear();
    desk.press("<enter>");
    assert!(desk.app.screens.shown_table().is_none());
    assert_eq!(desk.left, [], "the run is still there as it was left");
    desk.press("C w");
    assert!(desk.app.screens.shown_table().is_none(), "w goes on to the replay");
}

#[test]
fn a_run_that_does_not_open_is_a_sentence_in_the_table() {
    let mut desk = Desk::open_table(120, 20);
    desk.press("<enter>");
    let Some(Effect::Open(request, ..)) = desk.left.pop() else { panic!("nothing was asked") };

    desk.send(AppMessage::Opened(
        request,
        OpenAnswer::Whole(Err("runs/alpha: the file is empty".into())),
    ));

    assert!(desk.text().contains("runs/alpha: the file is empty"), "{}", desk.text());
    assert!(desk.app.screens.shown_table().is_some());
}

#[test]
fn work_is_called_off_and_goes_on() {
    let mut desk = Desk::wait_runs(120, 20);
    let find = desk.left.remove(0);
    desk.answer(&find);

    desk.send(AppMessage::Press(key::Key::from_char('X')));
    assert!(desk.left.contains(&Effect::StopCollecting));
    let read = desk.left.remove(0);
    let request = read.request_id().unwrap();
    desk.send(AppMessage::Answered(request, Answer::Cards(Ok(()))));
    assert!(!desk.left.iter().any(is_question), "{:?}", desk.left);
    assert!(desk.text().contains("reading 0/5, stopped: X continues"), "{}", desk.text());

    desk.press("X");
    assert!(desk.app.screens.collection.as_ref().unwrap().is_read());
}

#[test]
fn a_click_on_a_title_sorts_and_two_on_a_row_open() {
    let mut desk = Desk::open_table(120, 20);
    let seen = desk.text();
    let row = seen.lines().position(|line| line.contains("turns")).unwrap();
    let column = seen.lines().nth(row).unwrap().find("turns").unwrap() as u16;

    desk.click(MouseKind::Click, column, row as u16);
    assert_eq!(desk.listed_runs(), ["gamma", "alpha", "delta", "beta", "omega"]);
    let seen = desk.text();
    let row = seen.lines().position(|line| line.contains("alpha")).unwrap() as u16;
    desk.click(MouseKind::Click, column, row);
    assert_eq!(desk.selected(), "alpha");
    desk.click(MouseKind::DoubleClick, column, row);
    assert!(matches!(desk.left.last(), Some(Effect::Open(_, path, _)) if path.ends_with("alpha")));
}

#[test]
fn what_is_copied_opens_the_same_table() {
    let mut desk = Desk::open_table(120, 20);
    desk.press("z 4l s / turns>1 <enter> yy");
    let copied = desk.left.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    let wanted = "trajview runs --view runs --sort -erosion --group task --filter 'turns>1'";
    assert_eq!(copied.as_deref(), Some(wanted));
}

#[test]
fn a_box_says_everything_about_a_run_and_another_its_warnings() {
    let mut desk = Desk::open_table(80, 40);
    desk.press("i");
    insta::assert_snapshot!(desk.text());
    desk.press("<esc> e");
    assert!(desk.text().contains("a.jsonl:3"), "{}", desk.text());
}

#[test]
fn whatever_the_keys_there_is_a_row_at_the_cursor() {
    let mut desk = Desk::open_table(60, 15);
    for keys in [
        "G",
        "z",
        "G",
        "O",
        "z",
        "/zzz<enter>",
        "gg",
        "<esc>",
        "20j",
        "<pgup>",
        "a",
        "90l",
        "s",
        "5G",
    ] {
        desk.press(keys);
        let table = desk.app.screens.collection.as_ref().unwrap();
        let lines = table.table_lines().len();
        assert!(table.list.cursor() < lines.max(1), "{keys}");
        assert!(desk.text().lines().count() <= 15);
    }
}

fn samples_frame(width: u16, height: u16, keys: &str) -> Buffer {
    let size = Size { width, height };
    // Named one by one: a new sample is no other frame.
    let names =
        ["claude-code", "codex-exec-json", "codex-p12", "codex-p12-single-shot", "slopcodebench"];
    let paths = names.map(|name| project_path("sample-runs").join(name));
    runtime::headless_frame_as(
        runtime::RunOpener::Disk,
        &paths,
        size,
        keys,
        StartPlace::default(),
        ScreenOptions::default(),
    )
    .unwrap()
}

#[test]
fn the_samples_are_a_collection() {
    insta::assert_snapshot!(export::frame_text(&samples_frame(120, 40, "")));
    insta::assert_snapshot!(export::frame_text(&samples_frame(80, 24, "")));
    insta::assert_snapshot!(export::frame_text(&samples_frame(200, 20, "4ls")));
}

#[test]
fn a_sample_opens_from_the_table_and_its_neighbour_after_it() {
    let seen = export::frame_text(&samples_frame(120, 40, "2j <enter> 3l <bs> j <enter>"));
    assert!(seen.contains("single-shot"), "{seen}");
    assert!(seen.contains("turn 1/1"), "{seen}");
}

fn sample_path(below: &str) -> String {
    project_path(below).display().to_string()
}

fn snapshot_text(arguments: &[&str]) -> String {
    let mut all = vec!["--snapshot", "120x24"];
    all.extend(arguments);
    cli_text(&all)
}

#[test]
fn several_paths_are_rows_even_where_one_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "hello\n").unwrap();
    let (bundle, notes) = (sample_path("sample-runs/codex-p12"), notes.to_str().unwrap());

    let seen = snapshot_text(&[&bundle, notes, "--view", "collection", "--sort", "run"]);

    assert!(seen.contains("2 paths  2 runs"), "{seen}");
    assert!(seen.contains("notes.txt") && seen.contains("✗ "), "{seen}");
    assert!(seen.contains("not a recording we know"), "{seen}");
}

#[test]
fn a_path_that_is_not_there_is_said_before_any_table() {
    let mistyped = sample_path("sample-runs/codex-p1");

    let ran = run_cli(&[&mistyped, "--view", "collection", "--snapshot", "120x24"]);

    assert_eq!((ran.code, &*ran.out), (Some(3), ""), "{}", ran.err);
    assert!(ran.err.contains("codex-p1: no such file or folder; did you mean "), "{}", ran.err);
}

#[test]
fn one_run_is_a_table_where_that_is_asked_for() {
    let seen = snapshot_text(&[&sample_path("sample-runs/codex-p12"), "--view", "collection"]);
    assert!(seen.contains("codex-p12  1 run"), "{seen}");
}

#[test]
fn a_folder_without_runs_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();

    let seen = snapshot_text(&[path, "--view", "collection"]);
    assert!(seen.contains("no recordings in this folder"), "{seen}");
    let ran = run_cli(&[path, "--snapshot", "80x24"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
}

#[test]
fn wishes_for_a_table_are_checked() {
    for (arguments, why) in [
        (["--sort", "warp"], "no column"),
        (
            ["--group", "turns"],
            "[possible values: task, outcome, agent, condition, model, project]",
        ),
        (["--filter", "warp>9"], "no column"),
    ] {
        let ran = run_cli(&[&arguments[..], &["--snapshot", "80x24"]].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The sample run, and two copies of it whose index and whose pack were damaged where nobody looks first.
fn with_damaged_repositories() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, ending) in [("whole", ""), ("bad-index", "idx"), ("bad-pack", "pack")] {
        let run = folder.path().join(name);
        copy_folder(&project_path("sample-runs/codex-p12"), &run);
        for file in fs::read_dir(run.join("workspace.git/objects/pack")).unwrap().flatten() {
            if file.path().extension().is_some_and(|it| it == ending) {
                let mut bytes = fs::read(file.path()).unwrap();
                bytes.splice(7432..7432, [b'x'; 256]);
                fs::remove_file(file.path()).unwrap(); // the sample's may not be written to
                fs::write(file.path(), bytes).unwrap();
            }
        }
    }
    folder
}

#[test]
fn a_run_with_a_damaged_repository_is_a_row_that_says_what_is_damaged_and_the_others_are_whole() {
    let folder = with_damaged_repositories();
    let path = folder.path().to_str().unwrap();
    let at = |keys: &str| {
        let size = ["--snapshot", "180x16"];
        cli_text(
            &[&size[..], &[path, "--view", "collection", "--sort", "run", "--keys", keys]].concat(),
        )
    };

    let (index, pack, whole) = (at(""), at("j"), at("jj"));

    for (seen, damaged) in [(&index, ".idx is damaged"), (&pack, ".pack is damaged")] {
        assert!(seen.contains("3 runs") && seen.contains("0.445"), "{seen}");
        assert!(seen.contains("⚠ workspace.git: ") && seen.contains(damaged), "{seen}");
    }
    assert!(!whole.contains("workspace.git"), "{whole}");
}

/// A run directory of SlopCodeBench with the sample's problem three times: whole, without its tests, with next to
/// nothing.
fn write_benchmark() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sample = project_path("sample-runs/slopcodebench");
    for name in ["config.yaml", "problem_catalog.json", "provenance.txt"] {
        fs::copy(sample.join(name), folder.path().join(name)).unwrap();
    }
    copy_folder(&sample.join("tally"), &folder.path().join("tally"));
    let untested = folder.path().join("untested");
    copy_folder(&sample.join("tally"), &untested);
    for checkpoint in 1..=3 {
        let checkpoint = untested.join(format!("checkpoint_{checkpoint}"));
        let _ = fs::remove_file(checkpoint.join("evaluation.json"));
        let _ = fs::remove_dir_all(checkpoint.join("evaluation"));
    }
    let bare = folder.path().join("bare/checkpoint_1");
    fs::create_dir_all(&bare).unwrap();
    fs::write(bare.join("prompt.txt"), "Count the lines.\n").unwrap();
    fs::write(bare.join("inference_result.json"), "{}").unwrap();
    folder
}

#[test]
fn a_run_directory_of_slopcodebench_has_a_row_for_each_problem() {
    let folder = write_benchmark();
    let size = Size { width: 140, height: 15 };
    let paths = [folder.path().to_owned()];
    let place = StartPlace { view: View::Collection, ..StartPlace::default() };

    let frame = runtime::headless_frame_as(
        runtime::RunOpener::Disk,
        &paths,
        size,
        "",
        place,
        ScreenOptions::default(),
    )
    .unwrap();

    // Below the tabs the folder's name is another each time.
    let text = export::frame_text(&frame);
    let rows: Vec<&str> = text.lines().skip(2).collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn a_group_of_trials_has_its_pass_rate_with_interval_and_count() {
    let of_size = |width: u16, height: u16, keys: &str| {
        let paths = [project_path("sample-runs/jobs/harbor")];
        let (place, options) = (StartPlace::default(), ScreenOptions::default());
        let size = Size { width, height };
        let opener = runtime::RunOpener::Disk;
        let frame = runtime::headless_frame_as(opener, &paths, size, keys, place, options);
        export::frame_text(&frame.expect("the job opens"))
    };

    // By task, by outcome, by agent: of its four trials one passed, and one ended with an error.
    let by_task = of_size(200, 50, "z");
    assert!(by_task.contains("sum-column · 2 runs · 50 % [9–91 %], n 2"), "{by_task}");
    let by_agent = of_size(120, 40, "z z z");
    assert!(by_agent.contains(" · 4 runs · 25 % [5–70 %]"), "{by_agent}");
    let on_group = of_size(200, 50, "z z z <home>");
    assert!(on_group.contains("Wilson") && on_group.contains("failures"), "{on_group}");
}
