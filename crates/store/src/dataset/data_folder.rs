//! The folder that parts are written to. A part is a file that is there whole or not at all and never changes: its name
//! has the shard and the beginning of the SHA-256 of its content.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::shard::Shard;
use crate::{
    file_bytes,
    write::{WriteError, sync_folder},
};

/// The number of hex digits of the digest that a name contains.
const DIGEST_DIGITS: usize = 16;

/// The parts of a file name such as `runs-1of4-0a1b2c3d4e5f6071.parquet`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartName {
    /// The table, or the command whose documents are in the file.
    pub content: String,
    /// The extension of the file.
    pub extension: String,
    pub shard: Shard,
    /// The first hex digits of the SHA-256.
    pub digest: String,
}

impl PartName {
    /// Returns None for the name of any other file.
    pub fn parse(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        let (rest, digest) = stem.rsplit_once('-')?;
        let (content, shard) = rest.rsplit_once('-')?;
        let shard: Shard = shard.replacen("of", "/", 1).parse().ok()?;
        let is_digest =
            digest.len() == DIGEST_DIGITS && digest.bytes().all(|it| it.is_ascii_hexdigit());
        (is_digest && !content.is_empty()).then(|| Self {
            content: content.to_owned(),
            extension: extension.to_owned(),
            shard,
            digest: digest.to_owned(),
        })
    }

    /// Returns the name of its file.
    pub fn name(&self) -> String {
        let Shard { number, count: of } = self.shard;
        format!("{}-{number}of{of}-{}.{}", self.content, self.digest, self.extension)
    }

    /// Returns whether both cannot lie in one folder: a reader of all its parts would count runs twice.
    fn collides_with(&self, other: &Self) -> bool {
        (&self.content, &self.extension) == (&other.content, &other.extension)
            && (self.shard.count != other.shard.count
                || (self.shard == other.shard && self.digest != other.digest))
    }
}

/// A part that is being written, under a temporary name. Dropping it removes the file.
#[derive(Debug)]
pub struct PartFile {
    content: String,
    extension: &'static str,
    shard: Shard,
    file: BufWriter<NamedTempFile>,
    digest: Sha256,
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The handling of a part in the folder that cannot be beside a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingPart {
    /// Writes nothing; a sentence explains why.
    Refuse,
    /// Removes the old part.
    Replace,
}

impl ExistingPart {
    /// Returns the handling that the option `--overwrite` asks for.
    pub const fn from_replace(replaces: bool) -> Self {
        if replaces { Self::Replace } else { Self::Refuse }
    }
}

/// The result of publishing one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedPart {
    pub path: PathBuf,
    /// False where the same part was there already, which is left untouched.
    pub is_new: bool,
}

/// A folder of parts.
#[derive(Debug)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// Makes the folder where it is not there.
    ///
    /// # Errors
    ///
    /// Where it cannot be made.
    pub fn open(path: &Path) -> Result<Self, WriteError> {
        fs::create_dir_all(path).map_err(|why| write_error(path, &why))?;
        Ok(Self(path.to_owned()))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a new part, not named yet.
    ///
    /// # Errors
    ///
    /// Where no file can be made in the folder.
    pub fn new_part(
        &self,
        content: &str,
        extension: &'static str,
        shard: Shard,
    ) -> Result<PartFile, WriteError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".trajview-").suffix(".part");
        #[cfg(unix)]
        let readable = {
            use std::os::unix::fs::PermissionsExt as _;
            fs::Permissions::from_mode(0o666) // less what the user's mask takes away
        };
        #[cfg(unix)]
        builder.permissions(readable);
        let file = builder.tempfile_in(&self.0).map_err(|why| write_error(&self.0, &why))?;
        Ok(PartFile {
            content: content.to_owned(),
            extension,
            shard,
            file: BufWriter::with_capacity(1 << 16, file),
            digest: Sha256::new(),
        })
    }

    /// Gives finished parts their names, all of them or none. A part that exists already stays as it is.
    ///
    /// # Errors
    ///
    /// Where the folder has parts that cannot lie beside these and are not to be replaced, and where it cannot be
    /// written.
    pub fn publish_parts(
        &self,
        parts: Vec<PartFile>,
        existing: ExistingPart,
    ) -> Result<Vec<PublishedPart>, WriteError> {
        let mut named = vec![];
        for part in parts {
            let file = part.file.into_inner().map_err(|why| write_error(&self.0, why.error()))?;
            let digest = part.digest.finalize();
            let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let digest = digest[..DIGEST_DIGITS].to_owned();
            let (content, extension) = (part.content, part.extension.to_owned());
            named.push((PartName { content, extension, shard: part.shard, digest }, file));
        }
        let known = parts_in(&self.0).map_err(|why| write_error(&self.0, &why))?;
        let in_the_way =
            known.iter().filter(|old| named.iter().any(|(new, _)| new.collides_with(old)));
        for old in in_the_way {
            let path = self.0.join(old.name());
            match existing {
                ExistingPart::Replace => {
                    fs::remove_file(&path).map_err(|why| write_error(&path, &why))?
                }
                ExistingPart::Refuse => {
                    let why = "is there already, of other runs or another division; \
                               --overwrite takes such parts away, or name another folder";
                    return Err(WriteError::Taken { path, why: why.into() });
                }
            }
        }
        let mut published = vec![];
        for (part, file) in named {
            let path = self.0.join(part.name());
            let is_new = !path.exists();
            if is_new {
                file.as_file().sync_all().map_err(|why| write_error(&path, &why))?;
                file.persist(&path).map_err(|why| write_error(&path, &why.error))?;
            }
            published.push(PublishedPart { path, is_new });
        }
        sync_folder(&self.0).map_err(|why| write_error(&self.0, &why))?;
        Ok(published)
    }
}

/// Returns the parts that a folder has, sorted by name.
///
/// # Errors
///
/// Where the folder cannot be read.
pub(crate) fn parts_in(folder: &Path) -> io::Result<Vec<PartName>> {
    let mut parts = vec![];
    for entry in fs::read_dir(folder)? {
        parts.extend(entry?.file_name().to_str().and_then(PartName::parse));
    }
    parts.sort();
    Ok(parts)
}

fn write_error(path: &Path, why: &io::Error) -> WriteError {
    WriteError::new(path, file_bytes::error_reason(why))
}
