//! Where the unit tests of all crates find their files. For tests alone: no crate depends on it but for them.

use std::path::{Path, PathBuf};

/// The top folder of the project, which has `sample-runs/`, `tests/` and `assets/`. The folder that cargo runs the tests of
/// a crate in, and `CARGO_MANIFEST_DIR` there, is the crate's own.
pub fn project() -> &'static str {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let top = crates.and_then(Path::parent).and_then(Path::to_str);
    top.expect("the crate lies in crates/testing of a folder whose path is text")
}

/// The folder of other people's recordings, which stay outside the project. A test that asks for it is ignored unless it
/// is asked for by `--ignored`, and fails where the folder is not named.
pub fn real_data() -> PathBuf {
    let folder = std::env::var_os("TRAJVIEW_REAL_DATA");
    folder.expect("TRAJVIEW_REAL_DATA names the folder of real recordings").into()
}
