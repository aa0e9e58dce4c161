//! What one conversation is about: a component of the checklist, a group of criteria, a decision, or a part of a pillar.

use std::sync::Arc;

use serde_json::Value;

use trajview_metrics::decisions::Decision;
use trajview_run::rubric::{self, Codebook, Component, Levels};
use trajview_store::sha256;

use super::{
    answer,
    criteria::Group,
    flags::{self, Flagged},
    given,
    parts::Asked,
    scale::Scale,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Component(Component),
    /// A component that is scored by a codebook's own scales.
    Rated(Component, Arc<Codebook>),
    Group(Group),
    Decision(Decision),
    Part(Asked),
}

/// An answer as a judge gave it; the places it names are not checked yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Said<'m> {
    Level(answer::Answer),
    /// Of the criteria of a group.
    Flags(flags::Answer, &'m Group),
}

/// What a judge decided, its places checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    Level(super::component::Verdict),
    Flags(Flagged),
}

impl Item {
    pub fn id(&self) -> &str {
        match self {
            Self::Component(component) | Self::Rated(component, _) => &component.id,
            Self::Group(group) => &group.id,
            Self::Decision(decision) => &decision.id,
            Self::Part(asked) => asked.part.id(),
        }
    }

    pub const fn scale(&self) -> Scale {
        match self {
            Self::Component(_) => Scale::Levels,
            Self::Rated(..) => Scale::Codebook,
            Self::Group(_) => Scale::Flags,
            Self::Decision(_) => Scale::Decisions,
            Self::Part(_) => Scale::Process,
        }
    }

    /// Of the words that are judged (SHA-256, hex digits), where they are no part of a frozen checklist.
    pub fn words_sha256(&self) -> Option<String> {
        match self {
            Self::Component(_) | Self::Rated(..) | Self::Group(_) => None,
            Self::Decision(decision) => Some(sha256(decision.words().as_bytes())),
            Self::Part(asked) => Some(sha256(asked.material.as_bytes())),
        }
    }

    /// What stands for a blank of the question; None for a word that is none.
    pub fn blank(&self, name: &str) -> Option<String> {
        let field = match self {
            Self::Component(component) | Self::Rated(component, _) => {
                of_component(component, name)?
            }
            Self::Group(group) => match name {
                "group" => group.id.clone(),
                "criteria" => group.in_words(),
                _ => return None,
            },
            Self::Decision(decision) => of_decision(decision, name)?,
            Self::Part(asked) => asked.blank(name)?,
        };
        Some(if field.trim().is_empty() { "not given".into() } else { field })
    }

    /// Reads an answer out of a text. The error says what was wrong.
    pub fn read(&self, text: &str) -> Result<Said<'_>, String> {
        match self {
            Self::Group(group) => flags::read(text).map(|answer| Said::Flags(answer, group)),
            Self::Rated(_, book) => given::read(text, book).map(Said::Level),
            Self::Component(_) | Self::Decision(_) | Self::Part(_) => {
                answer::read(text, self.levels()).map(Said::Level)
            }
        }
    }

    /// As [`Self::read`], of the arguments of the call.
    pub fn read_object(&self, object: &Value) -> Result<Said<'_>, String> {
        match self {
            Self::Group(group) => {
                flags::read_object(object).map(|answer| Said::Flags(answer, group))
            }
            Self::Rated(_, book) => given::read_object(object, book).map(Said::Level),
            Self::Component(_) | Self::Decision(_) | Self::Part(_) => {
                answer::read_object(object, self.levels()).map(Said::Level)
            }
        }
    }

    /// What it is scored by, where that is a codebook's.
    pub fn codebook(&self) -> Option<&Arc<Codebook>> {
        match self {
            Self::Rated(_, book) => Some(book),
            Self::Component(_) | Self::Group(_) | Self::Decision(_) | Self::Part(_) => None,
        }
    }

    /// What is said to an answer that is none.
    pub fn again(&self, why: &str) -> String {
        self.codebook().map_or_else(|| self.scale().again(why), |book| given::again(book, why))
    }

    fn levels(&self) -> &'static Levels {
        self.scale().levels().unwrap_or(&rubric::COMPONENTS)
    }
}

fn of_decision(decision: &Decision, name: &str) -> Option<String> {
    Some(match name {
        "id" => decision.id.clone(),
        "question" => decision.question.clone(),
        "answer" => decision.answer.clone(),
        "status" => decision.status.clone().unwrap_or_default(),
        "files" => decision.files.join(", "),
        _ => return None,
    })
}

fn of_component(component: &Component, name: &str) -> Option<String> {
    Some(match name {
        "id" => component.id.clone(),
        "name" => component.name.clone(),
        "intent" => component.intent.clone(),
        "formula" => component.formula.clone(),
        "inputs" => component.inputs.clone(),
        "outputs" => component.outputs.clone(),
        "connects_to" => component.connects_to.join(", "),
        _ => return None,
    })
}
