//! A judge that is a program: it reads the conversation and prints its answer, once for every reply.
//!
//! It runs in an empty folder of its own, so that nothing but what we send is to be seen there, and in a process group
//! of its own, so that nothing of it is left when it is cut off.

use std::{
    ffi::OsString,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{
    answer::cut,
    conversation::{Conversation, Reply},
    fault::Fault,
    inherited,
    prompt::filled,
    settings::{Kind, Settings},
    stop::Stop,
    wire::plain,
};

/// More than this a program may not print (bytes).
const MOST_BYTES: usize = 8 << 20;

/// What of its complaints is told (characters).
const MOST_SAID: usize = 300;

/// How often we look whether we are to stop.
const BEAT: Duration = Duration::from_millis(20);

/// How long its output may stay open when the program itself has ended.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct Program {
    words: Vec<String>,
    environment: Vec<(String, OsString)>,
    timeout: Duration,
    folder: Folder,
}

/// What the program inherits of our environment: [`inherited`], its key, and what its settings name.
fn environment(settings: &Settings) -> Vec<(String, OsString)> {
    let named = settings.pass.iter().chain(&settings.key_env).map(String::as_str);
    let names = inherited::NETWORK.into_iter().chain(inherited::PERSON).chain(named);
    names.filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))).collect()
}

impl Program {
    /// Makes the empty folder. The error is a sentence.
    pub fn new(settings: &Arc<Settings>) -> Result<Self, String> {
        let model = |name: &str| (name == "model").then(|| settings.model.clone());
        let words: Vec<String> = settings.command.iter().map(|word| filled(word, &model)).collect();
        if words.is_empty() {
            return Err("has no command".into());
        }
        let (timeout, environment) = (settings.timeouts.whole, environment(settings));
        Ok(Self { words, environment, timeout, folder: Folder::new()? })
    }

    /// A program that is no judge: its words, what of our environment it gets beside what every program gets, and how
    /// long it may take. The error is a sentence.
    pub fn of(words: Vec<String>, pass: &[String], timeout: Duration) -> Result<Self, String> {
        let settings = Settings { pass: pass.to_vec(), ..Settings::new("", Kind::Command) };
        Ok(Self { words, environment: environment(&settings), timeout, folder: Folder::new()? })
    }

    pub fn ask(&self, conversation: &Conversation, stop: &Stop) -> Result<Reply, Fault> {
        plain::read(&self.answer(plain::written(conversation), None, stop)?)
    }

    /// What it prints when it is told something; in a folder, or else in an empty one.
    pub fn answer(
        &self,
        told: String,
        folder: Option<&Path>,
        stop: &Stop,
    ) -> Result<Vec<u8>, Fault> {
        let mut running = self.start(folder)?;
        running.tell(told);
        running.listen(self.timeout, stop)
    }

    fn start(&self, folder: Option<&Path>) -> Result<Running, Fault> {
        let (program, arguments) =
            self.words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder.unwrap_or(&self.folder.0))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|why| {
            let why = match why.kind() {
                std::io::ErrorKind::NotFound => "no such program".to_owned(),
                _ => why.to_string(),
            };
            Fault::Unreachable(format!("cannot run {program}: {why}"))
        })?;
        Ok(Running::of(child))
    }
}

/// A program under way; none is left when this is dropped.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    complaints: Receiver<Vec<u8>>,
}

impl Running {
    fn of(mut child: Child) -> Self {
        let input = child.stdin.take();
        let output = read_aside(child.stdout.take());
        let complaints = read_aside(child.stderr.take());
        Self { child, input, output, complaints }
    }

    /// A program that does not read what it is told may still answer.
    fn tell(&mut self, words: String) {
        if let Some(mut input) = self.input.take() {
            thread::spawn(move || input.write_all(words.as_bytes()));
        }
    }

