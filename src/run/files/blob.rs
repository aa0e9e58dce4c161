//! Contents by name: a content's name is its git blob id, wherever it came from.

use std::{collections::HashMap, fmt, sync::Arc};

use sha1::{Digest, Sha1};

/// Bytes of one version of a file.
pub type Blob = Arc<[u8]>;

/// The git blob id of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(pub [u8; 20]);

impl BlobId {
    /// The name git gives these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for BlobId {
    /// 40 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Where contents are read from.
pub trait Blobs {
    /// The bytes; an error is a sentence that says why they cannot be had.
    fn blob(&self, id: BlobId) -> Result<Blob, String>;
}

/// Contents that were put together from recorded edits.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    blobs: HashMap<BlobId, Blob>,
}

impl MemoryBlobs {
    pub fn put(&mut self, bytes: &[u8]) -> BlobId {
        let id = BlobId::of(bytes);
        self.blobs.entry(id).or_insert_with(|| bytes.into());
        id
    }

    pub fn get(&self, id: BlobId) -> Option<&Blob> {
        self.blobs.get(&id)
    }
}

impl Blobs for MemoryBlobs {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.get(id).cloned().ok_or_else(|| format!("content {id} is not in the recording"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_has_the_name_git_gives_it() {
        assert_eq!(BlobId::of(b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(BlobId::of(b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
