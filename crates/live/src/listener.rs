//! Listening to an agent while a turn is under way, until it is over one way or another.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, never, select};
use regex::bytes::Regex;

use trajview_run::Tokens;

use super::{
    cast::Cast,
    control::{Control, LiveCommand},
    drivers::{
        Titles,
        agent_output::{AgentOutput, Amount, Reader, Stream},
    },
    event::Event,
    logs::Says,
    process::{Ending, Piece, Process},
    queued::Interjections,
    secrets::{Cover, Secrets},
    setup::{Timeouts, duration},
    typing::Typing,
    unsent::Unsent,
};

/// Why listening ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Exited(Ending),
    /// The terminal showed what it shows when a turn is over.
    Marked,
    /// A person said that the turn is over.
    Declared,
    /// A person wants it done again.
    Again,
    Stopped,
    /// It took too long; a sentence.
    Late(String),
}

/// What listening needs.
pub struct Listener<'a> {
    pub control: &'a Control,
    pub timeouts: Timeouts,
    pub reader: &'a mut dyn Reader,
    pub heard: &'a mut AgentOutput,
    pub secrets: &'a Secrets,
    pub cast: &'a mut Cast,
    pub terminal: TerminalWatch<'a>,
    /// Asked now and then what the log says of the turn.
    pub look: &'a mut dyn FnMut() -> Says,
    /// Where what it prints is kept.
    pub file: Option<std::fs::File>,
    /// Called now and then; whether the log grew.
    pub grow: &'a mut dyn FnMut() -> bool,
    pub person: Person<'a>,
    pub tell: &'a mut dyn FnMut(&Event),
}

/// What is looked for in the agent's terminal, where it has one, and what is typed into it.
pub struct TerminalWatch<'a> {
    /// What it shows when a turn is over.
    pub marker: Option<&'a Regex>,
    pub titles: Option<Titles>,
    /// What it showed after the marker of the turn before, where the agent works on already.
    pub shown: Vec<u8>,
    /// The request, where it was typed and the key that sends it was not pressed yet.
    pub typed: Option<Unsent>,
    /// Whether nobody draws it, so that its questions have to be answered here.
    pub answers: bool,
}

/// What a person does while the agent works.
pub struct Person<'a> {
    /// What was typed and not sent.
    pub typing: &'a mut Typing,
    /// What was sent.
    pub sent: &'a mut Interjections,
    /// Whether the person began the turn by typing, and may say that it is over by going on.
    pub is_typed: bool,
    /// Wishes for what comes after this turn.
    pub later: &'a mut Vec<LiveCommand>,
}

const BEAT: Duration = Duration::from_millis(50);

/// How often the agent's log is looked at.
const LOOK: Duration = Duration::from_millis(700);

/// How long output may stay open when the agent itself has ended: what it left running holds it.
const GRACE: Duration = Duration::from_millis(500);

/// How long a terminal has to rest after its marker.
const REST: Duration = Duration::from_millis(250);

/// How long an agent waits for the answer of a person where there is none.
const PATIENCE: Duration = Duration::from_secs(3);

/// A longer line is cut (bytes).
const LONGEST_LINE: usize = 8 << 20;

/// What is kept of what an agent prints (bytes).
const MOST_KEPT: u64 = 64 << 20;

/// What of a terminal's output a marker is looked for in (bytes).
const TAIL: usize = 8 << 10;

/// Output cut into lines.
#[derive(Default)]
struct Lines {
    held: Vec<u8>,
    skips: bool,
}

impl Lines {
    fn take(&mut self, bytes: &[u8], hear: &mut dyn FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.skips {
                self.held.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                self.end(hear);
            } else if self.held.len() > LONGEST_LINE {
                self.end(hear);
                self.skips = true;
            }
        }
    }

    fn end(&mut self, hear: &mut dyn FnMut(&str)) {
        let line = std::mem::take(&mut self.held);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        if !line.is_empty() && !self.skips {
            hear(line);
        }
        self.skips = false;
    }
}

/// One listening.
struct Listening<'a, 'b> {
    listener: &'b mut Listener<'a>,
    output: Lines,
    complaints: Lines,
    tail: Vec<u8>,
    is_marked: bool,
    /// Whether the end of the turn was seen twice: the agent has not gone on by itself in between.
    is_confirmed: bool,
    /// Whether the title says that the agent waits for a person's answer.
    is_asking: bool,
    /// Whether it says that the agent works.
    is_working: bool,
    kept: u64,
    cover: Cover,
    used: Tokens,
}

