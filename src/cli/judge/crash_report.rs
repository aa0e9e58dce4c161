//! The output of a crash test: its plan, and its card as a table and as JSON.

use trajview_judge::{
    crash_test::{CrashTest, CrashTestEnd},
    plan::JudgingEstimate,
};
use trajview_run::format_number;
use trajview_study::{
    Interval,
    crash_test::{CrashReport, CrashRow, CrashShift},
};

use crate::cli::{
    output::{Json, Out, OutputTable, TableColumn, print_note, record},
    run_args::count_with_noun,
};

const SCHEMA: &str = "trajview.crash-card/1";

/// Returns `12 components, 132 verdicts; at most 1452 requests, 9000000 tokens in, 500000 out; cost unknown`.
fn plan_text(report: &CrashReport, estimate: &JudgingEstimate) -> String {
    let cost = estimate.cost.map_or_else(
        || "cost unknown: the settings have no price_input and price_output".to_owned(),
        |cost| format!("at most {cost:.2} USD"),
    );
    format!(
        "{}, {}; at most {} requests, {} tokens in, {} out, usually far fewer; {cost}",
        count_with_noun(report.card.components, "component"),
        count_with_noun(report.card.trials - report.card.answered, "verdict"),
        estimate.requests,
        estimate.input_tokens,
        estimate.output_tokens,
    )
}

/// Prints size and cost on standard error, before anything is sent.
pub(crate) fn announce(test: &CrashTest, estimate: &JudgingEstimate) {
    let report = test.document().report(String::new());
    print_note(&format!("crash test of judge {}: {}", report.judge, plan_text(&report, estimate)));
}

/// Prints what would be judged; nothing is sent.
pub(crate) fn print_plan(
    test: &CrashTest,
    estimate: &JudgingEstimate,
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let report = test.document().report(String::new());
    if json {
        return out.print_json(&card_record(&report, Some(estimate)));
    }
    out.print_line("Nothing is sent. The crash test would be:")?;
    out.print_line(&format!("  {}", plan_text(&report, estimate)))?;
    out.print_line(&format!("  components  {}", report.components.join(", ")))?;
    out.print_line("")?;
    let rows = &report.card.rows;
    let columns: [TableColumn<'_, CrashRow>; 4] = [
        ("kind", &|row| row.kind.word().to_owned()),
        ("", &|row| matter_word(row).to_owned()),
        (">planted", &|row| row.shift.planted.to_string()),
        ("not planted", &not_planted_text),
    ];
    OutputTable::from_rows(&columns, rows).write_table(false, out)
}

const fn matter_word(row: &CrashRow) -> &'static str {
    if row.kind.must_matter() { "must matter" } else { "must not matter" }
}

/// Returns `3: the judge sees no transcript`; nothing where every component has the edit.
fn not_planted_text(row: &CrashRow) -> String {
    row.not_planted.as_ref().map_or_else(String::new, |(why, count)| format!("{count}: {why}"))
}

/// Prints the card.
pub(crate) fn print_card(ended: &CrashTestEnd, json: bool, out: &mut Out) -> std::io::Result<()> {
    let file = ended.path.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let report = ended.document.report(file);
    if json {
        return out.print_json(&card_record(&report, None));
    }
    let card = &report.card;
    out.print_line(&format!(
        "Crash test of judge {} on {} after turn {}: {}, {} of {}",
        report.judge,
        report.run,
        report.turn,
        count_with_noun(card.components, "component"),
        card.answered,
        count_with_noun(card.trials, "verdict"),
    ))?;
    out.print_line("")?;
    card_table(&report).write_table(false, out)?;
    out.print_line("")?;
    out.print_line(&format!("{}: {}", report.judge, card.summary_text()))?;
    let undetectable = card.rows.iter().find_map(|row| Some((row, row.undetectable_text()?)));
    if let Some((row, why)) = undetectable {
        out.print_line(&format!("detectable — of {}: {why}", row.kind.word()))?;
    }
    let missing = card.trials - card.answered;
    if missing > 0 {
        out.print_line(&format!("{missing} without a verdict; --resume asks again"))?;
    }
    out.print_line("No verdict of a crash test is a score of the run.")?;
    if let Some(spent) = report.spent_usd {
        out.print_line(&format!("{spent:.4} USD spent"))?;
    }
    if report.requests_without_usage > 0 {
        let requests = count_with_noun(report.requests_without_usage, "request");
        out.print_line(&format!("cost unknown: {requests} without a number of tokens"))?;
    }
    out.print_line(&report.file)
}

