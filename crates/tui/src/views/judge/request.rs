//! Turns the form into a request, and its fields into text.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    session::{Session, jobs::FormChoice},
    views::{form::FormNote, judge::JudgePane},
    widgets::theme::Meaning,
};
use trajview_run::{
    format_number,
    judging::{
        ItemName, JudgeEntry, JudgeOrigin, JudgingPlan, JudgingRequest, JudgingScale, ModelList,
        PanelJudge,
    },
    rubric::{Codebook, SEVERE as SEVERE_SCORE},
};

use super::{
    ItemsKey,
    form::{
        ALL, BOUND, CALLS, COMPONENTS, CRITERIA, EVERY_CHECKPOINT, FINAL, JUDGE, MARKED, MODEL,
        PLAYHEAD, PROMPT, REPEATS, RUBRIC, SELECTED, SEVERE, SHOWN, STATE, UNJUDGED,
    },
    missing_model,
};

/// The fields that there are while any judge can be asked.
const USUAL_FIELDS: [&str; 8] = [JUDGE, MODEL, RUBRIC, COMPONENTS, STATE, CALLS, REPEATS, PROMPT];

/// Ways to make a judge available.
const JUDGE_SOURCES: [(&str, &str); 3] = [
    ("key", "OPENAI_, ANTHROPIC_, GEMINI_ or OPENROUTER_API_KEY"),
    ("server", "Ollama (port 11434), llama.cpp (8080), vLLM (8000) on this machine"),
    ("program", "claude, codex or gemini on the PATH"),
];

impl JudgePane {
    /// Returns the components of the checklist; groups of the criteria, decisions or parts as far as they are known.
    pub(crate) fn judgeable_items(&self, session: &Session) -> Vec<ItemName> {
        match self.form.scale() {
            JudgingScale::Levels | JudgingScale::Codebook => {
                let rubric = session.rubric.known_rubric();
                let all = rubric.and_then(|it| it.checklist.as_ref()).into_iter();
                let item = |id: &str, name: &str| ItemName { id: id.into(), name: name.into() };
                all.flat_map(|it| &it.components).map(|it| item(&it.id, &it.name)).collect()
            }
            JudgingScale::Flags | JudgingScale::Decisions | JudgingScale::Process => {
                self.planned_items(session).unwrap_or_default()
            }
        }
    }

    /// Returns the items that a plan listed for the form. The error is a sentence.
    fn planned_items(&self, session: &Session) -> Result<Vec<ItemName>, String> {
        let of = ItemsKey::for_request(&self.request_for_all(session)?);
        match &self.items {
            Some(items) if items.of == of => items.read.clone(),
            _ if self.form.scale() == JudgingScale::Flags => {
                Err("the criteria are still being read".into())
            }
            _ => Err(format!("the {}s are still being looked for", self.form.scale().noun())),
        }
    }

    /// Returns the request of the form. The error is a sentence.
    pub fn judging_request(&self, session: &Session) -> Result<JudgingRequest, String> {
        let judging_request = self.request_for_all(session)?;
        Ok(JudgingRequest { components: self.chosen_component_ids(session)?, ..judging_request })
    }

    /// Returns the request to plan: everything, until the items are known.
    pub(crate) fn request_to_plan(&self, session: &Session) -> Option<JudgingRequest> {
        let is_unknown =
            self.form.scale() != JudgingScale::Levels && self.planned_items(session).is_err();
        if is_unknown {
            self.request_for_all(session).ok()
        } else {
            self.judging_request(session).ok()
        }
    }

    fn request_for_all(&self, session: &Session) -> Result<JudgingRequest, String> {
        let form = &self.form;
        let judge = form.chosen_judge().ok_or("no judge available")?;
        missing_model(judge, form.chosen_model()).map_or(Ok(()), Err)?;
        if !session.growth.is_whole {
            return Err("the recording is still being read".into());
        }
        let path = |id| form.pane.typed_text(id).map(str::to_owned);
        Ok(JudgingRequest {
            judge: judge.name.clone(),
            model: form.chosen_model().to_owned(),
            scale: form.scale(),
            criteria: path(CRITERIA).filter(|_| form.scale() == JudgingScale::Flags),
            components: None,
            moments: self.judged_moments(session)?,
            budget: form.call_budget(),
            repeats: form.repeats(),
            prompt: path(PROMPT),
            codebook: self.study_codebook(session),
            panel: self.panel_requests()?,
            most: self.panel_cost_bound()?,
        })
    }

