//! A loaded study: its runs with their verdicts and labels, the sample, and the progress of each rater.
//!
//! The command line and the screen both use it. It does not restrict what a rater may see;
//! [`StudyDesign::may_see_all`] tells who may see everything.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use trajview_metrics::process::ProcessReport;
use trajview_run::{
    Run, Warning,
    rubric::{Codebook, ItemKey, JudgementLabel, LabelFile, LabelUnit, Rubric, ScoreScale},
};

use super::{
    audit_items::{self, AuditInputs, AuditItem, JudgingSource},
    design::{GOLD, StratumKind, StudyDesign},
    division,
    queue::{self, DrawCandidate, StratumKey},
    raters::{Blindness, LabelSource, Rater, RaterKind, RaterPanel, RaterScore, ScoredItem},
};

/// A study with its runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedStudy {
    pub design: StudyDesign,
    /// Its own name, else that of its file or folder.
    pub name: String,
    /// The runs in the order of their names, which are distinct.
    pub runs: Vec<StudyRun>,
    /// The sample, in the order in which it was drawn.
    pub items: Vec<StudyItem>,
    /// The number of things that the sample was drawn from.
    pub candidates: usize,
    /// The parts of the study that could not be used; the rest counts.
    pub warnings: Vec<Warning>,
}

/// A run of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyRun {
    pub name: String,
    /// The bundle.
    pub path: PathBuf,
    /// The folder of its labels and gold: the bundle, or a folder of the study.
    pub labels_folder: PathBuf,
    pub condition: Option<String>,
    pub rubric: Rubric,
    /// The verdicts of the study's judges, of every state.
    pub judgings: Vec<StudyJudging>,
}

/// The items of one judging of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyJudging {
    /// The index of its judge among those of the study; 0 where the study names none.
    pub judge: usize,
    pub source: JudgingSource,
    pub items: Vec<AuditItem>,
}

/// A thing to label.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyItem {
    /// Number in [`LoadedStudy::runs`].
    pub run: usize,
    /// The item with the verdict of the audited judging; its label serves the other judgings of the same state too.
    pub item: AuditItem,
}

/// The progress of a rater in a run, or in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RaterProgress {
    pub done: usize,
    pub all: usize,
}

impl LoadedStudy {
    /// Draws the sample.
    pub fn new(
        design: StudyDesign,
        name: String,
        mut runs: Vec<StudyRun>,
        warnings: Vec<Warning>,
    ) -> Self {
        runs.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        let mut studied = Self { design, name, runs, warnings, ..Self::default() };
        studied.warn_of_unjudged_runs();
        let all = studied.candidate_items();
        studied.candidates = all.len();
        let candidates: Vec<DrawCandidate<'_>> =
            all.iter().map(|item| studied.draw_candidate(item)).collect();
        let drawn = queue::draw_sample(&candidates, &studied.design.sample);
        studied.items = drawn.into_iter().map(|at| all[at].clone()).collect();
        studied
    }

    /// Adds a warning for each run that no judge of the study judged.
    fn warn_of_unjudged_runs(&mut self) {
        let what = match self.design.judges.as_slice() {
            [] => "has no judgement with a score; it is not in the sample".to_owned(),
            judges => {
                format!("was not judged by {}; it is not in the sample", judges.join(" or "))
            }
        };
        for run in self.runs.iter().filter(|run| run.audited_judgings().is_empty()) {
            self.warnings.push(Warning { place: run.name.clone(), what: what.clone() });
        }
    }

    /// Returns everything with a scored verdict, of which the sample is drawn, by run, judging and id.
    pub(crate) fn candidate_items(&self) -> Vec<StudyItem> {
        let mut items: Vec<StudyItem> = vec![];
        for (at, run) in self.runs.iter().enumerate() {
            let all = run.audited_judgings().into_iter().flat_map(|judging| &judging.items);
            items.extend(all.map(|item| StudyItem { run: at, item: item.clone() }));
        }
        items.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        items
    }

    /// Returns the stratum and the component of an item.
    pub(crate) fn draw_candidate<'a>(&'a self, item: &'a StudyItem) -> DrawCandidate<'a> {
        let run = self.runs.get(item.run);
        let key = |stratum: &StratumKind| match stratum {
            StratumKind::Score => {
                StratumKey::Score(item.item.verdict.score.map_or(u8::MAX, score_stratum))
            }
            StratumKind::Component => StratumKey::Word(&item.item.id),
            StratumKind::Condition => {
                StratumKey::Word(run.and_then(|it| it.condition.as_deref()).unwrap_or_default())
            }
            StratumKind::Run => StratumKey::Word(run.map_or("", |it| &it.name)),
        };
        let stratum = self.design.sample.strata.iter().map(key).collect();
        DrawCandidate { stratum, component: &item.item.id }
    }

    pub fn run_of(&self, item: &StudyItem) -> Option<&StudyRun> {
        self.runs.get(item.run)
    }

    /// Returns the judge of the audited verdict; empty where nobody is named.
    pub fn judge_of(&self, item: &StudyItem) -> &str {
        let judged = self.run_of(item).map_or(&[][..], |run| &run.judgings);
        let judging = judged.iter().find(|it| it.source.file == item.item.judgement);
        judging.map_or("", |it| &it.source.by)
    }

