//! `trajview agree`: how far judges and humans agree who scored the same components.

mod calibration;
mod document;
pub(super) mod gather;
mod panel;
mod parts;
mod reference;
mod repeats;
mod tables;
mod tree;
mod written;

use std::path::PathBuf;

use crate::{
    run::rubric::{COMPONENTS, DECISIONS, Levels, PROCESS},
    study::{
        Scale,
        agreement::classes::{Positive, ZeroDivision},
        raters::Panel,
    },
};

use super::{
    Exit, Failure, Outcome,
    output::{Forms, Out},
    resampling::Resampling,
};
use document::{Document, Measuring};
use gather::Gathered;
use parts::By;
use reference::Terms;
use repeats::Repeats;

/// Agreement between raters: judges and humans of runs, or columns of a table
///
/// The raters of a run are its judgements and its labels; the blind labels of a person and the others are a rater each.
/// Several runs are pooled. A CSV has a row a component and a
/// column a rater (component,run,a,b; run may be missing) or a row a score (component,rater,score); JSON is a list of
/// such rows, or an object of columns.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run bundles, folders of them, files of judgements or labels, tables (CSV or JSON), or RigorBench's score files (YAML)
    #[arg(value_name = "RUN_OR_FILE", required = true)]
    paths: Vec<PathBuf>,
    /// What of runs is compared: verdicts on components, on decisions, or on parts of the process. If left out, components;
    /// where only one of the others is judged, that
    #[arg(long, value_name = "slump-5|decisions|process", value_parser = rubric)]
    rubric: Option<&'static Levels>,
    /// The levels of the scale, as 0..4; `observed` for those that were given, however far apart [default: 0..4, of
    /// decisions 0..1, of the process 0..3, of score files observed]
    #[arg(long, allow_hyphen_values = true)]
    levels: Option<String>,
    #[command(flatten)]
    resampling: Resampling,
    /// Agreement run by run, component by component or rubric by rubric beside the pooled one, with intervals
    #[arg(long, value_enum)]
    by: Option<By>,
    /// With the confusion matrix of every two raters, what they disagree on and how to open each on screen
    #[arg(long)]
    detail: bool,
    /// The calibration table of the SLUMP paper: two humans and a judge, each human against the judge and then the
    /// humans. Taken where there are just two humans and one judge, or a column called judge beside two others; else
    /// chosen with --raters
    #[arg(long, conflicts_with_all = ["by", "detail"])]
    calibration: bool,
    /// Who is who in the calibration table; the beginning of a name is enough
    #[arg(
        long,
        value_name = "FIRST,SECOND,JUDGE",
        value_delimiter = ',',
        requires = "calibration"
    )]
    raters: Vec<String>,
    /// Without the labels that are not recorded as given before the verdict was seen. If left out, the blind labels of a
    /// person and the others are a rater each. Judgements, and tables without a column `blind`, are in either way
    #[arg(long)]
    blind_only: bool,
    /// How steady each judge is over its repeats, component by component and as a whole; and each prompt and judge
    /// against the others of the same state of the code
    #[arg(long, conflicts_with_all = ["by", "calibration"])]
    repeats: bool,
    #[command(flatten)]
    against: AgainstArgs,
    /// Compare two graded rubric trees of PaperBench leaf by leaf, the reference first: JudgeEval's table, by category
    /// and over all. Several such twos are pooled. Classes without a value count as 0 in averages, as JudgeEval has it,
    /// unless --zero-division says otherwise
    #[arg(long, conflicts_with_all = ["rubric", "by", "calibration", "repeats", "blind_only", "against"])]
    tree: bool,
    /// Print JSON (schema trajview.agree/1; with --tree trajview.agree-tree/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print a table of every measure as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: Forms,
}

/// How raters are held against a reference.
#[derive(Debug, clap::Args)]
struct AgainstArgs {
    /// The reference rater, against whom every other gets accuracy, precision, recall and F1; the beginning of a name is
    /// enough. If left out, gold, where adjudication left some
    #[arg(long, value_name = "NAME", conflicts_with_all = ["calibration", "repeats"])]
    against: Option<String>,
    /// With a reference: which scores are positive, as ">=3"; precision, recall and F1 of that alone are added
    #[arg(long, value_name = "CONDITION", value_parser = positive)]
    positive: Option<Positive>,
    /// With a reference: what a class that has no precision or recall counts as in averages; `undefined` leaves it out
    /// [default: undefined]
    #[arg(long, value_name = "undefined|0|1", value_parser = zero_division)]
    zero_division: Option<ZeroDivision>,
}