    /// Returns the codebook of the current study, for a judge of its components.
    fn study_codebook(&self, session: &Session) -> Option<Arc<Codebook>> {
        session.codebook_of_study().filter(|_| self.form.scale() == JudgingScale::Levels)
    }

    /// Returns the other judges of a panel, each with its own model and, unless the form sets it, its own number of
    /// tool calls.
    fn panel_requests(&self) -> Result<Vec<PanelJudge>, String> {
        let own = self.form.chosen_judge().map(|it| it.budget);
        let changed = Some(self.form.call_budget()).filter(|budget| Some(*budget) != own);
        let of = |it: &JudgeEntry| match missing_model(it, &it.model) {
            Some(why) => Err(why),
            None => Ok(PanelJudge {
                judge: it.name.clone(),
                model: it.model.clone(),
                budget: changed.unwrap_or(it.budget),
            }),
        };
        self.form.panel_judges().into_iter().map(of).collect()
    }

    /// Returns the bound on the cost of all judges of a panel, as typed.
    fn panel_cost_bound(&self) -> Result<Option<String>, String> {
        let Some(words) = self.form.pane.typed_text(BOUND) else { return Ok(None) };
        match words.parse::<f64>().is_ok_and(|most| most.is_finite() && most >= 0.0) {
            true => Ok(Some(words.to_owned())),
            false => {
                Err(format!("the bound {words:?} is not an amount in US dollars, such as 2.50"))
            }
        }
    }

    fn judged_moments(&self, session: &Session) -> Result<Vec<usize>, String> {
        let count = session.run.end_in_turns();
        if count == 0 {
            return Err("this run has no turns, so no state of the code to judge".into());
        }
        let end = |at: usize| session.run.checkpoints.get(at).map(|it| it.last_turn + 1);
        Ok(match self.form.pane.chosen_id(STATE) {
            "" | SHOWN => vec![session.rubric.focus.done.unwrap_or(session.turn + 1)],
            PLAYHEAD => vec![session.turn + 1],
            FINAL => vec![count],
            EVERY_CHECKPOINT => {
                let ends = (0..session.run.checkpoints.len()).filter_map(end);
                ends.collect::<BTreeSet<usize>>().into_iter().collect()
            }
            checkpoint => vec![checkpoint.parse().ok().and_then(end).unwrap_or(count)],
        })
    }

    fn chosen_component_ids(&self, session: &Session) -> Result<Option<Vec<String>>, String> {
        self.component_ids(session, self.form.pane.chosen_id(COMPONENTS))
    }

    /// Returns the ids of the components of a choice; None for all.
    fn component_ids(&self, session: &Session, which: &str) -> Result<Option<Vec<String>>, String> {
        let judged = &session.rubric;
        let score = |id: &str| judged.shown_judgement().and_then(|it| it.verdict_on(id)?.score);
        let chosen = &session.rubric.focus.component;
        let marked = &self.form.marked;
        type Rule<'a> = &'a dyn Fn(&str) -> bool;
        let (rule, none): (Rule<'_>, &str) = match which {
            SELECTED => {
                (&|id| chosen.as_deref() == Some(id), "no component selected in the scores (g s)")
            }
            SEVERE if judged.shown_judgement().is_none() => {
                return Err("no judgements of this run yet".into());
            }
            SEVERE => (
                &|id| score(id).is_some_and(|score| score <= SEVERE_SCORE),
                "no component has a score of 0 or 1 in the shown judgement",
            ),
            UNJUDGED => {
                (&|id| score(id).is_none(), "every component has a score in the shown judgement")
            }
            MARKED => (
                &|id| marked.contains(id),
                match self.form.scale() {
                    JudgingScale::Levels | JudgingScale::Codebook => {
                        "no component is marked: space marks one in the list"
                    }
                    JudgingScale::Flags => "no group is marked: space marks one in the list",
                    JudgingScale::Decisions => "no decision is marked: space marks one in the list",
                    JudgingScale::Process => "no part is marked: space marks one in the list",
                },
            ),
            _ => return Ok(None),
        };
        let all = match self.form.scale() {
            JudgingScale::Levels | JudgingScale::Codebook => self.judgeable_items(session),
            JudgingScale::Flags | JudgingScale::Decisions | JudgingScale::Process => {
                self.planned_items(session)?
            }
        };
        let ids = all.into_iter().map(|it| it.id);
        let wanted: Vec<String> = ids.filter(|id| rule(id)).collect();
        if wanted.is_empty() { Err(none.into()) } else { Ok(Some(wanted)) }
    }

