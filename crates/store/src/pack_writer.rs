//! Writes many objects of a git repository at once: one pack and its index, brought to the disk once.
//!
//! A [`PackWriter`] writes objects whole, without deltas, as they come; nothing but their ids and places is kept in
//! memory. The pack has another name until it is complete, and git sees it from the moment its index has its name.
//! Formats: git's `gitformat-pack`, version 2 of both files.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use git2::{Oid, Repository};
use sha1::{Digest, Sha1};

use trajview_run::files::BlobId;

use super::{
    file_bytes,
    objects::ObjectKind,
    write::{part_name, sync_folder},
};

/// The place of an object in the pack.
struct PackedObject {
    id: BlobId,
    check: u32,
    offset: u64,
}

/// A pack that is being written. Dropping it before it is finished removes the file.
pub struct PackWriter {
    folder: PathBuf,
    part: PathBuf,
    /// None until the first object is added.
    file: Option<BufWriter<File>>,
    rows: Vec<PackedObject>,
    ids: HashSet<BlobId>,
    compressor: Compress,
    /// The number of bytes written so far.
    length: u64,
}

/// `PACK`, the version, and a place for the number of objects.
const PACK_HEAD: [u8; 12] = *b"PACK\0\0\0\x02\0\0\0\0";

/// `\377tOc` and the version.
const INDEX_HEAD: [u8; 8] = *b"\xfftOc\0\0\0\x02";

/// The offset from which offsets are in a table of longer numbers.
const LONG_OFFSETS_FROM: u64 = 1 << 31;

/// Puts everything that a commit needs into one pack of `folder`, which is `objects/pack` of its repository, and brings
/// it to the disk; the name of its files without their ends. libgit2 names an index before its pack, and an index
/// without its pack is damage: they are written into a folder of their own and moved from there, the pack first.
pub(crate) fn write_whole(
    repository: &Repository,
    last: Oid,
    folder: &Path,
) -> Result<String, git2::Error> {
    let failed = |why: io::Error| git2::Error::from_str(&file_bytes::error_reason(&why));
    let mut walk = repository.revwalk()?;
    walk.push(last)?;
    let mut builder = repository.packbuilder()?;
    builder.insert_walk(&mut walk)?;
    let part = folder.join(part_name("whole"));
    fs::create_dir_all(&part).map_err(failed)?;
    builder.write(&part, 0o444)?;
    let name = format!("pack-{}", builder.name()?.unwrap_or_default());
    let moved = |end: &str| {
        let file = format!("{name}.{end}");
        File::open(part.join(&file))?.sync_all()?;
        fs::rename(part.join(&file), folder.join(&file))
    };
    moved("pack")
        .and_then(|()| moved("idx"))
        .and_then(|()| fs::remove_dir(&part))
        .and_then(|()| sync_folder(folder))
        .map_err(failed)?;
    Ok(name)
}

/// Removes the indexes of a repository that have no pack: a program that was killed while libgit2 wrote both left them,
/// and nothing can be read through them. No link is followed.
pub(crate) fn remove_stray_indexes(repository: &Path) {
    let folder = repository.join("objects/pack");
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    if !folder.ancestors().take(3).all(is_folder) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_index = path.extension().is_some_and(|end| end == "idx");
        if is_index && fs::symlink_metadata(path.with_extension("pack")).is_err() {
            let _ = fs::remove_file(path); // one that stays is refused with a sentence
        }
    }
}

impl PackWriter {
    /// Returns a pack for the folder `objects/pack` of a repository.
    pub fn new(folder: &Path) -> Self {
        let part = folder.join(part_name("tmp_pack"));
        Self {
            folder: folder.to_owned(),
            part,
            file: None,
            rows: vec![],
            ids: HashSet::new(),
            compressor: Compress::new(Compression::fast(), true),
            length: 0,
        }
    }

    /// Returns whether the pack has the object.
    pub(crate) fn has_object(&self, id: &BlobId) -> bool {
        self.ids.contains(id)
    }

    /// Adds an object that it does not have.
    pub(crate) fn add_object(
        &mut self,
        id: BlobId,
        kind: ObjectKind,
        content: &[u8],
    ) -> io::Result<()> {
        let mut entry = entry_head(kind, content.len());
        self.compress(content, &mut entry)?;
        let mut check = Crc::new();
        check.update(&entry);
        if self.file.is_none() {
            fs::create_dir_all(&self.folder)?;
            let mut file = BufWriter::with_capacity(
                1 << 20,
                File::options()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(true)
                    .open(&self.part)?,
            );
            file.write_all(&PACK_HEAD)?;
            self.length = PACK_HEAD.len() as u64;
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            file.write_all(&entry)?;
        }
        self.rows.push(PackedObject { id, check: check.sum(), offset: self.length });
        self.ids.insert(id);
        self.length += entry.len() as u64;
        Ok(())
    }

