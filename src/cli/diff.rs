//! `trajview diff`: what changed between two moments, as a patch that `git apply` accepts onto the tree before.

use serde::Serialize;

use trajview_code::{
    patch::LineCounts,
    unified::{self, FileSides, Side},
};
use trajview_run::{
    Run,
    files::{Blob, Change, FileMode, Moment, TreeFile, Version},
};
use trajview_store as store;
use trajview_store::Archive;

use super::{
    Exit, Failure, Outcome, RunArg, at,
    output::{Out, Table, cell, dash},
};

/// Print what changed as a patch that `git apply` accepts onto the tree before
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// What one turn changed (counts from 1)
    #[arg(long, conflicts_with_all = ["from", "to", "step"])]
    turn: Option<usize>,
    /// What one step changed, such as 12.7, as far as its recorded edits tell
    #[arg(long, value_name = "TURN.STEP", conflicts_with_all = ["from", "to"])]
    step: Option<String>,
    #[arg(long, default_value = "start", help = at::HELP_WITH_STEPS)]
    from: String,
    #[arg(long, default_value = "final", help = at::HELP_WITH_STEPS)]
    to: String,
    /// Only files whose path matches; `**` crosses folders
    #[arg(long, value_name = "GLOB")]
    path: Option<String>,
    /// Count lines instead
    #[arg(long)]
    stat: bool,
    /// Print the counts as JSON (schema trajview.diff/1); goes with --stat
    #[arg(long, requires = "stat")]
    json: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let glob = args.path.as_deref().map(matcher).transpose()?;
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let mut changes = changes(args, run, archive)?;
    changes.retain(|change| glob.as_ref().is_none_or(|glob| glob.is_match(change.path.as_str())));
    let mut reader = Reader { run, archive, left: MOST_BYTES };
    if args.stat {
        let rows: Vec<StatRow> =
            changes.iter().map(|change| stat_row(&reader.read(change))).collect();
        print_stat(args, rows, out)?;
    } else {
        for change in &changes {
            out.raw(&unified::patch(&[reader.read(change).borrowed()]))?;
        }
    }
    Ok(Exit::Fine)
}

/// What is asked for, as changes.
fn changes(args: &Args, run: &Run, archive: &Archive) -> Result<Vec<Change>, Failure> {
    if let Some(step) = &args.step {
        let step = at::step(run, step)?;
        let timeline = archive.timeline(run).map_err(Failure::unread)?;
        return Ok(timeline.changes_of(step).to_vec());
    }
    let (before, after) = match args.turn {
        Some(turn) => {
            at::turn_index(run, turn).map(|turn| (Moment::after(turn), Moment::after(turn + 1)))?
        }
        None => (at::moment(run, &args.from)?, at::moment(run, &args.to)?),
    };
    archive.changes_between(run, before, after).map_err(Failure::unread)
}

/// Bytes of contents that one patch is made of.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the sides of one change after the other, so that no more than one is held.
struct Reader<'a> {
    run: &'a Run,
    archive: &'a Archive,
    left: u64,
}

impl Reader<'_> {
    /// Says what cannot be part of a patch.
    fn read(&mut self, change: &Change) -> Sides {
        let mut sides = Sides::of(self.run, self.archive, change);
        let size =
            |side: &Option<OwnedSide>| side.as_ref().map_or(0, |side| side.bytes.len() as u64);
        match self.left.checked_sub(size(&sides.old) + size(&sides.new)) {
            Some(left) => self.left = left,
            None => {
                let most = MOST_BYTES >> 20;
                let why =
                    format!("the patch would be made of more than {most} MiB; left out of it");
                sides = Sides { old: None, new: None, problem: Some(why), ..sides };
            }
        }
        if let Some(why) = &sides.problem {
            eprintln!("trajview: {}: {why}", super::output::plain(&sides.path));
        }
        sides
    }
}

fn matcher(glob: &str) -> Result<globset::GlobMatcher, Failure> {
    let built = globset::GlobBuilder::new(glob).literal_separator(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|why| Failure::wrong(why.to_string()))
}

