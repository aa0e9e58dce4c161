//! `trajview losses`: the components that a run lost, each with the turn, the request and the lines that lost it, and the
//! tests that passed at one checkpoint and failed at a later one.

use serde::Serialize;

use trajview_analysis::lifelines;
use trajview_metrics::lifeline::{
    self, ComponentLoss, DatedVerdict, Lifeline, LostSymbol, RecordedLoss, TurnSide,
};
use trajview_metrics::test_losses::{LossKind, TestLoss, followed_tests, test_losses};
use trajview_run::{
    RepoPath, Run,
    files::FileChange,
    format_number::{count_with_noun, trimmed_decimals},
};
use trajview_store::{self as store, Archive};
use trajview_tui::widgets::text;

use super::{
    CommandFailure, CommandResult, Exit, RunArg,
    output::{self, Out, OutputTable, TableFormArgs, cell_or_empty},
    score::faithfulness,
};

/// List lost components and tests of a run: turn, request, lines, scores
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A component is lost in the turn after which none of its symbols that were there is in use any more, up to the \
    end of the run. Its symbols are the names in parentheses after its own name, or, where there are none, the definitions that \
    the judge named as evidence. A test is lost at the checkpoint at which it failed after it had passed at an earlier one, as the \
    harness recorded it (SlopCodeBench, EvoCodeBench, steps of Harbor); a test that did not run at a checkpoint is not lost there."
)]
pub struct LossesArgs {
    #[command(flatten)]
    run: RunArg,
    /// The judge whose scores are shown: a name, a judgement's file, or the beginning of one. Without it the judge of the
    /// last complete judgement
    #[arg(long, value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    counting: super::run_args::CountingArgs,
    /// Print below each loss the lines that changed
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    diff: bool,
    #[command(flatten)]
    forms: TableFormArgs,
    /// Print JSON (schema trajview.losses/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct LossesDocument<'a> {
    schema: &'static str,
    run: &'a str,
    turns: usize,
    /// The judge whose scores are in the rows; null without a judgement.
    judge: Option<&'a str>,
    /// Components with a symbol that was once defined: the others cannot be followed.
    followed: usize,
    /// Components of the checklist, or of the judgement where there is no checklist.
    components: usize,
    /// Tests whose outcome is recorded at two checkpoints at least: the others cannot be lost.
    tests: usize,
    losses: Vec<LossRow<'a>>,
}

#[derive(Serialize)]
struct LossRow<'a> {
    /// `component` or `test`.
    kind: &'static str,
    /// The component's id; null for a test.
    component: Option<&'a str>,
    /// The component's name in the checklist, or the test's.
    name: Option<&'a str>,
    /// Counts from 1.
    turn: usize,
    checkpoint: Option<&'a str>,
    /// First line of the turn's request, at most 120 characters.
    request: Option<&'a str>,
    symbols: Vec<LostSymbolRow<'a>>,
    before: Option<VerdictRow<'a>>,
    after: Option<VerdictRow<'a>>,
    /// Hunks around the lines that lost it; empty where no such line is recorded, null where the recording has no files
    /// over time.
    hunks: Option<Vec<HunkRow>>,
    /// The states between which a test was lost; null for a component.
    test: Option<LostTestRow<'a>>,
}

#[derive(Serialize)]
struct LostTestRow<'a> {
    /// The checkpoint that the test was written for; of EvoCodeBench the first in which it is named.
    written_for: &'a str,
    /// The last checkpoint at which it passed, and its last turn.
    passed_at: String,
    passed_at_turn: usize,
    /// The checkpoint at which it failed.
    failed_at: String,
    /// The reason of the failure; null where the harness has none.
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct LostSymbolRow<'a> {
    name: &'a str,
    path: Option<&'a str>,
    /// The turn from which on this symbol is lost; counts from 1.
    turn: usize,
    /// What the turn did to it, to follow its name.
    change: Option<String>,
    /// The line that shows the change, in the file before the turn (`old`) or after it (`new`).
    line: Option<LineRow<'a>>,
    /// At the end of the run: `gone` or `defined, no longer used`.
    state: &'static str,
}

