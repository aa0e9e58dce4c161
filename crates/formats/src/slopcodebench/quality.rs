//! `quality_analysis/`: what the harness measured of single files, symbols and rule hits.

use trajview_run::{
    RecordPlace, SourceId, Warning,
    checkpoint_record::{MeasuredCallable, MeasuredFile, RuleHit},
};

use super::{
    super::{
        SourceBytes,
        json_object::JsonObject,
        jsonl,
        tape::{self, JsonTape},
    },
    generation::SlopGeneration,
    values,
};

/// More rows of one file are left out, which is a warning.
const ROW_LIMIT: (SourceId, usize) = (SourceId(0), 100_000);

/// Reads `files.jsonl`: one row per file.
pub fn measured_files(
    source: SourceBytes<'_>,
    generation: Option<SlopGeneration>,
    warnings: &mut Vec<Warning>,
) -> Vec<MeasuredFile> {
    read_rows(
        source,
        ROW_LIMIT,
        "a row without a file_path is left out",
        warnings,
        |(_, line), row| {
            let mut values = values::values_of_object(source.name, line, generation)?;
            values.retain(|value| &*value.name != "file_path");
            Some(MeasuredFile { path: row.non_empty_text("file_path")?, values })
        },
    )
}

/// Reads the functions and methods among the rows of `symbols.jsonl`.
pub fn measured_callables(
    source: SourceBytes<'_>,
    warnings: &mut Vec<Warning>,
) -> Vec<MeasuredCallable> {
    let read = read_rows(
        source,
        ROW_LIMIT,
        "a row without a file_path, name or lines is left out",
        warnings,
        |_, row| {
            let count = |key| row.get(key).and_then(values::lenient_count);
            let kind = row.text("type").unwrap_or_default();
            let is_callable = kind == "function" || kind == "method";
            let callable = || {
                Some(MeasuredCallable {
                    path: row.non_empty_text("file_path")?,
                    name: row.non_empty_text("name")?,
                    class: row.non_empty_text("parent_class"),
                    start: count("start")?,
                    end: count("end")?,
                    cc: count("complexity"),
                    sloc: count("sloc"),
                })
            };
            if is_callable { callable().map(Some) } else { Some(None) }
        },
    );
    read.into_iter().flatten().collect()
}

/// Reads `ast_grep.jsonl`, whose lines count from 0; ours count from 1.
pub fn rule_hits(source: SourceBytes<'_>, warnings: &mut Vec<Warning>) -> Vec<RuleHit> {
    read_rows(
        source,
        ROW_LIMIT,
        "a row without a rule_id, file_path or line is left out",
        warnings,
        |_, row| {
            let line = |key| Some(row.get(key).and_then(values::lenient_count)?.saturating_add(1));
            let start = line("line")?;
            Some(RuleHit {
                rule: row.non_empty_text("rule_id")?,
                category: row.non_empty_text("category"),
                path: row.non_empty_text("file_path")?,
                start,
                end: line("end_line").unwrap_or(start),
            })
        },
    )
}

/// Reads each line of a file, which has that many rows at most; a row that cannot be read is a warning.
pub fn read_rows<T>(
    source: SourceBytes<'_>,
    (id, most): (SourceId, usize),
    lacks: &str,
    warnings: &mut Vec<Warning>,
    mut read: impl FnMut((RecordPlace, &str), &JsonObject<'_>) -> Option<T>,
) -> Vec<T> {
    let mut found = vec![];
    let mut lines = jsonl::lines_of_file(id, source.bytes).peekable();
    while let Some((place, line)) = lines.next() {
        let mut warn = |what: &str| warnings.push(jsonl::warning_at(source.name, place, what));
        if found.len() == most {
            warn(&format!("more than {most} rows; the rest is left out"));
            break;
        }
        let line = String::from_utf8_lossy(line);
        let tape = JsonTape::parse(&line);
        match JsonObject::from_tape(&tape) {
            Some(row) => match read((place, &line), &row) {
                Some(it) => found.push(it),
                None => warn(lacks),
            },
            None => {
                let why = tape::serde_error(&line);
                warn(&jsonl::json_error_text(&why, lines.peek().is_none()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_hits_count_from_1_and_what_is_no_callable_is_left_out() {
        let mut warnings = vec![];
        let source = |bytes| SourceBytes { name: "q.jsonl", bytes };
        let found = rule_hits(
            source(br#"{"rule_id":"r","file_path":"a.py","line":0,"end_line":"2"}"#),
            &mut warnings,
        );
        assert_eq!((found[0].start, found[0].end), (1, 3));
        let found = measured_callables(
            source(b"{\"type\":\"variable\"}\n{\"type\":\"method\",\"name\":\"f\",\"parent_class\":\"A\",\"file_path\":\"a.py\",\"start\":3,\"end\":9,\"complexity\":2}\n{\"type\":\"function\"}"),
            &mut warnings,
        );
        let warning_texts: Vec<_> =
            warnings.iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
        assert_eq!(
            warning_texts,
            ["q.jsonl:3: a row without a file_path, name or lines is left out"]
        );
        let [method] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((method.class.as_deref(), method.cc, method.sloc), (Some("A"), Some(2), None));
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_bytes_it_returns(bytes: Vec<u8>) {
            let source = SourceBytes { name: "q.jsonl", bytes: &bytes };
            let mut warnings = vec![];
            rule_hits(source, &mut warnings);
            measured_callables(source, &mut warnings);
            measured_files(source, None, &mut warnings);
        }
    }
}
