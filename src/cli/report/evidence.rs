//! What judges and people said of the components, and in which turn the lines were written that a verdict rests on.

use std::{collections::HashMap, path::Path};

use crate::cli::{Failure, score::faithful};
use trajview_code::diff::LineKind;
use trajview_run::{
    RepoPath, Run,
    files::{Change, FileDiff, Moment},
    rubric::{Component, Evidence, Judgement, Label, Rubric, Unit, Verdict, written},
};
use trajview_store as store;
use trajview_store::{Archive, Opened};
use trajview_study::compare::done_at;

use super::material::{ComponentPart, EvidencePart, LabelPart, Target};

/// What was said of a run.
#[derive(Default)]
pub struct Judged {
    pub components: Vec<ComponentPart>,
    /// `authors-reading (human) at turn 56, judgements/human-final.json`
    pub by: Option<String>,
    pub has_labels: bool,
}

/// By the judgement that `score` takes.
pub fn judged(
    path: &Path,
    opened: &Opened,
    judge: Option<&str>,
    with_targets: bool,
) -> Result<Judged, Failure> {
    let mut rubric = store::rubric::read(path);
    let chosen = faithful::choose(&mut rubric, judge)?;
    let chosen = chosen.and_then(|at| rubric.judgements.get(at));
    let run = &*opened.run;
    let mut finder = Finder {
        run,
        archive: &opened.archive,
        done: chosen.map(|it| done_at(run, it)).unwrap_or_default(),
        is_wanted: with_targets,
        lines: HashMap::new(),
    };
    let listed = components(&rubric, chosen);
    let components =
        listed.iter().map(|component| part(component, &rubric, chosen, &mut finder)).collect();
    let by = chosen.map(|it| {
        let model = it.judge.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        let (name, kind, done) = (&it.judge.name, &it.judge.kind, done_at(run, it));
        format!("{name} ({kind}{model}) at turn {done}, {}", it.file)
    });
    let has_labels = rubric.labels.iter().any(|labels| !labels.labels.is_empty());
    Ok(Judged { components, by, has_labels })
}

/// Those of the checklist, then others that the judgement names.
fn components(rubric: &Rubric, chosen: Option<&Judgement>) -> Vec<Component> {
    let mut all: Vec<Component> =
        rubric.checklist.iter().flat_map(|checklist| checklist.components.clone()).collect();
    for verdict in chosen.iter().flat_map(|it| &it.verdicts) {
        if !all.iter().any(|it| it.id == verdict.component) {
            all.push(Component { id: verdict.component.clone(), ..Component::default() });
        }
    }
    all
}

fn part(
    component: &Component,
    rubric: &Rubric,
    chosen: Option<&Judgement>,
    finder: &mut Finder<'_>,
) -> ComponentPart {
    let verdict = chosen.and_then(|it| it.of(&component.id));
    let missing = match verdict {
        Some(it) if it.value().is_none() => it.error.clone().or_else(|| it.reason.clone()),
        _ => None,
    };
    let evidence = verdict.iter().flat_map(|it| &it.evidence);
    ComponentPart {
        component: component.id.clone(),
        name: component.name.clone(),
        intent: component.intent.clone(),
        committed: component.committed_at_turn,
        score: verdict.and_then(Verdict::value).map(written),
        level: verdict.and_then(|it| it.label.clone()),
        rationale: verdict.map(|it| it.rationale.clone()).unwrap_or_default(),
        missing,
        evidence: evidence.map(|it| finder.part(it)).collect(),
        labels: labels(&component.id, rubric),
    }
}

fn labels(component: &str, rubric: &Rubric) -> Vec<LabelPart> {
    let of_book = |book: &trajview_run::rubric::Labels| {
        let labels = book.labels.iter();
        let labels =
            labels.filter(|label| label.unit == Unit::Component && label.component == component);
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
            false => label.score.map(written),
        },
        blind: label.blind.map(|blind| if blind { "blind" } else { "not blind" }.to_owned()),
        reason: label.reason.clone(),
        note: label.note.clone(),
        at: label.at.clone(),
        on,
    }
}

