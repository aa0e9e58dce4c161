//! Recorded terminals among the files of a run: what a player needs of one, and its events piece by piece.

use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use trajview_formats::asciicast::{
    CastEvent, CastEventKind, CastHeader, CastReader, NotAnEvent, event_lines, read_header,
};
use trajview_run::{
    RecordPlace, Run, SourceId, Step, StepId, Time,
    terminal_recording::{
        PieceStart, TerminalAlignment, TerminalChange, TerminalEvent, TerminalPiece,
        TerminalRecording,
    },
};

use super::{
    archive::Archive,
    entries::is_plain_file,
    file_bytes::{FileBytes, ReadAllowance},
    folder_names::SearchedFolder,
    recording_files::FoundFile,
    trial_sidecars,
};

/// The bytes of a piece; the line at its end is whole, unless it is longer than [`MOST_LINE_BYTES`].
const PIECE_BYTES: u64 = 1 << 20;

/// The longest line that is read.
const MOST_LINE_BYTES: u64 = 16 << 20;

/// The longest printed line that is compared with the records of steps.
const MOST_PRINTED_BYTES: usize = 4 << 20;

/// The shortest record that is looked for among the printed lines: shorter ones are printed by chance.
const LEAST_RECORD_BYTES: u64 = 40;

/// The largest recording of version 1.
const MOST_DOCUMENT_BYTES: u64 = 64 << 20;

/// The recording of trajview's own live runs, within their bundle.
const OWN_RECORDING: &str = "session/terminal.cast";

/// The records whose folder is that of a trial.
const TRIAL_RECORDS: [&str; 2] = ["result.json", "results.json"];

/// The folder of the terminal recordings of a trial whose log is in another one.
const SESSIONS_FOLDER: &str = "sessions";

/// The most terminal recordings of a run that are added to its files.
const MOST_RECORDINGS: usize = 16;

/// Returns the terminal recordings beside a log, in its folder and in those above, up to the folder of its trial, and in
/// the folder of sessions of the trial.
pub(super) fn recordings_beside(log: &Path) -> Vec<PathBuf> {
    let is_recording =
        |path: &PathBuf| path.extension().is_some_and(|it| it == "cast") && is_plain_file(path);
    let mut searched: Vec<SearchedFolder> = vec![];
    for folder in log.ancestors().skip(1).take(trial_sidecars::MOST_UP) {
        let folder = SearchedFolder::new(folder);
        let is_trial = TRIAL_RECORDS.iter().any(|name| folder.has_file(name));
        let sessions = (is_trial && folder.may_have(SESSIONS_FOLDER))
            .then(|| SearchedFolder::new(&folder.path().join(SESSIONS_FOLDER)));
        searched.push(folder);
        searched.extend(sessions);
        if is_trial {
            let found = searched.iter().flat_map(SearchedFolder::entries).filter(is_recording);
            let mut recordings: Vec<PathBuf> = vec![];
            found.for_each(|path| {
                if !recordings.contains(&path) {
                    recordings.push(path);
                }
            });
            recordings.truncate(MOST_RECORDINGS);
            return recordings;
        }
    }
    vec![]
}

/// Turns a recording of version 1, which is one document, into lines. A larger one than may be in memory stays as it is.
pub(super) fn prepare_recording(file: &mut FoundFile, allowance: &mut ReadAllowance) {
    if !file.name.ends_with(".cast") {
        return;
    }
    let has_lines = |head: &[u8]| {
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        read_header(first).is_ok()
    };
    if file.bytes.file_size() > MOST_DOCUMENT_BYTES || has_lines(&file.bytes) {
        return;
    }
    let (document, _) = file.bytes.read_all();
    let lines = allowance.take_unpacked(|most| {
        let lines = event_lines(&document, most.min(MOST_DOCUMENT_BYTES * 2));
        lines.map(|lines| (lines, None)).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
    });
    if let Ok((lines, _)) = lines {
        file.bytes = FileBytes::InMemory(lines);
    }
}

