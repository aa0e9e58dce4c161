//! Listens to an agent while a turn is under way, until it is over for any reason.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, never, select};
use regex::bytes::Regex;

use trajview_run::{
    Tokens,
    live::{LiveCommand, LiveEvent},
};

use super::{
    control::RunControl,
    drivers::{
        TitlePatterns,
        agent_output::{AgentOutput, OutputFormat, OutputStream, ReportedAmount},
    },
    input_line::InputLine,
    logs::TurnLogState,
    pasted_request::PastedRequest,
    process::{AgentProcess, OutputChunk, ProcessEnding},
    queued_prompts::PromptsDuringTurn,
    secrets::{SecretCover, Secrets},
    setup::{TurnTimeouts, to_duration},
    terminal_recording::TerminalRecording,
};

/// The reason why listening ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ListenOutcome {
    Exited(ProcessEnding),
    /// The terminal showed the marker of a finished turn.
    MarkerShown,
    /// A person ended the turn.
    EndedByPerson,
    /// A person wants the turn done again.
    Repeat,
    Stopped,
    /// The turn took too long; a sentence.
    Late(String),
}

/// Everything that listening needs.
pub struct Listener<'a> {
    pub control: &'a RunControl,
    pub timeouts: TurnTimeouts,
    pub output: &'a OutputFormat,
    pub parsed: &'a mut AgentOutput,
    pub secrets: &'a Secrets,
    pub terminal_recording: &'a mut TerminalRecording,
    pub terminal: TerminalWatch<'a>,
    /// Called now and then; returns what the log says of the turn.
    pub check_log: &'a mut dyn FnMut() -> TurnLogState,
    /// The file for the agent's output.
    pub file: Option<std::fs::File>,
    /// Called now and then; returns whether the log grew.
    pub check_growth: &'a mut dyn FnMut() -> bool,
    pub person: PersonInput<'a>,
    pub emit: &'a mut dyn FnMut(&LiveEvent),
}

/// The patterns for the agent's terminal, if it has one, and the request that is typed into it.
pub struct TerminalWatch<'a> {
    /// The pattern that it shows when a turn is over.
    pub marker: Option<&'a Regex>,
    pub titles: Option<TitlePatterns>,
    /// Its output after the marker of the turn before, when the agent works on already.
    pub earlier_output: Vec<u8>,
    /// The pasted request, until the key that sends it was pressed.
    pub typed: Option<PastedRequest>,
    /// True if nobody draws it, so that its questions are answered here.
    pub answers: bool,
}

/// A person's input while the agent works.
pub struct PersonInput<'a> {
    /// Typed and unsent input.
    pub input_line: &'a mut InputLine,
    /// Prompts that were sent.
    pub prompts: &'a mut PromptsDuringTurn,
    /// True if the person began the turn by typing, and may end it by going on.
    pub is_typed: bool,
    /// Commands for the time after this turn.
    pub later_commands: &'a mut Vec<LiveCommand>,
}

const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The interval at which the agent's log is read.
const LOG_POLL_INTERVAL: Duration = Duration::from_millis(700);

/// The longest time that output may stay open after the agent itself has ended: processes that it left running have it open.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// The time for which a terminal must show nothing new after its marker.
const TERMINAL_REST: Duration = Duration::from_millis(250);

/// The time for which an agent may wait for a person's answer when nobody is there.
const ANSWER_PATIENCE: Duration = Duration::from_secs(3);

/// A longer line is cut (bytes).
const MAX_LINE_BYTES: usize = 8 << 20;

/// The largest part of an agent's output that is kept (bytes).
const MAX_KEPT_BYTES: u64 = 64 << 20;

/// The largest part of a terminal's last output that is searched for a marker (bytes).
const TAIL_BYTES: usize = 8 << 10;

/// Output cut into lines.
#[derive(Default)]
struct LineSplitter {
    partial_line: Vec<u8>,
    is_skipping: bool,
}

impl LineSplitter {
    fn take_bytes(&mut self, bytes: &[u8], on_line: &mut dyn FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_skipping {
                self.partial_line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                self.end_line(on_line);
            } else if self.partial_line.len() > MAX_LINE_BYTES {
                self.end_line(on_line);
                self.is_skipping = true;
            }
        }
    }

    fn end_line(&mut self, on_line: &mut dyn FnMut(&str)) {
        let line = std::mem::take(&mut self.partial_line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        if !line.is_empty() && !self.is_skipping {
            on_line(line);
        }
        self.is_skipping = false;
    }
}