    /// Brings the choices, the remarks and the note of the form up to date.
    pub(crate) fn fill_form(&mut self, session: &Session) {
        let judges = self.form.judges.iter().map(|it| self.judge_choice(it)).collect();
        self.form.pane.offer_choices(JUDGE, judges);
        self.form.fill_for_judge();
        let has_judges = !self.form.judges.is_empty();
        let is_flagging = self.form.scale() == JudgingScale::Flags;
        let is_panel = !self.form.panel_judges().is_empty();
        let shown = USUAL_FIELDS.into_iter().map(|id| (id, true));
        for (id, is_shown) in shown.chain([(BOUND, is_panel), (CRITERIA, is_flagging)]) {
            self.form.pane.show_field(id, is_shown && has_judges);
        }
        let components = self.component_choices(session);
        self.form.pane.offer_choices(COMPONENTS, components);
        self.form.pane.offer_choices(STATE, self.state_choices(session));
        let (listed, price) = self.model_list();
        let is_command = self.form.chosen_judge().is_some_and(|it| it.kind == "command");
        let noun = self.form.scale().noun();
        let files = if self.form.repeats() == 1 { "one file" } else { "one file each" };
        let codebook = match self.study_codebook(session) {
            Some(_) if self.form.pane.typed_text(PROMPT).is_none() => "with the study's codebook",
            _ => "",
        };
        let units = self.form.units_label();
        let pane = &mut self.form.pane;
        pane.set_listed(MODEL, listed, if is_command { "default model" } else { "none" });
        pane.change_field(MODEL, |it| it.remark = price);
        pane.change_field(CALLS, |it| it.remark = format!("per {noun} (max)"));
        pane.change_field(REPEATS, |it| it.remark = files.into());
        pane.change_field(PROMPT, |it| it.remark = codebook.into());
        pane.change_field(COMPONENTS, |it| it.label = units);
        let listed = match self.form.pane.chosen_id(COMPONENTS) {
            MARKED => self.judgeable_items(session),
            _ => vec![],
        };
        self.form.list_marks(listed);
        let note = if has_judges { self.plan_note(session) } else { self.no_judge_note() };
        self.form.pane.set_note(note);
    }

    /// Returns a judge as it is shown while it is chosen: with the others of the panel, or why it is offered.
    fn judge_choice(&self, judge: &JudgeEntry) -> FormChoice {
        let others = self.form.judges.iter().filter(|it| self.form.panel.contains(&it.name));
        let others = others.filter(|it| it.name != judge.name);
        let names: Vec<&str> = others.map(|it| it.name.as_str()).collect();
        let (label, remark) = match (names.as_slice(), self.form.panel.contains(&judge.name)) {
            ([], false) => (judge.name.clone(), origin_text(judge)),
            ([], true) => (judge.name.clone(), "already added; ←→ to another".into()),
            (names, _) => {
                let all = names.len() + 1;
                (format!("{} with {}", judge.name, names.join(", ")), format!("{all} at once"))
            }
        };
        FormChoice::new(&*judge.name, label).with_remark(remark)
    }

