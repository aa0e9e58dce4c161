//! `--against`: a set of judged components is judged again and compared with what was judged before and with gold labels.
//!
//! The new judgements are saved beside their runs, marked as tests of the judge ([`JudgeTest::Drift`]), so that no number of a
//! run includes them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use trajview_judge::{
    cost::CostBudget,
    document::JudgementDocument,
    job::{JobError, JobItems, JobRequest, QuestionVariant},
    judging::{self, JudgingFiles, JudgingHalt, JudgingJob},
    plan::JudgingEstimate,
    prompt::JudgePrompt,
    settings::JudgeConfig,
};
use trajview_run::{
    judging::{JudgingScale, JudgingStart},
    rubric::JudgeTest,
};
use trajview_store::judgements::JudgementFolder;
use trajview_study::{
    BootstrapPlan, Estimate, Interval,
    drift::{DriftComparison, DriftVerdict, FEWEST_RUNS, JudgedTwice, LevelAgreement},
};

use super::{
    super::{
        CommandFailure, CommandResult, Exit,
        agree::number_text::{measures_record, print_section, with_interval},
        output::{Json, Out, OutputTable, TableColumn, print_note, record},
        run_args::{self, count_with_noun},
    },
    JudgeArgs, batch_id_for,
    frozen_set::{FrozenRun, FrozenSet},
    judging_outcome, read_codebook, read_prompt, report, signals,
};

const SCHEMA: &str = "trajview.judge-drift/1";

/// The drop that is allowed where agreement with gold is compared.
const ALLOWED_WITH_GOLD: f64 = 0.05;

/// The least share of the components of the set that must be compared; a gate that compares fewer has not passed.
const LEAST_COMPARED: f64 = 0.8;

/// The drop that is allowed where the earlier judgement is the reference: no judge repeats itself fully.
const ALLOWED_WITHOUT_GOLD: f64 = 0.2;

/// The options of a drift gate.
#[derive(Debug, clap::Args)]
pub struct DriftArgs {
    /// Judge a set again instead of RUN, and compare: a study file with gold labels (study.toml), or a run bundle or a
    /// folder of bundles with an earlier judgement. The exit code is 1 if the exact agreement fell by more than
    /// --max-drop. No number of a run includes the new judgements
    #[arg(long, value_name = "SET", value_parser = run_args::place_parser(), conflicts_with_all = ["run", "rubric", "decisions", "components", "repeat", "at", "each", "criteria", "shard", "reword"])]
    against: Option<PathBuf>,
    /// With --against: the earlier judge or judgement; the beginning of a name is enough. Default: the pinned one, else
    /// the one whose scores are the result of each run
    #[arg(long, value_name = "NAME")]
    earlier: Option<String>,
    /// With --against: how far the exact agreement may fall, 0 to 1 [default: 0.05 with a study, for the agreement with
    /// gold; else 0.2, for the agreement with the earlier judgement]
    #[arg(long, value_name = "SHARE", value_parser = parse_drop)]
    max_drop: Option<f64>,
}

fn parse_drop(words: &str) -> Result<f64, String> {
    let share = words.parse().ok().filter(|it: &f64| (0.0..=1.0).contains(it));
    share.ok_or_else(|| "expected a share from 0 to 1, as 0.05".into())
}

impl DriftArgs {
    /// Returns the set that is judged again; None where none is named. Fails where another option needs one: a RUN, which
    /// excludes a set, hides that from the parser of arguments.
    pub(crate) fn set_path(&self) -> Result<Option<&PathBuf>, CommandFailure> {
        let Self { against, earlier, max_drop } = self;
        let is_alone = against.is_none() && (earlier.is_some() || max_drop.is_some());
        match is_alone {
            true => Err(CommandFailure::wrong_arguments(
                "--earlier and --max-drop work only with --against",
            )),
            false => Ok(against.as_ref()),
        }
    }
}

