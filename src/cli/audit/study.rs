//! `trajview audit STUDY`: one queue over many runs, the progress of each rater, and their agreement.
//!
//! A rater sees their own labels, and the verdicts of the items they labelled; nothing of other raters.

pub mod adjudication;
mod document;
mod tables;

use std::path::{Path, PathBuf};

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note, print_warnings},
    studies,
};
use trajview_analysis as analysis;
use trajview_run::rubric::LabelUnit;
use trajview_study::{
    design::{self, SampleDesign, StudyDesign},
    loaded_study::LoadedStudy,
};

use super::{
    AuditArgs, annotator_name, correction::check_plan, document::CountedLabels, label_sheet,
};
use document::AuditStudyDocument;

/// Returns the study that is meant: a study file, or one made of a folder of bundles. None if the path is a run.
pub(crate) fn study_from_args(args: &AuditArgs) -> Result<Option<LoadedStudy>, CommandFailure> {
    let path = &args.run.path;
    let is_file = analysis::study::is_study(path);
    if !is_file && !analysis::study::contains_several_bundles(path) {
        return match study_only_flag(args) {
            Some(flag) => Err(CommandFailure::wrong_arguments(format!(
                "{flag} needs a study: a study.toml, or a folder of run bundles; {} is neither",
                path.display()
            ))),
            None => Ok(None),
        };
    }
    if args.absences {
        let why = "--absences needs one run; name a run of the study";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let studied = if is_file { open_study_file(path, args)? } else { study_of_folder(path, args)? };
    Ok(Some(studied))
}

const fn study_only_flag(args: &AuditArgs) -> Option<&'static str> {
    if args.adjudicate {
        return Some("--adjudicate");
    }
    if args.save.is_some() { Some("--save") } else { None }
}

fn open_study_file(path: &Path, args: &AuditArgs) -> Result<LoadedStudy, CommandFailure> {
    let given_flags = [
        ("--seed", args.seed.is_some()),
        ("--size", args.size.is_some()),
        ("--judge", args.judge.is_some()),
        ("--save", args.save.is_some()),
        ("--unit", args.unit != LabelUnit::default()),
    ];
    if let Some((flag, _)) = given_flags.iter().find(|(_, is_said)| *is_said) {
        let why = format!(
            "the study file sets {flag}: {} is the same for every rater; change it there",
            path.display()
        );
        return Err(CommandFailure::wrong_arguments(why));
    }
    analysis::study::open_study(path).map_err(CommandFailure::from)
}

/// Returns a study of everything below a folder.
fn study_of_folder(folder: &Path, args: &AuditArgs) -> Result<LoadedStudy, CommandFailure> {
    let usual = SampleDesign::default();
    let sample = SampleDesign { size: args.size, seed: args.seed.unwrap_or(usual.seed), ..usual };
    let design = StudyDesign {
        judges: args.judge.iter().cloned().collect(),
        unit: args.unit,
        sample,
        ..StudyDesign::default()
    };
    let Some(file) = &args.save else { return studies::study_of_folder(folder, design) };
    let studied = studies::study_of_folder(folder, design)?;
    let design = StudyDesign { raters: known_raters(&studied, args), ..studied.design.clone() };
    save_study(folder, file, &design)?;
    Ok(LoadedStudy { design, ..studied })
}

/// Returns the known raters: those with labels of the runs, and the one named on the command line.
fn known_raters(studied: &LoadedStudy, args: &AuditArgs) -> Vec<String> {
    let mut raters = studied.rater_names();
    let new_raters = args.annotator.iter().filter(|name| !raters.contains(name)).cloned();
    let new_raters: Vec<String> = new_raters.collect();
    raters.extend(new_raters);
    raters
}

/// Writes the study of a folder to a new file, whose paths are relative to it.
fn save_study(folder: &Path, file: &Path, design: &StudyDesign) -> Result<(), CommandFailure> {
    let cannot = |why: std::io::Error| CommandFailure::unwritable(file, &why);
    let above = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (above, full_path) =
        (above.canonicalize().map_err(cannot)?, folder.canonicalize().map_err(cannot)?);
    let runs = match full_path.strip_prefix(&above) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => full_path,
    };
    let design = StudyDesign { runs: vec![runs.display().to_string()], ..design.clone() };
    let text = design::study_file_text(&design);
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    opened
        .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
        .map_err(cannot)?;
    let file = file.display();
    print_note(&match design.raters.as_slice() {
        [] => {
            format!("study written to {file}; it has no raters: anybody may label")
        }
        raters => format!(
            "study written to {file}, with {} as `raters`: add the other raters",
            raters.join(", ")
        ),
    });
    Ok(())
}

pub fn run(studied: &LoadedStudy, args: &AuditArgs, out: &mut Out) -> CommandResult {
    if args.adjudicate {
        return adjudication::run(studied, args, out);
    }
    if let Some(file) = &args.import {
        print_warnings(&studied.warnings);
        return label_sheet::import_study_labels(studied, args, file, out);
    }
    if args.export && !args.blank {
        return label_sheet::export_study_labels(studied, args, out);
    }
    print_warnings(&studied.warnings);
    let who = annotator_name(args)?;
    if args.blank {
        return label_sheet::print_blank_study(studied, &who, out);
    }
    let is_of_nobody = studied.items.is_empty();
    if is_of_nobody {
        let why = format!(
            "{}: no run of the study has a verdict with a score to be labelled",
            studied.name
        );
        return Err(CommandFailure::cannot_understand(why));
    }
    if studied.design.unit != LabelUnit::Component {
        check_plan(args.plan, studied.design.unit.plural_word())?;
    }
    let counting = CountedLabels::from_blind_only(args.blind_only);
    let document = AuditStudyDocument::new(studied, &who, (counting, args.plan));
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        tables::write_csv(&document, out)?;
    } else {
        tables::print_study(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}
