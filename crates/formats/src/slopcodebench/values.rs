//! Numbers that SlopCodeBench measured, as [`RecordedMeasure`] values with their file and their name.
//!
//! Names are the files' own. Where a generation measures what one of our metrics does by the same definition, the value
//! carries the metric's name too. G0 scores erosion and verbosity of a whole run by other formulas: those never do.

use trajview_run::checkpoint_record::{MeasureValue, RecordedMeasure};

use super::generation::SlopGeneration;
use crate::{
    json_object::{self, JsonObject},
    tape::{JsonTape, TapeValue},
};

/// Deeper objects are left out.
const MAX_DEPTH: usize = 8;

/// Longer words are no measurement.
const MAX_TEXT_BYTES: usize = 200;

/// More values than this of one file are left out.
const MAX_VALUES: usize = 2_000;

/// The generation from which on a recorded name means the same as our metric.
const METRICS: [(&str, SlopGeneration, &str); 22] = [
    ("erosion", SlopGeneration::G1, "erosion"),
    ("mass.high_cc_pct", SlopGeneration::G1, "erosion"),
    ("verbosity", SlopGeneration::G1, "verbosity"),
    ("verbosity_flagged_pct", SlopGeneration::G1, "verbosity"),
    ("mass.cc", SlopGeneration::G1, "mass"),
    ("verbosity_flagged_sloc_lines", SlopGeneration::G1, "flagged_lines"),
    ("sloc", SlopGeneration::G1, "sloc"),
    ("lines.loc", SlopGeneration::G1, "sloc"),
    // `clone_lines` of the same files counts physical lines; ours are source lines.
    ("cloned_sloc_lines", SlopGeneration::G1, "clone_lines"),
    ("redundancy.cloned_sloc_lines", SlopGeneration::G1, "clone_lines"),
    ("ast_grep.violation_lines", SlopGeneration::G1, "rule_lines"),
    ("cc_max", SlopGeneration::G0, "max_cc"),
    ("functions.cc_max", SlopGeneration::G0, "max_cc"),
    ("cc_high_count", SlopGeneration::G0, "high_cc"),
    ("functions.cc_high_count", SlopGeneration::G0, "high_cc"),
    ("functions.count", SlopGeneration::G0, "callables"),
    ("files", SlopGeneration::G0, "files"),
    ("file_count", SlopGeneration::G0, "files"),
    ("cc_mean", SlopGeneration::G0, "mean_cc"),
    ("functions.cc_mean", SlopGeneration::G0, "mean_cc"),
    ("total_lines", SlopGeneration::G0, "lines"),
    ("lines.total_lines", SlopGeneration::G0, "lines"),
];

/// Returns all numbers, flags and short words of a JSON object. None where the text is no object.
pub fn values_of_object(
    source: &str,
    text: &str,
    generation: Option<SlopGeneration>,
) -> Option<Vec<RecordedMeasure>> {
    let tape = JsonTape::parse(text);
    let object = JsonObject::from_tape(&tape)?;
    let mut values = vec![];
    collect_values(&object, "", 0, &mut |name, raw| {
        if values.len() < MAX_VALUES
            && let Some(value) = recorded_value(raw)
        {
            let metric = metric_for(&name, generation);
            values.push(RecordedMeasure {
                source: source.into(),
                name: name.into(),
                value,
                metric,
                doubt: None,
            });
        }
    });
    Some(values)
}

fn collect_values<'a>(
    object: &JsonObject<'a>,
    above: &str,
    depth: usize,
    take: &mut dyn FnMut(String, TapeValue<'a>),
) {
    for (name, raw) in object.fields() {
        let name = if above.is_empty() { name.into_owned() } else { format!("{above}.{name}") };
        match JsonObject::from_value(raw).filter(|_| depth < MAX_DEPTH) {
            Some(inner) => collect_values(&inner, &name, depth + 1, take),
            None => take(name, raw),
        }
    }
}

fn recorded_value(raw: TapeValue<'_>) -> Option<MeasureValue> {
    match raw.get() {
        "true" => return Some(MeasureValue::Flag(true)),
        "false" => return Some(MeasureValue::Flag(false)),
        _ => {}
    }
    if let Some(text) = json_object::string_text(raw) {
        let is_short = !text.is_empty() && text.len() <= MAX_TEXT_BYTES && !text.contains('\n');
        return is_short.then(|| MeasureValue::Text(text.into()));
    }
    let number: f64 = raw.get().parse().ok()?;
    number.is_finite().then_some(MeasureValue::Number(number))
}

fn metric_for(name: &str, generation: Option<SlopGeneration>) -> Option<&'static str> {
    let row = METRICS.iter().find(|(recorded, since, _)| {
        *recorded == name && generation.is_some_and(|generation| generation >= *since)
    });
    row.map(|(_, _, metric)| *metric)
}

/// Names of counts of rule hits, in rows and in quality files.
const RULE_COUNTS: [&str; 6] = [
    "ast_grep_violations",
    "sg_slop_violations",
    "violation_pct",
    "ast_grep.violations",
    "ast_grep.violation_lines",
    "ast_grep.weighted",
];

const NO_RULE_HIT: &str = "every rule count is 0: the rules did not run";
const LATER_CLONES: &str = "clones by a later rule than the paper's";
const NO_RULE_HIT_AND_LATER_CLONES: &str =
    "every rule count is 0, and clones by a later rule than the paper's";

/// Says of recorded verbosity, and of what it is made of, why it is not to be relied on. `values` are all that is
/// recorded of one checkpoint, or of the run.
pub fn note_unreliable(values: &mut [RecordedMeasure], generation: Option<SlopGeneration>) {
    let counts: Vec<f64> = (values.iter())
        .filter(|it| RULE_COUNTS.contains(&&*it.name))
        .filter_map(|it| it.value.as_number())
        .collect();
    let no_hit = !counts.is_empty() && counts.iter().all(|count| *count == 0.0);
    let later = generation == Some(SlopGeneration::G2);
    for value in values {
        value.doubt = match value.metric {
            Some("verbosity" | "flagged_lines") => match (no_hit, later) {
                (true, true) => Some(NO_RULE_HIT_AND_LATER_CLONES),
                (true, false) => Some(NO_RULE_HIT),
                (false, true) => Some(LATER_CLONES),
                (false, false) => None,
            },
            Some("rule_lines") => no_hit.then_some(NO_RULE_HIT),
            Some("clone_lines") => later.then_some(LATER_CLONES),
            _ => None,
        };
    }
}

/// Returns a number, also where it was written as a string.
pub fn lenient_number(raw: TapeValue<'_>) -> Option<f64> {
    let text = json_object::string_text(raw);
    let number = text.as_deref().unwrap_or(raw.get()).trim().parse::<f64>().ok()?;
    number.is_finite().then_some(number)
}

/// Returns a count, also where it was written as a string or as `3.0`.
pub fn lenient_count(raw: TapeValue<'_>) -> Option<u64> {
    lenient_number(raw)
        .filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < 9e15)
        .map(|number| number as u64)
}
