//! The roots of the command line, with their listings and contents.

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

use crate::path_meta::{PathKind, PathMeta};
use trajview_formats::HEAD_BYTES;
use trajview_run::address::{Address, is_address};

use super::{
    BLOCK_BYTES, FetchAmount, RemoteFailure, fetched_objects,
    remote_tree::{RemoteNode, RemoteObject, RemoteTree},
    store_client::{ObjectStart, StoreClient},
};

/// The most concurrent requests of [`fetch_soon`].
const AT_ONCE: usize = 16;

/// A file of no more bytes is fetched whole wherever it is read.
const WHOLE_UP_TO: u64 = 1 << 20;

/// The most files of a repository.
const MOST_FILES: usize = 100_000;

/// A place that was named.
struct RemoteRoot {
    address: Address,
    display_path: String,
    /// The key as the store knows it.
    location: String,
    client: OnceLock<Result<StoreClient, RemoteFailure>>,
    content: OnceLock<Result<RootContent, RemoteFailure>>,
    /// A lock for each file, so that a file is fetched once.
    fetching: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

enum RootContent {
    File(RemoteObject),
    Folder(RemoteTree),
}

/// A file of a root.
struct RemoteFile {
    root: Arc<RemoteRoot>,
    /// The path below the root; empty for the root itself.
    below: String,
    object: RemoteObject,
}

/// The arguments of the command line that are no addresses, and the reasons.
static BROKEN: Mutex<Vec<(String, RemoteFailure)>> = Mutex::new(vec![]);

static ROOTS: Mutex<Vec<Arc<RemoteRoot>>> = Mutex::new(vec![]);

/// The version of an object for which the server has none: each process fetches it again.
static THIS_PROCESS: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", std::process::id(), now.as_nanos())
});

/// The servers that the environment names: the same bucket on another server is another bucket.
static SERVERS: LazyLock<String> = LazyLock::new(|| {
    let named = [
        "AWS_ENDPOINT",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3",
        "AZURE_STORAGE_ACCOUNT_NAME",
        "AZURE_STORAGE_ENDPOINT",
        "AZURITE_BLOB_STORAGE_URL",
        "HF_ENDPOINT",
    ];
    named.map(|name| std::env::var(name).unwrap_or_default()).join("\n")
});

/// Adds the root of an address. No request is made yet.
pub(crate) fn add_address(address: &Address) {
    let root = address.containing_address();
    add_root(root.clone());
    // `runs/a.jsonl:12.7` may be the seventh step of the twelfth turn of `runs/a.jsonl`.
    if let Some((key, moment)) = root.key.rsplit_once(':')
        && moment.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        add_address(&Address { key: key.to_owned(), ..root.clone() });
    }
    // Newer tools put the companions of a log into a folder that is named after it.
    if !root.is_folder && !root.scheme.is_web() && root.key.ends_with(".jsonl") {
        let key = root.key.trim_end_matches(".jsonl").to_owned();
        add_root(Address { key, is_folder: true, ..root });
    }
}

/// Adds words that are meant as an address, and are none.
pub(crate) fn add_broken(shown_path: String, why: RemoteFailure) {
    BROKEN.lock().unwrap_or_else(PoisonError::into_inner).push((shown_path, why));
}

fn add_root(address: Address) {
    let display_path = address.display_path();
    let mut roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    if roots.iter().any(|root| root.display_path == display_path && root.address == address) {
        return;
    }
    let location = match address.scheme.is_web() {
        true => decode_key(&address.key),
        false => address.key.clone(),
    };
    let (client, content, fetching) = Default::default();
    roots.push(Arc::new(RemoteRoot { address, display_path, location, client, content, fetching }));
}

/// Decodes the escapes of a part of a web address.
fn decode_key(key: &str) -> String {
    let path = object_store::path::Path::from_url_path(key);
    path.map_or_else(|_| key.to_owned(), |path| path.as_ref().to_owned())
}

/// Returns the address as its parts are meant: `a/../b` is `b`. None where it leads out of its bucket.
fn normal_address(path: &Path) -> Option<String> {
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

/// Returns the root of a path, the deepest of several, and the rest of the path.
fn root_of(path: &Path) -> Result<(Arc<RemoteRoot>, String), RemoteFailure> {
    let broken = BROKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, why)) = broken.iter().find(|(shown, _)| Path::new(shown) == path) {
        return Err(why.clone());
    }
    drop(broken);
    let text = normal_address(path).ok_or_else(RemoteFailure::not_found)?;
    let roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let below = |root: &Arc<RemoteRoot>| {
        let rest = text.strip_prefix(&root.display_path)?;
        let is_here = rest.is_empty() || rest.starts_with('/');
        is_here.then(|| (Arc::clone(root), rest.trim_start_matches('/').to_owned()))
    };
    let nearest = roots.iter().filter_map(below).max_by_key(|(root, _)| root.display_path.len());
    nearest.ok_or_else(RemoteFailure::not_found)
}

