//! What a comparison asks the world for: the runs and their verdicts first, then the numbers of their code, then what
//! is on screen - the lines of the chosen component, the file that is open. One question of each kind is out.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use crate::session::{
    ask::Loading,
    effect::Effect,
    files::texts::{TOO_LONG, Texts},
    question::{Answer, Question},
    request::{Numbers, Request},
};
use trajview_study::compare::{Party, done_at, moments_of, turns_of};

use super::{
    Comparison, Part,
    areas::Areas,
    chart::Axis,
    code::{CodeKey, Shown, Text},
};

/// Moments measured at once: few enough that the curves are seen to grow.
const AT_ONCE: usize = 24;

/// Lines of unchanged text around each change of a file.
pub const CONTEXT: usize = 3;

impl Comparison {
    /// What is missing.
    pub fn ask(&mut self, numbers: &mut Numbers, areas: &Areas) -> Vec<Effect> {
        let mut effects = vec![];
        if self.parties.is_nothing() {
            let paths = self.paths.clone();
            return vec![self.parties.ask(numbers, Question::Parties { paths })];
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
        let (path, file, done) = (self.paths.get(key.run)?.clone(), key.path.clone(), key.done);
        self.code.texts.ask(numbers, key, || Question::FileText { path, file, done })
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
        let paths = self.pair_of_paths().filter(|_| self.files.trees.is_nothing())?;
        Some(self.files.trees.ask(numbers, Question::Trees { paths }))
    }

    fn ask_between(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let path = self.files.change()?.path.to_string();
        if self.files.compared.has(&path) {
            return None;
        }
        let (paths, change) = (self.pair_of_paths()?, Box::new(self.files.change()?.clone()));
        self.files.compared.ask(numbers, path, || Question::FileBetween { paths, change })
    }

    fn ask_colours(&mut self, numbers: &mut Numbers, areas: &Areas) -> Option<Effect> {
        if !self.files.colours.is_free() || !self.code.colours.is_free() {
            return None;
        }
        if let Some((path, texts)) = self.plain_file() {
            return self.files.colours.ask(numbers, path, || Question::Colours { texts });
        }
        let code = areas.of(Part::Code).map(|_| self.code_keys()).unwrap_or_default();
        let (key, texts) = code.into_iter().find_map(|key| self.plain_code(key))?;
        self.code.colours.ask(numbers, key, || Question::Colours { texts })
    }

    /// The open file, where it is here and without colours.
    fn plain_file(&self) -> Option<(String, Texts)> {
        let path = self.files.open.as_ref()?.path.clone();
        let compared = self.files.compared()?.as_ref().ok()?;
        let texts = Texts::of(&path, &compared.diff)?;
        (!self.files.colours.has(&path)).then_some((path, texts))
    }

    fn plain_code(&self, key: CodeKey) -> Option<(CodeKey, Texts)> {
        let text = self.code.text(&key)?.as_ref().ok()?.text.clone();
        if self.code.colours.has(&key) || text.len() > TOO_LONG {
            return None;
        }
        let texts = Texts { path: key.path.clone(), old: None, new: Some(text) };
        Some((key, texts))
    }

    fn ask_measures(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if self.measures.is_stopped || self.measures.failed.is_some() || self.is_measuring() {
            return None;
        }
        let (run, moments) = self.wanted()?;
        let path = self.paths.get(run)?.clone();
        Some(self.measures.measuring.ask(numbers, run, Question::PartyScores { path, moments }))
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
        !self.measures.measuring.is_free()
    }

    /// Takes an answer, if it is to a question that is out.
    pub fn take(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::Parties(Ok(parties)) => {
                if matches!(self.parties, Loading::Waiting(asked) if asked == request) {
                    self.begin(parties);
                }
            }
            Answer::Parties(Err(why)) => self.parties.settle(request, Err(why)),
            Answer::PartyScores(scores) => {
                let Some(run) = self.measures.measuring.answered(request) else { return };
                self.measures.progress = None;
                match scores {
                    Ok((ruler, measured)) => {
                        self.measures.ruler = Some(ruler);
                        self.put_measures(run, measured);
                    }
                    Err(why) => self.measures.failed = Some(why),
                }
            }
            Answer::Trees(trees) => {
                self.files.trees.settle(request, trees);
                self.files.arrange();
            }
            Answer::FileBetween(diff) => self.files.take(request, diff),
            Answer::FileText(text) => {
                self.code.texts.take(request, text.map(|text| Arc::new(Text::of(text))));
            }
            Answer::Colours(colours) => {
                self.code.colours.take(request, colours.clone());
                self.files.colours.take(request, colours);
            }
            _ => {} // asked elsewhere
        }
    }

    /// How far the measuring that is out has come.
    pub(crate) fn take_progress(&mut self, request: Request, done: usize, total: usize) {
        if self.measures.measuring.is_about(request) {
            self.measures.progress = Some((done, total));
        }
    }

    /// Whether a question about colours is out under this number.
    pub fn asks(&self, request: Request) -> bool {
        self.code.colours.is_about(request) || self.files.colours.is_about(request)
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