    /// Returns each verdict of the study's judges on the item, in the state that is labelled.
    pub fn judge_verdicts(&self, item: &StudyItem) -> Vec<(&JudgingSource, &AuditItem)> {
        let judged = self.run_of(item).map_or(&[][..], |run| &run.judgings);
        let of_state = judged.iter().filter(|it| {
            (&it.source.commit, it.source.turn) == (&item.item.commit, item.item.turn)
                || it.source.file == item.item.judgement
        });
        let position_in = |judging: &'_ &StudyJudging| {
            judging.items.iter().position(|it| it.item_key() == item.item.item_key())
        };
        of_state.filter_map(|it| Some((&it.source, &it.items[position_in(&it)?]))).collect()
    }

    /// Returns this rater's latest label of the item, even a withdrawn one.
    pub fn label_by<'a>(&'a self, item: &'a StudyItem, rater: &str) -> Option<JudgementLabel<'a>> {
        self.run_of(item)?
            .labels_of(rater)?
            .label_for(item.item.judged_state(), item.item.item_key())
    }

    /// Returns whether this rater has labelled the item.
    pub fn is_labelled(&self, item: &StudyItem, rater: &str) -> bool {
        self.label_by(item, rater).is_some_and(JudgementLabel::is_answered)
    }

    /// Returns the items that this rater labels, by number in [`Self::items`], in their order.
    pub fn queue_of(&self, rater: &str) -> Vec<usize> {
        division::queue_of(&self.design, self.items.len(), rater)
    }

    /// Returns the raters: those that the study names, else all who have labels in its runs, by name.
    pub fn rater_names(&self) -> Vec<String> {
        if !self.design.raters.is_empty() {
            return self.design.raters.clone();
        }
        let labels = self.runs.iter().flat_map(|run| &run.rubric.labels);
        let names: BTreeSet<&str> = labels.map(|it| it.annotator.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Returns whether this person settles disagreements: the one that the study names, else anybody who labels
    /// nothing in it.
    pub fn may_adjudicate(&self, name: &str) -> bool {
        match &self.design.adjudicator {
            Some(named) => named == name,
            None => !self.rater_names().iter().any(|rater| rater == name),
        }
    }

    /// Returns a rater's progress run by run; runs without an item of theirs are left out.
    pub fn rater_progress(&self, rater: &str) -> BTreeMap<usize, RaterProgress> {
        let mut by_run: BTreeMap<usize, RaterProgress> = BTreeMap::new();
        for at in self.queue_of(rater) {
            let item = &self.items[at];
            let progress = by_run.entry(item.run).or_default();
            progress.all += 1;
            progress.done += usize::from(self.is_labelled(item, rater));
        }
        by_run
    }

    /// Returns the raters and judges of the study with their scores of what is in the sample, and what was settled.
    /// With `only_rater` the labels are this rater's alone; without it all raters' labels and the gold labels.
    pub fn rater_panel(&self, only_rater: Option<&str>) -> RaterPanel {
        let raters = only_rater.map_or_else(|| self.rater_names(), |name| vec![name.to_owned()]);
        let mut panel = RaterPanel::default();
        for item in &self.items {
            for (source, said) in self.judge_verdicts(item) {
                let kind = self.rater_kind(item, source);
                panel.add(self.single_score(item, (&source.by, kind, None), said.verdict.score));
            }
            for rater in &raters {
                let Some(label) = self.label_by(item, rater) else { continue };
                let annotator = rater.clone();
                let labels =
                    LabelSource { annotator, blindness: Blindness::from_flag(label.is_blind()) };
                panel.add(self.single_score(
                    item,
                    (rater, RaterKind::Human, Some(labels)),
                    label.score(),
                ));
            }
            if only_rater.is_none() {
                let settled = self.latest_gold(item).and_then(|gold| gold.score);
                panel.add(self.single_score(item, (GOLD, RaterKind::Gold, None), settled));
            }
        }
        panel.raters.sort_by_key(|rater| rater.kind);
        panel.with_distinct_names()
    }

    /// Returns a panel with one score of one rater.
    fn single_score(
        &self,
        item: &StudyItem,
        (name, kind, labels): (&str, RaterKind, Option<LabelSource>),
        score: Option<f64>,
    ) -> RaterPanel {
        let Some(score) = score else { return RaterPanel::default() };
        let run = self.run_of(item).map(|run| run.name.clone()).unwrap_or_default();
        let AuditItem { unit, id, criterion, commit, judgement, .. } = item.item.clone();
        let scored_item = ScoredItem { run, unit, component: id, criterion, commit };
        let scale = Some(self.scale_of(item));
        let scores = vec![RaterScore {
            item: scored_item,
            score,
            scale,
            rubric: None,
            place: judgement,
            confidence: None,
        }];
        let rater = Rater { name: name.to_owned(), model: None, kind, labels, scores };
        RaterPanel { raters: vec![rater], problems: vec![] }
    }

    /// Returns the scale on which an item is labelled.
    pub fn scale_of(&self, item: &StudyItem) -> ScoreScale {
        let book = self.run_of(item).map(|run| run.codebook_for(&self.design));
        let criterion = book.and_then(|book| {
            let named =
                item.item.criterion.as_deref().and_then(|id| book.criterion_by_id(Some(id)));
            named.or_else(|| book.criterion_by_id(None))
        });
        criterion.map_or(item.item.unit.default_scale(), |it| it.scale)
    }

    /// Returns whether a judging was made by a human or a judge.
    fn rater_kind(&self, item: &StudyItem, source: &JudgingSource) -> RaterKind {
        let all = self.run_of(item).into_iter().flat_map(|run| &run.rubric.judgements);
        let is_by_hand =
            |file: &str| all.clone().any(|it| it.file == file && it.judge.kind == "human");
        if is_by_hand(&source.file) { RaterKind::Human } else { RaterKind::Judge }
    }
}

/// Returns the stratum of a score in a draw; what is no level is one of its own.
fn score_stratum(score: f64) -> u8 {
    if score.fract() == 0.0 { score as u8 } else { 100 + (score * 100.0) as u8 }
}

impl StudyItem {
    /// Returns the key under which labels name the item.
    pub fn item_key(&self) -> ItemKey<'_> {
        self.item.item_key()
    }

    /// Returns the sort key among all items: by run, judging and id.
    pub fn sort_key(&self) -> (usize, &str, &str, Option<&str>) {
        (self.run, &self.item.judgement, &self.item.id, self.item.criterion.as_deref())
    }
}

