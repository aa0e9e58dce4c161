//! `trajview agree`: how far judges and humans agree who scored the same things, each kind and criterion by itself.

mod calibration;
mod document;
mod fitness;
mod grouping;
pub(super) mod inputs;
pub(super) mod number_text;
mod panel;
mod reference;
mod repeats;
mod tables;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

use trajview_run::rubric::{
    COMPONENT_LEVELS, DECISION_LEVELS, LabelUnit, PROCESS_LEVELS, RubricLevels,
};
use trajview_study::{
    RatingScale,
    agreement::classes::{PositiveRule, ZeroDivision},
    raters::{RaterPanel, ScorePart},
};

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, TableFormArgs},
    resampling::ResamplingArgs,
    run_args,
};
use document::{AgreeDocument, AgreementSettings};
use fitness::{FitnessArgs, JudgeFitness};
use grouping::AgreeGrouping;
use inputs::AgreeInputs;
use reference::ReferenceTerms;
use repeats::JudgeRepeats;

/// Agreement between raters: judges, people, columns of a table
///
/// The raters of a run are its judgements and its labels; the blind labels of a person and the other labels count as
/// two raters. Components, leaves of a rubric tree, flags, signals, decisions and parts of the process are compared
/// separately, by each criterion and on each scale of a codebook. Several runs are pooled. A CSV has one row per
/// component and one column per rater (component,run,a,b; run is optional) or one row per score
/// (component,rater,score); JSON is a list of such rows, or an object of columns.
#[derive(Debug, clap::Args)]
pub struct AgreeArgs {
    /// Run bundles, graded rubric trees, folders of them, files of judgements or labels, tables (CSV or JSON), or RigorBench's score files (YAML)
    #[arg(value_name = "RUN_OR_FILE", required = true, value_parser = run_args::place_parser())]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Folder for the labels of graded rubric trees outside bundles [default: NAME.labels beside each file]
    #[arg(long, value_name = "FOLDER")]
    labels: Option<PathBuf>,
    /// Agreement on one kind of item. Default: each kind that two raters scored, in separate tables
    #[arg(long, value_name = "component|leaf|flag|signal|decision|process", value_parser = super::view::unit_parser(), hide_possible_values = true)]
    unit: Option<LabelUnit>,
    /// Agreement by one criterion: of a codebook, of flags, or a kind of signal. Default: each criterion of a codebook,
    /// in separate tables; flags and signals of all criteria together
    #[arg(long, value_name = "ID")]
    criterion: Option<String>,
    /// Like --unit, by the name of the rubric: components, decisions, or parts of the process
    #[arg(long, value_name = "slump-5|decisions|process", value_parser = parse_rubric, conflicts_with = "unit")]
    rubric: Option<&'static RubricLevels>,
    /// The levels of the scale, such as 0..4; `observed` for the levels that occur [default: the scale of the labels,
    /// codebooks and kinds of items; 0..4 for tables, observed for score files]
    #[arg(long, allow_hyphen_values = true)]
    levels: Option<String>,
    #[command(flatten)]
    resampling: ResamplingArgs,
    /// Agreement run by run, component by component or rubric by rubric beside the pooled one, with intervals
    #[arg(long, value_enum)]
    by: Option<AgreeGrouping>,
    /// Also print the confusion matrix of each pair of raters, their disagreements, and the command that opens each one
    #[arg(long)]
    detail: bool,
    /// The calibration table of the SLUMP paper: two humans and a judge, each human against the judge and then the
    /// humans. Automatic with exactly two humans and one judge, or a column called judge and two others; else choose
    /// them with --raters
    #[arg(long, conflicts_with_all = ["by", "detail"])]
    calibration: bool,
    /// The raters of the calibration table; the beginning of a name is enough
    #[arg(
        long,
        value_name = "FIRST,SECOND,JUDGE",
        value_delimiter = ',',
        requires = "calibration"
    )]
    raters: Vec<String>,
    /// Only labels that are recorded as blind. Default: the blind labels of a person and the other labels count as two
    /// raters. Judgements, and tables without a column `blind`, are always included
    #[arg(long)]
    blind_only: bool,
    /// Stability of each judge over its repeats, by component and overall; and each prompt and judge compared with the
    /// others on the same state of the code
    #[arg(long, conflicts_with_all = ["by", "calibration"])]
    repeats: bool,
    #[command(flatten)]
    against: AgainstArgs,
    #[command(flatten)]
    fitness: FitnessArgs,
    /// Compare two graded rubric trees of PaperBench leaf by leaf, the reference first: JudgeEval's table, by category
    /// and overall. Several pairs are pooled. Classes without a value count as 0 in averages, as in JudgeEval, unless
    /// --zero-division changes it
    #[arg(long, conflicts_with_all = ["rubric", "unit", "criterion", "by", "calibration", "repeats", "blind_only", "against"])]
    tree: bool,
    /// Print JSON (schema trajview.agree/1; with --tree trajview.agree-tree/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print a table of every measure as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

