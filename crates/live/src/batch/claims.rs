//! Who makes which run, where several processes work on one plan: on one machine, or on several that share a folder.
//!
//! A claim is a file `RUN.N`, and the one with the highest number counts. Whoever wants a run makes the file with the next
//! number, which succeeds for one alone, on disks without locks too. A claim that is given back says so; its file stays, so
//! that its number is never given again to somebody who looked earlier. The claim of a process on this machine counts as long
//! as that process runs. That of another machine counts as long as it is renewed: it is watched by our own clock, because
//! clocks of machines differ.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use trajview_store::write::{self, WriteError};

use super::super::recorder::fresh_id;

/// Which process, on which machine, since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The name of the machine.
    pub host: String,
    /// What tells one start of a machine, or one container, from another; empty where nothing does.
    pub boot: String,
    pub process: u32,
    /// When the process began, in the machine's own count; None where it cannot be told.
    pub began: Option<u64>,
}

impl Owner {
    /// This process.
    pub fn here() -> Self {
        let process = std::process::id();
        Self { host: host(), boot: boot(), process, began: began(process) }
    }

    /// Whether the process is known to be gone; false where it cannot be known from here.
    fn is_gone(&self, here: &Self) -> bool {
        let is_here = self.host == here.host && self.boot == here.boot;
        is_here && !(is_alive(self.process) && began(self.process) == self.began)
    }
}

/// A file of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    owner: Owner,
    /// How often it was renewed.
    renewed: u64,
    /// Whether it was given back.
    free: bool,
}

/// Claims of a folder, as one process sees and makes them.
#[derive(Debug)]
pub struct Claims {
    folder: PathBuf,
    here: Owner,
    ours: BTreeMap<String, Held>,
    /// Claims of other machines: what they said, and since when they say that.
    watched: BTreeMap<String, (u64, Claim, Instant)>,
    /// A claim of another machine that was not renewed for so long is nobody's.
    stale_after: Duration,
}

#[derive(Debug)]
struct Held {
    number: u64,
    renewed: u64,
    at: Instant,
}

/// How often ours are renewed.
const RENEWED_AFTER: Duration = Duration::from_secs(20);

/// A machine may be busy, and a shared folder slow.
const STALE_AFTER: Duration = Duration::from_secs(180);

impl Claims {
    /// The claims in a folder, which is made.
    pub fn of(folder: &Path) -> Result<Self, WriteError> {
        Self::by(folder, Owner::here(), STALE_AFTER)
    }

