//! What was named on the command line, and what is known of it so far.

use std::{
    collections::HashMap,
    fs,
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::SystemTime,
};

use crate::meta::{Kind, Meta};
use trajview_formats::HEAD_BYTES;
use trajview_run::address::{Address, is_address};

use super::{
    BLOCK, Failure, Much, cache,
    client::{Client, Start},
    tree::{Node, Object, Tree},
};

/// Requests that are under way at once for [`fetch_soon`].
const AT_ONCE: usize = 16;

/// A file of no more bytes is fetched whole wherever it is read.
const WHOLE: u64 = 1 << 20;

/// What a repository may have.
const MOST_FILES: usize = 100_000;

/// A place that was named.
struct Root {
    address: Address,
    shown: String,
    /// The key as the store knows it.
    location: String,
    client: OnceLock<Result<Client, Failure>>,
    content: OnceLock<Result<Content, Failure>>,
    /// One lock a file: who wants what somebody fetches waits for it.
    fetching: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

enum Content {
    File(Object),
    Folder(Tree),
}

/// A file of a root.
struct Found {
    root: Arc<Root>,
    /// Below the root; empty for the root itself.
    below: String,
    object: Object,
}

/// What was named and is no address, and why.
static BROKEN: Mutex<Vec<(String, Failure)>> = Mutex::new(vec![]);

static ROOTS: Mutex<Vec<Arc<Root>>> = Mutex::new(vec![]);

/// Stands for the version of what a server tells no version of: it is fetched again by each process.
static THIS_PROCESS: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", std::process::id(), now.as_nanos())
});

/// Which servers the environment names: a bucket of another one is another bucket.
static SERVERS: LazyLock<String> = LazyLock::new(|| {
    let named = [
        "AWS_ENDPOINT",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3",
        "AZURE_STORAGE_ACCOUNT_NAME",
        "AZURE_STORAGE_ENDPOINT",
        "AZURITE_BLOB_STORAGE_URL",
    ];
    named.map(|name| std::env::var(name).unwrap_or_default()).join("\n")
});

/// Adds what an address leads to. Nothing is asked of the server yet.
pub fn add(address: &Address) {
    let root = address.root();
    add_root(root.clone());
    // `runs/a.jsonl:12.7` may be the seventh step of the twelfth turn of `runs/a.jsonl`.
    if let Some((key, moment)) = root.key.rsplit_once(':')
        && moment.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        add(&Address { key: key.to_owned(), ..root.clone() });
    }
    // Newer tools put the companions of a log into a folder that is named after it.
    if !root.is_folder && !root.scheme.is_web() && root.key.ends_with(".jsonl") {
        let key = root.key.trim_end_matches(".jsonl").to_owned();
        add_root(Address { key, is_folder: true, ..root });
    }
}

/// Adds words that are meant as an address, and are none.
pub fn add_broken(shown: String, why: Failure) {
    BROKEN.lock().unwrap_or_else(PoisonError::into_inner).push((shown, why));
}

fn add_root(address: Address) {
    let shown = address.shown();
    let mut roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    if roots.iter().any(|root| root.shown == shown && root.address == address) {
        return;
    }
    let location = match address.scheme.is_web() {
        true => decoded(&address.key),
        false => address.key.clone(),
    };
    let (client, content, fetching) = Default::default();
    roots.push(Arc::new(Root { address, shown, location, client, content, fetching }));
}

/// What a part of an address of the web means.
fn decoded(key: &str) -> String {
    let path = object_store::path::Path::from_url_path(key);
    path.map_or_else(|_| key.to_owned(), |path| path.as_ref().to_owned())
}

/// The address as its parts are meant: `a/../b` is `b`. None where it leads out of its bucket.
fn plain(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|_| is_address(path))?;
    #[cfg(windows)]
    let text = &text.replace('\\', "/");
    let (scheme, rest) = text.split_once("://")?;
    let mut parts: Vec<&str> = vec![];
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(format!("{scheme}://{}", parts.join("/")))
}

