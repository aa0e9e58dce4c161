//! Processes that an agent leaves behind: started in sessions of their own, or with an environment of their own.
//!
//! They are known by the variable that every process of a run carries, and on Linux by the mounts that hide the bundle from
//! them ([`super::confine`]), which none can give up. There, in a program that has its orphans
//! become its children ([`adopt_orphans`]), whoever is a child in another session and was not started here is one too.
//! Elsewhere the group that [`super::process`] ends is all there is.

use std::{
    collections::BTreeSet,
    io,
    process::{Child, Command},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{confine::mark_of, stage::VARIABLE};

/// Agents that we started and have not waited for yet.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn started() -> MutexGuard<'static, BTreeSet<u32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process that is no orphan, whatever session it is in.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut started = started(); // held, so that nobody takes it for an orphan before its number is known
    let child = command.spawn()?;
    started.insert(child.id());
    Ok(child)
}

/// The process was waited for, and its number may be another's from now on.
pub fn forget(id: u32) {
    started().remove(&id);
}

/// Whether the orphans of this program become its children.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Has the orphans of this program become its children until it ends, so that none is left of an agent that changed
/// its session and its environment. For a program that starts nothing but agents in sessions of their own: from now on
/// every other child in another session is ended with the agents.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        let own = Some(rustix::process::getpid());
        let is_done = rustix::process::set_child_subreaper(own).is_ok(); // without it the variable has to do
        ADOPTS.store(is_done, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
pub fn sweep(run: &str) -> usize {
    let (mut found, mut looks) = (BTreeSet::new(), 0);
    // The children of one that is killed become ours: until there is none.
    for _ in 0..ROUNDS {
        let orphans = linux::orphans(run);
        if orphans.is_empty() {
            looks += 1;
            if looks > LOOKS || !linux::is_one_beginning() {
                break;
            }
        }
        found.extend(orphans.into_iter().filter(|id| linux::end(*id)));
        std::thread::sleep(BEAT);
    }
    found.len()
}

/// Elsewhere the environment and the parents of other processes cannot be read; their groups were ended.
#[cfg(not(target_os = "linux"))]
pub fn sweep(_run: &str) -> usize {
    let _ = (VARIABLE, &ADOPTS, mark_of);
    0
}

/// How often we look for more, and how long a killed process is given to be gone.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 200;

/// How often we look again because a program is just beginning: its environment cannot be read for a moment.
#[cfg(target_os = "linux")]
const LOOKS: usize = 20;

#[cfg(target_os = "linux")]
const BEAT: std::time::Duration = std::time::Duration::from_millis(5);

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

    use super::{ADOPTS, Ordering, VARIABLE, mark_of, started};

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    /// The flag of a thread that belongs to the kernel (`PF_KTHREAD`).
    const KERNEL: u32 = 0x0020_0000;

    /// What `/proc/N/stat` says of a process.
    struct Row {
        has_ended: bool,
        parent: i32,
        session: i32,
        is_kernels: bool,
    }

    impl Row {
        fn of(folder: &Path) -> Option<Self> {
            let text = fs::read_to_string(folder.join("stat")).ok()?;
            // The name stands in brackets and may hold anything; after it come state, parent, group, session.
            let mut columns = text.rsplit_once(')')?.1.split_whitespace();
            let has_ended = columns.next()? == "Z";
            let parent = columns.next()?.parse().ok()?;
            let session = columns.nth(1)?.parse().ok()?;
            let flags: u32 = columns.nth(2)?.parse().ok()?;
            Some(Self { has_ended, parent, session, is_kernels: flags & KERNEL != 0 })
        }
    }

    /// Whether a process is between two programs: neither words nor environment are there yet.
    pub fn is_one_beginning() -> bool {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_empty = |path: &Path| fs::read(path).is_ok_and(|bytes| bytes.is_empty());
        entries.map(|entry| entry.path()).any(|folder| {
            is_empty(&folder.join("environ"))
                && is_empty(&folder.join("cmdline"))
                && Row::of(&folder).is_some_and(|row| !row.has_ended && !row.is_kernels)
        })
    }

    /// Which mounts a process has; None where that is closed to us.
    fn mounts_of(folder: impl AsRef<Path>) -> Option<PathBuf> {
        fs::read_link(folder.as_ref().join("ns/mnt")).ok()
    }

    fn has_mount(folder: &Path, mark: &str) -> bool {
        let rows = fs::read_to_string(folder.join("mountinfo")).unwrap_or_default();
        rows.lines().any(|row| row.split(' ').any(|word| word == mark))
    }

    pub fn orphans(run: &str) -> Vec<u32> {
        let started = started();
        let (own, adopts) = (getpid(), ADOPTS.load(Ordering::Relaxed));
        // As the rows say it: 0 where the session was begun outside of this container, for us and for our children.
        let session = Row::of(Path::new("/proc/self")).map_or(0, |row| row.session);
        let (wanted, mark, here) =
            (format!("{VARIABLE}={run}"), mark_of(run), mounts_of("/proc/self"));
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |id: &u32| {
            let folder = Path::new("/proc").join(id.to_string());
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            let mut rows = environment.split(|byte| *byte == 0);
            match rows.find(|row| row.starts_with(VARIABLE.as_bytes())) {
                Some(row) => row == wanted.as_bytes(),
                None => {
                    let is_adopted = |row: Row| {
                        row.parent == own.as_raw_nonzero().get() && row.session != session
                    };
                    adopts && Row::of(&folder).is_some_and(is_adopted)
                        || mounts_of(&folder).is_some_and(|it| Some(&it) != here.as_ref())
                            && has_mount(&folder, &mark)
                }
            }
        };
        let is_other = |id: &u32| pid(*id) != Some(own) && !started.contains(id);
        numbers.filter(is_other).filter(is_ours).collect()
    }

    /// Kills a process; one that was adopted is waited for, or it would stay as a number. Whether it was still running.
    pub fn end(id: u32) -> bool {
        let Some(pid) = pid(id) else { return false };
        let row = Row::of(&Path::new("/proc").join(id.to_string()));
        let _ = kill_process(pid, Signal::KILL); // it may have ended
        let _ = waitpid(Some(pid), WaitOptions::NOHANG); // or it is nobody of ours
        row.is_some_and(|row| !row.has_ended)
    }
}
