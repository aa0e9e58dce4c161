//! Turns the form into a request, and its fields into text.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    session::{self, Session},
    views::{form as jobs, judge::JudgePane},
};
use trajview_run::{
    format_number,
    judging::{
        ItemName, JudgeEntry, JudgeOrigin, JudgingRequest, JudgingScale, ModelList, PanelJudge,
    },
    rubric::{Codebook, SEVERE},
};

use super::{
    ItemsKey,
    form::{ComponentChoice, CustomValue, JudgeFormField, PlayheadState, StateChoice},
    missing_model,
};

impl CustomValue {
    /// Returns the path; None for the built-in value. The error is a sentence.
    fn checked_path(&self, what: &str) -> Result<Option<String>, String> {
        let path = self.path.trim();
        match (self.is_wanted, path.is_empty()) {
            (false, _) => Ok(None),
            (true, true) => Err(format!("the path of the {what} is empty: space types it")),
            (true, false) => Ok(Some(path.to_owned())),
        }
    }
}

impl JudgePane {
    /// Returns the components of the checklist; groups of the criteria, decisions or parts as far as they are known.
    pub(crate) fn judgeable_items(&self, session: &Session) -> Vec<ItemName> {
        match self.form.scale {
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
            _ if self.form.scale == JudgingScale::Flags => {
                Err("the criteria are still being read".into())
            }
            _ => Err(format!("still loading the {}s", self.form.scale.noun())),
        }
    }

    /// Returns the number of rows of the form: the fields, and the items to mark where some are marked by hand.
    pub(crate) fn form_rows(&self, session: &Session) -> usize {
        let form = &self.form;
        let listed = if form.which == ComponentChoice::Marked {
            self.judgeable_items(session).len()
        } else {
            0
        };
        form.visible_fields().len() + listed
    }

    /// Returns the request of the form. The error is a sentence.
    pub fn judging_request(&self, session: &Session) -> Result<JudgingRequest, String> {
        let judging_request = self.request_for_all(session)?;
        Ok(JudgingRequest { components: self.chosen_component_ids(session)?, ..judging_request })
    }

    /// Returns the request to plan: everything, until the items are known.
    pub(crate) fn request_to_plan(&self, session: &Session) -> Option<JudgingRequest> {
        let is_unknown =
            self.form.scale != JudgingScale::Levels && self.planned_items(session).is_err();
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
        let criteria = match form.scale {
            JudgingScale::Levels
            | JudgingScale::Codebook
            | JudgingScale::Decisions
            | JudgingScale::Process => None,
            JudgingScale::Flags => form.custom.criteria.checked_path("criteria")?,
        };
        Ok(JudgingRequest {
            judge: judge.name.clone(),
            model: form.chosen_model().to_owned(),
            scale: form.scale,
            criteria,
            components: None,
            moments: self.judged_moments(session)?,
            budget: form.look_budget(),
            repeats: form.repeats,
            prompt: form.custom.prompt.checked_path("prompt")?,
            codebook: self.study_codebook(session),
            panel: self.panel_requests()?,
            most: self.panel_cost_bound()?,
        })
    }

    /// Returns the codebook of the current study, for a judge of its components.
    fn study_codebook(&self, session: &Session) -> Option<Arc<Codebook>> {
        session.codebook_of_study().filter(|_| self.form.scale == JudgingScale::Levels)
    }

    /// Returns the other judges of a panel, each with its own model and, unless the form sets it, its own number of
    /// tool calls.
    fn panel_requests(&self) -> Result<Vec<PanelJudge>, String> {
        let of = |it: &JudgeEntry| match missing_model(it, &it.model) {
            Some(why) => Err(why),
            None => Ok(PanelJudge {
                judge: it.name.clone(),
                model: it.model.clone(),
                budget: self.form.budget.unwrap_or(it.budget),
            }),
        };
        self.form.panel_judges().into_iter().map(of).collect()
    }

    /// Returns the bound on the cost of all judges of a panel, as typed.
    fn panel_cost_bound(&self) -> Result<Option<String>, String> {
        let bound = &self.form.custom.bound;
        if self.form.panel_judges().is_empty() || !bound.is_wanted {
            return Ok(None);
        }
        let words = bound.path.trim();
        match words.parse::<f64>().is_ok_and(|most| most.is_finite() && most >= 0.0) {
            true => Ok(Some(words.to_owned())),
            false => {
                Err(format!("the limit {words:?} is not an amount in US dollars, such as 2.50"))
            }
        }
    }