#[derive(Serialize)]
struct LineRow<'a> {
    path: &'a str,
    line: u32,
    side: &'static str,
}

/// The judge's verdict on the last judged state before the loss, or on the last judged state of the run after it.
#[derive(Serialize)]
struct VerdictRow<'a> {
    /// Turns done in the state that was judged.
    turn: usize,
    score: Option<f64>,
    label: Option<&'a str>,
    rationale: &'a str,
    file: &'a str,
}

#[derive(Serialize)]
struct HunkRow {
    path: String,
    text: String,
}

pub fn run(args: &LossesArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let mut rubric = store::rubric::read_beside(&args.run.path);
    let chosen = faithfulness::choose_judgement(&mut rubric, args.judge.as_deref())?;
    output::print_warnings(&rubric.warnings);
    let judgement = chosen.and_then(|at| rubric.judgements.get(at));
    let requests = lifeline::components_to_follow(run, &rubric, judgement);
    let (tests, lost_tests) = (followed_tests(run), test_losses(run));
    if requests.is_empty() && tests == 0 {
        let path = args.run.path.display();
        return Err(CommandFailure::cannot_understand(format!(
            "{path}: no component or test to follow: there is no components.json and no judgement beside the run, and no test \
             is recorded at two checkpoints; `trajview judge {path} --judge NAME` makes a judgement"
        )));
    }
    let lifelines = match requests.is_empty() {
        true => vec![],
        false => lifelines::component_lifelines(archive, run, &requests, &|_, _| true)
            .map_err(CommandFailure::cannot_read)?,
    };
    let source = LossSource { run, archive };
    let judge = judgement.map(|it| &it.judge);
    let losses = lifeline::recorded_losses(run, &rubric, judge, &lifelines);
    let mut losses: Vec<LossRow<'_>> = losses.iter().map(|loss| source.loss_row(loss)).collect();
    losses.extend(lost_tests.iter().map(|loss| test_row(run, loss)));
    let document = LossesDocument {
        schema: "trajview.losses/1",
        run: &run.id,
        turns: run.end_in_turns(),
        judge: judge.map(|judge| judge.name.as_str()),
        followed: lifelines.iter().filter(|it| is_followed(it)).count(),
        components: lifelines.len(),
        tests,
        losses,
    };
    if args.json {
        out.print_json(&document)?;
    } else {
        print_losses(&document, args.diff, out)?;
    }
    Ok(Exit::Fine)
}

fn is_followed(lifeline: &Lifeline) -> bool {
    lifeline.deciding_symbols().next().is_some()
}

/// The run and its files, from which the hunks are made.
struct LossSource<'a> {
    run: &'a Run,
    archive: &'a Archive,
}

