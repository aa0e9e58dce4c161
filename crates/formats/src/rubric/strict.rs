//! The strict reading for `trajview check`: every mistake in `components.json`, `exposure.json`, `judgements/*.json` and
//! `labels/*.json`, each with its file, its line and its field.
//!
//! [`super::read_rubric`] takes what it can use and continues; this reports everything that somebody would want to
//! correct: names of fields that nobody reads, values of a wrong type, components, turns and commits that do not exist,
//! evidence that is no place in the code, words that contradict a score. The fields of each document are in `shapes`.

mod node;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use crate::SourceBytes;
use trajview_run::{
    Warning,
    rubric::{CANNOT_TELL, COMPONENT_LEVELS, LabelUnit, REASONS, RubricLevels, ScoreScale},
};

use super::RubricFile;
use node::StrictNode;
use shapes::FileMistakes;

/// The run that a document is checked against; the store implements it.
pub trait CheckContext {
    /// Returns the number of turns of the run.
    fn turn_count(&self) -> usize;
    /// Returns the turns that ended at the commit, which may be shortened; None where the recording names no commits.
    fn turns_at_commit(&self, commit: &str) -> Option<Vec<usize>>;
    /// Returns the number of lines of a file after so many turns; the error is that there is no such file. None where the
    /// recording does not show it.
    fn line_count(&self, path: &str, done: usize) -> Option<Result<usize, String>>;
}

/// Returns the document that a file of that schema is; None for a schema that is not read here.
pub fn document_for_schema(schema: &str) -> Option<&'static str> {
    Some(match schema {
        "trajview.components/1" => "components.json",
        "trajview.exposure/1" => "exposure.json",
        "trajview.judgement/1" => "judgements/one.json",
        "trajview.labels/1" => "labels/one.json",
        _ => return None,
    })
}

/// A check without a run: every turn, commit and file may exist.
pub struct WithoutRun;

impl CheckContext for WithoutRun {
    fn turn_count(&self) -> usize {
        usize::MAX
    }

    fn turns_at_commit(&self, _commit: &str) -> Option<Vec<usize>> {
        None
    }

    fn line_count(&self, _path: &str, _done: usize) -> Option<Result<usize, String>> {
        None
    }
}

/// The largest number of mistakes that are listed for one file.
const MAX_MISTAKES: usize = 200;

/// Returns every mistake in the files, in the order of their names.
pub fn check_files(files: &[SourceBytes<'_>], context: &dyn CheckContext) -> Vec<Warning> {
    let mut files: Vec<_> =
        files.iter().filter_map(|file| Some((file, RubricFile::from_name(file.name)?))).collect();
    files.sort_by_key(|(file, _)| file.name);
    let mut all = vec![];
    let mut known = StrictChecker { context, components: None, judged: BTreeMap::new() };
    for (file, part) in files {
        let mut mistakes = FileMistakes::for_file(file);
        if let Some(tape) = node::parse_json_object(file, &mut mistakes) {
            let document = StrictNode::document(&tape);
            match part {
                RubricFile::Components => known.check_components(&document, &mut mistakes),
                RubricFile::Exposure => known.check_exposure(&document, &mut mistakes),
                RubricFile::Judgement => known.check_judgement(file.name, &document, &mut mistakes),
                RubricFile::Gold => known.check_gold(&document, &mut mistakes),
                RubricFile::Labels => known.check_labels(&document, &mut mistakes),
            }
        }
        all.extend(mistakes.into_warnings(MAX_MISTAKES));
    }
    all
}

/// The checker, with the content of the files read so far and the run. Files are read in the order of their names:
/// `components.json` is the first, and judgements come before labels.
struct StrictChecker<'a> {
    context: &'a dyn CheckContext,
    /// None without a checklist.
    components: Option<BTreeSet<String>>,
    /// Scores by judgement and component.
    judged: BTreeMap<String, BTreeMap<String, u64>>,
}

