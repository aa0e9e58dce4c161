//! The crash test of a judge: a sample of components is judged again on copies of the tree with planted edits.
//!
//! [`CrashTest::prepare`] draws the sample, finds the places of its components and plants the edits, all in memory;
//! [`run_crash_test`] asks the judge about each, several at a time, and saves the [document](super::crash_document) after
//! every answer. A test that was stopped goes on where the same edits come out of the same tree.

use std::{path::PathBuf, sync::Arc};

use trajview_analysis::absence_check;
use trajview_code::plants::{self, CodePlace, PlantKind, PlantTarget, SourceTexts};
use trajview_run::{
    RepoPath,
    files::{Blob, BlobId, FileMode, TreeFile},
    judging::{JudgeEvent, JudgingScale, OpenFile},
    rubric::{Component, Judgement, Rubric, Verdict, same_commit},
};
use trajview_store::{
    OpenedRecording,
    judgements::{JudgementFile, JudgementFolder},
    sha256,
    write::WriteError,
};
use trajview_study::crash_test::CrashEdit;

use super::{
    client::JudgeClient,
    component::JudgedItem,
    conversation::ReplyUsage,
    cost::{CostBudget, price_of},
    crash_document::{
        CrashComponent, CrashDocument, DocumentPlace, DocumentTrial, MOST_COMPONENTS,
    },
    document::score_entry,
    item::JudgeItem,
    judging::{JudgingHalt, JudgingJob, answer_of, collect_answers, timestamp_now, without_path},
    plan::JudgingEstimate,
    snapshot::CodeSnapshot,
    stop_flag::StopFlag,
    worker::JudgeTask,
};

/// Components of a sample, unless the user chooses another number.
pub const SAMPLE_SIZE: usize = 12;

/// The most text that is read for planting: files, and bytes of all of them.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: usize = 64 << 20;

/// Places of one component that are edited: evidence, and places that only look like the component.
const MOST_PLACES: usize = 8;
const MOST_CANDIDATES: usize = 1;

/// Trees with planted edits that exist at the same time, for each conversation at the same time.
const TREES_PER_WORKER: usize = 4;

/// The new texts of an edited tree.
type EditedTexts = Vec<(RepoPath, String)>;

/// A crash test that is planned: nothing was asked yet.
#[derive(Debug, Clone)]
pub struct CrashTest {
    job: JudgingJob,
    document: CrashDocument,
    /// The edited texts of each trial of the document, in its order. The trees are made when they are needed.
    edits: Vec<EditedTexts>,
}

/// The end of a crash test.
#[derive(Debug)]
pub struct CrashTestEnd {
    /// The file; None where nothing was saved.
    pub path: Option<PathBuf>,
    pub document: CrashDocument,
    /// The reason why trials are left.
    pub halted: Option<JudgingHalt>,
}

impl CrashTest {
    /// Draws the sample and plants the edits. The error is a sentence.
    pub fn prepare(
        job: JudgingJob,
        rubric: &Rubric,
        opened: &OpenedRecording,
        (size, seed): (usize, u64),
    ) -> Result<Self, String> {
        if job.scale() != JudgingScale::Levels {
            return Err("a crash test needs components on the levels 0 to 4".into());
        }
        if size > MOST_COMPONENTS {
            return Err(format!("a crash test has at most {MOST_COMPONENTS} components"));
        }
        let texts = texts_of(&job.snapshot)?;
        let mut pool: Vec<(&Component, CrashComponent)> = vec![];
        let mut drawn: Vec<&Component> = job.items.iter().filter_map(component_of).collect();
        drawn.sort_by_key(|it| sha256(format!("{seed}:{}", it.id).as_bytes()));
        for component in drawn {
            if pool.len() == size {
                break;
            }
            let found = places_of(component, &job, rubric, opened)?;
            let question_sha256 = question_hash(&job, &component.id);
            pool.extend(found.map(|it| (component, CrashComponent { question_sha256, ..it })));
        }
        if pool.is_empty() {
            return Err(
                "no component has code that a judgement or its words name; judge the run first"
                    .into(),
            );
        }
        let position = |id: &str| job.subject.components.iter().position(|it| it == id);
        pool.sort_by_key(|(component, _)| position(&component.id));
        let components = pool.iter().map(|(_, it)| it.clone()).collect();
        let tree_sha256 = tree_hash(&job.snapshot);
        let state = (job.subject.commit.clone(), job.subject.turn, tree_sha256);
        let (judge, run) = (job.document_judge(), job.subject.run.clone());
        let mut document = CrashDocument::new(judge, run, state, (seed, components));
        let mut edits = vec![];
        for (_, component) in &pool {
            for edit in [CrashEdit::Unedited, CrashEdit::Repeat] {
                document.trials.push(DocumentTrial::for_edit(&component.id, edit));
                edits.push(vec![]);
            }
            for kind in PlantKind::ALL {
                let (trial, edit) = planted_trial(component, kind, &texts);
                document.trials.push(trial);
                edits.push(edit);
            }
        }
        Ok(Self { job, document, edits })
    }

