//! What is done again: calls that come back with the same, messages that say the same, stretches in which nothing is new.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::process::{
    action::Action,
    observed::{Observed, Prints, StepFacts},
};

use super::{Kind, Signal, called, ordinal, over};

/// The first repetition may be a second look; the next one is a loop.
const REPEATED: usize = 3;

/// Steps without anything new that are no progress.
const STALE: usize = 8;

/// Messages that are looked back to.
const LOOKED_BACK: usize = 40;

/// From here on two messages say the same (estimated share of runs of three words).
const ALIKE: f64 = 0.75;

pub fn find(observed: &Observed, found: &mut Vec<Signal>) {
    repeated_calls(observed, found);
    repeated_messages(observed, found);
    no_progress(observed, found);
}

/// Calls of one agent with the same arguments and the same observation, and no change of a file since. Repetitions that
/// follow each other are one stretch.
fn repeated_calls(observed: &Observed, found: &mut Vec<Signal>) {
    let mut seen: HashMap<(Option<usize>, u64, u64), Vec<usize>> = HashMap::new();
    let mut repeats: Vec<(usize, usize, usize)> = vec![];
    for (at, step) in observed.steps.iter().enumerate() {
        if step.edits_files() {
            // A repeat after an edit is no loop.
            seen.clear();
            continue;
        }
        let Some((call, came)) = step.prints.call.zip(step.prints.observed) else { continue };
        let times = seen.entry((step.id.subagent, call, came)).or_default();
        times.push(at);
        if times.len() >= REPEATED {
            repeats.push((at, times[0], times.len()));
        }
    }
    for (at, first, times) in stretches(repeats) {
        let why = format!(
            "the call of step {} came back with the same {times} times, and no file changed in between",
            called(observed, first)
        );
        found.push(over(observed, Kind::RepeatedCall, at, why));
    }
}

/// Joins repeats that are at most a cycle of four apart: where each begins and ends, its first occurrence, and how often.
fn stretches(repeats: Vec<(usize, usize, usize)>) -> Vec<((usize, usize), usize, usize)> {
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

/// Messages that are like each other as a whole; where no call says what is done, also those that begin with the same sentence.
fn repeated_messages(observed: &Observed, found: &mut Vec<Signal>) {
    let has_calls = observed.steps.iter().any(|step| step.prints.call.is_some());
    let mut before: VecDeque<(usize, Prints)> = VecDeque::new();
    let mut repeats = vec![];
    for (at, step) in observed.steps.iter().enumerate() {
        let Some(sketch) = step.prints.sketch else { continue };
        let opens_alike = |other: &Prints| {
            !has_calls && other.opening.is_some() && other.opening == step.prints.opening
        };
        let is_alike = |other: &Prints| {
            let whole = other.sketch.is_some_and(|it| it.likeness(&sketch) >= ALIKE);
            whole || opens_alike(other)
        };
        let alike: Vec<usize> =
            before.iter().filter(|(_, other)| is_alike(other)).map(|(at, _)| *at).collect();
        if let (Some(first), true) = (alike.first(), alike.len() + 1 >= REPEATED) {
            repeats.push((at, *first, alike.len() + 1));
        }
        before.push_back((at, step.prints));
        if before.len() > LOOKED_BACK {
            before.pop_front();
        }
    }
    for (at, first, times) in stretches(repeats) {
        let why = format!(
            "says for the {} time what step {} said",
            ordinal(times),
            called(observed, first)
        );
        found.push(over(observed, Kind::RepeatedMessage, at, why));
    }
}

/// A stretch of calls none of which brought anything that was not seen before: no change of a file, no observation, no file
/// read for the first time, no try that failed before and succeeds.
fn no_progress(observed: &Observed, found: &mut Vec<Signal>) {
    let mut news = News::default();
    let mut stale: Vec<usize> = vec![];
    let mut flush = |stale: &mut Vec<usize>| {
        if let (Some(first), Some(last), true) = (stale.first(), stale.last(), stale.len() >= STALE)
        {
            let why = format!("{} calls brought nothing that was not seen before", stale.len());
            found.push(over(observed, Kind::NoProgress, (*first, *last), why));
        }
        stale.clear();
    };
    for (at, step) in observed.steps.iter().enumerate() {
        if step.prints.call.is_none() || step.is_recorded {
            continue;
        }
        match news.brings(step) {
            true => flush(&mut stale),
            false => stale.push(at),
        }
    }
    flush(&mut stale);
}

/// What was seen so far.
#[derive(Default)]
struct News<'a> {
    observed: HashSet<u64>,
    read: HashSet<&'a str>,
    failing: HashSet<u64>,
}

impl<'a> News<'a> {
    fn brings(&mut self, step: &'a StepFacts) -> bool {
        // Every one of them is taken, whichever comes first.
        let mut news = step.edits_files() || step.does(Action::Committed);
        if let Some(observed) = step.prints.observed {
            news |= self.observed.insert(observed);
        } else {
            // Nothing is known of what came back.
            news = true;
        }
        for path in &step.reads {
            news |= self.read.insert(path);
        }
        if let Some(tried) = step.prints.tried {
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
    use crate::process::observed::Sketch;
    use trajview_run::StepId;

    /// A letter is a call that always brings the same; `+` is an edit.
    fn run(letters: &str) -> Observed {
        let step = |(step, letter): (usize, char)| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            number: step + 1,
            actions: if letter == '+' { vec![Action::FileModified] } else { vec![] },
            prints: Prints {
                call: Some(u64::from(u32::from(letter))),
                observed: Some(u64::from(u32::from(letter))),
                ..Prints::default()
            },
            ..StepFacts::default()
        };
        Observed { steps: letters.chars().enumerate().map(step).collect(), ..Observed::default() }
    }

    fn kinds(letters: &str) -> Vec<(Kind, usize, usize)> {
        let mut found = vec![];
        find(&run(letters), &mut found);
        found.into_iter().map(|it| (it.kind, it.number, it.until.step + 1)).collect()
    }

    #[test]
    fn a_loop_is_the_third_time_and_one_stretch() {
        assert_eq!(kinds("aab"), []);
        assert_eq!(kinds("aaab"), [(Kind::RepeatedCall, 3, 3)]);
        assert_eq!(kinds("ababab"), [(Kind::RepeatedCall, 5, 6)]);
    }

    #[test]
    fn a_repeat_after_an_edit_is_no_loop() {
        assert_eq!(kinds("a+a+a+a+a"), []);
    }

    #[test]
    fn a_long_time_without_anything_new_is_no_progress() {
        assert!(kinds("abcdefghabcdefgh").contains(&(Kind::NoProgress, 9, 16)));
        assert_eq!(kinds("abcdefghabcdefg"), []);
    }

    #[test]
    fn a_message_that_comes_a_third_time_is_told() {
        let sketch =
            Sketch::of("please look up the list of films and tell me the ratings of them all");
        let steps = (0..3).map(|step| StepFacts {
            id: StepId { turn: 0, subagent: None, step },
            number: step + 1,
            prints: Prints { sketch, ..Prints::default() },
            ..StepFacts::default()
        });
        let mut found = vec![];
        find(&Observed { steps: steps.collect(), ..Observed::default() }, &mut found);
        let told: Vec<_> = found.iter().map(|it| (it.kind, it.number, it.why.as_str())).collect();
        let why = "says for the 3rd time what step 1.1 said";
        assert_eq!(told, [(Kind::RepeatedMessage, 3, why)]);
    }
}
