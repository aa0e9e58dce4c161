//! Where the programs of an agent reach the layers of its run.

use std::path::{Path, PathBuf};

/// Longer paths are no names of sockets (bytes).
const MOST_OF_A_PATH: usize = 100;

/// The name of the socket in the folder of a run.
pub const SOCKET: &str = "layers.sock";

/// Where the socket of a run is: in its folder, or where that is too deep among the temporary files.
pub fn place(folder: &Path, id: &str) -> PathBuf {
    let inside = folder.join(SOCKET);
    if inside.as_os_str().len() <= MOST_OF_A_PATH {
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
        assert!(place(&deep, "a-b/c").ends_with("trajview-abc.sock"));
        assert_eq!(place(Path::new("/run"), "a"), Path::new("/run/layers.sock"));
    }
}
