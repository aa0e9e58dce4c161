//! The strict reading for `trajview check`: every mistake in `components.json`, `exposure.json`, `judgements/*.json` and
//! `labels/*.json`, each with its file, its line and its field.
//!
//! [`super::read`] takes what it can use and goes on; this says all that somebody would want to mend: names of fields that
//! nobody reads, values of a wrong type, components, turns and commits that do not exist, evidence that is no place in
//! the code, words that contradict a score. What a document may hold stands in `shapes`.

mod node;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use crate::Source;
use trajview_run::{
    Warning,
    rubric::{CANNOT_TELL, COMPONENTS, Levels, REASONS, Scale, Unit},
};

use super::Part;
use node::Node;
use shapes::Mistakes;

/// What a document can be held against; the store knows it.
pub trait Ground {
    /// Turns of the run.
    fn turns(&self) -> usize;
    /// The turns that ended at the commit, which may be shortened; None where the recording names no commits.
    fn turns_at(&self, commit: &str) -> Option<Vec<usize>>;
    /// Lines of a file after so many turns; the error says that there is no such file. None where the recording cannot
    /// tell.
    fn lines_of(&self, path: &str, done: usize) -> Option<Result<usize, String>>;
}

/// The document that a file of that schema is; None where it is none of those that are read here.
pub fn document_of(schema: &str) -> Option<&'static str> {
    Some(match schema {
        "trajview.components/1" => "components.json",
        "trajview.exposure/1" => "exposure.json",
        "trajview.judgement/1" => "judgements/one.json",
        "trajview.labels/1" => "labels/one.json",
        _ => return None,
    })
}

/// No run: every turn, commit and file may be.
pub struct Nowhere;

impl Ground for Nowhere {
    fn turns(&self) -> usize {
        usize::MAX
    }

    fn turns_at(&self, _commit: &str) -> Option<Vec<usize>> {
        None
    }

    fn lines_of(&self, _path: &str, _done: usize) -> Option<Result<usize, String>> {
        None
    }
}

/// Mistakes that are said of one file.
const MOST_TOLD: usize = 200;