/// How raters are held against a reference.
#[derive(Debug, clap::Args)]
struct AgainstArgs {
    /// The reference rater; every other rater gets accuracy, precision, recall and F1; the beginning of a name is
    /// enough. Default: gold, if it exists
    #[arg(long, value_name = "NAME", conflicts_with_all = ["calibration", "repeats"])]
    against: Option<String>,
    /// With a reference: the positive scores, such as ">=3"; adds precision, recall and F1 of this class
    #[arg(long, value_name = "CONDITION", value_parser = parse_positive)]
    positive: Option<PositiveRule>,
    /// With a reference: the value of undefined precision or recall in averages; `undefined` excludes the class
    /// [default: undefined]
    #[arg(long, value_name = "undefined|0|1", value_parser = parse_zero_division)]
    zero_division: Option<ZeroDivision>,
}

impl AgainstArgs {
    fn reference_terms(&self, otherwise: ZeroDivision) -> ReferenceTerms {
        ReferenceTerms { zero: self.zero_division.unwrap_or(otherwise), positive: self.positive }
    }
}

fn parse_positive(words: &str) -> Result<PositiveRule, String> {
    PositiveRule::parse(words).ok_or_else(|| "expected a condition on a score, as \">=3\"".into())
}

fn parse_zero_division(word: &str) -> Result<ZeroDivision, String> {
    let found = ZeroDivision::ALL.into_iter().find(|it| it.word() == word);
    found.ok_or_else(|| "expected undefined, 0 or 1".into())
}

pub fn run(args: &AgreeArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    if args.tree {
        return tree::run(args, out);
    }
    for path in &args.paths {
        run_args::use_labels_folder(args.labels.as_deref(), path)?;
    }
    let gathered = AgreeInputs::read_paths(&args.paths)?;
    let unit = args.unit.or(args.rubric.map(rubric_unit));
    let panel = gathered.rater_panel()?;
    let unit = if args.repeats { Some(unit_for_repeats(&panel, unit)?) } else { unit };
    let mut panel = if args.blind_only { panel.blind_only() } else { panel };
    let problems = std::mem::take(&mut panel.problems);
    let panel = select_scores(&panel, unit, args.criterion.as_deref())?;
    let comparing = AgreeContext { args, gathered: &gathered, folders: gathered.run_folders() };
    let mut documents = comparing.part_documents(&panel)?;
    let Some(first) = documents.first_mut() else {
        tables::print_problems(&problems);
        return Err(no_common_scores());
    };
    first.problems.splice(0..0, problems);
    first.repeats = args
        .repeats
        .then(|| JudgeRepeats::for_runs(gathered.named_runs(), &args.resampling.to_plan()));
    let is_compared = |it: &AgreeDocument| {
        !it.pairs.is_empty() || it.repeats.as_ref().is_some_and(|it| !it.is_empty())
    };
    if !documents.iter().any(is_compared) {
        documents.iter().for_each(tables::print_document_problems);
        return Err(no_common_scores());
    }
    if !args.json {
        print_documents(args, &documents, out)?;
        return Ok(Exit::Fine);
    }
    let more = documents.split_off(1);
    if let Some(first) = documents.first_mut() {
        first.more = more;
        out.print_json(first)?;
    }
    Ok(Exit::Fine)
}

