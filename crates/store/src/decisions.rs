//! Decision stores on the disk.

use std::path::Path;

use trajview_metrics::decisions::DecisionStore;

use super::{Archive, disk, error_reason};

/// The most bytes of a store that are read.
const MOST_BYTES: u64 = 64 << 20;

/// The name of the file of code links beside a store.
const LINKS_FILE: &str = "code-links.json";

/// The name of the store of a bundle.
pub const STORE_FILE: &str = "decisions.json";

/// The sentence for a recording that is no bundle, whose decisions cannot be kept.
pub const NO_BUNDLE: &str = "not a run bundle, so decisions cannot be saved; `trajview decisions RUN --extract --out FILE` writes them elsewhere";

/// Returns the count with its noun: `3 decisions`.
pub fn count_text(count: usize) -> String {
    if count == 1 { "1 decision".into() } else { format!("{count} decisions") }
}

/// Returns a store, with the code links beside it. The error is a sentence with the path.
pub fn read_store(path: &Path) -> Result<DecisionStore, String> {
    let shown = path.display();
    let text =
        read_text(path).map_err(|why| format!("cannot read {shown}: {}", error_reason(&why)))?;
    let mut store = DecisionStore::parse(&text).map_err(|why| format!("{shown}: {why}"))?;
    store.origin = Some(path.to_owned());
    let links = path.with_file_name(LINKS_FILE);
    if disk::is_file(&links) {
        let linked = read_text(&links).map_err(|why| error_reason(&why));
        if let Err(why) = linked.and_then(|text| store.add_links(&text)) {
            store.warnings.push(format!("{}: {why}", links.display()));
        }
    }
    Ok(store)
}

/// Returns the store of a bundle, `decisions.json`; None where it has none. The error is a sentence with the path.
pub fn bundle_store(bundle: &Path) -> Option<Result<DecisionStore, String>> {
    let path = bundle.join(STORE_FILE);
    disk::is_file(&path).then(|| read_store(&path))
}

fn read_text(path: &Path) -> std::io::Result<String> {
    let meta = disk::metadata(path)?;
    if meta.len() > MOST_BYTES {
        let why = format!("it has more than {} MiB", MOST_BYTES >> 20);
        return Err(std::io::Error::other(why));
    }
    Ok(String::from_utf8_lossy(&disk::read_file(path)?).into_owned())
}

/// Returns the store at a path, else that of the bundle; None where there is neither. The error is a sentence with the
/// path.
pub fn store_of_run(
    archive: &Archive,
    named: Option<&Path>,
) -> Option<Result<DecisionStore, String>> {
    match named {
        Some(path) => Some(read_store(path)),
        None => bundle_store(archive.bundle()?),
    }
}