impl Archive {
    /// Returns what a player needs of a recorded terminal of the run.
    ///
    /// # Errors
    /// A sentence where the file is no terminal recording.
    pub fn terminal_recording(
        &self,
        run: &Run,
        source: SourceId,
    ) -> Result<TerminalRecording, String> {
        let (header, first) = self.cast_header(source)?;
        let mut measure = StepClock::new(self, run, source, &header);
        let mut reader = CastReader::at_time(&header, 0.0);
        let mut pieces = vec![];
        let (mut damaged, mut first_damaged, mut number) = (0_usize, 1, 1);
        let mut start = first;
        while let Some(bytes) = self.piece_bytes(source, start) {
            pieces.push(PieceStart { start, seconds: reader.seconds });
            let mut at = start;
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                number += 1;
                let before = reader.seconds;
                match reader.read_line(line) {
                    Ok(Some(event)) => measure.note_event(&event, at, before),
                    Ok(None) => {}
                    Err(NotAnEvent) => {
                        first_damaged = if damaged == 0 { number } else { first_damaged };
                        damaged += 1;
                    }
                }
                at += line.len() as u64;
            }
            start = at;
        }
        let mut problems = vec![];
        match damaged {
            0 => {}
            1 => problems.push(format!("line {first_damaged} is no event and is left out")),
            more => problems.push(format!(
                "line {first_damaged} and {} more are no events and are left out",
                more - 1
            )),
        }
        if header.size.is_none() {
            problems.push("the size of the terminal is not recorded; 80×24 is shown".into());
        }
        let recording = TerminalRecording {
            size: header.size,
            seconds: reader.seconds,
            idle_limit: header.idle_limit,
            pieces,
            problems,
            ..TerminalRecording::default()
        };
        Ok(measure.align(recording))
    }

    /// Returns the events of a piece of a recorded terminal.
    ///
    /// # Errors
    /// A sentence where the file is no terminal recording any more.
    pub fn terminal_piece(
        &self,
        source: SourceId,
        piece: PieceStart,
    ) -> Result<TerminalPiece, String> {
        let (header, _) = self.cast_header(source)?;
        let mut reader = CastReader::at_time(&header, piece.seconds);
        let bytes = self.piece_bytes(source, piece.start).unwrap_or_default();
        let events = bytes.split(|byte| *byte == b'\n').filter_map(|line| {
            let event = reader.read_line(line).ok().flatten()?;
            let seconds = event.seconds;
            let change = match (event.new_size(), event.kind) {
                (Some((columns, rows)), _) => TerminalChange::Resize(columns, rows),
                (None, CastEventKind::Output) => TerminalChange::Output(event.text),
                _ => return None,
            };
            Some(TerminalEvent { seconds, change })
        });
        Ok(TerminalPiece { events: events.collect() })
    }

    /// Returns the header of a recording, and where its events begin.
    fn cast_header(&self, source: SourceId) -> Result<(CastHeader, u64), String> {
        let bytes = self.piece_bytes(source, 0).unwrap_or_default();
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let header = read_header(first)?;
        Ok((header, (first.len() as u64 + 1).min(self.source_size(source))))
    }

    fn source_size(&self, source: SourceId) -> u64 {
        self.files.get(source.0 as usize).map_or(0, |file| file.file_size())
    }

    /// Returns whole lines from `start` on; None at the end of the file.
    fn piece_bytes(&self, source: SourceId, start: u64) -> Option<Cow<'_, [u8]>> {
        let left = self.source_size(source).saturating_sub(start);
        let read = |len: u64| {
            self.record_bytes(RecordPlace { source, start, len, ..RecordPlace::default() })
        };
        let mut len = PIECE_BYTES.min(left);
        loop {
            let bytes = read(len);
            if bytes.is_empty() {
                return None;
            }
            let end = memchr::memrchr(b'\n', &bytes).map(|end| end + 1);
            let end = end
                .filter(|_| len < left)
                .or((len == left || len >= MOST_LINE_BYTES).then_some(bytes.len()));
            match end {
                Some(end) if end == bytes.len() => return Some(bytes),
                Some(end) => {
                    return Some(match bytes {
                        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..end]),
                        Cow::Owned(mut bytes) => {
                            bytes.truncate(end);
                            Cow::Owned(bytes)
                        }
                    });
                }
                None => len = (len * 4).min(left),
            }
        }
    }
}

