//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's is several times slower where threads parse JSON, at random. mimalloc keeps what was freed for a second, in
//! case it is wanted again; indexing a log frees more than it leaves, and after that the program may do nothing for
//! hours. Huge pages, two megabytes for a thread that wants a few kilobytes, are left out by a feature.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `mi_option_purge_delay`, in milliseconds; in this place of mimalloc's list of options since 1.6.
const PURGE_DELAY: std::ffi::c_int = 15;

unsafe extern "C" {
    /// Of mimalloc.
    safe fn mi_option_set(option: std::ffi::c_int, value: std::ffi::c_long);
}

/// Has memory that is freed given back to the system at once; costs an index some percent of its time.
pub fn keep_nothing() {
    mi_option_set(PURGE_DELAY, 0);
}
