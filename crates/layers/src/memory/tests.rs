//! The layer over made projects.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::*;

use super::{
    EVENTS, MemoryCard, MemoryLayer,
    chunk::ChunkId,
    index_update::{MemoryIndex, UpdateMoment},
    stale::{self, StalePlaceCount},
};
use crate as layers;
use crate::{
    Brief, ContextUse, HelperAnswer, HelperCost, HelperModel, HelperPrompt, Layer, LayerProject,
    LayerSetup, LayerState, NoHelper, RequestMoment, SentenceOrigin, TurnDone,
    project::{ChangeKind, ProjectChange, ProjectTexts},
};
use trajview_code::tree::Grammar;
use trajview_metrics::{
    decisions::{Decision, DecisionStore},
    lifeline::{self, is_test},
};
use trajview_run::RepoPath;

#[derive(Clone, Default)]
struct MemoryFiles(BTreeMap<RepoPath, String>);

impl ProjectTexts for MemoryFiles {
    fn read_text(&self, path: &RepoPath) -> Option<String> {
        self.0.get(path).cloned()
    }
}

fn repo_path(path: &str) -> RepoPath {
    RepoPath::new(path).unwrap()
}

/// A run that is made turn by turn.
struct MadeRun {
    layer: MemoryLayer,
    project: LayerProject,
    files: MemoryFiles,
    earlier: Vec<String>,
}

impl MadeRun {
    fn with_spec(spec: &str) -> Self {
        Self::with_options(spec, &LayerSetup::default())
    }

    fn with_options(spec: &str, options: &LayerSetup) -> Self {
        let layer = MemoryLayer::new(&spec.parse().unwrap(), options);
        Self {
            layer,
            project: LayerProject::default(),
            files: MemoryFiles::default(),
            earlier: vec![],
        }
    }

    fn write_files(&mut self, changes: &[ProjectChange], texts: &[(&str, &str)]) {
        for change in changes {
            let gone = match &change.kind {
                ChangeKind::Deleted => Some(&change.path),
                ChangeKind::Renamed { from } => Some(from),
                ChangeKind::Added | ChangeKind::Changed => None,
            };
            if let Some(gone) = gone {
                self.project.remove_file(gone);
                self.files.0.remove(gone);
            }
        }
        for (name, text) in texts {
            let path = repo_path(name);
            let grammar = Grammar::for_path(name).filter(|_| !is_test(&path));
            let facts = grammar.map(|it| Arc::new(lifeline::read_facts(it, text.as_bytes())));
            self.project.set_file(path.clone(), facts);
            self.files.0.insert(path, (*text).to_owned());
        }
        self.project.read_from(Arc::new(self.files.clone()));
    }

    fn ask_brief(&mut self, request: &str) -> Option<Brief> {
        self.ask_with(request, &mut NoHelper)
    }

    fn ask_with(&mut self, request: &str, helper: &mut dyn HelperModel) -> Option<Brief> {
        let (project, earlier) = (&self.project, self.earlier.as_slice());
        let turn = earlier.len() + 1;
        let moment =
            RequestMoment { turn, request, earlier, project, context: ContextUse::default() };
        self.layer.before_request(&moment, helper).unwrap()
    }

    /// Returns the brief for the request, and then runs its turn, which writes texts.
    fn run_turn(
        &mut self,
        request: &str,
        changes: &[ProjectChange],
        texts: &[(&str, &str)],
    ) -> Option<Brief> {
        let brief = self.ask_brief(request);
        self.write_files(changes, texts);
        let all: Vec<ProjectChange> = if changes.is_empty() {
            let added = |(name, _): &(&str, &str)| ProjectChange {
                path: repo_path(name),
                kind: ChangeKind::Changed,
            };
            texts.iter().map(added).collect()
        } else {
            changes.to_vec()
        };
        let turn = self.earlier.len() + 1;
        let done = TurnDone { turn, request, steps: &[], project: &self.project, changes: &all };
        self.layer.after_turn(&done, &mut NoHelper).unwrap();
        self.earlier.push(request.to_owned());
        brief
    }

