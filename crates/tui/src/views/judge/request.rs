//! What the form says: the wish it comes to, and its fields in words.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    session::{
        self, Session,
        judging::{Item, Judge, JudgingRequest, Models, Origin, Panelist, Scale},
    },
    views::{form as jobs, judge::Judging},
};
use trajview_run::{
    figures,
    rubric::{Codebook, SEVERE},
};

use super::{
    ItemsOf,
    form::{Field, Own, Playhead, State, Which},
    lacks_model,
};

impl Own {
    /// None for what is built in. The error is a sentence.
    fn wanted(&self, what: &str) -> Result<Option<String>, String> {
        let path = self.path.trim();
        match (self.is_wanted, path.is_empty()) {
            (false, _) => Ok(None),
            (true, true) => Err(format!("the path of the {what} is empty: space types it")),
            (true, false) => Ok(Some(path.to_owned())),
        }
    }
}

impl Judging {
    /// Components of the checklist; groups of the criteria, decisions or parts as far as they are known.
    pub fn judgeable(&self, session: &Session) -> Vec<Item> {
        match self.form.scale {
            Scale::Levels => {
                let rubric = session.rubric.known();
                let all = rubric.and_then(|it| it.checklist.as_ref()).into_iter();
                let item = |id: &str, name: &str| Item { id: id.into(), name: name.into() };
                all.flat_map(|it| &it.components).map(|it| item(&it.id, &it.name)).collect()
            }
            Scale::Flags | Scale::Decisions | Scale::Process => {
                self.items(session).unwrap_or_default()
            }
        }
    }

    /// What a plan told of what the form names. The error is a sentence.
    fn items(&self, session: &Session) -> Result<Vec<Item>, String> {
        let of = ItemsOf::of(&self.wish_for_all(session)?);
        match &self.items {
            Some(items) if items.of == of => items.read.clone(),
            _ if self.form.scale == Scale::Flags => Err("the criteria are still being read".into()),
            _ => Err(format!("the {}s are still being looked for", self.form.scale.noun())),
        }
    }

    /// Rows of the form: the fields, and what can be marked where some are marked by hand.
    pub fn form_rows(&self, session: &Session) -> usize {
        let form = &self.form;
        let listed = if form.which == Which::Marked { self.judgeable(session).len() } else { 0 };
        form.fields().len() + listed
    }

    /// What is wanted. The error is a sentence.
    pub fn judge_wish(&self, session: &Session) -> Result<JudgingRequest, String> {
        let wish = self.wish_for_all(session)?;
        Ok(JudgingRequest { components: self.wanted_components(session)?, ..wish })
    }

    /// What is to be planned: everything, until it is known what there is.
    pub(crate) fn wish_to_plan(&self, session: &Session) -> Option<JudgingRequest> {
        let is_unknown = self.form.scale != Scale::Levels && self.items(session).is_err();
        if is_unknown { self.wish_for_all(session).ok() } else { self.judge_wish(session).ok() }
    }

    fn wish_for_all(&self, session: &Session) -> Result<JudgingRequest, String> {
        let form = &self.form;
        let judge = form.judge().ok_or("nobody can be asked")?;
        lacks_model(judge, form.model()).map_or(Ok(()), Err)?;
        if !session.growth.is_whole {
            return Err("the recording is still being read".into());
        }
        let criteria = match form.scale {
            Scale::Levels | Scale::Decisions | Scale::Process => None,
            Scale::Flags => form.own.criteria.wanted("criteria")?,
        };
        Ok(JudgingRequest {
            judge: judge.name.clone(),
            model: form.model().to_owned(),
            scale: form.scale,
            criteria,
            components: None,
            moments: self.moments(session)?,
            budget: form.budget(),
            repeats: form.repeats,
            prompt: form.own.prompt.wanted("prompt")?,
            codebook: self.codebook(session),
            panel: self.panelists()?,
            most: self.most()?,
        })
    }

    /// That of the study that is worked, for a judge of its components.
    fn codebook(&self, session: &Session) -> Option<Arc<Codebook>> {
        session.codebook_of_study().filter(|_| self.form.scale == Scale::Levels)
    }

    /// The other judges of a panel, each with its own model and, unless the form says it, its own number of looks.
    fn panelists(&self) -> Result<Vec<Panelist>, String> {
        let of = |it: &Judge| match lacks_model(it, &it.model) {
            Some(why) => Err(why),
            None => Ok(Panelist {
                judge: it.name.clone(),
                model: it.model.clone(),
                budget: self.form.budget.unwrap_or(it.budget),
            }),
        };
        self.form.others().into_iter().map(of).collect()
    }

