use std::{io::Write, path::Path};

use super::*;

/// A pack written by hand: its content may be anything, its checksums are right.
#[derive(Default)]
pub struct HandMadePack {
    pack: Vec<u8>,
    rows: Vec<(BlobId, u64)>,
}

pub(crate) const BLOB: u8 = 3;
pub(crate) const OFFSET_DELTA: u8 = 6;
pub(crate) const NAMED_DELTA: u8 = 7;

pub(crate) fn zlib_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut zip = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::fast());
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap()
}

impl HandMadePack {
    pub fn new() -> Self {
        Self { pack: b"PACK\0\0\0\x02\0\0\0\0".to_vec(), rows: vec![] }
    }

    /// Adds an entry with a stated size; `link` is the reference of a delta to its base. Returns its offset.
    pub(crate) fn add_entry(
        &mut self,
        id: BlobId,
        kind: u8,
        size: u64,
        link: &[u8],
        data: &[u8],
    ) -> u64 {
        let offset = self.pack.len() as u64;
        let (mut byte, mut size) = (kind << 4 | (size & 0x0f) as u8, size >> 4);
        while size > 0 {
            self.pack.push(byte | 0x80);
            (byte, size) = ((size & 0x7f) as u8, size >> 7);
        }
        self.pack.push(byte);
        self.pack.extend_from_slice(link);
        self.pack.extend(zlib_bytes(data));
        self.rows.push((id, offset));
        offset
    }

    pub(crate) fn add_blob(&mut self, content: &[u8]) -> BlobId {
        let id = BlobId::for_bytes(content);
        self.add_entry(id, BLOB, content.len() as u64, &[], content);
        id
    }

    /// Adds an object under its own id.
    pub(crate) fn add_object(&mut self, word: &str, kind: u8, content: &[u8]) -> BlobId {
        let kind_word = ObjectKind::by_word(word).unwrap();
        let id = hash_of(&GitObject { kind: kind_word, bytes: content.into(), is_sound: false });
        self.add_entry(id, kind, content.len() as u64, &[], content);
        id
    }

    /// Writes it as the only pack of a repository.
    pub fn write(mut self, repository: &Path) {
        self.rows.sort();
        let count = u32::try_from(self.rows.len()).unwrap();
        self.pack[8..12].copy_from_slice(&count.to_be_bytes());
        let sum = Sha1::digest(&self.pack);
        self.pack.extend_from_slice(&sum);
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255 {
            let so_far = self.rows.iter().filter(|(id, _)| id.0[0] <= first).count();
            index.extend(u32::try_from(so_far).unwrap().to_be_bytes());
        }
        self.rows.iter().for_each(|(id, _)| index.extend(id.0));
        self.rows.iter().for_each(|_| index.extend([0; 4]));
        for (_, offset) in &self.rows {
            index.extend(u32::try_from(*offset).unwrap_or(u32::MAX).to_be_bytes());
        }
        index.extend_from_slice(&sum);
        let checksum = Sha1::digest(&index);
        index.extend_from_slice(&checksum);
        let folder = repository.join("objects/pack");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("pack-a.pack"), &self.pack).unwrap();
        fs::write(folder.join("pack-a.idx"), index).unwrap();
    }

    fn write_and_open(self) -> (tempfile::TempDir, ObjectStore) {
        let folder = tempfile::tempdir().unwrap();
        self.write(folder.path());
        let objects = ObjectStore::open(folder.path()).unwrap();
        (folder, objects)
    }
}

const SAMPLE: &str = "sample-runs/codex-p12/workspace.git";

/// Returns the files of the sample's only pack: its index and itself.
fn sample_pack() -> (Vec<u8>, Vec<u8>) {
    let folder = Path::new(trajview_testing::project()).join(SAMPLE).join("objects/pack");
    let of = |end: &str| {
        let paths = disk::list_folder(&folder);
        fs::read(paths.iter().find(|path| path.extension().unwrap() == end).unwrap()).unwrap()
    };
    (of("idx"), of("pack"))
}

fn write_repository(index: &[u8], pack: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("objects/pack")).unwrap();
    fs::write(folder.path().join("objects/pack/pack-a.idx"), index).unwrap();
    fs::write(folder.path().join("objects/pack/pack-a.pack"), pack).unwrap();
    folder
}

fn open_error(index: &[u8], pack: &[u8]) -> String {
    ObjectStore::open(write_repository(index, pack).path()).unwrap_err()
}

#[test]
fn every_object_of_a_pack_reads_as_git_reads_it() {
    let path = Path::new(trajview_testing::project()).join(SAMPLE);
    let objects = ObjectStore::open(&path).unwrap();
    let git = git2::Repository::open_bare(&path).unwrap();
    let odb = git.odb().unwrap();
    let mut count = 0;

    odb.foreach(|id| {
        let theirs = odb.read(*id).unwrap();
        let ours = objects.read_object(parse_id(id.to_string().as_bytes()).unwrap()).unwrap();
        assert_eq!((&*ours.bytes, ours.kind.word()), (theirs.data(), theirs.kind().str()));
        count += 1;
        true
    })
    .unwrap();

    assert!(count > 200);
    objects.check_packs().unwrap();
}