    /// The cards that were given with the last request.
    fn last_cards(&self) -> Vec<MemoryCard> {
        let state = self.layer.state();
        let event = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let events: Vec<_> = state[EVENTS].lines().map(event).collect();
        let last = events.iter().filter_map(|it| it["turn"].as_u64()).max();
        let cards =
            events.into_iter().filter(|it| it["kind"] == "card" && it["turn"].as_u64() == last);
        cards.map(|it| serde_json::from_value(it["card"].clone()).unwrap()).collect()
    }

    fn stale_count(&self) -> StalePlaceCount {
        stale::count_stale(&self.last_cards(), &self.project)
    }
}

const LOSSES: &str = "\"\"\"How far off the network is.\"\"\"\n\ndef snr_weight(t):\n    \"\"\"Small where there is much noise.\"\"\"\n    return min(t, 5) / 5\n\n\ndef total_loss(x, t):\n    return snr_weight(t) * x\n";
const TRAIN: &str = "from losses import total_loss\n\n\ndef train(steps):\n    for t in range(steps):\n        total_loss(1.0, t)\n";
const TEST: &str =
    "from losses import total_loss\n\n\ndef test_total():\n    assert total_loss(1, 1) == 0.2\n";

fn made_run(spec: &str) -> MadeRun {
    let mut made = MadeRun::with_spec(spec);
    made.run_turn(
        "Weight the loss by the noise: min-SNR.",
        &[],
        &[("losses.py", LOSSES), ("tests/test_losses.py", TEST)],
    );
    made.run_turn("Now a loop that trains.", &[], &[("train.py", TRAIN)]);
    made
}

#[test]
fn a_brief_gives_what_the_request_is_near_with_where_it_stands() {
    let mut made = made_run("memory");

    let brief = made.ask_brief("Make training faster.").unwrap();

    insta::assert_snapshot!(brief.text());
    insta::assert_snapshot!(brief.why, @"6 of 8 chunks near the 2 entities that the request names, cut to their first lines as no model wrote cards; 0 of 4 cited places stale");
    assert_eq!(brief.forecast, ["train.py", "losses.py"]);
    let lines = |path: &str, start, end| SentenceOrigin::Lines { path: path.into(), start, end };
    let train = &brief.sentences[1];
    assert_eq!(
        train.from,
        [
            lines("train.py", 4, 6),
            SentenceOrigin::Record("files/train.py.jsonl".into()),
            SentenceOrigin::Request(2)
        ]
    );
    assert_eq!(brief.sentences[2].from, [lines("train.py", 4, 6)]);
}

#[test]
fn only_the_newest_version_is_given_and_a_blind_memory_gives_old_ones() {
    let changed = LOSSES.replace("min(t, 5) / 5", "min(t, 9) / 9");
    let told = |spec: &str| {
        let mut made = made_run(spec);
        made.run_turn("Use nine.", &[], &[("losses.py", &changed)]);
        let text = made.ask_brief("What does snr_weight do?").unwrap().text();
        (text.contains("/ 5"), text.contains("/ 9"), made.stale_count())
    };

    let (has_old, has_new, stale) = told("memory");
    assert!(!has_old && has_new && stale.given > 0 && stale.stale == 0, "{stale:?}");
    let (has_old, has_new, stale) = told("memory:blind");
    assert!(has_old && has_new && stale.stale > 0, "{stale:?}");
}

