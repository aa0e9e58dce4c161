//! Gives an agent without a network access to the model server of this machine: a sandbox with a loopback of its own, in
//! which one port leads out.
//!
//! Outside, a relay listens on a socket in the agent's folder and connects to the server. Inside, `trajview
//! inside` listens on the server's port, passes the bytes to that socket, and runs the agent's program. Nothing else can be
//! reached.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{run_folders::host_and_port, setup::RunSetup, socket::SocketServer};

/// The name of the socket in the folder of a run.
pub(crate) const SOCKET: &str = "model.sock";

/// The route out of a sandbox: the server, and the socket that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRoute {
    pub host: String,
    pub port: u16,
    pub socket: PathBuf,
}

impl ServerRoute {
    /// Returns the route to the model server of a run. The error is a sentence.
    pub fn to_model_server(setup: &RunSetup, work: &Path) -> Result<Self, String> {
        let found = setup.server_url().and_then(host_and_port);
        let here = found
            .filter(|(host, _)| host == "localhost" || host == "::1" || host.starts_with("127."));
        let (host, port) = here.ok_or(
            "--network loopback leads to a model server on this machine alone: --base-url http://127.0.0.1:PORT",
        )?;
        Ok(Self { host, port, socket: work.join(SOCKET) })
    }
}

#[cfg(unix)]
mod system {
    use std::{
        net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream},
        os::unix::{net::UnixStream, process::ExitStatusExt},
        process::Command,
        thread,
    };

    use super::*;

    /// Opens the outer end of the route.
    pub(crate) fn start_relay(route: &ServerRoute) -> io::Result<SocketServer> {
        let (host, port) = (route.host.clone(), route.port);
        SocketServer::start(&route.socket, move |inner| {
            // A server that cannot be reached closes the connection: the agent sees no answer.
            if let Ok(outer) = TcpStream::connect((host.as_str(), port)) {
                copy_both_ways(inner, outer);
            }
        })
    }

    /// Copies the bytes of both directions, each until its end.
    fn copy_both_ways(inner: UnixStream, outer: TcpStream) {
        let (Ok(from_inner), Ok(from_outer)) = (inner.try_clone(), outer.try_clone()) else {
            return;
        };
        let there = move || {
            let (mut from, mut to) = (from_inner, outer);
            let _ = io::copy(&mut from, &mut to); // either side may close it
            let _ = to.shutdown(Shutdown::Write);
        };
        let back = move || {
            let (mut from, mut to) = (from_outer, inner);
            let _ = io::copy(&mut from, &mut to); // as above
            let _ = to.shutdown(Shutdown::Write);
        };
        thread::spawn(there);
        thread::spawn(back);
    }

    /// Runs a program where this port leads to that socket; returns its exit code, as a shell would.
    pub fn run_inside(port: u16, socket: &Path, words: &[String]) -> io::Result<i32> {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let second = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).ok();
        for listener in std::iter::once(first).chain(second) {
            let socket = socket.to_owned();
            thread::spawn(move || {
                for outer in listener.incoming().flatten() {
                    if let Ok(inner) = UnixStream::connect(&socket) {
                        copy_both_ways(inner, outer);
                    }
                }
            });
        }
        let (program, args) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let status = Command::new(program).args(args).status()?;
        Ok(status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1))
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub(crate) fn start_relay(_route: &ServerRoute) -> io::Result<SocketServer> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Runs a program where this port leads to that socket.
    pub fn run_inside(_port: u16, _socket: &Path, _words: &[String]) -> io::Result<i32> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

pub use system::run_inside;
pub(crate) use system::start_relay;

#[cfg(all(test, unix))]
mod tests {
    use std::{
        io::{Read, Write},
        net::{TcpListener, TcpStream},
    };

    use super::*;

    #[test]
    fn one_port_leads_out_and_back() {
        let place = tempfile::tempdir().unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let route =
            ServerRoute { host: "127.0.0.1".into(), port, socket: place.path().join(SOCKET) };
        let relay = start_relay(&route).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut asked = [0; 4];
            stream.read_exact(&mut asked).unwrap();
            stream.write_all(&[&asked[..], b" too"].concat()).unwrap();
        });

        let code =
            run_inside(free, &route.socket, &["sh".into(), "-c".into(), "exit 3".into()]).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", free)).unwrap();
        stream.write_all(b"this").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();

        assert_eq!((code, answer.as_str()), (3, "this too"));
        drop(relay);
        assert!(!route.socket.exists());
    }

    #[test]
    fn a_server_elsewhere_is_not_led_to() {
        let mut setup = RunSetup::new("codex", "w".into());
        assert!(ServerRoute::to_model_server(&setup, Path::new("/w")).is_err());
        setup.provider.base_url = Some("https://example.com/v1".into());
        assert!(
            ServerRoute::to_model_server(&setup, Path::new("/w"))
                .unwrap_err()
                .contains("on this machine alone")
        );
        setup.provider.base_url = Some("http://localhost:8080/v1".into());
        let route = ServerRoute::to_model_server(&setup, Path::new("/w")).unwrap();
        assert_eq!((route.port, route.socket), (8080, "/w/model.sock".into()));
    }
}
