//! Metadata of a path, be it a path of the disk or an address.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

/// The type of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    File,
    Folder,
    Link,
    /// A pipe, a device.
    Other,
}

/// The metadata of a path.
#[derive(Debug, Clone)]
pub struct PathMeta {
    kind: PathKind,
    len: u64,
    /// The time of the last change; None where it is not known.
    pub modified: Option<SystemTime>,
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
        Self { kind, len, modified, is_executable: false }
    }

    pub(crate) fn from_disk(meta: &fs::Metadata) -> Self {
        let kind = match () {
            () if meta.is_file() => PathKind::File,
            () if meta.is_dir() => PathKind::Folder,
            () if meta.is_symlink() => PathKind::Link,
            () => PathKind::Other,
        };
        let is_executable = is_executable(meta);
        Self { kind, len: meta.len(), modified: meta.modified().ok(), is_executable }
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

/// Returns the time when a file was last written, in nanoseconds since 1970; None where the system does not have it.
pub fn modified_nanos(meta: &PathMeta) -> Option<u128> {
    Some(meta.modified?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}