impl Listener<'_> {
    /// Listens until the turn is over. What is left of the process is the caller's to end.
    pub fn listen(&mut self, process: &mut Process) -> Outcome {
        let mut listening = Listening::of(self);
        listening.go_on();
        let outcome = listening.until_over(process);
        listening.decide_all(process);
        listening.finish();
        outcome
    }

    /// What a process says while it is made to end.
    pub fn end(&mut self, process: &mut Process) -> Option<Ending> {
        let patience = duration(self.timeouts.patience);
        let mut listening = Listening::of(self);
        let ending = process.end(patience, &mut |piece| {
            let is_terminal = false;
            listening.hear(&piece, is_terminal, &mut |_| {});
        });
        listening.finish();
        ending
    }
}

impl<'a, 'b> Listening<'a, 'b> {
    fn of(listener: &'b mut Listener<'a>) -> Self {
        let cover = Cover::new(listener.secrets.clone());
        Self {
            listener,
            output: Lines::default(),
            complaints: Lines::default(),
            tail: vec![],
            is_marked: false,
            is_confirmed: false,
            is_asking: false,
            is_working: false,
            kept: 0,
            cover,
            used: Tokens::default(),
        }
    }

    /// The terminal may have shown already that the turn is over.
    fn go_on(&mut self) {
        self.tail = std::mem::take(&mut self.listener.terminal.shown);
        self.is_marked =
            self.listener.terminal.marker.is_some_and(|marker| marker.is_match(&self.tail));
    }

    fn until_over(&mut self, process: &mut Process) -> Outcome {
        let wishes = self.listener.control.wishes().clone();
        let mut pieces: Receiver<Piece> = process.pieces.clone();
        let (began, mut last, mut looked) = (Instant::now(), Instant::now(), Instant::now());
        let mut ended: Option<(Ending, Instant)> = None;
        let (mut is_open, is_terminal) = (true, process.has_terminal());
        loop {
            if self.listener.control.stop.is_set() {
                return Outcome::Stopped;
            }
            self.send(process);
            if let Some(late) = self.lateness(began, last) {
                return Outcome::Late(late);
            }
            if let Some(marked) = self.rests(process, last) {
                return marked;
            }
            select! {
                recv(pieces) -> piece => match piece {
                    Ok(piece) => {
                        last = Instant::now();
                        self.hear(&piece, is_terminal, &mut |bytes| process.type_in(bytes));
                    }
                    Err(_) => (is_open, pieces) = (false, never()),
                },
                recv(wishes) -> wish => if let Ok(wish) = wish
                    && let Some(outcome) = self.grant(wish, process)
                {
                    return outcome;
                },
                default(BEAT) => {}
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if let Some(over) = self.look() {
                    return over;
                }
                if (self.listener.grow)() {
                    last = Instant::now(); // an agent that writes its log is not idle
                    (self.listener.tell)(&Event::Grew);
                }
            }
            self.decide(process);
            if ended.is_none() {
                ended = process.ending().map(|ending| (ending, Instant::now()));
            }
            if let Some((ending, since)) = ended
                && (!is_open || since.elapsed() > GRACE)
            {
                return Outcome::Exited(ending);
            }
        }
    }

    /// Presses the key that sends the request, once it is time.
    fn send(&mut self, process: &mut Process) {
        let due = self.listener.terminal.typed.as_ref().and_then(|typed| typed.due(Instant::now()));
        if let Some(key) = due {
            process.type_in(key);
            self.listener.terminal.typed = None;
        }
    }

    fn lateness(&self, began: Instant, last: Instant) -> Option<String> {
        let Timeouts { turn, idle, .. } = self.listener.timeouts;
        if began.elapsed() >= duration(turn) {
            return Some(format!("the turn was not over within {turn} s"));
        }
        if self.is_asking && self.listener.terminal.answers && last.elapsed() >= PATIENCE {
            return Some("it asks something in its terminal, and nobody is there to answer".into());
        }
        let is_idle = last.elapsed() >= duration(idle);
        is_idle.then(|| format!("nothing was heard of the agent for {idle} s"))
    }

    /// Asks the log. An agent that works on by itself comes to no rest before that is done too.
    fn look(&mut self) -> Option<Outcome> {
        match (self.listener.look)() {
            Says::UnderWay => {
                // Where it is the log that tells the end, what looked like one was none.
                if self.listener.terminal.marker.is_none() {
                    (self.is_marked, self.is_confirmed) = (false, false);
                }
                None
            }
            Says::OverAndOn => Some(Outcome::Marked),
            Says::Over => {
                self.is_confirmed = std::mem::replace(&mut self.is_marked, true);
                None
            }
        }
    }

