//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's allocator is several times slower where threads parse JSON, at random. The libraries in C, grammars among them,
//! use this one too. A feature switches off huge pages: two megabytes for a thread that wants a few kilobytes. mimalloc
//! keeps freed memory for a while, in case it is wanted again, and checks the time only when it allocates more; after an
//! index the program may do nothing for hours. So it is set to keep little, and the library requests the return of the
//! rest where much was freed: see `store::memory_trim`. Syntax trees are made of small blocks, and are allocated here too;
//! trees that live for one task only come from a [`pool`].

#![allow(unsafe_code, reason = "an allocator is made of addresses")]

use std::ffi::{c_int, c_long, c_void};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

unsafe extern "C" {
    safe fn mi_collect(force: bool);
    /// The environment's value takes precedence.
    safe fn mi_option_set_default(option: c_int, value: c_long);
    fn mi_malloc(size: usize) -> *mut c_void;
    fn mi_calloc(count: usize, size: usize) -> *mut c_void;
    fn mi_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn mi_free(block: *mut c_void);
}

/// `mi_option_purge_delay` of mimalloc's header.
const PURGE_DELAY: c_int = 15;

/// Milliseconds for which freed memory is kept. With mimalloc's default of a second, a line of 50 MB would take 200 MB
/// more than is in use.
const KEPT_MILLISECONDS: c_long = 100;

/// Makes mimalloc keep freed memory for a short while only, and return all of it on request of the library; syntax
/// trees are allocated from it from then on. Call it before anything else.
pub fn set_up_allocator() {
    mi_option_set_default(PURGE_DELAY, KEPT_MILLISECONDS);
    trajview::store::set_allocator_trim(|| mi_collect(true));
    trajview::code::tree::set_tree_pool(pool::POOL);
    let (malloc, calloc, realloc, free) = (pool::malloc, pool::calloc, pool::realloc, pool::free);
    // SAFETY: the four belong together, and there is no tree and no other thread yet.
    unsafe {
        tree_sitter::set_allocator(Some(tree_sitter::Allocator { malloc, calloc, realloc, free }));
    }
}

mod pool {
    //! Pieces of memory from which one syntax tree is allocated and freed at once.
    //!
    //! A file that is measured is parsed, examined and dropped. Its tree is tens of thousands of small blocks: finding room
    //! for each, and walking the tree to free each, took a tenth of the time of measuring. Here each thread may have one
    //! piece open, in which a block is the next free bytes; freeing a block does nothing unless it is the newest, and the
    //! piece is freed as one. Blocks that do not fit, and those requested while no piece is open, come from the allocator as
    //! usual. A piece of which little was used is reused for the next file of the thread: its memory is mapped already, and
    //! in the cache.

    use std::{cell::Cell, ffi::c_void, ptr};

    #[cfg(target_os = "linux")]
    use rustix::mm::{Advice, madvise};
    use trajview::code::tree::TreePool;

    use super::{mi_calloc, mi_free, mi_malloc, mi_realloc};

    /// The piece of a thread, as addresses. All are 0 while there is none.
    #[derive(Clone, Copy)]
    struct MemoryPiece {
        first: usize,
        /// The address after its last byte.
        last: usize,
        /// The address of the newest block. 0 if it was freed.
        newest: usize,
        /// The address of the next block.
        next: usize,
        /// The address at which blocks must end: before the first byte while the piece is closed.
        limit: usize,
        /// True if every block requested while it was open did fit.
        is_whole: bool,
    }

    impl MemoryPiece {
        const NONE: Self = Self { first: 0, last: 0, newest: 0, next: 0, limit: 0, is_whole: true };

        const fn contains(self, block: usize) -> bool {
            self.first <= block && block < self.last
        }
    }

    thread_local! {
        static PIECE: Cell<MemoryPiece> = const { Cell::new(MemoryPiece::NONE) };
        static SPARE: SparePiece = const { SparePiece(Cell::new(MemoryPiece::NONE)) };
    }

    /// A piece that is not in use; the thread gives it back when it ends.
    struct SparePiece(Cell<MemoryPiece>);

    impl Drop for SparePiece {
        fn drop(&mut self) {
            free_memory(self.0.get());
        }
    }

    /// The alignment of blocks, that of the C library.
    const ALIGNMENT: usize = 16;

    /// A tree of code takes no more than so many bytes a byte of text: about 30 usually, 120 where a file is one list of small
    /// things. Memory that nobody writes to is not there.
    const TREE_BYTES_A_BYTE: usize = 192;

    /// Enough for most files, so that the same piece serves one after the other.
    const LEAST_BYTES: usize = 1 << 24;

    /// A piece in which more was used is freed.
    const MOST_KEPT_BYTES: usize = 1 << 22;

    /// The functions that the library calls.
    pub const POOL: TreePool = TreePool { open, close, is_whole, free: free_piece };

    fn open(bytes: usize) -> bool {
        PIECE.with(|piece| {
            if piece.get().first != 0 {
                return false;
            }
            let size = bytes.saturating_mul(TREE_BYTES_A_BYTE).max(LEAST_BYTES);
            let spare = SPARE
                .try_with(|spare| spare.0.replace(MemoryPiece::NONE))
                .unwrap_or(MemoryPiece::NONE);
            let (first, last) = if size <= spare.last - spare.first {
                (spare.first, spare.last)
            } else {
                free_memory(spare);
                // SAFETY: any size may be asked for.
                let block = unsafe { mi_malloc(size) };
                want_huge_pages(block, size);
                let first = block.expose_provenance();
                (first, first.saturating_add(size))
            };
            if first == 0 {
                return false;
            }
            piece.set(MemoryPiece { first, last, next: first, limit: last, ..MemoryPiece::NONE });
            true
        })
    }

