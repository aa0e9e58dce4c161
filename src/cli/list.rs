//! `trajview list`: the commands that only list something.

use super::{
    CommandResult,
    formats::{self, FormatsArgs},
    keys::{self, KeysArgs},
    metrics::{self, MetricsArgs},
    output::Out,
    rules::{self, RulesArgs},
    schemas::{self, SchemasArgs},
};

/// List formats, metrics, rules, keys or schemas
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(subcommand)]
    list: ListCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ListCommand {
    Formats(FormatsArgs),
    Metrics(MetricsArgs),
    Rules(RulesArgs),
    Keys(KeysArgs),
    Schemas(SchemasArgs),
}

pub fn run(args: &ListArgs, out: &mut Out) -> CommandResult {
    match &args.list {
        ListCommand::Formats(args) => formats::run(args, out),
        ListCommand::Metrics(args) => metrics::run(args, out),
        ListCommand::Rules(args) => rules::run(args, out),
        ListCommand::Keys(args) => keys::run(args, out),
        ListCommand::Schemas(args) => schemas::run(args, out),
    }
}
