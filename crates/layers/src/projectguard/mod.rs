//! ProjectGuard (SLUMP, section 5 and appendix B): two views of a project kept outside the agent's context, and a brief made of
//! them before each request.
//!
//! `structural` is what the code has (`structure`), `semantic` the records of what was laid down (`records`); `forecast` lets a
//! helper model write the brief (`forecaster`), which is made by rules otherwise (`by_rule`); `restart` begins a new session
//! where the context is nearly full (`restart`). Each part can work alone.

mod model_brief;
mod record_proposals;
mod records;
mod relevant_files;
mod restart;
mod rule_brief;
mod skeleton;
mod structure;
mod words;

use super::{
    Brief, BriefSentence, HelperModel, Layer, LayerOffer, LayerSetup, LayerSpec, LayerState,
    RequestMoment, TurnDone,
};

use model_brief::{ForecastSources, ModelForecast};
use record_proposals::DroppedProposal;
use records::SemanticRecords;
use relevant_files::RelevantFiles;
use restart::RestartDecision;
use structure::CodeStructure;

/// Its row among the layers.
pub(crate) const OFFERED: LayerOffer = LayerOffer {
    name: "projectguard",
    parts: &["structural", "semantic", "forecast", "restart"],
    what: "a brief of the modules and decisions that a request concerns, from the code and from what was laid down",
    make: |spec, _: &LayerSetup| Box::new(ProjectGuard::new(spec)),
};

/// The file of the state that lists rejected proposals.
const DROPPED_FILE: &str = "dropped.tsv";

/// Rows of it that are kept.
const MOST_DROPPED: usize = 1_000;

/// Files of a forecast.
const MOST_FORECAST: usize = 10;

/// The layer.
#[derive(Debug)]
pub struct ProjectGuard {
    name: String,
    spec: LayerSpec,
    structure: CodeStructure,
    records: SemanticRecords,
    dropped: Vec<DroppedProposal>,
    restarts: Vec<RestartDecision>,
}

impl ProjectGuard {
    pub fn new(spec: &LayerSpec) -> Self {
        Self {
            name: spec.to_string(),
            spec: spec.clone(),
            structure: CodeStructure::default(),
            records: SemanticRecords::default(),
            dropped: vec![],
            restarts: vec![],
        }
    }

    fn part_works(&self, part: &str) -> bool {
        self.spec.enables_part(part)
    }

    /// Returns whether the structure is built: a forecast needs it, even where the brief does not contain it.
    fn needs_structure(&self) -> bool {
        self.part_works("structural") || self.part_works("restart")
    }

    /// Asks the helper model for a brief, or returns its error; None where no model is set up for it.
    fn brief_by_model(
        &self,
        moment: &RequestMoment<'_>,
        found: &RelevantFiles,
        helper: &mut dyn HelperModel,
    ) -> Option<Result<ModelForecast, String>> {
        let is_asked = self.part_works("forecast") && helper.is_available();
        let sources = ForecastSources {
            moment,
            structure: self.part_works("structural").then_some(&self.structure),
            records: self.part_works("semantic").then_some(&self.records),
            found,
        };
        is_asked.then(|| model_brief::ask_forecast(&sources, helper))
    }

    fn brief_by_rule(
        &self,
        moment: &RequestMoment<'_>,
        found: &RelevantFiles,
    ) -> Vec<BriefSentence> {
        let mut lines = rule_brief::BriefLines::default();
        let (structural, semantic) = (self.part_works("structural"), self.part_works("semantic"));
        if structural {
            let most =
                if semantic { rule_brief::STRUCTURE_BUDGET } else { rule_brief::TOKEN_BUDGET };
            rule_brief::add_structural(&mut lines, &self.structure, found, most);
        }
        if semantic {
            rule_brief::add_semantic(&mut lines, &self.records, moment.request, found);
        }
        if !structural && !semantic && self.part_works("forecast") {
            rule_brief::add_earlier_requests(&mut lines, moment);
        }
        lines.sentences
    }

