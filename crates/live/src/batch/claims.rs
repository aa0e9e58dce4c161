//! Decides which process makes which run when several processes work on one plan: on one machine, or on several that share
//! a folder.
//!
//! A claim is a file `RUN.N`, and the one with the highest number counts. A process that wants a run creates the file with
//! the next number, which succeeds for one process alone, also on disks without locks. A claim that is released says so;
//! its file stays, so that its number is never reused for a process that looked earlier. The claim of a process on this
//! machine counts as long as that process runs. The claim of another machine counts as long as it is renewed: its age is
//! measured by our own clock, because clocks of machines differ.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use trajview_store::write::{self, WriteError};

use super::super::recorder::fresh_id;

/// A process, its machine and its start time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimOwner {
    /// The name of the machine.
    pub host: String,
    /// Tells one boot of a machine, or one container, from another; empty when unknown.
    pub boot: String,
    pub process: u32,
    /// The start of the process in clock ticks of the machine; None when unknown.
    pub began: Option<u64>,
}

impl ClaimOwner {
    /// Returns the owner that stands for this process.
    pub(crate) fn this_process() -> Self {
        let process = std::process::id();
        Self { host: host_name(), boot: boot_id(), process, began: process_start_ticks(process) }
    }

    /// Returns whether the process has certainly ended; false when that cannot be known from this machine.
    fn is_gone(&self, here: &Self) -> bool {
        let is_here = self.host == here.host && self.boot == here.boot;
        is_here && !(is_alive(self.process) && process_start_ticks(self.process) == self.began)
    }
}

/// The content of a claim file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ClaimFile {
    owner: ClaimOwner,
    /// The number of renewals.
    renewed: u64,
    /// True if the claim was released.
    free: bool,
}

/// The claims in a folder, as one process sees and makes them.
#[derive(Debug)]
pub struct RunClaims {
    folder: PathBuf,
    here: ClaimOwner,
    own_claims: BTreeMap<String, OwnClaim>,
    /// Claims of other machines: number, content, and when that content was first seen.
    other_claims: BTreeMap<String, (u64, ClaimFile, Instant)>,
    /// A claim of another machine that was not renewed for this long no longer counts.
    stale_after: Duration,
}

#[derive(Debug)]
struct OwnClaim {
    number: u64,
    renewed: u64,
    at: Instant,
}

/// The interval at which own claims are renewed.
const RENEW_INTERVAL: Duration = Duration::from_secs(20);

/// Generous, because a machine may be busy and a shared folder slow.
const STALE_AFTER: Duration = Duration::from_secs(180);

impl RunClaims {
    /// Opens the claims in a folder, which is created.
    pub fn open(folder: &Path) -> Result<Self, WriteError> {
        Self::with_owner(folder, ClaimOwner::this_process(), STALE_AFTER)
    }

