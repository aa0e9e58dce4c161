//! The folders that were compared last: the next turn's is likely to be the next version of one of them.

use std::{collections::VecDeque, sync::Arc};

use crate::objects::TreeBytes;
use trajview_run::files::BlobId;

/// The oldest is let go of where there are more, or more bytes of them.
const MOST: usize = 64;
const MOST_BYTES: usize = 16 << 20;

/// Smaller folders are read again sooner than they are found.
const WORTH_IT: usize = 4 << 10;

#[derive(Debug, Default)]
pub struct Folders {
    kept: VecDeque<(BlobId, Arc<TreeBytes>)>,
    bytes: usize,
}

impl Folders {
    pub fn get(&self, id: BlobId) -> Option<Arc<TreeBytes>> {
        let mut newest_first = self.kept.iter().rev();
        newest_first.find(|(known, _)| *known == id).map(|(_, tree)| Arc::clone(tree))
    }

    pub fn put(&mut self, id: BlobId, tree: Arc<TreeBytes>) {
        if tree.size() < WORTH_IT {
            return;
        }
        self.bytes += tree.size();
        self.kept.push_back((id, tree));
        while self.kept.len() > MOST || self.bytes > MOST_BYTES {
            let Some((_, oldest)) = self.kept.pop_front() else { return };
            self.bytes -= oldest.size();
        }
    }
}
