//! The reasons for a difference between label and verdict, as codes in label files.

use trajview_run::rubric::{JudgementLabel, SEVERE};

/// A code, the key that gives it, and its meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct ReasonChoice {
    pub letter: char,
    pub code: &'static str,
    pub means: &'static str,
}

/// The code of a label that equals the verdict.
pub(crate) const AGREE: &str = "agree";

pub(crate) static CHOICES: [ReasonChoice; 5] = [
    ReasonChoice {
        letter: 'a',
        code: "false-absence",
        means: "it is in the code, and the judge missed it",
    },
    ReasonChoice {
        letter: 'p',
        code: "false-presence",
        means: "the judge found it, but it is not in the code",
    },
    ReasonChoice {
        letter: 'b',
        code: "rubric-boundary",
        means: "same interpretation of the code, different level of the rubric",
    },
    ReasonChoice {
        letter: 'e',
        code: "wrong-evidence",
        means: "the cited lines do not support the verdict",
    },
    ReasonChoice { letter: 'o', code: "other", means: "explained in a note" },
];

/// Returns the reasons in the order in which they are offered, the likely one first.
pub(crate) fn reasons_in_order(judge: f64, label: f64) -> Vec<&'static ReasonChoice> {
    let likely = likely_reason(judge, label);
    let mut all: Vec<&ReasonChoice> = CHOICES.iter().collect();
    all.sort_by_key(|choice| choice.code != likely); // stable: the rest keeps its order
    all
}

/// Returns the most likely reason for two different scores.
fn likely_reason(judge: f64, label: f64) -> &'static str {
    match (judge, label) {
        (0.0, _) => "false-absence",
        (_, 0.0) => "false-presence",
        (judge, label) if (judge - label).abs() <= 1.0 => "rubric-boundary",
        (judge, label) if judge < label => "false-absence",
        (_, label) if label <= SEVERE.into() => "false-presence",
        _ => "wrong-evidence",
    }
}

/// Returns whether the label has a reason for its difference.
pub(crate) fn is_explained(label: JudgementLabel<'_>) -> bool {
    label.reason().is_some_and(|reason| !reason.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::REASONS;

    #[test]
    fn every_code_of_label_files_can_be_given() {
        let mut codes: Vec<&str> = CHOICES.iter().map(|choice| choice.code).collect();
        codes.insert(0, AGREE);
        assert_eq!(codes, REASONS);
    }

    #[test]
    fn the_likely_reason_is_offered_first() {
        let first = |judge: u8, label: u8| reasons_in_order(judge.into(), label.into())[0].code;
        assert_eq!([first(0, 1), first(0, 4), first(1, 3)], ["false-absence"; 3]);
        assert_eq!([first(4, 0), first(3, 1)], ["false-presence"; 2]);
        assert_eq!([first(2, 3), first(4, 3), first(1, 2)], ["rubric-boundary"; 3]);
        assert_eq!(first(4, 2), "wrong-evidence");
        assert_eq!(reasons_in_order(4.0, 2.0).len(), CHOICES.len());
    }
}
