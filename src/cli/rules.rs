//! `trajview rules`: the patterns that verbosity counts.

use std::path::PathBuf;

use serde::Serialize;

use trajview_metrics::rules::{RuleFacts, Rules};

use super::{
    Exit, Failure, Outcome, measuring,
    output::{Out, Table},
};

/// List the rules that verbosity counts
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One rule, with code it matches and the same code said shorter
    id: Option<String>,
    /// Rules in ast-grep's YAML, in the place of the built-in ones
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
struct Document<'a> {
    schema: &'static str,
    source: &'a str,
    count: usize,
    sha256: &'a str,
    problems: Vec<String>,
    rules: Vec<RuleFacts<'a>>,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let rules = measuring::rules(args.rules.as_deref())?;
    let wanted: Vec<RuleFacts<'_>> = match &args.id {
        None => rules.facts().collect(),
        Some(id) => vec![rules.find(id).ok_or_else(|| unknown(id, &rules))?],
    };
    if args.json {
        out.json(&Document {
            schema: "trajview.rules/1",
            source: rules.source(),
            count: rules.count(),
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

fn unknown(id: &str, rules: &Rules) -> Failure {
    let near: Vec<&str> =
        rules.facts().map(|rule| rule.id).filter(|known| known.contains(id)).collect();
    let hint = match near.as_slice() {
        [] => "`trajview rules` lists them".into(),
        near => format!("there is {}", near.join(", ")),
    };
    Failure::wrong(format!("no rule is called {id}; {hint}"))
}

fn print_all(rules: &[RuleFacts<'_>], is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = Table::new(&["rule", "category", "what it finds"]);
    for rule in rules {
        let category = rule.category.as_deref().unwrap_or(rule.language);
        table.row(vec![rule.id.into(), category.into(), rule.message.into()]);
    }
    table.write(is_markdown, out)
}

fn print_one(rule: &RuleFacts<'_>, out: &mut Out) -> std::io::Result<()> {
    let category =
        rule.category.as_ref().map(|category| format!(", {category}")).unwrap_or_default();
    out.line(&format!("{} ({}{category}): {}", rule.id, rule.language, rule.message))?;
    rule.why.map_or(Ok(()), |why| out.line(why))?;
    for (title, code) in [("before", &rule.before), ("after", &rule.after)] {
        let Some(code) = code else { continue };
        out.line("")?;
        out.line(title)?;
        code.lines().try_for_each(|line| out.line(&format!("  {line}")))?;
    }
    Ok(())
}
