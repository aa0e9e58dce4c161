//! `score --against`: the code of a repository, folder or run is compared with an earlier state of it, and limits decide
//! whether the change passes.
//!
//! A number that a side does not have is never taken for a good one: a limit that cannot be decided has not passed.

mod document;
mod limits;
mod states;
mod tables;

use std::path::PathBuf;

use trajview_analysis::Scorer;

use super::{
    super::{CommandFailure, CommandResult, Exit, output::Out},
    ScoreArgs,
};
use document::GateDocument;
use limits::{GateLimit, LimitArgs};
use states::GateTarget;

/// The options of a gate.
#[derive(Debug, clap::Args)]
pub struct GateArgs {
    /// Compare with an earlier state, and check limits. RUN is a git repository or a folder of one, and REV a revision of it (`main...` is
    /// where HEAD branched off); or RUN is a recorded run, and REV a moment of it; or RUN and REV are two folders. --tree DIR instead of RUN takes a
    /// folder for code even where it has recordings. The exit code is 1 if a limit is exceeded or cannot be decided
    #[arg(long, value_name = "REV", conflicts_with_all = ["each", "csv", "judge", "detail", "shard", "parts"])]
    against: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
}

impl GateArgs {
    /// Returns the limits, and the state to compare with; None where no gate is named.
    pub(crate) fn named_gate(&self) -> Result<Option<(Vec<GateLimit>, &str)>, CommandFailure> {
        let limits = self.limits.named_limits();
        match &self.against {
            None => Ok(None),
            Some(_) if limits.is_empty() => Err(CommandFailure::wrong_arguments(
                "--against needs a limit, such as --max-erosion +0.02 (how much it may rise) or --max-erosion 0.4 (the highest value)",
            )),
            Some(revision) => Ok(Some((limits, revision))),
        }
    }
}

/// Measures the code now and at the earlier revision, and prints the comparison. Returns [`Exit::Failed`] where a limit
/// is exceeded or cannot be decided.
pub(crate) fn run_gate(
    args: &ScoreArgs,
    (limits, revision): (Vec<GateLimit>, &str),
    scorer: &Scorer,
    out: &mut Out,
) -> CommandResult {
    let target = match (&args.tree, args.runs.as_slice()) {
        (Some(folder), _) => GateTarget::of_folder(folder, revision)?,
        (None, [path]) => GateTarget::find(path, revision)?,
        (None, _) => {
            return Err(CommandFailure::wrong_arguments("--against works with one RUN"));
        }
    };
    let (before, after) = target.measure_states(revision, args.at.as_deref(), scorer)?;
    let path: PathBuf = target.path().to_owned();
    let document = GateDocument::new((&path, target.kind()), &limits, (&before, &after), scorer);
    match args.json {
        true => out.print_json(&document.json)?,
        false => tables::print_gate(&document, args.forms.md, scorer.ruler(), out)?,
    }
    Ok(if document.has_passed() { Exit::Fine } else { Exit::Failed })
}