/// Judges the set again with the only judge, and compares.
pub(crate) fn run_drift(
    args: &JudgeArgs,
    path: &Path,
    judges: Vec<JudgeConfig>,
    out: &mut Out,
) -> CommandResult {
    let settings = only_judge(args, judges)?;
    let mut set = FrozenSet::read(path, args.drift.earlier.as_deref())?;
    if let Some(size) = args.sample {
        set.draw_sample(size as usize, args.random_seed());
    }
    let jobs = jobs_of_set(args, &settings, &mut set)?;
    set.skipped.iter().for_each(|why| print_note(why));
    if jobs.is_empty() {
        return Err(CommandFailure::wrong_arguments(format!(
            "{}: nothing can be judged again",
            path.display()
        )));
    }
    if args.dry_run {
        report::print_plan((&jobs, &[]), args.json, out)?;
        return Ok(Exit::Fine);
    }
    let batch_id = gate_batch_id(args, &jobs, &set)?;
    let jobs = jobs.into_iter().map(|job| job.in_batch(Some(batch_id.clone()))).collect::<Vec<_>>();
    print_note(&announcement(&jobs, &set));
    let (results, exit) = judge_again(args, jobs, &set, &settings)?;
    let drift = DriftResult::new(args, &set, &results);
    drift.print(args.json, out)?;
    Ok(if drift.failure_reason().is_none() { exit } else { Exit::Failed })
}

/// Returns the id that all judgements of this gate share.
fn gate_batch_id(
    args: &JudgeArgs,
    jobs: &[JudgingJob],
    set: &FrozenSet,
) -> Result<String, CommandFailure> {
    let folder = |run: &FrozenRun| JudgementFolder::in_bundle(&run.bundle);
    let jobs: Vec<(&JudgingJob, JudgementFolder)> =
        jobs.iter().zip(set.runs.iter().map(folder)).collect();
    batch_id_for(args, &jobs, "gate")
}

/// Returns the judge, with the cost limit of the arguments.
fn only_judge(args: &JudgeArgs, judges: Vec<JudgeConfig>) -> Result<JudgeConfig, CommandFailure> {
    let Ok([mut settings]) = <[JudgeConfig; 1]>::try_from(judges) else {
        return Err(CommandFailure::wrong_arguments("--against works with one --judge"));
    };
    if let Some(most) = args.max_cost {
        let own = settings.cost.most.unwrap_or(f64::INFINITY);
        settings.cost.most = Some(most.min(own));
        if let Some(why) = settings.config_problem() {
            let name = &settings.name;
            return Err(CommandFailure::wrong_arguments(format!("judge {name}: {why}")));
        }
    }
    Ok(settings)
}

/// Prepares the job of each run; a run that cannot be judged is skipped with the reason.
fn jobs_of_set(
    args: &JudgeArgs,
    settings: &JudgeConfig,
    set: &mut FrozenSet,
) -> Result<Vec<JudgingJob>, CommandFailure> {
    let prompt = read_prompt(JudgingScale::Levels, args.prompt.as_deref())?;
    let codebook = args.codebook.as_deref().map(read_codebook).transpose()?.map(Arc::new);
    let variant = QuestionVariant { test: Some(JudgeTest::Drift), ..args.variants.first_variant() };
    let job = |run: &FrozenRun, prompt: JudgePrompt| {
        let request = JobRequest {
            settings: settings.clone(),
            prompt,
            about: JobItems::Components,
            codebook: codebook.clone(),
            components: Some(run.items.iter().map(|it| it.component.clone()).collect()),
            turn: run.turn,
            budget: args.budget,
            repeats: 1,
            variant,
        };
        let job = JudgingJob::prepare(request, &run.bundle, &run.opened)?;
        if args.dry_run { Ok(job) } else { job.with_key() }
    };
    let (mut jobs, mut judged, mut skipped) = (vec![], vec![], vec![]);
    for run in std::mem::take(&mut set.runs) {
        match job(&run, prompt.clone()) {
            Ok(job) if job.scale() == JudgingScale::Levels => {
                jobs.push(job);
                judged.push(run);
            }
            Ok(_) => skipped
                .push(format!("{}: skipped: its codebook has other scales than 0..4", run.name)),
            Err(why @ JobError::NoKey { .. }) => return Err(why.into()),
            Err(why) => skipped.push(format!("{}: skipped: {why}", run.name)),
        }
    }
    set.runs = judged;
    set.skipped.extend(skipped);
    Ok(jobs)
}

