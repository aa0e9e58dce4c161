//! A small made-up run with a bit of everything: its log is in memory, in the form of Codex.
use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Size};
use serde_json::{Value as Json, json};
use trajview::{
    analysis::{
        Scorer,
        scores::{ReuseRequest, ScoreRequest, Scores},
    },
    metrics::{
        quality::{QualityProfile, Ruler, ScoredSnapshot},
        rules::RuleSet,
    },
    run::{
        Agent, Checkpoint, Edit, EditKind, EditPath, ParentStep, RecordPlace, RepoPath, Role, Run,
        RunOrigin, SourceRecord, Step, StepId, StepKind, SubAgent, Task, Time, Tokens, ToolCall,
        ToolResult, Turn, Warning,
        files::{
            BlobId, ChangeOrigin, FileChange, FileDiff, FilesSource, MemoryBlobs, RunMoment,
            SourceTree, Timeline, TreeFile, TurnFiles, file_diff::diff_change, renames,
        },
        rubric::Rubric,
    },
    runtime::{self, RunOpener},
    session::{
        code_measures::{self, MeasuredMoment, MovedScores, RulerName},
        effect::{Effect, OpenAnswer},
        files::coloured_texts::ColouredSides,
        question::{Answer, Question},
        start_place::StartPlace,
    },
    shell::{App, AppMessage},
    store::{Archive, OpenedRecording},
};

/// The frame that some keys lead to.
pub fn frame(width: u16, height: u16, keys: &str) -> Buffer {
    frame_at(width, height, keys, StartPlace::default())
}

pub fn frame_at(width: u16, height: u16, keys: &str, place: StartPlace) -> Buffer {
    runtime::headless_frame_with(sample(), &[], Size { width, height }, keys, place).unwrap()
}

pub fn text(width: u16, height: u16, keys: &str) -> String {
    trajview::widgets::export::frame_text(&frame(width, height, keys))
}

/// Opens the made-up run whatever the path.
pub fn sample() -> RunOpener {
    opener_of(Story::tell)
}

pub fn opener_of(story: impl Fn() -> Story) -> RunOpener {
    RunOpener::Memory(story().open())
}

/// A run and everything that is said in it.
pub struct Story {
    pub run: Run,
    pub log: Vec<u8>,
    pub timeline: Result<Timeline, String>,
    pub contents: Vec<Vec<u8>>,
    /// What stands beside it of what it is judged by.
    pub rubric: Rubric,
}

/// One rule, so that frames do not change with those built in.
pub fn made_up_ruler() -> Ruler {
    let rule = "id: sum-in-a-loop\nlanguage: python\nmessage: sum() adds up\nrule:\n  pattern: $T = $T + $X\n";
    Ruler::new(QualityProfile::default(), RuleSet::load("made up", &[("sums.yml", rule)]))
}

impl Story {
    pub fn open(&self) -> OpenedRecording {
        let files = self.timeline.clone().map(|timeline| {
            let mut blobs = MemoryBlobs::default();
            for content in &self.contents {
                blobs.insert(content);
            }
            (timeline, blobs)
        });
        let archive = Archive::in_memory(self.log.clone(), files);
        OpenedRecording { run: Arc::new(self.run.clone()), archive: Arc::new(archive) }
    }

