//! `trajview audit STUDY`: one queue over many runs, how far each rater is, and how far they agree.
//!
//! A rater is shown what they said, and the verdicts of what they labelled; nothing of other raters.

pub mod adjudication;
mod document;
mod tables;

use std::path::{Path, PathBuf};

use crate::cli::{
    Exit, Failure, Outcome,
    output::{Out, tell, tell_warnings},
    studies,
};
use trajview_run::rubric::Unit;
use trajview_store as store;
use trajview_study::{
    design::{self, Design, Sample},
    studied::Studied,
};

use super::{Args, annotator, document::Counting, sheet};
use document::Document;

/// The study that is meant: a study file, or one made of a folder of bundles. None where the path is a run.
pub fn of(args: &Args) -> Result<Option<Studied>, Failure> {
    let path = &args.run.path;
    let is_file = store::study::is_study(path);
    if !is_file && !store::study::holds_bundles(path) {
        return match is_of_studies_alone(args) {
            Some(flag) => Err(Failure::wrong(format!(
                "{flag} is for a study: a study.toml, or a folder of run bundles; {} is neither",
                path.display()
            ))),
            None => Ok(None),
        };
    }
    if args.absences {
        let why = "--absences is of one run; name one of the runs of the study";
        return Err(Failure::wrong(why));
    }
    let studied = if is_file { of_file(path, args)? } else { of_folder(path, args)? };
    Ok(Some(studied))
}

const fn is_of_studies_alone(args: &Args) -> Option<&'static str> {
    if args.adjudicate {
        return Some("--adjudicate");
    }
    if args.save.is_some() { Some("--save") } else { None }
}

fn of_file(path: &Path, args: &Args) -> Result<Studied, Failure> {
    let said = [
        ("--seed", args.seed.is_some()),
        ("--size", args.size.is_some()),
        ("--judgement", args.judgement.is_some()),
        ("--save", args.save.is_some()),
        ("--unit", args.unit != Unit::default()),
    ];
    if let Some((flag, _)) = said.iter().find(|(_, is_said)| *is_said) {
        let why = format!(
            "{flag} is said by the study: {} is the same for every rater; change it there",
            path.display()
        );
        return Err(Failure::wrong(why));
    }
    store::study::open(path).map_err(Failure::from)
}

/// A study of everything below a folder.
fn of_folder(folder: &Path, args: &Args) -> Result<Studied, Failure> {
    let usual = Sample::default();
    let sample = Sample { size: args.size, seed: args.seed.unwrap_or(usual.seed), ..usual };
    let design = Design {
        judges: args.judgement.iter().cloned().collect(),
        unit: args.unit,
        sample,
        ..Design::default()
    };
    let Some(file) = &args.save else { return studies::made_of(folder, design) };
    let studied = studies::made_of(folder, design)?;
    let design = Design { raters: raters_known(&studied, args), ..studied.design.clone() };
    save(folder, file, &design)?;
    Ok(Studied { design, ..studied })
}

/// Who labels as far as is known: whoever has labels of the runs, and who is named on the command line.
fn raters_known(studied: &Studied, args: &Args) -> Vec<String> {
    let mut raters = studied.raters();
    let named = args.annotator.iter().filter(|name| !raters.contains(name)).cloned();
    let named: Vec<String> = named.collect();
    raters.extend(named);
    raters
}

/// Writes the study of a folder to a new file, whose paths are relative to it.
fn save(folder: &Path, file: &Path, design: &Design) -> Result<(), Failure> {
    let cannot =
        |why: std::io::Error| Failure::unread(format!("cannot write {}: {why}", file.display()));
    let above = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (above, whole) =
        (above.canonicalize().map_err(cannot)?, folder.canonicalize().map_err(cannot)?);
    let runs = match whole.strip_prefix(&above) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => whole,
    };
    let design = Design { runs: vec![runs.display().to_string()], ..design.clone() };
    let text = design::written(&design);
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    opened
        .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
        .map_err(cannot)?;
    let file = file.display();
    tell(&match design.raters.as_slice() {
        [] => {
            format!("the study is written to {file}; its raters are not known: anybody may label")
        }
        raters => format!(
            "the study is written to {file}, with {} as `raters`: add whoever else is to label",
            raters.join(", ")
        ),
    });
    Ok(())
}

pub fn run(studied: &Studied, args: &Args, out: &mut Out) -> Outcome {
    if args.adjudicate {
        return adjudication::run(studied, args, out);
    }
    if let Some(file) = &args.import {
        tell_warnings(&studied.warnings);
        return sheet::import_study(studied, args, file, out);
    }
    if args.export && !args.blank {
        return sheet::export_study(studied, args, out);
    }
    tell_warnings(&studied.warnings);
    let who = annotator(args)?;
    if args.blank {
        return sheet::blank_study(studied, &who, out);
    }
    let is_of_nobody = studied.items.is_empty();
    if is_of_nobody {
        let why = format!(
            "{}: no run of the study has a verdict with a score to be labelled",
            studied.name
        );
        return Err(Failure::not_understood(why));
    }
    let document = Document::of(studied, &who, Counting::of(args.blind_only));
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        tables::csv(&document, out)?;
    } else {
        tables::print(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}
