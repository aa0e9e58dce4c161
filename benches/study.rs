//! A study of 200 runs with ten components each: reading it, its first frame, a key, and a label on its way to the disk.

mod measure;

use std::{fs, io, path::Path, sync::Arc, time::Instant};

use measure::{Table, from_millis};
use ratatui::layout::Size;
use trajview::{
    analysis,
    run::rubric::Label,
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    shell::config::Config,
    store::labels::LabelBook,
};

const SIZE: Size = Size { width: 120, height: 40 };

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (runs, rounds) = if in_full { (200, 9) } else { (20, 1) };
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("study.toml");
    fs::write(&file, "name = \"bench\"\nruns = [\"runs/*\"]\nraters = [\"ana\", \"ben\"]\n[sample]\nstrata = [\"score\", \"run\"]\n")
        .expect("there is room for a file");
    for run in 0..runs {
        make_bundle(&folder.path().join(format!("runs/run-{run:03}")), run)
            .expect("there is room for bundles");
    }
    let mut table = Table::new();
    let of = |what: &str| format!("{} items of {runs} runs: {what}", runs * 10);
    table.row(&of("read and drawn"), from_millis(300), rounds, || {
        analysis::study::open_study(&file).expect("it is a study")
    });
    table.row(&of("first item on screen"), from_millis(500), rounds, || open_screen(&file));
    let mut rehearsal = open_screen(&file);
    table.row(&of("a frame"), from_millis(16), 21, || rehearsal.draw_frame());
    let mut taken = vec![];
    for round in 0..21 {
        let begun = Instant::now();
        rehearsal.press_keys(if round & 1 == 0 { "G" } else { "g" }).expect("it is a key");
        taken.push(begun.elapsed());
    }
    table.taken(&of("to an item of another run, which is opened"), from_millis(100), taken);
    let place = folder.path().join("runs/run-007");
    let mut number = 0;
    table.row(&of("a label is saved"), from_millis(20), 21, || {
        number += 1;
        let label = Label {
            component: format!("C{:02}", number % 10),
            score: Some(2.0),
            ..Label::default()
        };
        let mut book = LabelBook::open(&place, "ana").expect("it is a bundle");
        book.put_labels(&[label]).expect("there is room for a label");
    });
    table.end();
}

/// The queue on screen, with the run of its first item open.
fn open_screen(file: &Path) -> HeadlessScreen {
    let study = Some(Arc::new(analysis::study::open_study(file).expect("it is a study")));
    let config = Config { annotator: Some("ana".into()), ..Config::default() };
    let options = ScreenOptions { study, config, ..ScreenOptions::default() };
    let place = StartPlace { view: View::Audit, ..StartPlace::default() };
    HeadlessScreen::open(RunOpener::Disk, &[], SIZE, place, options).expect("it opens")
}

/// A bundle with a checklist of ten components, two judgements and the labels of another rater.
fn make_bundle(folder: &Path, run: usize) -> io::Result<()> {
    fs::create_dir_all(folder.join("judgements"))?;
    fs::create_dir_all(folder.join("labels"))?;
    let turns: Vec<String> = (1..=8).map(|turn| format!("{{\"turn\": {turn}}}")).collect();
    let manifest = format!(
        "{{\"schema\": \"trajview.run/1\", \"id\": \"run-{run:03}\", \"condition\": \"{}\", \"turns\": [{}]}}",
        if run.is_multiple_of(2) { "emergent" } else { "single-shot" },
        turns.join(", ")
    );
    fs::write(folder.join("run.json"), manifest)?;
    let each = |of: &dyn Fn(usize) -> String| (0..10).map(of).collect::<Vec<_>>().join(",\n");
    let component = |at: usize| {
        format!(
            "{{\"id\": \"C{at:02}\", \"name\": \"Component {at}\", \"intent\": \"{}\"}}",
            "what it is for ".repeat(8)
        )
    };
    let checklist = format!(
        "{{\"schema\": \"trajview.components/1\", \"components\": [{}]}}",
        each(&component)
    );
    fs::write(folder.join("components.json"), checklist)?;
    for judge in 0..2 {
        let score = |at: usize| {
            let (score, why) =
                ((at * 7 + run * 3 + judge) % 5, "it is there and does what is said ".repeat(10));
            format!("{{\"component\": \"C{at:02}\", \"score\": {score}, \"rationale\": \"{why}\"}}")
        };
        let judgement = format!(
            "{{\"schema\": \"trajview.judgement/1\", \"judge\": {{\"name\": \"judge {judge}\", \"kind\": \"http\"}}, \
             \"run\": \"run-{run:03}\", \"turn\": 8, \"scores\": [{}]}}",
            each(&score)
        );
        fs::write(folder.join(format!("judgements/judge-{judge}.json")), judgement)?;
    }
    let label = |at: usize| format!("{{\"component\": \"C{at:02}\", \"score\": {}}}", at % 5);
    let labels = format!(
        "{{\"schema\": \"trajview.labels/1\", \"annotator\": \"ben\", \"labels\": [{}]}}",
        each(&label)
    );
    fs::write(folder.join("labels/ben.json"), labels)
}