#[test]
fn a_damaged_index_is_a_sentence() {
    let (index, pack) = sample_pack();
    let mut longer = index.clone();
    longer.splice(7432..7432, [7; 256]);
    let mut flipped = index.clone();
    flipped[2000] ^= 1;

    let message = open_error(&longer, &pack);
    assert_eq!(
        message,
        "objects/pack/pack-a.idx is damaged (its checksum is wrong); copy the recording again from where it was made"
    );
    assert!(open_error(&flipped, &pack).contains("its checksum is wrong"));
    assert!(open_error(&index[..900], &pack).contains("it is not an index of version 2"));
    assert!(open_error(&index[..index.len() - 8], &pack).contains("its size is not"));
    assert!(open_error(b"", &pack).contains("it is not an index of version 2"));
}

#[test]
fn a_damaged_pack_is_a_sentence() {
    let (index, mut pack) = sample_pack();
    assert!(open_error(&index, &pack[..pack.len() - 1]).contains("its checksum is not the one"));
    assert!(open_error(&index, b"PACK").contains("pack-a.pack is damaged (it is not a pack"));
    pack.splice(3000..3000, [7; 256]);

    let folder = write_repository(&index, &pack);
    let objects = ObjectStore::open(folder.path()).unwrap();

    let why = objects.check_packs().unwrap_err();
    assert!(why.contains("pack-a.pack is damaged (its checksum is wrong)"), "{why}");
}

#[test]
fn whatever_is_changed_in_a_pack_and_its_index_reading_returns() {
    let (index, pack) = sample_pack();
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let folder = write_repository(&index, &pack);
    let names =
        ["pack-a.idx", "pack-a.pack"].map(|name| folder.path().join("objects/pack").join(name));
    let mut opened = 0;
    for _ in 0..60 {
        let (mut index, mut pack) = (index.clone(), pack.clone());
        for _ in 0..=random(20) {
            let at = 12 + random(pack.len() - 32);
            pack[at] = random(256) as u8;
            let at = 1032 + 24 * 240 + random(index.len() - 1072 - 24 * 240);
            index[at] = if random(4) == 0 { random(256) as u8 } else { index[at] };
        }
        // The sums are right, so that what was changed is believed.
        let end = pack.len() - 20;
        let sum = Sha1::digest(&pack[..end]);
        pack[end..].copy_from_slice(&sum);
        let end = index.len() - 20;
        index[end - 20..end].copy_from_slice(&sum);
        let sum = Sha1::digest(&index[..end]);
        index[end..].copy_from_slice(&sum);
        fs::write(&names[0], &index).unwrap();
        fs::write(&names[1], &pack).unwrap();

        let Ok(objects) = ObjectStore::open(folder.path()) else { continue };
        opened += 1;
        let _ = objects.check_packs();
    }
    assert!(opened > 20);
}

