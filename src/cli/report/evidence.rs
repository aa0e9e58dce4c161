//! Verdicts and labels of the components, and the turn in which the lines of the evidence were written.

use std::{collections::HashMap, path::Path};

use crate::cli::{CommandFailure, score::faithfulness};
use trajview_code::diff::LineKind;
use trajview_run::{
    RepoPath, Run,
    files::{FileChange, FileDiff, RunMoment},
    model_vendor::{shared_vendor, shared_vendor_text},
    rubric::{Component, Evidence, Judgement, Label, LabelUnit, Rubric, Verdict, score_text},
};
use trajview_store as store;
use trajview_store::{Archive, OpenedRecording};
use trajview_study::compare::turns_done_at_judgement;

use super::report_data::{ComponentPart, DiffTarget, EvidencePart, LabelPart};

/// The judged components of a run.
#[derive(Default)]
pub struct JudgedComponents {
    pub components: Vec<ComponentPart>,
    /// `authors-reading (human) at turn 56, judgements/human-final.json`
    pub judgement_text: Option<String>,
    pub has_labels: bool,
}

/// Reads the verdicts of the judgement that `score` takes, and all labels.
pub(crate) fn judged_components(
    path: &Path,
    opened: &OpenedRecording,
    judge: Option<&str>,
    with_targets: bool,
) -> Result<JudgedComponents, CommandFailure> {
    let mut rubric = store::rubric::read_beside(path);
    let chosen = faithfulness::choose_judgement(&mut rubric, judge)?;
    let chosen = chosen.and_then(|at| rubric.judgements.get(at));
    let run = &*opened.run;
    let mut finder = EvidenceFinder {
        run,
        archive: &opened.archive,
        done: chosen.map(|it| turns_done_at_judgement(run, it)).unwrap_or_default(),
        is_wanted: with_targets,
        lines: HashMap::new(),
    };
    let listed = listed_components(&rubric, chosen);
    let components = listed
        .iter()
        .map(|component| component_part(component, &rubric, chosen, &mut finder))
        .collect();
    let by = chosen.map(|it| {
        let model = it.judge.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        let (name, kind, done) = (&it.judge.name, &it.judge.kind, turns_done_at_judgement(run, it));
        let vendor = shared_vendor(&it.judge, run).map(shared_vendor_text);
        let vendor = vendor.map(|text| format!("; {text}")).unwrap_or_default();
        format!("{name} ({kind}{model}) at turn {done}, {}{vendor}", it.file)
    });
    let has_labels = rubric.labels.iter().any(|labels| !labels.labels.is_empty());
    Ok(JudgedComponents { components, judgement_text: by, has_labels })
}

/// Lists the components of the checklist, then others that the judgement names.
fn listed_components(rubric: &Rubric, chosen: Option<&Judgement>) -> Vec<Component> {
    let mut all: Vec<Component> =
        rubric.checklist.iter().flat_map(|checklist| checklist.components.clone()).collect();
    for verdict in chosen.iter().flat_map(|it| &it.verdicts) {
        if !all.iter().any(|it| it.id == verdict.component) {
            all.push(Component { id: verdict.component.clone(), ..Component::default() });
        }
    }
    all
}

fn component_part(
    component: &Component,
    rubric: &Rubric,
    chosen: Option<&Judgement>,
    finder: &mut EvidenceFinder<'_>,
) -> ComponentPart {
    let verdict = chosen.and_then(|it| it.verdict_on(&component.id));
    let missing = match verdict {
        Some(it) if it.score_value().is_none() => it.error.clone().or_else(|| it.reason.clone()),
        _ => None,
    };
    let evidence = verdict.iter().flat_map(|it| &it.evidence);
    ComponentPart {
        component: component.id.clone(),
        name: component.name.clone(),
        intent: component.intent.clone(),
        committed: component.committed_at_turn,
        score: verdict.and_then(Verdict::score_value).map(score_text),
        level: verdict.and_then(level_text),
        rationale: verdict.map(|it| it.rationale.clone()).unwrap_or_default(),
        missing,
        evidence: evidence.map(|it| finder.evidence_part(it)).collect(),
        labels: label_parts(&component.id, rubric),
    }
}

/// Returns the name of a level, with the reason to doubt it.
fn level_text(verdict: &Verdict) -> Option<String> {
    let label = verdict.label.clone()?;
    Some(match verdict.doubt() {
        Some(doubt) => format!("{label} ({})", doubt.word()),
        None => label,
    })
}

fn label_parts(component: &str, rubric: &Rubric) -> Vec<LabelPart> {
    let of_book = |book: &trajview_run::rubric::LabelFile| {
        let labels = book.labels.iter();
        let labels = labels
            .filter(|label| label.unit == LabelUnit::Component && label.component == component);
        labels.map(|label| label_part(&book.annotator, label)).collect::<Vec<_>>()
    };
    rubric.labels.iter().flat_map(of_book).collect()
}