impl RemoteRoot {
    fn client(&self) -> Result<&StoreClient, RemoteFailure> {
        self.client
            .get_or_init(|| StoreClient::for_address(&self.address))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Returns the content, which is requested once; a failure stays until the program is started again.
    fn root_content(&self) -> Result<&RootContent, RemoteFailure> {
        self.content.get_or_init(|| self.read_content()).as_ref().map_err(Clone::clone)
    }

    fn read_content(&self) -> Result<RootContent, RemoteFailure> {
        let client = self.client()?;
        if !self.address.is_folder {
            match client.read_start(&self.location, HEAD_BYTES as u64) {
                // Some stores have an empty object in the place of each folder.
                Ok(ObjectStart { object, .. })
                    if object.size == 0 && !self.address.scheme.is_web() =>
                {
                    let tree = client.list_objects(&self.location)?;
                    let is_file = tree.is_empty();
                    return Ok(if is_file {
                        RootContent::File(object)
                    } else {
                        RootContent::Folder(tree)
                    });
                }
                Ok(ObjectStart { object, bytes }) => {
                    let place = self.cache_path("", &object, START_SUFFIX)?;
                    fetched_objects::keep_bytes(&place, &bytes);
                    return Ok(RootContent::File(object));
                }
                Err(why) if why.kind == std::io::ErrorKind::NotFound => {}
                Err(why) => return Err(why),
            }
        }
        let tree = match client.list_objects(&self.location) {
            // What is no file on a server that lists nothing is not there.
            Err(_) if self.address.scheme.is_web() && !self.address.is_folder => {
                return Err(RemoteFailure::not_found());
            }
            listed => listed?,
        };
        if tree.is_empty() {
            Err(RemoteFailure::not_found())
        } else {
            Ok(RootContent::Folder(tree))
        }
    }

    fn node_at(&self, below: &str) -> Result<RemoteNode<'_>, RemoteFailure> {
        match self.root_content()? {
            RootContent::File(object) if below.is_empty() => Ok(RemoteNode::File(object)),
            RootContent::File(_) => Err(RemoteFailure::not_found()),
            RootContent::Folder(tree) => tree.node_at(below).ok_or_else(RemoteFailure::not_found),
        }
    }

    fn object_key(&self, below: &str) -> String {
        match (self.location.as_str(), below) {
            (location, "") => location.to_owned(),
            ("", below) => below.to_owned(),
            (location, below) => format!("{location}/{below}"),
        }
    }

    /// Returns the path of a cached version of an object.
    fn cache_path(
        &self,
        below: &str,
        object: &RemoteObject,
        what: &str,
    ) -> Result<PathBuf, RemoteFailure> {
        let size = object.size.to_string();
        let modified =
            object.modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        let modified = modified.map(|it| it.as_nanos().to_string());
        let version = object.version.as_ref().or(modified.as_ref()).unwrap_or(&THIS_PROCESS);
        let holder = Address { key: String::new(), ..self.address.clone() }.display_path();
        let parts = [holder.as_str(), SERVERS.as_str(), &self.object_key(below), version, &size];
        fetched_objects::object_path(&parts, what)
            .map_err(|why| RemoteFailure::from_disk_error(&why))
    }
}

/// The ends of the names in the cache.
const START_SUFFIX: &str = ".start";
const ALL_SUFFIX: &str = "";
const REPOSITORY_SUFFIX: &str = ".git";

fn find_file(path: &Path) -> Result<RemoteFile, RemoteFailure> {
    let (root, below) = root_of(path)?;
    let object = match root.node_at(&below)? {
        RemoteNode::File(object) => object.clone(),
        RemoteNode::Folder => return Err(RemoteFailure::from_text("it is a folder")),
    };
    Ok(RemoteFile { root, below, object })
}

pub(crate) fn path_meta(path: &Path) -> Result<PathMeta, RemoteFailure> {
    let (root, below) = root_of(path)?;
    Ok(match root.node_at(&below)? {
        RemoteNode::File(object) => {
            PathMeta::for_address(PathKind::File, object.size, object.modified)
        }
        // The listing of a folder does not change while the program runs.
        RemoteNode::Folder => {
            PathMeta::for_address(PathKind::Folder, 0, Some(SystemTime::UNIX_EPOCH))
        }
    })
}

pub(crate) fn entry_names(folder: &Path) -> Result<Vec<String>, RemoteFailure> {
    let (root, below) = root_of(folder)?;
    match root.root_content()? {
        RootContent::Folder(tree) => Ok(tree.entry_names(&below)),
        RootContent::File(_) => Err(RemoteFailure::not_found()),
    }
}

