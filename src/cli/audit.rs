//! `trajview audit`: the queue of verdicts that a human checks, labels in and out of it, and the false-absence check.
//! On the screen the queue is worked with keys; here it is printed.

mod absences;
mod audited_run;
mod correction;
mod document;
mod item_queue;
mod label_sheet;
mod study;
mod tables;

use std::path::PathBuf;

use trajview_run::rubric::LabelUnit;
use trajview_study::{corrected::plan::parse_plan_width, queue::QueuePlan};

use super::{
    CommandFailure, CommandResult, Exit, config,
    output::{Out, TableFormArgs},
    run_args,
};
use audited_run::AuditedRun;
use document::{AuditDocument, CountedLabels};

/// Print the queue of verdicts to check blindly; import and export labels
///
/// The queue is drawn with a seed from the verdicts of one judgement, stratified by score. A verdict is hidden until
/// this annotator has labelled it. Labels are saved in RUN/labels, one file per annotator; annotators never see each
/// other's labels, except with --all. `trajview RUN --view audit` labels with keys; a sheet (--export --blank) is for
/// labelling elsewhere. Instead of a run you can name a study: a file study.toml that names runs, judges, raters and
/// the sample, or a folder of run bundles; it has one queue over all runs.
#[derive(Debug, clap::Args)]
pub struct AuditArgs {
    #[command(flatten)]
    run: RunOrStudyArg,
    /// Name of the rater; default: the setting `annotator`, else the user's name
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    /// The judgement to check: the judge's name, or a judgement's file; a unique beginning is enough. Default: the last judgement of the latest state, complete ones first
    #[arg(long, alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Folder for the labels of a graded rubric tree outside a bundle [default: NAME.labels beside its file]
    #[arg(long, value_name = "FOLDER")]
    labels: Option<PathBuf>,
    /// Kind of item; `leaf` is a leaf of a graded rubric tree
    #[arg(long, value_name = "KIND", value_parser = super::view::unit_parser(), default_value = "component")]
    unit: LabelUnit,
    /// Seed of the random order [default: 1]; a study file has its own
    #[arg(long)]
    seed: Option<u64>,
    /// Number of verdicts; default: all
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// For each component with a score of 0 or 1: candidate code that the judge never opened; this reveals verdicts
    #[arg(long, conflicts_with_all = ["import", "export", "size"])]
    absences: bool,
    /// Import labels from a CSV with the columns component and score and, optionally, run, turn, commit, judgement,
    /// annotator, reason, note, blind and at; nothing is written if a row is wrong. With --judge, rows
    /// without judgement, commit and turn belong to this judgement
    #[arg(long, value_name = "FILE", conflicts_with_all = ["export", "md", "tex", "save_tables"])]
    import: Option<PathBuf>,
    /// Print this annotator's labels as CSV, in the form that --import and `trajview agree` read
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    export: bool,
    /// Include the labels of all annotators
    #[arg(long, requires = "export", conflicts_with = "blank")]
    all: bool,
    /// The queue as a sheet to fill in, without verdicts and labels
    #[arg(long, requires = "export")]
    blank: bool,
    /// Print the items that raters of a study scored differently, with all labels and reasons, for the adjudicator;
    /// --export prints the outcomes as CSV, --export --blank a sheet to fill in, --import reads the sheet into
    /// gold.json
    #[arg(long, conflicts_with_all = ["absences", "all"])]
    adjudicate: bool,
    /// Also make gold labels of the items that all raters scored alike, so that every item has a gold label
    #[arg(long, alias = "settle-agreed", requires = "adjudicate", conflicts_with_all = ["import", "export"])]
    adjudicate_agreed: bool,
    /// Include the verdicts of the judges
    #[arg(long, requires = "adjudicate")]
    verdicts: bool,
    /// Count only labels that are recorded as blind: their number, their matches with the judge, and in a study the
    /// agreement of raters and judges
    #[arg(long, conflicts_with_all = ["absences", "export", "import", "adjudicate"])]
    blind_only: bool,
    /// Plan labels until the interval of the corrected mean level extends no more than W to either side, and put them
    /// first in the printed queue; on screen `:plan W` does the same
    #[arg(long, value_name = "W", value_parser = parse_plan_width, conflicts_with_all = ["absences", "import", "export", "size", "adjudicate"])]
    plan: Option<f64>,
    /// Write the study of a folder to this new file, such as study.toml
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print JSON (schema trajview.audit/1; of a study trajview.study/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables", "import", "export"])]
    json: bool,
    /// Print one table as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables", "import", "export"])]
    csv: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

/// What is audited.
#[derive(Debug, clap::Args)]
struct RunOrStudyArg {
    /// A run bundle; a study (study.toml), or a folder of run bundles
    #[arg(id = "run", value_name = "RUN|STUDY", value_parser = run_args::recording_parser())]
    path: PathBuf,
}

pub fn run(args: &AuditArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    run_args::use_labels_folder(args.labels.as_deref(), &args.run.path)?;
    if let Some(studied) = study::study_from_args(args)? {
        return study::run(&studied, args, out);
    }
    if args.all && args.annotator.is_some() {
        let why = "--all includes the labels of all annotators; remove --annotator";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let mut audited = AuditedRun::open(&args.run.path)?;
    let unit = audited.unit_for(args.unit);
    if let Some(file) = &args.import {
        return label_sheet::import_labels(&mut audited, args, file, out);
    }
    if args.export && !args.blank {
        return label_sheet::export_labels(&audited, args, out);
    }
    let plan = QueuePlan { seed: args.seed.unwrap_or(QueuePlan::default().seed), size: args.size };
    if args.absences {
        item_queue::check_absences(unit)?;
    }
    let book = audited.rubric.codebook.as_deref();
    let has_scales = book.is_some_and(|book| !book.is_on_own_scale(LabelUnit::Component));
    if unit != LabelUnit::Component || has_scales && !args.absences {
        correction::check_plan(args.plan, unit.plural_word())?;
        audited.print_warnings();
        if args.blank {
            return label_sheet::print_blank_items(
                &audited,
                &item_queue::draw_items(&audited, unit, args, plan)?.1,
                out,
            );
        }
        return print_document(&item_queue::items_document(&audited, unit, args, plan)?, args, out);
    }
    audited.choose_judgement(args.judge.as_deref())?;
    audited.print_warnings();
    if args.blank {
        return label_sheet::print_blank_queue(&audited, plan, out);
    }
    let document = match args.absences {
        true => AuditDocument::with_absences(&audited)?,
        false => {
            let counting = CountedLabels::from_blind_only(args.blind_only);
            let annotator = annotator_name(args)?;
            AuditDocument::for_queue(&audited, (plan, args.plan), (&annotator, counting))?
        }
    };
    print_document(&document, args, out)
}

fn print_document(document: &AuditDocument, args: &AuditArgs, out: &mut Out) -> CommandResult {
    if args.json {
        out.print_json(document)?;
    } else if args.csv {
        tables::write_csv(document, out)?;
    } else {
        tables::print_document(document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Returns the name of the annotator: from the command line, else from the settings, which know the user of the system.
fn annotator_name(args: &AuditArgs) -> Result<String, CommandFailure> {
    let name = match &args.annotator {
        Some(name) => Some(name.clone()),
        None => config::load_settings(None)?.config.annotator,
    };
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.ok_or_else(|| {
        let why = "no rater; use --annotator NAME or the setting annotator";
        CommandFailure::wrong_arguments(why)
    })
}
