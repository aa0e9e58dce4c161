//! `trajview blame`: which turn last wrote each line of a file.

use std::{collections::HashMap, ops::RangeInclusive};

use trajview_run::{RepoPath, Run, StepId, files::blame::BlamedLine};
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit, RunArg,
    output::{Json, Out, record, safe_line},
    run_args,
};

/// Print a file with the turn and the step that last wrote each line
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Columns: turn, checkpoint, step (its number in the turn, sub-agents' steps included), mark, line, \
    text.\nMarks: ◇ changed outside recorded edits, · there before the run, ? not recorded who wrote it."
)]
pub struct BlameArgs {
    #[command(flatten)]
    run: RunArg,
    /// Path inside the workspace
    path: String,
    #[arg(long, default_value = "final", help = run_args::MOMENT_HELP_WITH_STEPS, value_name = "MOMENT")]
    at: String,
    /// Only this line, or these (count from 1)
    #[arg(long, value_name = "N|A-B", value_parser = parse_line_range)]
    line: Option<RangeInclusive<usize>>,
    /// Print JSON (schema trajview.blame/1)
    #[arg(long)]
    json: bool,
}

fn parse_line_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a line such as 12, or lines such as 12-20".into()),
    }
}

pub fn run(args: &BlameArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let cannot = |why: String| CommandFailure::cannot_read(format!("{}: {why}", args.path));
    let moment = run_args::parse_moment(run, &args.at)?;
    let path = RepoPath::new(&args.path)
        .ok_or_else(|| cannot("not a path inside the workspace".into()))?;
    let blamed = archive.blame_lines(run, &path, moment).map_err(cannot)?;
    let tree = archive.timeline(run).map_err(cannot)?.tree_at(run, moment);
    let file = tree.files.get(&path).ok_or_else(|| cannot("no such file at that moment".into()))?;
    let content = archive.file_content(run, *file).map_err(cannot)?;
    let texts: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    let wanted = args.line.clone().unwrap_or(1..=usize::MAX);
    if args.line.is_some() && *wanted.start() > texts.len() {
        let why = format!("no line {}: the file has {}", wanted.start(), texts.len());
        return Err(CommandFailure::wrong_arguments(format!("{}: {why}", args.path)));
    }
    let lines: Vec<(usize, &BlamedLine, &[u8])> = (1..)
        .zip(blamed.iter().zip(texts))
        .map(|(number, (line, text))| (number, line, text.strip_suffix(b"\n").unwrap_or(text)))
        .filter(|(number, ..)| wanted.contains(number))
        .collect();
    if args.json {
        let mut numbers = StepNumbers::default();
        let lines: Vec<Json> = lines
            .iter()
            .map(|(number, line, text)| line_row(run, &mut numbers, *number, line, text))
            .collect();
        out.print_json(&record! {
            schema: "trajview.blame/1",
            run: run.id,
            path: path.as_str(),
            // Turns done.
            turn: moment.turns,
            // The last step that is done of the next turn. Null if none is.
            step: moment.step.map(|step| run_args::step_number(run, step)),
            lines: lines,
        })?;
    } else {
        print_lines(run, &lines, out)?;
    }
    Ok(Exit::Fine)
}

fn line_row(
    run: &Run,
    numbers: &mut StepNumbers,
    number: usize,
    line: &BlamedLine,
    text: &[u8],
) -> Json {
    let title = line.turn.and_then(|turn| run.turns.get(turn)).map(|turn| &turn.title);
    let agent = line.step.and_then(|step| run.subagents.get(step.subagent?));
    record! {
        line: number,
        // The line without its line end; bytes that are no text as U+FFFD.
        text: String::from_utf8_lossy(text),
        // Counts from 1; null for a line from before the run, and where the recording cannot tell.
        turn: line.turn.map(|turn| turn + 1),
        checkpoint: checkpoint_id(run, line),
        // Its number in the turn, sub-agents' steps included, from 1. Null if no recorded edit explains the line.
        step: line.step.and_then(|step| numbers.number_of(run, step)),
        // Id of the sub-agent whose step it is; null for the main agent.
        subagent: agent.map(|agent| &agent.id),
        // First line of the turn's request.
        request: title.filter(|title| !title.is_empty()),
        // recorded, outside (changed outside recorded edits), before-run or not-recorded
        origin: line.origin.word(),
    }
}

/// [`Run::step_numbers`] by turn, computed on first use.
#[derive(Default)]
struct StepNumbers(HashMap<usize, HashMap<StepId, usize>>);

impl StepNumbers {
    /// Returns the number of a step in its turn, from 1; keeps those of the turn.
    fn number_of(&mut self, run: &Run, step: StepId) -> Option<usize> {
        let turn = self.0.entry(step.turn).or_insert_with(|| run.step_numbers(step.turn));
        turn.get(&step).copied()
    }
}

fn checkpoint_id<'r>(run: &'r Run, line: &BlamedLine) -> Option<&'r str> {
    let turn = line.turn.and_then(|turn| run.turns.get(turn))?;
    turn.checkpoint.and_then(|at| run.checkpoints.get(at)).map(|checkpoint| checkpoint.id.as_str())
}

fn print_lines(
    run: &Run,
    lines: &[(usize, &BlamedLine, &[u8])],
    out: &mut Out,
) -> std::io::Result<()> {
    let mut numbers = StepNumbers::default();
    let heads: Vec<[String; 5]> = lines
        .iter()
        .map(|(number, line, _)| {
            [
                line.turn.map(|turn| (turn + 1).to_string()).unwrap_or_default(),
                safe_line(checkpoint_id(run, line).unwrap_or_default()).into_owned(),
                line.step
                    .and_then(|step| numbers.number_of(run, step))
                    .map(|it| it.to_string())
                    .unwrap_or_default(),
                line.origin.gutter_mark().to_owned(),
                number.to_string(),
            ]
        })
        .collect();
    let width = |column: usize| {
        heads
            .iter()
            .map(|head| trajview_tui::widgets::text::width(&head[column]))
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    for (head, (.., text)) in heads.iter().zip(lines) {
        let cells: Vec<String> = head
            .iter()
            .zip(widths)
            .enumerate()
            .filter(|(_, (_, width))| *width > 0)
            .map(|(column, (cell, width))| {
                let gap = " ".repeat(width - trajview_tui::widgets::text::width(cell).min(width));
                let is_words = column == 1;
                if is_words { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
            })
            .collect();
        let line = [cells.join(" ").as_bytes(), b"  ", text, b"\n"].concat();
        out.print_bytes(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_one_number_or_two() {
        assert_eq!(parse_line_range("3"), Ok(3..=3));
        assert_eq!(parse_line_range("3-5"), Ok(3..=5));
        for wrong in ["0", "5-3", "x", "", "-3", "3-"] {
            assert!(parse_line_range(wrong).is_err(), "{wrong}");
        }
    }
}
