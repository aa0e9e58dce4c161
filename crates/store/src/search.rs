//! A search, by several threads at once, told in playing order.
//!
//! Records are not looked at before they are read as words: words put together from parts, arguments printed anew,
//! colours taken out of an output are not in the bytes as they are on screen, and a search that passes records over
//! by their bytes would miss them.

use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use trajview_code::printed;
use trajview_formats::Executor;
use trajview_run::{
    Run, StepId,
    search::{Hit, HitPlace, Matcher, StepField},
};

use super::Archive;

pub struct Search<'a> {
    pub archive: &'a Archive,
    pub run: &'a Run,
    pub matcher: Matcher,
    pub goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// What one thread looks through at a time: some texts of one turn, in reading order.
struct Part {
    turn: usize,
    /// The turn's request is read before its steps.
    with_request: bool,
    steps: Range<usize>,
}

/// Bytes of records in a part, so that one long turn is not one thread's work alone.
const PART_BYTES: u64 = 512 << 10;

/// Hits kept of one part. A pattern that is everywhere does not fill the memory: what is more is looked for again.
const MOST_KEPT: usize = 2_000;

impl Search<'_> {
    /// Gives every hit to `found`, in playing order, until it returns false.
    pub fn look(&self, executor: &dyn Executor, found: &mut dyn FnMut(Hit) -> bool) {
        let turns: Vec<Vec<StepId>> =
            (0..self.run.turns.len()).map(|turn| self.run.steps_of_turn(turn)).collect();
        let parts: Vec<Part> =
            turns.iter().enumerate().flat_map(|(turn, steps)| self.parts(turn, steps)).collect();
        let kept: Vec<Mutex<Vec<Hit>>> = parts.iter().map(|_| Mutex::default()).collect();
        let is_over = AtomicBool::new(false);
        let goes_on = || !is_over.load(Ordering::Relaxed) && (self.goes_on)();
        let work = |at: usize| {
            let mut hits = vec![];
            self.look_in(&parts[at], &turns, &goes_on, &mut |hit| {
                hits.push(hit);
                hits.len() < MOST_KEPT
            });
            *held(&kept[at]) = hits;
        };
        let mut then = |at: usize| {
            let hits = std::mem::take(&mut *held(&kept[at]));
            let count = hits.len();
            let mut wanted = hits.into_iter().all(|hit| goes_on() && found(hit));
            if wanted && count == MOST_KEPT {
                let mut seen = 0;
                self.look_in(&parts[at], &turns, &goes_on, &mut |hit| {
                    seen += 1;
                    wanted = seen <= MOST_KEPT || found(hit);
                    wanted
                });
            }
            if !wanted {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        executor.in_order(parts.len(), &work, &mut then);
    }

    fn parts(&self, turn: usize, steps: &[StepId]) -> Vec<Part> {
        let size = |id: &StepId| {
            let step = self.run.step(*id);
            let result = step.and_then(|step| step.result()).map_or(0, |result| result.place.len);
            step.map_or(0, |step| step.place.len).saturating_add(result)
        };
        let (mut parts, mut start, mut bytes) = (vec![], 0, 0u64);
        for (at, id) in steps.iter().enumerate() {
            bytes = bytes.saturating_add(size(id));
            if bytes >= PART_BYTES {
                parts.push(Part { turn, with_request: start == 0, steps: start..at + 1 });
                (start, bytes) = (at + 1, 0);
            }
        }
        parts.push(Part { turn, with_request: start == 0, steps: start..steps.len() });
        parts
    }

    fn look_in(
        &self,
        part: &Part,
        turns: &[Vec<StepId>],
        goes_on: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Hit) -> bool,
    ) {
        let turn = part.turn;
        let mut report = |place: HitPlace, text: &str| {
            let mut matches = self.matcher.matches_in(text);
            matches.all(|(line, range)| found(Hit { turn, place, line, range }))
        };
        if part.with_request {
            let request = self.archive.request(self.run, turn);
            if !goes_on() || !report(HitPlace::Request, &request) {
                return;
            }
        }
        for &step in &turns[turn][part.steps.clone()] {
            if !goes_on() {
                return;
            }
            let text = self.archive.step_text(self.run, step);
            let fields = [
                (StepField::Text, Some(text.text)),
                (StepField::Arguments, text.arguments),
                (StepField::Result, text.result.map(|text| printed::words(&text).into_owned())),
            ];
            for (field, words) in fields {
                if !words.is_none_or(|words| report(HitPlace::Step(step, field), &words)) {
                    return;
                }
            }
        }
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{executor::Threads, open};
    use trajview_formats::OneHand;
    use trajview_run::search::{Query, Syntax};

    use super::*;

    fn hits(pattern: &str, executor: &dyn Executor, most: usize) -> Vec<Hit> {
        let samples = Path::new(trajview_testing::project()).join("sample-runs");
        let mut hits = vec![];
        for sample in ["claude-code", "codex-rollout", "codex-p12"] {
            let opened = open(&samples.join(sample)).unwrap();
            let query = Query { pattern: pattern.into(), syntax: Syntax::Regex };
            let matcher = Matcher::of(&query).unwrap();
            let search =
                Search { archive: &opened.archive, run: &opened.run, matcher, goes_on: &|| true };
            let mut left = most;
            search.look(executor, &mut |hit| {
                hits.push(hit);
                left -= 1;
                left > 0
            });
        }
        hits
    }

    #[test]
    fn threads_find_what_one_finds_in_the_same_order() {
        for pattern in ["e", "def", r"^\s*import", "nowhere to be found"] {
            assert_eq!(
                hits(pattern, &Threads::all(), usize::MAX),
                hits(pattern, &OneHand, usize::MAX)
            );
        }
        assert!(hits("e", &OneHand, usize::MAX).len() > MOST_KEPT * 3);
    }

    #[test]
    fn a_search_stops_at_the_hit_that_is_enough() {
        let all = hits(".", &OneHand, usize::MAX);

        assert_eq!(hits(".", &Threads::all(), 1).len(), 3);
        assert_eq!(hits(".", &Threads::all(), MOST_KEPT + 7)[..MOST_KEPT], all[..MOST_KEPT]);
    }

    #[test]
    fn a_search_that_finds_nothing_can_be_stopped() {
        let sample = Path::new(trajview_testing::project()).join("sample-runs/claude-code");
        let opened = open(&sample).unwrap();
        let query = Query { pattern: ".".into(), syntax: Syntax::Regex };

        let mut found = 0;
        let searched = opened.archive.search_while(&opened.run, &query, &|| false, &mut |_| {
            found += 1;
            true
        });

        assert_eq!((searched, found), (Ok(()), 0));
    }

    #[test]
    fn what_was_added_to_a_request_is_read_and_found_with_it() {
        let line = |uuid: &str, text: &str, more: &str| {
            format!(
                "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\"sessionId\":\"S\",\"message\":{{\"content\":\"{text}\"}}{more}}}\n"
            )
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let log = line("u1", "<command-name>/fix</command-name>", "")
            + &line("u2", "Mend what is broken.", ",\"isMeta\":true,\"parentUuid\":\"u1\"");
        std::fs::write(&path, log).unwrap();

        let opened = open(&path).unwrap();

        let whole = "/fix\n\n[added by the agent's program]\nMend what is broken.";
        assert_eq!(opened.archive.request(&opened.run, 0), whole);
        assert_eq!(opened.archive.request_alone(&opened.run, 0), "/fix");
        let query = Query { pattern: "what is broken".into(), syntax: Syntax::Literal };
        let mut hits = vec![];
        let found = opened.archive.search_while(&opened.run, &query, &|| true, &mut |hit| {
            hits.push((hit.turn, hit.place));
            true
        });
        assert_eq!((found, hits), (Ok(()), vec![(0, HitPlace::Request)]));
    }
}
