//! `trajview figure agreement`: exact agreement and weighted kappa of each pair of raters, from what `agree` computes.

use std::path::PathBuf;

use serde_json::Value;

use trajview_figures::{Axis, Figure, Mark, Panel, Style};

use crate::cli::{
    CommandFailure, CommandResult, captured_output,
    output::{Out, OutputPiece, print_note},
    run_args,
};

use super::{figure_file::FigureFileArgs, figure_runs::joined_sentences};

/// Exact agreement and quadratically weighted kappa of each pair of raters, with intervals
#[derive(Debug, clap::Args)]
pub struct AgreementArgs {
    /// What `trajview agree` takes: runs, folders of them, files of judgements or labels, tables
    #[arg(value_name = "RUN_OR_FILE", required = true, value_parser = run_args::place_parser())]
    paths: Vec<PathBuf>,
    /// Only labels that are recorded as blind
    #[arg(long)]
    blind_only: bool,
    #[command(flatten)]
    file: FigureFileArgs,
}

/// The measures, one panel each: the field of `agree`, the label of the axis, and its low end.
const MEASURES: [(&str, &str); 2] =
    [("exact", "exact agreement"), ("kappa_quadratic", "weighted κ (quadratic)")];

/// The value of a measure, with the low and the high end of its interval.
type MeasuredAgreement = (f64, Option<(f64, f64)>);

/// A pair of raters, with each measure.
struct PairRow {
    label: String,
    measures: [Option<MeasuredAgreement>; 2],
}

pub fn run(args: &AgreementArgs, out: &mut Out) -> CommandResult {
    let mut words = vec!["agree".to_owned(), "--json".to_owned()];
    words.extend(args.blind_only.then(|| "--blind-only".to_owned()));
    words.push("--".into());
    words.extend(args.paths.iter().map(|path| path.display().to_string()));
    let (pieces, notes) = captured_output(&words)?;
    notes.iter().for_each(|note| print_note(note));
    let documents = pieces.into_iter().filter_map(|piece| match piece {
        OutputPiece::Json(document) => Some(document),
        OutputPiece::Line(_) | OutputPiece::Table(_) | OutputPiece::Bytes(_) => None,
    });
    let rows: Vec<PairRow> = documents.flat_map(|it| pair_rows(&it)).collect();
    if rows.is_empty() {
        return Err(CommandFailure::cannot_understand("no two raters scored the same things"));
    }
    args.file.write_figure(&agreement_figure(&rows, args), out)
}

/// Returns the pairs of a document and of the documents in it.
fn pair_rows(document: &Value) -> Vec<PairRow> {
    let list = |name: &str| document[name].as_array().map_or(&[][..], Vec::as_slice);
    let unit = document["unit"].as_str().unwrap_or_default();
    let criterion = document["criterion"].as_str();
    let part = match (unit, criterion) {
        ("component", None) => String::new(),
        (unit, None) => format!("{unit}: "),
        (_, Some(criterion)) => format!("{criterion}: "),
    };
    let row = |pair: &Value| {
        let name = |side: &str| pair[side].as_str().unwrap_or_default().to_owned();
        PairRow {
            label: format!("n={} {part}{} – {}", pair["n"], name("a"), name("b")),
            measures: MEASURES.map(|(field, _)| measured_value(pair, field)),
        }
    };
    let own = list("pairs").iter().map(row);
    own.chain(list("more").iter().flat_map(pair_rows)).collect()
}

fn measured_value(pair: &Value, field: &str) -> Option<(f64, Option<(f64, f64)>)> {
    let interval = &pair["ci95"][field];
    let ends = interval[0].as_f64().zip(interval[1].as_f64());
    Some((pair[field].as_f64()?, ends))
}

fn agreement_figure(rows: &[PairRow], args: &AgreementArgs) -> Figure {
    let names: Vec<String> = rows.iter().map(|row| row.label.clone()).collect();
    let panel = |at: usize| {
        let mark = |(y, row): (i32, &PairRow)| {
            let (value, ends) = row.measures[at]?;
            Some(Mark::Interval { style: Style(at), y: f64::from(y), value, ends })
        };
        let measured = rows.iter().filter_map(|row| row.measures[at]);
        let lowest = measured.map(|(value, ends)| ends.map_or(value, |(low, _)| low));
        Panel {
            title: String::new(),
            x: Axis::with_numbers(MEASURES[at].1, lowest.fold(0.0, f64::min), 1.0),
            y: Axis::with_names("", names.clone()),
            marks: (0..).zip(rows).filter_map(mark).collect(),
        }
    };
    let undefined = rows.iter().flat_map(|row| &row.measures).filter(|it| it.is_none()).count();
    let undefined = match undefined {
        0 => String::new(),
        count => format!("{count} without a value: not defined, `trajview agree` says why."),
    };
    Figure {
        title: "Agreement of raters".into(),
        caption: joined_sentences([
            "Exact agreement and Cohen's kappa with quadratic weights of each pair of raters; n is the number of things that both scored.".into(),
            "Intervals: 95 % BCa bootstrap over these things.".into(),
            undefined,
        ]),
        columns: args.file.page_columns(),
        panels: (0..MEASURES.len()).map(panel).collect(),
        legend: vec![],
    }
}