/// The root that a path is of, the deepest of several, and what stands behind it.
fn root_of(path: &Path) -> Result<(Arc<Root>, String), Failure> {
    let broken = BROKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, why)) = broken.iter().find(|(shown, _)| Path::new(shown) == path) {
        return Err(why.clone());
    }
    drop(broken);
    let text = plain(path).ok_or_else(Failure::not_found)?;
    let roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let below = |root: &Arc<Root>| {
        let rest = text.strip_prefix(&root.shown)?;
        let is_here = rest.is_empty() || rest.starts_with('/');
        is_here.then(|| (Arc::clone(root), rest.trim_start_matches('/').to_owned()))
    };
    let found = roots.iter().filter_map(below).max_by_key(|(root, _)| root.shown.len());
    found.ok_or_else(Failure::not_found)
}

impl Root {
    fn client(&self) -> Result<&Client, Failure> {
        self.client.get_or_init(|| Client::of(&self.address)).as_ref().map_err(Clone::clone)
    }

    /// Asked for once; what failed stays so until the program is started again.
    fn content(&self) -> Result<&Content, Failure> {
        self.content.get_or_init(|| self.look()).as_ref().map_err(Clone::clone)
    }

    fn look(&self) -> Result<Content, Failure> {
        let client = self.client()?;
        if !self.address.is_folder {
            match client.start(&self.location, HEAD_BYTES as u64) {
                // Some stores have an empty object in the place of each folder.
                Ok(Start { object, .. }) if object.size == 0 && !self.address.scheme.is_web() => {
                    let tree = client.list(&self.location)?;
                    let is_file = tree.is_empty();
                    return Ok(if is_file { Content::File(object) } else { Content::Folder(tree) });
                }
                Ok(Start { object, bytes }) => {
                    let place = self.place("", &object, START)?;
                    cache::keep_bytes(&place, &bytes);
                    return Ok(Content::File(object));
                }
                Err(why) if why.kind == std::io::ErrorKind::NotFound => {}
                Err(why) => return Err(why),
            }
        }
        let tree = match client.list(&self.location) {
            // What is no file on a server that lists nothing is not there.
            Err(_) if self.address.scheme.is_web() && !self.address.is_folder => {
                return Err(Failure::not_found());
            }
            listed => listed?,
        };
        if tree.is_empty() { Err(Failure::not_found()) } else { Ok(Content::Folder(tree)) }
    }

    fn at(&self, below: &str) -> Result<Node<'_>, Failure> {
        match self.content()? {
            Content::File(object) if below.is_empty() => Ok(Node::File(object)),
            Content::File(_) => Err(Failure::not_found()),
            Content::Folder(tree) => tree.at(below).ok_or_else(Failure::not_found),
        }
    }

    fn key(&self, below: &str) -> String {
        match (self.location.as_str(), below) {
            (location, "") => location.to_owned(),
            ("", below) => below.to_owned(),
            (location, below) => format!("{location}/{below}"),
        }
    }

    /// Where an object of a version is kept.
    fn place(&self, below: &str, object: &Object, what: &str) -> Result<PathBuf, Failure> {
        let size = object.size.to_string();
        let modified =
            object.modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        let modified = modified.map(|it| it.as_nanos().to_string());
        let version = object.version.as_ref().or(modified.as_ref()).unwrap_or(&THIS_PROCESS);
        let holder = Address { key: String::new(), ..self.address.clone() }.shown();
        let parts = [holder.as_str(), SERVERS.as_str(), &self.key(below), version, &size];
        cache::place(&parts, what).map_err(|why| Failure::of_disk(&why))
    }
}

/// Ends of the names in the cache.
const START: &str = ".start";
const ALL: &str = "";
const REPOSITORY: &str = ".git";

fn found(path: &Path) -> Result<Found, Failure> {
    let (root, below) = root_of(path)?;
    let object = match root.at(&below)? {
        Node::File(object) => object.clone(),
        Node::Folder => return Err(Failure::other("it is a folder")),
    };
    Ok(Found { root, below, object })
}

pub fn meta(path: &Path) -> Result<Meta, Failure> {
    let (root, below) = root_of(path)?;
    Ok(match root.at(&below)? {
        Node::File(object) => Meta::of(Kind::File, object.size, object.modified),
        // What is known of a folder does not change while the program runs.
        Node::Folder => Meta::of(Kind::Folder, 0, Some(SystemTime::UNIX_EPOCH)),
    })
}

