//! A judge's answer taken apart: what it expected, what it found, the score it came to.
//!
//! PaperBench asks its judges for Markdown with these three parts. Headings are written in many ways (`# Reality`,
//! `**Reality**`, `Reality:`); an answer without any is shown as it is.

/// What a part of the answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Expectations,
    Reality,
    Score,
}

impl Section {
    const NAMES: [(&'static str, Self); 4] = [
        ("expectations", Self::Expectations),
        ("expectation", Self::Expectations),
        ("reality", Self::Reality),
        ("score", Self::Score),
    ];

    /// What the screen calls it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Expectations => "expectations",
            Self::Reality => "reality",
            Self::Score => "score",
        }
    }
}

/// The lines of an answer by section; None before the first heading.
pub fn lines(answer: &str) -> impl Iterator<Item = (Option<Section>, &str)> {
    let mut section = None;
    answer.lines().filter_map(move |line| match heading(line) {
        Some((found, rest)) => {
            section = Some(found);
            (!rest.trim().is_empty()).then_some((section, rest))
        }
        None => Some((section, line)),
    })
}

/// The section that a line begins, and what stands behind its name.
fn heading(line: &str) -> Option<(Section, &str)> {
    let line = line.trim();
    let bare = line.trim_start_matches(['#', '*', ' ']);
    let is_marked = bare.len() < line.len() && line.starts_with(['#', '*']);
    let named =
        |name: &str| bare.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let (name, section) = *Section::NAMES.iter().find(|(name, _)| named(name))?;
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
        assert!(
            first
                .iter()
                .all(|line| heading(line).is_some_and(|(found, _)| found == Section::Expectations))
        );
        assert_eq!(heading("# Score: 1"), Some((Section::Score, "1")));
        assert_eq!(heading("**Score**: 0"), Some((Section::Score, "0")));
        let others = ["Scores differ", "Score: 1 of 2", "In reality", "# Realities", ""];
        assert_eq!(others.map(heading), [None; 5]);
    }

    #[test]
    fn every_line_stands_under_its_heading() {
        let answer = "well\n# Expectations\na loss\n\n# Reality\nnone\n# Score\n0";
        let found: Vec<_> = lines(answer).collect();
        assert_eq!(
            found,
            [
                (None, "well"),
                (Some(Section::Expectations), "a loss"),
                (Some(Section::Expectations), ""),
                (Some(Section::Reality), "none"),
                (Some(Section::Score), "0"),
            ]
        );
    }
}