    fn judged_moments(&self, session: &Session) -> Result<Vec<usize>, String> {
        let count = session.run.end_in_turns();
        if count == 0 {
            return Err("this run has no turns, so no state of the code to judge".into());
        }
        let end = |at: usize| session.run.checkpoints.get(at).map(|it| it.last_turn + 1);
        Ok(match self.form.state {
            StateChoice::Shown => vec![session.rubric.focus.done.unwrap_or(session.turn + 1)],
            StateChoice::Playhead => vec![session.turn + 1],
            StateChoice::Final => vec![count],
            StateChoice::Checkpoint(at) => vec![end(at).unwrap_or(count)],
            StateChoice::EveryCheckpoint => {
                let ends = (0..session.run.checkpoints.len()).filter_map(end);
                ends.collect::<BTreeSet<usize>>().into_iter().collect()
            }
        })
    }

    pub(crate) fn playhead_state(&self, session: &Session) -> PlayheadState {
        match session.rubric.focus.done {
            Some(turn) if turn != session.turn + 1 => PlayheadState::Apart,
            _ => PlayheadState::Shown,
        }
    }

    fn chosen_component_ids(&self, session: &Session) -> Result<Option<Vec<String>>, String> {
        let judged = &session.rubric;
        let score = |id: &str| judged.shown_judgement().and_then(|it| it.verdict_on(id)?.score);
        let chosen = &session.rubric.focus.component;
        let marked = &self.form.marked;
        type Rule<'a> = &'a dyn Fn(&str) -> bool;
        let (rule, none): (Rule<'_>, &str) = match self.form.which {
            ComponentChoice::All => return Ok(None),
            ComponentChoice::Chosen => {
                (&|id| chosen.as_deref() == Some(id), "no component selected in the scores (3w)")
            }
            ComponentChoice::Severe if judged.shown_judgement().is_none() => {
                return Err("no judgements of this run yet".into());
            }
            ComponentChoice::Severe => (
                &|id| score(id).is_some_and(|score| score <= SEVERE),
                "no component has a score of 0 or 1 in the shown judgement",
            ),
            ComponentChoice::Unjudged => {
                (&|id| score(id).is_none(), "every component has a score in the shown judgement")
            }
            ComponentChoice::Marked => (
                &|id| marked.contains(id),
                match self.form.scale {
                    JudgingScale::Levels | JudgingScale::Codebook => {
                        "no component is marked: space marks one in the list"
                    }
                    JudgingScale::Flags => "no group is marked: space marks one in the list",
                    JudgingScale::Decisions => "no decision is marked: space marks one in the list",
                    JudgingScale::Process => "no part is marked: space marks one in the list",
                },
            ),
        };
        let all = match self.form.scale {
            JudgingScale::Levels | JudgingScale::Codebook => self.judgeable_items(session),
            JudgingScale::Flags | JudgingScale::Decisions | JudgingScale::Process => {
                self.planned_items(session)?
            }
        };
        let ids = all.into_iter().map(|it| it.id);
        let wanted: Vec<String> = ids.filter(|id| rule(id)).collect();
        if wanted.is_empty() { Err(none.into()) } else { Ok(Some(wanted)) }
    }

    /// Returns the value of a field and a remark.
    pub fn field_text(&self, session: &Session, field: JudgeFormField) -> (String, String) {
        let form = &self.form;
        match field {
            JudgeFormField::Judge => form
                .chosen_judge()
                .map_or_else(|| ("none".into(), String::new()), |it| self.judges_text(it)),
            JudgeFormField::Bound => match &form.custom.bound {
                own if own.is_wanted => (own.path.clone(), String::new()),
                _ => ("only their own limits".into(), "USD in total; space types it".into()),
            },
            JudgeFormField::Model => self.model_text(),
            JudgeFormField::Rubric => match form.scale {
                JudgingScale::Levels | JudgingScale::Codebook => {
                    ("levels (slump-5)".into(), "of components".into())
                }
                JudgingScale::Flags => ("flags".into(), "places, by criteria".into()),
                JudgingScale::Decisions => ("decisions".into(), "kept or broken".into()),
                JudgingScale::Process => ("process".into(), "0 to 3, parts of pillars".into()),
            },
            JudgeFormField::Components => self.components_text(session),
            JudgeFormField::State => self.state_text(session),
            JudgeFormField::Looks => {
                (form.look_budget().to_string(), format!("per {} (max)", form.scale.noun()))
            }
            JudgeFormField::Repeats => {
                let files = if form.repeats == 1 { "one file" } else { "one file each" };
                (form.repeats.to_string(), files.into())
            }
            JudgeFormField::Prompt | JudgeFormField::Criteria => match form.custom_value(field) {
                Some(own) if own.is_wanted => (own.path.clone(), String::new()),
                _ if field == JudgeFormField::Prompt && self.study_codebook(session).is_some() => {
                    ("built in".into(), "with the study's codebook".into())
                }
                _ => ("built in".into(), String::new()),
            },
        }
    }

