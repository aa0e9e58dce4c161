//! `trajview list schemas`: the JSON schemas of what the program prints and writes.

use serde_json::Value;

use trajview_run::closest_word::closest_word;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, OutputTable},
};

/// List the JSON schemas of documents, or print one
///
/// Each document that --json prints and each JSON file that trajview writes has a schema (JSON Schema 2020-12) by the name in its
/// field `schema`, without `trajview.` and the version. They are in docs/schemas as well.
#[derive(Debug, clap::Args)]
pub struct SchemasArgs {
    /// Print this schema, such as `score`
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "name")]
    md: bool,
}

/// Makes the list of schemas with their names, from the files in `docs/schemas`.
macro_rules! schemas {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../docs/schemas/", $name, ".json")))),*]
    };
}

/// Every schema by its name. A test compares the list with the folder.
const SCHEMAS: &[(&str, &str)] = schemas! {
    "adjudication" "agree" "agree-tree" "audit" "batch" "batch-plan" "blame" "check" "clusters"
    "columns" "compare" "components" "corpus" "cost" "crash-card" "crash-test" "decision-results"
    "decisions" "diff" "exposure" "find" "formats" "gold" "history" "judge" "judge-drift"
    "judge-each" "judge-panel" "judgement" "keys" "labels" "layer" "live" "live-plan" "losses"
    "ls" "memory" "memory-results" "metrics" "process" "process-of-runs" "redactions" "rules"
    "run" "sample" "score" "score-gate" "script" "show" "show-turn" "signals" "sql" "study"
};

pub fn run(args: &SchemasArgs, out: &mut Out) -> CommandResult {
    let Some(name) = &args.name else {
        let mut table = OutputTable::new(&["schema", "description"]);
        for (name, text) in SCHEMAS {
            table.add_row(vec![(*name).into(), description(text)]);
        }
        table.write_table(args.md, out)?;
        return Ok(Exit::Fine);
    };
    let plain_name = name.strip_prefix("trajview.").unwrap_or(name);
    let plain_name = plain_name.split('/').next().unwrap_or(plain_name);
    let Some((_, text)) = SCHEMAS.iter().find(|(known, _)| *known == plain_name) else {
        let known = SCHEMAS.iter().map(|(known, _)| *known);
        let near = closest_word(plain_name, known);
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(CommandFailure::wrong_arguments(format!(
            "{name}: no such schema{near}; `trajview list schemas` lists them"
        )));
    };
    out.print_bytes(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Returns the description of a schema.
fn description(text: &str) -> String {
    let schema: Value = serde_json::from_str(text).unwrap_or_default();
    schema["description"].as_str().unwrap_or_default().replace('`', "")
}