    pub const fn document(&self) -> &CrashDocument {
        &self.document
    }

    /// Returns the job with the judge's settings.
    pub const fn job(&self) -> &JudgingJob {
        &self.job
    }

    /// Returns the same test with the judge's key.
    pub fn with_key(self) -> Result<Self, super::job::JobError> {
        Ok(Self { job: self.job.with_key()?, ..self })
    }

    /// Returns the highest cost of all trials, without saved answers.
    pub fn estimate(&self) -> JudgingEstimate {
        let open = self.document.trials.iter().filter(|trial| trial.is_open());
        let items: Vec<&JudgeItem> = open.filter_map(|it| self.item_of(&it.component)).collect();
        JudgingEstimate::for_items(&self.job, &items)
    }

    /// Returns the same test with the answers of the last file of the same test, and that file; None where there is none.
    pub fn resumed(mut self, folder: &JudgementFolder) -> Option<(Self, JudgementFile)> {
        let saved = folder.read_all().into_iter();
        let ours = saved.filter_map(|(name, bytes)| Some((name, CrashDocument::parse(&bytes)?)));
        let same = ours.filter(|(_, it)| it.is_same_test(&self.document));
        let (name, document) = same.max_by(|(_, a), (_, b)| a.created_at.cmp(&b.created_at))?;
        self.document = document;
        Some((self, folder.reopen(&name)))
    }

    fn item_of(&self, component: &str) -> Option<&JudgeItem> {
        self.job.items.iter().find(|item| item.id() == component)
    }

    /// Returns the positions of the trials that the judge is to be asked about.
    fn open_trials(&self) -> Vec<usize> {
        let trials = self.document.trials.iter().enumerate();
        trials.filter(|(_, trial)| trial.is_open()).map(|(at, _)| at).collect()
    }

    /// Makes the trees of some trials.
    fn tasks_at(&self, positions: &[usize]) -> Vec<JudgeTask> {
        let task = |at: &usize| {
            let trial = &self.document.trials[*at];
            let item = self.item_of(&trial.component)?.clone();
            let snapshot = self.job.snapshot.with_texts(&self.edits[*at]);
            Some(JudgeTask { name: trial.task_name(), item, snapshot })
        };
        positions.iter().filter_map(task).collect()
    }

    /// Enters an answer and saves the file.
    fn enter_answer(
        &mut self,
        file: &JudgementFile,
        name: &str,
        judged: &JudgedItem,
    ) -> Result<(), JudgingHalt> {
        let document = &mut self.document;
        let Some(at) = document.trials.iter().position(|it| it.task_name() == name) else {
            return Ok(());
        };
        let component = document.trials[at].component.clone();
        let entry = score_entry(&document.judge, &component, judged)
            .map_err(|why| JudgingHalt::Write(without_path(&why)))?;
        document.trials[at].answer = Some(entry);
        let tokens = |part: fn(&ReplyUsage) -> Option<u64>| {
            judged.requests.iter().filter_map(|it| part(&it.usage)).sum::<u64>()
        };
        let paid = price_of(self.job.settings.cost, tokens(|it| it.input), tokens(|it| it.output));
        let is_unpriced = |it: &ReplyUsage| it.input.is_none() || it.output.is_none();
        let unpriced = judged.requests.iter().filter(|it| is_unpriced(&it.usage)).count();
        document.requests_without_usage = document.requests_without_usage.saturating_add(unpriced);
        document.spent_usd = match (document.requests_without_usage, paid) {
            (0, Some(paid)) => Some(document.spent_usd.unwrap_or_default() + paid),
            (0, None) => document.spent_usd,
            _ => None,
        };
        if !document.trials.iter().any(DocumentTrial::is_open) {
            document.finished_at = Some(timestamp_now());
        }
        save_document(file, document).map_err(JudgingHalt::Write)
    }
}

fn save_document(file: &JudgementFile, document: &CrashDocument) -> Result<(), WriteError> {
    document.to_bytes().map_err(|why| without_path(&why)).and_then(|bytes| file.save(&bytes))
}

fn component_of(item: &JudgeItem) -> Option<&Component> {
    match item {
        JudgeItem::Component(component) => Some(component),
        JudgeItem::CodebookComponent(..)
        | JudgeItem::Group(_)
        | JudgeItem::Decision(_)
        | JudgeItem::Part(_) => None,
    }
}

