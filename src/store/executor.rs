//! Threads for work that falls into pieces.

use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::formats::Executor;

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

/// How far the work is.
struct Progress {
    state: Mutex<State>,
    moved: Condvar,
}

struct State {
    is_done: Vec<bool>,
    /// Pieces given to `then`.
    taken: usize,
    /// Everything is done, or somebody panicked: nobody waits any more.
    is_over: bool,
}

impl Progress {
    /// The lock is held for a moment only, never while somebody works.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.moved.notify_all();
    }

    /// Whether it is still worth going on.
    fn wait_while(&self, mut is_early: impl FnMut(&State) -> bool) -> bool {
        let waits = |state: &mut State| !state.is_over && is_early(state);
        let state = self.moved.wait_while(self.state(), waits);
        !state.unwrap_or_else(PoisonError::into_inner).is_over
    }
}

/// Sends everybody home when it is dropped, also by a panic.
struct Over<'a>(&'a Progress);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_over = true);
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
        let state = State { is_done: vec![false; pieces], taken: 0, is_over: false };
        let desk = Progress { state: Mutex::new(state), moved: Condvar::new() };
        let (next, ahead) = (AtomicUsize::new(0), self.count * 2);
        let labour = || {
            stand_back();
            let over = Over(&desk);
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    std::mem::forget(over); // the others may still be at it
                    return;
                }
                if !desk.wait_while(|state| piece >= state.taken + ahead) {
                    return;
                }
                work(piece);
                desk.change(|state| state.is_done[piece] = true);
            }
        };
        thread::scope(|scope| {
            let over = Over(&desk);
            for _ in 0..self.count.min(pieces) {
                scope.spawn(labour);
            }
            for piece in 0..pieces {
                if !desk.wait_while(|state| !state.is_done[piece]) {
                    return;
                }
                then(piece);
                desk.change(|state| state.taken += 1);
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
