//! `trajview diff`: what changed between two moments, as a patch that `git apply` accepts onto the tree before.

use serde::Serialize;

use trajview_code::{
    git_patch::{self, FileSides, SideContent},
    patch::LineCounts,
};
use trajview_run::{
    Run,
    files::{Blob, ChangeVersion, FileChange, FileMode, RunMoment, TreeFile},
};
use trajview_store as store;
use trajview_store::Archive;

use super::{
    CommandFailure, CommandResult, Exit, RunArg,
    output::{Out, OutputTable, cell_or_dash, cell_or_empty, print_note},
    run_args,
};

/// Print what changed as a patch for `git apply`
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    #[command(flatten)]
    run: RunArg,
    /// Changes of one turn (counts from 1)
    #[arg(long, value_parser = run_args::parse_turn, conflicts_with_all = ["from", "to", "step"])]
    turn: Option<usize>,
    /// Changes of one step, such as 12.7, by its recorded edits
    #[arg(long, value_name = "TURN.STEP", conflicts_with_all = ["from", "to"])]
    step: Option<String>,
    #[arg(long, default_value = "start", help = run_args::MOMENT_HELP_WITH_STEPS)]
    from: String,
    #[arg(long, default_value = "final", help = run_args::MOMENT_HELP_WITH_STEPS)]
    to: String,
    /// Only files whose path matches; `**` crosses folders
    #[arg(long, value_name = "GLOB")]
    path: Option<String>,
    /// Count lines instead
    #[arg(long)]
    stat: bool,
    /// Print the counts as JSON (schema trajview.diff/1); needs --stat
    #[arg(long, requires = "stat")]
    json: bool,
}

pub fn run(args: &DiffArgs, out: &mut Out) -> CommandResult {
    let glob = args.path.as_deref().map(path_matcher).transpose()?;
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let mut changes = wanted_changes(args, run, archive)?;
    changes.retain(|change| glob.as_ref().is_none_or(|glob| glob.is_match(change.path.as_str())));
    let mut reader = ChangeReader { run, archive, left: MOST_BYTES };
    if args.stat {
        let rows: Vec<DiffStatRow> =
            changes.iter().map(|change| stat_row(&reader.read_sides(change))).collect();
        print_stat(args, rows, out)?;
    } else {
        for change in &changes {
            out.print_bytes(&git_patch::write_patch(&[reader.read_sides(change).as_file_sides()]))?;
        }
    }
    Ok(Exit::Fine)
}

/// Returns the requested changes.
fn wanted_changes(
    args: &DiffArgs,
    run: &Run,
    archive: &Archive,
) -> Result<Vec<FileChange>, CommandFailure> {
    if let Some(step) = &args.step {
        let step = run_args::parse_step(run, step)?;
        let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
        return Ok(timeline.changes_of_step(step).to_vec());
    }
    let (before, after) = match args.turn {
        Some(turn) => run_args::turn_index(run, turn)
            .map(|turn| (RunMoment::after_turns(turn), RunMoment::after_turns(turn + 1)))?,
        None => (run_args::parse_moment(run, &args.from)?, run_args::parse_moment(run, &args.to)?),
    };
    archive.changes_between(run, before, after).map_err(CommandFailure::cannot_read)
}

/// Bytes of contents that one patch is made of.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the sides of one change after the other, so that only one is in memory.
struct ChangeReader<'a> {
    run: &'a Run,
    archive: &'a Archive,
    left: u64,
}

impl ChangeReader<'_> {
    /// Reads both sides of a change, and prints what cannot be part of a patch.
    fn read_sides(&mut self, change: &FileChange) -> ChangeSides {
        let mut sides = ChangeSides::read_change(self.run, self.archive, change);
        let size =
            |side: &Option<OwnedSide>| side.as_ref().map_or(0, |side| side.bytes.len() as u64);
        match self.left.checked_sub(size(&sides.old) + size(&sides.new)) {
            Some(left) => self.left = left,
            None => {
                let most = MOST_BYTES >> 20;
                let why = format!("the patch would be larger than {most} MiB; not included");
                sides = ChangeSides { old: None, new: None, problem: Some(why), ..sides };
            }
        }
        if let Some(why) = &sides.problem {
            print_note(&format!("{}: {why}", sides.path));
        }
        sides
    }
}

fn path_matcher(glob: &str) -> Result<globset::GlobMatcher, CommandFailure> {
    let built = globset::GlobBuilder::new(glob).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|why| CommandFailure::wrong_arguments(why.to_string()))
}

