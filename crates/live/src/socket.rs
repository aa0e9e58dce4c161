//! The sockets of a run, on Unix: through one an agent's programs reach the layers, through another its model server.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Serves the connections to a socket, each on a thread of its own, until it is dropped.
#[derive(Debug)]
pub struct SocketServer {
    path: PathBuf,
    is_over: Arc<AtomicBool>,
}

#[cfg(unix)]
type Connection = std::os::unix::net::UnixStream;

impl SocketServer {
    #[cfg(unix)]
    pub(crate) fn start(
        path: &Path,
        serve: impl Fn(Connection) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let _ = std::fs::remove_file(path); // a run that was killed left it
        let listener = std::os::unix::net::UnixListener::bind(path)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (seen, serve) = (Arc::clone(&is_over), Arc::new(serve));
        std::thread::Builder::new().name("socket".into()).spawn(move || {
            for stream in listener.incoming() {
                if seen.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let serve = Arc::clone(&serve);
                // A connection on which nothing comes does not block others; one without a thread is closed.
                let _ = std::thread::Builder::new().spawn(move || serve(stream));
            }
        })?;
        Ok(Self { path: path.to_owned(), is_over })
    }
}

impl Drop for SocketServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        #[cfg(unix)]
        let _ = Connection::connect(&self.path); // wakes it
        let _ = std::fs::remove_file(&self.path); // it goes with the folder
    }
}

/// The longest path of a socket (bytes).
const MAX_SOCKET_PATH: usize = 100;

/// The name of the socket of the layers in the folder of a run.
pub(crate) const SOCKET: &str = "layers.sock";

/// Returns the path of that socket: in its folder, or among the temporary files when that path is too long.
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
