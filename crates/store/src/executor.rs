//! Threads for work that falls into pieces.

use std::{
    cell::Cell,
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use trajview_formats::PieceExecutor;

thread_local! {
    /// True on a thread beside which others do the same work.
    static IS_ONE_OF_MANY: Cell<bool> = const { Cell::new(false) };
}

/// A pool of as many threads as there are cores, started for one piece of work and ended after it. Where the current
/// thread already works on one of many items, it works alone.
pub struct WorkerThreads {
    count: usize,
}

/// The most threads; more do not make a log of the usual sizes faster.
const MOST_THREADS: usize = 8;

impl WorkerThreads {
    pub(crate) fn for_all_cores() -> Self {
        let count = if IS_ONE_OF_MANY.get() { 1 } else { core_count().min(MOST_THREADS) };
        Self { count }
    }
}

/// Does one of many pieces of work, `left` of which are still to be begun: while there are enough for every core each
/// is done by one thread alone, which costs less.
pub(crate) fn run_one_of_many<T>(left: usize, work: impl FnOnce() -> T) -> T {
    let before = IS_ONE_OF_MANY.replace(left >= core_count());
    let done = work();
    IS_ONE_OF_MANY.set(before);
    done
}

/// Returns the number of cores for this program. The system is queried once, since on Linux an answer reads several
/// files.
pub(crate) fn core_count() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// The progress of the work. A thread is woken only when there is enough to do.
struct PieceProgress {
    state: Mutex<PieceState>,
    /// The signal that the pieces to be taken next are done.
    ready: Condvar,
    /// The signal that a piece was taken.
    room: Condvar,
}

struct PieceState {
    is_done: Vec<bool>,
    /// The number of pieces given to `then`.
    taken: usize,
    /// The piece before which all must be done for the taking thread to go on.
    wanted: usize,
    /// The number of workers that are too far ahead and wait.
    waiting: usize,
    /// True if everything is done, or a thread panicked: no thread waits any more.
    is_over: bool,
}

impl PieceState {
    /// Returns whether all that is waited for is done.
    fn is_ready(&self) -> bool {
        self.is_done[self.taken..self.wanted].iter().all(|is_done| *is_done)
    }
}

impl PieceProgress {
    /// Locks the state, for a moment only and never during work.
    fn lock_state(&self) -> MutexGuard<'_, PieceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether it is still worth going on with a piece, once it is not too far ahead.
    fn wait_for_room(&self, piece: usize, ahead: usize) -> bool {
        let mut state = self.lock_state();
        let is_early = |state: &PieceState| !state.is_over && piece >= state.taken + ahead;
        if is_early(&state) {
            state.waiting += 1;
            let woken = self.room.wait_while(state, |state| is_early(state));
            state = woken.unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        !state.is_over
    }

    fn mark_done(&self, piece: usize) {
        let mut state = self.lock_state();
        state.is_done[piece] = true;
        let is_wanted = piece < state.wanted && state.is_ready();
        drop(state);
        if is_wanted {
            self.ready.notify_one();
        }
    }

    /// Returns whether the pieces before `end` that were not taken are done at last; not where it is over before.
    fn wait_until_done(&self, end: usize) -> bool {
        let mut state = self.lock_state();
        state.wanted = end;
        let woken = self.ready.wait_while(state, |state| !state.is_over && !state.is_ready());
        !woken.unwrap_or_else(PoisonError::into_inner).is_over
    }

    fn mark_taken(&self, end: usize) {
        let mut state = self.lock_state();
        state.taken = end;
        let are_some_waiting = state.waiting > 0;
        drop(state);
        if are_some_waiting {
            self.room.notify_all();
        }
    }
}

/// The number of pieces that are taken at a time: the taking thread is woken once for all of them.
const TAKEN_AT_A_TIME: usize = 3;

/// A guard that ends all workers when it is dropped, also by a panic.
struct EndOnDrop<'a>(&'a PieceProgress);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock_state().is_over = true;
        self.0.ready.notify_all();
        self.0.room.notify_all();
    }
}

