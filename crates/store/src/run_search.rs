//! A search by several threads at once, whose hits come in playing order.
//!
//! Records are not searched before they are read as text: text put together from parts, arguments printed anew, colours
//! taken out of an output are not in the bytes as they are on screen, and a search of the bytes would miss them.

use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use trajview_code::ansi_text;
use trajview_formats::PieceExecutor;
use trajview_run::{
    Run, StepId,
    search::{HitPlace, QueryMatcher, SearchHit, StepField},
};

use super::Archive;

pub struct RunSearch<'a> {
    pub archive: &'a Archive,
    pub run: &'a Run,
    pub matcher: QueryMatcher,
    pub keep_going: &'a (dyn Fn() -> bool + Sync),
}

/// The work of one thread at a time: some texts of one turn, in reading order.
struct SearchPart {
    turn: usize,
    /// The turn's request is read before its steps.
    with_request: bool,
    steps: Range<usize>,
}

/// The number of bytes of records in a part, so that one long turn is not one thread's work alone.
const PART_BYTES: u64 = 512 << 10;

/// The most hits that are kept of one part, so that a pattern that is everywhere does not fill the memory; further hits
/// are searched again.
const MOST_KEPT: usize = 2_000;

impl RunSearch<'_> {
    /// Passes every hit to `on_hit`, in playing order, until it returns false.
    pub(crate) fn run_search(
        &self,
        executor: &dyn PieceExecutor,
        on_hit: &mut dyn FnMut(SearchHit) -> bool,
    ) {
        let turns: Vec<Vec<StepId>> =
            (0..self.run.turns.len()).map(|turn| self.run.steps_of_turn(turn)).collect();
        let parts: Vec<SearchPart> = turns
            .iter()
            .enumerate()
            .flat_map(|(turn, steps)| self.split_turn(turn, steps))
            .collect();
        let kept_hits: Vec<Mutex<Vec<SearchHit>>> =
            parts.iter().map(|_| Mutex::default()).collect();
        let is_over = AtomicBool::new(false);
        let keep_going = || !is_over.load(Ordering::Relaxed) && (self.keep_going)();
        let work = |at: usize| {
            let mut hits = vec![];
            self.search_part(&parts[at], &turns, &keep_going, &mut |hit| {
                hits.push(hit);
                hits.len() < MOST_KEPT
            });
            *lock(&kept_hits[at]) = hits;
        };
        let mut then = |at: usize| {
            let hits = std::mem::take(&mut *lock(&kept_hits[at]));
            let count = hits.len();
            let mut wanted = hits.into_iter().all(|hit| keep_going() && on_hit(hit));
            if wanted && count == MOST_KEPT {
                let mut seen = 0;
                self.search_part(&parts[at], &turns, &keep_going, &mut |hit| {
                    seen += 1;
                    wanted = seen <= MOST_KEPT || on_hit(hit);
                    wanted
                });
            }
            if !wanted {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        executor.in_order(parts.len(), &work, &mut then);
    }

    fn split_turn(&self, turn: usize, steps: &[StepId]) -> Vec<SearchPart> {
        let size = |id: &StepId| {
            let step = self.run.step(*id);
            let result =
                step.and_then(|step| step.tool_result()).map_or(0, |result| result.place.len);
            step.map_or(0, |step| step.place.len).saturating_add(result)
        };
        let (mut parts, mut start, mut bytes) = (vec![], 0, 0u64);
        for (at, id) in steps.iter().enumerate() {
            bytes = bytes.saturating_add(size(id));
            if bytes >= PART_BYTES {
                parts.push(SearchPart { turn, with_request: start == 0, steps: start..at + 1 });
                (start, bytes) = (at + 1, 0);
            }
        }
        parts.push(SearchPart { turn, with_request: start == 0, steps: start..steps.len() });
        parts
    }

    fn search_part(
        &self,
        part: &SearchPart,
        turns: &[Vec<StepId>],
        keep_going: &dyn Fn() -> bool,
        on_hit: &mut dyn FnMut(SearchHit) -> bool,
    ) {
        let turn = part.turn;
        let mut report = |place: HitPlace, text: &str| {
            let mut matches = self.matcher.matches_in(text);
            matches.all(|(line, range)| on_hit(SearchHit { turn, place, line, range }))
        };
        if part.with_request {
            let request = self.archive.request_with_added(self.run, turn);
            if !keep_going() || !report(HitPlace::Request, &request) {
                return;
            }
        }
        for &step in &turns[turn][part.steps.clone()] {
            if !keep_going() {
                return;
            }
            let text = self.archive.step_text(self.run, step);
            let fields = [
                (StepField::Text, Some(text.text)),
                (StepField::Arguments, text.arguments),
                (
                    StepField::Result,
                    text.result.map(|text| ansi_text::plain_text(&text).into_owned()),
                ),
            ];
            for (field, words) in fields {
                if !words.is_none_or(|words| report(HitPlace::Step(step, field), &words)) {
                    return;
                }
            }
        }
    }
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{executor::WorkerThreads, open};
    use trajview_formats::SequentialExecutor;
    use trajview_run::search::{QuerySyntax, SearchQuery};

    use super::*;

    fn find_hits(pattern: &str, executor: &dyn PieceExecutor, most: usize) -> Vec<SearchHit> {
        let samples = Path::new(trajview_testing::project()).join("sample-runs");
        let mut hits = vec![];
        for sample in ["claude-code", "codex-rollout", "codex-p12"] {
            let opened = open(&samples.join(sample)).unwrap();
            let query = SearchQuery { pattern: pattern.into(), syntax: QuerySyntax::Regex };
            let matcher = QueryMatcher::for_query(&query).unwrap();
            let search = RunSearch {
                archive: &opened.archive,
                run: &opened.run,
                matcher,
                keep_going: &|| true,
            };
            let mut left = most;
            search.run_search(executor, &mut |hit| {
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
                find_hits(pattern, &WorkerThreads::for_all_cores(), usize::MAX),
                find_hits(pattern, &SequentialExecutor, usize::MAX)
            );
        }
        assert!(find_hits("e", &SequentialExecutor, usize::MAX).len() > MOST_KEPT * 3);
    }

    #[test]
    fn a_search_stops_at_the_hit_that_is_enough() {
        let all = find_hits(".", &SequentialExecutor, usize::MAX);

        assert_eq!(find_hits(".", &WorkerThreads::for_all_cores(), 1).len(), 3);
        assert_eq!(
            find_hits(".", &WorkerThreads::for_all_cores(), MOST_KEPT + 7)[..MOST_KEPT],
            all[..MOST_KEPT]
        );
    }

    #[test]
    fn a_search_that_finds_nothing_can_be_stopped() {
        let sample = Path::new(trajview_testing::project()).join("sample-runs/claude-code");
        let opened = open(&sample).unwrap();
        let query = SearchQuery { pattern: ".".into(), syntax: QuerySyntax::Regex };

        let mut hit_count = 0;
        let searched = opened.archive.search_while(&opened.run, &query, &|| false, &mut |_| {
            hit_count += 1;
            true
        });

        assert_eq!((searched, hit_count), (Ok(()), 0));
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
        assert_eq!(opened.archive.request_with_added(&opened.run, 0), whole);
        assert_eq!(opened.archive.request_text(&opened.run, 0), "/fix");
        let query = SearchQuery { pattern: "what is broken".into(), syntax: QuerySyntax::Literal };
        let mut hits = vec![];
        let outcome = opened.archive.search_while(&opened.run, &query, &|| true, &mut |hit| {
            hits.push((hit.turn, hit.place));
            true
        });
        assert_eq!((outcome, hits), (Ok(()), vec![(0, HitPlace::Request)]));
    }
}