/// Returns what is judged and what it costs at most.
fn announcement(jobs: &[JudgingJob], set: &FrozenSet) -> String {
    let plans: Vec<JudgingEstimate> = jobs.iter().map(JudgingEstimate::for_job).collect();
    let requests: u64 = plans.iter().map(|plan| plan.requests).sum();
    let costs: Option<f64> = plans.iter().map(|plan| plan.cost).sum();
    let bound = jobs.first().and_then(|job| job.settings.cost.most).unwrap_or(f64::INFINITY);
    let cost = costs.map_or_else(
        || "cost unknown: no prices in the settings".to_owned(),
        |cost| format!("at most {:.2} USD", cost.min(bound)),
    );
    let items = set.runs.iter().map(|run| run.items.len()).sum();
    format!(
        "judges {} of {} again: at most {requests} requests, {cost}",
        count_with_noun(items, "component"),
        count_with_noun(set.runs.len(), "run")
    )
}

/// Judges every run of the set, out of one budget. Stops where a judging is stopped.
fn judge_again(
    args: &JudgeArgs,
    jobs: Vec<JudgingJob>,
    set: &FrozenSet,
    settings: &JudgeConfig,
) -> Result<(Vec<(JudgingJob, JudgingFiles)>, Exit), CommandFailure> {
    let (stop, signal) = signals::listen_for_signals();
    let budget = Arc::new(CostBudget::new(settings.cost));
    let (mut results, mut exit) = (vec![], Exit::Fine);
    for (job, run) in jobs.into_iter().zip(&set.runs) {
        let folder = JudgementFolder::in_bundle(&run.bundle);
        report::print_start(&job);
        let go = |start| {
            let mut tell = |event: &_| report::print_event(job.scale(), event);
            judging::run_judging(&budget, &job, &folder, start, &stop, &mut tell).map_err(|why| {
                CommandFailure::wrong_arguments(format!("judge {} {why}", settings.name))
            })
        };
        let mut ended = go(args.judging_start())?;
        if matches!(ended.halted, Some(JudgingHalt::NothingToResume)) {
            ended = go(JudgingStart::Anew)?;
        }
        if judging_outcome(&job, &ended, signal.last())? != Exit::Fine {
            exit = Exit::Failed;
        }
        results.push((job, ended));
    }
    Ok((results, exit))
}

/// The result of a drift gate.
struct DriftResult {
    comparison: DriftComparison,
    verdict: DriftVerdict,
    is_by_gold: bool,
    max_drop: f64,
    /// Components of the set.
    set_size: usize,
    /// The document, without a table's words.
    document: Json,
}

/// The reason why a gate has not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GateFailure {
    NothingCompared,
    TooFewCompared,
    Fell,
}

impl GateFailure {
    const fn word(self) -> &'static str {
        match self {
            Self::NothingCompared => "nothing_compared",
            Self::TooFewCompared => "too_few_compared",
            Self::Fell => "fell",
        }
    }
}