    pub fn tell() -> Self {
        let mut told = Telling::default();
        told.turn("Set up the package and a loader for the protein pairs", |turn| {
            turn.thinking(
                "The user wants a package. I start with a loader and keep it small.\nThen tests.",
            );
            turn.call("shell", "ls -la", "total 0\n", Some(0));
            turn.write("src/ppdiff/data.py", DATA_1);
            turn.write("pyproject.toml", "[project]\nname = \"ppdiff\"\nversion = \"0.1.0\"\n");
            turn.message("The loader reads pairs lazily. `load_pairs` yields one pair at a time.");
        });
        told.turn("Add the noise schedule from section 3.2, cosine with offset 0.008", |turn| {
            turn.thinking("Section 3.2 uses the cosine schedule of Nichol and Dhariwal.");
            turn.write("src/ppdiff/schedule.py", SCHEDULE);
            turn.call("shell", "python -m pytest -q", TESTS_FAIL, Some(1));
            turn.write("src/ppdiff/data.py", DATA_2);
            turn.call(
                "shell",
                "python -m pytest -q",
                "...                       [100%]\n3 passed in 0.41s\n",
                Some(0),
            );
            turn.message("The schedule is in place and the three tests pass.");
        });
        told.checkpoint("loading and schedule");
        told.turn("Combine the sequence and structure losses into one joint loss", |turn| {
            turn.subagent("explorer", "Find where the losses are computed", |agent| {
                agent.call(
                    "grep",
                    "rg -n 'mse\\(' src",
                    "src/ppdiff/joint.py:3:    loss = mse(xyz)\n",
                    None,
                );
                agent.message("Only src/ppdiff/joint.py computes a loss.");
            });
            turn.write("src/ppdiff/joint.py", JOINT_1);
            turn.message("Both losses now share `joint_loss`.");
        });
        told.turn("The sequence term dominates early on. Weight it by the timestep, and let the loss be read in three parts", |turn| {
            turn.thinking("weight(t) should fall from 1 to 0.1.");
            turn.write("src/ppdiff/joint.py", JOINT_2);
            turn.outside("results/loss.csv", "step,loss\n1,2.31\n2,1.87\n3,1.52\n");
            turn.call("shell", "python -m ppdiff.train --steps 3", "step 1 loss 2.31\nstep 2 loss 1.87\nstep 3 loss 1.52\n", Some(0));
            turn.message("漢字 and \u{202e}hidden\u{202c} words are shown, not obeyed.\tTabs too.");
        });
        told.turn("", |turn| {
            turn.compaction("Summary: loader, cosine schedule and joint loss are done; the weights fall with t.");
            turn.message("I continue from the summary.");
        });
        told.turn(
            "Rename the loader module to pairs.py and drop the results from the repository",
            |turn| {
                turn.rename("src/ppdiff/data.py", "src/ppdiff/pairs.py");
                turn.call("shell", "git rm -q results/loss.csv", "", Some(0));
                turn.outside_gone("results/loss.csv");
                turn.binary("weights.bin");
            },
        );
        told.checkpoint("joint loss");
        told.end()
    }
}

const DATA_1: &str = "import csv\n\n\ndef load_pairs(path):\n    with open(path) as handle:\n        for row in csv.reader(handle):\n            yield row[0], row[1]\n";
const DATA_2: &str = "import csv\n\n\ndef load_pairs(path, skip_header=True):\n    with open(path, newline=\"\") as handle:\n        rows = csv.reader(handle)\n        if skip_header:\n            next(rows, None)\n        for row in rows:\n            yield row[0], row[1]\n";
const SCHEDULE: &str = "import math\n\nOFFSET = 0.008\n\n\ndef alpha_bar(t, steps):\n    \"\"\"Share of the signal left after step t (Nichol & Dhariwal 2021, eq. 17).\"\"\"\n    angle = (t / steps + OFFSET) / (1 + OFFSET) * math.pi / 2\n    return math.cos(angle) ** 2\n";
const TESTS_FAIL: &str = "F..                                                  [100%]\n=================== FAILURES ===================\n_______________ test_header_is_skipped _______________\n\n    def test_header_is_skipped(tmp_path):\n>       assert list(load_pairs(sample(tmp_path))) == [(\"AAC\", \"GGT\")]\nE       AssertionError: assert [('left', 'ri...('AAC', 'GGT')] == [('AAC', 'GGT')]\n\ntests/test_data.py:9: AssertionError\n1 failed, 2 passed in 0.44s\n";
const JOINT_1: &str = "from ppdiff.schedule import alpha_bar\n\n\ndef joint_loss(seq, xyz, t):\n    loss = mse(xyz)\n    loss = loss + ce(seq)\n    return loss\n";
const JOINT_2: &str = "from ppdiff.schedule import alpha_bar\n\n\ndef weight(t, steps=1000):\n    return 0.1 + 0.9 * alpha_bar(t, steps)\n\n\ndef joint_loss(seq, xyz, t):\n    sequence, structure = ce(seq), mse(xyz)\n    loss = structure + sequence * weight(t)\n    return loss, {\"sequence\": sequence, \"structure\": structure}\n";