impl StrictChecker<'_> {
    fn check_components(&mut self, document: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        shapes::check_object(document, shapes::COMPONENTS, mistakes);
        let entries = document.field("components").map(|list| list.elements()).unwrap_or_default();
        let mut ids = BTreeSet::new();
        for entry in &entries {
            check_no_double(entry, "id", &mut ids, mistakes);
            self.check_turn(entry, "committed_at_turn", mistakes);
        }
        for entry in &entries {
            let to = entry.field("connects_to").map(|list| list.elements()).unwrap_or_default();
            for id in to.iter().filter(|id| id.text().is_some_and(|it| !ids.contains(&it))) {
                mistakes.add_at_node(id, format!("no component {}", id.shortened_text()));
            }
        }
        self.components = Some(ids);
    }

    fn check_exposure(&self, document: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        shapes::check_object(document, shapes::EXPOSURE, mistakes);
        let mut ids = BTreeSet::new();
        for entry in document.field("components").map(|list| list.elements()).unwrap_or_default() {
            check_no_double(&entry, "id", &mut ids, mistakes);
            self.check_component_exists(&entry, "id", mistakes);
            let mut before = 0;
            for level in entry.field("by_turn").map(|list| list.elements()).unwrap_or_default() {
                self.check_turn(&level, "turn", mistakes);
                let Some(turn) = level.field("turn").and_then(|it| it.count()) else { continue };
                if turn <= before {
                    let what =
                        format!("turn {turn} comes after turn {before}; expected increasing turns");
                    mistakes.add_at_node(&level, what);
                }
                before = turn;
            }
        }
    }

    fn check_judgement(
        &mut self,
        file: &str,
        document: &StrictNode<'_>,
        mistakes: &mut FileMistakes<'_>,
    ) {
        let list = |name: &str| document.field(name).map(|it| it.elements()).unwrap_or_default();
        let is_flags = document.field("rubric").and_then(|it| it.text()).as_deref()
            == Some(trajview_run::flags::RUBRIC)
            || document.field("flags").is_some() && list("scores").is_empty();
        let shape = if is_flags { shapes::FLAGGING } else { shapes::JUDGEMENT };
        shapes::check_object(document, shape, mistakes);
        let done = self.check_state(document, mistakes);
        for flag in list("flags") {
            self.check_place(&flag, done, mistakes);
        }
        let levels =
            RubricLevels::by_rubric(document.field("rubric").and_then(|it| it.text()).as_deref());
        let by = scales_of_judgement(document, mistakes);
        let (mut ids, mut scores) = (BTreeSet::new(), BTreeMap::new());
        for entry in list("scores") {
            check_no_double(&entry, "component", &mut ids, mistakes);
            if *levels == COMPONENT_LEVELS {
                self.check_component_exists(&entry, "component", mistakes);
            }
            match by.is_empty() {
                true => check_score_and_label(&entry, levels, mistakes),
                false => check_scores_by_criteria(&entry, &by, mistakes),
            }
            for place in entry.field("evidence").map(|it| it.elements()).unwrap_or_default() {
                self.check_place(&place, done, mistakes);
            }
            let id = entry.field("component").and_then(|it| it.text());
            let score = entry.field("score").and_then(|it| it.count());
            scores.extend(id.zip(score));
        }
        self.judged.insert(file.to_owned(), scores);
    }

    fn check_labels(&self, document: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        shapes::check_object(document, shapes::LABELS, mistakes);
        let list = |name: &str| document.field(name).map(|it| it.elements()).unwrap_or_default();
        for entry in list("labels").into_iter().chain(list("proposals")) {
            let text = |name: &str| entry.field(name).and_then(|it| it.text());
            let unit = text("unit").and_then(|word| LabelUnit::by_word(&word)).unwrap_or_default();
            check_score_on_scale(&entry, unit, mistakes);
            self.check_state(&entry, mistakes);
            match unit {
                LabelUnit::Component => {
                    self.check_component_exists(&entry, "component", mistakes);
                    self.check_judgement_exists(&entry, mistakes);
                    self.check_reason(&entry, mistakes);
                }
                LabelUnit::Flag | LabelUnit::Decision | LabelUnit::Process => {
                    self.check_judgement_exists(&entry, mistakes);
                }
                // What is checked there is no file of judgements/.
                LabelUnit::Leaf | LabelUnit::Signal => {}
            }
        }
    }

    fn check_gold(&self, document: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        shapes::check_object(document, shapes::GOLD, mistakes);
        for entry in document.field("gold").map(|it| it.elements()).unwrap_or_default() {
            let unit = entry.field("unit").and_then(|it| it.text());
            let unit = unit.and_then(|word| LabelUnit::by_word(&word)).unwrap_or_default();
            check_score_on_scale(&entry, unit, mistakes);
            self.check_state(&entry, mistakes);
            if unit == LabelUnit::Component {
                self.check_component_exists(&entry, "component", mistakes);
            }
        }
    }

    /// Checks `turn` and `commit` against the run; returns the state that they name, in turns done.
    fn check_state(&self, node: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) -> Option<usize> {
        self.check_turn(node, "turn", mistakes);
        let turn = node.field("turn").and_then(|it| it.count()).map(|it| it as usize);
        let turn = turn.filter(|turn| (1..=self.context.turn_count()).contains(turn));
        let Some(field) = node.field("commit") else { return turn };
        let Some(commit) = field.text().filter(|it| !it.trim().is_empty()) else { return turn };
        let Some(at) = self.context.turns_at_commit(&commit) else { return turn };
        match (turn, at.as_slice()) {
            (_, []) => mistakes
                .add_at_node(&field, format!("no turn of run.json ended at commit {commit}")),
            (Some(turn), at) if !at.contains(&turn) => {
                let what = format!("is the commit of turn {}, and turn is {turn}", at[0]);
                mistakes.add_at_node(&field, what);
            }
            _ => {}
        }
        turn.or(at.last().copied())
    }

    fn check_turn(&self, node: &StrictNode<'_>, name: &str, mistakes: &mut FileMistakes<'_>) {
        let turns = self.context.turn_count();
        let Some(field) = node.field(name) else { return };
        if let Some(turn) = field.count().filter(|turn| *turn > turns as u64) {
            mistakes.add_at_node(&field, format!("no turn {turn}; the run has {turns}"));
        }
    }

    fn check_judgement_exists(&self, node: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        let Some(field) = node.field("judgement") else { return };
        if let Some(file) = field.text().filter(|file| !self.judged.contains_key(file)) {
            mistakes.add_at_node(&field, format!("no judgement {file:?} beside the run"));
        }
    }

    fn check_component_exists(
        &self,
        node: &StrictNode<'_>,
        name: &str,
        mistakes: &mut FileMistakes<'_>,
    ) {
        let Some(known) = &self.components else { return };
        let Some(field) = node.field(name) else { return };
        if let Some(id) = field.text().filter(|id| !known.contains(id)) {
            mistakes.add_at_node(&field, format!("no component {id:?} in components.json"));
        }
    }

    /// Checks `path` with `start` and `end`, lines of the file in the state that was judged.
    fn check_place(
        &self,
        node: &StrictNode<'_>,
        done: Option<usize>,
        mistakes: &mut FileMistakes<'_>,
    ) {
        let count = |name: &str| node.field(name).and_then(|it| it.count());
        let (start, end) = (count("start"), count("end"));
        if let Some((start, end)) = start.zip(end).filter(|(start, end)| start > end) {
            mistakes.add_at_node(
                node,
                format!("starts at line {start} and ends at line {end}, before it"),
            );
        }
        let Some((field, path)) = node.field("path").and_then(|it| Some((it.clone(), it.text()?)))
        else {
            return;
        };
        let done = done.unwrap_or_else(|| self.context.turn_count());
        match self.context.line_count(&path, done) {
            Some(Err(why)) => {
                mistakes.add_at_node(&field, format!("{path:?}: {why} after turn {done}"))
            }
            Some(Ok(lines)) => {
                let last = start.into_iter().chain(end).max().filter(|last| *last > lines as u64);
                if let Some(last) = last {
                    let what = format!("no line {last}: {path} has {lines} after turn {done}");
                    mistakes.add_at_node(node, what);
                }
            }
            None => {}
        }
    }

    /// Checks a reason, which describes how a label and its verdict differ.
    fn check_reason(&self, entry: &StrictNode<'_>, mistakes: &mut FileMistakes<'_>) {
        let Some(field) = entry.field("reason") else { return };
        let Some(reason) = field.text() else { return };
        if !REASONS.contains(&reason.as_str()) {
            return mistakes
                .add_at_node(&field, format!("{reason:?} is none of {}", REASONS.join(", ")));
        }
        let text = |name: &str| entry.field(name).and_then(|it| it.text());
        let verdicts = text("judgement").and_then(|file| self.judged.get(&file));
        let verdict = verdicts.zip(text("component")).and_then(|(all, id)| all.get(&id).copied());
        let score = entry.field("score").and_then(|it| it.count());
        let Some((score, verdict)) = score.zip(verdict) else { return };
        let is_so = match reason.as_str() {
            "agree" => score == verdict,
            "false-absence" => score > verdict,
            "false-presence" => score < verdict,
            _ => true,
        };
        if !is_so {
            let what = format!("{reason} contradicts the scores: label {score}, verdict {verdict}");
            mistakes.add_at_node(&field, what);
        }
    }
}

