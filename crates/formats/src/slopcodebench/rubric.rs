//! `rubric.jsonl`: what a judge with a rubric objected to.
//!
//! The harness writes `criteria, start, end, file_name, carried_over: "<checkpoint>"`, its documentation has
//! `criterion, line, file_path, carried_over: true, original_checkpoint: 2`; both are read. Numbers may be strings. A
//! flag that is carried over has lost its type, which another row of the run with the same criterion still has.

use std::collections::BTreeMap;

use super::{
    super::{
        SourceBytes,
        json_object::{JsonObject, string_text},
    },
    quality, values,
};
use trajview_run::{RecordPlace, SourceId, Warning, checkpoint_record::Flag};

/// Reads the flags of one file. Adds a warning for each line that cannot be read.
pub fn read_flags(source: SourceBytes<'_>, id: SourceId, warnings: &mut Vec<Warning>) -> Vec<Flag> {
    let lacks = "a flag without a criterion is left out";
    quality::read_rows(source, (id, usize::MAX), lacks, warnings, |(place, _), row| {
        read_flag(row, place)
    })
}

fn read_flag(row: &JsonObject<'_>, place: RecordPlace) -> Option<Flag> {
    let count = |keys: &[&str]| keys.iter().find_map(|key| values::lenient_count(row.get(key)?));
    let start = count(&["start", "line"]);
    Some(Flag {
        criterion: row
            .first_text(&["criteria", "criterion"])
            .filter(|text| !text.is_empty())?
            .into(),
        category: row.non_empty_text("category"),
        kind: row.non_empty_text("type"),
        path: row.first_text(&["file_name", "file_path"]).unwrap_or_default().into(),
        start,
        end: count(&["end"]).or(start),
        confidence: row.get("confidence").and_then(values::lenient_number),
        explanation: row.non_empty_text("explanation"),
        carried_from: carried_from(row),
        place,
    })
}

fn carried_from(row: &JsonObject<'_>) -> Option<Box<str>> {
    let carried_over = row.get("carried_over")?;
    match string_text(carried_over) {
        Some(name) => (!name.is_empty()).then(|| name.into()),
        None if carried_over.get() == "true" => {
            let number = row.get("original_checkpoint").and_then(values::lenient_count)?;
            Some(format!("checkpoint_{number}").into())
        }
        None => None,
    }
}

/// Follows every flag that was carried over to the checkpoint that found it, and gives it back its type. `ids` are those
/// of the checkpoints whose flags are given, in order.
pub fn resolve_carried_flags(ids: &[&str], judged: &mut [Option<Vec<Flag>>]) {
    let kinds: BTreeMap<Box<str>, Box<str>> = judged
        .iter()
        .flatten()
        .flatten()
        .filter_map(|flag| Some((flag.criterion.clone(), flag.kind.clone()?)))
        .collect();
    for at in 0..judged.len() {
        // Earlier checkpoints are resolved already: one look back is enough.
        let (earlier, rest) = judged.split_at_mut(at);
        for flag in rest.iter_mut().take(1).flatten().flatten() {
            flag.kind = flag.kind.take().or_else(|| kinds.get(&flag.criterion).cloned());
            let Some(from) = &flag.carried_from else { continue };
            let named = ids.iter().take(at).position(|id| **id == **from);
            let found = named.and_then(|named| earlier[named].as_ref()).and_then(|flags| {
                let same =
                    |other: &&Flag| other.criterion == flag.criterion && other.path == flag.path;
                let far =
                    |other: &&Flag| other.start.unwrap_or(0).abs_diff(flag.start.unwrap_or(0));
                flags.iter().filter(same).min_by_key(far)
            });
            if let Some(first) = found.and_then(|found| found.carried_from.clone()) {
                flag.carried_from = Some(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with_warnings(text: &str) -> (Vec<Flag>, Vec<Warning>) {
        let mut warnings = vec![];
        let source = SourceBytes { name: "rubric.jsonl", bytes: text.as_bytes() };
        (read_flags(source, SourceId(0), &mut warnings), warnings)
    }

    #[test]
    fn both_spellings_say_the_same() {
        let (written, _) = read_with_warnings(
            r#"{"criteria":"overdoc","start":"3","confidence":"4","file_name":"a.py","carried_over":"checkpoint_2"}"#,
        );
        let (documented, _) = read_with_warnings(
            r#"{"criterion":"overdoc","line":3,"confidence":4,"file_path":"a.py","carried_over":true,"original_checkpoint":2}"#,
        );

        let without_place = |flag: &Flag| Flag { place: RecordPlace::default(), ..flag.clone() };
        assert_eq!(without_place(&written[0]), without_place(&documented[0]));
        assert_eq!((written[0].start, written[0].end), (Some(3), Some(3)));
    }

    #[test]
    fn a_line_that_is_no_flag_is_a_warning_with_its_place() {
        let (flags, warnings) = read_with_warnings("{\"criteria\":\"a\"}\n{}\nnot json\n");

        assert_eq!(flags.len(), 1);
        let places: Vec<_> = warnings.iter().map(|warning| warning.place.as_str()).collect();
        assert_eq!(places, ["rubric.jsonl:2", "rubric.jsonl:3"]);
    }

    #[test]
    fn a_chain_leads_to_the_checkpoint_that_found_it_first_and_gives_back_the_type() {
        let flag = |from: Option<&str>, kind: Option<&str>, start| Flag {
            criterion: "overdoc".into(),
            path: "a.py".into(),
            start: Some(start),
            kind: kind.map(Into::into),
            carried_from: from.map(Into::into),
            ..Flag::default()
        };
        let mut judged = vec![
            Some(vec![flag(None, Some("verbosity"), 9)]),
            None,
            Some(vec![flag(Some("c1"), None, 12), flag(None, Some("verbosity"), 50)]),
            Some(vec![flag(Some("c3"), None, 13), flag(Some("c3"), None, 51)]),
            Some(vec![flag(Some("c9"), None, 13)]),
        ];

        resolve_carried_flags(&["c1", "c2", "c3", "c4", "c5"], &mut judged);

        let from: Vec<Option<&str>> = judged[3..]
            .iter()
            .flatten()
            .flatten()
            .map(|flag| flag.carried_from.as_deref())
            .collect();
        assert_eq!(from, [Some("c1"), Some("c3"), Some("c9")]);
        assert!(
            judged.iter().flatten().flatten().all(|flag| flag.kind.as_deref() == Some("verbosity"))
        );
    }
}
