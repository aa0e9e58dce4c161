//! The socket through which an agent's programs reach the layers of its run.

use std::path::{Path, PathBuf};

/// The longest path of a socket (bytes).
const MAX_SOCKET_PATH: usize = 100;

/// The name of the socket in the folder of a run.
pub(crate) const SOCKET: &str = "layers.sock";

/// Returns the path of a run's socket: in its folder, or among the temporary files when that path is too long.
pub(crate) fn socket_path(folder: &Path, id: &str) -> PathBuf {
    let inside = folder.join(SOCKET);
    if inside.as_os_str().len() <= MAX_SOCKET_PATH {
        return inside;
    }
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    std::env::temp_dir().join(format!("trajview-{id}.sock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_a_name_that_is_short_enough() {
        let deep = PathBuf::from("/").join("x".repeat(200));
        assert!(socket_path(&deep, "a-b/c").ends_with("trajview-abc.sock"));
        assert_eq!(socket_path(Path::new("/run"), "a"), Path::new("/run/layers.sock"));
    }
}