/// Puts a story together, turn by turn.
#[derive(Default)]
pub struct Telling {
    run: Run,
    log: Vec<u8>,
    lines: u32,
    timeline: Timeline,
    blobs: MemoryBlobs,
    contents: Vec<Vec<u8>>,
    tree: SourceTree,
}

/// One turn under way, or one agent's part of it.
pub struct TurnTelling<'a> {
    told: &'a mut Telling,
    subagent: Option<usize>,
    before: SourceTree,
    outside: Vec<&'static str>,
}

impl Telling {
    pub fn turn(&mut self, request: &'static str, tell: impl FnOnce(&mut TurnTelling)) {
        let checkpoint = self.run.checkpoints.len();
        let place = self.record(&message_record("user", request));
        self.run.turns.push(Turn {
            title: trajview::run::first_line_label(request),
            request: (!request.is_empty()).then_some(place),
            checkpoint: Some(checkpoint),
            ..Turn::default()
        });
        self.timeline.turns.push(TurnFiles::default());
        let before = self.tree.clone();
        let mut turn = TurnTelling { told: self, subagent: None, before, outside: vec![] };
        tell(&mut turn);
        let outside = turn.outside.clone();
        let changes = turn.before.changes_to(&turn.told.tree, ChangeOrigin::Recorded);
        let mut changes = renames::pair_renames(changes, &turn.told.blobs);
        for change in &mut changes {
            if outside.contains(&change.path.as_str()) {
                change.origin = ChangeOrigin::Outside;
            }
        }
        self.timeline.turns.last_mut().unwrap().changes = changes;
    }

    pub fn checkpoint(&mut self, label: &str) {
        self.run.checkpoints.push(Checkpoint {
            id: format!("cp{}", self.run.checkpoints.len() + 1),
            label: Some(label.into()),
            last_turn: self.run.turns.len() - 1,
            recorded: None,
            after_skill: None,
        });
    }

    pub fn end(mut self) -> Story {
        self.timeline.from = FilesSource::RecordedEdits;
        let run = Run {
            id: "ppdiff-emergent-01".into(),
            title: "joint protein diffusion".into(),
            agent: Agent {
                name: "codex".into(),
                version: Some("0.42.0".into()),
                ..Agent::default()
            },
            model: Some("gpt-5-codex".into()),
            condition: Some("emergent".into()),
            task: Some(Task { id: "ppdiff".into(), title: Some("PPDiff".into()), venue: None }),
            started_at: Some(Time(1_767_225_600_000)),
            ended_at: Some(Time(1_767_229_200_000)),
            warnings: vec![Warning {
                place: "session/rollout.jsonl:88".into(),
                what: "not JSON: expected value at column 1".into(),
            }],
            origin: RunOrigin {
                format: "codex",
                provenance: Some(
                    "recorded with codex exec on a made-up task, one turn a commit".into(),
                ),
                sources: vec![SourceRecord {
                    name: "rollout.jsonl".into(),
                    format: "codex-rollout",
                }],
                ..self.run.origin.clone()
            },
            ..self.run
        };
        Story {
            run,
            log: self.log,
            timeline: Ok(self.timeline),
            contents: self.contents,
            rubric: Rubric::default(),
        }
    }

    fn record(&mut self, payload: &Json) -> RecordPlace {
        let record = json!({"type": "response_item", "payload": payload}).to_string();
        let start = self.log.len() as u64;
        self.lines += 1;
        self.log.extend(record.as_bytes());
        self.log.push(b'\n');
        let len = record.len() as u64;
        RecordPlace { line: self.lines, start, len, ..RecordPlace::default() }
    }