fn label_part(annotator: &str, label: &Label) -> LabelPart {
    let turn = label.turn.map(|turn| format!("turn {turn}"));
    let on = label.judgement.clone().into_iter().chain(turn).collect::<Vec<_>>().join(", ");
    LabelPart {
        annotator: annotator.to_owned(),
        score: match label.cannot_tell {
            true => Some("cannot tell".to_owned()),
            false => label.score.map(score_text),
        },
        blind: label.blind.map(|blind| if blind { "blind" } else { "not blind" }.to_owned()),
        reason: label.reason.clone(),
        note: label.note.clone(),
        at: label.at.clone(),
        on,
    }
}

/// Finds the diff that wrote a line.
struct EvidenceFinder<'a> {
    run: &'a Run,
    archive: &'a Archive,
    /// Turns done in the state that was judged.
    done: usize,
    is_wanted: bool,
    /// By path: for each line the turn that wrote it, and its text.
    lines: HashMap<String, Vec<(Option<usize>, String)>>,
}

impl EvidenceFinder<'_> {
    /// Returns the place of evidence, and the diff that shows it where diffs are in the report.
    fn evidence_part(&mut self, evidence: &Evidence) -> EvidencePart {
        let place = match evidence.shown_lines() {
            Some((first, last)) if first == last => format!("{}:{first}", evidence.path),
            Some((first, last)) => format!("{}:{first}-{last}", evidence.path),
            None => evidence.path.clone(),
        };
        let target = if self.is_wanted { self.find_target(evidence) } else { None };
        EvidencePart { place, target }
    }

    /// Returns the diff of the turn that wrote a line of the evidence; else the last diff of the file.
    fn find_target(&mut self, evidence: &Evidence) -> Option<DiffTarget> {
        let path = RepoPath::new(&evidence.path)?;
        let (first, last) = evidence.shown_lines().unwrap_or((1, 1));
        let lines = self.lines_of_file(&path);
        let lines = lines.get(first.checked_sub(1)?..last.min(lines.len())).unwrap_or_default();
        let written = lines.iter().filter(|(_, text)| !text.trim().is_empty());
        let written: Vec<(usize, String)> =
            written.filter_map(|(turn, text)| Some(((*turn)?, text.clone()))).collect();
        let line = evidence.shown_lines().and_then(|_| {
            written.iter().find_map(|(turn, text)| self.find_in_diffs(*turn, &path, text))
        });
        line.or_else(|| self.last_diff(&path))
    }

    /// Returns the lines of a file as judged, each with the turn that wrote it, and keeps them.
    fn lines_of_file(&mut self, path: &RepoPath) -> &[(Option<usize>, String)] {
        let key = path.to_string();
        if !self.lines.contains_key(&key) {
            let read = self.read_lines(path).unwrap_or_default();
            self.lines.insert(key.clone(), read);
        }
        self.lines.get(&key).map_or(&[], Vec::as_slice)
    }

    fn read_lines(&self, path: &RepoPath) -> Option<Vec<(Option<usize>, String)>> {
        let (run, archive) = (self.run, self.archive);
        let moment = RunMoment::after_turns(self.done);
        let blamed = archive.blame_lines(run, path, moment).ok()?;
        let tree = archive.timeline(run).ok()?.tree_at(run, moment);
        let content = archive.file_content(run, *tree.files.get(path)?).ok()?;
        let text = String::from_utf8_lossy(&content).into_owned();
        Some(blamed.iter().map(|it| it.turn).zip(text.lines().map(str::to_owned)).collect())
    }

    /// Returns the added line of this text in a turn's diffs, that of the file itself first: it may have been renamed
    /// since.
    fn find_in_diffs(&self, turn: usize, path: &RepoPath, text: &str) -> Option<DiffTarget> {
        let timeline = self.archive.timeline(self.run).ok()?;
        let changes = &timeline.turns.get(turn)?.changes;
        let mut at: Vec<usize> = (0..changes.len()).collect();
        at.sort_by_key(|at| changes[*at].path != *path);
        at.into_iter().find_map(|at| {
            let line = self.find_added_line(&changes[at], text)?;
            Some(DiffTarget { turn: turn + 1, file: at + 1, line: Some(line) })
        })
    }

    fn find_added_line(&self, change: &FileChange, text: &str) -> Option<usize> {
        let diff: FileDiff = self.archive.file_diff(self.run, change, 0);
        let lines = diff.text_diff()?.hunks.iter().flat_map(|hunk| &hunk.lines);
        let mut added = lines.filter(|line| line.kind == LineKind::Added);
        added.find(|line| line.text == text)?.new
    }

    fn last_diff(&self, path: &RepoPath) -> Option<DiffTarget> {
        let timeline = self.archive.timeline(self.run).ok()?;
        let turns = timeline.turns.iter().take(self.done).enumerate().rev();
        turns.into_iter().find_map(|(turn, files)| {
            let at = files.changes.iter().position(|change| change.path == *path)?;
            Some(DiffTarget { turn: turn + 1, file: at + 1, line: None })
        })
    }
}