/// Measures when each step of the main agent ended, while the events of a recording are read.
struct StepClock<'a> {
    run: &'a Run,
    header: CastHeader,
    /// The steps that were read from this recording: where they end in it.
    own_ends: Vec<(u64, StepId)>,
    /// The number of these whose end was passed.
    passed: usize,
    /// The times of the markers of turns, which count from 0.
    markers: Vec<(f64, usize)>,
    is_own_recording: bool,
    /// The steps whose records are looked for among the printed lines, by the hash of the record.
    wanted: HashMap<u64, Vec<StepId>>,
    printed_line: Vec<u8>,
    ends: HashMap<StepId, f64>,
}

impl<'a> StepClock<'a> {
    fn new(archive: &Archive, run: &'a Run, source: SourceId, header: &CastHeader) -> Self {
        let mut own_ends: Vec<(u64, StepId)> = main_steps(run)
            .filter(|(_, step)| step.place.source == source)
            .map(|(id, step)| (step.place.start + step.place.len, id))
            .collect();
        own_ends.sort_unstable();
        let name = run.origin.sources.get(source.0 as usize).map_or("", |it| it.name.as_str());
        let is_own_recording = name == OWN_RECORDING;
        let has_times =
            header.began.is_some() && main_steps(run).any(|(_, it)| end_time(it).is_some());
        let mut wanted: HashMap<u64, Vec<StepId>> = HashMap::new();
        if own_ends.is_empty() && !is_own_recording && !has_times {
            for (id, step) in main_steps(run) {
                let result = step.tool.as_ref().and_then(|tool| tool.result.as_ref());
                let places = [Some(step.place), result.map(|result| result.place)];
                for place in places.into_iter().flatten().filter(|it| it.len >= LEAST_RECORD_BYTES)
                {
                    let hash = hash_of(&archive.record_bytes(place));
                    wanted.entry(hash).or_default().push(id);
                }
            }
        }
        Self {
            run,
            header: *header,
            own_ends,
            passed: 0,
            markers: vec![],
            is_own_recording,
            wanted,
            printed_line: vec![],
            ends: HashMap::new(),
        }
    }

    /// Notes an event that begins at a byte; `before` is the time of the event before it.
    fn note_event(&mut self, event: &CastEvent, start: u64, before: f64) {
        while let Some((_, id)) = self.own_ends.get(self.passed).filter(|(end, _)| *end <= start) {
            self.ends.insert(*id, before);
            self.passed += 1;
        }
        match event.kind {
            CastEventKind::Marker if self.is_own_recording => {
                let turn = event.text.strip_prefix("turn ").and_then(|it| it.parse::<usize>().ok());
                let turn = turn.filter(|turn| (1..=self.run.turns.len()).contains(turn));
                self.markers.extend(turn.map(|turn| (event.seconds, turn - 1)));
            }
            CastEventKind::Output if !self.wanted.is_empty() => self.note_printed(event),
            _ => {}
        }
    }

