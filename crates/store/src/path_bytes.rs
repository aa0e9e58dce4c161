//! The bytes of a path, whether it is one of the disk or leads into a file that contains others.

use std::{io, path::Path};

use trajview_formats::HEAD_BYTES;

use super::{
    containers,
    file_bytes::{self, FileAccess, FileBytes, ReadAllowance},
};

/// Returns a file's content, unpacked where it is compressed, with a sentence where that is not all of it. Errors where
/// there is no regular file, or where it may not be read.
pub(crate) fn read_path(
    path: &Path,
    access: FileAccess,
    allowance: &mut ReadAllowance,
) -> io::Result<(FileBytes, Option<String>)> {
    let Some(place) = containers::place_inside(path) else {
        return file_bytes::read_file(path, access, allowance);
    };
    let (bytes, problem) = allowance.take_unpacked(|most| place.read(most))?;
    Ok((FileBytes::InMemory(bytes), problem))
}

/// Returns the first [`HEAD_BYTES`] of a file, unpacked, and whether that is all of it.
pub fn read_head(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let Some(place) = containers::place_inside(path) else { return file_bytes::read_head(path) };
    // Of a file its beginning is unpacked; a run that is put together is put together whole.
    let is_file = !place.members.are_runs();
    let enough = |most: u64| if is_file { HEAD_BYTES as u64 } else { most };
    let (mut bytes, problem) =
        ReadAllowance::default().take_unpacked(|most| place.read(enough(most)))?;
    let is_whole = bytes.len() <= HEAD_BYTES && problem.is_none();
    bytes.truncate(HEAD_BYTES);
    Ok((bytes, is_whole))
}
