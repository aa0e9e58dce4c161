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
    answer::cut_text,
    conversation::{Conversation, JudgeReply},
    env_allowlist,
    fault::JudgeFault,
    prompt::fill_blanks,
    settings::{JudgeConfig, JudgeKind},
    stop_flag::StopFlag,
    wire::plain,
};

/// Largest output of a program (bytes).
const MOST_BYTES: usize = 8 << 20;

/// Longest part of its error output in a message (characters).
const MOST_COMPLAINT: usize = 300;

/// Time between two checks of the stop flag.
const BEAT: Duration = Duration::from_millis(20);

/// Time for which its output may stay open when the program itself has ended.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct CommandJudge {
    words: Vec<String>,
    environment: Vec<(String, OsString)>,
    timeout: Duration,
    folder: EmptyFolder,
}

/// Returns the environment of the program: [`super::env_allowlist`], its key, and the variables of its
/// settings.
fn program_environment(settings: &JudgeConfig) -> Vec<(String, OsString)> {
    let named = settings.pass.iter().chain(&settings.key_env).map(String::as_str);
    let names = env_allowlist::NETWORK.into_iter().chain(env_allowlist::PERSON).chain(named);
    names.filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))).collect()
}

impl CommandJudge {
    /// Makes the empty folder. The error is a sentence.
    pub fn new(settings: &Arc<JudgeConfig>) -> Result<Self, String> {
        let model = |name: &str| (name == "model").then(|| settings.model.clone());
        let words: Vec<String> =
            settings.command.iter().map(|word| fill_blanks(word, &model)).collect();
        if words.is_empty() {
            return Err("has no command".into());
        }
        let (timeout, environment) = (settings.timeouts.whole, program_environment(settings));
        Ok(Self { words, environment, timeout, folder: EmptyFolder::new()? })
    }

    /// Makes a program that is no judge, from its words, the variables that it gets beside those of every program, and
    /// its time limit. The error is a sentence.
    pub fn with_words(
        words: Vec<String>,
        pass: &[String],
        timeout: Duration,
    ) -> Result<Self, String> {
        let settings =
            JudgeConfig { pass: pass.to_vec(), ..JudgeConfig::new("", JudgeKind::Command) };
        Ok(Self {
            words,
            environment: program_environment(&settings),
            timeout,
            folder: EmptyFolder::new()?,
        })
    }

    pub(crate) fn ask_judge(
        &self,
        conversation: &Conversation,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        plain::parse_output(&self.run_with_input(
            plain::conversation_text(conversation),
            None,
            stop,
        )?)
    }

    /// Runs the program with this input in a folder, or else in an empty one, and returns its output.
    pub fn run_with_input(
        &self,
        input: String,
        folder: Option<&Path>,
        stop: &StopFlag,
    ) -> Result<Vec<u8>, JudgeFault> {
        let mut running = self.start_program(folder)?;
        running.send_input(input);
        running.collect_output(self.timeout, stop)
    }

    fn start_program(&self, folder: Option<&Path>) -> Result<RunningProgram, JudgeFault> {
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
            JudgeFault::Unreachable(format!("cannot run {program}: {why}"))
        })?;
        Ok(RunningProgram::for_child(child))
    }
}

/// A program under way; none is left when this is dropped.
struct RunningProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    complaints: Receiver<Vec<u8>>,
}

impl RunningProgram {
    fn for_child(mut child: Child) -> Self {
        let input = child.stdin.take();
        let output = read_aside(child.stdout.take());
        let complaints = read_aside(child.stderr.take());
        Self { child, input, output, complaints }
    }

    /// Sends the input. A program that does not read it may still answer.
    fn send_input(&mut self, words: String) {
        if let Some(mut input) = self.input.take() {
            thread::spawn(move || input.write_all(words.as_bytes()));
        }
    }

    fn collect_output(
        &mut self,
        timeout: Duration,
        stop: &StopFlag,
    ) -> Result<Vec<u8>, JudgeFault> {
        let mut end = Instant::now() + timeout;
        let (mut printed, mut is_open, mut status) = (vec![], true, None);
        while is_open || status.is_none() {
            if stop.is_set() {
                return Err(JudgeFault::Stopped);
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
                return Err(JudgeFault::Malformed(format!("it is longer than {most} MB; cut off")));
            }
            if status.is_none() {
                status =
                    self.child.try_wait().map_err(|why| JudgeFault::Program(why.to_string()))?;
                if status.is_some() {
                    end = end.min(Instant::now() + GRACE);
                }
            }
            if Instant::now() >= end && (is_open || status.is_none()) {
                if status.is_some() {
                    break;
                }
                let seconds = timeout.as_secs_f64();
                return Err(JudgeFault::TimedOut(format!(
                    "no answer within {seconds} s; the program was ended"
                )));
            }
        }
        match status {
            Some(status) if !status.success() => {
                Err(self.failure_of(&status.to_string(), &printed))
            }
            _ => Ok(printed),
        }
    }