/// Checks that a label is on the scale that it names, else on that of its unit.
fn check_score_on_scale(entry: &StrictNode<'_>, unit: LabelUnit, mistakes: &mut FileMistakes<'_>) {
    let mut scale = unit.default_scale();
    if let Some(field) = entry.field("scale") {
        match field.text().map(|words| ScoreScale::parse(&words)) {
            Some(Ok(named)) => scale = named,
            Some(Err(why)) => return mistakes.add_at_node(&field, why),
            None => {}
        }
    }
    let Some(field) = entry.field("score").filter(|it| !it.is_null()) else { return };
    if !field.value().as_f64().is_some_and(|score| scale.contains_score(score)) {
        mistakes.add_at_node(
            &field,
            format!("expected {}, found {}", scale.expected_text(), field.shortened_text()),
        );
    }
    let cannot_tell = entry.field("cannot_tell").map(|it| it.value());
    if cannot_tell.and_then(|it| it.as_bool()) == Some(true) {
        mistakes.add_at_node(entry, "has a score and is marked as cannot tell".into());
    }
}

/// Returns the criteria and scales of a judgement; empty where it uses the rubric's own. Adds a mistake for each scale
/// that cannot be read.
fn scales_of_judgement(
    document: &StrictNode<'_>,
    mistakes: &mut FileMistakes<'_>,
) -> Vec<(Option<String>, ScoreScale)> {
    let listed = document.field("judge").and_then(|judge| judge.field("criteria"));
    let mut found = vec![];
    for entry in listed.map(|it| it.elements()).unwrap_or_default() {
        let id = entry.field("id").and_then(|it| it.text());
        let Some(field) = entry.field("scale") else { continue };
        match field.text().map(|words| ScoreScale::parse(&words)) {
            Some(Ok(scale)) => found.push((id, scale)),
            Some(Err(why)) => mistakes.add_at_node(&field, why),
            None => {}
        }
    }
    found
}