impl StudyRun {
    /// Returns the labels of this rater; None where the rater has no file.
    pub fn labels_of(&self, rater: &str) -> Option<&LabelFile> {
        self.rubric.labels.iter().find(|it| it.annotator == rater)
    }

    /// Collects the verdicts of the study's judges on this run. The run and its process report are needed for units
    /// that are parts of them.
    pub fn collect_verdicts(
        &mut self,
        design: &StudyDesign,
        run: &Run,
        process: Option<&ProcessReport>,
    ) {
        let ground = AuditInputs { run, rubric: &self.rubric, process, decisions: None };
        let book = self.codebook_for(design);
        let shown = self.rubric.judgement_to_show_by(book).map(|it| it.file.clone());
        let all = audit_items::audit_sources(ground, design.unit);
        let speaks = match design.unit {
            LabelUnit::Component => shown,
            _ => all.last().map(|it| it.file.clone()),
        };
        let names: Vec<Option<&str>> =
            design.judges.iter().map(|name| match_judge_name(&all, name)).collect();
        let judge = |it: &JudgingSource| match design.judges.as_slice() {
            [] => (Some(&it.file) == speaks.as_ref()).then_some(0),
            _ => names.iter().position(|name| *name == Some(&it.by)),
        };
        let judging = |source: &JudgingSource| {
            let mut items = audit_items::audit_items(ground, design.unit, &source.file);
            items.retain(|item| item.verdict.score.is_some());
            let (judge, source) = (judge(source)?, source.clone());
            Some(StudyJudging { judge, source, items: audit_items::split_by_criteria(items, book) })
        };
        let judged = all.iter().filter_map(judging).collect();
        self.judgings = judged;
    }

    /// Returns the raters' codebook: the study's, else the run's own file of components, else the built-in words.
    pub fn codebook_for<'a>(&'a self, design: &'a StudyDesign) -> &'a Codebook {
        let recorded =
            self.rubric.codebook.as_deref().filter(|_| design.unit == LabelUnit::Component);
        design.codebook.as_ref().or(recorded).unwrap_or_else(|| Codebook::built_in(design.unit))
    }

    /// Returns the judgings whose verdicts are put before raters: of each state the first judge's of the study, so that
    /// nothing is labelled twice; of several by that judge the last.
    pub(crate) fn audited_judgings(&self) -> Vec<&StudyJudging> {
        let mut audited: Vec<&StudyJudging> = vec![];
        for judging in &self.judgings {
            let state = (&judging.source.commit, judging.source.turn);
            match audited.iter().position(|it| (&it.source.commit, it.source.turn) == state) {
                Some(at) if judging.judge <= audited[at].judge => audited[at] = judging,
                Some(_) => {}
                None => audited.push(judging),
            }
        }
        audited
    }
}

/// Returns the judge that a name means: the one of exactly that name, else the only one whose name begins with it.
fn match_judge_name<'a>(all: &'a [JudgingSource], name: &str) -> Option<&'a str> {
    if let Some(exact) = all.iter().find(|it| it.by == name) {
        return Some(&exact.by);
    }
    let mut begin = all.iter().map(|it| it.by.as_str()).filter(|by| by.starts_with(name));
    let first = begin.next()?;
    begin.all(|other| other == first).then_some(first)
}

impl RaterProgress {
    /// Adds up several runs.
    pub fn sum_of(all: impl IntoIterator<Item = Self>) -> Self {
        let add = |sum: Self, it: Self| Self { done: sum.done + it.done, all: sum.all + it.all };
        all.into_iter().fold(Self::default(), add)
    }
}
