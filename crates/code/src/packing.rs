//! Packing many small things with zstd, fast: each thread keeps its working memory, as making that takes longer than most of
//! them.

use std::{cell::RefCell, io};

use zstd::bulk::{Compressor, Decompressor};

const LEVEL: i32 = 1;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs the bytes into one frame.
///
/// # Errors
///
/// There is no memory for it.
pub fn pack_bytes(bytes: &[u8]) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|zstd| {
        let zstd = match zstd {
            Some(zstd) => zstd,
            None => zstd.insert(Compressor::new(LEVEL)?),
        };
        zstd.compress(bytes)
    })
}

/// Unpacks a frame of at most so many bytes.
///
/// # Errors
///
/// Fails where it is no such frame, or is longer.
pub fn unpack_bytes(packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
    UNPACKER.with_borrow_mut(|zstd| {
        let zstd = match zstd {
            Some(zstd) => zstd,
            None => zstd.insert(Decompressor::new()?),
        };
        zstd.decompress(packed, most)
    })
}
