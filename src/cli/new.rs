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

use super::{Exit, Failure, Outcome, at, output::Out};

/// Make a commented file to fill in: a checklist, a judgement by hand, or the study of an audit
///
/// `trajview check FILE` says what is still missing in it.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// components.json: what a faithful implementation of a task has
    Checklist {
        #[command(flatten)]
        out: OutFile,
    },
    /// judgements/NAME.json: scores of a run's components, given by hand
    Judgement {
        /// The run that is judged: its components and its last state are filled in
        #[arg(value_name = "RUN", value_parser = at::recording())]
        run: Option<PathBuf>,
        #[arg(long, requires = "run", value_name = "MOMENT", help = at::HELP)]
        at: Option<String>,
        #[command(flatten)]
        out: OutFile,
    },
    /// study.toml: an audit of several runs by several raters
    Study {
        /// Run bundles or folders of them, to be named in it
        #[arg(value_name = "RUN")]
        runs: Vec<String>,
        #[command(flatten)]
        out: OutFile,
    },
}

#[derive(Debug, clap::Args)]
struct OutFile {
    /// The file to make; it must not exist. Standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const CHECKLIST: &str = trajview_assets::CHECKLIST_TEMPLATE;

const STUDY: &str = trajview_assets::STUDY_TEMPLATE;

const JUDGEMENT: &str = trajview_assets::JUDGEMENT_TEMPLATE;

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    match &args.kind {
        Kind::Checklist { out: file } => file.write(CHECKLIST, out),
        Kind::Study { runs, out: file } => {
            let named = format!("runs = {}\n", json!(runs));
            file.write(&STUDY.replace("runs = []\n", &named), out)
        }
        Kind::Judgement { run: None, out: file, .. } => file.write(JUDGEMENT, out),
        Kind::Judgement { run: Some(run), at, out: file } => {
            file.write(&judgement(run, at.as_deref())?, out)
        }
    }
}

/// The template with the run's components and the state that is judged.
fn judgement(path: &Path, at: Option<&str>) -> Result<String, Failure> {
    let opened = store::open(path)?;
    let run = &opened.run;
    let done = at::turns_done(run, at.unwrap_or("final"))?;
    let commit = run.commit_after(done);
    let checklist = store::rubric::read(path).checklist.unwrap_or_default();
    let scores: Vec<String> = checklist.components.iter().map(score).collect();
    let scores = match scores.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{}\n  ]", scores.join(",\n")),
    };
    let filled = [
        ("run", json!(run.id).to_string()),
        ("commit", json!(commit).to_string()),
        ("turn", json!(done).to_string()),
    ];
    let text = filled.into_iter().fold(JUDGEMENT.to_owned(), |text, (name, value)| {
        text.replace(&format!("\"{name}\": null"), &format!("\"{name}\": {value}"))
    });
    Ok(text.replace("\"scores\": []", &format!("\"scores\": {scores}")))
}

/// A score to be filled in, with the name of its component beside it.
fn score(component: &Component) -> String {
    let [id, name] = [&component.id, &component.name].map(|words| json!(words));
    format!(
        "    {{\n      \"// name\": {name},\n      \"component\": {id},\n      \"score\": null,\n      \
         \"rationale\": \"\",\n      \"evidence\": []\n    }}"
    )
}

impl OutFile {
    fn write(&self, text: &str, out: &mut Out) -> Outcome {
        let Some(path) = &self.out else {
            out.raw(text.as_bytes())?;
            return Ok(Exit::Fine);
        };
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|why| Failure::unread(format!("cannot write {}: {why}", path.display())))?;
        out.line(&format!(
            "{0}: fill it in; `trajview check {0}` says what is missing",
            path.display()
        ))?;
        Ok(Exit::Fine)
    }
}