impl<'a> LossSource<'a> {
    fn loss_row(&self, recorded: &RecordedLoss<'a>) -> LossRow<'a> {
        let loss = &recorded.loss;
        LossRow {
            kind: LossKind::Component.word(),
            component: Some(loss.component),
            name: recorded.name,
            turn: loss.turn,
            checkpoint: recorded.checkpoint,
            request: recorded.request,
            symbols: loss.symbols.iter().map(symbol_row).collect(),
            before: recorded.before.map(verdict_row),
            after: recorded.after.map(verdict_row),
            hunks: self.loss_hunks(loss),
            test: None,
        }
    }

    /// Returns the hunks of the turn around the lines that show the loss. None where the recording does not have them.
    fn loss_hunks(&self, loss: &ComponentLoss<'_>) -> Option<Vec<HunkRow>> {
        let timeline = self.archive.timeline(self.run).ok()?;
        let changes = &timeline.turns.get(loss.turn.checked_sub(1)?)?.changes;
        let mut hunks: Vec<HunkRow> = vec![];
        for symbol in loss.symbols.iter().filter(|symbol| symbol.turn == loss.turn) {
            let Some(spot) = symbol.event.and_then(|event| event.spot.as_ref()) else { continue };
            let Some(change) = changes.iter().find(|it| has_path(it, &spot.path)) else { continue };
            let diff = self.archive.file_diff(self.run, change, CONTEXT_LINES);
            for hunk in diff.text_diff().iter().flat_map(|diff| &diff.hunks) {
                let (start, len) = match spot.side {
                    TurnSide::Old => (hunk.old_start, hunk.old_len),
                    TurnSide::New => (hunk.new_start, hunk.new_len),
                };
                if (start..start + len.max(1)).contains(&(spot.line as usize)) {
                    let mut text = String::new();
                    hunk.write(&mut text);
                    let hunk = HunkRow { path: spot.path.to_string(), text };
                    if !hunks.iter().any(|it| (&it.path, &it.text) == (&hunk.path, &hunk.text)) {
                        hunks.push(hunk);
                    }
                }
            }
        }
        Some(hunks)
    }
}

/// Unchanged lines around the changed ones of a hunk.
const CONTEXT_LINES: usize = 3;

fn has_path(change: &FileChange, path: &RepoPath) -> bool {
    change.path == *path || change.from.as_ref() == Some(path)
}

/// Returns the row of a lost test: at the last turn of the checkpoint at which it failed.
fn test_row<'a>(run: &'a Run, loss: &TestLoss<'a>) -> LossRow<'a> {
    let turn = run.turns.get(loss.failed.turns_done.wrapping_sub(1));
    let checkpoint = turn.and_then(|turn| run.checkpoints.get(turn.checkpoint?));
    LossRow {
        kind: LossKind::Test.word(),
        component: None,
        name: Some(&loss.test.name),
        turn: loss.failed.turns_done,
        checkpoint: checkpoint.map(|it| it.id.as_str()),
        request: turn.map(|turn| &*turn.title).filter(|title| !title.is_empty()),
        symbols: vec![],
        before: None,
        after: None,
        hunks: None,
        test: Some(LostTestRow {
            written_for: &loss.test.checkpoint,
            passed_at: loss.passed.name.clone(),
            passed_at_turn: loss.passed.turns_done,
            failed_at: loss.failed.name.clone(),
            reason: loss.test.reason.as_deref(),
        }),
    }
}

fn symbol_row<'a>(symbol: &LostSymbol<'a>) -> LostSymbolRow<'a> {
    let life = symbol.life;
    let spot = symbol.event.and_then(|event| event.spot.as_ref());
    LostSymbolRow {
        name: life.last_name(),
        path: life.place.as_ref().map(|place| place.path.as_str()),
        turn: symbol.turn,
        change: symbol.event.map(|event| event.change.change_text()),
        line: spot.map(|spot| LineRow {
            path: spot.path.as_str(),
            line: spot.line,
            side: match spot.side {
                TurnSide::Old => "old",
                TurnSide::New => "new",
            },
        }),
        state: life.last_state().words(),
    }
}

