//! `trajview figure curves`: a number of the code from checkpoint to checkpoint, or from turn to turn.

use clap::ValueEnum;

use trajview_analysis::scores::{ReuseRequest, ScoreRequest, Scorers, Scores};
use trajview_figures::{Axis, Figure, Mark, Panel, Style};
use trajview_metrics::{
    Number,
    numbers::{NumberInput, TRENDS},
    quality::ScoredSnapshot,
};
use trajview_run::{Run, files::RunMoment};
use trajview_store::OpenedRecording;
use trajview_study::{
    compare::checkpoint_moments,
    curves::{CurveBand, CurvePoint, mean_curve},
    trend::CheckpointSeries,
};

use crate::cli::{
    CommandResult,
    measuring_args::{MeasuringArgs, ruler_text},
    output::Out,
    run_args,
};

use super::{
    figure_file::FigureFileArgs,
    figure_runs::{
        FigureGroup, FigureGrouping, FigureRunArgs, GroupedRuns, group_runs, joined_sentences,
    },
};

/// Erosion, verbosity or other numbers of the code over checkpoints or turns, mean of each group
#[derive(Debug, clap::Args)]
pub struct CurvesArgs {
    #[command(flatten)]
    runs: FigureRunArgs,
    /// The groups: one curve each
    #[arg(long, value_enum, default_value_t = FigureGrouping::Condition)]
    by: FigureGrouping,
    /// The numbers, one panel each: any number of the code that `trajview list metrics` lists
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = metric_parser(), hide_possible_values = true, default_values_t = TRENDS.iter().map(|it| MetricName(*it)))]
    metric: Vec<MetricName>,
    /// The moments. Default: checkpoints if every run has two or more, else turns
    #[arg(long, value_enum)]
    over: Option<CurveMoments>,
    /// The band around a mean of two runs or more
    #[arg(long, value_enum, default_value_t = BandWord::Interval)]
    band: BandWord,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    file: FigureFileArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CurveMoments {
    Checkpoints,
    Turns,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BandWord {
    /// Student's 95 % interval of the mean
    Interval,
    /// From the lowest run to the highest
    Range,
    /// None
    #[value(name = "none")]
    Nothing,
}

/// A number, named by its id.
#[derive(Debug, Clone, Copy)]
struct MetricName(Number);

impl std::fmt::Display for MetricName {
    fn fmt(&self, form: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        form.write_str(self.0.id())
    }
}

fn metric_parser() -> impl clap::builder::TypedValueParser<Value = MetricName> {
    let is_of_code = |number: &&Number| matches!(number.row().input, NumberInput::Code(_));
    let ids: Vec<&str> = Number::ALL.iter().filter(is_of_code).map(|it| it.id()).collect();
    run_args::word_parser(ids, |word| Number::find_by_id(word).map(MetricName))
}

impl BandWord {
    const fn band(self) -> CurveBand {
        match self {
            Self::Interval => CurveBand::Confidence,
            Self::Range => CurveBand::Range,
            Self::Nothing => CurveBand::Nothing,
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Interval => "Bands: Student's 95 % interval of the mean over runs.",
            Self::Range => "Bands: from the lowest run to the highest.",
            Self::Nothing => "",
        }
    }
}

/// The measured code of one run, at each checkpoint or turn.
struct RunCurves {
    /// One series for each number.
    series: Vec<CheckpointSeries>,
}

pub fn run(args: &CurvesArgs, out: &mut Out) -> CommandResult {
    let paths = args.runs.run_paths()?;
    let scorers = args.measuring.open_scorers()?;
    let cache = scorers.scorer.cache();
    let over = match args.over {
        Some(over) => over,
        None => {
            let has_checkpoints = |opened: &OpenedRecording, _: &std::path::Path| {
                Ok(opened.run.checkpoints.len() > 1)
            };
            let found = group_runs(&paths, FigureGrouping::Run, None, has_checkpoints)?;
            let is_everywhere = found.groups.iter().flat_map(|group| &group.runs).all(|it| *it);
            if is_everywhere { CurveMoments::Checkpoints } else { CurveMoments::Turns }
        }
    };
    let numbers: Vec<Number> = args.metric.iter().map(|it| it.0).collect();
    let compute = |opened: &OpenedRecording, _: &std::path::Path| {
        run_curves(opened, &scorers, &numbers, over)
    };
    let runs = scorers
        .scorer
        .batch_cache_writes(|| group_runs(&paths, args.by, cache.clone(), compute))?;
    let figure = curves_figure(&runs, &numbers, over, args, &ruler_text(scorers.scorer.ruler()));
    args.file.write_figure(&figure, out)
}

fn run_curves(
    opened: &OpenedRecording,
    scorers: &Scorers,
    numbers: &[Number],
    over: CurveMoments,
) -> Result<RunCurves, String> {
    let run = &*opened.run;
    // The place of each moment on the axis, from 0, and the turns done.
    let moments: Vec<(usize, usize)> = match over {
        CurveMoments::Checkpoints => checkpoint_moments(run)
            .into_iter()
            .filter_map(|moment| Some((moment.checkpoint?, moment.done)))
            .collect(),
        CurveMoments::Turns => turn_places(run),
    };
    if moments.is_empty() {
        return Err(match over {
            CurveMoments::Checkpoints => "no checkpoints; `--over turns` draws its turns".into(),
            CurveMoments::Turns => "no turns".into(),
        });
    }
    let ends: Vec<usize> = moments.iter().map(|(_, done)| *done).collect();
    let request = ScoreRequest {
        moments: &RunMoment::after_each_count(&ends),
        with_detail: false,
        reuse: ReuseRequest::Nowhere,
        for_process: false,
    };
    let scores = Scores::for_run(&opened.archive, run, &request, &scorers.scorer, &|_, _, _| true)?;
    let length = moments.iter().map(|(place, _)| place + 1).max().unwrap_or(0);
    let series_of = |number: &Number| {
        let mut series: CheckpointSeries = vec![None; length];
        for ((place, _), scored) in moments.iter().zip(&scores.code) {
            let value = ScoredSnapshot::measured_snapshot(scored)
                .and_then(|code| number.value_of_code(code))
                .filter(|value| value.is_finite());
            series[*place] = value;
        }
        series
    };
    let series: Vec<CheckpointSeries> = numbers.iter().map(series_of).collect();
    if series.iter().flatten().all(Option::is_none) {
        return Err("no code that can be measured".into());
    }
    Ok(RunCurves { series })
}

fn turn_places(run: &Run) -> Vec<(usize, usize)> {
    run.counted_moments().filter(|done| *done > 0).map(|done| (done - 1, done)).collect()
}

fn curves_figure(
    runs: &GroupedRuns<RunCurves>,
    numbers: &[Number],
    over: CurveMoments,
    args: &CurvesArgs,
    ruler: &str,
) -> Figure {
    let moment = match over {
        CurveMoments::Checkpoints => "checkpoint",
        CurveMoments::Turns => "turn",
    };
    let panel = |(at, number): (usize, &Number)| {
        let curves: Vec<Vec<Option<CurvePoint>>> = runs
            .groups
            .iter()
            .map(|group| mean_curve_of_group(group, at, args.band.band()))
            .collect();
        curves_panel(number.label(), &curves, moment, number.is_share())
    };
    let names: Vec<&str> = numbers.iter().map(|number| number.label()).collect();
    let is_mean = runs.groups.iter().any(|group| group.runs.len() > 1);
    let subject = format!("{} after each {moment}", names.join(", "));
    let sentences = [
        format!("{subject}."),
        if is_mean {
            format!("Means over the runs that are measured at a {moment}; n is the number of runs.")
        } else {
            "One run each.".into()
        },
        if is_mean { args.band.sentence().into() } else { String::new() },
        format!("Gaps: not measured. Measured with {ruler}."),
        runs.left_out_sentence().unwrap_or_default(),
    ];
    Figure {
        title: subject,
        caption: joined_sentences(sentences),
        columns: args.file.page_columns(),
        panels: numbers.iter().enumerate().map(panel).collect(),
        legend: runs.legend_entries(true),
    }
}

/// Returns the mean curve of one metric over the runs of a group. The index is the position of the metric in the series
/// of each run.
fn mean_curve_of_group(
    group: &FigureGroup<RunCurves>,
    metric_index: usize,
    band: CurveBand,
) -> Vec<Option<CurvePoint>> {
    let series: Vec<&CheckpointSeries> =
        group.runs.iter().filter_map(|run| run.series.get(metric_index)).collect();
    mean_curve(&series, band)
}

/// Returns a panel with one curve for each group; places count from 1.
pub(crate) fn curves_panel(
    label: &str,
    curves: &[Vec<Option<CurvePoint>>],
    moment: &str,
    is_share: bool,
) -> Panel {
    let numbered = |curve: &[Option<CurvePoint>]| -> Vec<(f64, Option<CurvePoint>)> {
        (1..).zip(curve).map(|(at, point)| (f64::from(at), *point)).collect()
    };
    let band = |(at, curve): (usize, &Vec<Option<CurvePoint>>)| Mark::Band {
        style: Style(at),
        points: numbered(curve)
            .into_iter()
            .map(|(x, point)| (x, point.and_then(|it| it.band).map(|it| (it.low, it.high))))
            .collect(),
        is_step: false,
    };
    let line = |(at, curve): (usize, &Vec<Option<CurvePoint>>)| Mark::Curve {
        style: Style(at),
        points: numbered(curve)
            .into_iter()
            .map(|(x, point)| (x, point.map(|it| it.mean)))
            .collect(),
        is_step: false,
    };
    let bands = curves.iter().enumerate().map(band);
    let longest = curves.iter().map(Vec::len).max().unwrap_or(1).max(1);
    Panel {
        title: String::new(),
        x: Axis::with_counts(moment, 1.0, longest as f64),
        y: value_axis(label, curves, is_share),
        marks: bands.chain(curves.iter().enumerate().map(line)).collect(),
    }
}

/// Returns an axis with 0, and all means and bands.
fn value_axis(label: &str, curves: &[Vec<Option<CurvePoint>>], is_share: bool) -> Axis {
    let ends = curves.iter().flatten().flatten().flat_map(|point| {
        let band = point.band.map(|it| [it.low, it.high]).unwrap_or([point.mean; 2]);
        [point.mean, band[0], band[1]]
    });
    let (low, high) =
        ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    let high = if high > low { high + (high - low) * 0.05 } else { low + 1.0 };
    Axis::with_numbers(label, low, if is_share && high < 1.06 { high.min(1.0) } else { high })
}