/// The state while listening to one turn.
struct ListeningState<'a, 'b> {
    listener: &'b mut Listener<'a>,
    output: LineSplitter,
    complaints: LineSplitter,
    tail: Vec<u8>,
    is_marked: bool,
    /// True if the end of the turn was seen twice: the agent has not gone on by itself in between.
    is_confirmed: bool,
    /// True if the title shows that the agent waits for a person's answer.
    is_asking: bool,
    /// True if the title shows that the agent works.
    is_working: bool,
    kept_bytes: u64,
    cover: SecretCover,
    used: Tokens,
}

impl Listener<'_> {
    /// Listens until the turn is over. The caller ends what is left of the process.
    pub fn listen(&mut self, process: &mut AgentProcess) -> ListenOutcome {
        let mut listening = ListeningState::new(self);
        listening.check_earlier_output();
        let outcome = listening.listen_until_over(process);
        listening.decide_all_sent(process);
        listening.finish_output();
        outcome
    }

    /// Ends a process and reads its last output.
    pub(crate) fn end_process(&mut self, process: &mut AgentProcess) -> Option<ProcessEnding> {
        let patience = to_duration(self.timeouts.patience);
        let mut listening = ListeningState::new(self);
        let ending = process.end_group(patience, &mut |piece| {
            let is_terminal = false;
            listening.on_output(&piece, is_terminal, &mut |_| {});
        });
        listening.finish_output();
        ending
    }
}

impl<'a, 'b> ListeningState<'a, 'b> {
    fn new(listener: &'b mut Listener<'a>) -> Self {
        let cover = SecretCover::new(listener.secrets.clone());
        Self {
            listener,
            output: LineSplitter::default(),
            complaints: LineSplitter::default(),
            tail: vec![],
            is_marked: false,
            is_confirmed: false,
            is_asking: false,
            is_working: false,
            kept_bytes: 0,
            cover,
            used: Tokens::default(),
        }
    }

    /// Checks whether the terminal has shown already that the turn is over.
    fn check_earlier_output(&mut self) {
        self.tail = std::mem::take(&mut self.listener.terminal.earlier_output);
        self.is_marked =
            self.listener.terminal.marker.is_some_and(|marker| marker.is_match(&self.tail));
    }

    fn listen_until_over(&mut self, process: &mut AgentProcess) -> ListenOutcome {
        let commands = self.listener.control.commands().clone();
        let mut pieces: Receiver<OutputChunk> = process.pieces.clone();
        let (began, mut last, mut looked) = (Instant::now(), Instant::now(), Instant::now());
        let mut ended: Option<(ProcessEnding, Instant)> = None;
        let (mut is_open, is_terminal) = (true, process.has_terminal());
        loop {
            if self.listener.control.stop.is_set() {
                return ListenOutcome::Stopped;
            }
            self.press_send_key(process);
            if let Some(late) = self.lateness_reason(began, last) {
                return ListenOutcome::Late(late);
            }
            if let Some(marked) = self.outcome_at_rest(process, last) {
                return marked;
            }
            select! {
                recv(pieces) -> piece => match piece {
                    Ok(piece) => {
                        last = Instant::now();
                        self.on_output(&piece, is_terminal, &mut |bytes| process.type_bytes(bytes));
                    }
                    Err(_) => (is_open, pieces) = (false, never()),
                },
                recv(commands) -> command => if let Ok(command) = command
                    && let Some(outcome) = self.run_command(command, process)
                {
                    return outcome;
                },
                default(POLL_INTERVAL) => {}
            }
            if looked.elapsed() >= LOG_POLL_INTERVAL {
                looked = Instant::now();
                if let Some(over) = self.read_log_state() {
                    return over;
                }
                if (self.listener.check_growth)() {
                    last = Instant::now(); // an agent that writes its log is not idle
                    (self.listener.emit)(&LiveEvent::LogGrew);
                }
            }
            self.decide_sent(process);
            if ended.is_none() {
                ended = process.poll_ending().map(|ending| (ending, Instant::now()));
            }
            if let Some((ending, since)) = ended
                && (!is_open || since.elapsed() > OUTPUT_GRACE)
            {
                return ListenOutcome::Exited(ending);
            }
        }
    }

    /// Presses the key that sends the request, once it is time.
    fn press_send_key(&mut self, process: &mut AgentProcess) {
        let due =
            self.listener.terminal.typed.as_ref().and_then(|typed| typed.due_key(Instant::now()));
        if let Some(key) = due {
            process.type_bytes(key);
            self.listener.terminal.typed = None;
        }
    }

    fn lateness_reason(&self, began: Instant, last: Instant) -> Option<String> {
        let TurnTimeouts { turn, idle, .. } = self.listener.timeouts;
        if began.elapsed() >= to_duration(turn) {
            return Some(format!("the turn was not over within {turn} s"));
        }
        if self.is_asking && self.listener.terminal.answers && last.elapsed() >= ANSWER_PATIENCE {
            return Some("it waits for an answer in its terminal, in a headless run".into());
        }
        let is_idle = last.elapsed() >= to_duration(idle);
        is_idle.then(|| format!("no output of the agent for {idle} s"))
    }