/// Returns the unit that `--repeats` works on, which is always components; fails where the unit or the scores are of
/// another kind.
fn unit_for_repeats(
    panel: &RaterPanel,
    unit: Option<LabelUnit>,
) -> Result<LabelUnit, CommandFailure> {
    let mut scores = panel.raters.iter().flat_map(|rater| &rater.scores).peekable();
    let is_of_others =
        scores.peek().is_some() && scores.all(|it| it.item.unit != LabelUnit::Component);
    match unit.is_some_and(|unit| unit != LabelUnit::Component) || is_of_others {
        true => Err(CommandFailure::wrong_arguments(
            "--repeats works only with components; remove --rubric and --unit",
        )),
        false => Ok(LabelUnit::Component),
    }
}

fn no_common_scores() -> CommandFailure {
    let why = "no two raters scored the same component of the same run and commit";
    CommandFailure::cannot_understand(why)
}

/// Returns the scores of one kind of thing and by one criterion, where those are named.
fn select_scores(
    panel: &RaterPanel,
    unit: Option<LabelUnit>,
    criterion: Option<&str>,
) -> Result<RaterPanel, CommandFailure> {
    let of_unit = panel.with_scores(|score| unit.is_none_or(|unit| score.item.unit == unit));
    let Some(criterion) = criterion else { return Ok(of_unit) };
    let found = of_unit.with_scores(|score| score.item.criterion.as_deref() == Some(criterion));
    if !found.raters.is_empty() {
        return Ok(found);
    }
    let scores = of_unit.raters.iter().flat_map(|rater| &rater.scores);
    let criteria: BTreeSet<&str> = scores.filter_map(|it| it.item.criterion.as_deref()).collect();
    let criteria_text = match criteria.is_empty() {
        true => "none".to_owned(),
        false => criteria.into_iter().collect::<Vec<_>>().join(", "),
    };
    Err(CommandFailure::wrong_arguments(format!(
        "--criterion: no scores by {criterion:?}; available: {criteria_text}"
    )))
}

/// The settings and inputs that all tables of one call share.
struct AgreeContext<'a> {
    args: &'a AgreeArgs,
    gathered: &'a AgreeInputs,
    folders: BTreeMap<String, PathBuf>,
}

