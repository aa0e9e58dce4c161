//! Keeping files out of an agent's reach: the bundle, which says what it will be asked and how it will be judged.
//!
//! On Linux every process of an agent starts in mount and user namespaces of its own, in which an empty folder that nobody
//! can write covers each hidden folder. It cannot take the cover away, and the files of `/proc` that lead around it (`root`,
//! `cwd`, `fd`, `environ` of processes outside) are closed to it. Where there are no such namespaces nothing is hidden, and
//! [`Confinement::problem`] says why. This is no sandbox: whoever asks another program of the person's to read a file for it
//! (a daemon, a disk) is not stopped.

#![allow(unsafe_code, reason = "namespaces are entered between fork and exec")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    loopback::Way,
    sandbox::{Inside, Wrapper},
    setup::Setup,
};

/// What the agent's processes do not see: folders and files, by their real paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    hidden: Vec<PathBuf>,
    /// What the covers are called; see [`mark_of`].
    mark: String,
    /// The sandbox that hides them instead, where one is wanted.
    wrapper: Option<Wrapper>,
}

/// More runs beside the bundle than this are not hidden.
const MOST_SIBLINGS: usize = 2_000;

impl Confinement {
    /// Hides the bundle, the runs beside it, and the files the run was made of.
    pub fn of(bundle: &Path, setup: &Setup) -> Self {
        let wanted = std::iter::once(bundle.to_owned())
            .chain(setup.folders.hidden.iter().map(|path| run_of(path)))
            .chain(siblings(bundle));
        let work = real(&setup.folders.work);
        let mut hidden: Vec<PathBuf> = wanted.filter_map(|path| real(&path)).collect();
        hidden.retain(|path| work.as_ref().is_none_or(|work| !work.starts_with(path)));
        hidden.sort();
        hidden.dedup_by(|path, before| path.starts_with(before));
        let work = work.unwrap_or_else(|| setup.folders.work.clone());
        let wrapper = Wrapper::of(setup, &work, &hidden);
        Self { hidden, wrapper, ..Self::default() }
    }

    /// The same for the processes of one run, which are known by it.
    pub fn marked(self, run: &str) -> Self {
        Self { mark: mark_of(run), ..self }
    }

    /// The sandbox of a run alone, with nothing hidden.
    pub fn sandbox_of(setup: &Setup, work: &Path) -> Self {
        Self { wrapper: Wrapper::of(setup, work, &[]), ..Self::default() }
    }

    /// The same without anything hidden: the sandbox stays.
    pub fn open(self) -> Self {
        let wrapper = self.wrapper.map(Wrapper::open);
        Self { wrapper, ..Self::default() }
    }

    /// Why nothing can be hidden here; a sentence. Found out by trying, with a process that ends before it becomes a program.
    pub fn problem(&self) -> Option<String> {
        match &self.wrapper {
            Some(wrapper) => wrapper.problem(),
            None => system::problem(&self.hidden),
        }
    }

    pub const fn has_sandbox(&self) -> bool {
        self.wrapper.is_some()
    }

    /// The way to the model server that is to be held open; None where there is none.
    pub fn way(&self) -> Option<&Way> {
        self.wrapper.as_ref().and_then(Wrapper::way)
    }

    /// A program that starts where nothing hidden can be seen.
    pub fn command(&self, inside: &Inside<'_>) -> Command {
        if let Some(wrapper) = &self.wrapper {
            return wrapper.wrap(inside);
        }
        let mut command = Command::new(inside.program);
        command.args(inside.args).env_clear().envs(inside.environment).current_dir(inside.folder);
        command
    }

    /// The same for a command that is made, between fork and exec.
    pub fn apply(&self, command: &mut Command) -> io::Result<()> {
        let is_done = self.hidden.is_empty() || self.has_sandbox();
        if is_done { Ok(()) } else { system::apply(&self.hidden, &self.mark, command) }
    }
}

/// What the covers of a run are called in the list of mounts. Every process that an agent started has them, whatever it did
/// to its session and its environment, and none can take them away.
pub fn mark_of(run: &str) -> String {
    format!("trajview-live-{run}")
}

fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// The bundle that a file is part of, or else the file.
fn run_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| is_bundle(folder));
    folder.unwrap_or(path).to_owned()
}

fn is_bundle(folder: &Path) -> bool {
    folder.join("run.json").is_file() || folder.join("live.jsonl").is_file()
}

