//! Finds the point at which two runs of one task diverge for good: the first step after which most steps of either run
//! have no counterpart.
//!
//! Steps are alike where they have the same actions on files of the same names; they are aligned by the longest common
//! sequence of alike steps (Myers 1986). Runs diverge *for good* at the first step without a counterpart from which on
//! fewer than half of the steps of both runs have one, to the end.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{
    paths,
    step_facts::{ObservedRun, StepFacts, hash_value},
};
use trajview_run::StepId;

/// The point at which two runs diverge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Divergence {
    /// The first step of each run from there on; None where that run has ended.
    pub a: Option<StepId>,
    pub b: Option<StepId>,
    /// Steps before it that have a counterpart.
    pub shared: usize,
    /// The share of the steps after it, in both runs, that have a counterpart: 0 to 0.5.
    pub alike_after: f64,
}

/// Below this share of alike steps two runs count as diverged.
const LASTING_SHARE: f64 = 0.5;

/// Returns the point at which two runs diverge for good; None where they never do, and where one has no step with an
/// action.
pub fn find_divergence(a: &ObservedRun, b: &ObservedRun) -> Option<Divergence> {
    let (a, b) = (acting_steps(a), acting_steps(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let words = |steps: &[&StepFacts]| {
        steps.iter().map(|step| step_fingerprint(step)).collect::<Vec<u64>>()
    };
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
        if equal(op) == 0 && alike_after < LASTING_SHARE {
            let (a, b) = (a.get(old).map(|it| it.id), b.get(new).map(|it| it.id));
            return Some(Divergence { a, b, shared, alike_after });
        }
        shared += equal(op);
        left -= equal(op);
    }
    None
}

/// Returns the steps with an action.
fn acting_steps(observed: &ObservedRun) -> Vec<&StepFacts> {
    observed.steps.iter().filter(|step| !step.actions.is_empty()).collect()
}

/// Returns a hash of a step's actions and the names of its files.
fn step_fingerprint(step: &StepFacts) -> u64 {
    let mut files: Vec<&str> =
        step.edits.iter().chain(&step.reads).map(|path| paths::file_name(path)).collect();
    files.sort_unstable();
    files.dedup();
    let kinds: Vec<&str> = step.actions.iter().map(|action| action.word()).collect();
    hash_value(&(kinds, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::StepAction;

    fn run_of_edits(letters: &str) -> ObservedRun {
        let step = |(step, letter): (usize, char)| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            actions: vec![StepAction::FileModified],
            edits: vec![format!("src/{letter}.py")],
            ..StepFacts::default()
        };
        ObservedRun {
            steps: letters.chars().enumerate().map(step).collect(),
            ..ObservedRun::default()
        }
    }

    fn parting_steps(a: &str, b: &str) -> Option<(Option<usize>, Option<usize>, usize)> {
        let divergence = find_divergence(&run_of_edits(a), &run_of_edits(b))?;
        Some((divergence.a.map(|it| it.step), divergence.b.map(|it| it.step), divergence.shared))
    }

    #[test]
    fn runs_that_do_the_same_never_part() {
        assert_eq!(parting_steps("abcdef", "abcdef"), None);
        // A detour that ends where the other run goes on does not last.
        assert_eq!(parting_steps("abXcdefgh", "abcdefgh"), None);
        assert_eq!(parting_steps("", "abc"), None);
    }

    #[test]
    fn the_first_step_of_ways_of_their_own_is_told() {
        assert_eq!(parting_steps("abcdXYZ", "abcdUVW"), Some((Some(4), Some(4), 4)));
        assert_eq!(parting_steps("abXcdUVWUVW", "abcdefghijk"), Some((Some(2), Some(2), 2)));
        assert_eq!(parting_steps("abc", "abcdef"), Some((None, Some(3), 3)));
    }
}
