//! Lines that match a regular expression. The time it takes grows with the text, whatever the expression.

use regex::RegexBuilder;

use crate::snapshot::{Found, Snapshot};

use super::{Arguments, line_shown, path};

/// Hits given; the others are counted.
const MOST: usize = 120;

/// Hits of one file given, so that one file does not hide the others.
const MOST_A_FILE: usize = 30;

/// No more files than this are looked through.
const MOST_FILES: usize = 5_000;

/// A larger expression is refused (bytes of the compiled program).
const MOST_PROGRAM: usize = 1 << 20;

pub fn run(arguments: &Arguments<'_>, snapshot: &Snapshot) -> Result<String, String> {
    let pattern = arguments.needed("pattern")?;
    let expression = RegexBuilder::new(pattern)
        .size_limit(MOST_PROGRAM)
        .dfa_size_limit(MOST_PROGRAM)
        .build()
        .map_err(|_| "not a regular expression we can use".to_owned())?;
    let files = path::place(arguments.text("path")?, snapshot)?.files(snapshot);
    let (mut hits, mut count) = (vec![], 0_usize);
    for path in files.iter().take(MOST_FILES) {
        let Found::Text(text) = snapshot.text(path) else { continue };
        let mut of_file = 0;
        for (number, line) in (1..).zip(text.lines()) {
            if !expression.is_match(line) {
                continue;
            }
            (count, of_file) = (count + 1, of_file + 1);
            if of_file <= MOST_A_FILE && hits.len() < MOST {
                hits.push(format!("{path}:{number}: {}", line_shown(line.trim_end())));
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