/// Returns the texts of a tree. What is no text is left out; the error says that there is too much.
fn texts_of(snapshot: &CodeSnapshot) -> Result<SourceTexts, String> {
    let (mut texts, mut bytes) = (SourceTexts::new(), 0);
    for path in snapshot.tree().files.keys() {
        let Ok(text) = snapshot.text_of(path) else { continue };
        bytes += text.len();
        // An edit of a text that is not UTF-8 would change other lines too.
        if !text.contains(char::REPLACEMENT_CHARACTER) {
            texts.insert(path.as_str().to_owned(), text);
        }
        if texts.len() > MOST_FILES || bytes > MOST_BYTES {
            return Err(format!(
                "the tree has more than {MOST_FILES} files or {} MB of text; edits are planted in smaller ones",
                MOST_BYTES >> 20
            ));
        }
    }
    Ok(texts)
}

/// Returns a component with its places: the evidence of the newest judgement of the state, of the same judge before others, else the place
/// that looks most like it. None where a judgement says that it is absent, and where no place is known.
fn places_of(
    component: &Component,
    job: &JudgingJob,
    rubric: &Rubric,
    opened: &OpenedRecording,
) -> Result<Option<CrashComponent>, String> {
    let subject = &job.subject;
    let is_of_state = |it: &&Judgement| match (&it.commit, &subject.commit) {
        (Some(judged), Some(commit)) => same_commit((judged.as_str(), commit.as_str())),
        _ => it.turn == Some(subject.turn),
    };
    let verdict_of = |it: &Judgement| {
        let verdict = it.verdicts.iter().find(|it| it.component == component.id)?.clone();
        Some((it.file.clone(), it.judge.name == job.settings.name, verdict))
    };
    let mut judged: Vec<(String, bool, Verdict)> =
        rubric.judgements.iter().filter(is_of_state).filter_map(verdict_of).collect();
    judged.sort_by_key(|(_, is_own, _)| *is_own);
    if judged.last().is_some_and(|(_, _, verdict)| verdict.score == Some(0)) {
        return Ok(None);
    }
    let place = |path: &str, (start, end): (usize, usize)| DocumentPlace {
        path: path.to_owned(),
        start,
        end,
    };
    for (file, _, verdict) in judged.iter().rev() {
        let lines = verdict.evidence.iter().filter_map(|it| Some((&it.path, it.shown_lines()?)));
        let places: Vec<DocumentPlace> =
            lines.map(|(path, lines)| place(path, lines)).take(MOST_PLACES).collect();
        if !places.is_empty() {
            let evidence_of = Some(file.clone());
            return Ok(Some(CrashComponent { places, evidence_of, ..named(component) }));
        }
    }
    let found = absence_check::candidate_places(
        &opened.archive,
        &opened.run,
        subject.turn,
        component,
        None,
    )?;
    let code = found.iter().filter(|it| it.name.is_some()).take(MOST_CANDIDATES);
    let places: Vec<DocumentPlace> = code.map(|it| place(&it.path, (it.start, it.end))).collect();
    Ok((!places.is_empty()).then(|| CrashComponent { places, ..named(component) }))
}

fn named(component: &Component) -> CrashComponent {
    let (id, name) = (component.id.clone(), component.name.clone());
    CrashComponent { id, name, question_sha256: None, evidence_of: None, places: vec![] }
}

fn question_hash(job: &JudgingJob, component: &str) -> Option<String> {
    let item = job.items.iter().find(|item| item.id() == component)?;
    Some(sha256(job.prompt.question_text(item, job.budget).as_bytes()))
}

fn tree_hash(snapshot: &CodeSnapshot) -> String {
    let mut text = String::new();
    for (path, file) in &snapshot.tree().files {
        let blob = file.blob_id().map(|blob| blob.to_string()).unwrap_or_default();
        text += &format!("{}\0{:?}\0{blob}\n", path.as_str(), file.mode);
    }
    sha256(text.as_bytes())
}

/// Plants one edit, and returns its trial with the edited texts.
fn planted_trial(
    component: &CrashComponent,
    kind: PlantKind,
    texts: &SourceTexts,
) -> (DocumentTrial, EditedTexts) {
    let place = |it: &DocumentPlace| CodePlace { path: it.path.clone(), lines: (it.start, it.end) };
    let places: Vec<CodePlace> = component.places.iter().map(place).collect();
    let target = PlantTarget { files: texts, places: &places, component: &component.name };
    let mut trial = DocumentTrial::for_edit(&component.id, CrashEdit::Plant(kind));
    let planted = plants::plant_edit(kind, &target).and_then(|planted| {
        let texts = planted.changed.iter();
        let edited: Option<EditedTexts> =
            texts.map(|(path, text)| Some((RepoPath::new(path)?, text.clone()))).collect();
        let edited = edited.ok_or_else(|| "it changes a path that no tree has".to_owned())?;
        Ok((planted, edited))
    });
    match planted {
        Ok((planted, edited)) => {
            trial.diff = Some(planted.unified_diff(texts));
            trial.summary = Some(planted.summary);
            (trial, edited)
        }
        Err(why) => {
            trial.not_applicable = Some(why);
            (trial, vec![])
        }
    }
}