    /// Returns the chosen judge and the others of the panel.
    fn judges_text(&self, judge: &JudgeEntry) -> (String, String) {
        let others = self.form.panel_judges();
        let names: Vec<&str> = others.iter().map(|it| it.name.as_str()).collect();
        let is_marked = self.form.panel.contains(&judge.name);
        match (names.as_slice(), is_marked) {
            ([], false) => (judge.name.clone(), origin_text(judge)),
            ([], true) => (judge.name.clone(), "already added; ←→ to another".into()),
            (names, _) => {
                let all = names.len() + 1;
                (format!("{} with {}", judge.name, names.join(", ")), format!("{all} at once"))
            }
        }
    }

    fn model_text(&self) -> (String, String) {
        let form = &self.form;
        let Some(judge) = form.chosen_judge() else { return ("none".into(), String::new()) };
        let value = match form.chosen_model() {
            "" if judge.kind == "command" => "default model",
            "" => "none chosen",
            model => model,
        };
        let listed = match &judge.models {
            _ if self.is_listing() => "requesting its models…".into(),
            ModelList::NoList => "space types one".into(),
            ModelList::NotRequested => "←→ or space chooses".into(),
            ModelList::Listed(listed) => format!("{} listed", listed.len()),
            ModelList::Failed(why) => format!("no list: {why}"),
        };
        let price = match judge.price_of(form.chosen_model()) {
            Some([sent, said]) => format!(
                "{} and {} per million tokens in and out",
                format_number::dollars_text(sent),
                format_number::dollars_text(said)
            ),
            None => "not priced".into(),
        };
        (value.into(), format!("{price}, {listed}"))
    }

    /// Returns a field in the form that all dialogs share.
    pub(crate) fn form_field(&self, session: &Session, field: JudgeFormField) -> jobs::FormField {
        let form = &self.form;
        let label = field.field_label(form.scale);
        if form.typing == Some(field) || form.custom_value(field).is_some_and(|own| own.is_wanted) {
            let typed =
                form.custom_value(field).map_or_else(|| form.chosen_model(), |own| &own.path);
            let line = form.typed_line().filter(|_| form.typing == Some(field));
            return jobs::FormField::with_text(label, label, line.unwrap_or(typed), "");
        }
        let (value, remark) = self.field_text(session, field);
        let choice = session::jobs::FormChoice::new(label, value).with_remark(remark);
        jobs::FormField::with_choices(label, label, vec![choice], 0)
    }

    fn components_text(&self, session: &Session) -> (String, String) {
        let word = match self.form.which {
            ComponentChoice::All => "all",
            ComponentChoice::Chosen => "the chosen one",
            ComponentChoice::Severe => "scored 0 or 1",
            ComponentChoice::Unjudged => "without a score",
            ComponentChoice::Marked => "marked",
        };
        let remark = match (self.form.which, self.chosen_component_ids(session)) {
            (ComponentChoice::All, _) => match self.judgeable_items(session).len() {
                0 => String::new(),
                count => count.to_string(),
            },
            (ComponentChoice::Chosen, Ok(Some(ids))) => ids.concat(),
            (_, Ok(ids)) => {
                format!(
                    "{} of {}",
                    ids.map_or(0, |it| it.len()),
                    self.judgeable_items(session).len()
                )
            }
            (_, Err(_)) => "none".into(),
        };
        (word.into(), remark)
    }

    fn state_text(&self, session: &Session) -> (String, String) {
        let checkpoints = &session.run.checkpoints;
        let after = |turn: usize| format!("after turn {turn}");
        match self.form.state {
            StateChoice::Shown => match session.rubric.focus.done {
                Some(turn) => (format!("turn {turn}"), "shown in this view".into()),
                None => (format!("turn {}", session.turn + 1), "the playhead's".into()),
            },
            StateChoice::Playhead => {
                (format!("turn {}", session.turn + 1), "the playhead's".into())
            }
            StateChoice::Final => ("the end".into(), after(session.run.end_in_turns())),
            StateChoice::EveryCheckpoint => {
                let count = self.judged_moments(session).map_or(0, |it| it.len());
                ("every checkpoint".into(), format!("{count}, in order"))
            }
            StateChoice::Checkpoint(at) => match checkpoints.get(at) {
                Some(it) => (format!("checkpoint {}", it.id), after(it.last_turn + 1)),
                None => ("the end".into(), String::new()),
            },
        }
    }
}

/// Returns the reason why the judge is offered.
fn origin_text(judge: &JudgeEntry) -> String {
    match &judge.origin {
        JudgeOrigin::Settings => format!("{}, of the settings", judge.kind),
        JudgeOrigin::Key(variable) => format!("key in {variable}"),
        JudgeOrigin::Server => "running on this machine".into(),
        JudgeOrigin::Program(_) => "installed program".into(),
    }
}