impl DriftResult {
    fn new(args: &JudgeArgs, set: &FrozenSet, results: &[(JudgingJob, JudgingFiles)]) -> Self {
        let (mut items, mut changed, mut unlooked, mut missing) = (vec![], vec![], 0, 0);
        for (number, (run, (_, ended))) in set.runs.iter().zip(results).enumerate() {
            let scores = ended.files.last().map(|(_, it)| it.component_scores());
            let scores = scores.unwrap_or_default();
            for item in &run.items {
                let score = scores.iter().find(|it| it.component == item.component);
                let Some((level, is_unlooked)) =
                    score.and_then(|it| Some((it.score?, it.is_unlooked)))
                else {
                    missing += 1;
                    continue;
                };
                if is_unlooked {
                    unlooked += 1;
                    continue;
                }
                let (earlier, gold) = (item.earlier, item.gold);
                items.push(JudgedTwice { run: number, earlier, new: level, gold });
                if level != earlier {
                    changed.push(record! {
                        run: run.name,
                        component: item.component,
                        earlier: earlier,
                        new: level,
                        gold: gold,
                        change: i16::from(level) - i16::from(earlier),
                    });
                }
            }
        }
        let plan = BootstrapPlan { seed: args.random_seed(), ..BootstrapPlan::default() };
        let comparison = DriftComparison::of_items(&items, &plan);
        let is_by_gold = set.is_study;
        let allowed = if is_by_gold { ALLOWED_WITH_GOLD } else { ALLOWED_WITHOUT_GOLD };
        let max_drop = args.drift.max_drop.unwrap_or(allowed);
        let verdict = comparison.verdict(is_by_gold, max_drop);
        let set_size: usize = set.runs.iter().map(|run| run.items.len()).sum();
        let file = |(path, document): &(PathBuf, JudgementDocument)| {
            record! { file: path.display().to_string(), finished: document.is_finished() }
        };
        let files: Vec<Json> =
            results.iter().flat_map(|(_, ended)| &ended.files).map(file).collect();
        let gold = comparison.gold.as_ref().map(|gold| {
            record! {
                items: gold.items,
                earlier: agreement_record(&gold.earlier),
                new: agreement_record(&gold.new),
                change: agreement_record(&gold.change),
            }
        });
        let document = record! {
            schema: SCHEMA,
            judge: results.first().map(|(job, _)| job.document_judge()),
            earlier: Json::list(&set.runs, |run| record! { run: run.name, judge: run.earlier_judge, judgement: run.earlier_file, turn: run.turn }),
            reference: if is_by_gold { "gold" } else { "earlier" },
            runs: comparison.runs,
            items: comparison.items,
            unlooked: unlooked,
            missing: missing,
            intervals_over: if comparison.is_by_run { "runs" } else { "items" },
            between: agreement_record(&comparison.between),
            shift: estimate_record(comparison.shift),
            gold: gold,
            compared_share: share_of(comparison.items, set_size),
            least_compared: LEAST_COMPARED,
            drop: estimate_record(verdict.drop),
            max_drop: max_drop,
            fell: verdict.has_fallen,
            beyond_chance: verdict.is_beyond_chance,
            changed: changed,
            skipped: set.skipped,
            files: files,
            spent_usd: results.last().and_then(|(_, ended)| ended.spent),
        };
        let result = Self { comparison, verdict, is_by_gold, max_drop, set_size, document };
        let failed_because = result.failure_reason().map(GateFailure::word);
        let document = record! { ..result.document, failed_because: failed_because };
        Self { document, ..result }
    }

    /// Returns the reason why the gate has not passed; None if it has.
    fn failure_reason(&self) -> Option<GateFailure> {
        let share = share_of(self.comparison.items, self.set_size);
        match self.verdict {
            DriftVerdict { drop, .. } if drop.value.is_err() => Some(GateFailure::NothingCompared),
            _ if share < LEAST_COMPARED => Some(GateFailure::TooFewCompared),
            DriftVerdict { has_fallen: true, .. } => Some(GateFailure::Fell),
            DriftVerdict { .. } => None,
        }
    }