/// Returns the table of the card: the judge's own noise, then each kind.
fn card_table(report: &CrashReport) -> OutputTable {
    let mut table = OutputTable::new(&[
        "kind",
        "",
        ">n",
        ">shift",
        "95 %",
        ">changed",
        "95 %",
        ">detectable",
        "verdict",
    ]);
    let row = |kind: &str, matter: &str, shift: &CrashShift, verdict: String| {
        let dash = || format_number::MISSING_SIGN.to_owned();
        let levels = |it: Option<f64>| it.map_or_else(dash, |it| format!("{it:.2}"));
        let interval = |it: Option<Interval>| {
            it.map_or_else(dash, |it| format!("[{:.2}, {:.2}]", it.low, it.high))
        };
        vec![
            kind.to_owned(),
            matter.to_owned(),
            shift.counted.to_string(),
            levels(shift.shift),
            interval(shift.shift_interval),
            levels(shift.changed_share()),
            interval(shift.changed_interval),
            levels(shift.detectable),
            verdict,
        ]
    };
    table.add_row(row("repeat", "no edit", &report.card.noise, "the judge's own noise".into()));
    for it in &report.card.rows {
        let verdict = match &it.not_planted {
            Some((why, _)) if it.shift.planted == 0 => format!("{}: {why}", it.verdict.words()),
            Some(_) | None => it.verdict.words().to_owned(),
        };
        let verdict = match it.shift.at_bottom {
            0 => verdict,
            count => format!("{verdict} ({count} at level 0 left out)"),
        };
        table.add_row(row(it.kind.word(), matter_word(it), &it.shift, verdict));
    }
    table
}

/// Returns the JSON of a report: `plan` is that of a dry run; `verdict` of a kind is one of the words of the table, and
/// `p` is adjusted by Holm. Levels are null if nothing is measured.
fn card_record(report: &CrashReport, plan: Option<&JudgingEstimate>) -> Json {
    let card = &report.card;
    record! {
        schema: SCHEMA,
        run: report.run,
        commit: report.commit,
        turn: report.turn,
        judge: report.judge,
        model: report.model,
        file: (!report.file.is_empty()).then_some(&report.file),
        created_at: (!report.created_at.is_empty()).then_some(&report.created_at),
        seed: report.seed,
        components: report.components,
        verdicts: card.trials,
        answered: card.answered,
        without_verdict: card.trials - card.answered,
        finished: report.is_finished,
        plan: plan.map(plan_record),
        spent_usd: report.spent_usd,
        // With any of these the cost is not known.
        requests_without_usage: report.requests_without_usage,
        tokens: report.tokens,
        noise: shift_record(&card.noise),
        kinds: Json::list(&card.rows, kind_record),
        named: card.named_kinds().map(|row| row.kind.word()).collect::<Vec<_>>(),
        summary: (card.answered > 0).then(|| card.summary_text()),
    }
}

fn plan_record(plan: &JudgingEstimate) -> Json {
    record! {
        place: plan.place,
        max_requests: plan.requests,
        max_input_tokens: plan.input_tokens,
        max_output_tokens: plan.output_tokens,
        max_cost_usd: plan.cost,
    }
}

fn kind_record(row: &CrashRow) -> Json {
    let not_planted = row.not_planted.as_ref();
    record! {
        kind: row.kind.word(),
        description: row.kind.description(),
        must_matter: row.kind.must_matter(),
        ..shift_record(&row.shift),
        detectable_reason: row.undetectable_text(),
        p: row.p,
        verdict: row.verdict.words(),
        named: row.verdict.is_named(),
        // Components in which it could not be planted, and the most frequent reason.
        not_planted: not_planted.map_or(0, |(_, count)| *count),
        not_planted_reason: not_planted.map(|(why, _)| why),
    }
}

fn shift_record(shift: &CrashShift) -> Json {
    record! {
        planted: shift.planted,
        n: shift.counted,
        // Components at level 0 unedited, where the edit must matter.
        left_out: shift.at_bottom,
        shift: shift.shift,
        shift_low: shift.shift_interval.map(|it| it.low),
        shift_high: shift.shift_interval.map(|it| it.high),
        changed: shift.changed_share(),
        changed_low: shift.changed_interval.map(|it| it.low),
        changed_high: shift.changed_interval.map(|it| it.high),
        detectable_shift: shift.detectable,
    }
}
