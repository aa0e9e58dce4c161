//! The brief by a helper model: of what the structure and the records have for a request. What cites nothing that is there is
//! dropped.

use serde::Deserialize;

use crate::{Helper, Moment, Origin, Prompt, Sentence};

use super::{
    by_rule,
    records::{Records, on_one_line, origin},
    retrieve::Found,
    semantic::json_of,
    structure::{Structure, file_of},
};

/// Characters of what the model reads: of one text of the structure, of an earlier request; how many requests and records.
const STRUCTURE: usize = 2_000;
const REQUEST: usize = 400;
const REQUESTS: usize = 30;
const RECORDS: usize = 30;

/// Lines of a brief, and characters of one.
const LINES: usize = 14;
const LINE: usize = 400;

/// What the brief is made of.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub moment: &'a Moment<'a>,
    /// None where the part does not work.
    pub structure: Option<&'a Structure>,
    pub records: Option<&'a Records>,
    pub found: &'a Found,
}

/// What a model made of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forecast {
    pub sentences: Vec<Sentence>,
    /// Files of the project that it expects to be touched.
    pub files: Vec<String>,
    /// Lines that cited nothing that is there.
    pub dropped: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    purpose: Line,
    #[serde(default)]
    lines: Vec<Line>,
    /// `compatibly` or `anew`.
    #[serde(default)]
    revise: Option<String>,
    #[serde(default)]
    files: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    #[serde(default)]
    cites: Vec<String>,
}

const SYSTEM: &str = r#"You prepare a coding agent for the next request of a long project. Answer with one JSON object and nothing else:
{"purpose": {"text": "what the request is likely for", "cites": ["request 3"]},
"lines": [{"text": "one thing that it has to know", "cites": ["structure/a/b.py.md", "records/design-1.md", "request 3"]}],
"revise": "compatibly" or "anew", "files": ["a/b.py"]}
Name the earlier modules and symbols that are relevant, who uses them, what was laid down and must stay so. Each line cites what
it is from, as the headings below name it; a line that cites nothing is dropped. files: what the request will touch, the
most likely first. At most 12 short lines."#;

/// The error is a sentence.
pub fn ask(sources: &Sources<'_>, helper: &mut dyn Helper) -> Result<Forecast, String> {
    let prompt = Prompt { purpose: "forecast", system: SYSTEM.into(), text: text(sources) };
    let answer = helper.ask(&prompt)?;
    let answer: Answer = serde_json::from_str(json_of(&answer.text))
        .map_err(|why| format!("the helper model's brief cannot be read: {why}"))?;
    let project = sources.moment.project;
    let is_there = |file: &String| project.paths().any(|path| path.as_str() == file);
    let files: Vec<String> = answer.files.into_iter().filter(is_there).take(20).collect();
    let revise = answer.revise.as_deref().and_then(|word| match word {
        "compatibly" => Some("Revise what is there compatibly."),
        "anew" => Some("This asks for something new."),
        _ => None,
    });
    let revise = revise.map(|text| Line { text: text.into(), cites: files.clone() });
    let lines = [answer.purpose].into_iter().chain(answer.lines).chain(revise);
    let mut forecast = Forecast { files, ..Forecast::default() };
    let mut left = by_rule::BUDGET * by_rule::CHARS;
    for line in lines.filter(|line| !line.text.trim().is_empty()).take(LINES) {
        let from: Vec<Origin> = line.cites.iter().filter_map(|it| cited(sources, it)).collect();
        let text = format!("- {}", on_one_line(&line.text, LINE));
        let length = text.chars().count() + 1;
        if from.is_empty() || length > left {
            forecast.dropped += 1;
            continue;
        }
        left -= length;
        forecast.sentences.push(Sentence::new(text, from));
    }
    if forecast.sentences.is_empty() {
        return Err("the helper model's brief cites nothing that is there".into());
    }
    Ok(forecast)
}

/// What a citation names; None where that is not there.
fn cited(sources: &Sources<'_>, words: &str) -> Option<Origin> {
    let words = words.trim();
    if let Some(Origin::Request(turn)) = origin(words) {
        return (1..=sources.moment.turn).contains(&turn).then_some(Origin::Request(turn));
    }
    let structure = sources.structure.map(Structure::texts);
    let file = trajview_run::RepoPath::new(words).map(|path| file_of(&path));
    let known = [Some(words.to_owned()), file].into_iter().flatten();
    let mut known = known.filter(|file| structure.is_some_and(|texts| texts.contains_key(file)));
    if let Some(file) = known.next() {
        return Some(Origin::Record(file));
    }
    let id = words.strip_prefix("records/").unwrap_or(words);
    let record = sources.records?.get(id.strip_suffix(".md").unwrap_or(id))?;
    Some(Origin::Record(record.file()))
}

fn text(sources: &Sources<'_>) -> String {
    let moment = sources.moment;
    let mut text = String::from("# Earlier requests\n");
    let skipped = moment.earlier.len().saturating_sub(REQUESTS);
    for (turn, request) in (1..).zip(moment.earlier).skip(skipped) {
        text.push_str(&format!("request {turn}: {}\n", on_one_line(request, REQUEST)));
    }
    if let Some(structure) = sources.structure {
        text.push_str("\n# Structure of what may be relevant\n");
        for relevant in sources.found.seeds().iter().chain(&sources.found.shared) {
            let file = file_of(&relevant.path);
            let said = structure.texts().get(&file).map_or("", String::as_str);
            let said: String = said.chars().take(STRUCTURE).collect();
            text.push_str(&format!("## {file}\n{said}\n"));
        }
    }
    if let Some(records) = sources.records {
        text.push_str("\n# Records that may be relevant\n");
        for record in by_rule::relevant(records, moment.request, sources.found).iter().take(RECORDS)
        {
            text.push_str(&format!("{}: {}: {}\n", record.file(), record.title, record.body));
        }
    }
    let request: String = moment.request.chars().take(REQUEST * 20).collect();
    text.push_str(&format!("\n# The next request, request {}\n{request}\n", moment.turn));
    text
}
