//! What one conversation is about: a component of the checklist, or a group of criteria.

use serde_json::Value;

use crate::run::rubric::Component;

use super::{
    answer,
    criteria::Group,
    flags::{self, Flagged},
    scale::Scale,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Component(Component),
    Group(Group),
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
            Self::Component(component) => &component.id,
            Self::Group(group) => &group.id,
        }
    }

    pub const fn scale(&self) -> Scale {
        match self {
            Self::Component(_) => Scale::Levels,
            Self::Group(_) => Scale::Flags,
        }
    }

    /// What stands for a blank of the question; None for a word that is none.
    pub fn blank(&self, name: &str) -> Option<String> {
        let field = match self {
            Self::Component(component) => of_component(component, name)?,
            Self::Group(group) => match name {
                "group" => group.id.clone(),
                "criteria" => group.in_words(),
                _ => return None,
            },
        };
        Some(if field.trim().is_empty() { "not given".into() } else { field })
    }

    /// Reads an answer out of a text. The error says what was wrong.
    pub fn read(&self, text: &str) -> Result<Said<'_>, String> {
        match self {
            Self::Component(_) => answer::read(text).map(Said::Level),
            Self::Group(group) => flags::read(text).map(|answer| Said::Flags(answer, group)),
        }
    }

    /// As [`Self::read`], of the arguments of the call.
    pub fn read_object(&self, object: &Value) -> Result<Said<'_>, String> {
        match self {
            Self::Component(_) => answer::read_object(object).map(Said::Level),
            Self::Group(group) => {
                flags::read_object(object).map(|answer| Said::Flags(answer, group))
            }
        }
    }
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
