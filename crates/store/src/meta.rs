//! What is told of a path without reading it, be it one of the disk or an address.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a device.
    Other,
}

/// What is told of a path without reading it.
#[derive(Debug, Clone)]
pub struct Meta {
    kind: Kind,
    len: u64,
    /// None where that is not told.
    pub modified: Option<SystemTime>,
    pub is_executable: bool,
}

#[expect(clippy::len_without_is_empty, reason = "as std::fs::Metadata has it")]
impl Meta {
    /// Of what is not on the disk.
    #[cfg(feature = "remote")]
    pub const fn of(kind: Kind, len: u64, modified: Option<SystemTime>) -> Self {
        Self { kind, len, modified, is_executable: false }
    }

    pub fn of_disk(meta: &fs::Metadata) -> Self {
        let kind = match () {
            () if meta.is_file() => Kind::File,
            () if meta.is_dir() => Kind::Folder,
            () if meta.is_symlink() => Kind::Link,
            () => Kind::Other,
        };
        let is_executable = is_executable(meta);
        Self { kind, len: meta.len(), modified: meta.modified().ok(), is_executable }
    }

    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    pub fn is_dir(&self) -> bool {
        self.kind == Kind::Folder
    }

    pub fn is_symlink(&self) -> bool {
        self.kind == Kind::Link
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

/// When a file was written last, in nanoseconds since 1970; None where the system does not tell.
pub fn written(meta: &Meta) -> Option<u128> {
    Some(meta.modified?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}
