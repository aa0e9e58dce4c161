//! What a comparison asks the world for: the runs and their verdicts first, then the numbers of their code, then what
//! is on screen - the lines of the chosen component, the file that is open. One question of each kind is out.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use super::{
    Comparison, Part,
    areas::Areas,
    chart::Axis,
    code::{CodeKey, Shown, Text},
};
use crate::{
    app::{
        Effect,
        ask::{Desk, Loading, Numbers, Request},
        colours::{Sides, Texts},
        curves::RulerName,
    },
    metrics::quality::Snapshot,
    run::files::{Change, FileDiff},
    study::compare::{Party, Trees, done_at, moments_of, turns_of},
};

/// A question. Runs are named by their paths: whoever answers may have forgotten them.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Open these runs and read what they are judged by.
    Open(Vec<PathBuf>),
    /// The numbers of a run's code at these moments, in turns done.
    Measure(PathBuf, Vec<usize>),
    /// The files that two runs ended with.
    Trees([PathBuf; 2]),
    /// One of them, line by line.
    Between([PathBuf; 2], Box<Change>),
    /// A file of a run as it stood after so many turns.
    File(PathBuf, String, usize),
    Colours(Texts),
}

/// What came of it. Errors are sentences.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Opened(Vec<Party>),
    Measured(RulerName, Vec<Measured>),
    /// So many of so many contents are read; the numbers follow.
    Measuring(usize, usize),
    Trees(Trees),
    Between(FileDiff),
    File(Arc<str>),
    Colours(Sides),
    Failed(String),
}

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// In turns done.
    pub done: usize,
    /// None where no file could be measured.
    pub code: Option<Snapshot>,
    /// None where nothing is exported, or nothing could be read.
    pub dir: Option<f64>,
}

/// The questions that are out.
#[derive(Debug, Default)]
pub(super) struct Desks {
    measure: Desk<usize>,
    between: Desk<String>,
    file: Desk<CodeKey>,
    colours: Desk<Painted>,
}

/// What colours are of.
#[derive(Debug, Clone, PartialEq)]
enum Painted {
    Code(CodeKey),
    /// The file that is compared, by its row's path.
    File(String),
}

/// Moments measured at once: few enough that the curves are seen to grow.
const AT_ONCE: usize = 24;

/// Lines of unchanged text around each change of a file.
pub const CONTEXT: usize = 3;

/// Bytes of a text beyond which it is not coloured.
const TOO_LONG: usize = 2 << 20;

impl Desks {
    pub(super) fn stop_measuring(&mut self) {
        self.measure = Desk::default();
    }
}

impl Comparison {
    /// What is missing.
    pub(in crate::app) fn ask(&mut self, numbers: &mut Numbers, areas: &Areas) -> Vec<Effect> {
        let mut effects = vec![];
        if self.parties == Loading::Nothing {
            let request = numbers.fresh();
            self.parties = Loading::Waiting(request);
            return vec![Effect::Compare(request, Ask::Open(self.paths.clone()))];
        }
        if self.parties.ready().is_none() {
            return effects;
        }
        effects.extend(self.ask_file(numbers, areas));
        effects.extend(self.ask_between(numbers));
        effects.extend(self.ask_colours(numbers, areas));
        effects.extend(self.ask_trees(numbers));
        effects.extend(self.ask_measures(numbers));
        effects
    }

    fn ask_file(&mut self, numbers: &mut Numbers, areas: &Areas) -> Option<Effect> {
        areas.of(Part::Code)?;
        let key = self.code_keys().into_iter().find(|key| !self.code.texts.has(key))?;
        if !self.desks.file.is_free() {
            return None;
        }
        let ask = Ask::File(self.paths.get(key.run)?.clone(), key.path.clone(), key.done);
        let request = self.desks.file.ask(numbers, key);
        Some(Effect::Compare(request, ask))
    }

    /// The side with the keyboard first.
    fn code_keys(&self) -> Vec<CodeKey> {
        let key = |side: usize| match self.code_of(side) {
            Shown::Place { key, .. } => Some(key),
            Shown::Nothing(_) => None,
        };
        [self.side, 1 - self.side].into_iter().filter_map(key).collect()
    }

    fn pair_of_paths(&self) -> Option<[PathBuf; 2]> {
        let [a, b] = self.pair;
        Some([self.paths.get(a)?.clone(), self.paths.get(b)?.clone()])
    }

    fn ask_trees(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if self.files.trees != Loading::Nothing {
            return None;
        }
        let ask = Ask::Trees(self.pair_of_paths()?);
        let request = numbers.fresh();
        self.files.trees = Loading::Waiting(request);
        Some(Effect::Compare(request, ask))
    }

    fn ask_between(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let change = self.files.change()?;
        let path = change.path.to_string();
        if self.files.compared.has(&path) || !self.desks.between.is_free() {
            return None;
        }
        let ask = Ask::Between(self.pair_of_paths()?, Box::new(change.clone()));
        Some(Effect::Compare(self.desks.between.ask(numbers, path), ask))
    }

    fn ask_colours(&mut self, numbers: &mut Numbers, areas: &Areas) -> Option<Effect> {
        if !self.desks.colours.is_free() {
            return None;
        }
        let of_file = self.plain_file().map(|(path, texts)| (Painted::File(path), texts));
        let code = areas.of(Part::Code).map(|_| self.code_keys()).unwrap_or_default();
        let of_code = code.into_iter().find_map(|key| self.plain_code(key));
        let (painted, texts) = of_file.or(of_code)?;
        let request = self.desks.colours.ask(numbers, painted);
        Some(Effect::Compare(request, Ask::Colours(texts)))
    }

