//! Our numbers beside the references' on the small sources they were asked about.
//!
//! The answers are real data, found by `TRAJVIEW_REAL_DATA`; the tests that need them are ignored unless asked for.

use std::{collections::BTreeMap, fs};

use serde::Deserialize;
use serde_json::Value;
use trajview::metrics::{
    quality::{
        FileMeasure, QualityDetail, QualityProfile, QualitySnapshot, Ruler, SnapshotFile,
        combine_with_detail, measure_file,
    },
    rules::RuleSet,
};

use crate::{common::real_data, scb};

#[derive(Deserialize)]
struct Vector {
    source: String,
    g1: Value,
    #[serde(rename = "chk_0.1.3")]
    check_013: Value,
    #[serde(rename = "chk_0.2.0")]
    check_020: Value,
}

fn read_vectors() -> BTreeMap<String, Vector> {
    let text = fs::read_to_string(real_data().join("vectors/code-quality.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// One file called as the references' was, alone in a snapshot.
fn score_source(source: &str, ruler: &Ruler) -> (FileMeasure, QualitySnapshot, QualityDetail) {
    let measure = measure_file("a.py", source.as_bytes(), ruler);
    let file = SnapshotFile { path: "a.py", measure: &measure };
    let (snapshot, detail) = combine_with_detail(&[file], ruler.profile());
    (measure, snapshot, detail)
}

/// `(start, end, cc, sloc)` of every callable, in the order of the file.
fn callable_rows(of: &Value) -> Vec<[u64; 4]> {
    let functions = of["functions"].as_array().unwrap().iter();
    functions
        .map(|f| ["start", "end", "cc", "sloc"].map(|field| f[field].as_u64().unwrap()))
        .collect()
}

fn callables_of(detail: &QualityDetail) -> Vec<[u64; 4]> {
    let callables = detail.callables.iter();
    callables.map(|c| [c.span.start, c.span.end, c.cc, c.sloc].map(u64::from)).collect()
}

fn clones_of(detail: &QualityDetail) -> Vec<Vec<[u64; 2]>> {
    let groups = detail.clones.iter();
    groups
        .map(|group| {
            group.places.iter().map(|at| [at.span.start, at.span.end].map(u64::from)).collect()
        })
        .collect()
}

fn number_rows<const N: usize>(of: &Value) -> Vec<[u64; N]> {
    serde_json::from_value::<Vec<Vec<u64>>>(of.clone())
        .unwrap()
        .into_iter()
        .map(|pair| pair.try_into().unwrap())
        .collect()
}

fn as_count(of: &Value) -> u64 {
    of.as_u64().unwrap()
}

fn is_close(ours: f64, theirs: &Value) -> bool {
    (ours - theirs.as_f64().unwrap()).abs() <= 1e-9
}

/// What is different, one line each.
fn note_diff(
    wrong: &mut Vec<String>,
    name: &str,
    what: &str,
    ours: impl std::fmt::Debug,
    theirs: impl std::fmt::Debug,
) {
    let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
    if ours != theirs {
        wrong.push(format!("{name}: {what}: ours {ours}, theirs {theirs}"));
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn scb_paper_has_the_answers_of_the_papers_code() {
    let vectors = read_vectors();
    let ruler = Ruler::new(QualityProfile::ScbPaper, RuleSet::none());
    let mut wrong = vec![];
    for (name, vector) in &vectors {
        let (measure, snapshot, detail) = score_source(&vector.source, &ruler);
        let theirs = &vector.g1;
        note_diff(
            &mut wrong,
            name,
            "skipped",
            measure.skipped.is_some(),
            theirs.get("skipped").is_some(),
        );
        if theirs.get("skipped").is_some() {
            continue;
        }
        let sloc: Vec<u32> = measure.sloc.lines().collect();
        let mut groups: Vec<Vec<[u64; 2]>> =
            theirs["clones"].as_array().into_iter().flatten().map(number_rows::<2>).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        note_diff(
            &mut wrong,
            name,
            "lines",
            snapshot.totals.lines,
            as_count(&theirs["lines"]["total_lines"]),
        );
        note_diff(&mut wrong, name, "loc", snapshot.totals.loc, as_count(&theirs["lines"]["loc"]));
        note_diff(
            &mut wrong,
            name,
            "sloc",
            sloc,
            serde_json::from_value::<Vec<u32>>(theirs["sloc_lines"].clone()).unwrap(),
        );
        note_diff(&mut wrong, name, "callables", callables_of(&detail), callable_rows(theirs));
        note_diff(&mut wrong, name, "clones", clones_of(&detail), groups);
        note_diff(
            &mut wrong,
            name,
            "clone lines",
            snapshot.totals.clone_lines,
            theirs["clone_sloc_lines"].as_array().unwrap().len(),
        );
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

fn scb_check(profile: QualityProfile, answer: impl Fn(&Vector) -> &Value) {
    let vectors = read_vectors();
    let ruler = Ruler::new(profile, RuleSet::none());
    let mut wrong = vec![];
    for (name, vector) in &vectors {
        let (measure, snapshot, detail) = score_source(&vector.source, &ruler);
        let theirs = answer(vector);
        let sloc: u64 = theirs["sloc"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
        let mut clones: Vec<[u64; 2]> = clones_of(&detail).concat();
        clones.sort_unstable();
        let wrappers: Vec<[u64; 2]> =
            detail.wrappers.iter().map(|at| [at.span.start, at.span.end].map(u64::from)).collect();
        note_diff(
            &mut wrong,
            name,
            "skipped",
            measure.skipped.is_some(),
            theirs["sloc"] == serde_json::json!([]),
        );
        note_diff(&mut wrong, name, "sloc", snapshot.totals.sloc, sloc);
        note_diff(&mut wrong, name, "callables", callables_of(&detail), callable_rows(theirs));
        note_diff(&mut wrong, name, "clones", clones, number_rows::<2>(&theirs["clones"]));
        note_diff(&mut wrong, name, "wrappers", wrappers, number_rows::<2>(&theirs["wrappers"]));
        note_diff(
            &mut wrong,
            name,
            "erosion",
            is_close(snapshot.erosion, &theirs["erosion"]),
            true,
        );
        if theirs["rules"] == serde_json::json!([]) {
            note_diff(
                &mut wrong,
                name,
                "flagged",
                snapshot.totals.flagged_lines,
                as_count(&theirs["flagged"]),
            );
            note_diff(
                &mut wrong,
                name,
                "verbosity",
                is_close(snapshot.verbosity, &theirs["verbosity"]),
                true,
            );
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn scb_check_0_1_3_has_the_answers_of_that_release() {
    scb_check(QualityProfile::ScbCheck013, |vector| &vector.check_013);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn scb_check_0_2_0_has_the_answers_of_that_release() {
    scb_check(QualityProfile::ScbCheck020, |vector| &vector.check_020);
}

/// `(rule, start, end)` of every match, sorted.
fn hits_of(detail: &QualityDetail) -> Vec<(String, u64, u64)> {
    let hits = detail.hits.iter();
    hits.map(|hit| (hit.rule.clone(), hit.span.start.into(), hit.span.end.into())).collect()
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA and TRAJVIEW_SCB_CHECK"]
fn scb_check_with_its_own_rules_has_its_hits_and_verbosity() {
    let vectors = read_vectors();
    let mut wrong = vec![];
    for release in scb::find_releases() {
        for (name, vector) in &vectors {
            let (_, snapshot, detail) = score_source(&vector.source, &release.ruler);
            let theirs = match release.profile {
                QualityProfile::ScbCheck013 => &vector.check_013,
                _ => &vector.check_020,
            };
            let mut hits: Vec<(String, u64, u64)> =
                serde_json::from_value(theirs["rules"].clone()).unwrap();
            let mut ours = hits_of(&detail);
            hits.sort();
            ours.sort();
            note_diff(&mut wrong, name, "hits", ours, hits);
            note_diff(
                &mut wrong,
                name,
                "flagged",
                snapshot.totals.flagged_lines,
                as_count(&theirs["flagged"]),
            );
            note_diff(
                &mut wrong,
                name,
                "verbosity",
                is_close(snapshot.verbosity, &theirs["verbosity"]),
                true,
            );
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}
