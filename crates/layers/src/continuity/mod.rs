//! `continuity`: the decisions of the project, found by the files that the request or a tool call is about to touch
//! (Continuity).
//!
//! The decisions are those of a store; without one they are drawn from the requests during the run ([`extraction`]).
//! Named files find the decisions about them, the key of the text ([`retrieval_key`]) finds others. Up to fifty decisions
//! are all given; of more, as many as the budget of tokens allows. Decisions that are no longer in effect come last, and
//! are marked. The parts are the ways of delivery; without a part it is `prompt`.

use std::collections::BTreeSet;

use trajview_metrics::decisions::{
    Decision, DecisionStore, extraction,
    ranking::{DecisionIndex, DecisionMatch, MANY_DECISIONS, TOKEN_BUDGET, fuse_ranks},
    retrieval_key,
};

use super::{
    Brief, BriefSentence, DeliveryOffers, FileCall, HelperModel, Layer, LayerOffer, LayerProject,
    LayerSetup, LayerSpec, LayerState, RequestMoment, SentenceOrigin, TurnDone,
};

/// The ways of delivery: with the request, as the answer of a tool that the agent may call, with calls that touch
/// files.
pub const PARTS: &[&str] = &[PROMPT, SEARCH, TOOL];
const PROMPT: &str = "prompt";
const SEARCH: &str = "search";
const TOOL: &str = "tool";

pub(crate) const OFFERED: LayerOffer = LayerOffer {
    name: "continuity",
    parts: PARTS,
    what: "the decisions of the project, by what the request or a call is about to touch",
    make: |spec, options| Box::new(Continuity::new(spec, options)),
};

/// The file of its state.
const STATE_FILE: &str = "decisions.json";

pub struct Continuity {
    name: String,
    spec: LayerSpec,
    /// The decisions that the person provides; empty where decisions are drawn from requests.
    person_store: DecisionStore,
    /// The decisions there are now.
    store: DecisionStore,
    /// The requests so far.
    requests: Vec<String>,
    /// The decisions that the agent received in the current turn.
    delivered: BTreeSet<String>,
}

impl Continuity {
    pub fn new(spec: &LayerSpec, options: &LayerSetup) -> Self {
        Self {
            name: spec.to_string(),
            spec: spec.clone(),
            person_store: options.decisions.clone(),
            store: options.decisions.clone(),
            requests: vec![],
            delivered: BTreeSet::new(),
        }
    }

    fn delivers_by(&self, part: &str) -> bool {
        if self.spec.parts.is_empty() { part == PROMPT } else { self.spec.names_part(part) }
    }

    fn draws_decisions(&self) -> bool {
        self.person_store.decisions.is_empty()
    }

    /// Takes in the requests so far.
    fn set_requests(&mut self, requests: Vec<String>) {
        if self.draws_decisions() {
            self.store = DecisionStore {
                decisions: extraction::decisions_in_requests(&requests),
                ..DecisionStore::default()
            };
        }
        self.requests = requests;
    }

    fn make_brief(&self, heading: &str, found: &[DecisionMatch<'_>], cause: &str) -> Option<Brief> {
        if found.is_empty() {
            return None;
        }
        let lines = found.iter().map(|found| decision_sentence(found.decision));
        let sentences = std::iter::once(BriefSentence::heading(heading)).chain(lines).collect();
        let origin =
            if self.draws_decisions() { "extracted from the requests" } else { "of the store" };
        let why = format!(
            "{} of {} decisions {origin}, by {cause}",
            found.len(),
            self.store.decisions.len()
        );
        Some(Brief { sentences, why, ..Brief::default() })
    }
}

/// Returns the decisions about some files and a text, those of the files first. Of more than fifty it returns as many
/// as the budget allows. Decisions that are no longer in effect come last.
pub fn matching_decisions<'s>(
    store: &'s DecisionStore,
    paths: &[String],
    text: &str,
) -> Vec<DecisionMatch<'s>> {
    let index = DecisionIndex::new(store);
    let mut all: Vec<DecisionMatch<'s>> = vec![];
    let of_paths = paths.iter().flat_map(|path| index.decisions_for_path(path, TOKEN_BUDGET));
    for found in of_paths.chain(index.find_decisions(&retrieval_key::key_of_text(text))) {
        if !all.iter().any(|it| it.decision.id == found.decision.id) {
            all.push(found);
        }
    }
    if all.len() > MANY_DECISIONS {
        all = fuse_ranks(all, TOKEN_BUDGET);
    }
    all.sort_by_key(|found| found.decision.is_past());
    all
}

