//! Threads for work that falls into pieces.

use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use trajview_formats::Executor;

thread_local! {
    /// Others do the same work beside this thread.
    static IS_ONE_OF_MANY: Cell<bool> = const { Cell::new(false) };
}

/// As many threads as there are cores, started for one piece of work and gone after it; where this thread is one of many,
/// it alone.
pub struct Threads {
    count: usize,
}

/// More than this do not make a log of the sizes we have faster.
const MOST: usize = 8;

impl Threads {
    pub fn all() -> Self {
        let count = if IS_ONE_OF_MANY.get() { 1 } else { cores().min(MOST) };
        Self { count }
    }
}

/// Does one of many works, `left` of which are still to be begun: while there are enough for every core each is done by one
/// thread alone, which costs less.
pub fn one_of_many<T>(left: usize, work: impl FnOnce() -> T) -> T {
    let before = IS_ONE_OF_MANY.replace(left >= cores());
    let done = work();
    IS_ONE_OF_MANY.set(before);
    done
}

/// How many cores there are for this program. The system is asked once: on Linux an answer reads several files.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// How far the work is. Nobody is woken for less than there is to do.
struct Progress {
    state: Mutex<State>,
    /// What is taken next is done.
    ready: Condvar,
    /// Some was taken.
    room: Condvar,
}

struct State {
    is_done: Vec<bool>,
    /// Pieces given to `then`.
    taken: usize,
    /// Pieces that are waited for, to be given to it: those before this one.
    wanted: usize,
    /// Workers that are too far ahead.
    waiting: usize,
    /// Everything is done, or somebody panicked: nobody waits any more.
    is_over: bool,
}

impl State {
    /// Whether all that is waited for is done.
    fn is_ready(&self) -> bool {
        self.is_done[self.taken..self.wanted].iter().all(|is_done| *is_done)
    }
}

impl Progress {
    /// The lock is held for a moment only, never while somebody works.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is still worth going on with a piece, once it is not too far ahead.
    fn wait_for_room(&self, piece: usize, ahead: usize) -> bool {
        let mut state = self.state();
        let is_early = |state: &State| !state.is_over && piece >= state.taken + ahead;
        if is_early(&state) {
            state.waiting += 1;
            let woken = self.room.wait_while(state, |state| is_early(state));
            state = woken.unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        !state.is_over
    }

    fn done(&self, piece: usize) {
        let mut state = self.state();
        state.is_done[piece] = true;
        let is_wanted = piece < state.wanted && state.is_ready();
        drop(state);
        if is_wanted {
            self.ready.notify_one();
        }
    }

    /// Whether the pieces before `end` that were not taken are done at last; not where it is over before.
    fn wait_until_done(&self, end: usize) -> bool {
        let mut state = self.state();
        state.wanted = end;
        let woken = self.ready.wait_while(state, |state| !state.is_over && !state.is_ready());
        !woken.unwrap_or_else(PoisonError::into_inner).is_over
    }

    fn taken(&self, end: usize) {
        let mut state = self.state();
        state.taken = end;
        let are_some_waiting = state.waiting > 0;
        drop(state);
        if are_some_waiting {
            self.room.notify_all();
        }
    }
}

/// Pieces that are taken at a time: whoever takes them is woken once for all of them.
const TAKEN_AT_A_TIME: usize = 3;

/// Sends everybody home when it is dropped, also by a panic.
struct Over<'a>(&'a Progress);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.ready.notify_all();
        self.0.room.notify_all();
    }
}

impl Executor for Threads {
    fn count(&self) -> usize {
        self.count
    }

    fn in_order(&self, pieces: usize, work: &(dyn Fn(usize) + Sync), then: &mut dyn FnMut(usize)) {
        // A thread costs more than a small log, and thousands of them are opened for a table.
        if pieces <= 1 || self.count <= 1 {
            return (0..pieces).for_each(|piece| {
                work(piece);
                then(piece);
            });
        }
        let is_done = vec![false; pieces];
        let state = State { is_done, taken: 0, wanted: 0, waiting: 0, is_over: false };
        let (ready, room) = (Condvar::new(), Condvar::new());
        let progress = Progress { state: Mutex::new(state), ready, room };
        let (next, ahead) = (AtomicUsize::new(0), self.count * 2 + TAKEN_AT_A_TIME);
        let labour = || {
            stand_back();
            let over = Over(&progress);
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    std::mem::forget(over); // the others may still be at it
                    return;
                }
                if !progress.wait_for_room(piece, ahead) {
                    return;
                }
                work(piece);
                progress.done(piece);
            }
        };
        thread::scope(|scope| {
            let over = Over(&progress);
            for _ in 0..self.count.min(pieces) {
                scope.spawn(labour);
            }
            for first in (0..pieces).step_by(TAKEN_AT_A_TIME) {
                let end = pieces.min(first + TAKEN_AT_A_TIME);
                if !progress.wait_until_done(end) {
                    return;
                }
                (first..end).for_each(&mut *then);
                progress.taken(end);
            }
            drop(over);
        });
    }
}

/// Lets the threads of usual priority go before this one from now on, and before those it starts: a key is answered at
/// once while a log is indexed or searched. There is no way back.
#[cfg(target_os = "linux")]
pub fn stand_back() {
    // On Linux this is about the thread alone. Where it is refused the work is done all the same.
    let _ = rustix::process::setpriority_process(None, 10);
}

/// Elsewhere a process has one priority.
#[cfg(not(target_os = "linux"))]
pub fn stand_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_taken_in_order() {
        let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        let mut taken = vec![];

        let work = |piece: usize| {
            done[piece].fetch_add(piece + 1, Ordering::Relaxed);
        };
        Threads { count: 3 }.in_order(100, &work, &mut |piece| {
            taken.push((piece, done[piece].load(Ordering::Relaxed)));
        });

        assert_eq!(taken, (0..100).map(|piece| (piece, piece + 1)).collect::<Vec<_>>());
    }

    #[test]
    fn a_single_piece_is_done_by_the_thread_that_asks() {
        let asks = thread::current().id();
        let worked = Mutex::new(vec![]);

        let work = |piece: usize| worked.lock().unwrap().push((piece, thread::current().id()));
        Threads { count: 3 }.in_order(1, &work, &mut |_| {});

        assert_eq!(worked.into_inner().unwrap(), [(0, asks)]);
    }

    #[test]
    fn a_panic_of_one_hand_is_a_panic_and_not_a_wait_for_ever() {
        let threads = Threads { count: 2 };
        let work = |piece: usize| assert!(piece != 7, "seven");
        let panicked =
            std::panic::catch_unwind(|| threads.in_order(100, &work, &mut |_| {})).is_err();
        let then = std::panic::catch_unwind(|| {
            threads.in_order(100, &|_| {}, &mut |piece| assert!(piece != 7, "seven"));
        });

        assert!(panicked && then.is_err());
    }
}
