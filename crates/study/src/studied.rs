//! A study as it stands: its runs with what was said of them, the sample, and how far each rater is.
//!
//! The same for the command line and for the screen. What a rater may know of it is theirs to keep to:
//! [`Design::may_see_all`].

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use trajview_metrics::process::Report;
use trajview_run::{
    Run, Warning,
    rubric::{Codebook, ItemKey, LabelOn, Labels, Rubric, Scale, Unit},
};

use super::{
    design::{Design, GOLD, Stratum},
    division,
    items::{self, AuditItem, Ground, Source},
    queue::{self, Candidate, Key},
    raters::{Item, Kind, LabelsOf, Panel, Rater, Score, Sight},
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
    /// What the judges of the study said of it, of every state.
    pub judged: Vec<Judging>,
}

/// What one judging of a run gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judging {
    /// Which of the judges of the study it is by; 0 where the study names none.
    pub judge: usize,
    pub source: Source,
    pub items: Vec<AuditItem>,
}

/// One thing to label.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyItem {
    /// Number in [`Studied::runs`].
    pub run: usize,
    /// With the verdict of the judging that is audited; others of the same state are served by the same label.
    pub item: AuditItem,
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

    /// Everything with a verdict that has a score, by run, judging and id.
    fn all_items(&mut self) -> Vec<StudyItem> {
        let mut items: Vec<StudyItem> = vec![];
        for (at, run) in self.runs.iter().enumerate() {
            let audited = run.audited();
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
            let all = audited.into_iter().flat_map(|judging| &judging.items).cloned();
            items.extend(all.map(|item| StudyItem { run: at, item }));
        }
        items.sort_by(|a, b| a.place().cmp(&b.place()));
        items
    }

    fn candidate<'a>(&'a self, item: &'a StudyItem) -> Candidate<'a> {
        let run = self.runs.get(item.run);
        let key = |stratum: &Stratum| match stratum {
            Stratum::Score => Key::Score(item.item.said.score.map_or(u8::MAX, level)),
            Stratum::Component => Key::Word(&item.item.id),
            Stratum::Condition => {
                Key::Word(run.and_then(|it| it.condition.as_deref()).unwrap_or_default())
            }
            Stratum::Run => Key::Word(run.map_or("", |it| &it.name)),
        };
        let stratum = self.design.sample.strata.iter().map(key).collect();
        Candidate { stratum, component: &item.item.id }
    }

    pub fn run_of(&self, item: &StudyItem) -> Option<&StudyRun> {
        self.runs.get(item.run)
    }

    /// Who gave the verdict that is audited by it; empty where nobody is named.
    pub fn judge_of(&self, item: &StudyItem) -> &str {
        let judged = self.run_of(item).map_or(&[][..], |run| &run.judged);
        let judging = judged.iter().find(|it| it.source.file == item.item.judgement);
        judging.map_or("", |it| &it.source.by)
    }

    /// What each judge of the study said of it, in the state that is labelled.
    pub fn verdicts(&self, item: &StudyItem) -> Vec<(&Source, &AuditItem)> {
        let judged = self.run_of(item).map_or(&[][..], |run| &run.judged);
        let of_state = judged.iter().filter(|it| {
            (&it.source.commit, it.source.turn) == (&item.item.commit, item.item.turn)
                || it.source.file == item.item.judgement
        });
        let of =
            |judging: &'_ &Judging| judging.items.iter().position(|it| it.key() == item.item.key());
        of_state.filter_map(|it| Some((&it.source, &it.items[of(&it)?]))).collect()
    }

    /// What this rater said of it last, a label that was taken back included.
    pub fn label<'a>(&'a self, item: &'a StudyItem, rater: &str) -> Option<LabelOn<'a>> {
        self.run_of(item)?.labels_of(rater)?.on(item.item.state(), item.item.key())
    }

    /// Whether this rater has labelled it.
    pub fn is_labelled(&self, item: &StudyItem, rater: &str) -> bool {
        self.label(item, rater).is_some_and(LabelOn::is_answered)
    }

    /// What this rater labels, by number in [`Self::items`], in their order.
    pub fn queue_of(&self, rater: &str) -> Vec<usize> {
        division::queue_of(&self.design, self.items.len(), rater)
    }

    /// Who labels in it: those it names, else whoever has labels of one of its runs, by name.
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

    /// The raters and judges of the study with their scores of what is in the sample, and what was settled. `of` is whose
    /// labels are in it; None for those of all, and the gold labels.
    pub fn panel(&self, of: Option<&str>) -> Panel {
        let raters = of.map_or_else(|| self.raters(), |name| vec![name.to_owned()]);
        let mut panel = Panel::default();
        for item in &self.items {
            for (source, said) in self.verdicts(item) {
                let kind = self.kind_of(item, source);
                panel.add(self.one(item, (&source.by, kind, None), said.said.score));
            }
            for rater in &raters {
                let Some(label) = self.label(item, rater) else { continue };
                let annotator = rater.clone();
                let labels = LabelsOf { annotator, sight: Sight::of(label.blind()) };
                panel.add(self.one(item, (rater, Kind::Human, Some(labels)), label.score()));
            }
            if of.is_none() {
                let settled = self.gold(item).and_then(|gold| gold.score);
                panel.add(self.one(item, (GOLD, Kind::Gold, None), settled));
            }
        }
        panel.raters.sort_by_key(|rater| rater.kind);
        panel.named_apart()
    }

    /// One score of one rater.
    fn one(
        &self,
        item: &StudyItem,
        (name, kind, labels): (&str, Kind, Option<LabelsOf>),
        score: Option<f64>,
    ) -> Panel {
        let Some(score) = score else { return Panel::default() };
        let run = self.run_of(item).map(|run| run.name.clone()).unwrap_or_default();
        let AuditItem { unit, id, criterion, commit, judgement, .. } = item.item.clone();
        let of = Item { run, unit, component: id, criterion, commit };
        let scale = Some(self.scale_of(item));
        let scores = vec![Score { item: of, score, scale, rubric: None, place: judgement }];
        let rater = Rater { name: name.to_owned(), model: None, kind, labels, scores };
        Panel { raters: vec![rater], problems: vec![] }
    }

    /// What a thing is labelled on.
    pub fn scale_of(&self, item: &StudyItem) -> Scale {
        let book = self.run_of(item).map(|run| run.codebook(&self.design));
        let criterion = book.and_then(|book| {
            let named = item.item.criterion.as_deref().and_then(|id| book.criterion(Some(id)));
            named.or_else(|| book.criterion(None))
        });
        criterion.map_or(item.item.unit.scale(), |it| it.scale)
    }

    /// Whether a judging is by hand.
    fn kind_of(&self, item: &StudyItem, source: &Source) -> Kind {
        let all = self.run_of(item).into_iter().flat_map(|run| &run.rubric.judgements);
        let is_by_hand =
            |file: &str| all.clone().any(|it| it.file == file && it.judge.kind == "human");
        if is_by_hand(&source.file) { Kind::Human } else { Kind::Judge }
    }
}