/// Every mistake in the files, in the order of their names.
pub fn read(files: &[Source<'_>], ground: &dyn Ground) -> Vec<Warning> {
    let mut files: Vec<_> =
        files.iter().filter_map(|file| Some((file, Part::of(file.name)?))).collect();
    files.sort_by_key(|(file, _)| file.name);
    let mut all = vec![];
    let mut known = Known { ground, components: None, judged: BTreeMap::new() };
    for (file, part) in files {
        let mut mistakes = Mistakes::of(file);
        if let Some(document) = Node::document(file, &mut mistakes) {
            match part {
                Part::Components => known.components(&document, &mut mistakes),
                Part::Exposure => known.exposure(&document, &mut mistakes),
                Part::Judgement => known.judgement(file.name, &document, &mut mistakes),
                Part::Gold => known.gold(&document, &mut mistakes),
                Part::Labels => known.labels(&document, &mut mistakes),
            }
        }
        all.extend(mistakes.finish(MOST_TOLD));
    }
    all
}

/// What the files read so far say, and the run. Files are read in the order of their names: `components.json` is the first,
/// and judgements come before labels.
struct Known<'a> {
    ground: &'a dyn Ground,
    /// None without a checklist.
    components: Option<BTreeSet<String>>,
    /// Scores by judgement and component.
    judged: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Known<'_> {
    fn components(&mut self, document: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        shapes::hold(document, shapes::COMPONENTS, mistakes);
        let entries = document.field("components").map(|list| list.elements()).unwrap_or_default();
        let mut ids = BTreeSet::new();
        for entry in &entries {
            no_double(entry, "id", &mut ids, mistakes);
            self.turn_exists(entry, "committed_at_turn", mistakes);
        }
        for entry in &entries {
            let to = entry.field("connects_to").map(|list| list.elements()).unwrap_or_default();
            for id in to.iter().filter(|id| id.text().is_some_and(|it| !ids.contains(&it))) {
                mistakes.at(id, format!("no component {}", id.shown()));
            }
        }
        self.components = Some(ids);
    }

    fn exposure(&self, document: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        shapes::hold(document, shapes::EXPOSURE, mistakes);
        let mut ids = BTreeSet::new();
        for entry in document.field("components").map(|list| list.elements()).unwrap_or_default() {
            no_double(&entry, "id", &mut ids, mistakes);
            self.component_exists(&entry, "id", mistakes);
            let mut before = 0;
            for level in entry.field("by_turn").map(|list| list.elements()).unwrap_or_default() {
                self.turn_exists(&level, "turn", mistakes);
                let Some(turn) = level.field("turn").and_then(|it| it.count()) else { continue };
                if turn <= before {
                    let what = format!(
                        "turn {turn} stands behind turn {before}; expected turns that rise"
                    );
                    mistakes.at(&level, what);
                }
                before = turn;
            }
        }
    }

    fn judgement(&mut self, file: &str, document: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        let list = |name: &str| document.field(name).map(|it| it.elements()).unwrap_or_default();
        let is_flags = document.field("rubric").and_then(|it| it.text()).as_deref()
            == Some(trajview_run::flags::RUBRIC)
            || document.field("flags").is_some() && list("scores").is_empty();
        let shape = if is_flags { shapes::FLAGGING } else { shapes::JUDGEMENT };
        shapes::hold(document, shape, mistakes);
        let done = self.state(document, mistakes);
        for flag in list("flags") {
            self.place_exists(&flag, done, mistakes);
        }
        let levels = Levels::of(document.field("rubric").and_then(|it| it.text()).as_deref());
        let by = scales(document, mistakes);
        let (mut ids, mut scores) = (BTreeSet::new(), BTreeMap::new());
        for entry in list("scores") {
            no_double(&entry, "component", &mut ids, mistakes);
            if *levels == COMPONENTS {
                self.component_exists(&entry, "component", mistakes);
            }
            match by.is_empty() {
                true => score_and_label(&entry, levels, mistakes),
                false => scores_by_criteria(&entry, &by, mistakes),
            }
            for place in entry.field("evidence").map(|it| it.elements()).unwrap_or_default() {
                self.place_exists(&place, done, mistakes);
            }
            let id = entry.field("component").and_then(|it| it.text());
            let score = entry.field("score").and_then(|it| it.count());
            scores.extend(id.zip(score));
        }
        self.judged.insert(file.to_owned(), scores);
    }

    fn labels(&self, document: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        shapes::hold(document, shapes::LABELS, mistakes);
        let list = |name: &str| document.field(name).map(|it| it.elements()).unwrap_or_default();
        for entry in list("labels").into_iter().chain(list("proposals")) {
            let text = |name: &str| entry.field(name).and_then(|it| it.text());
            let unit = text("unit").and_then(|word| Unit::by_word(&word)).unwrap_or_default();
            score_on_scale(&entry, unit, mistakes);
            self.state(&entry, mistakes);
            match unit {
                Unit::Component => {
                    self.component_exists(&entry, "component", mistakes);
                    self.judgement_exists(&entry, mistakes);
                    self.reason(&entry, mistakes);
                }
                Unit::Flag | Unit::Decision | Unit::Process => {
                    self.judgement_exists(&entry, mistakes);
                }
                // What is checked there is no file of judgements/.
                Unit::Leaf | Unit::Signal => {}
            }
        }
    }

    fn gold(&self, document: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        shapes::hold(document, shapes::GOLD, mistakes);
        for entry in document.field("gold").map(|it| it.elements()).unwrap_or_default() {
            let unit = entry.field("unit").and_then(|it| it.text());
            let unit = unit.and_then(|word| Unit::by_word(&word)).unwrap_or_default();
            score_on_scale(&entry, unit, mistakes);
            self.state(&entry, mistakes);
            if unit == Unit::Component {
                self.component_exists(&entry, "component", mistakes);
            }
        }
    }

    /// Holds `turn` and `commit` against the run; gives the state that they name in turns done.
    fn state(&self, node: &Node<'_>, mistakes: &mut Mistakes<'_>) -> Option<usize> {
        self.turn_exists(node, "turn", mistakes);
        let turn = node.field("turn").and_then(|it| it.count()).map(|it| it as usize);
        let turn = turn.filter(|turn| (1..=self.ground.turns()).contains(turn));
        let Some(field) = node.field("commit") else { return turn };
        let Some(commit) = field.text().filter(|it| !it.trim().is_empty()) else { return turn };
        let Some(at) = self.ground.turns_at(&commit) else { return turn };
        match (turn, at.as_slice()) {
            (_, []) => mistakes.at(&field, format!("no turn of run.json ended at commit {commit}")),
            (Some(turn), at) if !at.contains(&turn) => {
                let what = format!("is the commit of turn {}, and turn is {turn}", at[0]);
                mistakes.at(&field, what);
            }
            _ => {}
        }
        turn.or(at.last().copied())
    }

    fn turn_exists(&self, node: &Node<'_>, name: &str, mistakes: &mut Mistakes<'_>) {
        let turns = self.ground.turns();
        let Some(field) = node.field(name) else { return };
        if let Some(turn) = field.count().filter(|turn| *turn > turns as u64) {
            mistakes.at(&field, format!("no turn {turn}; the run has {turns}"));
        }
    }

    fn judgement_exists(&self, node: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        let Some(field) = node.field("judgement") else { return };
        if let Some(file) = field.text().filter(|file| !self.judged.contains_key(file)) {
            mistakes.at(&field, format!("no judgement {file:?} beside the run"));
        }
    }

    fn component_exists(&self, node: &Node<'_>, name: &str, mistakes: &mut Mistakes<'_>) {
        let Some(known) = &self.components else { return };
        let Some(field) = node.field(name) else { return };
        if let Some(id) = field.text().filter(|id| !known.contains(id)) {
            mistakes.at(&field, format!("no component {id:?} in components.json"));
        }
    }

    /// `path` with `start` and `end`, lines of the file in the state that was judged.
    fn place_exists(&self, node: &Node<'_>, done: Option<usize>, mistakes: &mut Mistakes<'_>) {
        let count = |name: &str| node.field(name).and_then(|it| it.count());
        let (start, end) = (count("start"), count("end"));
        if let Some((start, end)) = start.zip(end).filter(|(start, end)| start > end) {
            mistakes.at(node, format!("starts at line {start} and ends at line {end}, before it"));
        }
        let Some((field, path)) = node.field("path").and_then(|it| Some((it.clone(), it.text()?)))
        else {
            return;
        };
        let done = done.unwrap_or_else(|| self.ground.turns());
        match self.ground.lines_of(&path, done) {
            Some(Err(why)) => mistakes.at(&field, format!("{path:?}: {why} after turn {done}")),
            Some(Ok(lines)) => {
                let last = start.into_iter().chain(end).max().filter(|last| *last > lines as u64);
                if let Some(last) = last {
                    let what = format!("no line {last}: {path} has {lines} after turn {done}");
                    mistakes.at(node, what);
                }
            }
            None => {}
        }
    }

    /// A reason says how a label and the verdict it is of differ.
    fn reason(&self, entry: &Node<'_>, mistakes: &mut Mistakes<'_>) {
        let Some(field) = entry.field("reason") else { return };
        let Some(reason) = field.text() else { return };
        if !REASONS.contains(&reason.as_str()) {
            return mistakes.at(&field, format!("{reason:?} is none of {}", REASONS.join(", ")));
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
            mistakes.at(&field, what);
        }
    }
}

