//! `trajview figure survival`: the share of components that are not lost yet.

use clap::ValueEnum;

use trajview_figures::{Axis, Figure, LegendEntry, Mark, MarkShape, Panel, Style};
use trajview_run::format_number::count_with_noun;
use trajview_study::survival::{Lifetime, SurvivalStep, kaplan_meier, median_lifetime};

use crate::cli::{CommandFailure, CommandResult, measuring_args::open_cache, output::Out};

use super::{
    figure_file::FigureFileArgs,
    figure_runs::{
        FigureGroup, FigureGrouping, FigureRunArgs, GroupedRuns, group_runs, joined_sentences,
    },
    lifetimes::{ComponentLives, component_lives},
    losses::LOSS_SENTENCE,
};

/// Kaplan and Meier's share of components that are not lost yet, censored at the end of each run
#[derive(Debug, clap::Args)]
pub struct SurvivalArgs {
    #[command(flatten)]
    runs: FigureRunArgs,
    /// The groups: one curve each
    #[arg(long, value_enum, default_value_t = FigureGrouping::Condition)]
    by: FigureGrouping,
    /// The time: turns since a component was first defined, or turns of the run, in which a component can be lost from its
    /// definition on
    #[arg(long, value_enum, default_value_t = SurvivalClock::Age)]
    clock: SurvivalClock,
    #[command(flatten)]
    file: FigureFileArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SurvivalClock {
    Age,
    Turn,
}

/// The curve of a group.
struct GroupSurvival {
    lifetimes: Vec<Lifetime>,
    steps: Vec<SurvivalStep>,
    /// The last time at which a component was observed.
    end: f64,
}

pub fn run(args: &SurvivalArgs, out: &mut Out) -> CommandResult {
    let paths = args.runs.run_paths()?;
    let runs = group_runs(&paths, args.by, open_cache(true), component_lives)?;
    let curves: Vec<GroupSurvival> =
        runs.groups.iter().map(|group| group_survival(group, args.clock)).collect();
    if curves.iter().all(|it| it.lifetimes.is_empty()) {
        return Err(CommandFailure::cannot_understand(
            "no component can be followed: none of their symbols was ever defined",
        ));
    }
    let figure = survival_figure(&runs, &curves, args);
    args.file.write_figure(&figure, out)
}

fn group_survival(group: &FigureGroup<ComponentLives>, clock: SurvivalClock) -> GroupSurvival {
    let of_run = |run: &ComponentLives| -> Vec<Lifetime> {
        let lifetime = |(first, life): (usize, &super::lifetimes::ComponentLife)| {
            let end = life.lost_at.unwrap_or(run.turns);
            let is_lost = life.lost_at.is_some();
            match clock {
                SurvivalClock::Age => {
                    Lifetime { entry: None, end: end.saturating_sub(first) as f64, is_lost }
                }
                SurvivalClock::Turn => Lifetime {
                    entry: (first > 0).then_some(first as f64),
                    end: end as f64,
                    is_lost,
                },
            }
        };
        run.followed().map(lifetime).collect()
    };
    let lifetimes: Vec<Lifetime> = group.runs.iter().flat_map(of_run).collect();
    let end = lifetimes.iter().map(|it| it.end).fold(0.0, f64::max);
    GroupSurvival { steps: kaplan_meier(&lifetimes, 0.95), lifetimes, end }
}

impl GroupSurvival {
    /// Returns the share that is left at a time.
    fn share_at(&self, time: f64) -> f64 {
        self.steps.iter().rfind(|step| step.time <= time).map_or(1.0, |step| step.share)
    }

    fn marks(&self, style: Style) -> [Mark; 3] {
        let ends = |step: &SurvivalStep| step.interval.map(|it| (it.low, it.high));
        let first = std::iter::once((0.0, Some(1.0)));
        let line = first.chain(self.steps.iter().map(|step| (step.time, Some(step.share))));
        let line = line.chain([(self.end, Some(self.share_at(self.end)))]);
        let last = self.steps.last().map(|step| (self.end, ends(step)));
        let band = self.steps.iter().map(|step| (step.time, ends(step))).chain(last);
        let mut censored: Vec<f64> =
            self.lifetimes.iter().filter(|it| !it.is_lost).map(|it| it.end).collect();
        censored.sort_by(f64::total_cmp);
        censored.dedup();
        let ticks = censored.into_iter().map(|time| (time, self.share_at(time))).collect();
        [
            Mark::Band { style, points: band.collect(), is_step: true },
            Mark::Curve { style, points: line.collect(), is_step: true },
            Mark::Points { style, shape: MarkShape::Tick, points: ticks },
        ]
    }

    /// Returns `12 of 48 components lost, median 31 turns`.
    fn sentence(&self, name: &str) -> String {
        let lost = self.lifetimes.iter().filter(|it| it.is_lost).count();
        let components = count_with_noun(self.lifetimes.len(), "component");
        let median = match median_lifetime(&self.steps) {
            Some(median) => format!("median {median}"),
            None => "median not reached".into(),
        };
        format!("{name}: {lost} of {components} lost, {median}.")
    }
}

fn survival_figure(
    runs: &GroupedRuns<ComponentLives>,
    curves: &[GroupSurvival],
    args: &SurvivalArgs,
) -> Figure {
    let end = curves.iter().map(|it| it.end).fold(1.0, f64::max);
    let (label, clock) = match args.clock {
        SurvivalClock::Age => (
            "turns since first defined",
            "Time: turns since the turn that first defined a component.",
        ),
        SurvivalClock::Turn => (
            "turn",
            "Time: turns of the run; a component is at risk from the turn after its definition (late entry).",
        ),
    };
    let censored = LegendEntry {
        label: "end of a run".into(),
        style: Style(4),
        shape: Some(MarkShape::Tick),
        has_marks: false,
    };
    let sentences = [
        "Share of components that are not lost (Kaplan and Meier); n is the number of runs.".into(),
        clock.into(),
        "Bands: Greenwood's 95 % interval on the log-log scale, components taken as independent. Ticks: censored at the end of a run.".into(),
        LOSS_SENTENCE.into(),
    ];
    let of_groups = runs.groups.iter().zip(curves).map(|(group, it)| it.sentence(&group.name));
    let marks = curves.iter().enumerate().flat_map(|(at, curve)| curve.marks(Style(at)));
    Figure {
        title: "Components not lost".into(),
        caption: joined_sentences(
            sentences.into_iter().chain(of_groups).chain(runs.left_out_sentence()),
        ),
        columns: args.file.page_columns(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis::with_counts(label, 0.0, end),
            y: Axis::with_numbers("share not lost", 0.0, 1.0),
            marks: marks.collect(),
        }],
        legend: runs.legend_entries(false).into_iter().chain([censored]).collect(),
    }
}
