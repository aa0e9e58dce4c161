//! The brief by a helper model: of what the structure and the records have for a request. What cites nothing that is there is
//! dropped.

use serde::Deserialize;

use crate::{BriefSentence, HelperModel, HelperPrompt, RequestMoment, SentenceOrigin};

use super::{
    record_proposals::json_of,
    records::{SemanticRecords, on_one_line, parse_origin},
    relevant_files::RelevantFiles,
    rule_brief,
    structure::{CodeStructure, state_file},
};

/// Characters of what the model reads: of one text of the structure, of an earlier request; how many requests and records.
const MAX_STRUCTURE_CHARS: usize = 2_000;
const MAX_REQUEST_CHARS: usize = 400;
const MAX_REQUESTS: usize = 30;
const MAX_RECORDS: usize = 30;

/// Lines of a brief, and characters of one.
const MAX_LINES: usize = 14;
const MAX_LINE_CHARS: usize = 400;

/// The inputs of the brief.
#[derive(Clone, Copy)]
pub struct ForecastSources<'a> {
    pub moment: &'a RequestMoment<'a>,
    /// The structure; None where this part is switched off.
    pub structure: Option<&'a CodeStructure>,
    pub records: Option<&'a SemanticRecords>,
    pub found: &'a RelevantFiles,
}

/// The brief that a model wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelForecast {
    pub sentences: Vec<BriefSentence>,
    /// Files of the project that it expects to be touched.
    pub files: Vec<String>,
    /// Lines that cited nothing that is there.
    pub dropped: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastAnswer {
    purpose: ForecastLine,
    #[serde(default)]
    lines: Vec<ForecastLine>,
    /// `compatibly` or `anew`.
    #[serde(default)]
    revise: Option<String>,
    #[serde(default)]
    files: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastLine {
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

/// Asks the helper model for a forecast. The error is a sentence.
pub(crate) fn ask_forecast(
    sources: &ForecastSources<'_>,
    helper: &mut dyn HelperModel,
) -> Result<ModelForecast, String> {
    let prompt =
        HelperPrompt { purpose: "forecast", system: SYSTEM.into(), text: prompt_text(sources) };
    let answer = helper.ask_model(&prompt)?;
    let answer: ForecastAnswer = serde_json::from_str(json_of(&answer.text))
        .map_err(|why| format!("the helper model's brief cannot be read: {why}"))?;
    let project = sources.moment.project;
    let is_there = |file: &String| project.paths().any(|path| path.as_str() == file);
    let files: Vec<String> = answer.files.into_iter().filter(is_there).take(20).collect();
    let revise = answer.revise.as_deref().and_then(|word| match word {
        "compatibly" => Some("Revise what is there compatibly."),
        "anew" => Some("This asks for something new."),
        _ => None,
    });
    let revise = revise.map(|text| ForecastLine { text: text.into(), cites: files.clone() });
    let lines = [answer.purpose].into_iter().chain(answer.lines).chain(revise);
    let mut forecast = ModelForecast { files, ..ModelForecast::default() };
    let mut left = rule_brief::TOKEN_BUDGET * rule_brief::CHARS_PER_TOKEN;
    for line in lines.filter(|line| !line.text.trim().is_empty()).take(MAX_LINES) {
        let from: Vec<SentenceOrigin> =
            line.cites.iter().filter_map(|it| cited_origin(sources, it)).collect();
        let text = format!("- {}", on_one_line(&line.text, MAX_LINE_CHARS));
        let length = text.chars().count() + 1;
        if from.is_empty() || length > left {
            forecast.dropped += 1;
            continue;
        }
        left -= length;
        forecast.sentences.push(BriefSentence::new(text, from));
    }
    if forecast.sentences.is_empty() {
        return Err("the helper model's brief cites nothing that is there".into());
    }
    Ok(forecast)
}

/// Returns the source that a citation names; None where there is no such source.
fn cited_origin(sources: &ForecastSources<'_>, words: &str) -> Option<SentenceOrigin> {
    let words = words.trim();
    if let Some(SentenceOrigin::Request(turn)) = parse_origin(words) {
        return (1..=sources.moment.turn).contains(&turn).then_some(SentenceOrigin::Request(turn));
    }
    let structure = sources.structure.map(CodeStructure::texts);
    let file = trajview_run::RepoPath::new(words).map(|path| state_file(&path));
    let known = [Some(words.to_owned()), file].into_iter().flatten();
    let mut known = known.filter(|file| structure.is_some_and(|texts| texts.contains_key(file)));
    if let Some(file) = known.next() {
        return Some(SentenceOrigin::Record(file));
    }
    let id = words.strip_prefix("records/").unwrap_or(words);
    let record = sources.records?.get(id.strip_suffix(".md").unwrap_or(id))?;
    Some(SentenceOrigin::Record(record.file_name()))
}

fn prompt_text(sources: &ForecastSources<'_>) -> String {
    let moment = sources.moment;
    let mut text = String::from("# Earlier requests\n");
    let skipped = moment.earlier.len().saturating_sub(MAX_REQUESTS);
    for (turn, request) in (1..).zip(moment.earlier).skip(skipped) {
        text.push_str(&format!("request {turn}: {}\n", on_one_line(request, MAX_REQUEST_CHARS)));
    }
    if let Some(structure) = sources.structure {
        text.push_str("\n# Structure of what may be relevant\n");
        for relevant in sources.found.seed_files().iter().chain(&sources.found.shared) {
            let file = state_file(&relevant.path);
            let outline = structure.texts().get(&file).map_or("", String::as_str);
            let outline: String = outline.chars().take(MAX_STRUCTURE_CHARS).collect();
            text.push_str(&format!("## {file}\n{outline}\n"));
        }
    }
    if let Some(records) = sources.records {
        text.push_str("\n# Records that may be relevant\n");
        for record in rule_brief::relevant_records(records, moment.request, sources.found)
            .iter()
            .take(MAX_RECORDS)
        {
            text.push_str(&format!("{}: {}: {}\n", record.file_name(), record.title, record.body));
        }
    }
    let request: String = moment.request.chars().take(MAX_REQUEST_CHARS * 20).collect();
    text.push_str(&format!("\n# The next request, request {}\n{request}\n", moment.turn));
    text
}