impl AgreeContext<'_> {
    /// Returns one document for each part that two raters scored something of. If there is none, returns one of the
    /// first part.
    fn part_documents(&self, panel: &RaterPanel) -> Result<Vec<AgreeDocument>, CommandFailure> {
        let args = self.args;
        let mut parts = panel.score_parts();
        // The calibration table and the repeats cover one part only: components, unless another part is named.
        if (args.calibration || args.repeats) && parts.len() > 1 {
            let at = parts.iter().position(ScorePart::is_plain).unwrap_or_default();
            parts = vec![parts.swap_remove(at)];
        }
        let mut part_documents = vec![];
        let mut failed = None;
        for part in &parts {
            match self.part_document(part, panel.for_part(part)) {
                Ok(document) => part_documents.push(document),
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        match failed {
            Some(why) if part_documents.iter().all(|it| it.pairs.is_empty()) => return Err(why),
            _ => {}
        }
        if part_documents.iter().any(|it| !it.pairs.is_empty()) && !args.repeats {
            part_documents.retain(|it| !it.pairs.is_empty());
        }
        let has_reference = part_documents.iter().any(|it| it.reference.is_some());
        if args.against.positive.is_some() && !has_reference && !args.calibration {
            return Err(CommandFailure::wrong_arguments(
                "--positive needs a reference; name one with --against",
            ));
        }
        Ok(part_documents)
    }

    fn part_document(
        &self,
        part: &ScorePart,
        panel: RaterPanel,
    ) -> Result<AgreeDocument, CommandFailure> {
        let args = self.args;
        let panel = panel.with_distinct_names();
        let scale = match (&args.levels, self.gathered.has_only_score_files()) {
            (Some(words), _) => parse_scale(words, &panel)?,
            (None, true) => parse_scale("observed", &panel)?,
            (None, false) => part
                .agreement_levels(&panel)
                .map_err(|why| CommandFailure::cannot_understand(why.to_string()))?,
        };
        let panel = panel.on_scale(|score| scale.position(score).is_some());
        let plan = args.resampling.to_plan();
        let (panel, calibration) = match args.calibration {
            true => calibration::select_calibration_raters(panel, &args.raters)
                .map(|(panel, it)| (panel, Some(it)))?,
            false => (panel, None),
        };
        let reference = match args.calibration {
            true => None,
            false => reference::find_reference(&panel, args.against.against.as_deref())?,
        };
        let reference =
            reference.map(|at| (at, args.against.reference_terms(ZeroDivision::Undefined)));
        let folders = &self.folders;
        let reference_place = reference.map(|(at, _)| at);
        let fitness =
            JudgeFitness::for_panel(&panel, &scale, reference_place, plan.seed, &args.fitness);
        let measuring =
            AgreementSettings { part, scale, plan, grouping: args.by, folders, reference };
        let mut document = AgreeDocument::new(&panel, &measuring);
        document.calibration = calibration;
        document.fitness = fitness;
        Ok(document)
    }
}

fn print_documents(args: &AgreeArgs, documents: &[AgreeDocument], out: &mut Out) -> io::Result<()> {
    let all: Vec<&AgreeDocument> = documents.iter().collect();
    let Some(first) = documents.first() else { return Ok(()) };
    if args.csv {
        match &first.repeats {
            Some(repeats) => repeats::write_csv(repeats, out)?,
            None if args.calibration => calibration::write_csv(first, out)?,
            None => tables::write_csv(&all, out)?,
        }
        documents.iter().for_each(tables::print_document_problems);
    } else if let Some(repeats) = &first.repeats {
        repeats::print_repeats(first, repeats, args.detail, out)?;
    } else if args.calibration {
        calibration::print_table(first, args.forms.form(), out)?;
    } else {
        for (at, document) in documents.iter().enumerate() {
            if at > 0 {
                out.print_line("")?;
            }
            tables::print_tables(document, args.by, args.detail, out)?;
        }
    }
    Ok(())
}

/// Returns the unit of audit that a rubric scores.
fn rubric_unit(rubric: &RubricLevels) -> LabelUnit {
    let units = [LabelUnit::Decision, LabelUnit::Process];
    units.into_iter().find(|unit| unit.rubric_levels() == rubric).unwrap_or_default()
}

/// Parses a rubric of levels by its word.
fn parse_rubric(word: &str) -> Result<&'static RubricLevels, String> {
    let rubrics = [&COMPONENT_LEVELS, &DECISION_LEVELS, &PROCESS_LEVELS];
    let names = || rubrics.map(|it| it.rubric).join(", ");
    let found = rubrics.into_iter().find(|it| it.rubric == word);
    found.ok_or_else(|| format!("expected one of {}", names()))
}

fn parse_scale(words: &str, panel: &RaterPanel) -> Result<RatingScale, CommandFailure> {
    if words == "observed" {
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores).map(|score| score.score);
        return RatingScale::from_scores(scores)
            .map_err(|why| CommandFailure::cannot_understand(why.to_string()));
    }
    RatingScale::parse(words)
        .map_err(|why| CommandFailure::wrong_arguments(format!("--levels: {why}")))
}