/// Checks that a verdict has a score on the scale of each criterion, or a reason why not.
fn check_scores_by_criteria(
    entry: &StrictNode<'_>,
    by: &[(Option<String>, ScoreScale)],
    mistakes: &mut FileMistakes<'_>,
) {
    if entry.field("error").is_some_and(|it| !it.is_null()) {
        return;
    }
    let given = entry.field("criteria").map(|it| it.elements()).unwrap_or_default();
    for (id, scale) in by {
        let is_it = |it: &&StrictNode<'_>| it.field("id").and_then(|id| id.text()) == *id;
        let score = given.iter().find(is_it).and_then(|it| it.field("score"));
        match score {
            None => {
                let of = id.as_deref().map(|id| format!(" for {id}")).unwrap_or_default();
                mistakes
                    .add_at_node(entry, format!("has no score{of} and no error with the reason"));
            }
            Some(field)
                if field.value().as_f64().is_some_and(|score| scale.contains_score(score)) => {}
            Some(field) => {
                let what =
                    format!("expected {}, found {}", scale.expected_text(), field.shortened_text());
                mistakes.add_at_node(&field, what);
            }
        }
    }
}

fn check_no_double(
    entry: &StrictNode<'_>,
    name: &str,
    seen: &mut BTreeSet<String>,
    mistakes: &mut FileMistakes<'_>,
) {
    let Some(field) = entry.field(name) else { return };
    let Some(id) = field.text() else { return };
    if !seen.insert(id) {
        mistakes.add_at_node(
            &field,
            format!("{} is there already; the first one counts", field.shortened_text()),
        );
    }
}

/// Checks that a verdict has a score or a reason why not, and that its label is the name of the score.
fn check_score_and_label(
    entry: &StrictNode<'_>,
    levels: &RubricLevels,
    mistakes: &mut FileMistakes<'_>,
) {
    let is_said = |name: &str| entry.field(name).is_some_and(|it| !it.is_null());
    let text = entry.field("label").and_then(|label| label.text());
    let is_open = levels.in_words && text.as_deref() == Some(CANNOT_TELL);
    if !is_said("score") && !is_said("error") && !is_said("reason") && !is_open {
        mistakes.add_at_node(entry, "has no score and no error or reason".into());
    }
    let score = entry.field("score").and_then(|it| it.count());
    if let Some((field, score)) = entry.field("score").zip(score)
        && (levels.highest_score() + 1..=COMPONENT_LEVELS.highest_score())
            .any(|level| u64::from(level) == score)
    {
        let what =
            format!("{score} is not one of 0 to {} of {}", levels.highest_score(), levels.rubric);
        mistakes.add_at_node(&field, what);
    }
    let (Some(field), Some(label)) = (entry.field("label"), text) else { return };
    let level = levels.names.iter().position(|level| *level == label);
    match (level, score) {
        (None, None) if is_open => {}
        (None, _) => {
            mistakes
                .add_at_node(&field, format!("{label:?} is none of {}", levels.names.join(", ")));
        }
        (Some(level), Some(score)) if level as u64 != score => {
            mistakes
                .add_at_node(&field, format!("{label} is level {level}, and the score is {score}"));
        }
        (Some(_), None) if !is_said("score") => {
            mistakes.add_at_node(&field, format!("has the label {label} but no score"));
        }
        _ => {}
    }
}