    fn insert(&mut self, content: &[u8]) -> BlobId {
        self.contents.push(content.to_vec());
        self.blobs.insert(content)
    }
}

fn message_record(role: &str, text: &str) -> Json {
    json!({"type": "message", "role": role, "content": [{"type": "output_text", "text": text}]})
}

impl TurnTelling<'_> {
    pub fn message(&mut self, words: &str) {
        let step = Step {
            kind: StepKind::Message,
            label: trajview::run::first_line_label(words),
            ..Step::default()
        };
        self.push_message(step, words);
    }

    pub fn thinking(&mut self, words: &str) {
        let step = Step {
            kind: StepKind::Thinking,
            label: trajview::run::first_line_label(words),
            ..Step::default()
        };
        self.push_message(step, words);
    }

    pub fn compaction(&mut self, words: &str) {
        let step = Step {
            kind: StepKind::Compaction,
            role: Role::System,
            label: trajview::run::first_line_label(words),
            ..Step::default()
        };
        self.push_message(step, words);
    }

    pub fn call(&mut self, tool: &str, arguments: &str, result: &str, exit_code: Option<i32>) {
        let result_index = ToolResult {
            exit_code,
            is_error: exit_code.is_some_and(|code| code != 0),
            bytes: result.len() as u64,
            ..ToolResult::default()
        };
        let tool = ToolCall { name: tool.into(), call_id: "".into(), result: Some(result_index) };
        let step = Step {
            kind: StepKind::Tool,
            label: trajview::run::first_line_label(arguments),
            tool: Some(Box::new(tool)),
            ..Step::default()
        };
        self.push_call(step, arguments, result);
    }

    pub fn write(&mut self, path: &'static str, words: &str) {
        let blob = self.told.insert(words.as_bytes());
        self.edit(path, Some(TreeFile::with_blob(blob)), None, words);
    }

    pub fn rename(&mut self, from: &'static str, to: &'static str) {
        let old = self.told.tree.files.remove(&RepoPath::new(from).unwrap()).unwrap();
        let before = SourceTree { files: [(RepoPath::new(from).unwrap(), old)].into() };
        let after = SourceTree { files: [(RepoPath::new(to).unwrap(), old)].into() };
        self.told.tree.files.insert(RepoPath::new(to).unwrap(), old);
        let changes = renames::pair_renames(
            before.changes_to(&after, ChangeOrigin::Recorded),
            &self.told.blobs,
        );
        self.edit_step(EditKind::Rename, to, changes, "");
    }

    pub fn outside(&mut self, path: &'static str, words: &str) {
        let blob = self.told.insert(words.as_bytes());
        self.told.tree.files.insert(RepoPath::new(path).unwrap(), TreeFile::with_blob(blob));
        self.outside.push(path);
    }

    pub fn outside_gone(&mut self, path: &'static str) {
        self.told.tree.files.remove(&RepoPath::new(path).unwrap());
        self.outside.push(path);
    }

    pub fn binary(&mut self, path: &'static str) {
        let blob = self.told.insert(&[0; 4096]);
        self.told.tree.files.insert(RepoPath::new(path).unwrap(), TreeFile::with_blob(blob));
    }

    pub fn subagent(&mut self, name: &str, title: &str, tell: impl FnOnce(&mut TurnTelling)) {
        let index = self.told.run.subagents.len();
        let turn = self.told.run.turns.len() - 1;
        let step = self.steps().len();
        self.told.run.subagents.push(SubAgent {
            id: format!("agent-{index}"),
            name: name.into(),
            title: title.into(),
            parent: Some(ParentStep { turn, subagent: self.subagent, step }),
            ..SubAgent::default()
        });
        let start = Step {
            kind: StepKind::SubAgent,
            label: title.into(),
            subagent: Some(index),
            ..Step::default()
        };
        self.push_message(start, title);
        let before = self.before.clone();
        let mut inner =
            TurnTelling { told: self.told, subagent: Some(index), before, outside: vec![] };
        tell(&mut inner);
    }

    fn edit(&mut self, path: &str, new: Option<TreeFile>, from: Option<&str>, words: &str) {
        assert_eq!(from, None);
        let path = RepoPath::new(path).unwrap();
        let old = self.told.tree.files.get(&path).copied();
        let before = SourceTree { files: old.map(|old| (path.clone(), old)).into_iter().collect() };
        let after = SourceTree { files: new.map(|new| (path.clone(), new)).into_iter().collect() };
        self.told.tree.files.extend(after.files.clone());
        let kind = if old.is_some() { EditKind::Modify } else { EditKind::Create };
        self.edit_step(
            kind,
            path.as_str(),
            before.changes_to(&after, ChangeOrigin::Recorded),
            words,
        );
    }

    fn edit_step(&mut self, kind: EditKind, path: &str, changes: Vec<FileChange>, words: &str) {
        let diff = changes.first().map(|change| diff_change(change, &self.told.blobs, 3));
        let (added, removed) = match diff {
            Some(FileDiff::Text { diff, .. }) => (diff.added as u32, diff.removed as u32),
            _ => (0, 0),
        };
        let edit = Edit {
            path: EditPath::Inside(RepoPath::new(path).unwrap()),
            kind,
            from: None,
            added: Some(added),
            removed: Some(removed),
            place: RecordPlace::default(),
        };
        let result = ToolResult { bytes: 5, ..ToolResult::default() };
        let tool =
            ToolCall { name: "apply_patch".into(), call_id: "".into(), result: Some(result) };
        let step = Step {
            kind: StepKind::Tool,
            label: path.into(),
            tool: Some(Box::new(tool)),
            edits: vec![edit],
            ..Step::default()
        };
        let id = self.push_call(step, &format!("*** {path}\n{words}"), "done\n");
        self.told.timeline.turns.last_mut().unwrap().steps.push((id, changes));
    }

    fn push_message(&mut self, step: Step, text: &str) {
        let place = self.told.record(&message_record("assistant", text));
        self.push(Step { place, ..step });
    }

    fn push_call(&mut self, mut step: Step, arguments: &str, result: &str) -> StepId {
        let called = json!({"type": "custom_tool_call", "input": arguments});
        let answered = json!({"type": "custom_tool_call_output", "output": result});
        step.place = self.told.record(&called);
        let place = self.told.record(&answered);
        if let Some(result) = step.tool.as_mut().and_then(|tool| tool.result.as_mut()) {
            result.place = place;
        }
        self.push(step)
    }

    fn push(&mut self, step: Step) -> StepId {
        let turn = self.told.run.turns.len() - 1;
        let id = StepId { turn, subagent: self.subagent, step: self.steps().len() };
        self.steps().push(Step { tokens: Tokens::default(), ..step });
        id
    }

    fn steps(&mut self) -> &mut Vec<Step> {
        match self.subagent {
            Some(index) => &mut self.told.run.subagents[index].steps,
            None => &mut self.told.run.turns.last_mut().unwrap().steps,
        }
    }
}

