//! Processes that an agent leaves behind, started in sessions of their own or with an environment of their own.
//!
//! They are recognised by the variable that every process of a run has, and on Linux by the mounts that hide the bundle
//! from them ([`super::confine`]), which no process can give up. On Linux, in a program that adopts its orphans
//! ([`adopt_orphans`]), every child in another session that was not started here counts too. On other systems only the
//! group that [`super::process`] ends is known.

use std::{
    collections::BTreeSet,
    io,
    process::{Child, Command},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{confine::mount_mark, run_folders::RUN_VARIABLE};

/// Agent processes that were started here and not waited for yet.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn lock_started() -> MutexGuard<'static, BTreeSet<u32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process that never counts as an orphan, whatever session it is in.
pub fn spawn_agent(command: &mut Command) -> io::Result<Child> {
    let mut started = lock_started(); // locked, so that the child is not taken for an orphan before its number is known
    let child = command.spawn()?;
    started.insert(child.id());
    Ok(child)
}

/// Removes a process that was waited for: another one may get its number from now on.
pub(crate) fn forget_process(id: u32) {
    lock_started().remove(&id);
}

/// True if the orphans of this program become its children.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Makes the orphans of this program its children until it ends, so that no process of an agent is left that changed its
/// session and its environment. For a program that starts nothing but agents in sessions of their own: from now on every
/// other child in another session is ended with the agents.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        let own = Some(rustix::process::getpid());
        let is_done = rustix::process::set_child_subreaper(own).is_ok(); // without it the variable has to do
        ADOPTS.store(is_done, Ordering::Relaxed);
    }
}

/// Ends every process that the agents of this run left behind, in any session; returns how many there were.
#[cfg(target_os = "linux")]
pub(crate) fn kill_orphans(run: &str) -> usize {
    let (mut found, mut looks) = (BTreeSet::new(), 0);
    // The children of one that is killed become ours: until there is none.
    for _ in 0..MAX_ROUNDS {
        let orphans = linux::find_orphans(run);
        if orphans.is_empty() {
            looks += 1;
            if looks > MAX_LOOKS || !linux::is_program_beginning() {
                break;
            }
        }
        found.extend(orphans.into_iter().filter(|id| linux::kill_orphan(*id)));
        std::thread::sleep(LOOK_INTERVAL);
    }
    found.len()
}

/// Does nothing, and returns 0: on other systems the environment and the parents of other processes cannot be read;
/// their groups were ended.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_orphans(_run: &str) -> usize {
    let _ = (RUN_VARIABLE, &ADOPTS, mount_mark);
    0
}

/// The number of rounds that search for more orphans: the time that a killed process may take to end.
#[cfg(target_os = "linux")]
const MAX_ROUNDS: usize = 200;

/// The number of times that the search is repeated because a program is just starting: its environment cannot be read for a moment.
#[cfg(target_os = "linux")]
const MAX_LOOKS: usize = 20;

#[cfg(target_os = "linux")]
const LOOK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(5);

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

    use super::{ADOPTS, Ordering, RUN_VARIABLE, lock_started, mount_mark};

    fn pid_of(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    /// The flag of a thread that belongs to the kernel (`PF_KTHREAD`).
    const KERNEL_THREAD_FLAG: u32 = 0x0020_0000;

    /// The columns of `/proc/N/stat` that are needed.
    struct ProcessStat {
        has_ended: bool,
        parent: i32,
        session: i32,
        is_kernels: bool,
    }

    impl ProcessStat {
        fn read_stat(folder: &Path) -> Option<Self> {
            let text = fs::read_to_string(folder.join("stat")).ok()?;
            // The name is in brackets and may have any characters; after it come state, parent, group, session.
            let mut columns = text.rsplit_once(')')?.1.split_whitespace();
            let has_ended = columns.next()? == "Z";
            let parent = columns.next()?.parse().ok()?;
            let session = columns.nth(1)?.parse().ok()?;
            let flags: u32 = columns.nth(2)?.parse().ok()?;
            Some(Self { has_ended, parent, session, is_kernels: flags & KERNEL_THREAD_FLAG != 0 })
        }
    }

    /// Returns whether some process is between two programs: neither arguments nor environment can be read yet.
    pub(crate) fn is_program_beginning() -> bool {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_empty = |path: &Path| fs::read(path).is_ok_and(|bytes| bytes.is_empty());
        entries.map(|entry| entry.path()).any(|folder| {
            is_empty(&folder.join("environ"))
                && is_empty(&folder.join("cmdline"))
                && ProcessStat::read_stat(&folder)
                    .is_some_and(|row| !row.has_ended && !row.is_kernels)
        })
    }

    /// Returns the mount namespace of a process; None when it cannot be read.
    fn mounts_of(folder: impl AsRef<Path>) -> Option<PathBuf> {
        fs::read_link(folder.as_ref().join("ns/mnt")).ok()
    }

    fn has_mount(folder: &Path, mark: &str) -> bool {
        let rows = fs::read_to_string(folder.join("mountinfo")).unwrap_or_default();
        rows.lines().any(|row| row.split(' ').any(|word| word == mark))
    }

    /// Returns the ids of the processes that a run has left behind, by the variable in their environment or their
    /// parents.
    pub(crate) fn find_orphans(run: &str) -> Vec<u32> {
        let started = lock_started();
        let (own, adopts) = (getpid(), ADOPTS.load(Ordering::Relaxed));
        // As `stat` has it: 0 when the session was started outside of this container, for us and for our children.
        let session = ProcessStat::read_stat(Path::new("/proc/self")).map_or(0, |row| row.session);
        let (wanted, mark, here) =
            (format!("{RUN_VARIABLE}={run}"), mount_mark(run), mounts_of("/proc/self"));
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |id: &u32| {
            let folder = Path::new("/proc").join(id.to_string());
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            let mut rows = environment.split(|byte| *byte == 0);
            match rows.find(|row| row.starts_with(RUN_VARIABLE.as_bytes())) {
                Some(row) => row == wanted.as_bytes(),
                None => {
                    let is_adopted = |row: ProcessStat| {
                        row.parent == own.as_raw_nonzero().get() && row.session != session
                    };
                    adopts && ProcessStat::read_stat(&folder).is_some_and(is_adopted)
                        || mounts_of(&folder).is_some_and(|it| Some(&it) != here.as_ref())
                            && has_mount(&folder, &mark)
                }
            }
        };
        let is_other = |id: &u32| pid_of(*id) != Some(own) && !started.contains(id);
        numbers.filter(is_other).filter(is_ours).collect()
    }

    /// Kills a process, and waits for it if it was adopted, or its number would stay in use. Returns whether it was still
    /// running.
    pub(crate) fn kill_orphan(id: u32) -> bool {
        let Some(pid) = pid_of(id) else { return false };
        let row = ProcessStat::read_stat(&Path::new("/proc").join(id.to_string()));
        let _ = kill_process(pid, Signal::KILL); // it may have ended
        let _ = waitpid(Some(pid), WaitOptions::NOHANG); // or it is no child of ours
        row.is_some_and(|row| !row.has_ended)
    }
}
