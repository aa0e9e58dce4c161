//! `continuity`: the decisions of the project, found by what the request or a tool call is about to touch (Continuity).
//!
//! The decisions are those of a store; without one they are drawn from the requests as the run goes on
//! ([`drawn`]). Files that are named find the decisions that are about them, the key of the text
//! ([`key`]) finds others. Up to fifty are told all; of more, as many as the budget of tokens holds. What takes effect no more is
//! told last, and marked. The parts are the ways in which they are told; without a part it is `prompt`.

use std::collections::BTreeSet;

use trajview_metrics::decisions::{
    Decision, Store, drawn, key,
    rank::{BUDGET, Index, MANY, Match, fused},
};

use super::{
    Brief, Call, Helper, Layer, Moment, Offered, Offers, Options, Origin, Project, Sentence, Spec,
    State, TurnDone,
};

/// With the request, as the answer of a tool that the agent may call, with calls that touch files.
pub const PARTS: &[&str] = &[PROMPT, SEARCH, TOOL];
const PROMPT: &str = "prompt";
const SEARCH: &str = "search";
const TOOL: &str = "tool";

pub const OFFERED: Offered = Offered {
    name: "continuity",
    parts: PARTS,
    what: "the decisions of the project, by what the request or a call is about to touch",
    make: |spec, options| Box::new(Continuity::new(spec, options)),
};

/// The file of its state.
const STATE: &str = "decisions.json";

pub struct Continuity {
    name: String,
    spec: Spec,
    /// Of the person; empty where decisions are drawn.
    given: Store,
    /// The decisions there are now.
    store: Store,
    /// What was asked so far.
    requests: Vec<String>,
    /// Decisions that the agent was told in the turn under way.
    told: BTreeSet<String>,
}

impl Continuity {
    pub fn new(spec: &Spec, options: &Options) -> Self {
        Self {
            name: spec.to_string(),
            spec: spec.clone(),
            given: options.decisions.clone(),
            store: options.decisions.clone(),
            requests: vec![],
            told: BTreeSet::new(),
        }
    }

    fn delivers(&self, part: &str) -> bool {
        if self.spec.parts.is_empty() { part == PROMPT } else { self.spec.has(part) }
    }

    fn draws(&self) -> bool {
        self.given.decisions.is_empty()
    }

    /// Takes in what was asked so far.
    fn asked(&mut self, requests: Vec<String>) {
        if self.draws() {
            self.store = Store { decisions: drawn::of(&requests), ..Store::default() };
        }
        self.requests = requests;
    }

    fn brief(&self, heading: &str, found: &[Match<'_>], asked: &str) -> Option<Brief> {
        if found.is_empty() {
            return None;
        }
        let lines = found.iter().map(|found| sentence(found.decision));
        let sentences = std::iter::once(Sentence::heading(heading)).chain(lines).collect();
        let origin = if self.draws() { "drawn from the requests" } else { "of the store" };
        let why = format!(
            "{} of {} decisions {origin}, by {asked}",
            found.len(),
            self.store.decisions.len()
        );
        Some(Brief { sentences, why, ..Brief::default() })
    }
}

/// The decisions that files and a text are about: those of the files first. Above fifty as many as the budget holds. What takes
/// effect no more is last.
pub fn found<'s>(store: &'s Store, paths: &[String], text: &str) -> Vec<Match<'s>> {
    let index = Index::of(store);
    let mut all: Vec<Match<'s>> = vec![];
    let of_paths = paths.iter().flat_map(|path| index.of_path(path, BUDGET));
    for found in of_paths.chain(index.find(&key::of(text))) {
        if !all.iter().any(|it| it.decision.id == found.decision.id) {
            all.push(found);
        }
    }
    if all.len() > MANY {
        all = fused(all, BUDGET);
    }
    all.sort_by_key(|found| found.decision.is_past());
    all
}

