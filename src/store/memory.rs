//! Giving memory back to the system: soon after it was freed, and all of it after work that took much more than it leaves.

use std::{
    ffi::{c_int, c_long},
    thread,
};

// The program's allocator keeps what was freed for a while, in case it is wanted again, and looks at the time only
// when it is asked for more; after an index the program may do nothing for hours.
use mimalloc as _;

unsafe extern "C" {
    /// Of mimalloc. Does nothing that matters where another allocator is in use.
    safe fn mi_collect(force: bool);
    /// Of mimalloc too; what the environment says goes first.
    safe fn mi_option_set_default(option: c_int, value: c_long);
}

/// `mi_option_purge_delay` of mimalloc's header.
const PURGE_DELAY: c_int = 15;

/// Milliseconds for which freed memory is kept. With mimalloc's own, a second, a line of 50 MB would take 200 MB more
/// than is in use.
const KEPT_FOR: c_long = 100;

/// Has freed memory kept for a short while only. To be called before anything large is asked for.
pub fn give_back_soon() {
    mi_option_set_default(PURGE_DELAY, KEPT_FOR);
}

/// Reading fewer bytes of a recording leaves nothing that is worth a thread to give it back.
const WORTH_IT: u64 = 1 << 20;

/// As [`sweep`], after a recording of so many bytes was read.
pub fn sweep_after<T: Send + 'static>(bytes: u64, left: T) {
    if bytes >= WORTH_IT {
        sweep(left);
    }
}

/// Frees what was needed for a work that is done, and then gives back everything that is free, beside the caller.
pub fn sweep<T: Send + 'static>(left: T) {
    let work = move || {
        super::stand_back();
        drop(left);
        mi_collect(true);
    };
    // Without a thread it stays as it is for a while.
    let _ = thread::Builder::new().name("sweeper".into()).spawn(work);
}