    /// Returns the failure that the program reports as an answer, else the end of its error output.
    fn failure_of(&self, status: &str, printed: &[u8]) -> JudgeFault {
        if let Err(fault) = plain::parse_output(printed) {
            return fault;
        }
        let mut complaint = vec![];
        while let Ok(piece) = self.complaints.recv_timeout(BEAT) {
            complaint.extend(piece);
            let excess = complaint.len().saturating_sub(MOST_COMPLAINT * 4);
            complaint.drain(..excess);
        }
        let complaint = String::from_utf8_lossy(&complaint);
        let last = complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("empty reply");
        JudgeFault::Program(format!(
            "the program failed ({status}): {}",
            cut_text(last.trim(), MOST_COMPLAINT)
        ))
    }
}

impl Drop for RunningProgram {
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

/// Reads on a thread of its own, as long as the receiver exists.
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

/// An empty folder that is removed when it is dropped.
#[derive(Debug)]
struct EmptyFolder(PathBuf);

impl EmptyFolder {
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

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        // What the program left there goes with it; a folder left behind in the place for such is no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{conversation::ConversationEntry, settings::JudgeKind};

    fn shell_judge(script: &str, seconds: f64) -> CommandJudge {
        let mut settings = JudgeConfig::new("p", JudgeKind::Command);
        settings.command = vec!["sh".into(), "-c".into(), script.into()];
        settings.timeouts.whole = Duration::from_secs_f64(seconds);
        CommandJudge::new(&Arc::new(settings)).unwrap()
    }

    fn ask_script(script: &str, seconds: f64) -> Result<JudgeReply, JudgeFault> {
        let question = ConversationEntry::Sent("what of C01? ".repeat(20_000));
        let conversation = Conversation { entries: vec![question], ..Conversation::default() };
        shell_judge(script, seconds).ask_judge(&conversation, &StopFlag::default())
    }

    #[test]
    fn a_program_reads_everything_and_its_answer_is_read() {
        let reply = ask_script("grep -c C01 >/dev/null; echo '{\"level\": 1}'", 30.0).unwrap();
        assert_eq!(reply.text, "{\"level\": 1}");
        assert_eq!(ask_script("echo here; ls -a | wc -l", 30.0).unwrap().text, "here\n2");
    }

    #[test]
    fn a_program_that_fails_is_told_with_its_last_words() {
        assert_eq!(
            ask_script("echo first >&2; echo no credit >&2; exit 3", 30.0),
            Err(JudgeFault::Program("the program failed (exit status: 3): no credit".into()))
        );
        let missing =
            CommandJudge { words: vec!["no-such-program-here".into()], ..shell_judge("", 1.0) };
        assert_eq!(
            missing.ask_judge(&Conversation::default(), &StopFlag::default()),
            Err(JudgeFault::Unreachable("cannot run no-such-program-here: no such program".into()))
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_everything_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = format!("(sleep 1; touch {}) & sleep 60", mark.display());

        let began = Instant::now();
        let fault = ask_script(&script, 0.3).unwrap_err();

        assert_eq!(
            fault,
            JudgeFault::TimedOut("no answer within 0.3 s; the program was ended".into())
        );
        assert!(began.elapsed() < Duration::from_secs(20));
        assert!(StopFlag::default().wait_for(Duration::from_millis(1_500)));
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_is_ended_when_we_are_told_to_stop() {
        let stop = StopFlag::default();
        stop.set();
        let answer = shell_judge("sleep 60", 60.0).ask_judge(&Conversation::default(), &stop);
        assert_eq!(answer, Err(JudgeFault::Stopped));
    }

    #[test]
    fn what_a_program_leaves_open_does_not_hold_us_up() {
        let reply = ask_script("sleep 60 & echo '{\"level\": 2}'", 30.0).unwrap();
        assert_eq!(reply.text, "{\"level\": 2}");
    }
}
