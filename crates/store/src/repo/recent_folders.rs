//! The folders that were compared last: the next turn's is likely to be the next version of one of them.

use std::{collections::VecDeque, sync::Arc};

use crate::objects::TreeBytes;
use trajview_run::files::BlobId;

/// The most folders that are kept, and the most bytes of them; beyond, the oldest is dropped.
const MOST_FOLDERS: usize = 64;
const MOST_BYTES: usize = 16 << 20;

/// The least bytes of a folder that is kept; reading a smaller one again is quicker than finding it.
const LEAST_BYTES: usize = 4 << 10;

#[derive(Debug, Default)]
pub struct RecentFolders {
    folders: VecDeque<(BlobId, Arc<TreeBytes>)>,
    bytes: usize,
}

impl RecentFolders {
    pub fn get(&self, id: BlobId) -> Option<Arc<TreeBytes>> {
        let mut newest_first = self.folders.iter().rev();
        newest_first.find(|(known, _)| *known == id).map(|(_, tree)| Arc::clone(tree))
    }

    pub fn put(&mut self, id: BlobId, tree: Arc<TreeBytes>) {
        if tree.byte_size() < LEAST_BYTES {
            return;
        }
        self.bytes += tree.byte_size();
        self.folders.push_back((id, tree));
        while self.folders.len() > MOST_FOLDERS || self.bytes > MOST_BYTES {
            let Some((_, oldest)) = self.folders.pop_front() else { return };
            self.bytes -= oldest.byte_size();
        }
    }
}
