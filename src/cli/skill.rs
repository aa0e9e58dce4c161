//! `trajview skill`: how a coding agent uses the commands, as a file for it.

use super::{Exit, Outcome, output::Out};

const SKILL: &str = trajview_assets::SKILL;

/// Print a skill file: how a coding agent uses the JSON of the commands
///
/// A skill is a file SKILL.md in a folder of its own where an agent looks for skills, such as .claude/skills/trajview.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: &Args, out: &mut Out) -> Outcome {
    out.raw(SKILL.as_bytes())?;
    Ok(Exit::Fine)
}