    /// What all judges of a panel may cost together, as it was typed.
    fn most(&self) -> Result<Option<String>, String> {
        let bound = &self.form.own.bound;
        if self.form.others().is_empty() || !bound.is_wanted {
            return Ok(None);
        }
        let words = bound.path.trim();
        match words.parse::<f64>().is_ok_and(|most| most.is_finite() && most >= 0.0) {
            true => Ok(Some(words.to_owned())),
            false => Err(format!("the bound {words:?} is no amount in US dollars, such as 2.50")),
        }
    }

    fn moments(&self, session: &Session) -> Result<Vec<usize>, String> {
        let count = session.run.end();
        if count == 0 {
            return Err("this run has no turns, so there is no state of code to judge".into());
        }
        let end = |at: usize| session.run.checkpoints.get(at).map(|it| it.last_turn + 1);
        Ok(match self.form.state {
            State::Shown => vec![session.rubric.looked_at.done.unwrap_or(session.turn + 1)],
            State::Playhead => vec![session.turn + 1],
            State::Final => vec![count],
            State::Checkpoint(at) => vec![end(at).unwrap_or(count)],
            State::EveryCheckpoint => {
                let ends = (0..session.run.checkpoints.len()).filter_map(end);
                ends.collect::<BTreeSet<usize>>().into_iter().collect()
            }
        })
    }

    pub(crate) fn playhead_beside_the_shown(&self, session: &Session) -> Playhead {
        match session.rubric.looked_at.done {
            Some(turn) if turn != session.turn + 1 => Playhead::Apart,
            _ => Playhead::Shown,
        }
    }

    fn wanted_components(&self, session: &Session) -> Result<Option<Vec<String>>, String> {
        let judged = &session.rubric;
        let score = |id: &str| judged.judgement().and_then(|it| it.of(id)?.score);
        let chosen = &session.rubric.looked_at.component;
        let marked = &self.form.marked;
        type Rule<'a> = &'a dyn Fn(&str) -> bool;
        let (rule, none): (Rule<'_>, &str) = match self.form.which {
            Which::All => return Ok(None),
            Which::Chosen => {
                (&|id| chosen.as_deref() == Some(id), "no component is chosen in the scores (3w)")
            }
            Which::Severe if judged.judgement().is_none() => {
                return Err("nothing has judged this run yet".into());
            }
            Which::Severe => (
                &|id| score(id).is_some_and(|score| score <= SEVERE),
                "no component has a score of 0 or 1 in the judgement that is looked at",
            ),
            Which::Unjudged => (
                &|id| score(id).is_none(),
                "every component has a score in the judgement that is looked at",
            ),
            Which::Marked => (
                &|id| marked.contains(id),
                match self.form.scale {
                    Scale::Levels => "no component is marked: space marks one in the list",
                    Scale::Flags => "no group is marked: space marks one in the list",
                    Scale::Decisions => "no decision is marked: space marks one in the list",
                    Scale::Process => "no part is marked: space marks one in the list",
                },
            ),
        };
        let all = match self.form.scale {
            Scale::Levels => self.judgeable(session),
            Scale::Flags | Scale::Decisions | Scale::Process => self.items(session)?,
        };
        let ids = all.into_iter().map(|it| it.id);
        let wanted: Vec<String> = ids.filter(|id| rule(id)).collect();
        if wanted.is_empty() { Err(none.into()) } else { Ok(Some(wanted)) }
    }

    /// The value of a field, and a remark on it.
    pub fn field_said(&self, session: &Session, field: Field) -> (String, String) {
        let form = &self.form;
        match field {
            Field::Judge => form
                .judge()
                .map_or_else(|| ("none".into(), String::new()), |it| self.judges_said(it)),
            Field::Bound => match &form.own.bound {
                own if own.is_wanted => (own.path.clone(), String::new()),
                _ => ("none but their own".into(), "USD of all together; space types it".into()),
            },
            Field::Model => self.model_said(),
            Field::Rubric => match form.scale {
                Scale::Levels => ("levels (slump-5)".into(), "of components".into()),
                Scale::Flags => ("flags".into(), "places, by criteria".into()),
                Scale::Decisions => ("decisions".into(), "kept or broken".into()),
                Scale::Process => ("process".into(), "0 to 3, parts of pillars".into()),
            },
            Field::Components => self.components_said(session),
            Field::State => self.state_said(session),
            Field::Looks => {
                (form.budget().to_string(), format!("for each {} at most", form.scale.noun()))
            }
            Field::Repeats => {
                let files = if form.repeats == 1 { "one file" } else { "one file each" };
                (form.repeats.to_string(), files.into())
            }
            Field::Prompt | Field::Criteria => match form.own(field) {
                Some(own) if own.is_wanted => (own.path.clone(), String::new()),
                _ if field == Field::Prompt && self.codebook(session).is_some() => {
                    ("built in".into(), "with the study's codebook".into())
                }
                _ => ("built in".into(), String::new()),
            },
        }
    }

