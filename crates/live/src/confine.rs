//! Hides files from an agent: the bundle, which has its next requests and the checklist by which it is judged.
//!
//! On Linux every process of an agent starts in mount and user namespaces of its own, in which an empty read-only folder
//! covers each hidden folder. The agent cannot remove the cover, and it cannot open the files of `/proc` that lead around
//! it (`root`, `cwd`, `fd`, `environ` of processes outside). On systems without such namespaces nothing is hidden, and
//! [`Confinement::hiding_problem`] says why. This is no sandbox: an agent can still ask another program of the person (a
//! daemon, a disk) to read a file for it.

#![allow(unsafe_code, reason = "namespaces are entered between fork and exec")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    loopback::ServerRoute,
    sandbox::{SandboxWrapper, SandboxedProcess},
    setup::RunSetup,
};

/// Folders and files that the agent's processes cannot see, by their real paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    hidden: Vec<PathBuf>,
    /// The mount source name of the covers; see [`mount_mark`].
    mark: String,
    /// The sandbox that hides them instead, if one is set up.
    wrapper: Option<SandboxWrapper>,
}

/// At most this many runs beside the bundle are hidden.
const MAX_SIBLINGS: usize = 2_000;

impl Confinement {
    /// Hides the bundle, the runs beside it, and the files the run was made of.
    pub fn for_run(bundle: &Path, setup: &RunSetup) -> Self {
        let wanted = std::iter::once(bundle.to_owned())
            .chain(setup.folders.hidden.iter().map(|path| bundle_of_file(path)))
            .chain(sibling_bundles(bundle));
        let work = real_path(&setup.folders.work);
        let mut hidden: Vec<PathBuf> = wanted.filter_map(|path| real_path(&path)).collect();
        hidden.retain(|path| work.as_ref().is_none_or(|work| !work.starts_with(path)));
        hidden.sort();
        hidden.dedup_by(|path, before| path.starts_with(before));
        let work = work.unwrap_or_else(|| setup.folders.work.clone());
        let wrapper = SandboxWrapper::for_run(setup, &work, &hidden);
        Self { hidden, wrapper, ..Self::default() }
    }

    /// Sets the mark by which the processes of a run are recognised.
    pub(crate) fn with_mark(self, run: &str) -> Self {
        Self { mark: mount_mark(run), ..self }
    }

    /// Returns only the sandbox of a run, with nothing hidden.
    pub fn sandbox_only(setup: &RunSetup, work: &Path) -> Self {
        Self { wrapper: SandboxWrapper::for_run(setup, work, &[]), ..Self::default() }
    }

    /// Removes the hidden files and keeps the sandbox.
    pub(crate) fn without_hiding(self) -> Self {
        let wrapper = self.wrapper.map(SandboxWrapper::without_hiding);
        Self { wrapper, ..Self::default() }
    }

    /// Returns why nothing can be hidden here; a sentence. Tested with a process that ends before it becomes a program.
    pub fn hiding_problem(&self) -> Option<String> {
        match &self.wrapper {
            Some(wrapper) => wrapper.sandbox_problem(),
            None => system::probe_namespaces(&self.hidden),
        }
    }

    pub(crate) const fn has_sandbox(&self) -> bool {
        self.wrapper.is_some()
    }

    /// Returns the route to the model server that a relay has to serve; None when there is none.
    pub(crate) fn server_route(&self) -> Option<&ServerRoute> {
        self.wrapper.as_ref().and_then(SandboxWrapper::server_route)
    }

    /// Returns a command that starts a program which cannot see anything hidden.
    pub(crate) fn wrapped_command(&self, inside: &SandboxedProcess<'_>) -> Command {
        if let Some(wrapper) = &self.wrapper {
            return wrapper.wrap_process(inside);
        }
        let mut command = Command::new(inside.program);
        command.args(inside.args).env_clear().envs(inside.environment).current_dir(inside.folder);
        command
    }

    /// Hides the files from an existing command, between fork and exec.
    pub(crate) fn hide_from(&self, command: &mut Command) -> io::Result<()> {
        let is_done = self.hidden.is_empty() || self.has_sandbox();
        if is_done { Ok(()) } else { system::hide_in_child(&self.hidden, &self.mark, command) }
    }
}

