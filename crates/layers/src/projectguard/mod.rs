//! ProjectGuard (SLUMP, section 5 and appendix B): two views of a project kept outside the agent's context, and a brief made of
//! them before each request.
//!
//! `structural` is what the code has (`structure`), `semantic` the records of what was laid down (`records`); `forecast` lets a
//! helper model write the brief (`forecaster`), which is made by rules otherwise (`by_rule`); `restart` begins a new session
//! where the context is nearly full (`restart`). Each part can work alone.

mod by_rule;
mod forecaster;
mod records;
mod restart;
mod retrieve;
mod semantic;
mod skeleton;
mod structure;
mod words;

use super::{Brief, Helper, Layer, Moment, Offered, Options, Sentence, Spec, State, TurnDone};

use forecaster::{Forecast, Sources};
use records::Records;
use restart::Decided;
use retrieve::Found;
use semantic::Dropped;
use structure::Structure;

/// Its row among the layers.
pub const OFFERED: Offered = Offered {
    name: "projectguard",
    parts: &["structural", "semantic", "forecast", "restart"],
    what: "a brief of the modules and decisions that a request concerns, from the code and from what was laid down",
    make: |spec, _: &Options| Box::new(ProjectGuard::new(spec)),
};

/// Where proposals that were not let in stand in the state.
const DROPPED: &str = "dropped.tsv";

/// Rows of it that are kept.
const MOST_DROPPED: usize = 1_000;

/// Files of a forecast.
const MOST_FORECAST: usize = 10;

/// The layer.
#[derive(Debug)]
pub struct ProjectGuard {
    name: String,
    spec: Spec,
    structure: Structure,
    records: Records,
    dropped: Vec<Dropped>,
    restarts: Vec<Decided>,
}

impl ProjectGuard {
    pub fn new(spec: &Spec) -> Self {
        Self {
            name: spec.to_string(),
            spec: spec.clone(),
            structure: Structure::default(),
            records: Records::default(),
            dropped: vec![],
            restarts: vec![],
        }
    }

    fn works(&self, part: &str) -> bool {
        self.spec.works(part)
    }

    /// A forecast asks for the structure, be it told or not.
    fn needs_structure(&self) -> bool {
        self.works("structural") || self.works("restart")
    }

    /// By a model where one is set up; what went wrong with it otherwise.
    fn by_model(
        &self,
        moment: &Moment<'_>,
        found: &Found,
        helper: &mut dyn Helper,
    ) -> Option<Result<Forecast, String>> {
        let is_asked = self.works("forecast") && helper.is_available();
        let sources = Sources {
            moment,
            structure: self.works("structural").then_some(&self.structure),
            records: self.works("semantic").then_some(&self.records),
            found,
        };
        is_asked.then(|| forecaster::ask(&sources, helper))
    }

    fn by_rule(&self, moment: &Moment<'_>, found: &Found) -> Vec<Sentence> {
        let mut lines = by_rule::Lines::default();
        let (structural, semantic) = (self.works("structural"), self.works("semantic"));
        if structural {
            let most = if semantic { by_rule::FOR_STRUCTURE } else { by_rule::BUDGET };
            by_rule::structural(&mut lines, &self.structure, found, most);
        }
        if semantic {
            by_rule::semantic(&mut lines, &self.records, moment.request, found);
        }
        if !structural && !semantic && self.works("forecast") {
            by_rule::earlier(&mut lines, moment);
        }
        lines.sentences
    }

    fn record_of_proposals(&self) -> Option<String> {
        let row =
            |it: &Dropped| format!("{}\t{}\t{}\n", it.turn, it.title.replace('\t', " "), it.why);
        let rows: String = self.dropped.iter().map(row).collect();
        (!rows.is_empty()).then(|| format!("turn\ttitle\twhy\n{rows}"))
    }
}

