//! `quality_analysis/`: what the harness measured of single files, symbols and rule hits.

use trajview_run::{
    Place, SourceId, Warning,
    recorded::{Callable, MeasuredFile, RuleHit},
};

use super::{
    super::{Source, jsonl},
    generation::Generation,
    json::Object,
    values,
};

/// More rows of one file are left out, which is a warning.
const FIRST: (SourceId, usize) = (SourceId(0), 100_000);

/// `files.jsonl`: one row a file.
pub fn files(
    source: Source<'_>,
    generation: Option<Generation>,
    warnings: &mut Vec<Warning>,
) -> Vec<MeasuredFile> {
    rows(source, FIRST, "a row without a file_path is left out", warnings, |(_, line), row| {
        let mut values = values::of_object(source.name, line, generation)?;
        values.retain(|value| &*value.name != "file_path");
        Some(MeasuredFile { path: row.boxed("file_path")?, values })
    })
}

/// `symbols.jsonl`: the functions and methods among its rows.
pub fn callables(source: Source<'_>, warnings: &mut Vec<Warning>) -> Vec<Callable> {
    let read = rows(
        source,
        FIRST,
        "a row without a file_path, name or lines is left out",
        warnings,
        |_, row| {
            let count = |key| row.get(key).and_then(values::count);
            let kind = row.text("type").unwrap_or_default();
            let is_callable = kind == "function" || kind == "method";
            let callable = || {
                Some(Callable {
                    path: row.boxed("file_path")?,
                    name: row.boxed("name")?,
                    class: row.boxed("parent_class"),
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

/// `ast_grep.jsonl`: its lines count from 0, ours from 1.
pub fn hits(source: Source<'_>, warnings: &mut Vec<Warning>) -> Vec<RuleHit> {
    rows(
        source,
        FIRST,
        "a row without a rule_id, file_path or line is left out",
        warnings,
        |_, row| {
            let line = |key| Some(row.get(key).and_then(values::count)?.saturating_add(1));
            let start = line("line")?;
            Some(RuleHit {
                rule: row.boxed("rule_id")?,
                category: row.boxed("category"),
                path: row.boxed("file_path")?,
                start,
                end: line("end_line").unwrap_or(start),
            })
        },
    )
}

/// What is read from each line of a file, which has that many rows at most; a row that cannot be read is a warning.
pub fn rows<T>(
    source: Source<'_>,
    (id, most): (SourceId, usize),
    lacks: &str,
    warnings: &mut Vec<Warning>,
    mut read: impl FnMut((Place, &str), &Object<'_>) -> Option<T>,
) -> Vec<T> {
    let mut found = vec![];
    let mut lines = jsonl::lines(id, source.bytes).peekable();
    while let Some((place, line)) = lines.next() {
        let mut warn = |what: &str| warnings.push(jsonl::warning(source.name, place, what));
        if found.len() == most {
            warn(&format!("more than {most} rows; the rest is left out"));
            break;
        }
        let line = String::from_utf8_lossy(line);
        match serde_json::from_str::<Object<'_>>(&line) {
            Ok(row) => match read((place, &line), &row) {
                Some(it) => found.push(it),
                None => warn(lacks),
            },
            Err(why) => warn(&jsonl::broken(&why, lines.peek().is_none())),
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
        let source = |bytes| Source { name: "q.jsonl", bytes };
        let found = hits(
            source(br#"{"rule_id":"r","file_path":"a.py","line":0,"end_line":"2"}"#),
            &mut warnings,
        );
        assert_eq!((found[0].start, found[0].end), (1, 3));
        let found = callables(
            source(b"{\"type\":\"variable\"}\n{\"type\":\"method\",\"name\":\"f\",\"parent_class\":\"A\",\"file_path\":\"a.py\",\"start\":3,\"end\":9,\"complexity\":2}\n{\"type\":\"function\"}"),
            &mut warnings,
        );
        let told: Vec<_> = warnings.iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
        assert_eq!(told, ["q.jsonl:3: a row without a file_path, name or lines is left out"]);
        let [method] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((method.class.as_deref(), method.cc, method.sloc), (Some("A"), Some(2), None));
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_bytes_it_returns(bytes: Vec<u8>) {
            let source = Source { name: "q.jsonl", bytes: &bytes };
            let mut warnings = vec![];
            hits(source, &mut warnings);
            callables(source, &mut warnings);
            files(source, None, &mut warnings);
        }
    }
}