pub fn entries(folder: &Path) -> Result<Vec<String>, Failure> {
    let (root, below) = root_of(folder)?;
    match root.content()? {
        Content::Folder(tree) => Ok(tree.entries(&below)),
        Content::File(_) => Err(Failure::not_found()),
    }
}

pub fn start(path: &Path) -> Result<(Vec<u8>, u64), Failure> {
    found(path)?.start()
}

pub fn file(path: &Path) -> Result<PathBuf, Failure> {
    found(path)?.file()
}

pub fn read_at(path: &Path, start: u64, into: &mut [u8]) -> Result<usize, Failure> {
    found(path)?.read_at(start, into)
}

/// Whether all of a file, or of the one that it stands in, can be read without asking for more.
pub fn is_at_hand(path: &Path) -> bool {
    let Some(found) = path.ancestors().find_map(|path| found(path).ok()) else { return false };
    let size = found.object.size;
    if size <= HEAD_BYTES as u64 {
        return found.kept_start(size).is_ok_and(|bytes| bytes.is_some());
    }
    let place = found.root.place(&found.below, &found.object, ALL);
    place.is_ok_and(|place| place.is_file())
}

impl Found {
    fn start(&self) -> Result<(Vec<u8>, u64), Failure> {
        let size = self.object.size;
        let most = size.min(HEAD_BYTES as u64);
        if let Some(bytes) = self.kept_start(most)? {
            return Ok((bytes, size));
        }
        self.alone(|| match self.kept_start(most)? {
            Some(bytes) => Ok((bytes, size)),
            None => Ok((self.fetched_start(most)?, size)),
        })
    }

    fn fetched_start(&self, most: u64) -> Result<Vec<u8>, Failure> {
        let key = self.root.key(&self.below);
        let Start { object, bytes } = self.root.client()?.start(&key, HEAD_BYTES as u64)?;
        if !object.is_same_as(&self.object) || bytes.len() as u64 != most {
            return Err(Failure::changed());
        }
        cache::keep_bytes(&self.root.place(&self.below, &self.object, START)?, &bytes);
        Ok(bytes)
    }

