//! The bytes of a path, whether it is one of the disk or leads into a file that holds others.

use std::{io, path::Path};

use trajview_formats::HEAD_BYTES;

use super::{
    bytes::{self, Access, Allowance, Bytes},
    inside,
};

/// A file's content, unpacked where it is compressed, with a sentence where that is not all of it.
/// Errors where there is no regular file, or where it may not be read.
pub fn read(
    path: &Path,
    access: Access,
    allowance: &mut Allowance,
) -> io::Result<(Bytes, Option<String>)> {
    let Some(place) = inside::below(path) else { return bytes::read(path, access, allowance) };
    let (bytes, problem) = allowance.take(|most| place.read(most))?;
    Ok((Bytes::Held(bytes), problem))
}

/// The first [`HEAD_BYTES`] of a file, unpacked, and whether that is all of it.
pub fn read_head(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let Some(place) = inside::below(path) else { return bytes::read_head(path) };
    // Of a file its beginning is unpacked; a run that is put together is put together whole.
    let is_file = !place.members.are_runs();
    let enough = |most: u64| if is_file { HEAD_BYTES as u64 } else { most };
    let (mut bytes, problem) = Allowance::default().take(|most| place.read(enough(most)))?;
    let is_whole = bytes.len() <= HEAD_BYTES && problem.is_none();
    bytes.truncate(HEAD_BYTES);
    Ok((bytes, is_whole))
}
