//! `trajview audit`: the queue of verdicts that a human checks, labels in and out of it, and the false-absence check.
//! On the screen the queue is worked with keys; here it is printed.

mod absences;
mod audited_run;
mod document;
mod item_queue;
mod label_sheet;
mod study;
mod tables;

use std::path::PathBuf;

use trajview_run::rubric::LabelUnit;
use trajview_study::queue::QueuePlan;

use super::{
    CommandFailure, CommandResult, Exit, config,
    output::{Out, TableFormArgs},
    run_args,
};
use audited_run::AuditedRun;
use document::{AuditDocument, CountedLabels};

/// Print the queue of verdicts to check, blind, and move labels in and out
///
/// The queue is drawn with a seed from the verdicts of one judgement, stratified by score. A verdict is hidden until
/// this annotator has labelled it. Labels are kept in RUN/labels, one file an annotator; annotators never see each
/// other's, save with --all. `trajview RUN --view audit` labels with keys; a sheet (--export --blank) is for labelling
/// elsewhere. In the place of a run stands a study: a file study.toml that names runs, judges, raters and the sample, or a
/// folder of run bundles; its queue is one over all runs.
#[derive(Debug, clap::Args)]
pub struct AuditArgs {
    #[command(flatten)]
    run: RunOrStudyArg,
    /// Who labels: any name; without it the setting `annotator`, else the name of the user
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    /// The judgement that is checked: the judge's name, or a judgement's file; the beginning is enough where only one
    /// begins so. Without it the last of the latest state, one with a score for every component before others
    #[arg(long, visible_alias = "judge", value_name = "NAME|FILE")]
    judgement: Option<String>,
    /// What is audited: component, leaf (of a graded rubric tree), flag, signal, decision or process
    #[arg(long, value_name = "KIND", value_parser = super::view::parse_unit, default_value = "component", hide_default_value = true)]
    unit: LabelUnit,
    /// Start of the draws [default: 1]; of a study its file says it
    #[arg(long)]
    seed: Option<u64>,
    /// How many verdicts; all, if left out
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// For each component with a score of 0 or 1: places that look like it and that the judge never opened; this reveals verdicts
    #[arg(long, conflicts_with_all = ["import", "export", "size"])]
    absences: bool,
    /// Take labels from a CSV with the columns component and score and, where known, run, turn, commit, judgement,
    /// annotator, reason, note, blind and at; nothing is written unless every row is good. With --judgement, rows that
    /// name no judgement, commit and turn are of that one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["export", "md", "tex", "save_tables"])]
    import: Option<PathBuf>,
    /// Print this annotator's labels as CSV, as --import and `trajview agree` read it
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    export: bool,
    /// With the labels of all annotators
    #[arg(long, requires = "export", conflicts_with = "blank")]
    all: bool,
    /// The queue as a sheet to be filled in, without verdicts and labels, of whatever is audited
    #[arg(long, requires = "export")]
    blank: bool,
    /// What raters of a study scored differently, with all they said, for whoever settles it; --export prints what was
    /// settled as CSV, --export --blank a sheet to be filled in, --import takes it back into gold.json
    #[arg(long, conflicts_with_all = ["absences", "all"])]
    adjudicate: bool,
    /// What all of its raters scored alike becomes gold as well, so that there is a gold label for everything
    #[arg(long, requires = "adjudicate", conflicts_with_all = ["import", "export"])]
    settle_agreed: bool,
    /// With the verdicts of the judges beside the labels
    #[arg(long, requires = "adjudicate")]
    verdicts: bool,
    /// Count only labels that are recorded as given before the verdict was seen: how many there are, how many say what the
    /// judge says, and in a study how far raters and judges agree
    #[arg(long, conflicts_with_all = ["absences", "export", "import", "adjudicate"])]
    blind_only: bool,
    /// Write the study that is made of a folder to this new file, such as study.toml
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
    out.set_table_form(&args.forms)?;
    if let Some(studied) = study::study_from_args(args)? {
        return study::run(&studied, args, out);
    }
    if args.all && args.annotator.is_some() {
        let why = "--all is with the labels of everybody; leave out --annotator";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let mut audited = AuditedRun::open(&args.run.path)?;
    if let Some(file) = &args.import {
        return label_sheet::import_labels(&mut audited, args, file, out);
    }
    if args.export && !args.blank {
        return label_sheet::export_labels(&audited, args, out);
    }
    let plan = QueuePlan { seed: args.seed.unwrap_or(QueuePlan::default().seed), size: args.size };
    if args.absences {
        item_queue::check_absences(args.unit)?;
    }
    let book = audited.rubric.codebook.as_deref();
    let has_scales = book.is_some_and(|book| !book.is_on_own_scale(LabelUnit::Component));
    if args.unit != LabelUnit::Component || has_scales && !args.absences {
        audited.print_warnings();
        if args.blank {
            return label_sheet::print_blank_items(
                &audited,
                &item_queue::draw_items(&audited, args, plan)?.1,
                out,
            );
        }
        return print_document(&item_queue::items_document(&audited, args, plan)?, args, out);
    }
    audited.choose_judgement(args.judgement.as_deref())?;
    audited.print_warnings();
    if args.blank {
        return label_sheet::print_blank_queue(&audited, plan, out);
    }
    let document = match args.absences {
        true => AuditDocument::with_absences(&audited)?,
        false => {
            let counting = CountedLabels::from_blind_only(args.blind_only);
            AuditDocument::with_queue(&audited, plan, (&annotator_name(args)?, counting))?
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
        let why = "nothing says who labels; --annotator NAME or the setting annotator does";
        CommandFailure::wrong_arguments(why)
    })
}
