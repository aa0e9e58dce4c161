//! A study as a file that [`super::parse_study_file()`] reads back unchanged; parts with their default values are left out.

use super::{
    AdjudicationScope, LabelDivision, RaterOverlap, SampleAllocation, SampleDesign, StudyDesign,
};
use trajview_run::rubric::{LabelMode, LabelUnit};

/// Returns the text of a `study.toml`. The codebook is not written: it is a person's own text.
pub fn study_file_text(design: &StudyDesign) -> String {
    let usual = SampleDesign::default();
    let (sample, mut text) = (&design.sample, String::new());
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{name} = {value}\n"));
        }
    };
    let some = |it: &Option<String>| it.as_deref().map(toml_string);
    let any = |it: &[String]| (!it.is_empty()).then(|| toml_list(it.iter().map(String::as_str)));
    line("name", some(&design.name));
    line("runs", Some(toml_list(design.runs.iter().map(String::as_str))));
    line("unit", (design.unit != LabelUnit::default()).then(|| toml_string(design.unit.word())));
    line("rubric", some(&design.rubric));
    line("judges", any(&design.judges));
    line("judge", some(&design.judge));
    let raters = any(&design.raters);
    // Anybody may label: how to change that.
    line("# raters", raters.is_none().then(|| toml_list(["ana", "ben"].into_iter())));
    line("raters", raters);
    line("adjudicator", some(&design.adjudicator));
    let all = design.adjudicates != AdjudicationScope::default();
    line("adjudicates", all.then(|| toml_string(design.adjudicates.word())));
    line("labels", (design.acts != LabelMode::default()).then(|| toml_string(design.acts.word())));
    line("labels_folder", some(&design.labels_folder));
    line("sample.size", sample.size.map(|size| size.to_string()));
    line("sample.seed", Some(sample.seed.to_string()));
    let strata = sample.strata.iter().map(|it| it.word());
    line("sample.strata", (sample.strata != usual.strata).then(|| toml_list(strata)));
    let shared = sample.allocation != SampleAllocation::default();
    line("sample.allocation", shared.then(|| toml_string(sample.allocation.word())));
    if let LabelDivision::Divided(overlap) = design.division {
        line("queue.divided", Some("true".into()));
        line(
            "queue.overlap",
            Some(match overlap {
                RaterOverlap::Count(count) => count.to_string(),
                RaterOverlap::Share(share) => format!("{share:?}"),
            }),
        );
    }
    text
}

fn toml_list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", words.map(toml_string).collect::<Vec<_>>().join(", "))
}

fn toml_string(text: &str) -> String {
    // JSON's escapes are TOML's too, but for this one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