/// Returns a decision as one line of a brief.
fn decision_sentence(decision: &Decision) -> BriefSentence {
    let past = match (decision.is_past(), decision.superseded_by.as_slice()) {
        (false, _) => String::new(),
        (true, []) => format!(" ({}, holds no more)", decision.status.as_deref().unwrap_or("past")),
        (true, by) => format!(" (superseded by {}, holds no more)", by.join(", ")),
    };
    let turn = decision.tags.iter().find_map(|tag| tag.strip_prefix("turn-")?.parse().ok());
    // The question of a decision drawn from a request adds nothing to its turn.
    let question = if turn.is_some() { "" } else { decision.question.trim() };
    let answer = decision.answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = [question, &answer].into_iter().filter(|it| !it.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    let from = std::iter::once(SentenceOrigin::Decision(decision.id.clone()))
        .chain(turn.map(SentenceOrigin::Request));
    BriefSentence::new(format!("- [{}] {words}{past}", decision.id), from)
}

/// Returns the files of the project that decisions are about; patterns are none.
fn files_of_decisions(found: &[DecisionMatch<'_>], project: &LayerProject) -> Vec<String> {
    let is_there = |path: &&String| {
        trajview_run::RepoPath::new(path).is_some_and(|path| project.has_file(&path))
    };
    found.iter().flat_map(|found| &found.decision.files).filter(is_there).cloned().collect()
}

impl Layer for Continuity {
    fn name(&self) -> &str {
        &self.name
    }

    fn delivery_offers(&self) -> DeliveryOffers {
        DeliveryOffers { search: self.delivers_by(SEARCH), calls: self.delivers_by(TOOL) }
    }

    fn before_request(
        &mut self,
        moment: &RequestMoment<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String> {
        self.delivered.clear();
        self.set_requests(moment.earlier.to_vec());
        if !self.delivers_by(PROMPT) {
            return Ok(None);
        }
        let paths: Vec<String> =
            retrieval_key::paths_in_text(moment.request).into_iter().map(str::to_owned).collect();
        let found = matching_decisions(&self.store, &paths, moment.request);
        let heading = "Decisions of this project that this request may touch:";
        let Some(brief) = self.make_brief(heading, &found, "what the request names") else {
            return Ok(None);
        };
        let mut forecast = paths;
        forecast.extend(files_of_decisions(&found, moment.project));
        let mut seen = BTreeSet::new();
        forecast.retain(|path| seen.insert(path.clone()));
        let ids = found.iter().map(|found| found.decision.id.clone()).collect();
        self.delivered = ids;
        Ok(Some(Brief { forecast, ..brief }))
    }

    fn after_turn(
        &mut self,
        done: &TurnDone<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<(), String> {
        let mut requests = std::mem::take(&mut self.requests);
        requests.truncate(done.turn.saturating_sub(1));
        requests.push(done.request.to_owned());
        self.set_requests(requests);
        Ok(())
    }

    fn on_call(&mut self, call: &FileCall<'_>) -> Result<Option<Brief>, String> {
        if !self.delivers_by(TOOL) {
            return Ok(None);
        }
        let mut found = matching_decisions(&self.store, call.paths, call.arguments);
        found.retain(|found| !self.delivered.contains(&found.decision.id));
        let heading = "Decisions of this project about what this call touches:";
        let brief = self.make_brief(heading, &found, "what the call touches");
        let ids: Vec<String> = found.iter().map(|found| found.decision.id.clone()).collect();
        self.delivered.extend(ids);
        Ok(brief)
    }

    fn search(&mut self, query: &str) -> Option<Result<Brief, String>> {
        if !self.delivers_by(SEARCH) {
            return None;
        }
        let paths: Vec<String> =
            retrieval_key::paths_in_text(query).into_iter().map(str::to_owned).collect();
        let found = matching_decisions(&self.store, &paths, query);
        let brief = self.make_brief("Decisions of this project:", &found, "the query");
        Some(Ok(brief.unwrap_or_else(|| Brief {
            sentences: vec![BriefSentence::heading("No decision of this project is about that.")],
            why: "nothing matched the query".into(),
            ..Brief::default()
        })))
    }

    fn state(&self) -> LayerState {
        let text = serde_json::to_string_pretty(&self.store.decisions).unwrap_or_default();
        LayerState::from([(STATE_FILE.to_owned(), text + "\n")])
    }

    fn restore(&mut self, state: &LayerState) {
        self.delivered.clear();
        let read = state.get(STATE_FILE).and_then(|text| DecisionStore::parse(text).ok());
        self.store = match read {
            Some(store) if self.draws_decisions() => store,
            _ => self.person_store.clone(),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::{ContextUse, NoHelper};

    use super::*;

    fn options_with(text: &str) -> LayerSetup {
        LayerSetup { decisions: DecisionStore::parse(text).unwrap() }
    }

    fn continuity_layer(spec: &str, options: &LayerSetup) -> Continuity {
        Continuity::new(&spec.parse().unwrap(), options)
    }

    fn brief_before(layer: &mut Continuity, request: &str, earlier: &[String]) -> Option<Brief> {
        let project = LayerProject::default();
        let turn = earlier.len() + 1;
        let moment = RequestMoment {
            turn,
            request,
            earlier,
            project: &project,
            context: ContextUse::default(),
        };
        layer.before_request(&moment, &mut NoHelper).unwrap()
    }

    const THREE_DECISIONS: &str = r#"[
        {"id": "log", "question": "Which logger?", "answer": "Pino, as JSON."},
        {"id": "old", "question": "Which database?", "answer": "MySQL.", "files": ["db/*.sql"], "status": "superseded", "supersededBy": "db"},
        {"id": "db", "question": "Which database?", "answer": "Postgres.", "files": ["db/*.sql"]}
    ]"#;

    #[test]
    fn decisions_come_with_the_request_and_what_holds_no_more_is_last_and_marked() {
        let mut layer = continuity_layer("continuity", &options_with(THREE_DECISIONS));

        let brief =
            brief_before(&mut layer, "Change db/a.sql, and log it with Pino.", &[]).unwrap();

        insta::assert_snapshot!(brief.text(), @r"
        Decisions of this project that this request may touch:
        - [db] Which database? Postgres.
        - [log] Which logger? Pino, as JSON.
        - [old] Which database? MySQL. (superseded by db, holds no more)
        ");
        assert_eq!(brief.sentences[1].from, [SentenceOrigin::Decision("db".into())]);
        assert_eq!(brief.forecast, ["db/a.sql"]);
        assert_eq!(brief_before(&mut layer, "thanks", &[]), None);
        assert!(layer.delivery_offers().is_empty() && layer.search("pino").is_none());
    }

    #[test]
    fn each_delivery_is_a_switch_and_a_call_is_told_a_decision_once_a_turn() {
        let mut layer = continuity_layer("continuity:search,tool", &options_with(THREE_DECISIONS));
        let paths = ["db/a.sql".to_owned()];
        let call = FileCall { turn: 1, tool: "Edit", paths: &paths, arguments: "x" };

        assert_eq!(brief_before(&mut layer, "Change db/a.sql.", &[]), None);
        assert_eq!(layer.delivery_offers(), DeliveryOffers { search: true, calls: true });
        let told = layer.on_call(&call).unwrap().unwrap();
        assert!(told.text().contains("Postgres"), "{told:?}");
        assert_eq!(layer.on_call(&call).unwrap(), None);
        brief_before(&mut layer, "Again.", &[]);
        assert!(layer.on_call(&call).unwrap().is_some());
        let found = layer.search("Pino?").unwrap().unwrap();
        assert!(found.text().contains("[log]") && !found.text().contains("[db]"));
        let nothing = layer.search("unheard").unwrap().unwrap();
        assert_eq!(nothing.text(), "No decision of this project is about that.");
    }

    #[test]
    fn without_a_store_decisions_are_drawn_from_what_was_asked_and_stay() {
        let mut layer = continuity_layer("continuity", &LayerSetup::default());
        let first = "The target must stay fixed in sampler.py.".to_owned();

        assert_eq!(brief_before(&mut layer, &first, &[]), None);
        let project = LayerProject::default();
        let done =
            TurnDone { turn: 1, request: &first, steps: &[], project: &project, changes: &[] };
        layer.after_turn(&done, &mut NoHelper).unwrap();
        let state = layer.state();
        let mut other = self::continuity_layer("continuity", &LayerSetup::default());
        other.restore(&state);

        assert!(state[STATE_FILE].contains("t1.1"), "{state:?}");
        assert_eq!(other.state(), state);
        let brief = brief_before(&mut layer, "Write sampler.py anew.", &[first]).unwrap();
        assert_eq!(brief.sentences[1].text, "- [t1.1] The target must stay fixed in sampler.py.");
        let from = [SentenceOrigin::Decision("t1.1".into()), SentenceOrigin::Request(1)];
        assert_eq!(brief.sentences[1].from, from);
    }

    #[test]
    fn of_very_many_decisions_as_many_are_told_as_the_budget_holds() {
        let mut options = LayerSetup::default();
        for at in 0..60 {
            options.decisions.decisions.push(Decision {
                id: at.to_string(),
                answer: "x".repeat(100),
                files: vec!["a.py".into()],
                ..Decision::default()
            });
        }
        let mut layer = continuity_layer("continuity", &options);

        let brief = brief_before(&mut layer, "Change a.py.", &[]).unwrap();

        assert_eq!(brief.sentences.len(), 1 + 20);
    }
}