#[test]
fn a_delta_out_of_its_base_is_damaged() {
    let whole = b"0123456789";
    let wanted = BlobId::for_bytes(b"wanted");
    let deltas: [&[u8]; 8] = [
        &[10, 6, 0x91, 5, 6],                            // copies beyond the end
        &[10, 6, 0x9f, 255, 255, 255, 255, 6],           // copies from far beyond
        &[10, 6, 0],                                     // an instruction that is none
        &[10, 6, 6, b'w'],                               // adds more than there is
        &[11, 6, 6, b'w', b'a', b'n', b't', b'e', b'd'], // of another base
        &[10, 5, 6, b'w', b'a', b'n', b't', b'e', b'd'], // makes more than it states
        &[10, 7, 6, b'w', b'a', b'n', b't', b'e', b'd'], // makes less
        &[255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
    ];
    for delta in deltas {
        let mut made = HandMadePack::new();
        let base = made.add_blob(whole);
        made.add_entry(wanted, NAMED_DELTA, delta.len() as u64, &base.0, delta);
        let (_folder, objects) = made.write_and_open();

        let why = objects.read_object(wanted).unwrap_err();
        assert!(why.contains("its delta is broken"), "{why}");
    }
}

#[test]
fn deltas_in_a_circle_are_damaged() {
    let (a, b) = (BlobId([1; 20]), BlobId([2; 20]));
    let mut made = HandMadePack::new();
    made.add_entry(a, NAMED_DELTA, 3, &b.0, &[1, 1, 1]);
    made.add_entry(b, NAMED_DELTA, 3, &a.0, &[1, 1, 1]);
    let (_folder, objects) = made.write_and_open();

    let why = objects.read_object(a).unwrap_err();
    assert!(why.contains("a delta of a delta more than 4096 times"), "{why}");
}

#[test]
fn a_delta_before_the_pack_or_of_itself_is_damaged() {
    for link in [&[0_u8][..], &[0x7f], &[0xff; 12]] {
        let id = BlobId([1; 20]);
        let mut made = HandMadePack::new();
        made.add_entry(id, OFFSET_DELTA, 3, link, &[1, 1, 1]);
        let (_folder, objects) = made.write_and_open();

        let why = objects.read_object(id).unwrap_err();
        assert!(why.contains("no object starts there"), "{why}");
    }
}

#[test]
fn an_object_that_states_another_size_or_has_another_content_is_damaged() {
    let id = BlobId::for_bytes(b"words");
    for (size, content, why) in [
        (4, &b"words"[..], "its size is not the one it states"),
        (6, b"words", "its size is not the one it states"),
        (5, b"world", "its content has another hash"),
    ] {
        let mut made = HandMadePack::new();
        made.add_entry(id, BLOB, size, &[], content);
        let (_folder, objects) = made.write_and_open();

        assert!(objects.read_object(id).unwrap_err().contains(why));
    }
}

/// The index made here states no right checksum, so that the content alone can speak for a folder.
#[test]
fn a_folder_that_is_not_packed_as_the_index_says_is_held_against_its_hash() {
    let tree = [b"100644 a\0".as_slice(), &[7; 20]].concat();
    let mut made = HandMadePack::new();
    let right = made.add_object("tree", 2, &tree);
    let wrong = BlobId([1; 20]);
    made.add_entry(wrong, 2, tree.len() as u64, &[], &tree);
    let (_folder, objects) = made.write_and_open();

    assert_eq!(objects.read_tree(right).unwrap().entries().count(), 1);
    assert!(objects.read_tree(wrong).unwrap_err().contains("its content has another hash"));
}

#[test]
fn an_object_that_unpacks_to_too_much_is_told_by_its_size() {
    let mut made = HandMadePack::new();
    let big = BlobId([1; 20]);
    made.add_entry(big, BLOB, 900 << 20, &[], &[0; 100]);
    let base = made.add_blob(&[0; 1 << 16]);
    let delta = BlobId([2; 20]);
    let copies: Vec<u8> =
        [&[0x80, 0x80, 4, 0x80, 0x80, 0x80, 0x80, 4][..], &[0xe0, 1].repeat(100)].concat();
    made.add_entry(delta, NAMED_DELTA, copies.len() as u64, &base.0, &copies);
    let (_folder, objects) = made.write_and_open();

    let expected = "it has 943718400 bytes; up to 32 MiB are read";
    let why = objects.read_object(big).unwrap_err();
    assert!(why.contains(expected) && !why.contains("damaged"), "{why}");
    assert!(objects.read_object(delta).unwrap_err().contains("; up to 32 MiB are read"));
}

#[cfg(unix)]
#[test]
fn only_regular_files_inside_the_repository_are_opened() {
    let (index, pack) = sample_pack();
    let elsewhere = write_repository(&index, &pack);
    let there = |name: &str| elsewhere.path().join(name);
    let why = |link: &str| {
        let folder = write_repository(&index, &pack);
        let path = folder.path().join(link);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        std::os::unix::fs::symlink(there(link), &path).unwrap();
        ObjectStore::open(folder.path()).unwrap_err()
    };

    assert_eq!(why("objects"), "objects is a link; not followed");
    assert_eq!(why("objects/pack"), "objects/pack is a link; not followed");
    assert_eq!(why("objects/pack/pack-a.idx"), "objects/pack/pack-a.idx is a link; not followed");
    assert_eq!(why("objects/pack/pack-a.pack"), "objects/pack/pack-a.pack is a link; not followed");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_repository_is_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let id = BlobId::for_bytes(b"words");
    let hex = id.to_string();
    let pipes =
        ["objects/pack/pack-a.idx".to_owned(), format!("objects/{}/{}", &hex[..2], &hex[2..])];
    for pipe in &pipes {
        let pipe = folder.path().join(pipe);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
    }

    assert_eq!(
        ObjectStore::open(folder.path()).unwrap_err(),
        "objects/pack/pack-a.idx is not a regular file"
    );
    fs::remove_dir_all(folder.path().join("objects/pack")).unwrap();
    let objects = ObjectStore::open(folder.path()).unwrap();
    assert_eq!(objects.read_object(id).unwrap_err(), format!("object {id} is not a regular file"));
}

#[test]
fn a_loose_object_is_read_where_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let objects = folder.path().join("objects");
    let put = |id: BlobId, content: &[u8]| {
        let hex = id.to_string();
        let path = objects.join(&hex[..2]).join(&hex[2..]);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, zlib_bytes(content)).unwrap();
        ObjectStore::open(folder.path()).unwrap().read_object(id)
    };
    let id = BlobId::for_bytes(b"words");

    assert_eq!(&*put(id, b"blob 5\0words").unwrap().bytes, b"words");
    assert!(put(id, b"blob 5\0world").unwrap_err().contains("another hash"));
    assert!(put(id, b"blob 6\0words").unwrap_err().contains("its size is not"));
    assert!(put(id, b"blob 9999999999\0w").unwrap_err().contains("up to 32 MiB are read"));
    assert!(put(id, b"word").unwrap_err().contains("it does not say what it is"));
    assert!(put(id, &[0; 1 << 16]).unwrap_err().contains("it does not say what it is"));
}
