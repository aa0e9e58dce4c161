//! Many runs as tables: read by several threads, kept in a spool, written sorted.

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
    Exit, Failure, Outcome, at,
    output::{Out, tell},
    redaction::Redacting,
    sharding::say,
};
use trajview_run::figures;
use trajview_store::dataset::{
    DataFolder, Existing, Form, PartFile, PartWriter, Published, Row, RunRows, Spool,
};

use super::{
    Args,
    rows::{self, Unread, With},
};

/// Bytes of a thread's stack.
const STACK: usize = 8 << 20;

/// Runs that are ready and wait to be kept.
const WAITING: usize = 4;

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let mut folders = vec![];
    for (form, folder) in args.forms() {
        if form == Form::Parquet && cfg!(not(feature = "parquet")) {
            let why = "this trajview was built without Parquet; --csv and --jsonl write tables too";
            return Err(Failure::wrong(why));
        }
        folders.push((form, DataFolder::open(folder)?));
    }
    let written: Vec<&Path> = folders.iter().map(|(_, folder)| folder.path()).collect();
    let mut runs = args.sharding.runs(&args.paths)?;
    runs.retain(|run| !written.iter().any(|folder| run.starts_with(folder)));
    let redacting = args.redacting()?;
    let with = with(args, &redacting)?;
    let Some((_, first)) = folders.first() else { return Ok(Exit::Fine) };
    let cannot =
        |why: io::Error| Failure::unread(format!("cannot write {}: {why}", first.path().display()));
    let mut spool = Spool::new(first.path()).map_err(cannot)?;
    let problems = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    problems.iter().for_each(|unread| tell(&unread.why));
    redacting.tell(&with.taken_out().counts);
    let published = write_all(args, &folders, &mut spool)?;
    say(&published, out)?;
    let counted = |is_whole: bool, words: &str| match problems
        .iter()
        .filter(|it| it.exit.is_some() == is_whole)
        .count()
    {
        0 => String::new(),
        count => format!(", {} {words}", figures::count(count as u64)),
    };
    let unread = counted(true, "of them not readable");
    let unread = unread + &counted(false, "with a part that could not be read");
    let shard = match args.sharding.is_asked() {
        true => format!("shard {}: ", args.sharding.shard()),
        false => String::new(),
    };
    out.line(&format!("{shard}{}{unread}", at::counted(spool.count(), "run")))?;
    let is_shard = args.sharding.is_asked();
    Ok(if is_shard { Exit::Fine } else { exit_of(spool.count(), &problems) })
}

fn with<'a>(args: &'a Args, redacting: &Redacting) -> Result<With<'a>, Failure> {
    With::new(&args.wanted(), args.each, &args.measuring, &args.pricing, redacting)
}

/// Prints what would be taken out of the tables.
pub fn list(args: &Args, out: &mut Out) -> Outcome {
    let runs = args.sharding.runs(&args.paths)?;
    let redacting = args.redacting()?;
    let with = with(args, &redacting)?;
    let cannot = |why: io::Error| Failure::unread(format!("cannot keep the rows: {why}"));
    let mut spool = Spool::new(&std::env::temp_dir()).map_err(cannot)?;
    let problems = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    problems.iter().for_each(|unread| tell(&unread.why));
    redacting.list(&with.taken_out().findings, out)?;
    Ok(exit_of(spool.count(), &problems))
}

/// A recording among others that cannot be read is a row; where nothing at all could be read, a script is to know.
pub fn exit_of(runs: usize, problems: &[Unread]) -> Exit {
    let exits = problems.iter().filter_map(|it| it.exit);
    let is_nothing = exits.clone().count() == runs;
    let worst = exits.max_by_key(|exit| exit.code());
    worst.filter(|_| is_nothing).unwrap_or(Exit::Fine)
}

/// Reads every run into the spool and gives what could not be read, in the order of the paths.
pub fn read_all(runs: &[PathBuf], with: &With<'_>, spool: &mut Spool) -> io::Result<Vec<Unread>> {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(runs.len().max(1));
    let (sender, receiver) = mpsc::sync_channel::<(usize, RunRows, Option<Unread>)>(WAITING);
    let says = io::stderr().is_terminal();
    let mut problems = vec![];
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(at) else { return };
                    let (rows, problem) = rows::of_run(run, with);
                    if sender.send((at, rows, problem)).is_err() {
                        return; // the spool cannot be written
                    }
                }
            };
            // As much as the main thread has: recordings may be nested deep.
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        }
        drop(sender);
        for (done, (at, rows, problem)) in receiver.into_iter().enumerate() {
            problems.extend(problem.map(|problem| (at, problem)));
            spool.add(rows)?;
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
    args: &Args,
    folders: &[(Form, DataFolder)],
    spool: &mut Spool,
) -> Result<Vec<Published>, Failure> {
    let mut parts: Vec<Vec<PartFile>> = folders.iter().map(|_| vec![]).collect();
    let shard = args.sharding.shard();
    for table in args.wanted() {
        let cannot = |why: io::Error| {
            Failure::unread(format!("cannot write the table of {}: {why}", table.word()))
        };
        let mut writers = vec![];
        for (form, folder) in folders {
            let file = folder.part(table.word(), form.word(), shard)?;
            writers.push(PartWriter::new(*form, table, file).map_err(cannot)?);
        }
        let mut write = |row: &Row| writers.iter_mut().try_for_each(|writer| writer.row(row));
        spool.write(table, &mut write).map_err(cannot)?;
        for (parts, writer) in parts.iter_mut().zip(writers) {
            parts.push(writer.finish().map_err(cannot)?);
        }
    }
    let existing = Existing::of(args.replace);
    let mut published = vec![];
    for ((_, folder), parts) in folders.iter().zip(parts) {
        published.extend(folder.publish(parts, existing)?);
    }
    Ok(published)
}
