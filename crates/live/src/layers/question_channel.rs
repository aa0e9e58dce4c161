//! The connection between an agent and the layers of its run: a socket in the folder of the run, one line of JSON each way.
//! Programs that the agent starts (`trajview mcp`, `trajview hook`) send their questions there; the run itself records the
//! answers.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    sync::mpsc,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::socket::SocketServer;

/// A question to the layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelQuestion {
    /// A search by the agent, with the tool.
    Search { query: String },
    /// A hook's question about a call that touches files.
    Call { tool: String, paths: Vec<String>, arguments: String },
}

/// The answer of the layers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelAnswer {
    /// The answer; empty when the layers have nothing.
    pub text: String,
    /// The reason why there is no answer; a sentence.
    pub failed: Option<String>,
}

/// The longest line of a question or an answer (bytes).
const MAX_LINE_BYTES: u64 = 4 << 20;

/// The time for which the run waits for a question, and for its answer to be read. Nothing else waits for that.
const RUN_TIMEOUT: Duration = Duration::from_secs(20);

/// The time for which the asking program waits in all, however slowly the answer comes: the agent waits meanwhile.
const ASK_TIMEOUT: Duration = Duration::from_secs(2);

#[cfg(unix)]
mod system {
    use std::os::unix::net::UnixStream;

    use super::*;

    /// Answers the questions that come to a socket. The error is a sentence.
    pub(crate) fn serve_questions(
        path: &Path,
        answer: impl Fn(&ChannelQuestion) -> ChannelAnswer + Send + Sync + 'static,
    ) -> Result<SocketServer, String> {
        let serve = move |stream: UnixStream| {
            let _ = serve_question(&stream, &answer); // the asking program may have ended
        };
        SocketServer::start(path, serve).map_err(|why| format!("{}: {why}", path.display()))
    }

    fn serve_question(
        stream: &UnixStream,
        answer: &dyn Fn(&ChannelQuestion) -> ChannelAnswer,
    ) -> std::io::Result<()> {
        stream.set_read_timeout(Some(RUN_TIMEOUT))?;
        stream.set_write_timeout(Some(RUN_TIMEOUT))?;
        let line = read_line(stream)?;
        let answer = match serde_json::from_str(&line) {
            Ok(asked) => answer(&asked),
            Err(why) => ChannelAnswer {
                failed: Some(format!("no question: {why}")),
                ..ChannelAnswer::default()
            },
        };
        write_line(stream, &answer)
    }

    fn write_line(mut stream: &UnixStream, what: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        stream.write_all(&line)
    }

    fn read_line(stream: &UnixStream) -> std::io::Result<String> {
        let mut line = String::new();
        BufReader::new(stream.take(MAX_LINE_BYTES)).read_line(&mut line)?;
        Ok(line)
    }

    /// Sends a question to the run at this socket. The error is a sentence.
    pub fn ask_run(socket: &Path, question: &ChannelQuestion) -> Result<ChannelAnswer, String> {
        let (sender, answer) = mpsc::channel();
        let (place, question) = (socket.to_owned(), question.clone());
        // Connecting, writing and reading may each take for ever where the other side hangs: all of it is left behind then.
        std::thread::spawn(move || {
            let _ = sender.send(exchange_lines(&place, &question)); // the caller may have given up
        });
        let answer = answer.recv_timeout(ASK_TIMEOUT).unwrap_or_else(|_| {
            let why = format!("no answer within {} s", ASK_TIMEOUT.as_secs());
            Err(std::io::Error::new(std::io::ErrorKind::TimedOut, why))
        });
        answer.map_err(|why| format!("no run answers at {}: {why}", socket.display()))
    }

    fn exchange_lines(socket: &Path, asked: &ChannelQuestion) -> std::io::Result<ChannelAnswer> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(ASK_TIMEOUT))?;
        stream.set_write_timeout(Some(ASK_TIMEOUT))?;
        write_line(&stream, asked)?;
        Ok(serde_json::from_str(&read_line(&stream)?)?)
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    const NOT_HERE: &str = "layers answer an agent at work on Unix alone";

    /// Fails, since there are no sockets here. The error is a sentence.
    pub(crate) fn serve_questions(
        _path: &Path,
        _answer: impl Fn(&ChannelQuestion) -> ChannelAnswer + Send + Sync + 'static,
    ) -> Result<SocketServer, String> {
        Err(NOT_HERE.into())
    }

    /// Fails, since there are no sockets here. The error is a sentence.
    pub fn ask_run(_socket: &Path, _question: &ChannelQuestion) -> Result<ChannelAnswer, String> {
        Err(NOT_HERE.into())
    }
}

pub use system::ask_run;
pub(crate) use system::serve_questions;

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_is_answered_and_nonsense_is_no_trouble() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        let echo =
            |asked: &ChannelQuestion| ChannelAnswer { text: format!("{asked:?}"), failed: None };
        let server = serve_questions(&socket, echo).unwrap();
        let asked = ChannelQuestion::Search { query: "why\nnot".into() };

        let mut nonsense = std::os::unix::net::UnixStream::connect(&socket).unwrap();
        nonsense.write_all(b"\xff{]\n").unwrap();
        let answer = ask_run(&socket, &asked).unwrap();
        drop(server);

        assert_eq!(answer.text, r#"Search { query: "why\nnot" }"#);
        assert!(ask_run(&socket, &asked).unwrap_err().starts_with("no run answers at"));
    }

    #[test]
    fn a_run_that_hangs_is_waited_for_two_seconds_and_no_longer() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        // It accepts no question; the system queues some connections, and then no more.
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let asked = ChannelQuestion::Search { query: "x".repeat(2 << 20) };

        let begun = std::time::Instant::now();
        let why = ask_run(&socket, &asked).unwrap_err();

        assert!(why.ends_with("no answer within 2 s") || why.contains("unavailable"), "{why}");
        assert!(begun.elapsed() < 3 * ASK_TIMEOUT, "{:?}", begun.elapsed());
        drop(listener);
    }
}
