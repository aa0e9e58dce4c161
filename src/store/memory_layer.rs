//! The layer `memory` over the sample run: what it would have said before each of its turns.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::{
    code::tree::Grammar,
    layers::{
        self, Brief, Context, Layer, Moment, NoHelper, Options, Project, TurnDone,
        memory::{Card, stale},
        project::{Change, ChangeKind, Texts},
    },
    metrics::lifeline::{self, is_test},
    run::{
        EditKind, RepoPath, Run,
        files::{self, TreeFile},
    },
    store::{self, Archive},
};

#[derive(Clone, Default)]
struct Moments(BTreeMap<RepoPath, String>);

impl Texts for Moments {
    fn text(&self, path: &RepoPath) -> Option<String> {
        self.0.get(path).cloned()
    }
}

struct Said {
    brief: Option<Brief>,
    stale: stale::Stale,
}

fn change(change: &files::Change) -> Change {
    let kind = match (&change.kind, &change.from) {
        (EditKind::Delete, _) => ChangeKind::Deleted,
        (_, Some(from)) => ChangeKind::Renamed { from: from.clone() },
        (EditKind::Create, None) => ChangeKind::Added,
        (_, None) => ChangeKind::Changed,
    };
    Change { path: change.path.clone(), kind }
}

fn put(
    archive: &Archive,
    run: &Run,
    project: &mut Project,
    texts: &mut Moments,
    path: &RepoPath,
    file: Option<TreeFile>,
) {
    let Some(file) = file else {
        project.remove(path);
        texts.0.remove(path);
        return;
    };
    let bytes = archive.content(run, file).unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let grammar = Grammar::of(path.as_str()).filter(|_| !is_test(path));
    project.set(path.clone(), grammar.map(|it| Arc::new(lifeline::facts(it, text.as_bytes()))));
    texts.0.insert(path.clone(), text);
}

fn over_the_sample(spec: &str) -> Vec<Said> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs/codex-p12");
    let opened = store::open(&path).unwrap();
    let (run, archive) = (&opened.run, &opened.archive);
    let timeline = archive.timeline(run).unwrap();
    let mut layer = layers::of(&spec.parse().unwrap(), &Options::default()).unwrap();
    let (mut project, mut texts) = (Project::default(), Moments::default());
    for (path, file) in &timeline.base.files {
        put(archive, run, &mut project, &mut texts, path, Some(*file));
    }
    let (mut said, mut earlier) = (vec![], Vec::<String>::new());
    for (at, turn) in timeline.turns.iter().enumerate() {
        project.read_from(Arc::new(texts.clone()));
        let request = archive.request_alone(run, at);
        let moment = Moment {
            turn: at + 1,
            request: &request,
            earlier: &earlier,
            project: &project,
            context: Context::default(),
        };
        let brief = layer.before(&moment, &mut NoHelper).unwrap();
        let stale = stale::of(&cards(&*layer, at + 1), &project);
        said.push(Said { brief, stale });
        let changes: Vec<Change> = turn.changes.iter().map(change).collect();
        for change in &turn.changes {
            if let Some(from) = &change.from {
                put(archive, run, &mut project, &mut texts, from, None);
            }
            put(archive, run, &mut project, &mut texts, &change.path, change.after());
        }
        project.read_from(Arc::new(texts.clone()));
        let done = TurnDone {
            turn: at + 1,
            request: &request,
            steps: &[],
            project: &project,
            changes: &changes,
        };
        layer.after(&done, &mut NoHelper).unwrap();
        earlier.push(request);
    }
    said
}

/// The cards that were given with a request.
fn cards(layer: &dyn Layer, turn: usize) -> Vec<Card> {
    let state = layer.state();
    let events = state["memory.jsonl"]
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let cards = events.filter(|it| it["kind"] == "card" && it["turn"] == turn);
    cards.map(|it| serde_json::from_value(it["card"].clone()).unwrap()).collect()
}

/// The components that turns lost, by the symbols that they are named for.
const LOST: [(usize, &str); 4] =
    [(42, "CosineSchedule"), (46, "snr_weight"), (46, "interface_weights"), (49, "self_condition")];

/// Whether the brief of the turn that lost each of them names it.
fn named(said: &[Said]) -> [bool; 4] {
    LOST.map(|(turn, name)| {
        let brief = said[turn - 1].brief.as_ref();
        brief.is_some_and(|brief| brief.text().contains(name))
    })
}

fn sum(said: &[Said]) -> stale::Stale {
    said.iter().fold(stale::Stale::default(), |all, it| all.and(it.stale))
}

#[test]
fn over_the_sample_only_a_memory_without_versions_gives_what_is_stale() {
    let (versions, blind) = (over_the_sample("memory"), over_the_sample("memory:blind"));

    assert_eq!(versions.len(), 56);
    assert!(versions.iter().all(|it| it.stale.stale == 0));
    let (all, stale) = (sum(&versions), sum(&blind));
    println!(
        "{all:?}, blind {stale:?} in {} turns",
        blind.iter().filter(|it| it.stale.stale > 0).count()
    );
    assert!(all.given > 500 && stale.given > 500 && stale.stale > 50);
    assert_eq!(named(&versions), [false, true, true, true]);
}

#[test]
fn the_last_request_of_the_sample_is_told_what_is_gone() {
    let said = over_the_sample("memory");
    let text = said[55].brief.as_ref().map(Brief::text).unwrap_or_default();
    assert!(
        text.contains("- Denoiser.self_condition (ppdiff/denoiser.py) is gone since turn 49"),
        "{text}"
    );
}