    fn dropped_table(&self) -> Option<String> {
        let row = |it: &DroppedProposal| {
            format!("{}\t{}\t{}\n", it.turn, it.title.replace('\t', " "), it.why)
        };
        let rows: String = self.dropped.iter().map(row).collect();
        (!rows.is_empty()).then(|| format!("turn\ttitle\twhy\n{rows}"))
    }
}

/// Returns the files that a request is expected to touch, with the tests that are named for them.
fn forecast_files(found: &RelevantFiles, moment: &RequestMoment<'_>) -> Vec<String> {
    let mut files: Vec<String> = vec![];
    let seeds = found.seed_files();
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
        let needs = self.part_works("semantic") || self.part_works("forecast");
        needs.then_some(
            "records are the sentences of requests that lay something down, in their own words; the brief has what shares names and \
             words with the request",
        )
    }

    fn before_request(
        &mut self,
        moment: &RequestMoment<'_>,
        helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String> {
        let mut found = RelevantFiles::default();
        if self.needs_structure() {
            self.structure.read_project(moment.project);
            found = relevant_files::find_relevant(&self.structure, moment.request, moment.turn);
        }
        let mut brief = Brief { forecast: forecast_files(&found, moment), ..Brief::default() };
        let by_model = self.brief_by_model(moment, &found, helper);
        match by_model {
            Some(Ok(by_model)) => {
                brief.why = format!(
                    "by the helper model, of {} files and {} records; {} of its lines cited nothing that is there",
                    found.seed_files().len() + found.shared.len(),
                    self.records.active_records().count(),
                    by_model.dropped
                );
                brief.sentences = by_model.sentences;
                if !by_model.files.is_empty() {
                    brief.forecast = by_model.files;
                }
            }
            failed => {
                brief.sentences = self.brief_by_rule(moment, &found);
                brief.why = "by shared names and words, without a model".into();
                if let Some(Err(why)) = failed {
                    brief.why = format!("{}: {why}", brief.why);
                }
            }
        }
        if self.part_works("restart")
            && let Some(decided) = RestartDecision::for_request(moment, &brief.forecast)
        {
            brief.restarts = decided.needs_restart().then(|| decided.reason_text());
            self.restarts.retain(|it| it.turn < decided.turn);
            self.restarts.push(decided);
        }
        Ok(Some(brief).filter(|brief| !brief.is_empty()))
    }

    fn after_turn(
        &mut self,
        done: &TurnDone<'_>,
        helper: &mut dyn HelperModel,
    ) -> Result<(), String> {
        if self.needs_structure() {
            self.structure.follow_turn(done.turn, done.project, done.changes);
        }
        if !self.part_works("semantic") {
            return Ok(());
        }
        if !helper.is_available() {
            record_proposals::draw_records(&mut self.records, done.turn, done.request);
            return Ok(());
        }
        match record_proposals::propose_records(&mut self.records, done, helper) {
            Ok(dropped) => {
                self.dropped.extend(dropped);
                self.dropped.truncate(MOST_DROPPED);
                Ok(())
            }
            Err(why) => {
                record_proposals::draw_records(&mut self.records, done.turn, done.request);
                Err(format!("{why}; records of turn {} are extracted from its request", done.turn))
            }
        }
    }

    fn state(&self) -> LayerState {
        let mut state = self.records.state_files();
        if self.part_works("structural") {
            state.extend(
                self.structure.texts().iter().map(|(file, text)| (file.clone(), text.clone())),
            );
        }
        state.extend(self.dropped_table().map(|text| (DROPPED_FILE.to_owned(), text)));
        restart::write_decisions(&self.restarts, &mut state);
        state
    }

    fn restore(&mut self, state: &LayerState) {
        self.structure.restore(state);
        self.records = SemanticRecords::from_state(state);
        self.restarts = restart::read_decisions(state);
        let row = |line: &str| {
            let (turn, rest) = line.split_once('\t')?;
            let (title, why) = rest.split_once('\t')?;
            let (title, why) = (title.to_owned(), why.to_owned());
            Some(DroppedProposal { turn: turn.parse().ok()?, title, why })
        };
        let rows =
            state.get(DROPPED_FILE).into_iter().flat_map(|text| text.lines()).filter_map(row);
        self.dropped = rows.take(MOST_DROPPED).collect();
    }
}

#[cfg(test)]
mod tests;