/// A decision in one line.
fn sentence(decision: &Decision) -> Sentence {
    let past = match (decision.is_past(), decision.superseded_by.as_slice()) {
        (false, _) => String::new(),
        (true, []) => format!(" ({}, holds no more)", decision.status.as_deref().unwrap_or("past")),
        (true, by) => format!(" (superseded by {}, holds no more)", by.join(", ")),
    };
    let turn = decision.tags.iter().find_map(|tag| tag.strip_prefix("turn-")?.parse().ok());
    // The question of one that is drawn says no more than its turn.
    let question = if turn.is_some() { "" } else { decision.question.trim() };
    let answer = decision.answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = [question, &answer].into_iter().filter(|it| !it.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    let from =
        std::iter::once(Origin::Decision(decision.id.clone())).chain(turn.map(Origin::Request));
    Sentence::new(format!("- [{}] {words}{past}", decision.id), from)
}

/// The files of the project that decisions are about; patterns are none.
fn files_of(found: &[Match<'_>], project: &Project) -> Vec<String> {
    let is_there =
        |path: &&String| trajview_run::RepoPath::new(path).is_some_and(|path| project.has(&path));
    found.iter().flat_map(|found| &found.decision.files).filter(is_there).cloned().collect()
}

impl Layer for Continuity {
    fn name(&self) -> &str {
        &self.name
    }

    fn offers(&self) -> Offers {
        Offers { search: self.delivers(SEARCH), calls: self.delivers(TOOL) }
    }

    fn before(
        &mut self,
        moment: &Moment<'_>,
        _helper: &mut dyn Helper,
    ) -> Result<Option<Brief>, String> {
        self.told.clear();
        self.asked(moment.earlier.to_vec());
        if !self.delivers(PROMPT) {
            return Ok(None);
        }
        let paths: Vec<String> =
            key::paths(moment.request).into_iter().map(str::to_owned).collect();
        let found = found(&self.store, &paths, moment.request);
        let heading = "Decisions of this project that this request may touch:";
        let Some(brief) = self.brief(heading, &found, "what the request names") else {
            return Ok(None);
        };
        let mut forecast = paths;
        forecast.extend(files_of(&found, moment.project));
        let mut seen = BTreeSet::new();
        forecast.retain(|path| seen.insert(path.clone()));
        let told = found.iter().map(|found| found.decision.id.clone()).collect();
        self.told = told;
        Ok(Some(Brief { forecast, ..brief }))
    }

    fn after(&mut self, done: &TurnDone<'_>, _helper: &mut dyn Helper) -> Result<(), String> {
        let mut requests = std::mem::take(&mut self.requests);
        requests.truncate(done.turn.saturating_sub(1));
        requests.push(done.request.to_owned());
        self.asked(requests);
        Ok(())
    }

    fn on_call(&mut self, call: &Call<'_>) -> Result<Option<Brief>, String> {
        if !self.delivers(TOOL) {
            return Ok(None);
        }
        let mut found = found(&self.store, call.paths, call.arguments);
        found.retain(|found| !self.told.contains(&found.decision.id));
        let heading = "Decisions of this project about what this call touches:";
        let brief = self.brief(heading, &found, "what the call touches");
        let told: Vec<String> = found.iter().map(|found| found.decision.id.clone()).collect();
        self.told.extend(told);
        Ok(brief)
    }

    fn search(&mut self, query: &str) -> Option<Result<Brief, String>> {
        if !self.delivers(SEARCH) {
            return None;
        }
        let paths: Vec<String> = key::paths(query).into_iter().map(str::to_owned).collect();
        let found = found(&self.store, &paths, query);
        let brief = self.brief("Decisions of this project:", &found, "the query");
        Some(Ok(brief.unwrap_or_else(|| Brief {
            sentences: vec![Sentence::heading("No decision of this project is about that.")],
            why: "nothing matched the query".into(),
            ..Brief::default()
        })))
    }

    fn state(&self) -> State {
        let text = serde_json::to_string_pretty(&self.store.decisions).unwrap_or_default();
        State::from([(STATE.to_owned(), text + "\n")])
    }

    fn restore(&mut self, state: &State) {
        self.told.clear();
        let read = state.get(STATE).and_then(|text| Store::read(text).ok());
        self.store = match read {
            Some(store) if self.draws() => store,
            _ => self.given.clone(),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, NoHelper};

    use super::*;

    fn store(text: &str) -> Options {
        Options { decisions: Store::read(text).unwrap() }
    }

    fn layer(spec: &str, options: &Options) -> Continuity {
        Continuity::new(&spec.parse().unwrap(), options)
    }

    fn before(layer: &mut Continuity, request: &str, earlier: &[String]) -> Option<Brief> {
        let project = Project::default();
        let turn = earlier.len() + 1;
        let moment =
            Moment { turn, request, earlier, project: &project, context: Context::default() };
        layer.before(&moment, &mut NoHelper).unwrap()
    }

    const THREE: &str = r#"[
        {"id": "log", "question": "Which logger?", "answer": "Pino, as JSON."},
        {"id": "old", "question": "Which database?", "answer": "MySQL.", "files": ["db/*.sql"], "status": "superseded", "supersededBy": "db"},
        {"id": "db", "question": "Which database?", "answer": "Postgres.", "files": ["db/*.sql"]}
    ]"#;

    #[test]
    fn decisions_come_with_the_request_and_what_holds_no_more_is_last_and_marked() {
        let mut layer = layer("continuity", &store(THREE));

        let brief = before(&mut layer, "Change db/a.sql, and log it with Pino.", &[]).unwrap();

        insta::assert_snapshot!(brief.text(), @r"
        Decisions of this project that this request may touch:
        - [db] Which database? Postgres.
        - [log] Which logger? Pino, as JSON.
        - [old] Which database? MySQL. (superseded by db, holds no more)
        ");
        assert_eq!(brief.sentences[1].from, [Origin::Decision("db".into())]);
        assert_eq!(brief.forecast, ["db/a.sql"]);
        assert_eq!(before(&mut layer, "thanks", &[]), None);
        assert!(layer.offers().is_empty() && layer.search("pino").is_none());
    }

    #[test]
    fn each_delivery_is_a_switch_and_a_call_is_told_a_decision_once_a_turn() {
        let mut layer = layer("continuity:search,tool", &store(THREE));
        let paths = ["db/a.sql".to_owned()];
        let call = Call { turn: 1, tool: "Edit", paths: &paths, arguments: "x" };

        assert_eq!(before(&mut layer, "Change db/a.sql.", &[]), None);
        assert_eq!(layer.offers(), Offers { search: true, calls: true });
        let told = layer.on_call(&call).unwrap().unwrap();
        assert!(told.text().contains("Postgres"), "{told:?}");
        assert_eq!(layer.on_call(&call).unwrap(), None);
        before(&mut layer, "Again.", &[]);
        assert!(layer.on_call(&call).unwrap().is_some());
        let found = layer.search("Pino?").unwrap().unwrap();
        assert!(found.text().contains("[log]") && !found.text().contains("[db]"));
        let nothing = layer.search("unheard").unwrap().unwrap();
        assert_eq!(nothing.text(), "No decision of this project is about that.");
    }

    #[test]
    fn without_a_store_decisions_are_drawn_from_what_was_asked_and_stay() {
        let mut layer = layer("continuity", &Options::default());
        let first = "The target must stay fixed in sampler.py.".to_owned();

        assert_eq!(before(&mut layer, &first, &[]), None);
        let project = Project::default();
        let done =
            TurnDone { turn: 1, request: &first, steps: &[], project: &project, changes: &[] };
        layer.after(&done, &mut NoHelper).unwrap();
        let state = layer.state();
        let mut other = self::layer("continuity", &Options::default());
        other.restore(&state);

        assert!(state[STATE].contains("t1.1"), "{state:?}");
        assert_eq!(other.state(), state);
        let brief = before(&mut layer, "Write sampler.py anew.", &[first]).unwrap();
        assert_eq!(brief.sentences[1].text, "- [t1.1] The target must stay fixed in sampler.py.");
        let from = [Origin::Decision("t1.1".into()), Origin::Request(1)];
        assert_eq!(brief.sentences[1].from, from);
    }

    #[test]
    fn of_very_many_decisions_as_many_are_told_as_the_budget_holds() {
        let mut options = Options::default();
        for at in 0..60 {
            options.decisions.decisions.push(Decision {
                id: at.to_string(),
                answer: "x".repeat(100),
                files: vec!["a.py".into()],
                ..Decision::default()
            });
        }
        let mut layer = layer("continuity", &options);

        let brief = before(&mut layer, "Change a.py.", &[]).unwrap();

        assert_eq!(brief.sentences.len(), 1 + 20);
    }
}
