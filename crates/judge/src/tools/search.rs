//! Lines that match a regular expression. The time it takes grows with the text, whatever the expression.

use regex::RegexBuilder;

use crate::snapshot::CodeSnapshot;

use super::{ToolArguments, cut_line, path};

/// Hits given; the others are counted.
const MOST: usize = 120;

/// Hits of one file given, so that one file does not hide the others.
const MOST_A_FILE: usize = 30;

/// Largest number of files that are searched.
const MOST_FILES: usize = 5_000;

/// Largest expression (bytes of the compiled program).
const MOST_PROGRAM: usize = 1 << 20;

/// Returns the lines of the snapshot that match a regular expression. The error is a sentence for the judge.
pub(crate) fn search_lines(
    arguments: &ToolArguments<'_>,
    snapshot: &CodeSnapshot,
) -> Result<String, String> {
    let pattern = arguments.required_text("pattern")?;
    let expression = RegexBuilder::new(pattern)
        .size_limit(MOST_PROGRAM)
        .dfa_size_limit(MOST_PROGRAM)
        .build()
        .map_err(|_| "not a regular expression we can use".to_owned())?;
    let files =
        path::resolve_path(arguments.text_argument("path")?, snapshot)?.readable_files(snapshot);
    let (mut hits, mut count) = (vec![], 0_usize);
    for path in files.iter().take(MOST_FILES) {
        let Ok(text) = snapshot.text_of(path) else { continue };
        let mut of_file = 0;
        for (number, line) in (1..).zip(text.lines()) {
            if !expression.is_match(line) {
                continue;
            }
            (count, of_file) = (count + 1, of_file + 1);
            if of_file <= MOST_A_FILE && hits.len() < MOST {
                hits.push(format!("{path}:{number}: {}", cut_line(line.trim_end())));
            }
        }
    }
    let mut head = match count {
        0 => format!("no line matches, in {} files", files.len()),
        1 => "1 line matches".to_owned(),
        _ => format!("{count} lines match"),
    };
    if hits.len() < count {
        head.push_str(&format!("; {} are shown", hits.len()));
    }
    if files.len() > MOST_FILES {
        head.push_str(&format!("; only the first {MOST_FILES} files were looked through"));
    }
    Ok(std::iter::once(head).chain(hits).collect::<Vec<_>>().join("\n"))
}
