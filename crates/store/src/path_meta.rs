//! Metadata of a path, be it a path of the disk or an address.

use std::{
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::file_bytes::FileIdentity;

/// The time for which a path must have been the same before what was read of it is remembered: two changes that are closer
/// together may have one time.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// The type of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    File,
    Folder,
    Link,
    /// A pipe, a device.
    Other,
}

impl PathKind {
    pub(crate) fn from_disk(kind: fs::FileType) -> Self {
        match () {
            () if kind.is_file() => Self::File,
            () if kind.is_dir() => Self::Folder,
            () if kind.is_symlink() => Self::Link,
            () => Self::Other,
        }
    }
}

/// The metadata of a path.
#[derive(Debug, Clone)]
pub struct PathMeta {
    kind: PathKind,
    len: u64,
    /// The time of the last change; None where it is not known.
    pub modified: Option<SystemTime>,
    /// None for an address.
    pub(crate) identity: Option<FileIdentity>,
    /// The time of the last change that no program can set, in seconds and nanoseconds; None where the system does not have
    /// it.
    pub(crate) status_changed: Option<(i64, i64)>,
    pub is_executable: bool,
}

#[expect(clippy::len_without_is_empty, reason = "as std::fs::Metadata has it")]
impl PathMeta {
    /// Makes the metadata of an address.
    #[cfg(feature = "remote")]
    pub(crate) const fn for_address(
        kind: PathKind,
        len: u64,
        modified: Option<SystemTime>,
    ) -> Self {
        let (identity, status_changed) = (None, None);
        Self { kind, len, modified, identity, status_changed, is_executable: false }
    }

    pub(crate) fn from_disk(meta: &fs::Metadata) -> Self {
        Self {
            kind: PathKind::from_disk(meta.file_type()),
            len: meta.len(),
            modified: meta.modified().ok(),
            identity: Some(FileIdentity::from_metadata(meta)),
            status_changed: status_changed(meta),
            is_executable: is_executable(meta),
        }
    }

    /// Returns whether the last change was so long ago that the next one has another time.
    pub(crate) fn is_settled(&self) -> bool {
        let age = self.modified.and_then(|it| SystemTime::now().duration_since(it).ok());
        age.is_some_and(|age| age >= SETTLED_AFTER)
    }

    pub(crate) const fn kind(&self) -> PathKind {
        self.kind
    }

    pub fn is_file(&self) -> bool {
        self.kind == PathKind::File
    }

    pub fn is_dir(&self) -> bool {
        self.kind == PathKind::Folder
    }

    pub fn is_symlink(&self) -> bool {
        self.kind == PathKind::Link
    }

    pub const fn len(&self) -> u64 {
        self.len
    }
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn status_changed(meta: &fs::Metadata) -> Option<(i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    Some((meta.ctime(), meta.ctime_nsec()))
}

#[cfg(not(unix))]
fn status_changed(_: &fs::Metadata) -> Option<(i64, i64)> {
    None
}

/// Returns the time when a file was last written, in nanoseconds since 1970; None where the system does not have it.
pub fn modified_nanos(meta: &PathMeta) -> Option<u128> {
    Some(meta.modified?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}