    /// Returns the models that the chosen judge lists, and the price of the chosen one.
    fn model_list(&self) -> (Vec<String>, String) {
        let form = &self.form;
        let Some(judge) = form.chosen_judge() else { return (vec![], String::new()) };
        let listed = match &judge.models {
            _ if self.is_listing() => "requesting its models…".into(),
            ModelList::NoList => "space to type one".into(),
            ModelList::NotRequested => "←→ or space to choose".into(),
            ModelList::Listed(listed) => format!("{} listed", listed.len()),
            ModelList::Failed(why) => format!("no list: {why}"),
        };
        let price = match judge.price_of(form.chosen_model()) {
            Some([sent, received]) => format!(
                "{} and {} per million tokens in and out",
                format_number::dollars_text(sent),
                format_number::dollars_text(received)
            ),
            None => "no price known".into(),
        };
        let ids = judge.listed_models().iter().map(|it| it.id.clone());
        (ids.collect(), format!("{price}, {listed}"))
    }

    fn component_choices(&self, session: &Session) -> Vec<FormChoice> {
        let named = [
            (ALL, "all"),
            (SELECTED, "the selected one"),
            (SEVERE, "scored 0 or 1"),
            (UNJUDGED, "without a score"),
            (MARKED, "marked"),
        ];
        let has_scores = matches!(self.form.scale(), JudgingScale::Levels | JudgingScale::Codebook);
        let offered = named.into_iter().filter(|(id, _)| has_scores || [ALL, MARKED].contains(id));
        let all = self.judgeable_items(session).len();
        let choice = |(id, label): (&str, &str)| {
            let remark = match self.component_ids(session, id) {
                Ok(None) if all == 0 => String::new(),
                Ok(None) => all.to_string(),
                Ok(Some(ids)) if id == SELECTED => ids.concat(),
                Ok(Some(ids)) => format!("{} of {all}", ids.len()),
                Err(_) => "none".into(),
            };
            FormChoice::new(id, label).with_remark(remark)
        };
        offered.map(choice).collect()
    }

    /// Returns the states to judge; the playhead's where the view shows another one.
    fn state_choices(&self, session: &Session) -> Vec<FormChoice> {
        let choice = |id: &str, label: String, remark: String| {
            FormChoice::new(id, label).with_remark(remark)
        };
        let playhead = (format!("turn {}", session.turn + 1), "at the playhead".to_owned());
        let judged = session.rubric.focus.done;
        let shown = judged.map(|turn| (format!("turn {turn}"), "shown in this view".to_owned()));
        let apart = judged.is_some_and(|turn| turn != session.turn + 1);
        let (label, remark) = shown.unwrap_or_else(|| playhead.clone());
        let after = |turn: usize| format!("after turn {turn}");
        let checkpoints = session.run.checkpoints.iter().enumerate();
        let count = session.run.checkpoints.len();
        let every =
            || choice(EVERY_CHECKPOINT, "every checkpoint".into(), format!("{count}, in order"));
        let each = checkpoints.map(|(at, it)| {
            choice(&at.to_string(), format!("checkpoint {}", it.id), after(it.last_turn + 1))
        });
        std::iter::once(choice(SHOWN, label, remark))
            .chain(apart.then(|| choice(PLAYHEAD, playhead.0, playhead.1)))
            .chain([choice(FINAL, "the end".into(), after(session.run.end_in_turns()))])
            .chain((count > 0).then(every))
            .chain(each)
            .collect()
    }

    /// Returns the plan, or the reason why it is impossible.
    fn plan_note(&self, session: &Session) -> FormNote {
        let sentence = |words: &str, looks| (String::new(), words.to_owned(), looks);
        let warning = |words: &str| FormNote {
            rows: vec![sentence(words, Meaning::Warning)],
            is_ready: false,
        };
        let judging_request = match self.judging_request(session) {
            Err(why) => return warning(&why),
            Ok(judging_request) => judging_request,
        };
        let plan = match self.plan_for(&judging_request) {
            None => {
                let rows = vec![sentence("preparing the plan…", Meaning::Muted)];
                return FormNote { rows, is_ready: false };
            }
            Some(Err(why)) => return warning(why),
            Some(Ok(plan)) => plan,
        };
        let is_busy = self.judging_under_way().is_some();
        let why = plan.lacks.as_deref().or(is_busy.then_some("another judge is running"));
        let mut rows: Vec<_> = plan_rows(plan, &judging_request)
            .into_iter()
            .map(|(name, words)| (name.to_owned(), words, Meaning::Text))
            .collect();
        rows.extend(why.map(|why| sentence(why, Meaning::Warning)));
        FormNote { rows, is_ready: why.is_none() }
    }