    /// Reads the state of the turn in the log. An agent that works on by itself is not at rest before that is done too.
    fn read_log_state(&mut self) -> Option<ListenOutcome> {
        match (self.listener.check_log)() {
            TurnLogState::UnderWay => {
                // Where it is the log that tells the end, what looked like one was none.
                if self.listener.terminal.marker.is_none() {
                    (self.is_marked, self.is_confirmed) = (false, false);
                }
                None
            }
            TurnLogState::OverAndOn => Some(ListenOutcome::MarkerShown),
            TurnLogState::Over => {
                self.is_confirmed = std::mem::replace(&mut self.is_marked, true);
                None
            }
        }
    }

    /// Returns the outcome once a terminal that showed its marker is at rest.
    fn outcome_at_rest(
        &mut self,
        process: &mut AgentProcess,
        last: Instant,
    ) -> Option<ListenOutcome> {
        if !self.is_marked
            || self.is_asking
            || self.is_working
            || self.listener.terminal.typed.is_some()
        {
            return None;
        }
        if self.decide_all_sent(process) {
            return Some(ListenOutcome::MarkerShown);
        }
        // A person's input may be a prompt that the agent begins next.
        let may_go_on =
            self.listener.terminal.marker.is_none() && self.listener.person.prompts.has_keys;
        let is_sure = self.is_confirmed || !may_go_on;
        let rests = is_sure && last.elapsed() >= TERMINAL_REST && process.pieces.is_empty();
        if !rests {
            return None;
        }
        // The state of the log may be old when the agent has asked something since.
        self.read_log_state().or_else(|| self.is_marked.then_some(ListenOutcome::MarkerShown))
    }

    /// Decides about prompts that a person sent while the turn goes on, by the input that the terminal's programs have
    /// read.
    fn decide_sent(&mut self, process: &AgentProcess) {
        let is_asked =
            self.listener.terminal.marker.is_some() && self.listener.person.prompts.is_undecided();
        let before = self.listener.person.prompts.queued.len();
        if is_asked && self.listener.person.prompts.decide_old_lines(process.unread_input()) {
            process.discard_unread();
            for queued in &self.listener.person.prompts.queued[before..] {
                (self.listener.emit)(&LiveEvent::Queued(self.listener.secrets.hide(&queued.text)));
            }
        }
    }

    /// Decides about all prompts at the end of the turn. Returns whether the agent has begun with one by itself.
    fn decide_all_sent(&mut self, process: &AgentProcess) -> bool {
        if !self.listener.person.prompts.is_undecided() {
            return false;
        }
        let marker = self.listener.terminal.marker;
        if self
            .listener
            .person
            .prompts
            .decide_all_lines(marker.and_then(|_| process.unread_input()))
        {
            process.discard_unread();
        }
        let goes_on = self.listener.person.prompts.queued.iter().any(|it| it.is_sent);
        if let Some(end) = marker.and_then(|marker| marker.find(&self.tail)).filter(|_| goes_on) {
            self.listener.terminal.earlier_output = self.tail.split_off(end.end());
        }
        goes_on
    }

    /// Runs a command, or keeps it for later. An outcome ends the listening.
    fn run_command(
        &mut self,
        command: LiveCommand,
        process: &mut AgentProcess,
    ) -> Option<ListenOutcome> {
        match command {
            LiveCommand::Keys(bytes) => {
                self.listener.person.prompts.has_keys = true;
                if let Some(text) = self.listener.person.input_line.take_keys(&bytes) {
                    self.listener.person.prompts.add_line(text, process.unread_input());
                }
                process.type_bytes(&bytes);
            }
            LiveCommand::Pause | LiveCommand::GoOn if self.listener.person.is_typed => {
                return Some(ListenOutcome::EndedByPerson);
            }
            LiveCommand::Resize(columns, rows) => {
                process.resize((columns, rows));
                self.listener.terminal_recording.resize((columns, rows));
            }
            LiveCommand::Retry => return Some(ListenOutcome::Repeat),
            LiveCommand::Stop => return Some(ListenOutcome::Stopped),
            command => self.listener.person.later_commands.push(command),
        }
        None
    }

    fn on_output(
        &mut self,
        piece: &OutputChunk,
        is_terminal: bool,
        type_in: &mut dyn FnMut(&[u8]),
    ) {
        self.keep_output(&piece.bytes);
        if is_terminal {
            return self.on_terminal_output(&piece.bytes, type_in);
        }
        let ListeningState { listener, output, complaints, .. } = self;
        let lines = if piece.from == OutputStream::Output { output } else { complaints };
        let (output, parsed, secrets) = (listener.output, &mut *listener.parsed, listener.secrets);
        lines.take_bytes(&piece.bytes, &mut |line| {
            output.read_line(&secrets.hide(line), piece.from, parsed);
        });
        self.emit_parsed();
    }

