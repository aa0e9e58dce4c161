//! A study as a file: what [`super::read()`] reads back as it was, the parts that are as usual left out.

use super::{Adjudicates, Allocation, Design, Division, Overlap, Sample};
use trajview_run::rubric::{Acts, Unit};

/// The text of a `study.toml`. The codebook is not written: it is a person's own text.
pub fn written(design: &Design) -> String {
    let usual = Sample::default();
    let (sample, mut text) = (&design.sample, String::new());
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{name} = {value}\n"));
        }
    };
    let some = |it: &Option<String>| it.as_deref().map(quoted);
    let any = |it: &[String]| (!it.is_empty()).then(|| list(it.iter().map(String::as_str)));
    line("name", some(&design.name));
    line("runs", Some(list(design.runs.iter().map(String::as_str))));
    line("unit", (design.unit != Unit::default()).then(|| quoted(design.unit.word())));
    line("rubric", some(&design.rubric));
    line("judges", any(&design.judges));
    let raters = any(&design.raters);
    // Anybody may label: how to change that.
    line("# raters", raters.is_none().then(|| list(["ana", "ben"].into_iter())));
    line("raters", raters);
    line("adjudicator", some(&design.adjudicator));
    let all = design.adjudicates != Adjudicates::default();
    line("adjudicates", all.then(|| quoted(design.adjudicates.word())));
    line("labels", (design.acts != Acts::default()).then(|| quoted(design.acts.word())));
    line("labels_folder", some(&design.labels_folder));
    line("sample.size", sample.size.map(|size| size.to_string()));
    line("sample.seed", Some(sample.seed.to_string()));
    let strata = sample.strata.iter().map(|it| it.word());
    line("sample.strata", (sample.strata != usual.strata).then(|| list(strata)));
    let shared = sample.allocation != Allocation::default();
    line("sample.allocation", shared.then(|| quoted(sample.allocation.word())));
    if let Division::Divided(overlap) = design.division {
        line("queue.divided", Some("true".into()));
        line(
            "queue.overlap",
            Some(match overlap {
                Overlap::Count(count) => count.to_string(),
                Overlap::Share(share) => format!("{share:?}"),
            }),
        );
    }
    text
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", words.map(quoted).collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    // JSON's escapes are TOML's too, but for this one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