    fn by(folder: &Path, here: Owner, stale_after: Duration) -> Result<Self, WriteError> {
        fs::create_dir_all(folder).map_err(WriteError::at(folder))?;
        let (ours, watched) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { folder: folder.to_owned(), here, ours, watched, stale_after })
    }

    pub const fn here(&self) -> &Owner {
        &self.here
    }

    fn path(&self, run: &str, number: u64) -> PathBuf {
        self.folder.join(format!("{run}.{number}"))
    }

    /// The number of the claim that counts; None where nobody has claimed the run yet.
    fn newest(&self, run: &str) -> Option<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            name.strip_prefix(run)?.strip_prefix('.')?.parse::<u64>().ok()
        };
        entries.filter_map(number).max()
    }

    /// Takes the run for this process. None where it is ours now; else who makes it.
    pub fn take(&mut self, run: &str) -> Result<Option<Owner>, WriteError> {
        if self.ours.contains_key(run) {
            return Ok(None);
        }
        let newest = self.newest(run);
        if let Some(number) = newest
            && let Some(owner) = self.holder(run, number)
        {
            return Ok(Some(owner));
        }
        let number = newest.map_or(1, |number| number.saturating_add(1));
        let claim = Claim { owner: self.here.clone(), renewed: 0, free: false };
        let path = self.path(run, number);
        if !self.create(&path, &bytes_of(&claim)).map_err(WriteError::at(&path))? {
            return Ok(Some(self.owner_of(run, number)));
        }
        if let Some(higher) = self.newest(run).filter(|it| *it > number) {
            return Ok(Some(self.owner_of(run, higher)));
        }
        self.watched.remove(run);
        self.ours.insert(run.to_owned(), Held { number, renewed: 0, at: Instant::now() });
        Ok(None)
    }

    /// Makes a file that is there whole or not at all; false where somebody was faster. Until then it has a name that no
    /// process on any machine has.
    fn create(&self, path: &Path, content: &[u8]) -> io::Result<bool> {
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

    /// Who makes the run; None where it may be claimed.
    pub fn other(&mut self, run: &str) -> Option<Owner> {
        let number = self.newest(run).filter(|_| !self.ours.contains_key(run))?;
        self.holder(run, number)
    }

    /// Whose claim that is; None where it was given back or is nobody's any more.
    fn holder(&mut self, run: &str, number: u64) -> Option<Owner> {
        // A file that is being written says nothing yet: it is somebody's until it has stayed so for long.
        let said = self.read(run, number).unwrap_or_else(|| Claim {
            owner: Owner { host: "?".into(), boot: String::new(), process: 0, began: None },
            renewed: 0,
            free: false,
        });
        if said.free || said.owner.is_gone(&self.here) {
            return None;
        }
        let now = Instant::now();
        let known = self.watched.get(run).filter(|(at, known, _)| *at == number && *known == said);
        let since = known.map_or(now, |(_, _, since)| *since);
        self.watched.insert(run.to_owned(), (number, said.clone(), since));
        let is_here = said.owner.host == self.here.host && said.owner.boot == self.here.boot;
        let is_stale = !is_here && now.duration_since(since) >= self.stale_after;
        (!is_stale).then_some(said.owner)
    }

    fn owner_of(&self, run: &str, number: u64) -> Owner {
        self.read(run, number).map_or_else(|| self.here.clone(), |claim| claim.owner)
    }

    fn read(&self, run: &str, number: u64) -> Option<Claim> {
        let bytes = fs::read(self.path(run, number)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Says that we still make what we claim, where it is time. Gives the runs that somebody else has taken meanwhile, because
    /// we could not say so for too long: they are not ours any more.
    pub fn renew(&mut self) -> Vec<String> {
        let now = Instant::now();
        let due = |held: &&mut Held| now.duration_since(held.at) >= RENEWED_AFTER;
        let mut renewed = vec![];
        for (run, held) in &mut self.ours {
            if let Some(held) = Some(held).filter(due) {
                (held.renewed, held.at) = (held.renewed + 1, now);
                renewed.push((run.clone(), held.number, held.renewed));
            }
        }
        let mut lost = vec![];
        for (run, number, renewed) in renewed {
            if self.newest(&run).is_some_and(|newest| newest > number) {
                self.ours.remove(&run);
                lost.push(run);
                continue;
            }
            let claim = Claim { owner: self.here.clone(), renewed, free: false };
            let _ = write::replace(&self.path(&run, number), &bytes_of(&claim)); // it is tried again soon
        }
        lost
    }

    /// Gives a run back, so that anybody may take it.
    pub fn give_back(&mut self, run: &str) {
        let Some(held) = self.ours.remove(run) else { return };
        let claim = Claim { owner: self.here.clone(), renewed: held.renewed, free: true };
        let _ = write::replace(&self.path(run, held.number), &bytes_of(&claim)); // else it is nobody's when we are gone
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        let runs: Vec<String> = self.ours.keys().cloned().collect();
        runs.iter().for_each(|run| self.give_back(run));
    }
}

fn bytes_of(claim: &Claim) -> Vec<u8> {
    serde_json::to_vec(claim).unwrap_or_default()
}

/// The first of these files that can be read.
fn first_line(path: &str) -> io::Result<String> {
    Ok(fs::read_to_string(path)?.trim().to_owned())
}

fn host() -> String {
    let told = first_line("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| first_line("/etc/hostname").ok());
    let told = told.or_else(|| std::env::var("HOSTNAME").ok());
    told.filter(|name| !name.is_empty()).unwrap_or_else(|| "this machine".into())
}

/// The start of the machine, and the container: numbers of processes are the same in neither of two.
fn boot() -> String {
    let start = first_line("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{start} {}", numbers.display())
}

/// When a process began, in ticks since the machine did.
fn began(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in brackets and may hold anything; the start is the 22nd column of all.
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // A process of somebody else answers with an error that is another than that there is none.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(host: &str, process: u32) -> Owner {
        Owner { host: host.into(), boot: "b".into(), process, began: None }
    }

    fn claims(folder: &Path, here: Owner, stale: u64) -> Claims {
        Claims::by(folder, here, Duration::from_secs(stale)).unwrap()
    }

    #[test]
    fn a_run_is_made_by_one_process_until_it_gives_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let (mut a, mut b) =
            (claims(folder.path(), owner("a", 1), 600), claims(folder.path(), owner("b", 2), 600));

        assert_eq!(a.take("x").unwrap(), None);
        assert_eq!(a.take("x").unwrap(), None);
        assert_eq!(b.take("x").unwrap(), Some(owner("a", 1)));
        assert_eq!(b.take("y").unwrap(), None);
        a.give_back("x");
        assert_eq!(b.take("x").unwrap(), None);
        assert_eq!(a.other("x"), Some(owner("b", 2)));
    }

    #[test]
    fn many_processes_at_once_share_the_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();

        let taken: Vec<usize> = std::thread::scope(|scope| {
            let one = |number: u32| {
                scope.spawn(move || {
                    let mut claims = claims(path, owner(&format!("h{number}"), 1), 600);
                    let runs = (0..40).map(|run| format!("run-{run}"));
                    let taken = runs.filter(|run| claims.take(run).unwrap().is_none()).count();
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
        let here = Owner::here();
        let gone = Owner { began: Some(1), ..here.clone() };
        let mut before = claims(folder.path(), gone, 600);
        assert_eq!(before.take("x").unwrap(), None);
        std::mem::forget(before);

        let mut after = claims(folder.path(), here.clone(), 600);

        assert_eq!(after.take("x").unwrap(), None);
        let mut third = claims(folder.path(), owner("elsewhere", 1), 600);
        assert_eq!(third.take("x").unwrap(), Some(here));
    }

    #[test]
    fn a_machine_that_is_not_heard_of_loses_its_claim_and_notices() {
        let folder = tempfile::tempdir().unwrap();
        let mut slow = claims(folder.path(), owner("slow", 1), 600);
        assert_eq!(slow.take("x").unwrap(), None);
        let mut other = claims(folder.path(), owner("other", 1), 0);

        assert_eq!(other.take("x").unwrap(), None);

        for held in slow.ours.values_mut() {
            held.at = Instant::now().checked_sub(RENEWED_AFTER).unwrap();
        }
        assert_eq!(slow.renew(), ["x"]);
        assert_eq!(slow.take("x").unwrap(), Some(owner("other", 1)));
    }
}