/// A change with the bytes of both sides at hand.
struct Sides {
    path: String,
    from: Option<String>,
    old: Option<OwnedSide>,
    new: Option<OwnedSide>,
    /// Why it cannot be part of a patch.
    problem: Option<String>,
    /// What is known of it where the two sides are not.
    known: Known,
}

/// What a recording tells of a change without both sides of the file.
#[derive(Default)]
struct Known {
    lines: Option<LineCounts>,
    is_binary: bool,
}

struct OwnedSide {
    mode: &'static str,
    blob: String,
    bytes: Blob,
}

impl Sides {
    fn of(run: &Run, archive: &Archive, change: &Change) -> Self {
        let read =
            |file: Option<TreeFile>| file.map(|file| OwnedSide::of(run, archive, file)).transpose();
        let (path, from) = (change.path.to_string(), change.from.as_ref().map(ToString::to_string));
        let read = match &change.version {
            Version::Whole { old, new } => read(*old).and_then(|old| Ok((old, read(*new)?))),
            Version::Binary => {
                Err("a binary file, whose content is not in the recording".to_owned())
            }
            Version::Part(hunks) if hunks.is_empty() => {
                Err("the recording says that this file changed, not how".to_owned())
            }
            Version::Hunks(_) | Version::Part(_) => {
                Err("the file before is not in the recording".to_owned())
            }
        };
        match read {
            Ok((old, new)) => Self { path, from, old, new, problem: None, known: Known::default() },
            Err(why) => Self {
                path,
                from,
                old: None,
                new: None,
                problem: Some(format!("{why}; left out of the patch")),
                known: Known {
                    lines: archive.line_counts_of(run, change),
                    is_binary: archive.is_binary(run, change),
                },
            },
        }
    }

    fn borrowed(&self) -> FileSides<'_> {
        FileSides {
            path: &self.path,
            from: self.from.as_deref(),
            old: self.old.as_ref().map(OwnedSide::borrowed),
            new: self.new.as_ref().map(OwnedSide::borrowed),
        }
    }
}

impl OwnedSide {
    fn of(run: &Run, archive: &Archive, file: TreeFile) -> Result<Self, String> {
        let not_recorded = || "its content is not in the recording".to_owned();
        let blob = file.blob().ok_or_else(not_recorded)?;
        let bytes = match file.mode {
            FileMode::Submodule => Blob::from([]),
            FileMode::Regular | FileMode::Executable | FileMode::Link => {
                archive.content(run, file)?
            }
        };
        Ok(Self { mode: file.mode.octal(), blob: blob.to_string(), bytes })
    }

    fn borrowed(&self) -> Side<'_> {
        Side { mode: self.mode, blob: &self.blob, bytes: &self.bytes }
    }
}

#[derive(Serialize)]
struct StatRow {
    path: String,
    from: Option<String>,
    /// Lines; null for a binary file, and where a side is not recorded.
    added: Option<usize>,
    removed: Option<usize>,
    binary: bool,
}

fn print_stat(args: &Args, rows: Vec<StatRow>, out: &mut Out) -> std::io::Result<()> {
    if args.json {
        return out.json_list("trajview.diff/1", ("files", &rows));
    }
    let mut table = Table::new(&[">added", ">removed", "path"]);
    let texts = || rows.iter().filter(|row| !row.binary);
    let sum = |count: fn(&StatRow) -> Option<usize>| texts().map(count).sum::<Option<usize>>();
    for row in &rows {
        let from = row.from.as_ref().map(|from| format!("{from} → "));
        table.row(vec![dash(row.added), dash(row.removed), cell(from) + &row.path]);
    }
    let total = format!("{} changed", at::counted(rows.len(), "file"));
    table.row(vec![dash(sum(|row| row.added)), dash(sum(|row| row.removed)), total]);
    table.print(out)
}

fn stat_row(sides: &Sides) -> StatRow {
    let stat = unified::stat(&sides.borrowed());
    let counted = match &sides.problem {
        None => (!stat.binary).then_some(LineCounts { added: stat.added, removed: stat.removed }),
        Some(_) => sides.known.lines,
    };
    StatRow {
        path: sides.path.clone(),
        from: sides.from.clone(),
        added: counted.map(|lines| lines.added),
        removed: counted.map(|lines| lines.removed),
        binary: stat.binary || sides.known.is_binary,
    }
}
