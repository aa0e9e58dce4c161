//! `trajview agree`: how far judges and humans agree who scored the same things, each kind and criterion by itself.

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

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

use trajview_run::rubric::{COMPONENTS, DECISIONS, Levels, PROCESS, Unit};
use trajview_study::{
    Scale,
    agreement::classes::{Positive, ZeroDivision},
    raters::{Panel, Part},
};

use super::{
    Exit, Failure, Outcome, at,
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
/// Components, leaves of a rubric tree, flags, signals, decisions and parts of the process are compared each by itself, by
/// each criterion and on each scale of a codebook. Several runs are pooled. A CSV has a row a component and a
/// column a rater (component,run,a,b; run may be missing) or a row a score (component,rater,score); JSON is a list of
/// such rows, or an object of columns.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run bundles, folders of them, files of judgements or labels, tables (CSV or JSON), or RigorBench's score files (YAML)
    #[arg(value_name = "RUN_OR_FILE", required = true, value_parser = at::place())]
    paths: Vec<PathBuf>,
    /// Agreement on things of one kind alone. If left out, on each kind that two raters scored, in tables of its own
    #[arg(long, value_name = "component|leaf|flag|signal|decision|process", value_parser = unit)]
    unit: Option<Unit>,
    /// Agreement by one criterion alone: of a codebook, of what was flagged, or a kind of signal. If left out, by each
    /// criterion of a codebook, in tables of its own; flags and signals of all criteria are counted together
    #[arg(long, value_name = "ID")]
    criterion: Option<String>,
    /// As --unit, by the name of the rubric: of components, of decisions, or of parts of the process
    #[arg(long, value_name = "slump-5|decisions|process", value_parser = rubric, conflicts_with = "unit")]
    rubric: Option<&'static Levels>,
    /// The levels of the scale, as 0..4; `observed` for those that were given, however far apart [default: the scale that
    /// scores are on, which labels, codebooks and kinds of things say; of tables 0..4, of score files observed]
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
    #[arg(long, conflicts_with_all = ["rubric", "unit", "criterion", "by", "calibration", "repeats", "blind_only", "against"])]
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
    let gathered = Gathered::of(&args.paths)?;
    let unit = args.unit.or(args.rubric.map(unit_of));
    let panel = gathered.panel()?;
    let unit = if args.repeats { Some(of_repeats(&panel, unit)?) } else { unit };
    let mut panel = if args.blind_only { panel.blind_only() } else { panel };
    let problems = std::mem::take(&mut panel.problems);
    let panel = wanted(&panel, unit, args.criterion.as_deref())?;
    let comparing = Comparing { args, gathered: &gathered, folders: gathered.folders() };
    let mut documents = comparing.documents(&panel)?;
    let Some(first) = documents.first_mut() else {
        tables::tell_problems(&problems);
        return Err(nothing_common());
    };
    first.problems.splice(0..0, problems);
    first.repeats = args.repeats.then(|| Repeats::of(gathered.runs(), &args.resampling.plan()));
    let is_compared = |it: &Document| {
        !it.pairs.is_empty() || it.repeats.as_ref().is_some_and(|it| !it.is_empty())
    };
    if !documents.iter().any(is_compared) {
        documents.iter().for_each(tables::problems_to_standard_error);
        return Err(nothing_common());
    }
    if !args.json {
        print(args, &documents, out)?;
        return Ok(Exit::Fine);
    }
    let more = documents.split_off(1);
    if let Some(first) = documents.first_mut() {
        first.more = more;
        out.json(first)?;
    }
    Ok(Exit::Fine)
}

/// Repeats are of components.
fn of_repeats(panel: &Panel, unit: Option<Unit>) -> Result<Unit, Failure> {
    let mut scores = panel.raters.iter().flat_map(|rater| &rater.scores).peekable();
    let is_of_others = scores.peek().is_some() && scores.all(|it| it.item.unit != Unit::Component);
    match unit.is_some_and(|unit| unit != Unit::Component) || is_of_others {
        true => Err(Failure::wrong("--repeats is for components; leave out --rubric and --unit")),
        false => Ok(Unit::Component),
    }
}

fn nothing_common() -> Failure {
    let why = "no two raters scored the same component of the same run and commit";
    Failure::not_understood(why)
}

