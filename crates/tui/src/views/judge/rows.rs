//! The lines about one component of a judging: what was said of it, and what the judge looked at so far.

use crate::{
    session::{
        Session,
        judging::{Given, Scale},
    },
    views::{judge::Judging, verdict::cut},
};
use trajview_run::{
    flags::{Counts, Flag, Flagging},
    rubric::{CANNOT_TELL, COMPONENTS, Evidence, Levels, Verdict, given::all_words},
};

use super::{
    areas::Areas,
    watched::{Call, Entry, State, Traced},
};

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Blank,
    Heading(String),
    /// By the levels of the rubric that is asked by.
    Score(u8, &'static Levels),
    Flags(Counts),
    /// A flag's, and where it comes from.
    Criterion(String),
    /// Somebody else's words, cut to the width.
    Words(String),
    /// Our own.
    Note(String),
    Problem(String),
    Evidence(Evidence),
    /// Counts from 1.
    Call(usize, Call),
    Excerpt(String),
}

/// Lines of what a call gave.
const MOST_EXCERPT: usize = 6;

impl Judging {
    /// About the chosen component, as wide as the pane is in these areas.
    pub fn entry_rows(&self, session: &Session, areas: &Areas) -> Vec<Row> {
        let Some(entry) = self.chosen() else { return vec![] };
        let width = areas.width().saturating_sub(2).max(20);
        let mut rows = vec![];
        self.say_state(session, entry, width, &mut rows);
        if let Some(verdict) = self.entry_verdict(session, entry) {
            say_verdict(verdict, width, &mut rows);
        }
        if let Some(flagging) = self.entry_flagging(session) {
            say_flags(flagging, &entry.id, width, &mut rows);
        }
        say_trace(entry, width, &mut rows);
        rows
    }

    /// The verdict as it was saved; None where there is none in the file that is being filled.
    pub fn entry_verdict<'a>(&self, session: &'a Session, entry: &Entry) -> Option<&'a Verdict> {
        let file = &self.watched.as_ref()?.file.as_ref()?.name;
        let rubric = session.rubric.known()?;
        let judgements = match self.watched.as_ref()?.wish.scale {
            Scale::Levels | Scale::Flags => &rubric.judgements,
            Scale::Decisions => &rubric.decisions,
            Scale::Process => &rubric.process,
        };
        let saved = judgements.iter().find(|it| it.file.rsplit('/').next() == Some(file))?;
        saved.of(&entry.id).filter(|it| it.is_scored() || it.error.is_some() || cannot_tell(it))
    }

    /// What is known of a component: what was saved before counts where nothing happened since.
    pub fn entry_state(&self, session: &Session, entry: &Entry) -> State {
        match (&entry.state, self.entry_verdict(session, entry)) {
            (State::Waiting, Some(verdict)) => State::Done {
                given: given(verdict),
                error: verdict.error.clone().unwrap_or_default(),
            },
            (State::Waiting, None) => self.saved_group(session, entry).unwrap_or_default(),
            (state, _) => state.clone(),
        }
    }

    /// The file of flags that is being filled, as it was read last; None where it is none.
    fn entry_flagging<'a>(&self, session: &'a Session) -> Option<&'a Flagging> {
        let watched = self.watched.as_ref()?;
        let file = &watched.file.as_ref().filter(|_| watched.wish.scale == Scale::Flags)?.name;
        let flaggings = &session.rubric.known()?.flaggings;
        flaggings.iter().find(|it| it.file.rsplit('/').next() == Some(file))
    }

    /// Of the judging that is watched.
    pub fn levels(&self) -> &'static Levels {
        let scale = self.watched.as_ref().map(|it| it.wish.scale);
        scale.and_then(Scale::levels).unwrap_or(&COMPONENTS)
    }

    fn saved_group(&self, session: &Session, entry: &Entry) -> Option<State> {
        let flagging = self.entry_flagging(session)?;
        let group = flagging.groups.iter().find(|it| it.id == entry.id)?;
        let counts = Counts::of(flags_of(flagging, &entry.id));
        let given = group.error.is_none().then_some(Given::Flags(counts));
        Some(State::Done { given, error: group.error.clone().unwrap_or_default() })
    }

    fn say_state(&self, session: &Session, entry: &Entry, width: usize, rows: &mut Vec<Row>) {
        match self.entry_state(session, entry) {
            State::Waiting => rows.push(Row::Note("not asked yet".into())),
            State::Looking => rows.push(Row::Note("being judged".into())),
            State::Retries { why, .. } => {
                rows.push(Row::Note("waits to be asked again".into()));
                rows.extend(cut(&why, width).into_iter().map(Row::Problem));
            }
            State::Done { given: Some(Given::Level(score)), .. } => {
                rows.push(Row::Score(score, self.levels()));
            }
            State::Done { given: Some(Given::CannotTell), .. } => {
                rows.push(Row::Note(CANNOT_TELL.into()));
            }
            State::Done { given: Some(Given::Scores(words)), .. } => {
                rows.extend(cut(&words, width).into_iter().map(Row::Note));
            }
            State::Done { given: Some(Given::Flags(counts)), .. } => rows.push(Row::Flags(counts)),
            State::Done { given: None, error } => {
                let scale = self.watched.as_ref().map(|it| it.wish.scale).unwrap_or_default();
                rows.push(Row::Note(scale.nothing().into()));
                rows.extend(cut(&error, width).into_iter().map(Row::Problem));
            }
        }
    }
}

