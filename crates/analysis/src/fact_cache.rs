//! Facts of single contents, kept between starts: by the name of the content, by what reads it, and by the version of
//! what is read. Whatever cannot be kept, or cannot be read again, is read anew.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use sha1::{Digest, Sha1};

use trajview_code::packing;
use trajview_run::files::BlobId;
use trajview_store::DiskCache;

/// The facts of one kind in a cache.
#[derive(Clone, Copy)]
pub(crate) struct FactCache<'c> {
    cache: &'c DiskCache,
    /// The kind of facts.
    name: &'static str,
    version: u32,
}

/// The most bytes that the facts of one content take.
const MOST_BYTES: usize = 64 << 20;

impl<'c> FactCache<'c> {
    pub(crate) const fn new(cache: &'c DiskCache, name: &'static str, version: u32) -> Self {
        Self { cache, name, version }
    }

    /// Returns the cached facts of these contents, by their positions; each content comes with the name of its reader.
    pub(crate) fn get<T: DeserializeOwned + Send>(
        &self,
        contents: impl Iterator<Item = (BlobId, &'static str)>,
    ) -> HashMap<usize, T> {
        let keys: Vec<Vec<u8>> = contents.map(|(blob, form)| self.fact_key(blob, form)).collect();
        let values: Vec<(usize, Vec<u8>)> = self.cache.get(&keys).into_iter().collect();
        values.into_par_iter().filter_map(|(at, value)| Some((at, unpack_facts(&value)?))).collect()
    }

    /// Keeps the facts of these contents, soon.
    pub(crate) fn put<'f, T: Serialize + Sync + 'f>(
        &self,
        facts: impl IntoIterator<Item = (BlobId, &'static str, &'f T)>,
    ) {
        let facts: Vec<_> = facts.into_iter().collect();
        let values = facts.into_par_iter().filter_map(|(blob, form, facts)| {
            Some((self.fact_key(blob, form), pack_facts(facts)?))
        });
        self.cache.put_soon(values.collect::<Vec<_>>());
    }

    fn fact_key(&self, blob: BlobId, form: &str) -> Vec<u8> {
        let Self { name, version, .. } = self;
        let rest = Sha1::digest(format!("{name} {version} {form}"));
        [blob.0.as_slice(), rest.as_slice()].concat()
    }
}

fn pack_facts(facts: &impl Serialize) -> Option<Vec<u8>> {
    packing::pack_bytes(&serde_json::to_vec(facts).ok()?).ok()
}

fn unpack_facts<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    let size = zstd::zstd_safe::get_frame_content_size(value).ok().flatten()?;
    let size = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES)?;
    serde_json::from_slice(&packing::unpack_bytes(value, size).ok()?).ok()
}
