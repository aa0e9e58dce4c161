//! What the audit is missing: the rater's labels, a label that is to be saved, places that look like the component, the
//! file on screen, the interval of an agreement.

use std::{collections::HashMap, sync::Arc};

use super::{agreement::Pairs, code::MOST_SPOTS};
use crate::{
    app::{
        Effect,
        ask::{Desk, Numbers, Request},
        blame::FileAt,
        diff::Scope,
        replay::Replay,
        views::View,
    },
    metrics::{absence::Place, lifeline},
    run::{
        Run,
        rubric::{Component, Label, Labels, Verdict},
    },
    study::Estimate,
};

/// A question of the audit.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// What this rater has labelled so far.
    Labels {
        run: Arc<Run>,
        annotator: String,
    },
    /// The time is put in by who answers.
    Save {
        run: Arc<Run>,
        annotator: String,
        label: Label,
        /// What the rater saw of the thing before it.
        seen: Option<Label>,
    },
    /// Places that look like a component after so many turns. Without a verdict nothing is told of what a judge opened.
    Places {
        run: Arc<Run>,
        done: usize,
        component: Component,
        verdict: Option<Verdict>,
    },
    Agree(Pairs),
}

/// An answer to one of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Labels(Result<Labels, String>),
    Saved(Result<Saved, String>),
    Places(Result<Arc<Vec<Place>>, String>),
    /// None where it could not be worked out.
    Agreed(Option<Estimate>),
}

/// What became of a label that was to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// All labels of the rater, as they are on disk now.
    pub labels: Labels,
    /// The label that another program gave as the same rater, which stands in the place of the one to be saved.
    pub stands: Option<Label>,
}

/// Of a judgement and a component, before and after its verdict is shown.
type About = (String, String, bool);

/// Places as far as they are known.
#[derive(Debug, Default)]
pub struct Places {
    known: HashMap<About, Result<Arc<Vec<Place>>, String>>,
    desk: Desk<About>,
}

impl Replay {
    pub(in crate::app) fn ask_audit(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let mut effects = vec![];
        // Whatever is looked at, what was said is brought to the disk.
        effects.extend(self.ask_to_save(numbers));
        if self.view != View::Audit || !self.is_whole {
            return effects;
        }
        effects.extend(self.ask_for_labels(numbers));
        effects.extend(self.ask_for_places(numbers));
        effects.extend(self.ask_for_code(numbers));
        effects.extend(self.ask_for_agreement(numbers));
        effects
    }

    fn ask_to_save(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let run = self.run.clone();
        let (request, annotator, label, seen) = self.audit.book.ask_to_save(numbers)?;
        Some(Effect::Audit(request, Ask::Save { run, annotator, label, seen }.into()))
    }

    fn ask_for_labels(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let run = self.run.clone();
        let (request, annotator) = self.audit.book.ask_for_labels(numbers)?;
        Some(Effect::Audit(request, Ask::Labels { run, annotator }.into()))
    }

    fn ask_for_places(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.timeline.ready()?;
        let done = self.audited_turn()? + 1;
        let component = self.audited_component()?.clone();
        let verdict = self.revealed().cloned();
        let about = self.places_about()?;
        let places = &mut self.audit.places;
        if places.known.contains_key(&about) || !places.desk.is_free() {
            return None;
        }
        let request = places.desk.ask(numbers, about);
        let run = self.run.clone();
        Some(Effect::Audit(request, Ask::Places { run, done, component, verdict }.into()))
    }

    fn places_about(&self) -> Option<About> {
        let (judgement, id) = (self.audited()?, self.audited_id()?);
        Some((judgement.file.clone(), id.to_owned(), self.revealed().is_some()))
    }

    /// Places that look like the component; None while they are not known.
    pub fn places_alike(&self) -> Option<&Result<Arc<Vec<Place>>, String>> {
        self.audit.places.known.get(&self.places_about()?)
    }

    /// The file that the code shows: its text, then who wrote it and its colours.
    fn ask_for_code(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let mut effects = vec![];
        let Some(key) = self.audit_file() else { return effects };
        if !self.diff.has(&key) {
            effects.extend(self.ask_whole(numbers, key));
            return effects;
        }
        let Some(Ok(compared)) = self.diff.get(&key).cloned() else { return effects };
        if compared.text().is_none() {
            return effects;
        }
        if let Scope::At(turn) = key.scope {
            let file = FileAt { turn, path: key.path.clone() };
            effects.extend(self.blame.ask(numbers, &self.run, file));
        }
        effects.extend(self.colours.ask(numbers, key, &compared));
        effects
    }

    fn ask_for_agreement(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let [blind, _] = self.audit_pairs();
        let request = self.audit.agreement.ask(numbers, &blind)?;
        Some(Effect::Audit(request, Ask::Agree(blind).into()))
    }

    pub(in crate::app) fn hear_audit(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::Labels(labels) => self.audit.book.hear_labels(request, labels),
            Answer::Saved(saved) => {
                if let Some(stands) = self.audit.book.hear_saved(request, saved) {
                    self.tell_what_stands(&stands);
                }
            }
            Answer::Places(places) => {
                if let Some(about) = self.audit.places.desk.answered(request) {
                    let most = |places: Arc<Vec<Place>>| match places.len() > MOST_SPOTS {
                        true => Arc::new(places[..MOST_SPOTS].to_vec()),
                        false => places,
                    };
                    self.audit.places.known.insert(about, places.map(most));
                }
            }
            Answer::Agreed(kappa) => self.audit.agreement.hear(request, kappa),
        }
    }

    /// The turn after which the code was judged, counts from 0; None where the run has no such moment.
    pub fn audited_turn(&self) -> Option<usize> {
        lifeline::judged_after(&self.run, self.audited()?)?.checked_sub(1)
    }
}