/// Finds the diff that wrote a line.
struct Finder<'a> {
    run: &'a Run,
    archive: &'a Archive,
    /// Turns done in the state that was judged.
    done: usize,
    is_wanted: bool,
    /// By path: for each line the turn that wrote it, and its text.
    lines: HashMap<String, Vec<(Option<usize>, String)>>,
}

impl Finder<'_> {
    fn part(&mut self, evidence: &Evidence) -> EvidencePart {
        let place = match evidence.lines {
            Some((first, last)) if first == last => format!("{}:{first}", evidence.path),
            Some((first, last)) => format!("{}:{first}-{last}", evidence.path),
            None => evidence.path.clone(),
        };
        let target = if self.is_wanted { self.target(evidence) } else { None };
        EvidencePart { place, target }
    }

    /// The line where it was written; else the last diff of the file.
    fn target(&mut self, evidence: &Evidence) -> Option<Target> {
        let path = RepoPath::new(&evidence.path)?;
        let (first, last) = evidence.lines.unwrap_or((1, 1));
        let lines = self.lines_of(&path);
        let lines = lines.get(first.checked_sub(1)?..last.min(lines.len())).unwrap_or_default();
        let written = lines.iter().filter(|(_, text)| !text.trim().is_empty());
        let written: Vec<(usize, String)> =
            written.filter_map(|(turn, text)| Some(((*turn)?, text.clone()))).collect();
        let line = evidence
            .lines
            .and_then(|_| written.iter().find_map(|(turn, text)| self.in_diff(*turn, &path, text)));
        line.or_else(|| self.last_diff(&path))
    }

    fn lines_of(&mut self, path: &RepoPath) -> &[(Option<usize>, String)] {
        let key = path.to_string();
        if !self.lines.contains_key(&key) {
            let read = self.read(path).unwrap_or_default();
            self.lines.insert(key.clone(), read);
        }
        self.lines.get(&key).map_or(&[], Vec::as_slice)
    }

    fn read(&self, path: &RepoPath) -> Option<Vec<(Option<usize>, String)>> {
        let (run, archive) = (self.run, self.archive);
        let moment = Moment::after(self.done);
        let blamed = archive.blame(run, path, moment).ok()?;
        let tree = archive.timeline(run).ok()?.tree_at(run, moment);
        let content = archive.content(run, *tree.files.get(path)?).ok()?;
        let text = String::from_utf8_lossy(&content).into_owned();
        Some(blamed.iter().map(|it| it.turn).zip(text.lines().map(str::to_owned)).collect())
    }

    /// The added line of this text in a turn's diffs, that of the file itself first: it may have been renamed since.
    fn in_diff(&self, turn: usize, path: &RepoPath, text: &str) -> Option<Target> {
        let timeline = self.archive.timeline(self.run).ok()?;
        let changes = &timeline.turns.get(turn)?.changes;
        let mut at: Vec<usize> = (0..changes.len()).collect();
        at.sort_by_key(|at| changes[*at].path != *path);
        at.into_iter().find_map(|at| {
            let line = self.added(&changes[at], text)?;
            Some(Target { turn: turn + 1, file: at + 1, line: Some(line) })
        })
    }

    fn added(&self, change: &Change, text: &str) -> Option<usize> {
        let diff: FileDiff = self.archive.diff(self.run, change, 0);
        let lines = diff.text()?.hunks.iter().flat_map(|hunk| &hunk.lines);
        let mut added = lines.filter(|line| line.kind == LineKind::Added);
        added.find(|line| line.text == text)?.new
    }

    fn last_diff(&self, path: &RepoPath) -> Option<Target> {
        let timeline = self.archive.timeline(self.run).ok()?;
        let turns = timeline.turns.iter().take(self.done).enumerate().rev();
        turns.into_iter().find_map(|(turn, files)| {
            let at = files.changes.iter().position(|change| change.path == *path)?;
            Some(Target { turn: turn + 1, file: at + 1, line: None })
        })
    }
}
