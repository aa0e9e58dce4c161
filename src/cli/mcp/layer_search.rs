//! The tool with which an agent of a live run queries the layers of its run.
//!
//! This module knows no layer: queries go to the run's socket ([`question_channel`]).

use std::path::PathBuf;

use rmcp::{
    model::{JsonObject, Tool},
    schemars::JsonSchema,
};
use serde::Deserialize;

use trajview_live::layers::question_channel::{self, ChannelQuestion};

use super::{
    server::{Toolbox, reading_tool},
    tools::{input_schema, parse_arguments},
};

pub(super) const TOOL_NAME: &str = "search_project_state";

/// The layers of a live run.
pub(super) struct LayerSearch {
    socket: PathBuf,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct LayerQuery {
    /// File paths, names and words.
    query: String,
}

impl LayerSearch {
    pub(super) const fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    fn search_layers(&self, query: String) -> Result<String, String> {
        let answer = question_channel::ask_run(&self.socket, &ChannelQuestion::Search { query })?;
        match answer.failed {
            Some(why) if answer.text.is_empty() => Err(why),
            _ if answer.text.is_empty() => Ok("Nothing is known about that.".into()),
            _ => Ok(answer.text),
        }
    }
}

impl Toolbox for LayerSearch {
    fn agent_instructions(&self) -> String {
        "Ask search_project_state before you change what earlier requests may have laid down."
            .into()
    }

    fn listed_tools(&self) -> Vec<Tool> {
        vec![reading_tool(
            TOOL_NAME,
            "Search the project's state",
            "Finds what was laid down for this project in earlier requests: decisions, constraints, earlier modules. \
             Ask with the files and names that you are about to touch.",
            input_schema::<LayerQuery>(),
        )]
    }

    fn call_tool(&self, name: &str, arguments: JsonObject) -> Result<String, String> {
        let LayerQuery { query } = parse_arguments(name, arguments)?;
        self.search_layers(query)
    }
}
