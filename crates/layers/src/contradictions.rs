//! Checks a layer's sentences against the code that they cite.

use super::{BriefSentence, SentenceOrigin};

/// Returns why a sentence contradicts the files it cites, in one sentence; None where it does not, or cites none.
/// `text` gives a file as it was at the time of the sentence; None where there is no such file.
///
/// A sentence contradicts a missing file, lines that the file does not have, and lines without a name that the
/// sentence puts between backticks.
pub fn find_contradiction(
    sentence: &BriefSentence,
    text: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let cited = sentence.from.iter().filter_map(|origin| match origin {
        SentenceOrigin::Lines { path, start, end } => Some((path, *start, *end)),
        _ => None,
    });
    let quoted: Vec<&str> = sentence.text.split('`').skip(1).step_by(2).collect();
    let mut held = vec![];
    for (path, start, end) in cited {
        let Some(text) = text(path) else { return Some(format!("{path} is not there")) };
        let lines: Vec<&str> = text.lines().collect();
        let (first, last) = (start.max(1) as usize, end as usize);
        if last > lines.len() || first > last {
            return Some(format!("{path} has {} lines, not {start} to {end}", lines.len()));
        }
        held.push(format!("{path}\n{}", lines[first - 1..last].join("\n")));
    }
    let missing = |name: &&&str| !held.iter().any(|lines| lines.contains(**name));
    let name = quoted.iter().filter(|_| !held.is_empty()).find(missing)?;
    Some(format!("`{name}` is not in the lines that it cites"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_held_to_the_lines_it_cites() {
        let text = |path: &str| (path == "a.py").then(|| "def f(x):\n    return x\n".to_owned());
        let said = |words: &str, path: &str, start, end| {
            let from = SentenceOrigin::Lines { path: path.into(), start, end };
            find_contradiction(&BriefSentence::new(words, [from]), &text)
        };

        assert_eq!(said("a.py has `f(x)`", "a.py", 1, 2), None);
        assert_eq!(said("`a.py`", "a.py", 1, 1), None);
        assert_eq!(said("f", "b.py", 1, 1).as_deref(), Some("b.py is not there"));
        assert_eq!(said("f", "a.py", 2, 3).as_deref(), Some("a.py has 2 lines, not 2 to 3"));
        let why = said("`g`", "a.py", 1, 2);
        assert_eq!(why.as_deref(), Some("`g` is not in the lines that it cites"));
        assert_eq!(find_contradiction(&BriefSentence::heading("`g`"), &text), None);
    }
}
