//! `trajview list rules`: the patterns that verbosity counts.

use std::path::PathBuf;

use serde::Serialize;

use trajview_metrics::rules::{RuleFacts, RuleSet};

use super::{
    CommandFailure, CommandResult, Exit, measuring_args,
    output::{Out, OutputTable},
};

/// List the rules of verbosity
#[derive(Debug, clap::Args)]
pub struct RulesArgs {
    /// One rule, with code it matches and the same code written shorter
    id: Option<String>,
    /// Rules in ast-grep's YAML, instead of the built-in ones
    #[arg(long, value_name = "FILE_OR_DIR")]
    rules: Option<PathBuf>,
    /// Print JSON (schema trajview.rules/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct RulesDocument<'a> {
    schema: &'static str,
    source: &'a str,
    count: usize,
    sha256: &'a str,
    problems: Vec<String>,
    rules: Vec<RuleFacts<'a>>,
}

pub fn run(args: &RulesArgs, out: &mut Out) -> CommandResult {
    let rules = measuring_args::read_rules(args.rules.as_deref())?;
    let wanted: Vec<RuleFacts<'_>> = match &args.id {
        None => rules.rule_facts().collect(),
        Some(id) => vec![rules.find_rule(id).ok_or_else(|| unknown_rule(id, &rules))?],
    };
    if args.json {
        out.print_json(&RulesDocument {
            schema: "trajview.rules/1",
            source: rules.source(),
            count: rules.rule_count(),
            sha256: rules.sha256(),
            problems: rules.problems().iter().map(ToString::to_string).collect(),
            rules: wanted,
        })?;
        return Ok(Exit::Fine);
    }
    match (&args.id, wanted.as_slice()) {
        (Some(_), [rule]) => print_one(rule, out)?,
        _ => print_all(&wanted, args.md, out)?,
    }
    Ok(Exit::Fine)
}

fn unknown_rule(id: &str, rules: &RuleSet) -> CommandFailure {
    let near: Vec<&str> =
        rules.rule_facts().map(|rule| rule.id).filter(|other| other.contains(id)).collect();
    let hint = match near.as_slice() {
        [] => "`trajview list rules` lists them".into(),
        near => format!("there is {}", near.join(", ")),
    };
    CommandFailure::wrong_arguments(format!("no rule is called {id}; {hint}"))
}

fn print_all(rules: &[RuleFacts<'_>], is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["rule", "category", "what it finds"]);
    for rule in rules {
        let category = rule.category.as_deref().unwrap_or(rule.language);
        table.add_row(vec![rule.id.into(), category.into(), rule.message.into()]);
    }
    table.write_table(is_markdown, out)
}

fn print_one(rule: &RuleFacts<'_>, out: &mut Out) -> std::io::Result<()> {
    let category =
        rule.category.as_ref().map(|category| format!(", {category}")).unwrap_or_default();
    out.print_line(&format!("{} ({}{category}): {}", rule.id, rule.language, rule.message))?;
    rule.why.map_or(Ok(()), |why| out.print_line(why))?;
    for (title, code) in [("before", &rule.before), ("after", &rule.after)] {
        let Some(code) = code else { continue };
        out.print_line("")?;
        out.print_line(title)?;
        code.lines().try_for_each(|line| out.print_line(&format!("  {line}")))?;
    }
    Ok(())
}
