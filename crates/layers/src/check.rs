//! Whether what a layer said was true of the code it was said about.

use super::{Origin, Sentence};

/// Why a sentence contradicts the files it cites, in one sentence; None where it does not, or cites none. `text` gives a
/// file as it was when the sentence was said; None where there is no such file.
///
/// A sentence contradicts a file that is not there, lines that the file does not have, and lines in which a name that it
/// puts between backticks does not stand.
pub fn contradiction(sentence: &Sentence, text: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let cited = sentence.from.iter().filter_map(|origin| match origin {
        Origin::Lines { path, start, end } => Some((path, *start, *end)),
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
            let from = Origin::Lines { path: path.into(), start, end };
            contradiction(&Sentence::new(words, [from]), &text)
        };

        assert_eq!(said("a.py has `f(x)`", "a.py", 1, 2), None);
        assert_eq!(said("`a.py`", "a.py", 1, 1), None);
        assert_eq!(said("f", "b.py", 1, 1).as_deref(), Some("b.py is not there"));
        assert_eq!(said("f", "a.py", 2, 3).as_deref(), Some("a.py has 2 lines, not 2 to 3"));
        let why = said("`g`", "a.py", 1, 2);
        assert_eq!(why.as_deref(), Some("`g` is not in the lines that it cites"));
        assert_eq!(contradiction(&Sentence::heading("`g`"), &text), None);
    }
}
