//! `trajview skill`: how a coding agent uses the commands, as a file for it.

use super::{CommandResult, Exit, output::Out};

const SKILL_FILE: &str = trajview_assets::SKILL;

/// Print a skill file: how a coding agent uses the JSON of the commands
///
/// Save it as SKILL.md in a folder where the agent looks for skills, such as .claude/skills/trajview.
#[derive(Debug, clap::Args)]
pub struct SkillArgs {}

pub fn run(_args: &SkillArgs, out: &mut Out) -> CommandResult {
    out.print_bytes(SKILL_FILE.as_bytes())?;
    Ok(Exit::Fine)
}