    /// Looks for the records of steps among the lines that were printed.
    fn note_printed(&mut self, event: &CastEvent) {
        let mut parts = event.text.as_bytes().split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            if self.printed_line.len() + part.len() <= MOST_PRINTED_BYTES {
                self.printed_line.extend_from_slice(part);
            }
            if parts.peek().is_none() {
                return; // the line goes on
            }
            let found = self.wanted.get(&hash_of(&self.printed_line));
            for id in found.into_iter().flatten() {
                self.ends.insert(*id, event.seconds);
            }
            self.printed_line.clear();
        }
    }

    /// Completes a recording with what was measured.
    fn align(mut self, recording: TerminalRecording) -> TerminalRecording {
        let last = recording.seconds;
        self.ends.extend(self.own_ends[self.passed..].iter().map(|(_, id)| (*id, last)));
        let steps = main_steps(self.run).count();
        let mut turn_ends = vec![None; self.run.turns.len()];
        for ((_, turn), next) in self.markers.iter().zip(1..) {
            turn_ends[*turn] = Some(self.markers.get(next).map_or(last, |(seconds, _)| *seconds));
        }
        let is_marked = !self.markers.is_empty();
        let alignment = if !self.own_ends.is_empty() {
            TerminalAlignment::OwnSteps
        } else if is_marked {
            self.ends = self.ends_after_markers(&turn_ends);
            TerminalAlignment::TurnMarkers
        } else if self.ends.len() * 2 >= steps && steps > 0 {
            TerminalAlignment::PrintedRecords
        } else {
            self.ends = self.recorded_times(last);
            match self.ends.is_empty() {
                true => TerminalAlignment::Unknown,
                false => TerminalAlignment::Times,
            }
        };
        let mut step_ends: Vec<(StepId, f64)> = self.ends.into_iter().collect();
        step_ends.sort_by_key(|(id, _)| *id);
        let mut latest = 0.0_f64;
        for (_, end) in &mut step_ends {
            latest = latest.max(end.min(last));
            *end = latest;
        }
        for (id, end) in &step_ends {
            turn_ends[id.turn] = turn_ends[id.turn].filter(|_| is_marked).or(Some(*end));
        }
        TerminalRecording { alignment, step_ends, turn_ends, ..recording }
    }

    /// Returns the ends of steps whose times are recorded in the clock of the recording, if any lies within it.
    fn recorded_times(&self, last: f64) -> HashMap<StepId, f64> {
        let Some(began) = self.header.began else { return HashMap::new() };
        let ends = main_steps(self.run).filter_map(|(id, step)| {
            // The beginning is recorded to the second.
            Some((id, seconds_between(began, end_time(step)?)))
        });
        let ends: HashMap<StepId, f64> = ends.collect();
        let is_within = ends.values().any(|end| (0.0..=last + 1.0).contains(end));
        if is_within { ends } else { HashMap::new() }
    }

    /// Returns the ends of steps whose times are recorded, by the beginning of their turn; none is after its end.
    fn ends_after_markers(&self, turn_ends: &[Option<f64>]) -> HashMap<StepId, f64> {
        let starts: HashMap<usize, f64> =
            self.markers.iter().map(|(at, turn)| (*turn, *at)).collect();
        main_steps(self.run)
            .filter_map(|(id, step)| {
                let began = self.run.turns[id.turn].started_at?;
                let passed = seconds_between(began, end_time(step)?).max(0.0);
                Some((id, (starts.get(&id.turn)? + passed).min(turn_ends[id.turn]?)))
            })
            .collect()
    }
}

fn main_steps(run: &Run) -> impl Iterator<Item = (StepId, &Step)> {
    run.turns.iter().enumerate().flat_map(|(turn, it)| {
        it.steps
            .iter()
            .enumerate()
            .map(move |(step, it)| (StepId { turn, subagent: None, step }, it))
    })
}

fn end_time(step: &Step) -> Option<Time> {
    step.ended_at.or(step.started_at)
}

fn seconds_between(from: Time, to: Time) -> f64 {
    (to.0 - from.0) as f64 / 1000.0
}

