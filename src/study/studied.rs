//! A study as it stands: its runs with what was said of them, the sample, and how far each rater is.
//!
//! The same for the command line and for the screen. What a rater may know of it is theirs to keep to:
//! [`Design::may_see_all`].

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use crate::run::{
    Warning,
    rubric::{Component, ItemKey, Judgement, LabelOn, Labels, Rubric, Unit, Verdict},
};

use super::{
    design::{Design, Stratum},
    division,
    queue::{self, Candidate, Key},
    raters::{Files, Item, Panel, RunScores, panel_of},
};

/// A study with its runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Studied {
    pub design: Design,
    /// Its own name, else that of its file or folder.
    pub name: String,
    /// In the order of their names, which are distinct.
    pub runs: Vec<StudyRun>,
    /// The sample, in the order in which it was drawn.
    pub items: Vec<StudyItem>,
    /// How many things the sample was drawn from.
    pub candidates: usize,
    /// What of it could not be used; the rest counts.
    pub warnings: Vec<Warning>,
}

/// A run of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyRun {
    pub name: String,
    /// The bundle.
    pub path: PathBuf,
    /// Where its labels and its gold are kept: the bundle, or a folder of the study's.
    pub place: PathBuf,
    pub condition: Option<String>,
    pub rubric: Rubric,
}

/// One thing to label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StudyItem {
    /// Number in [`Studied::runs`].
    pub run: usize,
    /// [`Judgement::file`] of the audited judgement; others of the same state are served by the same label.
    pub judgement: String,
    pub component: String,
}

/// How far a rater is in a run, or in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub done: usize,
    pub all: usize,
}

impl Studied {
    /// Draws the sample.
    pub fn of(
        design: Design,
        name: String,
        mut runs: Vec<StudyRun>,
        warnings: Vec<Warning>,
    ) -> Self {
        runs.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        let mut studied = Self { design, name, runs, warnings, ..Self::default() };
        let all = studied.all_items();
        studied.candidates = all.len();
        let candidates: Vec<Candidate<'_>> =
            all.iter().map(|item| studied.candidate(item)).collect();
        let drawn = queue::draw(&candidates, &studied.design.sample);
        studied.items = drawn.into_iter().map(|at| all[at].clone()).collect();
        studied
    }

    /// Everything with a verdict that has a score, by run, judgement and id.
    fn all_items(&mut self) -> Vec<StudyItem> {
        let mut items = vec![];
        for (at, run) in self.runs.iter().enumerate() {
            let audited = run.audited(&self.design);
            if audited.is_empty() {
                let what = match self.design.judges.as_slice() {
                    [] => "has no judgement with a score; it is not in the sample".to_owned(),
                    judges => format!(
                        "was not judged by {}; it is not in the sample",
                        judges.join(" or ")
                    ),
                };
                self.warnings.push(Warning { place: run.name.clone(), what });
            }
            for judgement in audited {
                let scored = judgement.verdicts.iter().filter(|it| it.score.is_some());
                items.extend(scored.map(|verdict| StudyItem {
                    run: at,
                    judgement: judgement.file.clone(),
                    component: verdict.component.clone(),
                }));
            }
        }
        items.sort();
        items
    }

    fn candidate<'a>(&'a self, item: &'a StudyItem) -> Candidate<'a> {
        let run = self.runs.get(item.run);
        let key = |stratum: &Stratum| match stratum {
            Stratum::Score => {
                Key::Score(self.verdict(item).and_then(|it| it.score).unwrap_or_default())
            }
            Stratum::Component => Key::Word(&item.component),
            Stratum::Condition => {
                Key::Word(run.and_then(|it| it.condition.as_deref()).unwrap_or_default())
            }
            Stratum::Run => Key::Word(run.map_or("", |it| &it.name)),
        };
        let stratum = self.design.sample.strata.iter().map(key).collect();
        Candidate { stratum, component: &item.component }
    }

