//! Signals about repetition: calls with the same response, messages with the same text, ranges of steps without
//! anything new.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::process::{
    action::StepAction,
    step_facts::{ObservedRun, StepFacts, StepFingerprints},
};

use super::{ProcessSignal, SignalKind, ordinal_text, signal_over, step_label};

/// The fewest occurrences for a signal: the first repetition may be a second look, the next one is a loop.
const MIN_REPETITIONS: usize = 3;

/// The fewest steps without anything new that count as no progress.
const MIN_STALE_STEPS: usize = 8;

/// The number of earlier messages that are compared.
const MAX_LOOKBACK: usize = 40;

/// From this likeness on two messages count as the same (estimated share of runs of three words).
const MIN_LIKENESS: f64 = 0.75;

/// Adds the signals about repetition.
pub(crate) fn find_repeat_signals(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    repeated_calls(observed, signals);
    repeated_messages(observed, signals);
    no_progress(observed, signals);
}

/// Finds repeated calls of one agent with the same arguments and the same response, and no change of a file since.
/// Consecutive repetitions form one signal.
fn repeated_calls(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let mut seen: HashMap<(Option<usize>, u64, u64), Vec<usize>> = HashMap::new();
    let mut repeats: Vec<(usize, usize, usize)> = vec![];
    for (at, step) in observed.steps.iter().enumerate() {
        if step.edits_files() {
            // A repetition after an edit is no loop.
            seen.clear();
            continue;
        }
        let Some((call, came)) = step.prints.call.zip(step.prints.response) else { continue };
        let times = seen.entry((step.id.subagent, call, came)).or_default();
        times.push(at);
        if times.len() >= MIN_REPETITIONS {
            repeats.push((at, times[0], times.len()));
        }
    }
    for (at, first, times) in join_repeats(repeats) {
        let why = format!(
            "the call of step {} returned the same result {times} times; no file changed in between",
            step_label(observed, first)
        );
        signals.push(signal_over(observed, SignalKind::RepeatedCall, at, why));
    }
}

/// Joins repetitions that are at most four steps apart. Returns the range of each, its first occurrence, and the
/// number of occurrences.
fn join_repeats(repeats: Vec<(usize, usize, usize)>) -> Vec<((usize, usize), usize, usize)> {
    let mut joined: Vec<((usize, usize), usize, usize)> = vec![];
    for (at, first, times) in repeats {
        match joined.last_mut() {
            Some((span, _, most)) if at - span.1 <= 4 => {
                span.1 = at;
                *most = (*most).max(times);
            }
            _ => joined.push(((at, at), first, times)),
        }
    }
    joined
}

/// Finds messages that resemble each other as a whole; in a run without calls also those that begin with the same
/// sentence.
fn repeated_messages(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let has_calls = observed.steps.iter().any(|step| step.prints.call.is_some());
    let mut before: VecDeque<(usize, StepFingerprints)> = VecDeque::new();
    let mut repeats = vec![];
    for (at, step) in observed.steps.iter().enumerate() {
        let Some(sketch) = step.prints.sketch else { continue };
        let opens_alike = |other: &StepFingerprints| {
            !has_calls && other.opening.is_some() && other.opening == step.prints.opening
        };
        let is_alike = |other: &StepFingerprints| {
            let whole = other.sketch.is_some_and(|it| it.likeness_to(&sketch) >= MIN_LIKENESS);
            whole || opens_alike(other)
        };
        let alike: Vec<usize> =
            before.iter().filter(|(_, other)| is_alike(other)).map(|(at, _)| *at).collect();
        if let (Some(first), true) = (alike.first(), alike.len() + 1 >= MIN_REPETITIONS) {
            repeats.push((at, *first, alike.len() + 1));
        }
        before.push_back((at, step.prints));
        if before.len() > MAX_LOOKBACK {
            before.pop_front();
        }
    }
    for (at, first, times) in join_repeats(repeats) {
        let why = format!(
            "repeats step {1} for the {0} time",
            ordinal_text(times),
            step_label(observed, first)
        );
        signals.push(signal_over(observed, SignalKind::RepeatedMessage, at, why));
    }
}