    /// Compresses with one compressor for all objects: a new one costs more than a small object.
    fn compress(&mut self, content: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
        self.compressor.reset();
        loop {
            into.reserve(content.len() / 2 + 64);
            let rest = usize::try_from(self.compressor.total_in()).map_err(io::Error::other)?;
            let rest = content.get(rest..).unwrap_or_default();
            let status = self.compressor.compress_vec(rest, into, FlushCompress::Finish);
            if status.map_err(io::Error::other)? == Status::StreamEnd {
                return Ok(());
            }
        }
    }

    /// Completes pack and index and brings them to the disk. Nothing is written where there are no objects.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let count = u32::try_from(self.rows.len()).map_err(io::Error::other)?;
        file.seek(SeekFrom::Start(8))?;
        file.write_all(&count.to_be_bytes())?;
        file.seek(SeekFrom::Start(0))?;
        let sum = file_sum(&mut file)?;
        file.write_all(&sum)?;
        file.sync_all()?;
        let name = sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let index = self.folder.join(part_name("tmp_idx"));
        let named = |end: &str| self.folder.join(format!("pack-{name}.{end}"));
        let (pack_named, index_named) = (named("pack"), named("idx"));
        let written = fs::write(&index, self.index_bytes(sum))
            .and_then(|()| File::open(&index)?.sync_all())
            .and_then(|()| fs::rename(&self.part, pack_named))
            .and_then(|()| fs::rename(&index, index_named));
        if written.is_err() {
            let _ = fs::remove_file(&index); // the first failure is reported
        }
        written.and_then(|()| sync_folder(&self.folder))
    }

    /// Returns the index of the pack, whose own sum is given.
    fn index_bytes(&mut self, pack: [u8; 20]) -> Vec<u8> {
        self.rows.sort_unstable_by_key(|row| row.id);
        let mut bytes = INDEX_HEAD.to_vec();
        let mut sums = [0u32; 256];
        self.rows.iter().for_each(|row| sums[usize::from(row.id.0[0])] += 1);
        let mut sum = 0;
        for count in sums {
            sum += count;
            bytes.extend(u32::to_be_bytes(sum));
        }
        self.rows.iter().for_each(|row| bytes.extend(row.id.0));
        self.rows.iter().for_each(|row| bytes.extend(row.check.to_be_bytes()));
        let mut long: Vec<u64> = vec![];
        for row in &self.rows {
            let short = u32::try_from(row.offset).ok().filter(|_| row.offset < LONG_OFFSETS_FROM);
            let number = short.unwrap_or_else(|| {
                long.push(row.offset);
                0x8000_0000 | u32::try_from(long.len() - 1).unwrap_or_default()
            });
            bytes.extend(number.to_be_bytes());
        }
        long.into_iter().for_each(|offset| bytes.extend(offset.to_be_bytes()));
        bytes.extend(pack);
        let checksum: [u8; 20] = Sha1::digest(&bytes).into();
        bytes.extend(checksum);
        bytes
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part); // there is none where it was finished
    }
}

/// Returns type and size as they precede an object: four bits of the size and then seven in each byte, the lowest
/// first.
fn entry_head(kind: ObjectKind, size: usize) -> Vec<u8> {
    let mut first = (kind.pack_number() << 4) | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    let mut bytes = vec![];
    while rest > 0 {
        bytes.push(first | 0x80);
        first = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    bytes.push(first);
    bytes
}

fn file_sum(file: &mut File) -> io::Result<[u8; 20]> {
    let (mut hasher, mut piece) = (Sha1::new(), vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize().into()),
            count => hasher.update(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use git2::{ObjectType, Oid, Repository};

    use super::*;
    use crate::objects::hash_object;

    #[test]
    fn git_reads_a_pack_as_it_was_written() {
        let place = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(place.path()).unwrap();
        let packs = place.path().join("objects/pack");
        let mut writer = PackWriter::new(&packs);
        let sizes = [0, 1, 15, 16, 2_047, 2_048, 300_000];
        let contents: Vec<Vec<u8>> =
            sizes.iter().map(|size| (0..*size).map(|at| (at % 251) as u8).collect()).collect();
        for content in &contents {
            writer
                .add_object(hash_object(ObjectKind::Blob, content), ObjectKind::Blob, content)
                .unwrap();
        }
        assert!(
            writer.has_object(&hash_object(ObjectKind::Blob, b""))
                && !writer.has_object(&hash_object(ObjectKind::Tree, b""))
        );

        writer.finish().unwrap();

        for content in &contents {
            let id = Oid::hash_object(ObjectType::Blob, content).unwrap();
            assert_eq!(id.as_bytes(), hash_object(ObjectKind::Blob, content).0);
            assert_eq!(repo.find_blob(id).unwrap().content(), content);
        }
        assert_eq!(fs::read_dir(&packs).unwrap().count(), 2);
    }

    #[test]
    fn a_pack_that_is_given_up_and_one_without_objects_leave_nothing() {
        let place = tempfile::tempdir().unwrap();
        let mut writer = PackWriter::new(place.path());
        writer.add_object(hash_object(ObjectKind::Blob, b"x"), ObjectKind::Blob, b"x").unwrap();
        drop(writer);
        PackWriter::new(place.path()).finish().unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
