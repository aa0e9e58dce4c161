//! The subject of one conversation: a component of the checklist, a group of criteria, a decision, or a part of a
//! pillar.

use std::sync::Arc;

use serde_json::Value;

use trajview_metrics::decisions::Decision;
use trajview_run::{
    judging::JudgingScale,
    rubric::{self, Codebook, Component, RubricLevels},
};
use trajview_store::sha256;

use super::{
    answer, codebook_scores,
    criteria::CriteriaGroup,
    flags::{self, CheckedFlags},
    pillar_parts::PartQuestion,
    scale,
};

#[derive(Debug, Clone, PartialEq)]
pub enum JudgeItem {
    Component(Component),
    /// A component that is scored by a codebook's own scales.
    CodebookComponent(Component, Arc<Codebook>),
    Group(CriteriaGroup),
    Decision(Decision),
    Part(PartQuestion),
}

/// An answer as a judge gave it; the places it names are not checked yet.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemAnswer<'m> {
    Level(answer::VerdictAnswer),
    /// The flags for the criteria of a group.
    Flags(flags::FlagsAnswer, &'m CriteriaGroup),
}

/// A judge's decision, its places checked.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemDecision {
    Level(super::component::CheckedVerdict),
    Flags(CheckedFlags),
}

impl JudgeItem {
    pub fn id(&self) -> &str {
        match self {
            Self::Component(component) | Self::CodebookComponent(component, _) => &component.id,
            Self::Group(group) => &group.id,
            Self::Decision(decision) => &decision.id,
            Self::Part(part) => part.part.id(),
        }
    }

    pub const fn scale(&self) -> JudgingScale {
        match self {
            Self::Component(_) => JudgingScale::Levels,
            Self::CodebookComponent(..) => JudgingScale::Codebook,
            Self::Group(_) => JudgingScale::Flags,
            Self::Decision(_) => JudgingScale::Decisions,
            Self::Part(_) => JudgingScale::Process,
        }
    }

    /// Returns the SHA-256 (hex digits) of the judged text, where it is no part of a frozen checklist.
    pub(crate) fn words_sha256(&self) -> Option<String> {
        match self {
            Self::Component(_) | Self::CodebookComponent(..) | Self::Group(_) => None,
            Self::Decision(decision) => Some(sha256(decision.text_to_hash().as_bytes())),
            Self::Part(part) => Some(sha256(part.material.as_bytes())),
        }
    }

    /// Returns the text for a blank of the question; None for an unknown blank.
    pub fn fill_blank(&self, name: &str) -> Option<String> {
        let field = match self {
            Self::Component(component) | Self::CodebookComponent(component, _) => {
                component_field(component, name)?
            }
            Self::Group(group) => match name {
                "group" => group.id.clone(),
                "criteria" => group.prompt_text(),
                _ => return None,
            },
            Self::Decision(decision) => decision_field(decision, name)?,
            Self::Part(part) => part.fill_blank(name)?,
        };
        Some(if field.trim().is_empty() { "not given".into() } else { field })
    }

    /// Reads an answer out of a text. The error says what was wrong.
    pub(crate) fn parse_answer(&self, text: &str) -> Result<ItemAnswer<'_>, String> {
        match self {
            Self::Group(group) => {
                flags::parse_flags(text).map(|answer| ItemAnswer::Flags(answer, group))
            }
            Self::CodebookComponent(_, book) => {
                codebook_scores::parse_scores(text, book).map(ItemAnswer::Level)
            }
            Self::Component(_) | Self::Decision(_) | Self::Part(_) => {
                answer::parse_verdict(text, self.rubric_levels()).map(ItemAnswer::Level)
            }
        }
    }

    /// Reads an answer from the arguments of the call, as [`Self::parse_answer`].
    pub(crate) fn parse_answer_object(&self, object: &Value) -> Result<ItemAnswer<'_>, String> {
        match self {
            Self::Group(group) => {
                flags::parse_flags_object(object).map(|answer| ItemAnswer::Flags(answer, group))
            }
            Self::CodebookComponent(_, book) => {
                codebook_scores::parse_scores_object(object, book).map(ItemAnswer::Level)
            }
            Self::Component(_) | Self::Decision(_) | Self::Part(_) => {
                answer::parse_verdict_object(object, self.rubric_levels()).map(ItemAnswer::Level)
            }
        }
    }

    /// Returns the codebook that it is scored by, where there is one.
    pub fn codebook(&self) -> Option<&Arc<Codebook>> {
        match self {
            Self::CodebookComponent(_, book) => Some(book),
            Self::Component(_) | Self::Group(_) | Self::Decision(_) | Self::Part(_) => None,
        }
    }

    /// Returns the request after an answer that cannot be read.
    pub(crate) fn retry_request(&self, why: &str) -> String {
        self.codebook().map_or_else(
            || scale::retry_request(self.scale(), why),
            |book| codebook_scores::retry_request(book, why),
        )
    }

    fn rubric_levels(&self) -> &'static RubricLevels {
        self.scale().rubric_levels().unwrap_or(&rubric::COMPONENT_LEVELS)
    }
}

fn decision_field(decision: &Decision, name: &str) -> Option<String> {
    Some(match name {
        "id" => decision.id.clone(),
        "question" => decision.question.clone(),
        "answer" => decision.answer.clone(),
        "status" => decision.status.clone().unwrap_or_default(),
        "files" => decision.files.join(", "),
        _ => return None,
    })
}

fn component_field(component: &Component, name: &str) -> Option<String> {
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