fn given(verdict: &Verdict) -> Option<Given> {
    match verdict.given.is_empty() {
        false => Some(Given::Scores(all_words(&verdict.given))),
        true => {
            let open = cannot_tell(verdict).then_some(Given::CannotTell);
            verdict.score.map(Given::Level).or(open)
        }
    }
}

fn cannot_tell(verdict: &Verdict) -> bool {
    verdict.label.as_deref() == Some(CANNOT_TELL)
}

fn say_verdict(verdict: &Verdict, width: usize, rows: &mut Vec<Row>) {
    if !verdict.rationale.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Heading("rationale".into()));
        rows.extend(cut(&verdict.rationale, width).into_iter().map(Row::Words));
    }
    if !verdict.evidence.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Heading("evidence".into()));
        rows.extend(verdict.evidence.iter().cloned().map(Row::Evidence));
    }
}

fn flags_of<'f>(flagging: &'f Flagging, group: &str) -> impl Iterator<Item = &'f Flag> {
    flagging.flags.iter().filter(move |it| it.category.as_deref() == Some(group))
}

/// Each place, the criterion it meets, and why.
fn say_flags(flagging: &Flagging, group: &str, width: usize, rows: &mut Vec<Row>) {
    for flag in flags_of(flagging, group) {
        rows.push(Row::Blank);
        let from = flag.carried_from.as_deref().map(|from| format!(", carried from {from}"));
        let words = format!("{}{}", flag.criterion, from.unwrap_or_default());
        rows.push(Row::Criterion(words));
        let lines = flag.start.zip(flag.end);
        let lines = lines.map(|(start, end)| (start as usize, end as usize));
        rows.push(Row::Evidence(Evidence { path: flag.path.to_string(), lines }));
        let why = flag.explanation.as_deref().unwrap_or_default();
        rows.extend(cut(why, width).into_iter().map(Row::Words));
    }
}

fn say_trace(entry: &Entry, width: usize, rows: &mut Vec<Row>) {
    if entry.trace.is_empty() {
        return;
    }
    rows.push(Row::Blank);
    rows.push(Row::Heading("what it did".into()));
    let mut number = 0;
    for traced in &entry.trace {
        match traced {
            Traced::Words(words) => rows.extend(cut(words, width).into_iter().map(Row::Words)),
            Traced::Fault(why) => rows.extend(cut(why, width).into_iter().map(Row::Problem)),
            Traced::Call(call) => {
                number += 1;
                rows.push(Row::Call(number, call.clone()));
                let excerpt = call.look.excerpt.as_deref().unwrap_or_default();
                let lines = cut(excerpt, width.saturating_sub(4));
                let more = lines.len().saturating_sub(MOST_EXCERPT);
                rows.extend(lines.into_iter().take(MOST_EXCERPT).map(Row::Excerpt));
                if more > 0 {
                    rows.push(Row::Excerpt(format!("… {more} more lines")));
                }
            }
        }
    }
}