#[test]
fn an_entity_keeps_its_history_through_new_files_and_names() {
    let mut made = made_run("memory");
    let renamed = LOSSES.replace("snr_weight", "noise_weight");
    let moved = [
        ProjectChange {
            path: repo_path("objective.py"),
            kind: ChangeKind::Renamed { from: repo_path("losses.py") },
        },
        ProjectChange { path: repo_path("train.py"), kind: ChangeKind::Changed },
    ];
    let train = TRAIN.replace("losses", "objective");
    made.run_turn(
        "Call the file objective.py.",
        &moved,
        &[("objective.py", &renamed), ("train.py", &train)],
    );

    let text = made.ask_brief("Where is snr_weight from losses.py now?").unwrap().text();

    assert!(
        text.contains("objective.py:3-5 noise_weight (function; since turn 1; used by total_loss"),
        "{text}"
    );
    assert!(text.contains("asked for in turn 1"), "{text}");
    assert!(!text.contains("No longer"), "{text}");
    let record = &made.layer.state()["files/objective.py.jsonl"];
    assert!(record.contains(r#""formerly":["losses.py#snr_weight"]"#), "{record}");
}

#[test]
fn what_is_gone_is_said_to_be_gone_and_never_given() {
    let mut made = made_run("memory");
    let short =
        "\"\"\"How far off the network is.\"\"\"\n\n\ndef total_loss(x, t):\n    return x\n";
    made.run_turn("Make the losses short.", &[], &[("losses.py", short)]);

    let brief = made.ask_brief("Log snr_weight.").unwrap();

    let gone = brief.sentences.iter().find(|it| it.text.contains("is gone since turn 3")).unwrap();
    assert!(gone.text.starts_with("- snr_weight (losses.py)"), "{}", gone.text);
    assert_eq!(
        gone.from[..2],
        [SentenceOrigin::Record("files/losses.py.jsonl".into()), SentenceOrigin::Request(1)]
    );
    assert_eq!(made.stale_count().stale, 0);
    made.run_turn("Bring it back.", &[], &[("losses.py", LOSSES)]);
    assert!(!made.ask_brief("Log snr_weight.").unwrap().text().contains("is gone"));
}

#[test]
fn decisions_and_documents_are_given_beside_the_code() {
    let decision = |id: &str, status: Option<&str>| Decision {
        id: id.into(),
        question: "How is the loss weighted?".into(),
        answer: format!("By {id}."),
        files: vec!["losses.py".into()],
        status: status.map(str::to_owned),
        ..Decision::default()
    };
    let decisions = vec![decision("snr", None), decision("time", Some("superseded"))];
    let store = DecisionStore { decisions, ..DecisionStore::default() };
    let mut made = MadeRun::with_options("memory", &LayerSetup { decisions: store });
    let readme = "# Model\n\nA model.\n\n## Losses\n\n`snr_weight` keeps noise down.\n";
    made.run_turn("Begin.", &[], &[("losses.py", LOSSES), ("README.md", readme)]);

    let brief = made.ask_brief("Change snr_weight.").unwrap();

    let text = brief.text();
    assert!(text.contains("README.md:5-7 Losses (section; since turn 1"), "{text}");
    assert!(text.contains("- decision snr: How is the loss weighted? By snr."), "{text}");
    assert!(!text.contains("By time."), "{text}");
    let from = brief.sentences.iter().flat_map(|it| &it.from);
    assert!(from.clone().any(|it| *it == SentenceOrigin::Decision("snr".into())));
}

#[test]
fn parts_can_be_left_out() {
    let told = |spec: &str| {
        let mut made = made_run(spec);
        made.ask_brief("Speed up `train`.").unwrap().text()
    };
    assert!(
        told("memory").contains("def snr_weight") && told("memory").contains("Asked for before")
    );
    assert!(!told("memory:graph").contains("Asked for before"));
    assert!(told("memory:history").contains("Asked for before"));
    assert_ne!(told("memory:history"), told("memory:graph,history"));
    assert!(
        layers::make_layer(&"memory:nothing".parse().unwrap(), &LayerSetup::default()).is_err()
    );
}

/// Answers in order.
struct ScriptedAnswers(Vec<&'static str>, Vec<HelperPrompt>);

impl HelperModel for ScriptedAnswers {
    fn is_available(&self) -> bool {
        true
    }

    fn ask_model(&mut self, prompt: &HelperPrompt) -> Result<HelperAnswer, String> {
        self.1.push(prompt.clone());
        if self.0.is_empty() {
            return Err("no answer is left".into());
        }
        let spent =
            HelperCost { calls: 1, output_tokens: Some(10), seconds: 0.5, ..HelperCost::default() };
        Ok(HelperAnswer { text: self.0.remove(0).to_owned(), spent })
    }
}

const CARD: &str = r#"Here: {"claim_boundary": "train calls total_loss a step", "logic_sketch": "a loop", "assumptions": ["t counts from 0"],
 "anchored_spans": [{"artifact": "train.py", "span": [1, 2], "snippet": "def train(steps):"},
 {"artifact": "train.py", "snippet": "    for t in range(steps):\n        total_loss(1.0, t)"},
 {"artifact": "train.py", "snippet": "invented()"}]}"#;

#[test]
fn a_card_of_the_model_cites_only_what_stands_in_the_file() {
    let mut made = made_run("memory");
    let mut helper = ScriptedAnswers(vec!["none", CARD], vec![]);

    let brief = made.ask_with("Speed up `train`.", &mut helper).unwrap();

    assert!(
        helper.1[1].text.contains("cannot be used: it has no JSON object"),
        "{}",
        helper.1[1].text
    );
    assert!(helper.1[0].text.contains("4: def train(steps):"), "{}", helper.1[0].text);
    let card = &made.last_cards()[0];
    let spans: Vec<_> = card.anchored_spans.iter().map(|it| (it.span, it.version)).collect();
    assert_eq!(spans, [(Some((4, 4)), 2), (Some((5, 6)), 2)]);
    assert!(
        brief
            .text()
            .contains("train.py: train calls total_loss a step a loop Assumed: t counts from 0")
    );
    let state = made.layer.state();
    let card = state[EVENTS].lines().find(|it| it.contains("train calls total_loss")).unwrap();
    assert!(card.contains(r#""tokens":20,"seconds":1.0"#), "{card}");
}

#[test]
fn without_a_card_that_holds_what_stands_there_is_given() {
    let mut made = made_run("memory");
    let mut helper = ScriptedAnswers(
        vec!["{}", r#"{"anchored_spans": [{"artifact": "other.py", "snippet": "x"}]}"#],
        vec![],
    );

    let brief = made.ask_with("Speed up `train`.", &mut helper).unwrap();

    assert!(brief.text().contains("    def train(steps):"), "{}", brief.text());
    assert!(brief.why.contains("no model wrote cards"), "{}", brief.why);
    let state = made.layer.state();
    let failed = state[EVENTS].lines().filter(|it| it.contains(r#""passed":false"#));
    assert!(failed.clone().count() >= 3, "{:?}", failed.collect::<Vec<_>>());
}

#[test]
fn a_memory_goes_on_from_its_state() {
    for spec in ["memory", "memory:blind"] {
        let mut first = made_run(spec);
        let mut second = made_run(spec);
        let state = first.layer.state();
        second.layer = MemoryLayer::new(&spec.parse().unwrap(), &LayerSetup::default());
        second.layer.restore(&state);
        assert_eq!(second.layer.state(), state);

        let (one, other) =
            (first.ask_brief("Make training faster."), second.ask_brief("Make training faster."));

        assert_eq!(one, other);
        assert_eq!(first.layer.state(), second.layer.state());
    }
}

/// Structural edges by name.
fn structural_edges(index: &MemoryIndex) -> Vec<String> {
    let catalogue = &index.catalogue;
    let is_here = |id: &ChunkId| catalogue.head(*id).is_some_and(|it| it.gone.is_none());
    let mut all = vec![];
    for id in (0..catalogue.len()).filter(is_here) {
        for edge in index.graph.neighbours_of(id, |id| catalogue.key_of(id)) {
            if edge.link.is_structural() && !edge.is_reverse {
                let (from, to) = (catalogue.key_of(id), catalogue.key_of(edge.other));
                all.push(format!("{from} {:?} {to} {}", edge.link, edge.weight));
            }
        }
    }
    all.sort();
    all
}

const PIECES: [&str; 8] = [
    "from a import f\n\ndef g():\n    return f()\n",
    "import a\n\nclass C:\n    def m(self):\n        return self.n() + a.f()\n    def n(self):\n        return 1\n",
    "def f():\n    return 1\n",
    "def f():\n    return g()\n\ndef g():\n    return 2\n",
    "from b import C\n\nx = C()\ny = x.m()\n",
    "from d.e import *\n\ndef h():\n    return f() + g()\n",
    "",
    "# Notes\n\n`C.m` and my_name, see a.py\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_the_turns_edges_are_those_of_the_project_read_afresh(
        turns in proptest::collection::vec(proptest::collection::vec((0_usize..6, 0_usize..9), 1..4), 1..6)
    ) {
        let names = ["a.py", "b.py", "d/e.py", "d/__init__.py", "tests/test_a.py", "README.md"];
        let (mut made, mut index) = (MadeRun::with_spec("memory"), MemoryIndex::default());
        for (turn, touched) in (1..).zip(&turns) {
            let mut changes: BTreeMap<&str, (ProjectChange, Option<&str>)> = BTreeMap::new();
            for (name, piece) in touched {
                let (name, text) = (names[*name], PIECES.get(*piece).copied());
                let kind = match (text, made.project.has_file(&repo_path(name))) {
                    (None, false) => continue,
                    (None, true) => ChangeKind::Deleted,
                    (Some(_), true) => ChangeKind::Changed,
                    (Some(_), false) => ChangeKind::Added,
                };
                changes.insert(name, (ProjectChange { path: repo_path(name), kind }, text));
            }
            let texts: Vec<(&str, &str)> =
                changes.iter().filter_map(|(name, (_, text))| Some((*name, (*text)?))).collect();
            let changes: Vec<ProjectChange> = changes.values().map(|(change, _)| change.clone()).collect();
            made.write_files(&changes, &texts);
            index.apply_changes(&made.project, &changes, UpdateMoment { turn, request: None });
        }
        let mut afresh = MemoryIndex::default();
        let all = afresh.unknown_changes(&made.project);
        afresh.apply_changes(&made.project, &all, UpdateMoment { turn: 0, request: None });

        prop_assert_eq!(structural_edges(&index), structural_edges(&afresh));
        prop_assert_eq!(index.unknown_changes(&made.project), vec![]);
    }

    #[test]
    fn whatever_the_texts_nothing_stale_is_given(
        texts in proptest::collection::vec((0_usize..4, "[ -~\n#\"']{0,60}", 0_usize..8), 1..6),
        request in "[a-z_. é]{0,40}",
    ) {
        let names = ["a.py", "b.py", "README.md", "c.txt"];
        let mut made = MadeRun::with_spec("memory");
        for (name, text, piece) in &texts {
            let text = format!("{}{text}", PIECES[*piece]);
            made.run_turn(&request, &[], &[(names[*name], &text)]);
            made.ask_brief("What is f in a.py, and the notes?");
            prop_assert_eq!(made.stale_count().stale, 0);
        }
    }

    #[test]
    fn whatever_the_state_a_memory_goes_on(
        files in proptest::collection::btree_map("(files|requests|decisions)/[a-z./]{0,9}\\.jsonl|turns.tsv|memory.jsonl|copies.jsonl", ".{0,80}", 0..5),
        cut in 0_usize..4000,
    ) {
        let mut made = made_run("memory:blind");
        let mut state: LayerState = made.layer.state();
        for text in state.values_mut() {
            let end = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            text.truncate(end);
        }
        state.extend(files);
        made.layer.restore(&state);
        made.ask_brief("Change `total_loss` in losses.py.");
        made.layer.state();
    }
}