fn hash_of(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.trim_ascii());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trajview_run::{RunOrigin, SourceRecord, Turn};

    use super::*;
    use crate::open;

    fn archive_of(files: &[&[u8]]) -> Archive {
        let files = files.iter().map(|bytes| FileBytes::InMemory(bytes.to_vec())).collect();
        Archive::new(files, None, None, None)
    }

    fn run_of(names: &[&str], turns: Vec<Vec<Step>>) -> Run {
        let source = |name: &&str| SourceRecord { name: (*name).into(), format: "" };
        let sources = names.iter().map(source).collect();
        let turn = |steps: Vec<Step>| Turn {
            started_at: steps.first().and_then(|step| step.started_at),
            steps,
            ..Turn::default()
        };
        Run {
            origin: RunOrigin { sources, ..RunOrigin::default() },
            turns: turns.into_iter().map(turn).collect(),
            ..Run::default()
        }
    }

    fn step_at(seconds: i64) -> Step {
        Step { started_at: Some(Time(seconds * 1000)), ..Step::default() }
    }

    fn times_of(recording: &TerminalRecording) -> Vec<f64> {
        recording.step_ends.iter().map(|(_, end)| *end).collect()
    }

    /// Returns all events of a recording, piece by piece.
    fn all_events(archive: &Archive, recording: &TerminalRecording) -> Vec<TerminalEvent> {
        let piece =
            |start: &PieceStart| archive.terminal_piece(SourceId(0), *start).unwrap().events;
        recording.pieces.iter().flat_map(piece).collect()
    }

    #[test]
    fn the_recordings_of_a_trial_are_found_from_a_deep_log_and_beside_the_folder_of_a_log() {
        let trial = tempfile::tempdir().unwrap();
        let names_beside = |log: &str| {
            let recordings = recordings_beside(&trial.path().join(log));
            recordings
                .iter()
                .map(|path| crate::entries::name_of(path).to_owned())
                .collect::<Vec<_>>()
        };
        for folder in ["agent/sessions/2026/01/31", "agent-logs", "sessions"] {
            std::fs::create_dir_all(trial.path().join(folder)).unwrap();
        }
        for file in ["agent/recording.cast", "sessions/agent.cast", "sessions/tests.cast"] {
            std::fs::write(trial.path().join(file), "").unwrap();
        }
        assert!(names_beside("agent-logs/log.jsonl").is_empty(), "no trial");

        std::fs::write(trial.path().join("results.json"), "{}").unwrap();
        assert_eq!(names_beside("agent-logs/log.jsonl"), ["agent.cast", "tests.cast"]);
        assert_eq!(names_beside("sessions/log.jsonl"), ["agent.cast", "tests.cast"], "each once");
        let deep = names_beside("agent/sessions/2026/01/31/rollout.jsonl");
        assert_eq!(deep, ["recording.cast", "agent.cast", "tests.cast"]);
    }

    #[test]
    fn a_long_recording_is_read_in_pieces_of_whole_lines_with_their_times() {
        let mut cast = "{\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}}\n".to_owned();
        let text = "x".repeat(10_000);
        for at in 0..350 {
            cast += &format!("[1.5, \"o\", \"{at} {text}\"]\n");
        }
        let archive = archive_of(&[cast.as_bytes()]);
        let run = run_of(&["agent.cast"], vec![]);

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(
            (recording.pieces.len(), recording.seconds, recording.size),
            (4, 525.0, Some((80, 24)))
        );
        let events = all_events(&archive, &recording);
        assert_eq!(events.len(), 350);
        let is_right = |(at, event): (usize, &TerminalEvent)| {
            event.seconds == 1.5 * (at + 1) as f64
                && matches!(&event.change, TerminalChange::Output(text) if text.starts_with(&format!("{at} ")))
        };
        assert!(events.iter().enumerate().all(is_right));
    }

    #[test]
    fn damaged_lines_and_a_missing_size_are_sentences() {
        let cast = b"{\"version\": 2}\n[1, \"o\", \"a\"]\nbroken\n[2, \"o\"]\n[3, \"o\", \"b\"]\n[4, \"o\", \"to";
        let archive = archive_of(&[cast]);

        let recording =
            archive.terminal_recording(&run_of(&["a.cast"], vec![]), SourceId(0)).unwrap();

        assert_eq!(recording.seconds, 3.0);
        let expected = [
            "line 3 and 2 more are no events and are left out",
            "the size of the terminal is not recorded; 80×24 is shown",
        ];
        assert_eq!(recording.problems, expected);
        assert_eq!(all_events(&archive, &recording).len(), 2);
        for no_cast in [&b""[..], b"{}", b"\n\n", b"{\"version\": 7}\n"] {
            let archive = archive_of(&[no_cast]);
            assert!(archive.terminal_recording(&Run::default(), SourceId(0)).is_err());
            assert!(archive.terminal_piece(SourceId(0), PieceStart::default()).is_err());
        }
    }

    #[test]
    fn steps_are_aligned_by_times_of_one_clock_or_not_at_all() {
        let cast = b"{\"version\": 2, \"width\": 9, \"height\": 3, \"timestamp\": 100}\n[1, \"o\", \"a\"]\n[9, \"o\", \"b\"]\n";
        let archive = archive_of(&[cast]);
        let aligned = |turns| {
            let run = run_of(&["a.cast", "log"], turns);
            let elsewhere = |mut run: Run| {
                for step in run.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
                    step.place.source = SourceId(1);
                }
                run
            };
            archive.terminal_recording(&elsewhere(run), SourceId(0)).unwrap()
        };

        let recording = aligned(vec![vec![step_at(102), step_at(101)], vec![step_at(500)]]);
        assert_eq!(recording.alignment, TerminalAlignment::Times);
        assert_eq!(times_of(&recording), [2.0, 2.0, 9.0], "none goes back, none is after the end");
        assert_eq!(recording.turn_ends, [Some(2.0), Some(9.0)]);

        for turns in [vec![vec![Step::default()]], vec![vec![step_at(500)]], vec![vec![]]] {
            let recording = aligned(turns);
            assert_eq!(recording.alignment, TerminalAlignment::Unknown);
            assert_eq!((times_of(&recording), &recording.turn_ends), (vec![], &vec![None]));
        }
    }

    #[test]
    fn a_recording_of_a_live_run_is_aligned_by_its_markers() {
        let cast = b"{\"version\": 2, \"width\": 9, \"height\": 3, \"timestamp\": 7}\n[1, \"m\", \"turn 1\"]\n\
                     [4, \"m\", \"turn 2\"]\n[6, \"m\", \"turn 2\"]\n[7, \"m\", \"note\"]\n[9, \"o\", \"b\"]\n";
        let archive = archive_of(&[cast]);
        let mut run = run_of(
            &[OWN_RECORDING],
            vec![vec![step_at(500), step_at(502), step_at(599)], vec![step_at(900)], vec![]],
        );
        for step in run.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
            step.place.source = SourceId(1);
        }

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::TurnMarkers);
        assert_eq!(recording.turn_ends, [Some(4.0), Some(9.0), None]);
        assert_eq!(
            times_of(&recording),
            [1.0, 3.0, 4.0, 6.0],
            "within the turn by the times of the log"
        );
    }

    #[test]
    fn steps_without_times_are_aligned_by_their_printed_records() {
        let records = [1, 2, 3].map(|at| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m{at}\",\"content\":\"words\"}}}}"
            )
        });
        let log = records.join("\n");
        let printed = |seconds: u32, record: &str| {
            // A line is printed in two parts.
            let (left, right) = record.split_at(20);
            [left.to_owned(), format!("{right}\r\n")]
                .map(|part| serde_json::json!([seconds, "o", part]).to_string() + "\n")
                .concat()
        };
        let cast = "{\"version\": 2, \"width\": 9, \"height\": 3}\n".to_owned()
            + &printed(2, &records[0])
            + &printed(5, &records[1]);
        let archive = archive_of(&[cast.as_bytes(), log.as_bytes()]);
        let mut start = 0;
        let step = |record: &String| {
            let place = RecordPlace {
                source: SourceId(1),
                start,
                len: record.len() as u64,
                ..RecordPlace::default()
            };
            start += record.len() as u64 + 1;
            Step { place, ..Step::default() }
        };
        let run = run_of(&["agent.cast", "log"], vec![records.iter().map(step).collect()]);

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::PrintedRecords);
        assert_eq!((times_of(&recording), recording.turn_ends), (vec![2.0, 5.0], vec![Some(5.0)]));
    }

    #[test]
    fn the_steps_of_a_recording_end_where_they_end_in_it() {
        let sample = Path::new(trajview_testing::project())
            .join("sample-runs/jobs/terminal-bench/hello-shell/hello-shell.1-of-1.sample");
        let opened = open(&sample).unwrap();
        let recordings = opened.run.terminal_recordings();
        let names: Vec<&str> = recordings.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, ["sessions/agent.cast", "sessions/tests.cast"]);

        let recording = opened.archive.terminal_recording(&opened.run, recordings[0].0).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::OwnSteps);
        assert_eq!(recording.seconds, times_of(&recording).last().copied().unwrap());
    }

    #[test]
    fn the_recording_of_a_trial_with_a_log_is_found_in_any_version() {
        let samples = Path::new(trajview_testing::project()).join("sample-runs/jobs/harbor");
        let folder = tempfile::tempdir().unwrap();
        let trial = folder.path().join("sum-column__Kd2bWpA");
        std::fs::create_dir_all(trial.join("agent")).unwrap();
        for name in ["result.json", "agent/trajectory.json"] {
            std::fs::copy(samples.join("sum-column__Kd2bWpA").join(name), trial.join(name))
                .unwrap();
        }
        let document = "{\"version\": 1, \"width\": 80, \"height\": 24,\n\"stdout\": [[1, \"a\"], [2, \"b\"]]}";
        std::fs::write(trial.join("agent/recording.cast"), document).unwrap();

        let opened = open(&trial).unwrap();
        let recordings = opened.run.terminal_recordings();
        let recording = opened.archive.terminal_recording(&opened.run, recordings[0].0).unwrap();

        assert_eq!((recordings[0].1, recording.seconds), ("recording.cast", 3.0));
        assert_eq!(recording.alignment, TerminalAlignment::Unknown, "version 1 has no time of day");
        std::fs::remove_file(trial.join("agent/recording.cast")).unwrap();
        assert_eq!(open(&trial).unwrap().run.terminal_recordings(), []);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_a_recording_and_its_pieces_are_read(
            head in prop_oneof![
                Just("{\"version\": 2}\n"), Just("{\"version\": 3}\n"), Just("{\"version\": 1}\n"), Just("")
            ],
            lines in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..40),
                    (0.0..1e9_f64, "[oirmx]", "[0-9x]{0,9}|.{0,9}")
                        .prop_map(|event| serde_json::json!(event).to_string().into_bytes()),
                ],
                0..12,
            ),
            starts in prop::collection::vec(0..500_u64, 0..4),
        ) {
            let mut bytes = head.as_bytes().to_vec();
            bytes.extend(lines.join(&b'\n'));
            let archive = archive_of(&[&bytes]);
            let run = run_of(&["agent.cast"], vec![vec![step_at(3), step_at(1)], vec![]]);
            if let Ok(recording) = archive.terminal_recording(&run, SourceId(0)) {
                let events = all_events(&archive, &recording);
                prop_assert!(events.is_sorted_by(|a, b| a.seconds <= b.seconds));
                prop_assert!(events.last().is_none_or(|event| event.seconds <= recording.seconds));
            }
            for start in starts {
                let _ = archive.terminal_piece(SourceId(0), PieceStart { start, seconds: 1.0 });
            }
        }
    }
}