fn verdict_row(dated: DatedVerdict<'_>) -> VerdictRow<'_> {
    VerdictRow {
        turn: dated.turns_done,
        score: dated.verdict.score_value(),
        label: dated.verdict.label.as_deref(),
        rationale: &dated.verdict.rationale,
        file: &dated.judgement.file,
    }
}

fn verdict_cell(verdict: Option<&VerdictRow<'_>>) -> String {
    let Some(verdict) = verdict else { return "-".into() };
    let score = verdict.score.map(trimmed_decimals);
    let level = score.or_else(|| verdict.label.map(str::to_owned));
    format!("{} at {}", cell_or_empty(level), verdict.turn)
}

fn name_cell(loss: &LossRow<'_>) -> String {
    [loss.component, loss.name].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn print_losses(
    document: &LossesDocument<'_>,
    with_diff: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let followed = document.followed;
    let lost = |kind: &str| document.losses.iter().filter(|loss| loss.kind == kind).count();
    let judge = document.judge.map(|judge| format!(" · scores by {judge}")).unwrap_or_default();
    let counted = |kind: &str, all: usize| {
        format!("{}: {} of {} lost", document.run, lost(kind), count_with_noun(all, kind))
    };
    if document.components > 0 {
        out.print_sentence(&format!("{}{judge}", counted("component", followed)))?;
    }
    if document.tests > 0 {
        out.print_sentence(&counted("test", document.tests))?;
    }
    if followed < document.components {
        let count = count_with_noun(document.components - followed, "component");
        out.print_sentence(&format!(
            "{count} cannot be followed: none of the symbols was ever defined"
        ))?;
    }
    for loss in document.losses.iter().filter(|_| with_diff) {
        out.print_line("")?;
        out.print_line(&format!("{}, lost at turn {}", name_cell(loss), loss.turn))?;
        let request = loss.request.unwrap_or("(no request recorded)");
        out.print_sentence(&format!("request: {request}"))?;
        for (word, verdict) in [("before", &loss.before), ("after", &loss.after)] {
            if let Some(verdict) = verdict {
                let score = verdict_cell(Some(verdict));
                out.print_sentence(&format!("{word}: {score}: {}", verdict.rationale))?;
            }
        }
        if let Some(test) = &loss.test {
            let (passed, failed) = (&test.passed_at, &test.failed_at);
            let reason = test.reason.unwrap_or("no reason recorded");
            out.print_sentence(&format!("passed at {passed}, failed at {failed}: {reason}"))?;
            continue;
        }
        for symbol in &loss.symbols {
            let change = symbol.change.as_deref().unwrap_or(symbol.state);
            out.print_line(&format!("{}: {change} (turn {})", symbol.name, symbol.turn))?;
        }
        match &loss.hunks {
            None => out.print_line(NO_LINES)?,
            Some(hunks) if hunks.is_empty() => out.print_line(NO_LINES)?,
            Some(hunks) => hunks.iter().try_for_each(|hunk| {
                out.print_line(&format!("--- {}", hunk.path))?;
                out.print_bytes(hunk.text.as_bytes())
            })?,
        }
    }
    if with_diff || document.losses.is_empty() {
        return Ok(());
    }
    out.print_line("")?;
    let heads = [
        "kind",
        "component or test",
        ">lost at turn",
        "symbol",
        "change",
        "place",
        "before",
        "after",
        "request",
    ];
    let mut table = OutputTable::new(&heads);
    for loss in &document.losses {
        let request = loss.request.unwrap_or_default();
        let request = text::truncate(request, REQUEST_WIDTH, "…").to_string();
        if let Some(test) = &loss.test {
            table.add_row(vec![
                loss.kind.to_owned(),
                name_cell(loss),
                loss.turn.to_string(),
                String::new(),
                test.reason.unwrap_or_default().to_owned(),
                String::new(),
                format!("passed at {}", test.passed_at),
                format!("failed at {}", test.failed_at),
                request,
            ]);
            continue;
        }
        for (at, symbol) in loss.symbols.iter().enumerate() {
            let of_loss = |cell: String| if at == 0 { cell } else { String::new() };
            table.add_row(vec![
                of_loss(loss.kind.to_owned()),
                of_loss(name_cell(loss)),
                of_loss(loss.turn.to_string()),
                symbol.name.to_owned(),
                symbol.change.clone().unwrap_or_else(|| symbol.state.to_owned()),
                symbol.line.as_ref().map_or_else(
                    || symbol.path.unwrap_or_default().to_owned(),
                    |line| format!("{}:{}", line.path, line.line),
                ),
                of_loss(verdict_cell(loss.before.as_ref())),
                of_loss(verdict_cell(loss.after.as_ref())),
                of_loss(request.clone()),
            ]);
        }
    }
    table.write_table(false, out)
}

const NO_LINES: &str = "the changed lines are not in the recording";

/// Columns of a request in the table.
const REQUEST_WIDTH: usize = 60;