    /// The judge at hand and those that are asked at the same time.
    fn judges_said(&self, judge: &Judge) -> (String, String) {
        let others = self.form.others();
        let names: Vec<&str> = others.iter().map(|it| it.name.as_str()).collect();
        let is_marked = self.form.panel.contains(&judge.name);
        match (names.as_slice(), is_marked) {
            ([], false) => (judge.name.clone(), said_of(judge)),
            ([], true) => (judge.name.clone(), "taken; ←→ to another".into()),
            (names, _) => {
                let all = names.len() + 1;
                (format!("{} with {}", judge.name, names.join(", ")), format!("{all} at once"))
            }
        }
    }

    fn model_said(&self) -> (String, String) {
        let form = &self.form;
        let Some(judge) = form.judge() else { return ("none".into(), String::new()) };
        let value = match form.model() {
            "" if judge.kind == "command" => "its own choice",
            "" => "none chosen",
            model => model,
        };
        let listed = match &judge.models {
            _ if self.is_listing() => "asks which it has…".into(),
            Models::NoList => "space types one".into(),
            Models::NotAsked => "←→ or space chooses".into(),
            Models::Known(listed) => format!("{} listed", listed.len()),
            Models::Failed(why) => format!("no list: {why}"),
        };
        let price = match judge.price_of(form.model()) {
            Some([sent, said]) => format!(
                "{} and {} a million tokens in and out",
                figures::dollars(sent),
                figures::dollars(said)
            ),
            None => "not priced".into(),
        };
        (value.into(), format!("{price}, {listed}"))
    }

    /// A field as every form shows it.
    pub fn shown_field(&self, session: &Session, field: Field) -> jobs::Field {
        let form = &self.form;
        let label = field.word(form.scale);
        if form.typing == Some(field) || form.own(field).is_some_and(|own| own.is_wanted) {
            let typed = form.own(field).map_or_else(|| form.model(), |own| &own.path);
            let line = form.line().filter(|_| form.typing == Some(field));
            return jobs::Field::text(label, label, line.unwrap_or(typed), "");
        }
        let (value, remark) = self.field_said(session, field);
        let choice = session::jobs::Choice::new(label, value).with_remark(remark);
        jobs::Field::choice(label, label, vec![choice], 0)
    }

    fn components_said(&self, session: &Session) -> (String, String) {
        let word = match self.form.which {
            Which::All => "all",
            Which::Chosen => "the chosen one",
            Which::Severe => "scored 0 or 1",
            Which::Unjudged => "without a score",
            Which::Marked => "marked",
        };
        let remark = match (self.form.which, self.wanted_components(session)) {
            (Which::All, _) => match self.judgeable(session).len() {
                0 => String::new(),
                count => count.to_string(),
            },
            (Which::Chosen, Ok(Some(ids))) => ids.concat(),
            (_, Ok(ids)) => {
                format!("{} of {}", ids.map_or(0, |it| it.len()), self.judgeable(session).len())
            }
            (_, Err(_)) => "none".into(),
        };
        (word.into(), remark)
    }

    fn state_said(&self, session: &Session) -> (String, String) {
        let checkpoints = &session.run.checkpoints;
        let after = |turn: usize| format!("after turn {turn}");
        match self.form.state {
            State::Shown => match session.rubric.looked_at.done {
                Some(turn) => (format!("turn {turn}"), "shown in this view".into()),
                None => (format!("turn {}", session.turn + 1), "the playhead's".into()),
            },
            State::Playhead => (format!("turn {}", session.turn + 1), "the playhead's".into()),
            State::Final => ("the end".into(), after(session.run.end())),
            State::EveryCheckpoint => {
                let count = self.moments(session).map_or(0, |it| it.len());
                ("every checkpoint".into(), format!("{count}, in order"))
            }
            State::Checkpoint(at) => match checkpoints.get(at) {
                Some(it) => (format!("checkpoint {}", it.id), after(it.last_turn + 1)),
                None => ("the end".into(), String::new()),
            },
        }
    }
}

/// Why it is offered.
fn said_of(judge: &Judge) -> String {
    match &judge.origin {
        Origin::Settings => format!("{}, of the settings", judge.kind),
        Origin::Key(variable) => format!("key in {variable}"),
        Origin::Server => "answers on this machine".into(),
        Origin::Program => "installed program".into(),
    }
}