/// A label is on the scale that it names, else on that of its unit.
fn score_on_scale(entry: &Node<'_>, unit: Unit, mistakes: &mut Mistakes<'_>) {
    let mut scale = unit.scale();
    if let Some(field) = entry.field("scale") {
        match field.text().map(|words| Scale::read(&words)) {
            Some(Ok(named)) => scale = named,
            Some(Err(why)) => return mistakes.at(&field, why),
            None => {}
        }
    }
    let Some(field) = entry.field("score").filter(|it| !it.is_null()) else { return };
    if !field.value().as_f64().is_some_and(|score| scale.holds(score)) {
        mistakes.at(&field, format!("expected {}, found {}", scale.expected(), field.shown()));
    }
    let cannot_tell = entry.field("cannot_tell").map(|it| it.value());
    if cannot_tell.and_then(|it| it.as_bool()) == Some(true) {
        mistakes.at(entry, "has a score, and says that the rater cannot tell".into());
    }
}

/// The criteria and scales that a judgement says it scored by; empty where it has the rubric's own.
fn scales(document: &Node<'_>, mistakes: &mut Mistakes<'_>) -> Vec<(Option<String>, Scale)> {
    let listed = document.field("judge").and_then(|judge| judge.field("criteria"));
    let mut found = vec![];
    for entry in listed.map(|it| it.elements()).unwrap_or_default() {
        let id = entry.field("id").and_then(|it| it.text());
        let Some(field) = entry.field("scale") else { continue };
        match field.text().map(|words| Scale::read(&words)) {
            Some(Ok(scale)) => found.push((id, scale)),
            Some(Err(why)) => mistakes.at(&field, why),
            None => {}
        }
    }
    found
}

