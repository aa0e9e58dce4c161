//! Where two runs of one task part for good: the first step after which most of what either does has no counterpart.
//!
//! Steps are alike where they do the same kinds of things to files of the same names; they are aligned by the longest row of
//! alike steps that both have in order (Myers 1986). Runs part *for good* at the first step without a counterpart from which on
//! fewer than half of the steps of both runs have one, to the end.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{
    observed::{Observed, StepFacts, hash},
    paths,
};
use trajview_run::StepId;

/// Where two runs part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Divergence {
    /// The first step of each run from there on; None where that run is over.
    pub a: Option<StepId>,
    pub b: Option<StepId>,
    /// Steps before it that have a counterpart.
    pub shared: usize,
    /// Of the steps after it, in both runs, the share that has a counterpart: 0 to 0.5.
    pub alike_after: f64,
}

/// Below this share of alike steps two runs go ways of their own.
const HALF: f64 = 0.5;

/// Where two runs part for good; None where they never do, and where one has no step that does something.
pub fn first_lasting(a: &Observed, b: &Observed) -> Option<Divergence> {
    let (a, b) = (doing(a), doing(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let words = |steps: &[&StepFacts]| steps.iter().map(|step| word(step)).collect::<Vec<u64>>();
    let ops = capture_diff_slices(Algorithm::Myers, &words(&a), &words(&b));
    let all = a.len() + b.len();
    let equal = |op: &DiffOp| match op {
        DiffOp::Equal { len, .. } => *len,
        DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => 0,
    };
    let mut left: usize = ops.iter().map(equal).sum();
    let mut shared = 0;
    for op in &ops {
        let (old, new) = (op.old_range().start, op.new_range().start);
        let rest = all - old - new;
        let alike_after = (2 * left) as f64 / rest.max(1) as f64;
        if equal(op) == 0 && alike_after < HALF {
            let (a, b) = (a.get(old).map(|it| it.id), b.get(new).map(|it| it.id));
            return Some(Divergence { a, b, shared, alike_after });
        }
        shared += equal(op);
        left -= equal(op);
    }
    None
}

/// The steps that do something.
fn doing(observed: &Observed) -> Vec<&StepFacts> {
    observed.steps.iter().filter(|step| !step.actions.is_empty()).collect()
}

/// What a step does, and to files of which names.
fn word(step: &StepFacts) -> u64 {
    let mut files: Vec<&str> =
        step.edits.iter().chain(&step.reads).map(|path| paths::name(path)).collect();
    files.sort_unstable();
    files.dedup();
    let kinds: Vec<&str> = step.actions.iter().map(|action| action.word()).collect();
    hash(&(kinds, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Action;

    fn run(letters: &str) -> Observed {
        let step = |(step, letter): (usize, char)| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            actions: vec![Action::FileModified],
            edits: vec![format!("src/{letter}.py")],
            ..StepFacts::default()
        };
        Observed { steps: letters.chars().enumerate().map(step).collect(), ..Observed::default() }
    }

    fn parted(a: &str, b: &str) -> Option<(Option<usize>, Option<usize>, usize)> {
        let found = first_lasting(&run(a), &run(b))?;
        Some((found.a.map(|it| it.step), found.b.map(|it| it.step), found.shared))
    }

    #[test]
    fn runs_that_do_the_same_never_part() {
        assert_eq!(parted("abcdef", "abcdef"), None);
        // A detour that ends where the other run goes on does not last.
        assert_eq!(parted("abXcdefgh", "abcdefgh"), None);
        assert_eq!(parted("", "abc"), None);
    }

    #[test]
    fn the_first_step_of_ways_of_their_own_is_told() {
        assert_eq!(parted("abcdXYZ", "abcdUVW"), Some((Some(4), Some(4), 4)));
        assert_eq!(parted("abXcdUVWUVW", "abcdefghijk"), Some((Some(2), Some(2), 2)));
        assert_eq!(parted("abc", "abcdef"), Some((None, Some(3), 3)));
    }
}