    pub fn run_of(&self, item: &StudyItem) -> Option<&StudyRun> {
        self.runs.get(item.run)
    }

    /// The judgement that is audited by it.
    pub fn judgement(&self, item: &StudyItem) -> Option<&Judgement> {
        let judgements = self.run_of(item)?.of_unit(self.design.unit);
        judgements.iter().find(|it| it.file == item.judgement)
    }

    /// The verdict that is audited by it.
    pub fn verdict(&self, item: &StudyItem) -> Option<&Verdict> {
        self.judgement(item)?.of(&item.component)
    }

    /// What each judge of the study said of it, in the state that is labelled.
    pub fn verdicts(&self, item: &StudyItem) -> Vec<(&Judgement, &Verdict)> {
        let (Some(run), Some(audited)) = (self.run_of(item), self.judgement(item)) else {
            return vec![];
        };
        let is_same_state =
            |it: &&Judgement| (&it.commit, it.turn) == (&audited.commit, audited.turn);
        let judged = run.judged(&self.design).into_iter().filter(is_same_state);
        judged.filter_map(|it| Some((it, it.of(&item.component)?))).collect()
    }

    /// None where no checklist has it.
    pub fn component(&self, item: &StudyItem) -> Option<&Component> {
        let checklist = self.run_of(item)?.rubric.checklist.as_ref()?;
        checklist.components.iter().find(|it| it.id == item.component)
    }

    /// What this rater said of it last, a label that was taken back included.
    pub fn label<'a>(&'a self, item: &'a StudyItem, rater: &str) -> Option<LabelOn<'a>> {
        let labels = self.run_of(item)?.labels_of(rater)?;
        labels.on(self.judgement(item)?, item.key(self.design.unit))
    }

    /// Whether this rater has labelled it.
    pub fn is_labelled(&self, item: &StudyItem, rater: &str) -> bool {
        self.label(item, rater).is_some_and(LabelOn::is_answered)
    }

    /// What this rater labels, by number in [`Self::items`], in their order.
    pub fn queue_of(&self, rater: &str) -> Vec<usize> {
        division::queue_of(&self.design, self.items.len(), rater)
    }

    /// Who labels in it: those it names, else whoever has labels of one of its things, by name.
    pub fn raters(&self) -> Vec<String> {
        if !self.design.raters.is_empty() {
            return self.design.raters.clone();
        }
        let labels = self.runs.iter().flat_map(|run| &run.rubric.labels);
        let names: BTreeSet<&str> = labels.map(|it| it.annotator.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Whether this person settles what raters differ on: whom the study names, else anybody who labels nothing in it.
    pub fn may_adjudicate(&self, name: &str) -> bool {
        match &self.design.adjudicator {
            Some(named) => named == name,
            None => !self.raters().iter().any(|rater| rater == name),
        }
    }

    /// How far a rater is, run by run; runs that none of their things is of are left out.
    pub fn progress(&self, rater: &str) -> BTreeMap<usize, Progress> {
        let mut by_run: BTreeMap<usize, Progress> = BTreeMap::new();
        for at in self.queue_of(rater) {
            let item = &self.items[at];
            let progress = by_run.entry(item.run).or_default();
            progress.all += 1;
            progress.done += usize::from(self.is_labelled(item, rater));
        }
        by_run
    }

    /// The raters and judges of the study with their scores of what is in the sample. `of` is whose labels are in it;
    /// None for those of all.
    pub fn panel(&self, of: Option<&str>) -> Panel {
        let mut wanted: BTreeSet<(&str, &str)> = BTreeSet::new();
        for item in &self.items {
            if let Some(run) = self.run_of(item) {
                wanted.insert((&run.name, &item.component));
            }
        }
        let mut panel = Panel::default();
        for run in &self.runs {
            let rubric = self.counting(run, of);
            let files = run.path.display().to_string();
            let scores = RunScores { run: &run.name, files: Files::In(&files), rubric: &rubric };
            panel.add(panel_of(scores));
        }
        for rater in &mut panel.raters {
            let is_wanted =
                |item: &Item| wanted.contains(&(item.run.as_str(), item.component.as_str()));
            rater.scores.retain(|score| is_wanted(&score.item));
        }
        panel.raters.retain(|rater| !rater.scores.is_empty());
        panel.named_apart()
    }

    /// Of what was said of a run, what counts in the study.
    fn counting(&self, run: &StudyRun, of: Option<&str>) -> Rubric {
        let raters = self.raters();
        let is_rater = |labels: &&Labels| match of {
            Some(name) => labels.annotator == name,
            None => raters.contains(&labels.annotator),
        };
        Rubric {
            judgements: run.judged(&self.design).into_iter().cloned().collect(),
            labels: run.rubric.labels.iter().filter(is_rater).cloned().collect(),
            gold: if of.is_none() { run.rubric.gold.clone() } else { vec![] },
            ..Rubric::default()
        }
    }
}

impl StudyItem {
    /// How labels name it.
    pub fn key(&self, unit: Unit) -> ItemKey<'_> {
        ItemKey { unit, id: &self.component, criterion: None }
    }
}

impl StudyRun {
    /// What this rater said of it; None where there is no file of theirs.
    pub fn labels_of(&self, rater: &str) -> Option<&Labels> {
        self.rubric.labels.iter().find(|it| it.annotator == rater)
    }