impl AgainstArgs {
    fn terms(&self, otherwise: ZeroDivision) -> Terms {
        Terms { zero: self.zero_division.unwrap_or(otherwise), positive: self.positive }
    }
}

fn positive(words: &str) -> Result<Positive, String> {
    Positive::parse(words).ok_or_else(|| "expected a condition on a score, as \">=3\"".into())
}

fn zero_division(word: &str) -> Result<ZeroDivision, String> {
    let found = ZeroDivision::ALL.into_iter().find(|it| it.word() == word);
    found.ok_or_else(|| "expected undefined, 0 or 1".into())
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    if args.tree {
        return tree::run(args, out);
    }
    let gathered = Gathered::of(&args.paths, args.rubric)?;
    if args.repeats && *gathered.rubric != COMPONENTS {
        return Err(Failure::wrong("--repeats is for components; leave out --rubric"));
    }
    let panel = gathered.panel()?;
    let panel = if args.blind_only { panel.blind_only() } else { panel }.named_apart();
    let own = match gathered.are_shares() {
        true => "observed".to_owned(),
        false => format!("0..{}", gathered.rubric.full()),
    };
    let scale = scale(args.levels.as_deref().unwrap_or(&own), &panel)?;
    let panel = panel.on_scale(|score| scale.position(score).is_some());
    let plan = args.resampling.plan();
    let (panel, calibration) = match args.calibration {
        true => calibration::chosen(panel, &args.raters).map(|(panel, it)| (panel, Some(it)))?,
        false => (panel, None),
    };
    let reference = match args.calibration {
        true => None,
        false => reference::chosen(&panel, args.against.against.as_deref())?,
    };
    if reference.is_none() && args.against.positive.is_some() {
        return Err(Failure::wrong("--positive needs a reference; name one with --against"));
    }
    let reference = reference.map(|at| (at, args.against.terms(ZeroDivision::Undefined)));
    let folders = gathered.folders();
    let measuring = Measuring { scale, plan, by: args.by, folders: &folders, reference };
    let mut document = Document::of(&panel, &measuring);
    document.calibration = calibration;
    document.repeats = args.repeats.then(|| Repeats::of(gathered.runs(), &measuring.plan));
    if document.pairs.is_empty() && document.repeats.as_ref().is_none_or(Repeats::is_empty) {
        tables::problems_to_standard_error(&document);
        let why = "no two raters scored the same component of the same run and commit";
        return Err(Failure::not_understood(why));
    }
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        match &document.repeats {
            Some(repeats) => repeats::csv(repeats, out)?,
            None if args.calibration => calibration::csv(&document, out)?,
            None => tables::csv(&document, out)?,
        }
        tables::problems_to_standard_error(&document);
    } else if let Some(repeats) = &document.repeats {
        repeats::print(&document, repeats, args.detail, out)?;
    } else if args.calibration {
        calibration::print(&document, args.forms.form(), out)?;
    } else {
        tables::print(&document, args.by, args.detail, out)?;
    }
    Ok(Exit::Fine)
}

/// A rubric of levels by its word.
fn rubric(word: &str) -> Result<&'static Levels, String> {
    let known = [&COMPONENTS, &DECISIONS, &PROCESS];
    let names = || known.map(|it| it.rubric).join(", ");
    let found = known.into_iter().find(|it| it.rubric == word);
    found.ok_or_else(|| format!("expected one of {}", names()))
}

fn scale(words: &str, panel: &Panel) -> Result<Scale, Failure> {
    if words == "observed" {
        let scores = panel.raters.iter().flat_map(|rater| &rater.scores).map(|score| score.score);
        return Scale::observed(scores).map_err(|why| Failure::not_understood(why.to_string()));
    }
    Scale::parse(words).map_err(|why| Failure::wrong(format!("--levels: {why}")))
}