    /// The open file, where it is here and without colours.
    fn plain_file(&self) -> Option<(String, Texts)> {
        let path = self.files.open.as_ref()?.path.clone();
        let compared = self.files.compared()?.as_ref().ok()?;
        let FileDiff::Text { old, new, .. } = &*compared.diff else { return None };
        let is_long = [old, new].into_iter().flatten().any(|text| text.len() > TOO_LONG);
        let texts = Texts { path: path.clone(), old: old.clone(), new: new.clone() };
        (!is_long && !self.files.colours.has(&path)).then_some((path, texts))
    }

    fn plain_code(&self, key: CodeKey) -> Option<(Painted, Texts)> {
        let text = self.code.text(&key)?.as_ref().ok()?.text.clone();
        if self.code.colours.has(&key) || text.len() > TOO_LONG {
            return None;
        }
        let texts = Texts { path: key.path.clone(), old: None, new: Some(text) };
        Some((Painted::Code(key), texts))
    }

    fn ask_measures(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if self.is_stopped || self.failed.is_some() || !self.desks.measure.is_free() {
            return None;
        }
        let (run, moments) = self.wanted()?;
        let ask = Ask::Measure(self.paths.get(run)?.clone(), moments);
        Some(Effect::Compare(self.desks.measure.ask(numbers, run), ask))
    }

    /// What is to be measured next: the ends of the two runs, then of all, then checkpoints, then turns where they are
    /// looked at. A few moments of one run at once.
    fn wanted(&self) -> Option<(usize, Vec<usize>)> {
        let all = self.all();
        let runs = || self.pair.into_iter().chain(0..all.len());
        let is_new = |run: usize, done: &usize| !all[run].measured.contains_key(done);
        let ends = runs().map(|run| (run, vec![all[run].run.end()]));
        let points = self.pair.into_iter().map(|run| (run, points_of(&all[run], self.chart.axis)));
        let open = ends.chain(points).map(|(run, moments)| {
            let moments = moments.into_iter().filter(|done| is_new(run, done)).take(AT_ONCE);
            (run, moments.collect::<Vec<_>>())
        });
        open.into_iter().find(|(_, moments)| !moments.is_empty())
    }

    /// Moments measured of those that are wanted.
    pub fn measured(&self) -> (usize, usize) {
        let all = self.all();
        let mut counts = (0, 0);
        for run in self.pair {
            let Some(party) = all.get(run) else { continue };
            let wanted = points_of(party, self.chart.axis);
            counts.0 += wanted.iter().filter(|done| party.measured.contains_key(done)).count();
            counts.1 += wanted.len();
        }
        counts
    }

    pub fn is_measuring(&self) -> bool {
        !self.desks.measure.is_free()
    }

    /// Takes an answer, if it is to a question that is out.
    pub(super) fn hear(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::Opened(parties) => {
                if matches!(self.parties, Loading::Waiting(asked) if asked == request) {
                    self.begin(parties);
                }
            }
            Answer::Measuring(done, total) if self.desks.measure.is_about(request) => {
                self.progress = Some((done, total));
            }
            Answer::Measuring(..) => {}
            Answer::Measured(ruler, measured) => {
                if let Some(run) = self.desks.measure.answered(request) {
                    self.progress = None;
                    self.ruler = Some(ruler);
                    self.hear_measures(run, measured);
                }
            }
            Answer::Trees(trees) => {
                self.files.trees.settle(request, Ok(trees));
                self.files.arrange();
            }
            Answer::Between(diff) => {
                if let Some(path) = self.desks.between.answered(request) {
                    self.files.put(path, Ok(diff));
                }
            }
            Answer::File(text) => {
                if let Some(key) = self.desks.file.answered(request) {
                    self.code.texts.put(key, Ok(Arc::new(Text::of(text))));
                }
            }
            Answer::Colours(colours) => match self.desks.colours.answered(request) {
                Some(Painted::Code(key)) => self.code.colours.put(key, colours),
                Some(Painted::File(path)) => self.files.colours.put(path, colours),
                None => {}
            },
            Answer::Failed(why) => self.hear_failure(request, why),
        }
    }

    /// A question that could not be answered: its panel says why.
    fn hear_failure(&mut self, request: Request, why: String) {
        if self.desks.measure.answered(request).is_some() {
            self.progress = None;
            self.failed = Some(why);
        } else if let Some(path) = self.desks.between.answered(request) {
            self.files.put(path, Err(why));
        } else if let Some(key) = self.desks.file.answered(request) {
            self.code.texts.put(key, Err(why));
        } else if let Some(painted) = self.desks.colours.answered(request) {
            match painted {
                Painted::Code(key) => self.code.colours.put(key, Sides::default()),
                Painted::File(path) => self.files.colours.put(path, Sides::default()),
            }
        } else {
            self.parties.settle(request, Err(why.clone()));
            self.files.trees.settle(request, Err(why));
        }
    }
}

/// The moments of a run that are drawn and listed, its end and the state that was judged among them, in order.
fn points_of(party: &Party, axis: Axis) -> Vec<usize> {
    let moments = match axis {
        Axis::Phases | Axis::Checkpoints => moments_of(&party.run),
        Axis::Turns => turns_of(&party.run),
    };
    let judged = party.judgement().map(|judgement| done_at(&party.run, judgement));
    let moments = moments.into_iter().map(|moment| moment.done).chain(judged);
    let moments: BTreeSet<usize> = moments.chain([party.run.end()]).collect();
    moments.into_iter().collect()
}
