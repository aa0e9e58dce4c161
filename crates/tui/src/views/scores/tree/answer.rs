//! A judge's answer taken apart: what it expected, what it found, the score it came to.
//!
//! PaperBench asks its judges for Markdown with these three parts. Headings are written in many ways (`# Reality`,
//! `**Reality**`, `Reality:`); an answer without any is shown as it is.

/// The subject of a section of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerSection {
    Expectations,
    Reality,
    Score,
}

impl AnswerSection {
    const NAMES: [(&'static str, Self); 4] = [
        ("expectations", Self::Expectations),
        ("expectation", Self::Expectations),
        ("reality", Self::Reality),
        ("score", Self::Score),
    ];

    /// Returns the name of the section on screen.
    pub(crate) const fn section_name(self) -> &'static str {
        match self {
            Self::Expectations => "expectations",
            Self::Reality => "reality",
            Self::Score => "score",
        }
    }
}

/// Returns the lines of an answer by section. None before the first heading.
pub(crate) fn lines_by_section(
    answer: &str,
) -> impl Iterator<Item = (Option<AnswerSection>, &str)> {
    let mut section = None;
    answer.lines().filter_map(move |line| match section_heading(line) {
        Some((found, rest)) => {
            section = Some(found);
            (!rest.trim().is_empty()).then_some((section, rest))
        }
        None => Some((section, line)),
    })
}

/// Returns the section that a line begins, and the text after the section's name.
fn section_heading(line: &str) -> Option<(AnswerSection, &str)> {
    let line = line.trim();
    let bare = line.trim_start_matches(['#', '*', ' ']);
    let is_marked = bare.len() < line.len() && line.starts_with(['#', '*']);
    let named =
        |name: &str| bare.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let (name, section) = *AnswerSection::NAMES.iter().find(|(name, _)| named(name))?;
    let rest = bare[name.len()..].trim_start_matches(['*', ' ']);
    match rest.strip_prefix(':') {
        Some(after) => {
            let after = after.trim_start_matches(['*', ' ']);
            (is_marked || after.is_empty()).then_some((section, after))
        }
        None => {
            (rest.is_empty() && (is_marked || bare.len() == name.len())).then_some((section, ""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known_however_they_are_marked() {
        let first = [
            "# Expectations",
            "## expectation:",
            "**Expectations**",
            "**Expectations:** one",
            "Expectations:",
            "Expectations",
        ];
        assert!(first.iter().all(|line| {
            section_heading(line).is_some_and(|(found, _)| found == AnswerSection::Expectations)
        }));
        assert_eq!(section_heading("# Score: 1"), Some((AnswerSection::Score, "1")));
        assert_eq!(section_heading("**Score**: 0"), Some((AnswerSection::Score, "0")));
        let others = ["Scores differ", "Score: 1 of 2", "In reality", "# Realities", ""];
        assert_eq!(others.map(section_heading), [None; 5]);
    }

    #[test]
    fn every_line_stands_under_its_heading() {
        let answer = "well\n# Expectations\na loss\n\n# Reality\nnone\n# Score\n0";
        let found: Vec<_> = lines_by_section(answer).collect();
        assert_eq!(
            found,
            [
                (None, "well"),
                (Some(AnswerSection::Expectations), "a loss"),
                (Some(AnswerSection::Expectations), ""),
                (Some(AnswerSection::Reality), "none"),
                (Some(AnswerSection::Score), "0"),
            ]
        );
    }
}
