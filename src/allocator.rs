//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's is several times slower where threads parse JSON, at random. The libraries in C, grammars among them, have this
//! one too. Huge pages, two megabytes for a thread that
//! wants a few kilobytes, are left out by a feature. mimalloc keeps freed memory for a while, in case it is wanted again,
//! and looks at the time only when it is asked for more; after an index the program may do nothing for hours. So it is
//! told to keep little, and the library asks for the rest back where much was freed: see `store::memory`. Syntax trees
//! are made of small pieces, and are asked for from here too; those that live for one work only come out of a [`pool`].

#![allow(unsafe_code, reason = "an allocator is made of addresses")]

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

mod pool {
    //! Pieces of memory that a syntax tree is made of and freed with at once.
    //!
    //! A file that is measured is parsed, looked at and forgotten. Its tree is tens of thousands of small blocks: finding room
    //! for each, and going through the tree to free each, took a tenth of the time of measuring. Here each thread may have one
    //! piece open, in which a block is the next free bytes; freeing one does nothing unless it is the newest, and the piece goes
    //! as a whole. What does not fit, and what is asked for while none is open, is the allocator's as ever. A piece of which
    //! little was used is kept for the next file of the thread: its memory is there already, and near.

    use std::{cell::Cell, ffi::c_void, ptr};

    #[cfg(target_os = "linux")]
    use rustix::mm::{Advice, madvise};
    use trajview::code::tree::Pool;

    use super::{mi_calloc, mi_free, mi_malloc, mi_realloc};

    /// The piece of a thread, as addresses. All are 0 while there is none.
    #[derive(Clone, Copy)]
    struct Piece {
        first: usize,
        /// After its last byte.
        last: usize,
        /// Where the block that was asked for last begins; 0 where it is gone.
        newest: usize,
        /// Where the next block begins.
        next: usize,
        /// Where blocks must end: before the first byte while the piece is closed.
        limit: usize,
        /// Whether every block that was asked for while it was open did fit.
        is_whole: bool,
    }

    impl Piece {
        const NONE: Self = Self { first: 0, last: 0, newest: 0, next: 0, limit: 0, is_whole: true };

        const fn has(self, block: usize) -> bool {
            self.first <= block && block < self.last
        }
    }

    thread_local! {
        static PIECE: Cell<Piece> = const { Cell::new(Piece::NONE) };
        static SPARE: Spare = const { Spare(Cell::new(Piece::NONE)) };
    }

    /// A piece that is not in use; the thread gives it back when it ends.
    struct Spare(Cell<Piece>);

    impl Drop for Spare {
        fn drop(&mut self) {
            give_back(self.0.get());
        }
    }

    /// What a block begins at a multiple of, as the C library has it.
    const ALIGNMENT: usize = 16;

    /// A tree of code takes no more than so many bytes a byte of text: about 30 usually, 120 where a file is one list of small
    /// things. Memory that nobody writes to is not there.
    const BYTES_A_BYTE: usize = 192;

    /// Enough for most files, so that the same piece serves one after the other.
    const LEAST: usize = 1 << 24;

    /// A piece in which more was used is not kept.
    const MOST_KEPT: usize = 1 << 22;

    /// What the library knows of it.
    pub const POOL: Pool = Pool { open, close, is_whole, free: free_piece };

    fn open(bytes: usize) -> bool {
        PIECE.with(|piece| {
            if piece.get().first != 0 {
                return false;
            }
            let size = bytes.saturating_mul(BYTES_A_BYTE).max(LEAST);
            let spare = SPARE.try_with(|spare| spare.0.replace(Piece::NONE)).unwrap_or(Piece::NONE);
            let (first, last) = if size <= spare.last - spare.first {
                (spare.first, spare.last)
            } else {
                give_back(spare);
                // SAFETY: any size may be asked for.
                let block = unsafe { mi_malloc(size) };
                want_huge_pages(block, size);
                let first = block.expose_provenance();
                (first, first.saturating_add(size))
            };
            if first == 0 {
                return false;
            }
            piece.set(Piece { first, last, next: first, limit: last, ..Piece::NONE });
            true
        })
    }

    /// Of a piece as a rule so much is written to that it is there sooner in pages of two megabytes: a fault for each of
    /// four kilobytes was a fifth of the time that a line of a megabyte took.
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
        PIECE.with(|piece| piece.set(Piece { limit: 0, ..piece.get() }));
    }

    fn is_whole() -> bool {
        PIECE.with(Cell::get).is_whole
    }

    fn free_piece() {
        // Nothing in it is used any more: that is what the library promises.
        let piece = PIECE.with(|piece| piece.replace(Piece::NONE));
        let is_kept = piece.next - piece.first <= MOST_KEPT
            && SPARE.try_with(|spare| spare.0.set(piece)).is_ok();
        if !is_kept {
            give_back(piece);
        }
    }

    fn give_back(piece: Piece) {
        // SAFETY: `open` had it from there, or there is none.
        unsafe { mi_free(ptr::with_exposed_provenance_mut(piece.first)) };
    }

    /// Where the block after one begins. No two begin at one place, even where nothing is asked for.
    fn end_of(block: usize, size: usize) -> Option<usize> {
        block.checked_add(size.max(1))?.checked_next_multiple_of(ALIGNMENT)
    }

    /// A block of the open piece; None where there is none, or not as much left.
    #[inline]
    fn block(size: usize) -> Option<*mut c_void> {
        PIECE.with(|of_thread| {
            let piece = of_thread.get();
            if piece.limit == 0 {
                return None;
            }
            let after = end_of(piece.next, size)?;
            if after > piece.limit {
                of_thread.set(Piece { is_whole: false, ..piece });
                return None;
            }
            of_thread.set(Piece { newest: piece.next, next: after, ..piece });
            Some(ptr::with_exposed_provenance_mut(piece.next))
        })
    }

    /// Whether a block could be given another size where it is: the newest can, as long as the piece is open.
    fn is_resized(piece: Piece, block: usize, size: usize) -> bool {
        let after = end_of(block, size);
        let Some(next) = after.filter(|after| block == piece.newest && *after <= piece.limit)
        else {
            return false;
        };
        PIECE.with(|of_thread| of_thread.set(Piece { next, ..piece }));
        true
    }

    fn piece_of(block: *mut c_void) -> Option<Piece> {
        let piece = PIECE.with(Cell::get);
        piece.has(block.addr()).then_some(piece)
    }

    pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        // SAFETY: any size may be asked for.
        block(size).unwrap_or_else(|| unsafe { mi_malloc(size) })
    }

    pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        match count.checked_mul(size).and_then(|size| Some((block(size)?, size))) {
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
        if is_resized(piece, old.addr(), size) {
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
                of_thread.set(Piece { newest: 0, next: piece.newest, ..piece });
            });
        }
    }
}
