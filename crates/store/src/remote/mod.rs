//! Recordings on remote storage: `s3://`, `gs://`, `az://`, `https://`.
//!
//! An address is a path like any other: `store::disk` asks here for what it says. What is named on the command line is a
//! *root*; nothing is asked of a server before somebody wants to know what stands there, and nothing outside of the roots is
//! ever asked for. A folder is listed once, as a whole; of a file the beginning is fetched where that is enough, and all of
//! it once it is opened. Both are kept in the cache folder by the version of the object, which is its ETag.
//!
//! Everything here waits for the server on the thread that asks. Without the feature `remote` an address is an error that
//! says so.

#[cfg(feature = "remote")]
mod cache;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod http;
#[cfg(feature = "remote")]
mod keys;
#[cfg(feature = "remote")]
mod pages;
#[cfg(feature = "remote")]
mod root;
#[cfg(feature = "remote")]
mod tree;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use super::reason::Failure;
pub use trajview_run::address::is_address;
use trajview_run::address::{Address, without_secrets};

use super::meta::Meta;

/// The path by which a recording named on the command line is known: of an address, without what is secret of it. What is
/// wrong with an address is told by whoever reads it: the parser of the command line would repeat all of it.
pub fn named(path: PathBuf) -> PathBuf {
    let Some(text) = path.to_str() else { return path };
    match Address::parse(text) {
        None => path,
        Some(Ok(address)) => {
            #[cfg(feature = "remote")]
            root::add(&address);
            address.shown().into()
        }
        Some(Err(why)) => {
            let shown = without_secrets(text);
            #[cfg(feature = "remote")]
            root::add_broken(shown.clone(), Failure::other(why));
            #[cfg(not(feature = "remote"))]
            let _ = why;
            shown.into()
        }
    }
}

/// What is said where addresses cannot be read.
#[cfg(not(feature = "remote"))]
const WITHOUT: &str = "this trajview was built without the feature `remote`, which reads addresses";

#[cfg(not(feature = "remote"))]
fn without<T>() -> io::Result<T> {
    Err(Failure::other(WITHOUT).into())
}

/// What stands at an address.
#[cfg(feature = "remote")]
pub fn meta(path: &Path) -> io::Result<Meta> {
    Ok(root::meta(path)?)
}

#[cfg(not(feature = "remote"))]
pub fn meta(_: &Path) -> io::Result<Meta> {
    without()
}

/// The names directly below a folder, in their order.
#[cfg(feature = "remote")]
pub fn entries(folder: &Path) -> io::Result<Vec<String>> {
    Ok(root::entries(folder)?)
}

#[cfg(not(feature = "remote"))]
pub fn entries(_: &Path) -> io::Result<Vec<String>> {
    without()
}

/// The file of the disk that holds all of an object; fetched where it is not there.
#[cfg(feature = "remote")]
pub fn file(path: &Path) -> io::Result<PathBuf> {
    Ok(root::file(path)?)
}

#[cfg(not(feature = "remote"))]
pub fn file(_: &Path) -> io::Result<PathBuf> {
    without()
}

/// The folder of the disk that holds all of a repository of git; fetched where it is not there.
#[cfg(feature = "remote")]
pub fn repository(path: &Path) -> io::Result<PathBuf> {
    Ok(root::repository(path)?)
}

#[cfg(not(feature = "remote"))]
pub fn repository(_: &Path) -> io::Result<PathBuf> {
    without()
}

/// The first bytes of an object, at most [`HEAD_BYTES`](trajview_formats::HEAD_BYTES), and how many it has.
#[cfg(feature = "remote")]
pub fn start(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    Ok(root::start(path)?)
}

#[cfg(not(feature = "remote"))]
pub fn start(_: &Path) -> io::Result<(Vec<u8>, u64)> {
    without()
}

/// Bytes of a piece of an object that is fetched by itself, where not all of it is wanted.
pub const BLOCK: usize = 256 << 10;

/// Reads some of what stands in an object from a place on; 0 bytes at its end.
#[cfg(feature = "remote")]
pub fn read_at(path: &Path, start: u64, into: &mut [u8]) -> io::Result<usize> {
    Ok(root::read_at(path, start, into)?)
}

#[cfg(not(feature = "remote"))]
pub fn read_at(_: &Path, _: u64, _: &mut [u8]) -> io::Result<usize> {
    without()
}

/// How much of files is wanted soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Much {
    Start,
    All,
}

/// Fetches some files several at a time, where they are addresses; what fails is told by whoever reads them.
pub fn fetch_soon(paths: &[PathBuf], much: Much) {
    #[cfg(feature = "remote")]
    root::fetch_soon(paths, much);
    #[cfg(not(feature = "remote"))]
    let _ = (paths, much);
}

/// Whether a path is an address, and all of the file there can be read without asking for more.
#[cfg(feature = "remote")]
pub fn is_at_hand(path: &Path) -> bool {
    is_address(path) && root::is_at_hand(path)
}

#[cfg(not(feature = "remote"))]
pub fn is_at_hand(_: &Path) -> bool {
    false
}

/// What is to be said of what was read so far, in sentences; each once.
pub fn remarks() -> Vec<String> {
    #[cfg(feature = "remote")]
    if let count @ 1.. = keys::left_out() {
        let objects = trajview_run::figures::counted(count, "object");
        return vec![format!("{objects} left out, since their keys cannot be paths")];
    }
    vec![]
}

/// Removes what this process kept for itself alone.
pub fn forget() {
    #[cfg(feature = "remote")]
    cache::forget_own();
}

/// Refuses to write beside a recording that is not on the disk. The error is a sentence.
pub fn refuse_writing(path: &Path) -> io::Result<()> {
    if !is_address(path) {
        return Ok(());
    }
    let why = "nothing is written to remote storage; copy the recording to a folder first";
    Err(Failure::other(why).into())
}