    fn on_terminal_output(&mut self, bytes: &[u8], type_in: &mut dyn FnMut(&[u8])) {
        let shown = self.listener.terminal_recording.record_output(bytes);
        if !shown.is_empty() {
            (self.listener.emit)(&LiveEvent::Terminal(shown));
        }
        if let Some(typed) = &mut self.listener.terminal.typed {
            typed.on_output(bytes);
        }
        self.tail.extend_from_slice(bytes);
        if self.listener.terminal.answers {
            answer_terminal_queries(bytes, type_in);
        }
        self.is_marked |=
            self.listener.terminal.marker.is_some_and(|marker| marker.is_match(&self.tail));
        if let (Some(TitlePatterns { works, asks }), Some(title)) =
            (self.listener.terminal.titles, last_title(&self.tail))
        {
            let says = |part: &str| memchr::memmem::find(title, part.as_bytes()).is_some();
            (self.is_working, self.is_asking) = (says(works), says(asks));
        }
        let excess = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
    }

    /// Emits what the reader understood.
    fn emit_parsed(&mut self) {
        for line in std::mem::take(&mut self.listener.parsed.messages) {
            (self.listener.emit)(&LiveEvent::AgentLine(line));
        }
        if let ReportedAmount::Turn(tokens) = self.listener.parsed.tokens
            && tokens != self.used
        {
            self.used = tokens;
            let cost_usd = match self.listener.parsed.cost {
                ReportedAmount::Turn(cost) => Some(cost),
                _ => None,
            };
            (self.listener.emit)(&LiveEvent::Used { tokens, cost_usd });
        }
    }

    fn keep_output(&mut self, bytes: &[u8]) {
        let is_room = self.kept_bytes < MAX_KEPT_BYTES;
        if let Some(file) = self.listener.file.as_mut().filter(|_| is_room) {
            // For debugging only; the run does not depend on it.
            let _ = std::io::Write::write_all(file, &self.cover.cover_piece(bytes));
            self.kept_bytes += bytes.len() as u64;
        }
    }

    fn finish_output(&mut self) {
        let ListeningState { listener, output: lines, complaints, .. } = self;
        let (output, parsed, secrets) = (listener.output, &mut *listener.parsed, listener.secrets);
        for (lines, from) in [(lines, OutputStream::Output), (complaints, OutputStream::Errors)] {
            lines.end_line(&mut |line| output.read_line(&secrets.hide(line), from, parsed));
        }
        if let Some(file) = &mut listener.file {
            let _ = std::io::Write::write_all(file, &self.cover.take_rest()); // as in `keep`
        }
        let rest = listener.terminal_recording.flush_held();
        if !rest.is_empty() {
            (listener.emit)(&LiveEvent::Terminal(rest));
        }
        self.emit_parsed();
    }
}

/// Returns the last title that a terminal was given; None when these bytes have none, or not the whole of it.
fn last_title(bytes: &[u8]) -> Option<&[u8]> {
    let begins = [b"\x1b]0;", b"\x1b]2;"].map(|begin| memchr::memmem::rfind(bytes, begin));
    let title = &bytes[begins.into_iter().flatten().max()? + 4..];
    let end = title.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
    Some(&title[..end])
}

/// Answers the queries that programs send to a terminal at their start: the cursor position, the terminal type.
fn answer_terminal_queries(bytes: &[u8], type_in: &mut dyn FnMut(&[u8])) {
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
            let (mut lines, mut parsed) = (LineSplitter::default(), vec![]);
            let (first, second) = text.split_at(at);
            lines.take_bytes(first, &mut |line| parsed.push(line.to_owned()));
            lines.take_bytes(second, &mut |line| parsed.push(line.to_owned()));
            lines.end_line(&mut |line| parsed.push(line.to_owned()));
            assert_eq!(parsed, ["one", "two", "rest"]);
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let (mut lines, mut parsed) = (LineSplitter::default(), vec![]);
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            lines.take_bytes(&piece, &mut |line| parsed.push(line.len()));
        }
        lines.take_bytes(b"\nnext\n", &mut |line| parsed.push(line.len()));
        assert_eq!(parsed.len(), 2);
        assert!(parsed[0] <= MAX_LINE_BYTES + piece.len() && parsed[1] == 4);
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
        answer_terminal_queries(b"a\x1b[6nb\x1b[c", &mut |bytes| typed.extend_from_slice(bytes));
        assert_eq!(typed, b"\x1b[1;1R\x1b[?6c");
    }
}
