//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's is several times slower where threads parse JSON, at random. Huge pages, two megabytes for a thread that
//! wants a few kilobytes, are left out by a feature. What mimalloc keeps of freed memory is given back where much of it
//! was freed: see `store::memory`; what is freed on the way is kept for a tenth of the second that is its usual time, or
//! a line of 50 MB would take 200 MB more than is in use.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Milliseconds for which freed memory is kept, in case it is wanted again.
const KEPT_FOR: std::ffi::c_long = 100;

/// `mi_option_purge_delay` of mimalloc's header.
const PURGE_DELAY: std::ffi::c_int = 15;

unsafe extern "C" {
    /// Of mimalloc; what the environment says goes first.
    safe fn mi_option_set_default(option: std::ffi::c_int, value: std::ffi::c_long);
}

/// To be called before anything large is asked for.
#[allow(dead_code)] // benches that take the allocator alone do without
pub fn settle() {
    mi_option_set_default(PURGE_DELAY, KEPT_FOR);
}
