//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's is several times slower where threads parse JSON, at random. Huge pages, two megabytes for a thread that
//! wants a few kilobytes, are left out by a feature. mimalloc keeps freed memory for a while, in case it is wanted again,
//! and looks at the time only when it is asked for more; after an index the program may do nothing for hours. So it is
//! told to keep little, and the library asks for the rest back where much was freed: see `store::memory`. Syntax trees
//! are made of small pieces, and are asked for from here too; those that live for one work only come out of a [`pool`].

mod pool;

use std::ffi::{c_int, c_long, c_void};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

unsafe extern "C" {
    safe fn mi_collect(force: bool);
    /// What the environment says goes first.
    safe fn mi_option_set_default(option: c_int, value: c_long);
    fn mi_malloc(size: usize) -> *mut c_void;
    fn mi_calloc(count: usize, size: usize) -> *mut c_void;
    fn mi_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn mi_free(block: *mut c_void);
}

/// `mi_option_purge_delay` of mimalloc's header.
const PURGE_DELAY: c_int = 15;

/// Milliseconds for which freed memory is kept. With mimalloc's own, a second, a line of 50 MB would take 200 MB more
/// than is in use.
const KEPT_FOR: c_long = 100;

/// Has freed memory kept for a short while only, and all of it given back where the library asks for that; syntax trees
/// are made of it from then on. To be called before anything else.
pub fn give_back_soon() {
    mi_option_set_default(PURGE_DELAY, KEPT_FOR);
    trajview::store::give_back_with(|| mi_collect(true));
    trajview::code::tree::pool_with(pool::POOL);
    let (malloc, calloc, realloc, free) = (pool::malloc, pool::calloc, pool::realloc, pool::free);
    // SAFETY: the four belong together, and there is no tree and no other thread yet.
    unsafe {
        tree_sitter::set_allocator(Some(tree_sitter::Allocator { malloc, calloc, realloc, free }));
    }
}
