//! Many runs as tables: read by several threads, stored in a spool, written sorted.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
    redaction::RedactingArgs,
    run_args,
    sharding::print_published,
};
use trajview_run::format_number;
use trajview_store::dataset::{
    ColumnChoice, DataFolder, DataRow, DataTable, ExistingPart, PartFile, PartWriter,
    PublishedPart, RunRows, RunSpool, TableFormat,
};

use super::{
    ExportArgs,
    rows::{self, ExportContext, UnreadRun},
};

/// Bytes of a thread's stack.
const STACK_BYTES: usize = 8 << 20;

/// The most runs that are read and wait to be written to the spool.
const MOST_WAITING_RUNS: usize = 4;

pub fn export_tables(args: &ExportArgs, out: &mut Out) -> CommandResult {
    let tables = args.wanted_tables()?;
    let mut folders = vec![];
    for (form, folder) in args.table_forms() {
        if form == TableFormat::Parquet && cfg!(not(feature = "parquet")) {
            let why = "this build has no Parquet; use --csv or --jsonl";
            return Err(CommandFailure::wrong_arguments(why));
        }
        folders.push((form, DataFolder::open(folder)?));
    }
    let written: Vec<&Path> = folders.iter().map(|(_, folder)| folder.path()).collect();
    let mut runs = args.sharding.runs_of_shard(&args.paths)?;
    runs.retain(|run| !written.iter().any(|folder| run.starts_with(folder)));
    let redacting = args.redacting_with_tokens()?;
    let with = export_context(args, &tables, &redacting)?;
    let Some((_, first)) = folders.first() else { return Ok(Exit::Fine) };
    let cannot = |why: io::Error| CommandFailure::unwritable(first.path(), &why);
    let mut spool = RunSpool::new(first.path()).map_err(cannot)?;
    let problems = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    problems.iter().for_each(|unread| print_note(&unread.sentence));
    redacting.print_counts(&with.take_redacted().counts);
    let published = write_all(args, tables, &folders, &mut spool)?;
    print_published(&published, out)?;
    let counted = |is_whole: bool, words: &str| match problems
        .iter()
        .filter(|it| it.exit.is_some() == is_whole)
        .count()
    {
        0 => String::new(),
        count => format!(", {} {words}", format_number::with_thousands(count as u64)),
    };
    let unread = counted(true, "not readable");
    let unread = unread + &counted(false, "partly unreadable");
    let shard = match args.sharding.is_named() {
        true => format!("shard {}: ", args.sharding.shard_or_whole()),
        false => String::new(),
    };
    out.print_line(&format!(
        "{shard}{}{unread}",
        run_args::count_with_noun(spool.run_count(), "run")
    ))?;
    let is_shard = args.sharding.is_named();
    Ok(if is_shard { Exit::Fine } else { exit_after_reading(spool.run_count(), &problems) })
}

fn export_context<'a>(
    args: &'a ExportArgs,
    tables: &[ColumnChoice],
    redacting: &RedactingArgs,
) -> Result<ExportContext<'a>, CommandFailure> {
    let tables: Vec<DataTable> = tables.iter().map(ColumnChoice::table).collect();
    ExportContext::new(&tables, args.each, &args.measuring, &args.pricing, redacting)
}

/// Prints what would be taken out of the tables.
pub(crate) fn list_redactions(args: &ExportArgs, out: &mut Out) -> CommandResult {
    let runs = args.sharding.runs_of_shard(&args.paths)?;
    let redacting = args.redacting_with_tokens()?;
    let with = export_context(args, &args.wanted_tables()?, &redacting)?;
    let cannot = |why: io::Error| CommandFailure::unwritable(&std::env::temp_dir(), &why);
    let mut spool = RunSpool::new(&std::env::temp_dir()).map_err(cannot)?;
    let problems = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    problems.iter().for_each(|unread| print_note(&unread.sentence));
    redacting.print_findings(&with.take_redacted().findings, out)?;
    Ok(exit_after_reading(spool.run_count(), &problems))
}

/// Returns the exit code after reading. An unreadable recording among others is only a row, but scripts have to know if
/// nothing could be read.
pub fn exit_after_reading(runs: usize, problems: &[UnreadRun]) -> Exit {
    let exits = problems.iter().filter_map(|it| it.exit);
    let is_nothing = exits.clone().count() == runs;
    let worst = exits.max_by_key(|exit| exit.code());
    worst.filter(|_| is_nothing).unwrap_or(Exit::Fine)
}

/// Reads every run into the spool and gives what could not be read, in the order of the paths.
pub fn read_all(
    runs: &[PathBuf],
    with: &ExportContext<'_>,
    spool: &mut RunSpool,
) -> io::Result<Vec<UnreadRun>> {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(runs.len().max(1));
    let (sender, receiver) =
        mpsc::sync_channel::<(usize, RunRows, Option<UnreadRun>)>(MOST_WAITING_RUNS);
    let says = io::stderr().is_terminal();
    let mut problems = vec![];
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(at) else { return };
                    let (rows, problem) = rows::rows_of_run(run, with);
                    if sender.send((at, rows, problem)).is_err() {
                        return; // the spool cannot be written
                    }
                }
            };
            // As much as the main thread has: recordings may be nested deep.
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        }
        drop(sender);
        for (done, (at, rows, problem)) in receiver.into_iter().enumerate() {
            problems.extend(problem.map(|problem| (at, problem)));
            spool.add_run(rows)?;
            if says && done % 100 == 0 {
                eprint!("\r\x1b[K{} of {} runs", done + 1, runs.len());
            }
        }
        if says {
            eprint!("\r\x1b[K");
        }
        Ok::<(), io::Error>(())
    })?;
    problems.sort_by_key(|(at, _)| *at);
    Ok(problems.into_iter().map(|(_, problem)| problem).collect())
}

/// Writes all tables in all forms, then gives the files their names.
fn write_all(
    args: &ExportArgs,
    tables: Vec<ColumnChoice>,
    folders: &[(TableFormat, DataFolder)],
    spool: &mut RunSpool,
) -> Result<Vec<PublishedPart>, CommandFailure> {
    let mut parts: Vec<Vec<PartFile>> = folders.iter().map(|_| vec![]).collect();
    let shard = args.sharding.shard_or_whole();
    for columns in tables {
        let table = columns.table();
        let cannot = |why: io::Error| {
            CommandFailure::cannot_read(format!(
                "cannot write the table of {}: {}",
                table.word(),
                trajview_store::error_reason(&why)
            ))
        };
        let mut writers = vec![];
        for (form, folder) in folders {
            let file = folder.new_part(table.word(), form.word(), shard)?;
            writers.push(PartWriter::new(*form, columns.clone(), file).map_err(cannot)?);
        }
        let mut write =
            |row: &DataRow| writers.iter_mut().try_for_each(|writer| writer.write_row(row));
        spool.write_table(table, &mut write).map_err(cannot)?;
        for (parts, writer) in parts.iter_mut().zip(writers) {
            parts.push(writer.finish().map_err(cannot)?);
        }
    }
    let existing = ExistingPart::from_replace(args.overwrite);
    let mut published = vec![];
    for ((_, folder), parts) in folders.iter().zip(parts) {
        published.extend(folder.publish_parts(parts, existing)?);
    }
    Ok(published)
}
