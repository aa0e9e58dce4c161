//! The folder that parts are written to. A part is a file that is there whole or not at all and never changes: its name has
//! the shard and the beginning of the SHA-256 of its content.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::shard::Shard;
use crate::{
    bytes,
    write::{WriteError, sync_folder},
};

/// Hex digits of the digest that stand in a name.
const DIGITS: usize = 16;

/// What the name of a part says: `runs-1of4-0a1b2c3d4e5f6071.parquet`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The table, or the command whose documents it holds.
    pub of: String,
    /// How the name ends.
    pub extension: String,
    pub shard: Shard,
    /// The first hex digits of the SHA-256.
    pub digest: String,
}

impl Part {
    /// None for the name of any other file.
    pub fn parse(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        let (rest, digest) = stem.rsplit_once('-')?;
        let (of, shard) = rest.rsplit_once('-')?;
        let shard: Shard = shard.replacen("of", "/", 1).parse().ok()?;
        let is_digest = digest.len() == DIGITS && digest.bytes().all(|it| it.is_ascii_hexdigit());
        (is_digest && !of.is_empty()).then(|| Self {
            of: of.to_owned(),
            extension: extension.to_owned(),
            shard,
            digest: digest.to_owned(),
        })
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        let Shard { number, of } = self.shard;
        format!("{}-{number}of{of}-{}.{}", self.of, self.digest, self.extension)
    }

    /// Whether both cannot lie in one folder: a reader of all its parts would count runs twice.
    fn collides_with(&self, other: &Self) -> bool {
        (&self.of, &self.extension) == (&other.of, &other.extension)
            && (self.shard.of != other.shard.of
                || (self.shard == other.shard && self.digest != other.digest))
    }
}

/// A part that is being written, under a name that nobody looks for. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct PartFile {
    of: String,
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

/// What is done where a folder has a part that cannot lie beside a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written, and a sentence says why.
    Refuse,
    /// It is taken away.
    Replace,
}

impl Existing {
    /// By the option `--replace`.
    pub const fn of(replaces: bool) -> Self {
        if replaces { Self::Replace } else { Self::Refuse }
    }
}

/// What became of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
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
        fs::create_dir_all(path).map_err(|why| failed(path, &why))?;
        Ok(Self(path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A new part, not named yet.
    ///
    /// # Errors
    ///
    /// Where no file can be made in the folder.
    pub fn part(
        &self,
        of: &str,
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
        let file = builder.tempfile_in(&self.0).map_err(|why| failed(&self.0, &why))?;
        Ok(PartFile {
            of: of.to_owned(),
            extension,
            shard,
            file: BufWriter::with_capacity(1 << 16, file),
            digest: Sha256::new(),
        })
    }

    /// Gives whole parts their names, all of them or none. One that is there already stays as it is.
    ///
    /// # Errors
    ///
    /// Where the folder has parts that cannot lie beside these and are not to be replaced, and where it cannot be written.
    pub fn publish(
        &self,
        parts: Vec<PartFile>,
        existing: Existing,
    ) -> Result<Vec<Published>, WriteError> {
        let mut named = vec![];
        for part in parts {
            let file = part.file.into_inner().map_err(|why| failed(&self.0, why.error()))?;
            let digest = part.digest.finalize();
            let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let digest = digest[..DIGITS].to_owned();
            let (of, extension) = (part.of, part.extension.to_owned());
            named.push((Part { of, extension, shard: part.shard, digest }, file));
        }
        let known = parts_in(&self.0).map_err(|why| failed(&self.0, &why))?;
        let in_the_way =
            known.iter().filter(|old| named.iter().any(|(new, _)| new.collides_with(old)));
        for old in in_the_way {
            let path = self.0.join(old.name());
            match existing {
                Existing::Replace => fs::remove_file(&path).map_err(|why| failed(&path, &why))?,
                Existing::Refuse => {
                    let why = "is there already, of other runs or another division; \
                               --replace takes such parts away, or name another folder";
                    return Err(WriteError::Taken { path, why: why.into() });
                }
            }
        }
        let mut published = vec![];
        for (part, file) in named {
            let path = self.0.join(part.name());
            let is_new = !path.exists();
            if is_new {
                file.as_file().sync_all().map_err(|why| failed(&path, &why))?;
                file.persist(&path).map_err(|why| failed(&path, &why.error))?;
            }
            published.push(Published { path, is_new });
        }
        sync_folder(&self.0).map_err(|why| failed(&self.0, &why))?;
        Ok(published)
    }
}

/// The parts that a folder has, sorted by name.
///
/// # Errors
///
/// Where the folder cannot be read.
pub fn parts_in(folder: &Path) -> io::Result<Vec<Part>> {
    let mut parts = vec![];
    for entry in fs::read_dir(folder)? {
        parts.extend(entry?.file_name().to_str().and_then(Part::parse));
    }
    parts.sort();
    Ok(parts)
}

fn failed(path: &Path, why: &io::Error) -> WriteError {
    WriteError::new(path, bytes::reason(why))
}
