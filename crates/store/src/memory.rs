//! Giving memory back to the system: all of it after work that took much more than it leaves.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// How the program's allocator gives everything back that is free. It belongs to the program, which says how.
static GIVE_BACK: OnceLock<fn()> = OnceLock::new();

/// Says how the allocator of the program gives free memory back to the system. Without that it is left to the allocator.
pub fn give_back_with(give_back: fn()) {
    let _ = GIVE_BACK.set(give_back); // the program has one allocator: the first word holds
}

/// Reading fewer bytes of a recording leaves nothing that is worth a thread to give it back.
pub const WORTH_IT: u64 = 1 << 20;

/// Frees something large in a while, beside the caller: a program that ends before leaves it to the system, which takes all of
/// its memory at once.
pub fn free_later<T: Send + 'static>(left: T) {
    let work = move || {
        super::stand_back();
        thread::sleep(SOON);
        sweep(left);
    };
    // Without a thread it is freed at once.
    let _ = thread::Builder::new().name("sweeper".into()).spawn(work);
}

/// As [`sweep`], after a recording of so many bytes was read.
pub fn sweep_after<T: Send + 'static>(bytes: u64, left: T) {
    if bytes >= WORTH_IT {
        sweep(left);
    }
}

/// Works that were swept up after so far.
static SWEEPS: AtomicUsize = AtomicUsize::new(0);

/// What is free is kept so long, in case the next work of many wants it.
const SOON: Duration = Duration::from_millis(50);

/// Frees what was needed for a work that is done, and then gives back everything that is free, beside the caller; where the
/// next work is done soon, after that.
pub fn sweep<T: Send + 'static>(left: T) {
    let number = SWEEPS.fetch_add(1, Ordering::Relaxed) + 1;
    let work = move || {
        super::stand_back();
        drop(left);
        thread::sleep(SOON);
        if let Some(give_back) =
            GIVE_BACK.get().filter(|_| SWEEPS.load(Ordering::Relaxed) == number)
        {
            give_back();
        }
    };
    // Without a thread it stays as it is for a while.
    let _ = thread::Builder::new().name("sweeper".into()).spawn(work);
}