    /// Requests huge pages: a piece is mostly written to the extent that pages of two megabytes are faster; a page
    /// fault for each four kilobytes was a fifth of the time for a line of a megabyte.
    #[cfg(target_os = "linux")]
    fn want_huge_pages(block: *mut c_void, size: usize) {
        const PAGE: usize = 1 << 21;
        let first = block.addr().next_multiple_of(PAGE);
        let size = (block.addr() + size).saturating_sub(first) / PAGE * PAGE;
        if !block.is_null() && size > 0 {
            // SAFETY: the pages lie in the block, and what is in them stays.
            let wanted = unsafe { madvise(block.with_addr(first), size, Advice::LinuxHugepage) };
            let _ = wanted; // without them it takes longer
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn want_huge_pages(_block: *mut c_void, _size: usize) {}

    fn close() {
        PIECE.with(|piece| piece.set(MemoryPiece { limit: 0, ..piece.get() }));
    }

    fn is_whole() -> bool {
        PIECE.with(Cell::get).is_whole
    }

    fn free_piece() {
        // Nothing in it is used any more: that is what the library promises.
        let piece = PIECE.with(|piece| piece.replace(MemoryPiece::NONE));
        let is_kept = piece.next - piece.first <= MOST_KEPT_BYTES
            && SPARE.try_with(|spare| spare.0.set(piece)).is_ok();
        if !is_kept {
            free_memory(piece);
        }
    }

    fn free_memory(piece: MemoryPiece) {
        // SAFETY: `open` had it from there, or there is none.
        unsafe { mi_free(ptr::with_exposed_provenance_mut(piece.first)) };
    }

    /// Returns the address of the block after one. Blocks never share an address, even where they are empty.
    fn end_of(block: usize, size: usize) -> Option<usize> {
        block.checked_add(size.max(1))?.checked_next_multiple_of(ALIGNMENT)
    }

    /// Returns a block of the open piece. None if there is none, or not as much left.
    #[inline]
    fn block_of_piece(size: usize) -> Option<*mut c_void> {
        PIECE.with(|of_thread| {
            let piece = of_thread.get();
            if piece.limit == 0 {
                return None;
            }
            let after = end_of(piece.next, size)?;
            if after > piece.limit {
                of_thread.set(MemoryPiece { is_whole: false, ..piece });
                return None;
            }
            of_thread.set(MemoryPiece { newest: piece.next, next: after, ..piece });
            Some(ptr::with_exposed_provenance_mut(piece.next))
        })
    }

    /// Resizes a block in place and returns true; only the newest block can be resized, while the piece is open.
    fn resize_in_place(piece: MemoryPiece, block: usize, size: usize) -> bool {
        let after = end_of(block, size);
        let Some(next) = after.filter(|after| block == piece.newest && *after <= piece.limit)
        else {
            return false;
        };
        PIECE.with(|of_thread| of_thread.set(MemoryPiece { next, ..piece }));
        true
    }

    fn piece_of(block: *mut c_void) -> Option<MemoryPiece> {
        let piece = PIECE.with(Cell::get);
        piece.contains(block.addr()).then_some(piece)
    }

    pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        // SAFETY: any size may be asked for.
        block_of_piece(size).unwrap_or_else(|| unsafe { mi_malloc(size) })
    }

    pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        match count.checked_mul(size).and_then(|size| Some((block_of_piece(size)?, size))) {
            Some((block, size)) => {
                // SAFETY: the block is ours, and as long.
                unsafe { block.cast::<u8>().write_bytes(0, size) };
                block
            }
            // SAFETY: any size may be asked for.
            None => unsafe { mi_calloc(count, size) },
        }
    }

    pub unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
        let Some(piece) = piece_of(old) else {
            if old.is_null() {
                // SAFETY: any size may be asked for.
                return unsafe { malloc(size) };
            }
            // SAFETY: what is in no piece is the allocator's.
            return unsafe { mi_realloc(old, size) };
        };
        if resize_in_place(piece, old.addr(), size) {
            return old;
        }
        // SAFETY: any size may be asked for.
        let new = unsafe { malloc(size) };
        // How long the old block is nobody knows; what comes after it is copied too, as far as there was anything.
        let length = size.min(piece.next - old.addr());
        if !new.is_null() {
            // SAFETY: both lie in memory that is ours, and a new block begins after all old ones end.
            unsafe { ptr::copy(old.cast::<u8>(), new.cast::<u8>(), length) };
        }
        new
    }

    pub unsafe extern "C" fn free(block: *mut c_void) {
        let Some(piece) = piece_of(block) else {
            // SAFETY: what is in no piece is the allocator's.
            return unsafe { mi_free(block) };
        };
        if block.addr() == piece.newest && piece.limit != 0 {
            PIECE.with(|of_thread| {
                of_thread.set(MemoryPiece { newest: 0, next: piece.newest, ..piece });
            });
        }
    }
}
