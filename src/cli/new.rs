//! `trajview new`: a commented file to fill in.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use serde_json::json;

use trajview_run::rubric::Component;
use trajview_store as store;

use super::{CommandFailure, CommandResult, Exit, output::Out, run_args};

/// Create a file to fill in: a checklist, a judgement or a study
///
/// `trajview check FILE` lists the missing values.
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    #[command(subcommand)]
    kind: TemplateKind,
}

#[derive(Debug, Subcommand)]
enum TemplateKind {
    /// components.json: what a faithful implementation of a task has
    Checklist {
        #[command(flatten)]
        out: OutFileArg,
    },
    /// judgements/NAME.json: scores of a run's components, given by hand
    Judgement {
        /// The judged run; its components and its last state are filled in
        #[arg(value_name = "RUN", value_parser = run_args::recording_parser())]
        run: Option<PathBuf>,
        #[arg(long, requires = "run", value_name = "MOMENT", help = run_args::MOMENT_HELP)]
        at: Option<String>,
        #[command(flatten)]
        out: OutFileArg,
    },
    /// study.toml: an audit of several runs by several raters
    Study {
        /// Run bundles or folders of them, listed in the file
        #[arg(value_name = "RUN")]
        runs: Vec<String>,
        #[command(flatten)]
        out: OutFileArg,
    },
}

#[derive(Debug, clap::Args)]
struct OutFileArg {
    /// The new file; it must not exist. Default: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const CHECKLIST_TEMPLATE: &str = trajview_assets::CHECKLIST_TEMPLATE;

const STUDY_TEMPLATE: &str = trajview_assets::STUDY_TEMPLATE;

const JUDGEMENT_TEMPLATE: &str = trajview_assets::JUDGEMENT_TEMPLATE;

pub fn run(args: &NewArgs, out: &mut Out) -> CommandResult {
    match &args.kind {
        TemplateKind::Checklist { out: file } => file.write_template(CHECKLIST_TEMPLATE, out),
        TemplateKind::Study { runs, out: file } => {
            let runs_line = format!("runs = {}\n", json!(runs));
            file.write_template(&STUDY_TEMPLATE.replace("runs = []\n", &runs_line), out)
        }
        TemplateKind::Judgement { run: None, out: file, .. } => {
            file.write_template(JUDGEMENT_TEMPLATE, out)
        }
        TemplateKind::Judgement { run: Some(run), at, out: file } => {
            file.write_template(&filled_judgement(run, at.as_deref())?, out)
        }
    }
}

/// Returns the template with the run's components and the state that is judged.
fn filled_judgement(path: &Path, at: Option<&str>) -> Result<String, CommandFailure> {
    let opened = store::open(path)?;
    let run = &opened.run;
    let done = run_args::turns_done(run, at.unwrap_or("final"))?;
    let commit = run.commit_after(done);
    let checklist = store::rubric::read_beside(path).checklist.unwrap_or_default();
    let scores: Vec<String> = checklist.components.iter().map(blank_score).collect();
    let scores = match scores.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{}\n  ]", scores.join(",\n")),
    };
    let filled = [
        ("run", json!(run.id).to_string()),
        ("commit", json!(commit).to_string()),
        ("turn", json!(done).to_string()),
    ];
    let text = filled.into_iter().fold(JUDGEMENT_TEMPLATE.to_owned(), |text, (name, value)| {
        text.replace(&format!("\"{name}\": null"), &format!("\"{name}\": {value}"))
    });
    Ok(text.replace("\"scores\": []", &format!("\"scores\": {scores}")))
}

/// Writes an empty score with the name of its component in a comment.
fn blank_score(component: &Component) -> String {
    let [id, name] = [&component.id, &component.name].map(|words| json!(words));
    format!(
        "    {{\n      \"// name\": {name},\n      \"component\": {id},\n      \"score\": null,\n      \
         \"rationale\": \"\",\n      \"evidence\": []\n    }}"
    )
}

impl OutFileArg {
    fn write_template(&self, text: &str, out: &mut Out) -> CommandResult {
        let Some(path) = &self.out else {
            out.print_bytes(text.as_bytes())?;
            return Ok(Exit::Fine);
        };
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|why| CommandFailure::unwritable(path, &why))?;
        out.print_line(&format!(
            "{0}: fill it in; `trajview check {0}` lists the missing values",
            path.display()
        ))?;
        Ok(Exit::Fine)
    }
}