    fn listen(&mut self, timeout: Duration, stop: &Stop) -> Result<Vec<u8>, Fault> {
        let mut end = Instant::now() + timeout;
        let (mut printed, mut is_open, mut status) = (vec![], true, None);
        while is_open || status.is_none() {
            if stop.is_set() {
                return Err(Fault::Stopped);
            }
            if is_open {
                match self.output.recv_timeout(BEAT) {
                    Ok(piece) => printed.extend(piece),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => is_open = false,
                }
            } else {
                thread::sleep(BEAT.min(Duration::from_millis(2)));
            }
            if printed.len() > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                return Err(Fault::Garbage(format!("it is longer than {most} MB; cut off")));
            }
            if status.is_none() {
                status = self.child.try_wait().map_err(|why| Fault::Program(why.to_string()))?;
                if status.is_some() {
                    end = end.min(Instant::now() + GRACE);
                }
            }
            if Instant::now() >= end && (is_open || status.is_none()) {
                if status.is_some() {
                    break;
                }
                let seconds = timeout.as_secs_f64();
                return Err(Fault::Late(format!(
                    "no answer within {seconds} s; the program was ended"
                )));
            }
        }
        match status {
            Some(status) if !status.success() => Err(self.failure(&status.to_string(), &printed)),
            _ => Ok(printed),
        }
    }

    /// A program that reports its failure as an answer is heard; else the end of its complaints.
    fn failure(&self, status: &str, printed: &[u8]) -> Fault {
        if let Err(fault) = plain::read(printed) {
            return fault;
        }
        let mut said = vec![];
        while let Ok(piece) = self.complaints.recv_timeout(BEAT) {
            said.extend(piece);
            let excess = said.len().saturating_sub(MOST_SAID * 4);
            said.drain(..excess);
        }
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        Fault::Program(format!("the program failed ({status}): {}", cut(last.trim(), MOST_SAID)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            // Children of its own included; the group may well be gone.
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads on a thread of its own, as long as somebody listens.
fn read_aside(from: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = crossbeam_channel::bounded(16);
    if let Some(mut from) = from {
        thread::spawn(move || {
            let mut piece = [0; 16 << 10];
            while let Ok(count @ 1..) = from.read(&mut piece) {
                if sender.send(piece[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

/// An empty folder that is gone when nobody needs it.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let place = std::env::temp_dir();
        let why = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = place.join(format!("trajview-judge-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists && number < 1_000 => {}
                Err(why) => break why,
            }
        };
        Err(format!("cannot make a folder for it in {}: {why}", place.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What the program left there goes with it; a folder left behind in the place for such is no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{conversation::Entry, settings::Kind};

    fn program(script: &str, seconds: f64) -> Program {
        let mut settings = Settings::new("p", Kind::Command);
        settings.command = vec!["sh".into(), "-c".into(), script.into()];
        settings.timeouts.whole = Duration::from_secs_f64(seconds);
        Program::new(&Arc::new(settings)).unwrap()
    }

    fn said(script: &str, seconds: f64) -> Result<Reply, Fault> {
        let question = Entry::Said("what of C01? ".repeat(20_000));
        let conversation = Conversation { entries: vec![question], ..Conversation::default() };
        program(script, seconds).ask(&conversation, &Stop::default())
    }

    #[test]
    fn a_program_reads_everything_and_its_answer_is_read() {
        let reply = said("grep -c C01 >/dev/null; echo '{\"level\": 1}'", 30.0).unwrap();
        assert_eq!(reply.text, "{\"level\": 1}");
        assert_eq!(said("echo here; ls -a | wc -l", 30.0).unwrap().text, "here\n2");
    }

    #[test]
    fn a_program_that_fails_is_told_with_its_last_words() {
        assert_eq!(
            said("echo first >&2; echo no credit >&2; exit 3", 30.0),
            Err(Fault::Program("the program failed (exit status: 3): no credit".into()))
        );
        let missing = Program { words: vec!["no-such-program-here".into()], ..program("", 1.0) };
        assert_eq!(
            missing.ask(&Conversation::default(), &Stop::default()),
            Err(Fault::Unreachable("cannot run no-such-program-here: no such program".into()))
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_everything_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = format!("(sleep 1; touch {}) & sleep 60", mark.display());

        let began = Instant::now();
        let fault = said(&script, 0.3).unwrap_err();

        assert_eq!(fault, Fault::Late("no answer within 0.3 s; the program was ended".into()));
        assert!(began.elapsed() < Duration::from_secs(20));
        assert!(Stop::default().wait(Duration::from_millis(1_500)));
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_is_ended_when_we_are_told_to_stop() {
        let stop = Stop::default();
        stop.set();
        let asked = program("sleep 60", 60.0).ask(&Conversation::default(), &stop);
        assert_eq!(asked, Err(Fault::Stopped));
    }

    #[test]
    fn what_a_program_leaves_open_does_not_hold_us_up() {
        let reply = said("sleep 60 & echo '{\"level\": 2}'", 30.0).unwrap();
        assert_eq!(reply.text, "{\"level\": 2}");
    }
}