    fn print(&self, json: bool, out: &mut Out) -> std::io::Result<()> {
        if json {
            return out.print_json(&self.document);
        }
        let document = &self.document;
        out.print_sentence(&format!(
            "{} of {} judged again by {}",
            count_with_noun(self.comparison.items, "component"),
            count_with_noun(self.comparison.runs, "run"),
            document.field("judge").cell("name"),
        ))?;
        print_section("", &self.measure_table(), out)?;
        out.print_line("")?;
        let shift = with_interval(self.comparison.shift);
        out.print_sentence(&format!("mean of the new level less the earlier one: {shift}"))?;
        let changed = document.rows("changed");
        let columns: [TableColumn<'_, Json>; 5] = [
            ("run", &|it| it.cell("run")),
            ("component", &|it| it.cell("component")),
            (">earlier", &|it| it.cell("earlier")),
            (">new", &|it| it.cell("new")),
            (">gold", &|it| it.cell_or("gold", "-")),
        ];
        if !changed.is_empty() {
            let title = format!("{} changed", count_with_noun(changed.len(), "level"));
            print_section(&title, &OutputTable::from_rows(&columns, changed).with_keys(2), out)?;
        }
        out.print_line("")?;
        let left_out = [("unlooked", "unlooked, not counted"), ("missing", "without a verdict")];
        for (field, words) in left_out {
            let count = document.count(field) as usize;
            if count > 0 {
                out.print_sentence(&format!("{} {words}", count_with_noun(count, "component")))?;
            }
        }
        if !self.comparison.is_by_run {
            let few = format!(
                "intervals are over components, about these runs only: {FEWEST_RUNS} runs are needed to draw runs"
            );
            out.print_sentence(&few)?;
        }
        out.print_sentence(&self.verdict_text())
    }

    fn measure_table(&self) -> OutputTable {
        let mut table = OutputTable::new(&["compared", ">n", "exact", "within 1", "kappa (quad.)"]);
        let mut add = |name: &str, items: usize, it: &LevelAgreement| {
            let cells = [it.exact, it.within_1, it.kappa].map(with_interval);
            table.add_row([name.to_owned(), items.to_string()].into_iter().chain(cells).collect());
        };
        let DriftComparison { items, between, gold, .. } = &self.comparison;
        add("new - earlier", *items, between);
        if let Some(gold) = gold {
            add("earlier - gold", gold.items, &gold.earlier);
            add("new - gold", gold.items, &gold.new);
            add("new less earlier, with gold", gold.items, &gold.change);
        }
        table
    }

    /// Returns the result in one sentence, with the drop and what its interval says.
    fn verdict_text(&self) -> String {
        let reference = if self.is_by_gold { "gold" } else { "the earlier judgement" };
        let most = self.max_drop;
        let DriftVerdict { drop, has_fallen, is_beyond_chance } = self.verdict;
        let Ok(value) = drop.value else {
            return format!(
                "no component has both levels, so agreement with {reference} is unknown"
            );
        };
        let moved = if value < 0.0 { "rose" } else { "fell" };
        let shown = match drop.value.is_ok_and(|it| it < 0.0) {
            true => with_interval(Estimate {
                value: drop.value.map(|it| -it),
                interval: drop.interval.map(|it| Interval { low: -it.high, high: -it.low }),
                ..drop
            }),
            false => with_interval(drop),
        };
        if self.failure_reason() == Some(GateFailure::TooFewCompared) {
            let compared = self.comparison.items;
            let set_size = self.set_size;
            return format!(
                "exact agreement with {reference} {moved} by {shown}, allowed {most}, but only {compared} of {set_size} components \
                 were compared, a share below {LEAST_COMPARED}: failed"
            );
        }
        let outcome = match (has_fallen, is_beyond_chance) {
            (true, Some(true)) => "failed, and the whole interval is above what is allowed",
            (true, Some(false)) => "failed; the interval does not exclude an allowed drop",
            (true, None) => "failed; the drop has no interval",
            (false, Some(true)) => "passed, and the whole interval is allowed",
            (false, Some(false)) => "passed; the interval does not exclude a larger drop",
            (false, None) => "passed; the drop has no interval",
        };
        format!("exact agreement with {reference} {moved} by {shown}, allowed {most}: {outcome}")
    }
}

/// Returns the share of a part; 0 of nothing.
fn share_of(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn agreement_record(it: &LevelAgreement) -> Json {
    let measures = [("exact", it.exact), ("within_1", it.within_1), ("kappa_quadratic", it.kappa)];
    measures_record(measures.into_iter())
}

fn estimate_record(it: Estimate) -> Json {
    record! { value: it.value.ok(), ci95: it.interval.ok(), not_defined: it.value.err() }
}