    /// The judgements whose verdicts are put before raters: of each state the first judge's of the study, so that nothing
    /// is labelled twice; the one that speaks for the run where the study names no judge.
    pub fn audited(&self, design: &Design) -> Vec<&Judgement> {
        if design.judges.is_empty() {
            let last = || self.of_unit(design.unit).iter().rfind(has_score);
            let is_of_components = design.unit == Unit::Component;
            let speaks = if is_of_components { self.rubric.shown() } else { last() };
            return speaks.into_iter().collect();
        }
        let mut audited: Vec<&Judgement> = vec![];
        for name in &design.judges {
            let of_judge = self.of_unit(design.unit).iter().filter(|it| it.judge.name == *name);
            for judgement in of_judge.filter(has_score) {
                let is_same_state =
                    |it: &&Judgement| (&it.commit, it.turn) == (&judgement.commit, judgement.turn);
                match audited.iter().position(|it| is_same_state(it)) {
                    // A later judging of the first judge takes the place of an earlier one.
                    Some(at) if audited[at].judge.name == *name => audited[at] = judgement,
                    Some(_) => {}
                    None => audited.push(judgement),
                }
            }
        }
        audited
    }

    /// All judgements of the judges of the study, of the states that are audited.
    pub fn judged(&self, design: &Design) -> Vec<&Judgement> {
        let audited = self.audited(design);
        let is_of_a_state = |it: &&Judgement| {
            audited.iter().any(|other| (&other.commit, other.turn) == (&it.commit, it.turn))
        };
        let is_named = |it: &&Judgement| {
            design.judges.is_empty() || design.judges.iter().any(|name| *name == it.judge.name)
        };
        self.of_unit(design.unit).iter().filter(is_named).filter(is_of_a_state).collect()
    }

    /// The judgements of things of this kind.
    pub fn of_unit(&self, unit: Unit) -> &[Judgement] {
        match unit {
            Unit::Component => &self.rubric.judgements,
            Unit::Decision => &self.rubric.decisions,
            Unit::Process => &self.rubric.process,
            Unit::Leaf | Unit::Flag | Unit::Signal => &[],
        }
    }
}

fn has_score(judgement: &&Judgement) -> bool {
    judgement.verdicts.iter().any(|it| it.score.is_some())
}

impl Progress {
    /// Of several runs together.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let add = |sum: Self, it: Self| Self { done: sum.done + it.done, all: sum.all + it.all };
        all.into_iter().fold(Self::default(), add)
    }
}
