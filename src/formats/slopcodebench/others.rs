//! Logs of agents that no format of ours claims: each line an unknown step.

use crate::run::{Run, SourceId, Step, StepText, ToolResult};

use super::super::Source;

pub fn read(_source: Source<'_>, _id: SourceId) -> Option<Run> {
    None
}

pub fn words(record: &str, _step: &Step) -> StepText {
    StepText { text: record.to_owned(), ..StepText::default() }
}

pub fn request(_record: &str) -> Option<String> {
    None
}

pub fn result(_record: &str, _result: &ToolResult) -> String {
    String::new()
}