/// A verdict has a score on the scale of each criterion, or says why not.
fn scores_by_criteria(
    entry: &Node<'_>,
    by: &[(Option<String>, Scale)],
    mistakes: &mut Mistakes<'_>,
) {
    if entry.field("error").is_some_and(|it| !it.is_null()) {
        return;
    }
    let given = entry.field("criteria").map(|it| it.elements()).unwrap_or_default();
    for (id, scale) in by {
        let is_it = |it: &&Node<'_>| it.field("id").and_then(|id| id.text()) == *id;
        let score = given.iter().find(is_it).and_then(|it| it.field("score"));
        match score {
            None => {
                let of = id.as_deref().map(|id| format!(" for {id}")).unwrap_or_default();
                mistakes.at(entry, format!("has no score{of}, and no error that says why"));
            }
            Some(field) if field.value().as_f64().is_some_and(|score| scale.holds(score)) => {}
            Some(field) => {
                let what = format!("expected {}, found {}", scale.expected(), field.shown());
                mistakes.at(&field, what);
            }
        }
    }
}

fn no_double(
    entry: &Node<'_>,
    name: &str,
    seen: &mut BTreeSet<String>,
    mistakes: &mut Mistakes<'_>,
) {
    let Some(field) = entry.field(name) else { return };
    let Some(id) = field.text() else { return };
    if !seen.insert(id) {
        mistakes.at(&field, format!("{} is there already; the first one counts", field.shown()));
    }
}

/// A verdict has a score or says why not, and its label is the name of the score.
fn score_and_label(entry: &Node<'_>, levels: &Levels, mistakes: &mut Mistakes<'_>) {
    let is_said = |name: &str| entry.field(name).is_some_and(|it| !it.is_null());
    let text = entry.field("label").and_then(|label| label.text());
    let is_open = levels.in_words && text.as_deref() == Some(CANNOT_TELL);
    if !is_said("score") && !is_said("error") && !is_said("reason") && !is_open {
        mistakes.at(entry, "has no score, and no error or reason that says why".into());
    }
    let score = entry.field("score").and_then(|it| it.count());
    if let Some((field, score)) = entry.field("score").zip(score)
        && (levels.full() + 1..=COMPONENTS.full()).any(|level| u64::from(level) == score)
    {
        let what = format!("{score} is not one of 0 to {} of {}", levels.full(), levels.rubric);
        mistakes.at(&field, what);
    }
    let (Some(field), Some(label)) = (entry.field("label"), text) else { return };
    let level = levels.names.iter().position(|level| *level == label);
    match (level, score) {
        (None, None) if is_open => {}
        (None, _) => {
            mistakes.at(&field, format!("{label:?} is none of {}", levels.names.join(", ")));
        }
        (Some(level), Some(score)) if level as u64 != score => {
            mistakes.at(&field, format!("{label} is level {level}, and the score is {score}"));
        }
        (Some(_), None) if !is_said("score") => {
            mistakes.at(&field, format!("{label} stands where there is no score"));
        }
        _ => {}
    }
}