    fn with_owner(
        folder: &Path,
        here: ClaimOwner,
        stale_after: Duration,
    ) -> Result<Self, WriteError> {
        fs::create_dir_all(folder).map_err(WriteError::at_path(folder))?;
        let (ours, watched) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self {
            folder: folder.to_owned(),
            here,
            own_claims: ours,
            other_claims: watched,
            stale_after,
        })
    }

    pub const fn owner(&self) -> &ClaimOwner {
        &self.here
    }

    fn claim_path(&self, run: &str, number: u64) -> PathBuf {
        self.folder.join(format!("{run}.{number}"))
    }

    /// Returns the highest claim number of a run; None when it was never claimed.
    fn newest_number(&self, run: &str) -> Option<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            name.strip_prefix(run)?.strip_prefix('.')?.parse::<u64>().ok()
        };
        entries.filter_map(number).max()
    }

    /// Claims the run for this process. Returns None on success, otherwise the owner of the run.
    pub fn claim(&mut self, run: &str) -> Result<Option<ClaimOwner>, WriteError> {
        if self.own_claims.contains_key(run) {
            return Ok(None);
        }
        let newest = self.newest_number(run);
        if let Some(number) = newest
            && let Some(owner) = self.live_owner(run, number)
        {
            return Ok(Some(owner));
        }
        let number = newest.map_or(1, |number| number.saturating_add(1));
        let claim = ClaimFile { owner: self.here.clone(), renewed: 0, free: false };
        let path = self.claim_path(run, number);
        if !self.create_whole(&path, &claim_json(&claim)).map_err(WriteError::at_path(&path))? {
            return Ok(Some(self.owner_of(run, number)));
        }
        if let Some(higher) = self.newest_number(run).filter(|it| *it > number) {
            return Ok(Some(self.owner_of(run, higher)));
        }
        self.other_claims.remove(run);
        self.own_claims.insert(run.to_owned(), OwnClaim { number, renewed: 0, at: Instant::now() });
        Ok(None)
    }

    /// Creates a file with its whole content in one step; false when another process was faster. Until then the content
    /// lies under a name that no process on any machine has.
    fn create_whole(&self, path: &Path, content: &[u8]) -> io::Result<bool> {
        let part = self.folder.join(format!("{}.part", fresh_id()));
        fs::write(&part, content)?;
        let linked = match fs::hard_link(&part, path) {
            Ok(()) => Ok(true),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // A file system without links: the name alone has to do, and is empty for a moment.
            Err(_) => match fs::File::create_new(path) {
                Ok(_) => fs::rename(&part, path).map(|()| true),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(why) => Err(why),
            },
        };
        let _ = fs::remove_file(&part); // it may have become the claim
        linked
    }

    /// Returns another process that makes the run; None when the run may be claimed.
    pub(crate) fn other_owner(&mut self, run: &str) -> Option<ClaimOwner> {
        let number = self.newest_number(run).filter(|_| !self.own_claims.contains_key(run))?;
        self.live_owner(run, number)
    }

    /// Returns the owner of a claim that counts; None when it was released or is stale. Remembers since when the claim
    /// has not changed.
    fn live_owner(&mut self, run: &str, number: u64) -> Option<ClaimOwner> {
        // A file that is being written has no content yet: it counts as claimed until it has stayed so for long.
        let current = self.read_claim(run, number).unwrap_or_else(|| ClaimFile {
            owner: ClaimOwner { host: "?".into(), boot: String::new(), process: 0, began: None },
            renewed: 0,
            free: false,
        });
        if current.free || current.owner.is_gone(&self.here) {
            return None;
        }
        let now = Instant::now();
        let known =
            self.other_claims.get(run).filter(|(at, known, _)| *at == number && *known == current);
        let since = known.map_or(now, |(_, _, since)| *since);
        self.other_claims.insert(run.to_owned(), (number, current.clone(), since));
        let is_here = current.owner.host == self.here.host && current.owner.boot == self.here.boot;
        let is_stale = !is_here && now.duration_since(since) >= self.stale_after;
        (!is_stale).then_some(current.owner)
    }

    fn owner_of(&self, run: &str, number: u64) -> ClaimOwner {
        self.read_claim(run, number).map_or_else(|| self.here.clone(), |claim| claim.owner)
    }

    fn read_claim(&self, run: &str, number: u64) -> Option<ClaimFile> {
        let bytes = fs::read(self.claim_path(run, number)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Renews own claims that are due. Returns the runs that another process has taken meanwhile, because we could not
    /// renew in time: they are no longer ours.
    pub(crate) fn renew_claims(&mut self) -> Vec<String> {
        let now = Instant::now();
        let due = |claim: &&mut OwnClaim| now.duration_since(claim.at) >= RENEW_INTERVAL;
        let mut renewed = vec![];
        for (run, claim) in &mut self.own_claims {
            if let Some(claim) = Some(claim).filter(due) {
                (claim.renewed, claim.at) = (claim.renewed + 1, now);
                renewed.push((run.clone(), claim.number, claim.renewed));
            }
        }
        let mut lost = vec![];
        for (run, number, renewed) in renewed {
            if self.newest_number(&run).is_some_and(|newest| newest > number) {
                self.own_claims.remove(&run);
                lost.push(run);
                continue;
            }
            let claim = ClaimFile { owner: self.here.clone(), renewed, free: false };
            let _ = write::replace_file(&self.claim_path(&run, number), &claim_json(&claim)); // it is tried again soon
        }
        lost
    }

    /// Releases a run, so that any process may take it.
    pub fn release(&mut self, run: &str) {
        let Some(own_claim) = self.own_claims.remove(run) else { return };
        let claim = ClaimFile { owner: self.here.clone(), renewed: own_claim.renewed, free: true };
        let _ = write::replace_file(&self.claim_path(run, own_claim.number), &claim_json(&claim)); // otherwise it becomes free when this process ends
    }
}

impl Drop for RunClaims {
    fn drop(&mut self) {
        let runs: Vec<String> = self.own_claims.keys().cloned().collect();
        runs.iter().for_each(|run| self.release(run));
    }
}

fn claim_json(claim: &ClaimFile) -> Vec<u8> {
    serde_json::to_vec(claim).unwrap_or_default()
}

/// Reads a file of one line.
fn first_line(path: &str) -> io::Result<String> {
    Ok(fs::read_to_string(path)?.trim().to_owned())
}

fn host_name() -> String {
    let name = first_line("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| first_line("/etc/hostname").ok());
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "this machine".into())
}

/// Identifies the boot of the machine and the container: process numbers are unique only within both.
fn boot_id() -> String {
    let start = first_line("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{start} {}", numbers.display())
}

/// Returns when a process began, in clock ticks since the machine started.
fn process_start_ticks(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in brackets and may have any characters; the start is the 22nd column of all.
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // For a process of another user the error is not the one for a missing process.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner_on(host: &str, process: u32) -> ClaimOwner {
        ClaimOwner { host: host.into(), boot: "b".into(), process, began: None }
    }

    fn claims_of(folder: &Path, here: ClaimOwner, stale: u64) -> RunClaims {
        RunClaims::with_owner(folder, here, Duration::from_secs(stale)).unwrap()
    }

    #[test]
    fn a_run_is_made_by_one_process_until_it_gives_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let (mut a, mut b) = (
            claims_of(folder.path(), owner_on("a", 1), 600),
            claims_of(folder.path(), owner_on("b", 2), 600),
        );

        assert_eq!(a.claim("x").unwrap(), None);
        assert_eq!(a.claim("x").unwrap(), None);
        assert_eq!(b.claim("x").unwrap(), Some(owner_on("a", 1)));
        assert_eq!(b.claim("y").unwrap(), None);
        a.release("x");
        assert_eq!(b.claim("x").unwrap(), None);
        assert_eq!(a.other_owner("x"), Some(owner_on("b", 2)));
    }

    #[test]
    fn many_processes_at_once_share_the_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();

        let taken: Vec<usize> = std::thread::scope(|scope| {
            let one = |number: u32| {
                scope.spawn(move || {
                    let mut claims = claims_of(path, owner_on(&format!("h{number}"), 1), 600);
                    let runs = (0..40).map(|run| format!("run-{run}"));
                    let taken = runs.filter(|run| claims.claim(run).unwrap().is_none()).count();
                    std::mem::forget(claims); // it would give them back
                    taken
                })
            };
            let all: Vec<_> = (0..8).map(one).collect();
            all.into_iter().map(|it| it.join().unwrap()).collect()
        });

        assert_eq!(taken.iter().sum::<usize>(), 40);
    }

    #[test]
    fn the_claim_of_a_process_that_is_gone_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let here = ClaimOwner::this_process();
        let gone = ClaimOwner { began: Some(1), ..here.clone() };
        let mut before = claims_of(folder.path(), gone, 600);
        assert_eq!(before.claim("x").unwrap(), None);
        std::mem::forget(before);

        let mut after = claims_of(folder.path(), here.clone(), 600);

        assert_eq!(after.claim("x").unwrap(), None);
        let mut third = claims_of(folder.path(), owner_on("elsewhere", 1), 600);
        assert_eq!(third.claim("x").unwrap(), Some(here));
    }

    #[test]
    fn a_machine_that_is_not_heard_of_loses_its_claim_and_notices() {
        let folder = tempfile::tempdir().unwrap();
        let mut slow = claims_of(folder.path(), owner_on("slow", 1), 600);
        assert_eq!(slow.claim("x").unwrap(), None);
        let mut other = claims_of(folder.path(), owner_on("other", 1), 0);

        assert_eq!(other.claim("x").unwrap(), None);

        for claim in slow.own_claims.values_mut() {
            claim.at = Instant::now().checked_sub(RENEW_INTERVAL).unwrap();
        }
        assert_eq!(slow.renew_claims(), ["x"]);
        assert_eq!(slow.claim("x").unwrap(), Some(owner_on("other", 1)));
    }
}