fn siblings(bundle: &Path) -> Vec<PathBuf> {
    let parent = real(bundle).and_then(|path| path.parent().map(Path::to_owned));
    let entries = parent.and_then(|parent| fs::read_dir(parent).ok());
    let folders = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    folders.filter(|folder| is_bundle(folder)).take(MOST_SIBLINGS).collect()
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

    /// A folder or a file, as it is covered.
    struct Place {
        path: CString,
        is_folder: bool,
    }

    fn place(path: &PathBuf) -> io::Result<Place> {
        let is_folder = fs::metadata(path)?.is_dir();
        Ok(Place { path: CString::new(path.as_os_str().as_bytes())?, is_folder })
    }

    pub fn apply(hidden: &[PathBuf], mark: &str, command: &mut Command) -> io::Result<()> {
        let enter = entering(hidden, mark)?;
        // SAFETY: between fork and exec `enter` makes system calls alone; its memory was set aside before.
        unsafe { command.pre_exec(enter) };
        Ok(())
    }

    pub fn problem(hidden: &[PathBuf]) -> Option<String> {
        let Some(first) = hidden.first().map(|path| path.as_os_str().as_bytes()) else {
            return Some("there is nothing to hide".into());
        };
        let tried = CString::new(first).map_err(io::Error::from).and_then(|path| {
            let mut enter = entering(hidden, "")?;
            let mut command = Command::new("/proc/self/exe");
            let attempt = move || {
                enter()?;
                // The answer comes back as an error: the process is not wanted any further.
                Err(if is_empty(&path) { Errno::CANCELED } else { Errno::EXIST }.into())
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

    /// Whether a path is covered: it cannot be opened, or holds nothing.
    fn is_empty(path: &CStr) -> bool {
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

    /// What a process does between fork and exec. Who is who in its user namespace is written from out here, by a thread that
    /// waits for the process to say that it has one: root keeps every id there is, others their own.
    fn entering(
        hidden: &[PathBuf],
        mark: &str,
    ) -> io::Result<impl FnMut() -> io::Result<()> + Send + Sync + use<>> {
        let places = hidden.iter().map(place).collect::<io::Result<Vec<Place>>>()?;
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
                leave(UnshareFlags::NEWNS)?;
                cover(&places, &mark)?;
                leave(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
                ask_for_ids(&ask, &answer)
            } else {
                // The right to mount ends when another program takes the process over.
                leave(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
                ask_for_ids(&ask, &answer)?;
                cover(&places, &mark)
            }
        })
    }

    fn leave(flags: UnshareFlags) -> io::Result<()> {
        // SAFETY: the process is a single thread between fork and exec; no descriptor table is unshared.
        unsafe { unshare_unsafe(flags) }.map_err(io::Error::from)
    }

    fn ask_for_ids(ask: &OwnedFd, answer: &OwnedFd) -> io::Result<()> {
        rustix::io::write(ask, &getpid().as_raw_nonzero().get().to_ne_bytes())?;
        let mut said = [0; 4];
        match (rustix::io::read(answer, &mut said)?, i32::from_ne_bytes(said)) {
            (4, 0) => Ok(()),
            (4, error) => Err(io::Error::from_raw_os_error(error)),
            _ => Err(Errno::PIPE.into()),
        }
    }

    fn cover(places: &[Place], mark: &CStr) -> io::Result<()> {
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for Place { path, is_folder } in places {
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

    /// Answers one process, or none where it ended before it asked.
    fn map_ids(asked: &OwnedFd, answered: &OwnedFd, is_root: bool) {
        let mut id = [0; 4];
        let Ok(4) = rustix::io::read(asked, &mut id) else { return };
        let folder = PathBuf::from(format!("/proc/{}", i32::from_ne_bytes(id)));
        let mapped = if is_root { map_all(&folder) } else { map_one(&folder) };
        let error = mapped.err().map_or(0, |why| why.raw_os_error().unwrap_or(1));
        let _ = rustix::io::write(answered, &error.to_ne_bytes()); // it may have been killed
    }

    fn map_all(folder: &Path) -> io::Result<()> {
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

    fn map_one(folder: &Path) -> io::Result<()> {
        let (user, group) = (geteuid().as_raw(), rustix::process::getegid().as_raw());
        fs::write(folder.join("uid_map"), format!("{user} {user} 1\n"))?;
        fs::write(folder.join("setgroups"), "deny")?;
        fs::write(folder.join("gid_map"), format!("{group} {group} 1\n"))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::{io, path::PathBuf, process::Command};

    pub fn apply(_hidden: &[PathBuf], _mark: &str, _command: &mut Command) -> io::Result<()> {
        Ok(())
    }

    pub fn problem(_hidden: &[PathBuf]) -> Option<String> {
        Some("this system has no user and mount namespaces".into())
    }
}