pub fn read_start(path: &Path) -> Result<(Vec<u8>, u64), RemoteFailure> {
    find_file(path)?.read_start()
}

pub(crate) fn fetch_file(path: &Path) -> Result<PathBuf, RemoteFailure> {
    find_file(path)?.local_file()
}

pub fn read_at(path: &Path, start: u64, into: &mut [u8]) -> Result<usize, RemoteFailure> {
    find_file(path)?.read_at(start, into)
}

/// Returns whether all of a file, or of its container, can be read without another request.
pub fn is_cached(path: &Path) -> bool {
    let Some(found) = path.ancestors().find_map(|path| find_file(path).ok()) else { return false };
    let size = found.object.size;
    if size <= HEAD_BYTES as u64 {
        return found.cached_start(size).is_ok_and(|bytes| bytes.is_some());
    }
    let place = found.root.cache_path(&found.below, &found.object, ALL_SUFFIX);
    place.is_ok_and(|place| place.is_file())
}

impl RemoteFile {
    fn read_start(&self) -> Result<(Vec<u8>, u64), RemoteFailure> {
        let size = self.object.size;
        let most = size.min(HEAD_BYTES as u64);
        if let Some(bytes) = self.cached_start(most)? {
            return Ok((bytes, size));
        }
        self.with_file_lock(|| match self.cached_start(most)? {
            Some(bytes) => Ok((bytes, size)),
            None => Ok((self.fetch_start(most)?, size)),
        })
    }

    fn fetch_start(&self, most: u64) -> Result<Vec<u8>, RemoteFailure> {
        let key = self.root.object_key(&self.below);
        let ObjectStart { object, bytes } =
            self.root.client()?.read_start(&key, HEAD_BYTES as u64)?;
        if !object.is_same_as(&self.object) || bytes.len() as u64 != most {
            return Err(RemoteFailure::changed_while_read());
        }
        fetched_objects::keep_bytes(
            &self.root.cache_path(&self.below, &self.object, START_SUFFIX)?,
            &bytes,
        );
        Ok(bytes)
    }