fn code_scores(
    archive: &Archive,
    run: &Run,
    moments: &[RunMoment],
) -> Result<Vec<ScoredSnapshot>, String> {
    let reuse = ReuseRequest::Nowhere;
    let request = ScoreRequest { moments, with_detail: true, reuse, for_process: false };
    let scorer = Scorer::new(made_up_ruler(), None);
    Ok(Scores::for_run(archive, run, &request, &scorer, &|_, _, _| true)?.code)
}

/// An app with the made-up run open and everything answered.
pub fn with_story() -> App {
    let mut world = Answering::new();
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    world.app
}

/// An app and a world without threads that answers at once.
pub struct Answering {
    pub app: App,
    pub story: Arc<Story>,
}

impl Answering {
    pub fn new() -> Self {
        Self::telling(Story::tell())
    }

    pub fn telling(story: Story) -> Self {
        Self::telling_at(Size { width: 80, height: 24 }, story)
    }

    /// Opens it on a screen of this size. The smallest one has no timeline, so that nothing is measured.
    pub fn telling_at(size: Size, story: Story) -> Self {
        let mut world = Self { app: App::default(), story: Arc::new(story) };
        world.send(AppMessage::Resized(size));
        world.send(AppMessage::Open("a run".into(), StartPlace::default()));
        world
    }

