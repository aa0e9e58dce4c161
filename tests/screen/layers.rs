//! What layers told the agent, turn by turn, over a bundle that a layer was replayed into.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use trajview::run::Time;
use trajview::{
    layers::{
        Brief, BriefSentence, HelperCost, LayerSpec, LayerState, SentenceOrigin, stack::LayerBrief,
    },
    store::layers::layer_history::{self, LayerEntry},
};

use crate::common::{project_path, run_cli};

/// The sample run with a record of two turns of a layer: what it said before turn 46 is right, and what it said before turn
/// 47 is not.
fn layers_bundle() -> &'static Path {
    static BUNDLE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUNDLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        copy_folder(&project_path("sample-runs/codex-p12"), &run);
        let spec: LayerSpec = "projectguard:structural".parse().unwrap();
        let cited =
            |start, end| SentenceOrigin::Lines { path: "ppdiff/losses.py".into(), start, end };
        let record = || SentenceOrigin::Record("structure/ppdiff/losses.py.md".into());
        let said = |sentences: Vec<BriefSentence>, restarts: Option<&str>| LayerBrief {
            layer: spec.to_string(),
            brief: Brief {
                sentences,
                forecast: vec!["ppdiff/losses.py".into(), "ppdiff/never.py".into()],
                restarts: restarts.map(Into::into),
                why: "made of the structure".into(),
            },
            spent: HelperCost { seconds: 0.25, ..HelperCost::default() },
        };
        let first = said(
            vec![
                BriefSentence::heading("Earlier modules:"),
                BriefSentence::new(
                    "- `snr_weight` is in ppdiff/losses.py",
                    [cited(1, 30), record(), SentenceOrigin::Request(45)],
                ),
            ],
            None,
        );
        let second = said(
            vec![BriefSentence::new("- `snr_weight` weighs the loss", [cited(1, 10)])],
            Some("the context is full"),
        );
        let state = |text: &str| -> LayerState {
            [("structure/ppdiff/losses.py.md".to_owned(), text.to_owned())].into()
        };
        for (turn, layer_brief, text) in [
            (45, None, "def snr_weight(t)"),
            (46, Some(&first), "def weights(t)"),
            (47, Some(&second), "def weights(t)"),
        ] {
            let entry = LayerEntry {
                spec: &spec,
                turn,
                commit: None,
                state: &state(text),
                layer_brief,
                deliveries: &[],
                after: HelperCost::default(),
                at: Time(0),
            };
            layer_history::append_turn(&run, &entry).unwrap();
        }
        (folder, run)
    });
    path
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn layers_frame(size: &str, keys: &str) -> String {
    let run = layers_bundle().to_str().unwrap();
    let ran = run_cli(&[run, "--view", "layers", "--at", "46", "--snapshot", size, "--keys", keys]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn the_brief_stands_beside_its_request_with_the_forecast_and_where_a_sentence_is_from() {
    insta::assert_snapshot!("layers_120x40", layers_frame("120x40", "<enter> j j j"));
    insta::assert_snapshot!("layers_80x24", layers_frame("80x24", ""));
    insta::assert_snapshot!("layers_200x50", layers_frame("200x50", "<enter> j j j"));
}

#[test]
fn a_sentence_opens_the_record_and_the_lines_that_it_came_from() {
    let record = layers_frame("120x40", "<enter> j j j <enter> j j j");
    assert!(record.contains("record structure/ppdiff/losses.py.md"), "{record}");
    assert!(record.contains("def snr_weight(t)"), "the record as it was then: {record}");
    assert!(record.contains("changed after turn 46"), "{record}");
    let lines = layers_frame("120x40", "<enter> j j j <enter> <enter>");
    assert!(lines.contains("turn 45/56") && lines.contains("ppdiff/losses.py"), "{lines}");
}

#[test]
fn what_contradicts_the_code_and_a_restart_are_marked() {
    let seen = layers_frame("200x50", "l <enter>");
    assert!(seen.contains("⟲ restart") && seen.contains("the context is full"), "{seen}");
    assert!(seen.contains("✗ not so"), "{seen}");
    assert!(seen.contains("is not in the lines that it cites"), "{seen}");
}

#[test]
fn a_run_without_layers_says_so() {
    let run = project_path("sample-runs/codex-p12");
    let ran = run_cli(&[run.to_str().unwrap(), "--view", "layers", "--snapshot", "80x24"]);
    assert!(ran.out.contains("This run has no layers"), "{}", ran.out);
}