/// Returns the name of a run's covers in the list of mounts. Every process that an agent started has them, whatever it did
/// to its session and its environment, and none can remove them.
pub(crate) fn mount_mark(run: &str) -> String {
    format!("trajview-live-{run}")
}

fn real_path(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Returns the bundle that a file is part of, or else the file.
fn bundle_of_file(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| is_bundle(folder));
    folder.unwrap_or(path).to_owned()
}

fn is_bundle(folder: &Path) -> bool {
    folder.join("run.json").is_file() || folder.join("live.jsonl").is_file()
}

fn sibling_bundles(bundle: &Path) -> Vec<PathBuf> {
    let parent = real_path(bundle).and_then(|path| path.parent().map(Path::to_owned));
    let entries = parent.and_then(|parent| fs::read_dir(parent).ok());
    let folders = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    folders.filter(|folder| is_bundle(folder)).take(MAX_SIBLINGS).collect()
}

#[cfg(target_os = "linux")]
mod system {
    use std::{
        ffi::{CStr, CString},
        fs, io,
        os::{
            fd::{AsRawFd, OwnedFd},
            unix::{ffi::OsStrExt, process::CommandExt},
        },
        path::{Path, PathBuf},
        process::Command,
        thread,
    };

    use rustix::{
        fs::{Mode, OFlags},
        io::Errno,
        mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change},
        pipe::{PipeFlags, pipe_with},
        process::{geteuid, getpid},
        thread::{UnshareFlags, unshare_unsafe},
    };

    /// A folder or a file that is covered.
    struct CoveredPlace {
        path: CString,
        is_folder: bool,
    }

    fn covered_place(path: &PathBuf) -> io::Result<CoveredPlace> {
        let is_folder = fs::metadata(path)?.is_dir();
        Ok(CoveredPlace { path: CString::new(path.as_os_str().as_bytes())?, is_folder })
    }

    pub(crate) fn hide_in_child(
        hidden: &[PathBuf],
        mark: &str,
        command: &mut Command,
    ) -> io::Result<()> {
        let enter = enter_namespaces(hidden, mark)?;
        // SAFETY: between fork and exec `enter` makes system calls alone; its memory was set aside before.
        unsafe { command.pre_exec(enter) };
        Ok(())
    }

    /// Tries in a process of its own whether folders can be hidden. Returns why not as a sentence; None where they can.
    pub(crate) fn probe_namespaces(hidden: &[PathBuf]) -> Option<String> {
        let Some(first) = hidden.first().map(|path| path.as_os_str().as_bytes()) else {
            return Some("nothing to hide".into());
        };
        let tried = CString::new(first).map_err(io::Error::from).and_then(|path| {
            let mut enter = enter_namespaces(hidden, "")?;
            let mut command = Command::new("/proc/self/exe");
            let attempt = move || {
                enter()?;
                // The answer comes back as an error: the process is not wanted any further.
                Err(if is_covered(&path) { Errno::CANCELED } else { Errno::EXIST }.into())
            };
            // SAFETY: as above; opening and listing a folder are system calls too.
            unsafe { command.pre_exec(attempt) };
            command.spawn().map(|_| ())
        });
        match tried {
            Err(why) if why.raw_os_error() == Some(Errno::CANCELED.raw_os_error()) => None,
            Err(why) if why.raw_os_error() == Some(Errno::EXIST.raw_os_error()) => {
                Some("a mount of this system's had no effect".into())
            }
            Err(why) => {
                Some(format!("this system does not allow user and mount namespaces ({why})"))
            }
            Ok(()) => Some("a process could not be tried".into()),
        }
    }

    /// Returns whether a path is covered: it cannot be opened, or is empty.
    fn is_covered(path: &CStr) -> bool {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = rustix::fs::open(path, flags, Mode::empty()) else { return true };
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        let mut entries = rustix::fs::RawDir::new(folder, &mut buffer);
        while let Some(Ok(entry)) = entries.next() {
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                return false;
            }
        }
        true
    }

    /// Returns the work of a process between fork and exec. The id maps of its user namespace are written from outside, by
    /// a thread that waits until the process has one: root maps every id, others only their own.
    fn enter_namespaces(
        hidden: &[PathBuf],
        mark: &str,
    ) -> io::Result<impl FnMut() -> io::Result<()> + Send + Sync + use<>> {
        let places = hidden.iter().map(covered_place).collect::<io::Result<Vec<CoveredPlace>>>()?;
        let mark = CString::new(if mark.is_empty() { "tmpfs" } else { mark })?;
        let (asked, ask) = pipe_with(PipeFlags::CLOEXEC)?;
        let (answer, answered) = pipe_with(PipeFlags::CLOEXEC)?;
        let is_root = geteuid().is_root();
        let ours = answered.as_raw_fd();
        thread::Builder::new()
            .name("ids".into())
            .spawn(move || map_ids(&asked, &answered, is_root))?;
        Ok(move || {
            // SAFETY: this process has a copy of the descriptor that nothing in it uses. With it open, it would wait for an
            // answer from itself when we are killed.
            unsafe { rustix::io::close(ours) };
            if is_root {
                // In two steps: what was mounted outside the user namespace cannot be unmounted inside it.
                leave_namespaces(UnshareFlags::NEWNS)?;
                cover_places(&places, &mark)?;
                leave_namespaces(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
                ask_for_ids(&ask, &answer)
            } else {
                // The right to mount ends when another program takes the process over.
                leave_namespaces(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
                ask_for_ids(&ask, &answer)?;
                cover_places(&places, &mark)
            }
        })
    }

    fn leave_namespaces(flags: UnshareFlags) -> io::Result<()> {
        // SAFETY: the process is a single thread between fork and exec; no descriptor table is unshared.
        unsafe { unshare_unsafe(flags) }.map_err(io::Error::from)
    }

    fn ask_for_ids(ask: &OwnedFd, answer: &OwnedFd) -> io::Result<()> {
        rustix::io::write(ask, &getpid().as_raw_nonzero().get().to_ne_bytes())?;
        let mut reply = [0; 4];
        match (rustix::io::read(answer, &mut reply)?, i32::from_ne_bytes(reply)) {
            (4, 0) => Ok(()),
            (4, error) => Err(io::Error::from_raw_os_error(error)),
            _ => Err(Errno::PIPE.into()),
        }
    }

    fn cover_places(places: &[CoveredPlace], mark: &CStr) -> io::Result<()> {
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for CoveredPlace { path, is_folder } in places {
            if *is_folder {
                let flags = MountFlags::RDONLY
                    | MountFlags::NOSUID
                    | MountFlags::NODEV
                    | MountFlags::NOEXEC;
                mount(mark, path.as_c_str(), c"tmpfs", flags, c"mode=000,size=4k")?;
            } else {
                mount_bind(c"/dev/null", path.as_c_str())?;
            }
        }
        Ok(())
    }

    /// Writes the id maps of one process, or of none when it ended before it asked.
    fn map_ids(asked: &OwnedFd, answered: &OwnedFd, is_root: bool) {
        let mut id = [0; 4];
        let Ok(4) = rustix::io::read(asked, &mut id) else { return };
        let folder = PathBuf::from(format!("/proc/{}", i32::from_ne_bytes(id)));
        let mapped = if is_root { map_all_ids(&folder) } else { map_own_id(&folder) };
        let error = mapped.err().map_or(0, |why| why.raw_os_error().unwrap_or(1));
        let _ = rustix::io::write(answered, &error.to_ne_bytes()); // it may have been killed
    }

    fn map_all_ids(folder: &Path) -> io::Result<()> {
        for name in ["uid_map", "gid_map"] {
            let own = fs::read_to_string(Path::new("/proc/self").join(name))?;
            let rows = own.lines().filter_map(|line| {
                let mut columns = line.split_whitespace();
                let (inside, _, count) = (columns.next()?, columns.next()?, columns.next()?);
                Some(format!("{inside} {inside} {count}\n"))
            });
            fs::write(folder.join(name), rows.collect::<String>())?;
        }
        Ok(())
    }

    fn map_own_id(folder: &Path) -> io::Result<()> {
        let (user, group) = (geteuid().as_raw(), rustix::process::getegid().as_raw());
        fs::write(folder.join("uid_map"), format!("{user} {user} 1\n"))?;
        fs::write(folder.join("setgroups"), "deny")?;
        fs::write(folder.join("gid_map"), format!("{group} {group} 1\n"))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::{io, path::PathBuf, process::Command};

    pub(crate) fn hide_in_child(
        _hidden: &[PathBuf],
        _mark: &str,
        _command: &mut Command,
    ) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn probe_namespaces(_hidden: &[PathBuf]) -> Option<String> {
        Some("this system has no user and mount namespaces".into())
    }
}