/// The files that a request is expected to touch, with the tests that are named for them.
fn forecast(found: &Found, moment: &Moment<'_>) -> Vec<String> {
    let mut files: Vec<String> = vec![];
    let seeds = found.seeds();
    for seed in seeds.iter().filter(|seed| seed.is_likely(&seeds[0])) {
        let stem = seed.path.name().split('.').next().unwrap_or_default();
        let is_its_test = |name: &str| {
            let test = name.split('.').next().unwrap_or_default();
            let is_named = test == format!("test_{stem}") || test == format!("{stem}_test");
            is_named
                || name.starts_with(&format!("{stem}.test."))
                || name.starts_with(&format!("{stem}.spec."))
        };
        let tests = moment.project.paths().filter(|path| is_its_test(path.name()));
        files.extend([&seed.path].into_iter().chain(tests).map(ToString::to_string));
    }
    files.truncate(MOST_FORECAST);
    files
}

impl Layer for ProjectGuard {
    fn name(&self) -> &str {
        &self.name
    }

    fn without_helper(&self) -> Option<&'static str> {
        let needs = self.works("semantic") || self.works("forecast");
        needs.then_some(
            "records are the sentences of requests that lay something down, in their own words; the brief has what shares names and \
             words with the request",
        )
    }

    fn before(
        &mut self,
        moment: &Moment<'_>,
        helper: &mut dyn Helper,
    ) -> Result<Option<Brief>, String> {
        let mut found = Found::default();
        if self.needs_structure() {
            self.structure.begin(moment.project);
            found = retrieve::find(&self.structure, moment.request, moment.turn);
        }
        let mut brief = Brief { forecast: forecast(&found, moment), ..Brief::default() };
        let by_model = self.by_model(moment, &found, helper);
        match by_model {
            Some(Ok(by_model)) => {
                brief.why = format!(
                    "by the helper model, of {} files and {} records; {} of its lines cited nothing that is there",
                    found.seeds().len() + found.shared.len(),
                    self.records.active().count(),
                    by_model.dropped
                );
                brief.sentences = by_model.sentences;
                if !by_model.files.is_empty() {
                    brief.forecast = by_model.files;
                }
            }
            failed => {
                brief.sentences = self.by_rule(moment, &found);
                brief.why = "by shared names and words, without a model".into();
                if let Some(Err(why)) = failed {
                    brief.why = format!("{}: {why}", brief.why);
                }
            }
        }
        if self.works("restart")
            && let Some(decided) = Decided::of(moment, &brief.forecast)
        {
            brief.restarts = decided.restarts().then(|| decided.why());
            self.restarts.retain(|it| it.turn < decided.turn);
            self.restarts.push(decided);
        }
        Ok(Some(brief).filter(|brief| !brief.is_empty()))
    }

    fn after(&mut self, done: &TurnDone<'_>, helper: &mut dyn Helper) -> Result<(), String> {
        if self.needs_structure() {
            self.structure.go_on(done.turn, done.project, done.changes);
        }
        if !self.works("semantic") {
            return Ok(());
        }
        if !helper.is_available() {
            semantic::draw(&mut self.records, done.turn, done.request);
            return Ok(());
        }
        match semantic::propose(&mut self.records, done, helper) {
            Ok(dropped) => {
                self.dropped.extend(dropped);
                self.dropped.truncate(MOST_DROPPED);
                Ok(())
            }
            Err(why) => {
                semantic::draw(&mut self.records, done.turn, done.request);
                Err(format!("{why}; records of turn {} are drawn from its request", done.turn))
            }
        }
    }

    fn state(&self) -> State {
        let mut state = self.records.state();
        if self.works("structural") {
            state.extend(
                self.structure.texts().iter().map(|(file, text)| (file.clone(), text.clone())),
            );
        }
        state.extend(self.record_of_proposals().map(|text| (DROPPED.to_owned(), text)));
        restart::write(&self.restarts, &mut state);
        state
    }

    fn restore(&mut self, state: &State) {
        self.structure.restore(state);
        self.records = Records::restored(state);
        self.restarts = restart::read(state);
        let row = |line: &str| {
            let (turn, rest) = line.split_once('\t')?;
            let (title, why) = rest.split_once('\t')?;
            let (title, why) = (title.to_owned(), why.to_owned());
            Some(Dropped { turn: turn.parse().ok()?, title, why })
        };
        let rows = state.get(DROPPED).into_iter().flat_map(|text| text.lines()).filter_map(row);
        self.dropped = rows.take(MOST_DROPPED).collect();
    }
}

#[cfg(test)]
mod tests;
