//! Numbers that SlopCodeBench measured, as [`Recorded`] values with their file and their name.
//!
//! Names are the files' own. Where a generation measures what one of our metrics does by the same definition, the value
//! carries the metric's name too. G0 scores erosion and verbosity of a whole run by other formulas: those never do.

use serde_json::value::RawValue;

use trajview_run::recorded::{Recorded, Value};

use super::{
    generation::Generation,
    json::{self, Object},
};

/// Deeper objects are left out.
const MOST_DEEP: usize = 8;

/// Longer words are no measurement.
const LONGEST: usize = 200;

/// More values than this of one file are left out.
const MOST: usize = 2_000;

/// From when on a recorded name means what our metric of that name means.
const METRICS: [(&str, Generation, &str); 22] = [
    ("erosion", Generation::G1, "erosion"),
    ("mass.high_cc_pct", Generation::G1, "erosion"),
    ("verbosity", Generation::G1, "verbosity"),
    ("verbosity_flagged_pct", Generation::G1, "verbosity"),
    ("mass.cc", Generation::G1, "mass"),
    ("verbosity_flagged_sloc_lines", Generation::G1, "flagged_lines"),
    ("sloc", Generation::G1, "sloc"),
    ("lines.loc", Generation::G1, "sloc"),
    // `clone_lines` of the same files counts physical lines; ours are source lines.
    ("cloned_sloc_lines", Generation::G1, "clone_lines"),
    ("redundancy.cloned_sloc_lines", Generation::G1, "clone_lines"),
    ("ast_grep.violation_lines", Generation::G1, "rule_lines"),
    ("cc_max", Generation::G0, "max_cc"),
    ("functions.cc_max", Generation::G0, "max_cc"),
    ("cc_high_count", Generation::G0, "high_cc"),
    ("functions.cc_high_count", Generation::G0, "high_cc"),
    ("functions.count", Generation::G0, "callables"),
    ("files", Generation::G0, "files"),
    ("file_count", Generation::G0, "files"),
    ("cc_mean", Generation::G0, "mean_cc"),
    ("functions.cc_mean", Generation::G0, "mean_cc"),
    ("total_lines", Generation::G0, "lines"),
    ("lines.total_lines", Generation::G0, "lines"),
];

/// All numbers, flags and short words of a JSON object. None where the text is no object.
pub fn of_object(
    source: &str,
    text: &str,
    generation: Option<Generation>,
) -> Option<Vec<Recorded>> {
    let object = Object::parse(text)?;
    let mut values = vec![];
    collect(&object, "", 0, &mut |name, raw| {
        if values.len() < MOST
            && let Some(value) = value_of(raw)
        {
            let metric = metric_of(&name, generation);
            values.push(Recorded {
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

fn collect<'a>(
    object: &Object<'a>,
    above: &str,
    depth: usize,
    take: &mut dyn FnMut(String, &'a RawValue),
) {
    for (name, raw) in object.fields() {
        let name = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        match Object::of(raw).filter(|_| depth < MOST_DEEP) {
            Some(inner) => collect(&inner, &name, depth + 1, take),
            None => take(name, raw),
        }
    }
}

fn value_of(raw: &RawValue) -> Option<Value> {
    match raw.get() {
        "true" => return Some(Value::Flag(true)),
        "false" => return Some(Value::Flag(false)),
        _ => {}
    }
    if let Some(text) = json::text(raw) {
        let is_short = !text.is_empty() && text.len() <= LONGEST && !text.contains('\n');
        return is_short.then(|| Value::Text(text.into()));
    }
    let number: f64 = raw.get().parse().ok()?;
    number.is_finite().then_some(Value::Number(number))
}

fn metric_of(name: &str, generation: Option<Generation>) -> Option<&'static str> {
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
const BOTH: &str = "every rule count is 0, and clones by a later rule than the paper's";

/// Says of recorded verbosity, and of what it is made of, why it is not to be relied on. `values` are all that is
/// recorded of one checkpoint, or of the run.
pub fn doubt(values: &mut [Recorded], generation: Option<Generation>) {
    let counts: Vec<f64> = (values.iter())
        .filter(|it| RULE_COUNTS.contains(&&*it.name))
        .filter_map(|it| it.value.number())
        .collect();
    let no_hit = !counts.is_empty() && counts.iter().all(|count| *count == 0.0);
    let later = generation == Some(Generation::G2);
    for value in values {
        value.doubt = match value.metric {
            Some("verbosity" | "flagged_lines") => match (no_hit, later) {
                (true, true) => Some(BOTH),
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

/// A number, also where it was written as a string.
pub fn lenient(raw: &RawValue) -> Option<f64> {
    let text = json::text(raw);
    let number = text.as_deref().unwrap_or(raw.get()).trim().parse::<f64>().ok()?;
    number.is_finite().then_some(number)
}

/// A count, also where it was written as a string or as `3.0`.
pub fn count(raw: &RawValue) -> Option<u64> {
    lenient(raw)
        .filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < 9e15)
        .map(|number| number as u64)
}