impl CodeSnapshot {
    /// Returns the same files with some texts replaced or added.
    fn with_texts(&self, changed: &[(RepoPath, String)]) -> Self {
        if changed.is_empty() {
            return self.clone();
        }
        let mut tree = self.tree().clone();
        let mut edited: Vec<(BlobId, Blob)> = vec![];
        for (path, text) in changed {
            let blob = BlobId::for_bytes(text.as_bytes());
            let mode = tree.files.get(path).map_or(FileMode::Regular, |file| file.mode);
            tree.files.insert(path.clone(), TreeFile { mode, ..TreeFile::with_blob(blob) });
            edited.push((blob, Blob::from(text.as_bytes())));
        }
        let before = self.clone();
        Self::new(tree, move |file| {
            let own = edited.iter().find(|(blob, _)| Some(*blob) == file.blob_id());
            own.map_or_else(|| before.content_of(file), |(_, text)| Ok(text.clone()))
        })
    }
}

/// Asks the judge about all open trials, in the file of a [resumed](CrashTest::resumed) test or in a new one. The error is a
/// sentence about the judge, without its name; nothing was written then.
pub fn run_crash_test(
    mut test: CrashTest,
    cost_budget: &Arc<CostBudget>,
    (folder, continued): (&JudgementFolder, Option<JudgementFile>),
    stop: &StopFlag,
    on_event: &mut dyn FnMut(&JudgeEvent),
) -> Result<CrashTestEnd, String> {
    let client = Arc::new(JudgeClient::new(&test.job.settings, &test.job.key)?);
    let file = match continued {
        Some(file) => file,
        None => {
            test.document.created_at = timestamp_now();
            let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
            let name = format!("{}-{stamp}", test.document.judge.name);
            let bytes = test.document.to_bytes().map_err(|why| why.to_string())?;
            match folder.create(&name, &bytes) {
                Ok(file) => file,
                Err(why) => return Ok(ended(None, test, Some(JudgingHalt::Write(why)))),
            }
        }
    };
    let open = test.open_trials();
    let total = test.document.trials.iter().filter(|it| it.not_applicable.is_none()).count();
    let mut done = total - open.len();
    on_event(&JudgeEvent::Opened(OpenFile {
        path: file.path().to_owned(),
        turn: test.document.turn,
        repeat: 1,
        repeats: 1,
        done,
        total,
    }));
    let at_once = TREES_PER_WORKER * test.job.settings.concurrency.clamp(1, 64);
    for positions in open.chunks(at_once) {
        let context = test.job.worker_context(test.tasks_at(positions), &client, cost_budget);
        let mut enter = |component: String, judged: &JudgedItem| -> Result<_, JudgingHalt> {
            test.enter_answer(&file, &component, judged)?;
            done += 1;
            let fault = judged.fault.as_ref().map(ToString::to_string);
            let error = judged.error.clone().or(fault);
            let answer = judged.verdict().map(answer_of);
            Ok(JudgeEvent::Ended { component, answer, error, done, total })
        };
        let halted = collect_answers(&context, stop, &mut enter, on_event).err();
        context.halt.set();
        if halted.is_some() {
            return Ok(ended(Some(file), test, halted));
        }
    }
    Ok(ended(Some(file), test, None))
}

fn ended(
    file: Option<JudgementFile>,
    test: CrashTest,
    halted: Option<JudgingHalt>,
) -> CrashTestEnd {
    CrashTestEnd { path: file.map(|file| file.path().to_owned()), document: test.document, halted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::tests::snapshot_of;

    #[test]
    fn an_edited_tree_has_the_new_texts_and_leaves_the_other_tree_alone() {
        let path = |path| RepoPath::new(path).unwrap();
        let before = snapshot_of(&[("a.py", "one\n"), ("b.py", "two\n")]);

        let changed = [(path("a.py"), "other\n".to_owned()), (path("c.py"), "new\n".to_owned())];
        let edited = before.with_texts(&changed);

        assert_eq!(edited.text_of(&path("a.py")).unwrap(), "other\n");
        assert_eq!(edited.text_of(&path("b.py")).unwrap(), "two\n");
        assert_eq!(edited.text_of(&path("c.py")).unwrap(), "new\n");
        assert_eq!(before.text_of(&path("a.py")).unwrap(), "one\n");
        assert_eq!(before.tree().files.len(), 2);
        assert_ne!(tree_hash(&before), tree_hash(&edited));
        assert_eq!(tree_hash(&before), tree_hash(&before.with_texts(&[])));
    }
}
