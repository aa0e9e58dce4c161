//! `trajview figure losses`: the lifelines of one run's components, or how many components several runs lost by each turn.

use trajview_figures::{Axis, Figure, LegendEntry, Mark, MarkShape, PageColumns, Panel, Style};
use trajview_run::format_number::count_with_noun;
use trajview_study::{
    curves::{CurveBand, CurvePoint, mean_curve},
    trend::CheckpointSeries,
};

use crate::cli::{CommandResult, measuring_args::open_cache, output::Out};

use super::{
    figure_file::FigureFileArgs,
    figure_runs::{
        FigureGroup, FigureGrouping, FigureRunArgs, GroupedRuns, group_runs, joined_sentences,
    },
    lifetimes::{ComponentLives, component_lives},
};

/// One run: a strip of each component, with its loss. Several: components lost by each turn
#[derive(Debug, clap::Args)]
pub struct LossFigureArgs {
    #[command(flatten)]
    runs: FigureRunArgs,
    /// The groups of several runs: one curve each
    #[arg(long, value_enum, default_value_t = FigureGrouping::Condition)]
    by: FigureGrouping,
    #[command(flatten)]
    file: FigureFileArgs,
}

/// What a loss is, for the caption.
pub(crate) const LOSS_SENTENCE: &str = "A component is lost in the turn after which none of its symbols that were there is in use any more, up to the end of the run.";

pub fn run(args: &LossFigureArgs, out: &mut Out) -> CommandResult {
    let paths = args.runs.run_paths()?;
    let runs = group_runs(&paths, args.by, open_cache(true), component_lives)?;
    let columns = args.file.page_columns();
    let figure = match runs.groups.as_slice() {
        [FigureGroup { runs: only, .. }] if paths.len() == 1 && only.len() == 1 => {
            strip_figure(&only[0], columns)
        }
        _ => losses_figure(&runs, columns),
    };
    args.file.write_figure(&figure, out)
}

fn strip_figure(lives: &ComponentLives, columns: PageColumns) -> Figure {
    let end = lives.turns as f64;
    let (mut marks, mut lost, mut kept) = (vec![], vec![], vec![]);
    for (row, life) in (0..).map(f64::from).zip(&lives.components) {
        let Some(first) = life.first else { continue };
        let last = life.lost_at.map_or(end, |turn| turn as f64);
        marks.push(Mark::Bar { style: Style(0), y: row, from: first as f64, to: last });
        let places = if life.lost_at.is_some() { &mut lost } else { &mut kept };
        places.push((last, row));
    }
    let shaped = |label: &str, count: usize, style, shape| LegendEntry {
        label: format!("{label} (n={count})"),
        style: Style(style),
        shape: Some(shape),
        has_marks: false,
    };
    let legend = vec![
        LegendEntry {
            label: "first defined to lost or end".into(),
            style: Style(0),
            shape: None,
            has_marks: false,
        },
        shaped("lost", lost.len(), 1, MarkShape::Cross),
        shaped("not lost", kept.len(), 0, MarkShape::Tick),
    ];
    let unfollowed = lives.components.len() - lost.len() - kept.len();
    marks.push(Mark::Points { style: Style(0), shape: MarkShape::Tick, points: kept });
    marks.push(Mark::Points { style: Style(1), shape: MarkShape::Cross, points: lost });
    let without = match unfollowed {
        0 => String::new(),
        count => format!(
            "{} without a bar: none of the symbols was ever defined.",
            count_with_noun(count, "component")
        ),
    };
    Figure {
        title: "Lifelines of the components".into(),
        caption: joined_sentences([
            "Each component from the turn that first defined it.".into(),
            LOSS_SENTENCE.into(),
            without,
        ]),
        columns,
        panels: vec![Panel {
            title: String::new(),
            x: Axis::with_counts("turn", 0.0, end),
            y: Axis::with_names("", lives.components.iter().map(|it| it.name.clone()).collect()),
            marks,
        }],
        legend,
    }
}

/// Returns the number of components lost by each turn, from 0 to the end of the run.
fn losses_by_turn(lives: &ComponentLives) -> CheckpointSeries {
    let lost_by = |turn: usize| {
        let lost = lives.components.iter().filter_map(|it| it.lost_at);
        lost.filter(|at| *at <= turn).count() as f64
    };
    (0..=lives.turns).map(|turn| Some(lost_by(turn))).collect()
}

fn losses_figure(runs: &GroupedRuns<ComponentLives>, columns: PageColumns) -> Figure {
    let curve = |group: &FigureGroup<ComponentLives>| {
        let series: Vec<CheckpointSeries> = group.runs.iter().map(losses_by_turn).collect();
        mean_curve(&series.iter().collect::<Vec<_>>(), CurveBand::Range)
    };
    let curves: Vec<Vec<Option<CurvePoint>>> = runs.groups.iter().map(curve).collect();
    let numbered = |curve: &[Option<CurvePoint>]| -> Vec<(f64, Option<CurvePoint>)> {
        (0..).zip(curve).map(|(at, point)| (f64::from(at), *point)).collect()
    };
    let mut marks = vec![];
    for (at, curve) in curves.iter().enumerate() {
        let ends = |point: CurvePoint| point.band.map(|it| (it.low, it.high));
        let points = numbered(curve).into_iter().map(|(x, it)| (x, it.and_then(ends))).collect();
        marks.push(Mark::Band { style: Style(at), points, is_step: true });
    }
    for (at, curve) in curves.iter().enumerate() {
        let points = numbered(curve).into_iter().map(|(x, it)| (x, it.map(|it| it.mean))).collect();
        marks.push(Mark::Curve { style: Style(at), points, is_step: true });
    }
    let highest = curves.iter().flatten().flatten();
    let highest = highest.map(|it| it.band.map_or(it.mean, |band| band.high)).fold(1.0, f64::max);
    let longest = curves.iter().map(Vec::len).max().unwrap_or(1) - 1;
    Figure {
        title: "Components lost by each turn".into(),
        caption: joined_sentences([
            "Components lost by each turn, mean over the runs that have the turn; n is the number of runs.".into(),
            "Bands: from the run with the fewest losses to the one with the most.".into(),
            LOSS_SENTENCE.into(),
            runs.left_out_sentence().unwrap_or_default(),
        ]),
        columns,
        panels: vec![Panel {
            title: String::new(),
            x: Axis::with_counts("turn", 0.0, longest as f64),
            y: Axis::with_numbers("components lost", 0.0, highest * 1.05),
            marks,
        }],
        legend: runs.legend_entries(false),
    }
}