    /// Returns the ways to make a judge available.
    fn no_judge_note(&self) -> FormNote {
        let sentence = |words: String, looks| (String::new(), words, looks);
        if self.is_searching() {
            let rows = vec![sentence("searching judges…".into(), Meaning::Muted)];
            return FormNote { rows, is_ready: false };
        }
        let file = self.form.settings.as_deref().unwrap_or("the file of --config");
        let sources = JUDGE_SOURCES
            .iter()
            .map(|(name, words)| ((*name).to_owned(), (*words).to_owned(), Meaning::Text));
        let mut rows = vec![sentence(
            "No judge is configured. One of these is enough:".into(),
            Meaning::Warning,
        )];
        rows.extend(sources);
        rows.push(("settings".into(), format!("a table [judges.NAME] in {file}"), Meaning::Text));
        rows.push(sentence("r: close; r again: search again".into(), Meaning::Muted));
        FormNote { rows, is_ready: false }
    }
}

fn plan_rows(plan: &JudgingPlan, judging_request: &JudgingRequest) -> Vec<(&'static str, String)> {
    let cost = match (plan.cost, plan.bound) {
        (Some(cost), Some(bound)) => {
            format!(
                "{} at most; the bound is {}",
                format_number::dollars_text(cost),
                format_number::dollars_text(bound)
            )
        }
        (Some(cost), None) => {
            format!("{} at most; max_cost_usd would bound it", format_number::dollars_text(cost))
        }
        (None, _) => "no price known".into(),
    };
    let tokens = format!(
        "at most {} in, {} out; usually far fewer",
        format_number::short_count(plan.input_tokens),
        format_number::short_count(plan.output_tokens)
    );
    let answers = judging_request.repeats * plan.answers;
    let (answered, sent) = match judging_request.scale {
        JudgingScale::Levels | JudgingScale::Codebook => {
            ("verdicts", "prompt, component, and the code that it reads")
        }
        JudgingScale::Flags => ("answers", "prompt, criteria, and the code that it reads"),
        JudgingScale::Decisions => ("verdicts", "prompt, decision, and the code that it reads"),
        JudgingScale::Process => {
            ("verdicts", "prompt, plan, commits or requests, and the code that it reads")
        }
    };
    let key = plan.key.as_ref().map(|variable| format!(", key in {variable}"));
    let mut rows = vec![
        ("sent to", plan.place.clone() + &key.unwrap_or_default()),
        ("sent", sent.into()),
        (answered, answers.to_string()),
        ("requests", format!("at most {}, without retries", plan.requests)),
        ("tokens", tokens),
        ("cost", cost),
        ("prompt", format!("sha256 {}", plan.prompt)),
    ];
    if !plan.left_out.is_empty() {
        let turns: Vec<String> = plan.left_out.iter().map(ToString::to_string).collect();
        rows.push(("skipped", format!("nothing to judge after turn {}", turns.join(", "))));
    }
    let criteria = plan.criteria.as_ref();
    rows.extend(criteria.map(|digits| ("criteria", format!("sha256 {digits}"))));
    rows
}

/// Returns the reason why the judge is offered.
fn origin_text(judge: &JudgeEntry) -> String {
    match &judge.origin {
        JudgeOrigin::Settings => format!("{}, from the settings", judge.kind),
        JudgeOrigin::Key(variable) => format!("key in {variable}"),
        JudgeOrigin::Server => "running on this machine".into(),
        JudgeOrigin::Program(_) => "installed program".into(),
    }
}