    /// Whether a terminal that showed its marker has come to rest.
    fn rests(&mut self, process: &mut Process, last: Instant) -> Option<Outcome> {
        if !self.is_marked
            || self.is_asking
            || self.is_working
            || self.listener.terminal.typed.is_some()
        {
            return None;
        }
        if self.decide_all(process) {
            return Some(Outcome::Marked);
        }
        // What a person typed may be a prompt that the agent begins next.
        let may_go_on =
            self.listener.terminal.marker.is_none() && self.listener.person.sent.has_keys;
        let is_sure = self.is_confirmed || !may_go_on;
        let rests = is_sure && last.elapsed() >= REST && process.pieces.is_empty();
        if !rests {
            return None;
        }
        // What the log said may be long ago where the agent has asked something since.
        self.look().or_else(|| self.is_marked.then_some(Outcome::Marked))
    }

    /// Decides about what a person sent while the turn goes on, by what the terminal's programs have read.
    fn decide(&mut self, process: &Process) {
        let is_asked =
            self.listener.terminal.marker.is_some() && self.listener.person.sent.is_undecided();
        let before = self.listener.person.sent.queued.len();
        if is_asked && self.listener.person.sent.decide(process.unread()) {
            process.take_back();
            for queued in &self.listener.person.sent.queued[before..] {
                (self.listener.tell)(&Event::Queued(self.listener.secrets.hide(&queued.text)));
            }
        }
    }

    /// The same at the end of the turn. Whether the agent has begun with it by itself.
    fn decide_all(&mut self, process: &Process) -> bool {
        if !self.listener.person.sent.is_undecided() {
            return false;
        }
        let marker = self.listener.terminal.marker;
        if self.listener.person.sent.decide_all(marker.and_then(|_| process.unread())) {
            process.take_back();
        }
        let goes_on = self.listener.person.sent.queued.iter().any(|it| it.is_sent);
        if let Some(end) = marker.and_then(|marker| marker.find(&self.tail)).filter(|_| goes_on) {
            self.listener.terminal.shown = self.tail.split_off(end.end());
        }
        goes_on
    }

    /// Carries out a wish, or keeps it for later. An outcome ends the listening.
    fn grant(&mut self, wish: LiveCommand, process: &mut Process) -> Option<Outcome> {
        match wish {
            LiveCommand::Keys(bytes) => {
                self.listener.person.sent.has_keys = true;
                if let Some(text) = self.listener.person.typing.take(&bytes) {
                    self.listener.person.sent.send(text, process.unread());
                }
                process.type_in(&bytes);
            }
            LiveCommand::Pause | LiveCommand::GoOn if self.listener.person.is_typed => {
                return Some(Outcome::Declared);
            }
            LiveCommand::Resize(columns, rows) => {
                process.resize((columns, rows));
                self.listener.cast.resize((columns, rows));
            }
            LiveCommand::Retry => return Some(Outcome::Again),
            LiveCommand::Stop => return Some(Outcome::Stopped),
            wish => self.listener.person.later.push(wish),
        }
        None
    }

    fn hear(&mut self, piece: &Piece, is_terminal: bool, type_in: &mut dyn FnMut(&[u8])) {
        self.keep(&piece.bytes);
        if is_terminal {
            return self.hear_terminal(&piece.bytes, type_in);
        }
        let Listening { listener, output, complaints, .. } = self;
        let lines = if piece.from == Stream::Output { output } else { complaints };
        let (reader, heard, secrets) =
            (&mut *listener.reader, &mut *listener.heard, listener.secrets);
        lines.take(&piece.bytes, &mut |line| {
            reader.line(&secrets.hide(line), piece.from, heard);
        });
        self.pass_on();
    }

    fn hear_terminal(&mut self, bytes: &[u8], type_in: &mut dyn FnMut(&[u8])) {
        let shown = self.listener.cast.output(bytes);
        if !shown.is_empty() {
            (self.listener.tell)(&Event::Terminal(shown));
        }
        if let Some(typed) = &mut self.listener.terminal.typed {
            typed.hear(bytes);
        }
        self.tail.extend_from_slice(bytes);
        if self.listener.terminal.answers {
            answer(bytes, type_in);
        }
        self.is_marked |=
            self.listener.terminal.marker.is_some_and(|marker| marker.is_match(&self.tail));
        if let (Some(Titles { works, asks }), Some(title)) =
            (self.listener.terminal.titles, last_title(&self.tail))
        {
            let says = |part: &str| memchr::memmem::find(title, part.as_bytes()).is_some();
            (self.is_working, self.is_asking) = (says(works), says(asks));
        }
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
    }