    /// What is there already of the first bytes.
    fn kept_start(&self, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        if most == 0 {
            return Ok(Some(vec![]));
        }
        for what in [START, ALL] {
            let place = self.root.place(&self.below, &self.object, what)?;
            let Ok(file) = fs::File::open(place) else { continue };
            let mut bytes = vec![];
            if file.take(most).read_to_end(&mut bytes).is_ok() && bytes.len() as u64 == most {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn file(&self) -> Result<PathBuf, Failure> {
        let place = self.root.place(&self.below, &self.object, ALL)?;
        let is_there = || {
            fs::symlink_metadata(&place)
                .is_ok_and(|it| it.is_file() && it.len() == self.object.size)
        };
        if !is_there() {
            self.alone(|| if is_there() { Ok(()) } else { self.fetch(&place) })?;
        }
        Ok(place)
    }

    fn fetch(&self, place: &Path) -> Result<(), Failure> {
        let on_disk = |why: std::io::Error| Failure::of_disk(&why);
        let mut part = cache::new_file(place).map_err(on_disk)?;
        let start = match self.object.size <= HEAD_BYTES as u64 {
            true => self.kept_start(self.object.size)?,
            false => None,
        };
        match start {
            // The beginning was all of it.
            Some(bytes) => part.write_all(&bytes).map_err(on_disk)?,
            None => {
                let key = self.root.key(&self.below);
                self.root.client()?.fetch(&key, &self.object, part.as_file_mut())?;
            }
        }
        cache::keep(part, place).map_err(on_disk)
    }

    fn read_at(&self, start: u64, into: &mut [u8]) -> Result<usize, Failure> {
        let size = self.object.size;
        if start >= size || into.is_empty() {
            return Ok(0);
        }
        let place = self.root.place(&self.below, &self.object, ALL)?;
        let is_whole = size <= WHOLE || fs::metadata(&place).is_ok_and(|it| it.len() == size);
        if !is_whole {
            let number = start / BLOCK as u64;
            match self.block(number) {
                Ok(block) => {
                    let from = (start - number * BLOCK as u64) as usize;
                    let there = block.get(from..).unwrap_or_default();
                    let count = there.len().min(into.len());
                    into[..count].copy_from_slice(&there[..count]);
                    return Ok(count);
                }
                Err(why) if why.is_change() => return Err(why),
                // A server that knows no ranges sends all of it.
                Err(_) => {}
            }
        }
        let on_disk = |why: std::io::Error| Failure::of_disk(&why);
        let mut file = fs::File::open(self.file()?).map_err(on_disk)?;
        file.seek(SeekFrom::Start(start)).map_err(on_disk)?;
        file.read(into).map_err(on_disk)
    }

    /// One piece of the object; the last one is shorter.
    fn block(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let start = number * BLOCK as u64;
        let end = (start + BLOCK as u64).min(self.object.size);
        let place = self.root.place(&self.below, &self.object, &format!(".block-{number}"))?;
        let kept = || fs::read(&place).ok().filter(|bytes| bytes.len() as u64 == end - start);
        if let Some(bytes) = kept() {
            return Ok(bytes);
        }
        self.alone(|| {
            if let Some(bytes) = kept() {
                return Ok(bytes);
            }
            let key = self.root.key(&self.below);
            let bytes = self.root.client()?.range(&key, &self.object, start..end)?;
            cache::keep_bytes(&place, &bytes);
            Ok(bytes)
        })
    }

    /// Does something while nobody else fetches the file.
    fn alone<T>(&self, what: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let mut all = self.root.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = Arc::clone(all.entry(self.below.clone()).or_default());
        drop(all);
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        what()
    }
}

pub fn fetch_soon(paths: &[PathBuf], much: Much) {
    let wanted: Vec<&PathBuf> = paths.iter().filter(|path| is_address(path)).collect();
    let next = AtomicUsize::new(0);
    let fetch = || {
        while let Some(path) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let _ = match much {
                Much::Start => start(path).map(drop),
                Much::All => file(path).map(drop),
            };
        }
    };
    if wanted.len() < 2 {
        return;
    }
    thread::scope(|scope| {
        for _ in 0..wanted.len().min(AT_ONCE) {
            scope.spawn(fetch);
        }
    });
}

/// What of a repository is fetched: what is never read stays where it is.
const PARTS: [&str; 6] = ["HEAD", "packed-refs", "refs/", "objects/", "commondir", "gitdir"];

pub fn repository(path: &Path) -> Result<PathBuf, Failure> {
    let (root, below) = root_of(path)?;
    let Content::Folder(tree) = root.content()? else { return Err(Failure::not_found()) };
    let mut files = tree.below(&below);
    files.retain(|(name, object)| {
        let is_part =
            PARTS.iter().any(|part| name == part || part.ends_with('/') && name.starts_with(part));
        is_part && is_plain_name(name) && !(object.size == 0 && name.ends_with('/'))
    });
    if files.len() > MOST_FILES {
        return Err(Failure::other(format!("the repository has more than {MOST_FILES} files")));
    }
    let mut versions = String::new();
    for (name, object) in &files {
        versions += &format!("{name}\n{:?}\n", object);
    }
    let whole = Object { version: Some(versions), ..Object::default() };
    let place = root.place(&below, &whole, REPOSITORY)?;
    if place.is_dir() {
        return Ok(place);
    }
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| path.join(name)).collect();
    fetch_soon(&paths, Much::All);
    let on_disk = |why: std::io::Error| Failure::of_disk(&why);
    let parent = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(on_disk)?;
    let made = tempfile::Builder::new().prefix("part-").tempdir_in(parent).map_err(on_disk)?;
    for folder in ["objects", "refs"] {
        fs::create_dir_all(made.path().join(folder)).map_err(on_disk)?;
    }
    for ((name, _), path) in files.iter().zip(&paths) {
        let to = made.path().join(name);
        fs::create_dir_all(to.parent().unwrap_or(made.path())).map_err(on_disk)?;
        let from = file(path)?;
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)).map_err(on_disk)?;
    }
    // Where another program was quicker there is the same already.
    if fs::rename(made.path(), &place).is_err() && !place.is_dir() {
        return Err(Failure::other("the repository cannot be kept"));
    }
    Ok(place)
}

/// Whether a name of a list may be one of the disk: what git calls its files, and nothing that leads elsewhere.
fn is_plain_name(name: &str) -> bool {
    name.split('/').all(|part| {
        !matches!(part, "" | "." | "..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+@".contains(&byte))
    })
}