    pub fn send(&mut self, message: AppMessage) {
        let effects = self.app.update(message);
        self.answer_all(effects);
    }

    pub fn answer_all(&mut self, mut effects: Vec<Effect>) {
        for _ in 0..1000 {
            if effects.is_empty() {
                return;
            }
            let answers: Vec<_> =
                effects.drain(..).filter_map(|effect| self.answer(effect)).collect();
            effects = answers.into_iter().flat_map(|answer| self.app.update(answer)).collect();
        }
        panic!("the questions never end: {effects:?}");
    }

    /// What is recorded can be changed until it is asked about.
    pub fn story_mut(&mut self) -> &mut Story {
        Arc::get_mut(&mut self.story).expect("nobody else reads it")
    }

    /// Answers what a story told from memory knows; the rest is left open.
    fn answer(&self, effect: Effect) -> Option<AppMessage> {
        let story = &self.story;
        let (request, question) = match effect {
            Effect::Open(request, ..) => {
                return Some(AppMessage::Opened(
                    request,
                    OpenAnswer::Whole(Ok(story.run.clone().into())),
                ));
            }
            Effect::Ask(request, question) => (request, *question),
            _ => return None,
        };
        let archive = story.open().archive;
        let answer = match question {
            Question::Scores { run, moments } => {
                let scored = code_scores(&archive, &run, &moments);
                let ruler = RulerName {
                    name: "trajview".into(),
                    is_comparable: true,
                    rules: 1,
                    source: "made up".into(),
                };
                Answer::Scores(scored.map(|scored| {
                    code_measures::MeasuredMoments {
                        ruler,
                        moments: moments
                            .into_iter()
                            .zip(scored.iter().map(MeasuredMoment::from_scored))
                            .collect(),
                    }
                }))
            }
            Question::Moved { run, before, after } => {
                let scored = code_scores(&archive, &run, &[before, after]);
                Answer::Moved(scored.map(|scored| {
                    let [before, after] = [0, 1].map(|at: usize| &scored[at].detail);
                    Arc::new(MovedScores::between_details(before, after, made_up_ruler().rules()))
                }))
            }
            Question::Rubric { .. } => Answer::Rubric(Ok(Arc::new(story.rubric.clone()))),
            // Of a story told from memory nothing is labelled; `audit_view.rs` has a bundle.
            Question::Places { .. } => Answer::Places(Ok(Arc::default())),
            Question::Search { run, query } => {
                let mut hits = vec![];
                let searched = archive.search(&run, &query, &mut |hit| {
                    hits.push(hit);
                    true
                });
                Answer::Search(searched.map(|()| hits))
            }
            Question::Colours { .. } => Answer::Colours(Ok(ColouredSides::default())),
            Question::Reuse { .. } => Answer::Reuse(Ok(None)),
            question => {
                let is_known = matches!(
                    question,
                    Question::Timeline { .. }
                        | Question::LineCounts { .. }
                        | Question::StepText { .. }
                        | Question::RequestText { .. }
                        | Question::Diff { .. }
                        | Question::ChangesBetween { .. }
                        | Question::Blame { .. }
                        | Question::Lifelines { .. }
                        | Question::Labels { .. }
                        | Question::SaveLabel { .. }
                        | Question::Agreement { .. }
                );
                if !is_known {
                    return None;
                }
                runtime::answer_question(&archive, question)
            }
        };
        Some(AppMessage::Answered(request, answer))
    }
}