/// Finds ranges of calls without anything new: no change of a file, no new response, no file read for the first time,
/// no attempt that failed before and succeeds.
fn no_progress(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let mut news = SeenFacts::default();
    let mut stale: Vec<usize> = vec![];
    let mut flush = |stale: &mut Vec<usize>| {
        if let (Some(first), Some(last), true) =
            (stale.first(), stale.last(), stale.len() >= MIN_STALE_STEPS)
        {
            let why = format!("{} calls returned nothing new", stale.len());
            signals.push(signal_over(observed, SignalKind::NoProgress, (*first, *last), why));
        }
        stale.clear();
    };
    for (at, step) in observed.steps.iter().enumerate() {
        if step.prints.call.is_none() || step.is_recorded {
            continue;
        }
        match news.take_new(step) {
            true => flush(&mut stale),
            false => stale.push(at),
        }
    }
    flush(&mut stale);
}

/// The responses, files and failures seen so far.
#[derive(Default)]
struct SeenFacts<'a> {
    observed: HashSet<u64>,
    read: HashSet<&'a str>,
    failing: HashSet<u64>,
}

impl<'a> SeenFacts<'a> {
    /// Records a step; returns whether it brought anything new.
    fn take_new(&mut self, step: &'a StepFacts) -> bool {
        // All of them are recorded, whichever is new.
        let mut news = step.edits_files() || step.has_action(StepAction::Committed);
        if let Some(observed) = step.prints.response {
            news |= self.observed.insert(observed);
        } else {
            // The response is not known.
            news = true;
        }
        for path in &step.reads {
            news |= self.read.insert(path);
        }
        if let Some(tried) = step.prints.attempt {
            match step.failed {
                true => {
                    self.failing.insert(tried);
                }
                false => news |= self.failing.remove(&tried),
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::step_facts::TextSketch;
    use trajview_run::StepId;

    /// Builds a run in which a letter is a call that always has the same response; `+` is an edit.
    fn run_of_letters(letters: &str) -> ObservedRun {
        let step = |(step, letter): (usize, char)| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            number: step + 1,
            actions: if letter == '+' { vec![StepAction::FileModified] } else { vec![] },
            prints: StepFingerprints {
                call: Some(u64::from(u32::from(letter))),
                response: Some(u64::from(u32::from(letter))),
                ..StepFingerprints::default()
            },
            ..StepFacts::default()
        };
        ObservedRun {
            steps: letters.chars().enumerate().map(step).collect(),
            ..ObservedRun::default()
        }
    }

    fn signal_kinds(letters: &str) -> Vec<(SignalKind, usize, usize)> {
        let mut signals = vec![];
        find_repeat_signals(&run_of_letters(letters), &mut signals);
        signals.into_iter().map(|it| (it.kind, it.number, it.until.step + 1)).collect()
    }

    #[test]
    fn a_loop_is_the_third_time_and_one_stretch() {
        assert_eq!(signal_kinds("aab"), []);
        assert_eq!(signal_kinds("aaab"), [(SignalKind::RepeatedCall, 3, 3)]);
        assert_eq!(signal_kinds("ababab"), [(SignalKind::RepeatedCall, 5, 6)]);
    }

    #[test]
    fn a_repeat_after_an_edit_is_no_loop() {
        assert_eq!(signal_kinds("a+a+a+a+a"), []);
    }

    #[test]
    fn a_long_time_without_anything_new_is_no_progress() {
        assert!(signal_kinds("abcdefghabcdefgh").contains(&(SignalKind::NoProgress, 9, 16)));
        assert_eq!(signal_kinds("abcdefghabcdefg"), []);
    }

    #[test]
    fn a_message_that_comes_a_third_time_is_told() {
        let sketch = TextSketch::from_text(
            "please look up the list of films and tell me the ratings of them all",
        );
        let steps = (0..3).map(|step| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            number: step + 1,
            prints: StepFingerprints { sketch, ..StepFingerprints::default() },
            ..StepFacts::default()
        });
        let mut signals = vec![];
        find_repeat_signals(
            &ObservedRun { steps: steps.collect(), ..ObservedRun::default() },
            &mut signals,
        );
        let found: Vec<_> =
            signals.iter().map(|it| (it.kind, it.number, it.why.as_str())).collect();
        let why = "repeats step 1.1 for the 3rd time";
        assert_eq!(found, [(SignalKind::RepeatedMessage, 3, why)]);
    }
}
