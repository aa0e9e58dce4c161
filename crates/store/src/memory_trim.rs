//! Gives memory back to the system: all of it after work that took much more than it leaves.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// The function by which the program's allocator gives all free memory back. The allocator belongs to the program,
/// which sets it.
static TRIM_ALLOCATOR: OnceLock<fn()> = OnceLock::new();

/// Sets the function by which the allocator of the program gives free memory back to the system. Without it that is
/// left to the allocator.
pub fn set_allocator_trim(give_back: fn()) {
    let _ = TRIM_ALLOCATOR.set(give_back); // the program has one allocator: the first call counts
}

/// The least bytes of a recording after which memory is given back; fewer are not worth a thread.
pub const LEAST_BYTES: u64 = 1 << 20;

/// Frees something large in a while, beside the caller: a program that ends before leaves it to the system, which takes
/// all of its memory at once.
pub(crate) fn free_later<T: Send + 'static>(left: T) {
    let work = move || {
        super::lower_priority();
        thread::sleep(TRIM_DELAY);
        free_and_trim(left);
    };
    // Without a thread it is freed at once.
    let _ = thread::Builder::new().name("sweeper".into()).spawn(work);
}

/// Works as [`free_and_trim`], after a recording of so many bytes was read.
pub(crate) fn trim_after_reading<T: Send + 'static>(bytes: u64, left: T) {
    if bytes >= LEAST_BYTES {
        free_and_trim(left);
    }
}

/// The number of works whose memory was given back so far.
static TRIMS: AtomicUsize = AtomicUsize::new(0);

/// The time for which free memory is kept, in case the next piece of work needs it.
const TRIM_DELAY: Duration = Duration::from_millis(50);

/// Frees what was needed for a work that is done, and then gives back everything that is free, beside the caller; where
/// the next work is done soon, after that.
pub(crate) fn free_and_trim<T: Send + 'static>(left: T) {
    let number = TRIMS.fetch_add(1, Ordering::Relaxed) + 1;
    let work = move || {
        super::lower_priority();
        drop(left);
        thread::sleep(TRIM_DELAY);
        if let Some(give_back) =
            TRIM_ALLOCATOR.get().filter(|_| TRIMS.load(Ordering::Relaxed) == number)
        {
            give_back();
        }
    };
    // Without a thread it stays as it is for a while.
    let _ = thread::Builder::new().name("sweeper".into()).spawn(work);
}