/// A score as the stratum of a draw; what is no level is one of its own.
fn level(score: f64) -> u8 {
    if score.fract() == 0.0 { score as u8 } else { 100 + (score * 100.0) as u8 }
}

impl StudyItem {
    /// How labels name it.
    pub fn key(&self) -> ItemKey<'_> {
        self.item.key()
    }

    /// Where it stands among all things: by run, judging and id.
    pub fn place(&self) -> (usize, &str, &str, Option<&str>) {
        (self.run, &self.item.judgement, &self.item.id, self.item.criterion.as_deref())
    }
}

impl StudyRun {
    /// What this rater said of it; None where there is no file of theirs.
    pub fn labels_of(&self, rater: &str) -> Option<&Labels> {
        self.rubric.labels.iter().find(|it| it.annotator == rater)
    }

    /// Works out what the judges of the study said of it. The run and the report of its process are needed where those
    /// are what its things are of.
    pub fn judge(&mut self, design: &Design, run: &Run, process: Option<&Report>) {
        let ground = Ground { run, rubric: &self.rubric, process, decisions: None };
        let book = self.codebook(design);
        let shown = self.rubric.shown_by(book).map(|it| it.file.clone());
        let all = items::sources(ground, design.unit);
        let speaks = match design.unit {
            Unit::Component => shown,
            _ => all.last().map(|it| it.file.clone()),
        };
        let names: Vec<Option<&str>> =
            design.judges.iter().map(|name| judge_called(&all, name)).collect();
        let judge = |it: &Source| match design.judges.as_slice() {
            [] => (Some(&it.file) == speaks.as_ref()).then_some(0),
            _ => names.iter().position(|name| *name == Some(&it.by)),
        };
        let judging = |source: &Source| {
            let mut items = items::of(ground, design.unit, &source.file);
            items.retain(|item| item.said.score.is_some());
            let (judge, source) = (judge(source)?, source.clone());
            Some(Judging { judge, source, items: items::by_criteria(items, book) })
        };
        let judged = all.iter().filter_map(judging).collect();
        self.judged = judged;
    }

    /// What raters go by: what the study says, else the run's own files of components, else the built-in words.
    pub fn codebook<'a>(&'a self, design: &'a Design) -> &'a Codebook {
        let own = self.rubric.codebook.as_deref().filter(|_| design.unit == Unit::Component);
        design.codebook.as_ref().or(own).unwrap_or_else(|| Codebook::built_in(design.unit))
    }

    /// The judgings whose verdicts are put before raters: of each state the first judge's of the study, so that nothing is
    /// labelled twice; of several by that judge the last.
    pub fn audited(&self) -> Vec<&Judging> {
        let mut audited: Vec<&Judging> = vec![];
        for judging in &self.judged {
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

/// Who is meant by a name: the judge of that name, else the only one whose name begins so.
fn judge_called<'a>(all: &'a [Source], name: &str) -> Option<&'a str> {
    if let Some(exact) = all.iter().find(|it| it.by == name) {
        return Some(&exact.by);
    }
    let mut begin = all.iter().map(|it| it.by.as_str()).filter(|by| by.starts_with(name));
    let first = begin.next()?;
    begin.all(|other| other == first).then_some(first)
}

impl Progress {
    /// Of several runs together.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let add = |sum: Self, it: Self| Self { done: sum.done + it.done, all: sum.all + it.all };
        all.into_iter().fold(Self::default(), add)
    }
}