    /// Returns the cached first bytes; None where they are not cached.
    fn cached_start(&self, most: u64) -> Result<Option<Vec<u8>>, RemoteFailure> {
        if most == 0 {
            return Ok(Some(vec![]));
        }
        for what in [START_SUFFIX, ALL_SUFFIX] {
            let place = self.root.cache_path(&self.below, &self.object, what)?;
            let Ok(file) = fs::File::open(place) else { continue };
            let mut bytes = vec![];
            if file.take(most).read_to_end(&mut bytes).is_ok() && bytes.len() as u64 == most {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn local_file(&self) -> Result<PathBuf, RemoteFailure> {
        let place = self.root.cache_path(&self.below, &self.object, ALL_SUFFIX)?;
        let is_there = || {
            fs::symlink_metadata(&place)
                .is_ok_and(|it| it.is_file() && it.len() == self.object.size)
        };
        if !is_there() {
            self.with_file_lock(|| if is_there() { Ok(()) } else { self.fetch_into(&place) })?;
        }
        Ok(place)
    }

    fn fetch_into(&self, place: &Path) -> Result<(), RemoteFailure> {
        let on_disk = |why: std::io::Error| RemoteFailure::from_disk_error(&why);
        let mut part = fetched_objects::new_file(place).map_err(on_disk)?;
        let start = match self.object.size <= HEAD_BYTES as u64 {
            true => self.cached_start(self.object.size)?,
            false => None,
        };
        match start {
            // The beginning was all of it.
            Some(bytes) => part.write_all(&bytes).map_err(on_disk)?,
            None => {
                let key = self.root.object_key(&self.below);
                self.root.client()?.fetch_object(&key, &self.object, part.as_file_mut())?;
            }
        }
        fetched_objects::keep_file(part, place).map_err(on_disk)
    }

    fn read_at(&self, start: u64, into: &mut [u8]) -> Result<usize, RemoteFailure> {
        let size = self.object.size;
        if start >= size || into.is_empty() {
            return Ok(0);
        }
        let place = self.root.cache_path(&self.below, &self.object, ALL_SUFFIX)?;
        let is_whole = size <= WHOLE_UP_TO || fs::metadata(&place).is_ok_and(|it| it.len() == size);
        if !is_whole {
            let number = start / BLOCK_BYTES as u64;
            match self.read_block(number) {
                Ok(block) => {
                    let from = (start - number * BLOCK_BYTES as u64) as usize;
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
        let on_disk = |why: std::io::Error| RemoteFailure::from_disk_error(&why);
        let mut file = fs::File::open(self.local_file()?).map_err(on_disk)?;
        file.seek(SeekFrom::Start(start)).map_err(on_disk)?;
        file.read(into).map_err(on_disk)
    }

    /// Reads one piece of the object; the last one is shorter.
    fn read_block(&self, number: u64) -> Result<Vec<u8>, RemoteFailure> {
        let start = number * BLOCK_BYTES as u64;
        let end = (start + BLOCK_BYTES as u64).min(self.object.size);
        let place = self.root.cache_path(&self.below, &self.object, &format!(".block-{number}"))?;
        let cached = || fs::read(&place).ok().filter(|bytes| bytes.len() as u64 == end - start);
        if let Some(bytes) = cached() {
            return Ok(bytes);
        }
        self.with_file_lock(|| {
            if let Some(bytes) = cached() {
                return Ok(bytes);
            }
            let key = self.root.object_key(&self.below);
            let bytes = self.root.client()?.read_range(&key, &self.object, start..end)?;
            fetched_objects::keep_bytes(&place, &bytes);
            Ok(bytes)
        })
    }

    /// Runs `what` while no other thread fetches the file.
    fn with_file_lock<T>(
        &self,
        what: impl FnOnce() -> Result<T, RemoteFailure>,
    ) -> Result<T, RemoteFailure> {
        let mut all = self.root.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = Arc::clone(all.entry(self.below.clone()).or_default());
        drop(all);
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        what()
    }
}

/// Fetches several files at once, so that reading them does not wait; failures are found when they are read.
pub(crate) fn fetch_soon(paths: &[PathBuf], much: FetchAmount) {
    let addresses: Vec<&PathBuf> = paths.iter().filter(|path| is_address(path)).collect();
    let next = AtomicUsize::new(0);
    let fetch = || {
        while let Some(path) = addresses.get(next.fetch_add(1, Ordering::Relaxed)) {
            let _ = match much {
                FetchAmount::Start => read_start(path).map(drop),
                FetchAmount::All => fetch_file(path).map(drop),
            };
        }
    };
    if addresses.len() < 2 {
        return;
    }
    thread::scope(|scope| {
        for _ in 0..addresses.len().min(AT_ONCE) {
            scope.spawn(fetch);
        }
    });
}

/// The parts of a repository that are fetched; the rest is never read.
const REPOSITORY_PARTS: [&str; 6] =
    ["HEAD", "packed-refs", "refs/", "objects/", "commondir", "gitdir"];

/// Fetches the files of a git repository, and returns their folder.
pub(crate) fn fetch_repository(path: &Path) -> Result<PathBuf, RemoteFailure> {
    let (root, below) = root_of(path)?;
    let RootContent::Folder(tree) = root.root_content()? else {
        return Err(RemoteFailure::not_found());
    };
    let mut files = tree.objects_below(&below);
    files.retain(|(name, object)| {
        let is_part = REPOSITORY_PARTS
            .iter()
            .any(|part| name == part || part.ends_with('/') && name.starts_with(part));
        is_part && is_plain_name(name) && !(object.size == 0 && name.ends_with('/'))
    });
    if files.len() > MOST_FILES {
        return Err(RemoteFailure::from_text(format!(
            "the repository has more than {MOST_FILES} files"
        )));
    }
    let mut versions = String::new();
    for (name, object) in &files {
        versions += &format!("{name}\n{:?}\n", object);
    }
    let whole = RemoteObject { version: Some(versions), ..RemoteObject::default() };
    let place = root.cache_path(&below, &whole, REPOSITORY_SUFFIX)?;
    if place.is_dir() {
        return Ok(place);
    }
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| path.join(name)).collect();
    fetch_soon(&paths, FetchAmount::All);
    let on_disk = |why: std::io::Error| RemoteFailure::from_disk_error(&why);
    let parent = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(on_disk)?;
    let made = tempfile::Builder::new().prefix("part-").tempdir_in(parent).map_err(on_disk)?;
    for folder in ["objects", "refs"] {
        fs::create_dir_all(made.path().join(folder)).map_err(on_disk)?;
    }
    for ((name, _), path) in files.iter().zip(&paths) {
        let to = made.path().join(name);
        fs::create_dir_all(to.parent().unwrap_or(made.path())).map_err(on_disk)?;
        let from = fetch_file(path)?;
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)).map_err(on_disk)?;
    }
    // Where another program was quicker there is the same already.
    if fs::rename(made.path(), &place).is_err() && !place.is_dir() {
        return Err(RemoteFailure::from_text("cannot store the repository"));
    }
    Ok(place)
}

/// Returns whether a name of a list may be one of the disk: what git calls its files, and nothing that leads elsewhere.
fn is_plain_name(name: &str) -> bool {
    name.split('/').all(|part| {
        !matches!(part, "" | "." | "..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+@".contains(&byte))
    })
}