/// A change with the bytes of both sides at hand.
struct ChangeSides {
    path: String,
    old_path: Option<String>,
    old: Option<OwnedSide>,
    new: Option<OwnedSide>,
    /// The reason why it cannot be part of a patch.
    problem: Option<String>,
    /// Facts on the change where the two sides are not known.
    partial_change: PartialChange,
}

/// The recorded facts on a change without both sides of the file.
#[derive(Default)]
struct PartialChange {
    lines: Option<LineCounts>,
    is_binary: bool,
}

struct OwnedSide {
    mode: &'static str,
    blob: String,
    bytes: Blob,
}

impl ChangeSides {
    fn read_change(run: &Run, archive: &Archive, change: &FileChange) -> Self {
        let read = |file: Option<TreeFile>| {
            file.map(|file| OwnedSide::read_file(run, archive, file)).transpose()
        };
        let (path, from) = (change.path.to_string(), change.from.as_ref().map(ToString::to_string));
        let read = match &change.version {
            ChangeVersion::Whole { old, new } => read(*old).and_then(|old| Ok((old, read(*new)?))),
            ChangeVersion::Binary => {
                Err("a binary file, whose content is not in the recording".to_owned())
            }
            ChangeVersion::Part(hunks) if hunks.is_empty() => {
                Err("this file changed; the change is not recorded".to_owned())
            }
            ChangeVersion::Hunks(_) | ChangeVersion::Part(_) => {
                Err("the file before is not in the recording".to_owned())
            }
        };
        match read {
            Ok((old, new)) => Self {
                path,
                old_path: from,
                old,
                new,
                problem: None,
                partial_change: PartialChange::default(),
            },
            Err(why) => Self {
                path,
                old_path: from,
                old: None,
                new: None,
                problem: Some(format!("{why}; not in the patch")),
                partial_change: PartialChange {
                    lines: archive.line_counts_of(run, change),
                    is_binary: archive.is_binary(run, change),
                },
            },
        }
    }

    fn as_file_sides(&self) -> FileSides<'_> {
        FileSides {
            path: &self.path,
            from: self.old_path.as_deref(),
            old: self.old.as_ref().map(OwnedSide::as_side),
            new: self.new.as_ref().map(OwnedSide::as_side),
        }
    }
}

impl OwnedSide {
    fn read_file(run: &Run, archive: &Archive, file: TreeFile) -> Result<Self, String> {
        let not_recorded = || "its content is not in the recording".to_owned();
        let blob = file.blob_id().ok_or_else(not_recorded)?;
        let bytes = match file.mode {
            FileMode::Submodule => Blob::from([]),
            FileMode::Regular | FileMode::Executable | FileMode::Link => {
                archive.file_content(run, file)?
            }
        };
        Ok(Self { mode: file.mode.octal(), blob: blob.to_string(), bytes })
    }

    fn as_side(&self) -> SideContent<'_> {
        SideContent { mode: self.mode, blob: &self.blob, bytes: &self.bytes }
    }
}

#[derive(Serialize)]
struct DiffStatRow {
    path: String,
    from: Option<String>,
    /// Lines; null for a binary file, and where a side is not recorded.
    added: Option<usize>,
    removed: Option<usize>,
    binary: bool,
}

fn print_stat(args: &DiffArgs, rows: Vec<DiffStatRow>, out: &mut Out) -> std::io::Result<()> {
    if args.json {
        return out.print_json_list("trajview.diff/1", ("files", &rows));
    }
    let mut table = OutputTable::new(&[">added", ">removed", "path"]);
    let texts = || rows.iter().filter(|row| !row.binary);
    let sum = |count: fn(&DiffStatRow) -> Option<usize>| texts().map(count).sum::<Option<usize>>();
    for row in &rows {
        let from = row.from.as_ref().map(|from| format!("{from} → "));
        table.add_row(vec![
            cell_or_dash(row.added),
            cell_or_dash(row.removed),
            cell_or_empty(from) + &row.path,
        ]);
    }
    let total = format!("{} changed", run_args::count_with_noun(rows.len(), "file"));
    table.add_row(vec![
        cell_or_dash(sum(|row| row.added)),
        cell_or_dash(sum(|row| row.removed)),
        total,
    ]);
    table.print_columns(out)
}

fn stat_row(sides: &ChangeSides) -> DiffStatRow {
    let stat = git_patch::file_stat(&sides.as_file_sides());
    let counted = match &sides.problem {
        None => (!stat.binary).then_some(LineCounts { added: stat.added, removed: stat.removed }),
        Some(_) => sides.partial_change.lines,
    };
    DiffStatRow {
        path: sides.path.clone(),
        from: sides.old_path.clone(),
        added: counted.map(|lines| lines.added),
        removed: counted.map(|lines| lines.removed),
        binary: stat.binary || sides.partial_change.is_binary,
    }
}