    /// Tells what the reader understood.
    fn pass_on(&mut self) {
        for line in std::mem::take(&mut self.listener.heard.said) {
            (self.listener.tell)(&Event::Said(line));
        }
        if let Amount::Turn(tokens) = self.listener.heard.tokens
            && tokens != self.used
        {
            self.used = tokens;
            let cost_usd = match self.listener.heard.cost {
                Amount::Turn(cost) => Some(cost),
                _ => None,
            };
            (self.listener.tell)(&Event::Used { tokens, cost_usd });
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let is_room = self.kept < MOST_KEPT;
        if let Some(file) = self.listener.file.as_mut().filter(|_| is_room) {
            // For whoever looks into trouble; the run does not hang on it.
            let _ = std::io::Write::write_all(file, &self.cover.take(bytes));
            self.kept += bytes.len() as u64;
        }
    }

    fn finish(&mut self) {
        let Listening { listener, output, complaints, .. } = self;
        let (reader, heard, secrets) =
            (&mut *listener.reader, &mut *listener.heard, listener.secrets);
        output.end(&mut |line| reader.line(&secrets.hide(line), Stream::Output, heard));
        complaints.end(&mut |line| reader.line(&secrets.hide(line), Stream::Complaints, heard));
        if let Some(file) = &mut listener.file {
            let _ = std::io::Write::write_all(file, &self.cover.rest()); // as in `keep`
        }
        let rest = listener.cast.rest();
        if !rest.is_empty() {
            (listener.tell)(&Event::Terminal(rest));
        }
        self.pass_on();
    }
}

/// The title that a terminal was given last; None where these bytes give none, or not the whole of it.
fn last_title(bytes: &[u8]) -> Option<&[u8]> {
    let begins = [b"\x1b]0;", b"\x1b]2;"].map(|begin| memchr::memmem::rfind(bytes, begin));
    let title = &bytes[begins.into_iter().flatten().max()? + 4..];
    let end = title.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
    Some(&title[..end])
}

/// Answers the questions that programs ask a terminal before they do anything else: where the cursor is, what it is.
fn answer(bytes: &[u8], type_in: &mut dyn FnMut(&[u8])) {
    const ANSWERS: [(&[u8], &[u8]); 3] =
        [(b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[5n", b"\x1b[0n"), (b"\x1b[c", b"\x1b[?6c")];
    for (question, answer) in ANSWERS {
        for _ in memchr::memmem::find_iter(bytes, question) {
            type_in(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_cut_into_lines_however_it_comes() {
        for at in 0..12 {
            let text = b"one\r\n\ntwo\nrest";
            let (mut lines, mut heard) = (Lines::default(), vec![]);
            let (first, second) = text.split_at(at);
            lines.take(first, &mut |line| heard.push(line.to_owned()));
            lines.take(second, &mut |line| heard.push(line.to_owned()));
            lines.end(&mut |line| heard.push(line.to_owned()));
            assert_eq!(heard, ["one", "two", "rest"]);
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let (mut lines, mut heard) = (Lines::default(), vec![]);
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            lines.take(&piece, &mut |line| heard.push(line.len()));
        }
        lines.take(b"\nnext\n", &mut |line| heard.push(line.len()));
        assert_eq!(heard.len(), 2);
        assert!(heard[0] <= LONGEST_LINE + piece.len() && heard[1] == 4);
    }

    #[test]
    fn the_last_title_is_the_one_that_counts() {
        let title = |bytes: &'static [u8]| last_title(bytes).map(String::from_utf8_lossy);
        assert_eq!(title(b"a\x1b]0;one\x07b\x1b]2;two\x1b\\c").as_deref(), Some("two"));
        assert_eq!(title(b"\x1b]2;two\x07\x1b]0;one\x07").as_deref(), Some("one"));
        assert_eq!(title(b"\x1b]0;one\x07\x1b]0;tw"), None);
        assert_eq!(title(b"nothing"), None);
    }

    #[test]
    fn the_questions_of_programs_to_their_terminal_are_answered() {
        let mut typed = vec![];
        answer(b"a\x1b[6nb\x1b[c", &mut |bytes| typed.extend_from_slice(bytes));
        assert_eq!(typed, b"\x1b[1;1R\x1b[?6c");
    }
}
