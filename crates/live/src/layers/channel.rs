//! How an agent at work reaches the layers of its run: a socket in the folder of the run, one line of JSON each way. Programs
//! that the agent starts (`trajview mcp`, `trajview hook`) ask there; what they were given is recorded by the run itself.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asked {
    /// By the agent, with the tool.
    Search { query: String },
    /// By a hook, about a call that touches files.
    Call { tool: String, paths: Vec<String>, arguments: String },
}

/// What the layers say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// Empty for nothing.
    pub text: String,
    /// Why it could not be asked; a sentence.
    pub failed: Option<String>,
}

/// Who answers.
pub trait Answers: Send {
    fn answer(&mut self, asked: &Asked) -> Answer;
}

/// A longer line is no question and no answer (bytes).
const MOST_BYTES: u64 = 4 << 20;

/// How long the run waits for a question and until its answer is taken. Nobody else waits for that.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long whoever asks waits in all, however slowly the answer comes: an agent stands still meanwhile.
const MOST_TIME: Duration = Duration::from_secs(2);

/// Answers until it is dropped.
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
    is_over: Arc<AtomicBool>,
}

#[cfg(unix)]
mod system {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    impl Server {
        /// The error is a sentence.
        pub fn start<A: Answers + 'static>(
            path: &Path,
            answers: Arc<Mutex<A>>,
        ) -> Result<Self, String> {
            let _ = std::fs::remove_file(path); // a run that was killed left it
            let listener =
                UnixListener::bind(path).map_err(|why| format!("{}: {why}", path.display()))?;
            let is_over = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&is_over);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if seen.load(Ordering::SeqCst) {
                        return;
                    }
                    let Ok(stream) = stream else { continue };
                    let answers = Arc::clone(&answers);
                    // One that asks nothing keeps nobody else from asking.
                    std::thread::spawn(move || {
                        let _ = hold(&stream, &answers); // whoever asked is gone
                    });
                }
            });
            Ok(Self { path: path.to_owned(), is_over })
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            self.is_over.store(true, Ordering::SeqCst);
            let _ = UnixStream::connect(&self.path); // wakes it
            let _ = std::fs::remove_file(&self.path); // it goes with the folder
        }
    }

    fn hold<A: Answers>(stream: &UnixStream, answers: &Mutex<A>) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let line = line_of(stream)?;
        let answer = match serde_json::from_str(&line) {
            Ok(asked) => answers.lock().unwrap_or_else(PoisonError::into_inner).answer(&asked),
            Err(why) => Answer { failed: Some(format!("no question: {why}")), ..Answer::default() },
        };
        say(stream, &answer)
    }

    fn say(mut stream: &UnixStream, what: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        stream.write_all(&line)
    }

    fn line_of(stream: &UnixStream) -> std::io::Result<String> {
        let mut line = String::new();
        BufReader::new(stream.take(MOST_BYTES)).read_line(&mut line)?;
        Ok(line)
    }

    /// Asks the run at this socket. The error is a sentence.
    pub fn ask(socket: &Path, asked: &Asked) -> Result<Answer, String> {
        let (sender, answer) = mpsc::channel();
        let (place, question) = (socket.to_owned(), asked.clone());
        // Connecting, writing and reading may each take for ever where the other side hangs: all of it is left behind then.
        std::thread::spawn(move || {
            let _ = sender.send(exchange(&place, &question)); // nobody waits any more
        });
        let answer = answer.recv_timeout(MOST_TIME).unwrap_or_else(|_| {
            let why = format!("no answer within {} s", MOST_TIME.as_secs());
            Err(std::io::Error::new(std::io::ErrorKind::TimedOut, why))
        });
        answer.map_err(|why| format!("no run answers at {}: {why}", socket.display()))
    }

    fn exchange(socket: &Path, asked: &Asked) -> std::io::Result<Answer> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(MOST_TIME))?;
        stream.set_write_timeout(Some(MOST_TIME))?;
        say(&stream, asked)?;
        Ok(serde_json::from_str(&line_of(&stream)?)?)
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    const NOT_HERE: &str = "layers answer an agent at work on Unix alone";

    impl Server {
        /// The error is a sentence.
        pub fn start<A: Answers + 'static>(
            _path: &Path,
            _answers: Arc<Mutex<A>>,
        ) -> Result<Self, String> {
            Err(NOT_HERE.into())
        }
    }

    /// The error is a sentence.
    pub fn ask(_socket: &Path, _asked: &Asked) -> Result<Answer, String> {
        Err(NOT_HERE.into())
    }
}

pub use system::ask;

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    struct Echo;

    impl Answers for Echo {
        fn answer(&mut self, asked: &Asked) -> Answer {
            Answer { text: format!("{asked:?}"), failed: None }
        }
    }

    #[test]
    fn whoever_asks_is_answered_and_nonsense_is_no_trouble() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        let server = Server::start(&socket, Arc::new(Mutex::new(Echo))).unwrap();
        let asked = Asked::Search { query: "why\nnot".into() };

        let mut nonsense = std::os::unix::net::UnixStream::connect(&socket).unwrap();
        nonsense.write_all(b"\xff{]\n").unwrap();
        let answer = ask(&socket, &asked).unwrap();
        drop(server);

        assert_eq!(answer.text, r#"Search { query: "why\nnot" }"#);
        assert!(ask(&socket, &asked).unwrap_err().starts_with("no run answers at"));
    }

    #[test]
    fn a_run_that_hangs_is_waited_for_two_seconds_and_no_longer() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        // It takes no question; the system lets in some, and then nobody.
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let asked = Asked::Search { query: "x".repeat(2 << 20) };

        let begun = std::time::Instant::now();
        let why = ask(&socket, &asked).unwrap_err();

        assert!(why.ends_with("no answer within 2 s") || why.contains("unavailable"), "{why}");
        assert!(begun.elapsed() < 3 * MOST_TIME, "{:?}", begun.elapsed());
        drop(listener);
    }
}
