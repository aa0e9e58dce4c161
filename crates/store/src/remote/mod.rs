//! Recordings on remote storage: `s3://`, `gs://`, `az://`, `https://`, `hf://`.
//!
//! An address is a path like any other: `store::disk` calls this module for it. An address of the command line is a
//! *root*; no request is made before its content is needed, and nothing outside of the roots is ever requested. A
//! folder is listed once, as a whole; of a file the beginning is fetched where that is enough, and all of it once it is
//! opened. Both are kept in the cache folder by the version of the object, which is its ETag.
//!
//! Everything here waits for the server on the calling thread. Without the feature `remote` an address is an error with
//! that reason.

#[cfg(feature = "remote")]
mod fetched_objects;
#[cfg(feature = "remote")]
mod http;
#[cfg(feature = "remote")]
mod hub;
#[cfg(feature = "remote")]
mod list_pages;
#[cfg(feature = "remote")]
mod remote_roots;
#[cfg(feature = "remote")]
mod remote_tree;
#[cfg(feature = "remote")]
mod store_client;
#[cfg(feature = "remote")]
mod unreadable_keys;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use super::failure_reason::RemoteFailure;
pub use trajview_run::address::is_address;
use trajview_run::address::{Address, without_secrets};

use super::path_meta::PathMeta;

/// Registers a path of the command line as a root and returns the path under which it is known: an address without its
/// secrets. A wrong address becomes an error when it is read: the parser of the command line would repeat all of it.
pub fn register_path(path: PathBuf) -> PathBuf {
    let Some(text) = path.to_str() else { return path };
    match Address::parse(text) {
        None => path,
        Some(Ok(address)) => {
            #[cfg(feature = "remote")]
            remote_roots::add_address(&address);
            address.display_path().into()
        }
        Some(Err(why)) => {
            let shown = without_secrets(text);
            #[cfg(feature = "remote")]
            remote_roots::add_broken(shown.clone(), RemoteFailure::from_text(why));
            #[cfg(not(feature = "remote"))]
            let _ = why;
            shown.into()
        }
    }
}

/// The error of an address in a build that cannot read one.
#[cfg(not(feature = "remote"))]
const WITHOUT_REMOTE: &str =
    "this trajview was built without the feature `remote`, which reads addresses";

#[cfg(not(feature = "remote"))]
fn remote_unavailable<T>() -> io::Result<T> {
    Err(RemoteFailure::from_text(WITHOUT_REMOTE).into())
}

/// Returns the metadata of an address.
#[cfg(feature = "remote")]
pub(crate) fn path_meta(path: &Path) -> io::Result<PathMeta> {
    Ok(remote_roots::path_meta(path)?)
}

#[cfg(not(feature = "remote"))]
pub(crate) fn path_meta(_: &Path) -> io::Result<PathMeta> {
    remote_unavailable()
}

/// Returns the names directly below a folder, in their order.
#[cfg(feature = "remote")]
pub(crate) fn entry_names(folder: &Path) -> io::Result<Vec<String>> {
    Ok(remote_roots::entry_names(folder)?)
}

#[cfg(not(feature = "remote"))]
pub(crate) fn entry_names(_: &Path) -> io::Result<Vec<String>> {
    remote_unavailable()
}

/// Fetches all of an object, unless it is cached, and returns its file on the disk.
#[cfg(feature = "remote")]
pub(crate) fn fetch_file(path: &Path) -> io::Result<PathBuf> {
    Ok(remote_roots::fetch_file(path)?)
}

#[cfg(not(feature = "remote"))]
pub(crate) fn fetch_file(_: &Path) -> io::Result<PathBuf> {
    remote_unavailable()
}

/// Fetches all of a repository of git, unless it is cached, and returns its folder on the disk.
#[cfg(feature = "remote")]
pub(crate) fn fetch_repository(path: &Path) -> io::Result<PathBuf> {
    Ok(remote_roots::fetch_repository(path)?)
}

#[cfg(not(feature = "remote"))]
pub(crate) fn fetch_repository(_: &Path) -> io::Result<PathBuf> {
    remote_unavailable()
}

/// Returns the first bytes of an object, at most [`HEAD_BYTES`](trajview_formats::HEAD_BYTES), and how many it has.
#[cfg(feature = "remote")]
pub fn read_start(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    Ok(remote_roots::read_start(path)?)
}

#[cfg(not(feature = "remote"))]
pub fn read_start(_: &Path) -> io::Result<(Vec<u8>, u64)> {
    remote_unavailable()
}

/// The number of bytes of a piece of an object that is fetched by itself, where not all of it is wanted.
pub(crate) const BLOCK_BYTES: usize = 256 << 10;

/// Reads some bytes of an object from a position on; 0 bytes at its end.
#[cfg(feature = "remote")]
pub fn read_at(path: &Path, start: u64, into: &mut [u8]) -> io::Result<usize> {
    Ok(remote_roots::read_at(path, start, into)?)
}

#[cfg(not(feature = "remote"))]
pub fn read_at(_: &Path, _: u64, _: &mut [u8]) -> io::Result<usize> {
    remote_unavailable()
}

/// The part of a file that is needed soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchAmount {
    Start,
    All,
}

/// Fetches some files in parallel, where they are addresses; a failure is reported when the file is read.
pub(crate) fn fetch_soon(paths: &[PathBuf], much: FetchAmount) {
    #[cfg(feature = "remote")]
    remote_roots::fetch_soon(paths, much);
    #[cfg(not(feature = "remote"))]
    let _ = (paths, much);
}

/// Returns whether a path is an address, and all of the file there can be read without asking for more.
#[cfg(feature = "remote")]
pub fn is_cached(path: &Path) -> bool {
    is_address(path) && remote_roots::is_cached(path)
}

#[cfg(not(feature = "remote"))]
pub fn is_cached(_: &Path) -> bool {
    false
}

/// Returns remarks about what was read since the last call, in sentences.
pub fn remarks() -> Vec<String> {
    #[cfg(feature = "remote")]
    {
        let mut all = hub::commit_remarks();
        if let count @ 1.. = unreadable_keys::left_out() {
            let objects = trajview_run::format_number::count_with_noun(count, "object");
            all.push(format!("{objects} left out, since their keys cannot be paths"));
        }
        all
    }
    #[cfg(not(feature = "remote"))]
    vec![]
}

/// Removes what this process kept for itself alone.
pub fn remove_temporary() {
    #[cfg(feature = "remote")]
    fetched_objects::remove_own_folder();
}

/// Refuses to write beside a recording that is not on the disk. The error is a sentence.
pub fn refuse_writing(path: &Path) -> io::Result<()> {
    if !is_address(path) {
        return Ok(());
    }
    let why = "nothing is written to remote storage; copy the recording to a folder first";
    Err(RemoteFailure::from_text(why).into())
}