/// The scores of one kind of thing and by one criterion, where those are named.
fn wanted(panel: &Panel, unit: Option<Unit>, criterion: Option<&str>) -> Result<Panel, Failure> {
    let of_unit = panel.that(|score| unit.is_none_or(|unit| score.item.unit == unit));
    let Some(criterion) = criterion else { return Ok(of_unit) };
    let found = of_unit.that(|score| score.item.criterion.as_deref() == Some(criterion));
    if !found.raters.is_empty() {
        return Ok(found);
    }
    let scores = of_unit.raters.iter().flat_map(|rater| &rater.scores);
    let known: BTreeSet<&str> = scores.filter_map(|it| it.item.criterion.as_deref()).collect();
    let known = match known.is_empty() {
        true => "nothing is scored by several".to_owned(),
        false => known.into_iter().collect::<Vec<_>>().join(", "),
    };
    Err(Failure::wrong(format!("--criterion: nothing is scored by {criterion:?}; known: {known}")))
}

/// What all tables of one call have in common.
struct Comparing<'a> {
    args: &'a Args,
    gathered: &'a Gathered,
    folders: BTreeMap<String, PathBuf>,
}

impl Comparing<'_> {
    /// One for each part that two raters scored something of; where there is none, of the first part.
    fn documents(&self, panel: &Panel) -> Result<Vec<Document>, Failure> {
        let args = self.args;
        let mut parts = panel.parts();
        // The calibration table and repeats are of one part: of components, where nothing else is asked for.
        if (args.calibration || args.repeats) && parts.len() > 1 {
            let at = parts.iter().position(Part::is_plain).unwrap_or_default();
            parts = vec![parts.swap_remove(at)];
        }
        let mut documents = vec![];
        let mut failed = None;
        for part in &parts {
            match self.document(part, panel.of_part(part)) {
                Ok(document) => documents.push(document),
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        match failed {
            Some(why) if documents.iter().all(|it| it.pairs.is_empty()) => return Err(why),
            _ => {}
        }
        if documents.iter().any(|it| !it.pairs.is_empty()) && !args.repeats {
            documents.retain(|it| !it.pairs.is_empty());
        }
        let has_reference = documents.iter().any(|it| it.reference.is_some());
        if args.against.positive.is_some() && !has_reference && !args.calibration {
            return Err(Failure::wrong("--positive needs a reference; name one with --against"));
        }
        Ok(documents)
    }

    fn document(&self, part: &Part, panel: Panel) -> Result<Document, Failure> {
        let args = self.args;
        let panel = panel.named_apart();
        let scale = match (&args.levels, self.gathered.are_shares()) {
            (Some(words), _) => scale(words, &panel)?,
            (None, true) => scale("observed", &panel)?,
            (None, false) => {
                part.levels(&panel).map_err(|why| Failure::not_understood(why.to_string()))?
            }
        };
        let panel = panel.on_scale(|score| scale.position(score).is_some());
        let plan = args.resampling.plan();
        let (panel, calibration) = match args.calibration {
            true => {
                calibration::chosen(panel, &args.raters).map(|(panel, it)| (panel, Some(it)))?
            }
            false => (panel, None),
        };
        let reference = match args.calibration {
            true => None,
            false => reference::chosen(&panel, args.against.against.as_deref())?,
        };
        let reference = reference.map(|at| (at, args.against.terms(ZeroDivision::Undefined)));
        let folders = &self.folders;
        let measuring = Measuring { part, scale, plan, by: args.by, folders, reference };
        let mut document = Document::of(&panel, &measuring);
        document.calibration = calibration;
        Ok(document)
    }
}

fn print(args: &Args, documents: &[Document], out: &mut Out) -> io::Result<()> {
    let all: Vec<&Document> = documents.iter().collect();
    let Some(first) = documents.first() else { return Ok(()) };
    if args.csv {
        match &first.repeats {
            Some(repeats) => repeats::csv(repeats, out)?,
            None if args.calibration => calibration::csv(first, out)?,
            None => tables::csv(&all, out)?,
        }
        documents.iter().for_each(tables::problems_to_standard_error);
    } else if let Some(repeats) = &first.repeats {
        repeats::print(first, repeats, args.detail, out)?;
    } else if args.calibration {
        calibration::print(first, args.forms.form(), out)?;
    } else {
        for (at, document) in documents.iter().enumerate() {
            if at > 0 {
                out.line("")?;
            }
            tables::print(document, args.by, args.detail, out)?;
        }
    }
    Ok(())
}

/// The unit that a rubric is of.
fn unit_of(rubric: &Levels) -> Unit {
    let units = [Unit::Decision, Unit::Process];
    units.into_iter().find(|unit| unit.levels() == rubric).unwrap_or_default()
}

fn unit(word: &str) -> Result<Unit, String> {
    let known = || Unit::ALL.map(Unit::word).join(", ");
    Unit::by_word(word).ok_or_else(|| format!("expected one of {}", known()))
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