impl PieceExecutor for WorkerThreads {
    fn worker_count(&self) -> usize {
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
        let state = PieceState { is_done, taken: 0, wanted: 0, waiting: 0, is_over: false };
        let (ready, room) = (Condvar::new(), Condvar::new());
        let progress = PieceProgress { state: Mutex::new(state), ready, room };
        let (next, ahead) = (AtomicUsize::new(0), self.count * 2 + TAKEN_AT_A_TIME);
        let labour = || {
            lower_priority();
            let over = EndOnDrop(&progress);
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
                progress.mark_done(piece);
            }
        };
        thread::scope(|scope| {
            let over = EndOnDrop(&progress);
            for _ in 0..self.count.min(pieces) {
                scope.spawn(labour);
            }
            for first in (0..pieces).step_by(TAKEN_AT_A_TIME) {
                let end = pieces.min(first + TAKEN_AT_A_TIME);
                if !progress.wait_until_done(end) {
                    return;
                }
                (first..end).for_each(&mut *then);
                progress.mark_taken(end);
            }
            drop(over);
        });
    }
}

/// Lowers the priority of this thread, and of the threads that it starts, below the usual one for good: a key is
/// answered at once while a log is indexed or searched.
#[cfg(target_os = "linux")]
pub fn lower_priority() {
    // On Linux this is about the thread alone. Where it is refused the work is done all the same.
    let _ = rustix::process::setpriority_process(None, 10);
}

/// Does nothing: other systems have one priority for a process.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() {}

/// Does `work` for each item on several threads of low priority; begins no more items once it returns false.
pub fn for_each_parallel<'a, T: Sync>(items: &'a [T], work: impl Fn(&'a T) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    let labour = || {
        lower_priority();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            if !run_one_of_many(items.len() - at - 1, || work(item)) {
                next.store(items.len(), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..core_count().min(items.len()) {
            scope.spawn(labour);
        }
    });
    // What is little for one is much for all of them.
    super::memory_trim::free_and_trim(());
}

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
        WorkerThreads { count: 3 }.in_order(100, &work, &mut |piece| {
            taken.push((piece, done[piece].load(Ordering::Relaxed)));
        });

        assert_eq!(taken, (0..100).map(|piece| (piece, piece + 1)).collect::<Vec<_>>());
    }

    #[test]
    fn a_single_piece_is_done_by_the_thread_that_asks() {
        let asks = thread::current().id();
        let worked = Mutex::new(vec![]);

        let work = |piece: usize| worked.lock().unwrap().push((piece, thread::current().id()));
        WorkerThreads { count: 3 }.in_order(1, &work, &mut |_| {});

        assert_eq!(worked.into_inner().unwrap(), [(0, asks)]);
    }

    #[test]
    fn a_panic_of_one_hand_is_a_panic_and_not_a_wait_for_ever() {
        let threads = WorkerThreads { count: 2 };
        let work = |piece: usize| assert!(piece != 7, "seven");
        let panicked =
            std::panic::catch_unwind(|| threads.in_order(100, &work, &mut |_| {})).is_err();
        let then = std::panic::catch_unwind(|| {
            threads.in_order(100, &|_| {}, &mut |piece| assert!(piece != 7, "seven"));
        });

        assert!(panicked && then.is_err());
    }

    #[test]
    fn every_item_is_worked_on_once() {
        let items: Vec<usize> = (0..100).collect();
        let done = Mutex::new(vec![]);
        for_each_parallel(&items, |item| {
            done.lock().unwrap().push(*item);
            true
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, items);
    }

    #[test]
    fn nothing_is_begun_once_it_is_not_wanted() {
        let done = AtomicUsize::new(0);
        for_each_parallel(&[(); 1000], |()| done.fetch_add(1, Ordering::Relaxed) + 1 < 5);
        assert!((5..100).contains(&done.into_inner()));
    }
}
