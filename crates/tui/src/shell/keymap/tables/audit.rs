//! The keys of the audit: one row a binding.

use crate::{
    shell::Message as Wish,
    views::audit::{Message, prompt},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Audit, AuditReading, AuditReason, AuditWords},
    row::{SIDEWAYS, audited, c, k, row},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(AuditReading, &[c('0')], "label it 0; a component: Absent", "label", |_| audited(Message::Label(0))).unlisted(),
    row(AuditReading, &[c('1')], "label it 1; a component: Wrong", "label", |_| audited(Message::Label(1))).unlisted(),
    row(AuditReading, &[c('2')], "label it 2; a component: Simplified", "label", |_| audited(Message::Label(2))).unlisted(),
    row(AuditReading, &[c('3')], "label it 3; a component: Equivalent", "label", |_| audited(Message::Label(3))).unlisted(),
    row(AuditReading, &[c('4')], "label it 4; a component: Faithful", "label", |_| audited(Message::Label(4))).unlisted(),
    row(AuditReading, &[c('5')], "label it 5, where the scale has it; else a count", "", |_| audited(Message::Label(5))).unlisted(),
    row(AuditReading, &[c('6')], "label it 6, where the scale has it", "", |_| audited(Message::Label(6))).unlisted(),
    row(AuditReading, &[c('7')], "label it 7, where the scale has it", "", |_| audited(Message::Label(7))).unlisted(),
    row(AuditReading, &[c('8')], "label it 8, where the scale has it", "", |_| audited(Message::Label(8))).unlisted(),
    row(AuditReading, &[c('9')], "label it 9, where the scale has it", "", |_| audited(Message::Label(9))).unlisted(),
    row(AuditReading, &[c('.')], "type a number, where any from 0 to 1 is on the scale", "", |_| audited(Message::AskScore)).unlisted(),
    row(AuditReading, &[c('x')], "label it: cannot tell", "", |_| audited(Message::CannotTell)).unlisted(),
    row(AuditReading, &[c('c')], "how sure the label is: low, medium, high, or nothing said", "", |_| audited(Message::Confidence)).unlisted(),
    row(AuditReading, &[c('[')], "previous place in the code, or piece of evidence", "place", |n| audited(Message::PreviousSpot(n.times()))),
    row(AuditReading, &[c(']')], "next place in the code, or piece of evidence", "place", |n| audited(Message::NextSpot(n.times()))),
    row(AuditReading, &[k(Code::Tab)], "next part: queue, item, code, codebook, agreement", "part", |_| audited(Message::NextPart)),
    row(AuditReading, &[k(Code::BackTab)], "previous part", "", |_| audited(Message::PreviousPart)),
    row(AuditReading, &[k(Code::Up), c('k')], "up in the part; in the queue the component before", "", |n| audited(Message::Move(Motion::Up(n.times())))),
    row(AuditReading, &[k(Code::Down), c('j')], "down in the part; in the queue the next component", "", |n| audited(Message::Move(Motion::Down(n.times())))),
    row(AuditReading, &[k(Code::Left), c('h')], "scroll the code to the left", "", |n| audited(Message::Left(SIDEWAYS.saturating_mul(n.times())))),
    row(AuditReading, &[k(Code::Right), c('l')], "scroll the code to the right", "", |n| audited(Message::Right(SIDEWAYS.saturating_mul(n.times())))),
    row(AuditReading, &[k(Code::PageUp), Key::ctrl('u')], "a page up in the part", "", |_| audited(Message::Move(Motion::PageUp))),
    row(AuditReading, &[k(Code::PageDown), Key::ctrl('d')], "a page down in the part", "", |_| audited(Message::Move(Motion::PageDown))),
    row(AuditReading, &[c('u')], "take what is proposed away, else the last label back; the next one of it is not blind", "undo", |_| audited(Message::Undo)).unlisted(),
    row(AuditReading, &[c('L')], "what the levels mean, or back: the codebook", "levels", |_| audited(Message::Codebook)),
    row(Audit, &[c('N')], "next component without a label", "unlabelled", |n| audited(Message::NextUnlabelled(n.times()))),
    row(Audit, &[c('n')], "next component of the queue", "next", |n| audited(Message::Next(n.times()))),
    row(Audit, &[c('p')], "component of the queue before it", "", |n| audited(Message::Previous(n.times()))),
    row(Audit, &[k(Code::Enter)], "commit what is proposed; else open: the item, a file of the list, the place in the replay", "", |_| audited(Message::Open)).unlisted(),
    row(Audit, &[c(' ')], "the place on screen in the replay, at the judged turn; backspace comes back", "replay", |_| audited(Message::OpenInReplay)),
    row(Audit, &[c('H')], "history: every change to the function that the line of the code is in, with its diffs; esc comes back", "", |_| audited(Message::History)),
    row(Audit, &[c('t')], "all files of the judged code, or the places again", "files", |_| audited(Message::Files)),
    row(Audit, &[c('o')], "the turn in which the dialogue commits to the component, in the replay; backspace comes back", "request", |_| audited(Message::Committed)),
    row(Audit, &[c('b')], "say why the label and the verdict differ", "", |_| audited(Message::AskReason)).unlisted(),
    row(Audit, &[c('m')], "a note on the label, or before it", "", |_| audited(Message::AskNote)).unlisted(),
    row(Audit, &[c('P')], "propose labels first and commit them with enter, or give them at once", "", |_| audited(Message::Propose)),
    row(Audit, &[c('v')], "audit things of another kind: components, leaves, flags, signals, decisions, parts of process", "", |_| audited(Message::NextUnit)),
    row(Audit, &[c('V')], "the agreement so far while items wait for a label, or hide it again: it tells how the judge scores", "reveal", |_| audited(Message::Reveal)),
    row(Audit, &[c('X')], "mark lines of the code that should have been flagged", "", |_| audited(Message::Missed)).unlisted(),
    row(Audit, &[c('s')], "save once more what could not be saved", "", |_| audited(Message::Save)).unlisted(),
    row(Audit, &[c('a')], "say who labels; each rater has labels of their own", "", |_| audited(Message::AskName)),
    row(Audit, &[c('d')], "in a study: settle what raters scored differently, or go back to labelling", "", |_| audited(Message::Adjudicate)),
    row(Audit, &[c('f')], "audit another judgement", "", |_| audited(Message::NextJudgement)),
    row(Audit, &[c('F')], "audit the judgement before", "", |_| audited(Message::PreviousJudgement)),
    row(Audit, &[c('g'), k(Code::Home)], "to the first row of the part, gg too", "", |n| audited(Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Audit, &[c('G'), k(Code::End)], "to the last row of the part", "", |n| audited(Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Audit, &[k(Code::Esc), k(Code::Backspace)], "from the files to the code, else back to the queue", "", |_| audited(Message::Close)),
    row(AuditReason, &[c('a')], "false-absence: it is in the code, and the judge missed it", "false-absence", |_| audited(Message::Because("false-absence"))).unlisted(),
    row(AuditReason, &[c('p')], "false-presence: the judge says it is there, and it is not", "false-presence", |_| audited(Message::Because("false-presence"))).unlisted(),
    row(AuditReason, &[c('b')], "rubric-boundary: the same reading of the code, another level", "boundary", |_| audited(Message::Because("rubric-boundary"))).unlisted(),
    row(AuditReason, &[c('e')], "wrong-evidence: the lines named do not show what is said", "evidence", |_| audited(Message::Because("wrong-evidence"))).unlisted(),
    row(AuditReason, &[c('o')], "other: something else, which a note says", "other", |_| audited(Message::Because("other"))).unlisted(),
    row(AuditReason, &[k(Code::Enter)], "the reason that is offered first", "the first", |_| audited(Message::BecauseLikely)).unlisted(),
    row(AuditReason, &[k(Code::Esc)], "no reason now; b asks again", "later", |_| audited(Message::Later)).unlisted(),
    row(AuditWords, &[k(Code::Enter)], "take what is typed", "take", |_| typed(prompt::Message::Accept)),
    row(AuditWords, &[k(Code::Esc), Key::ctrl('c')], "leave it as it was", "cancel", |_| typed(prompt::Message::Cancel)),
    row(AuditWords, &[k(Code::Backspace)], "erase a character", "", |_| typed(prompt::Message::Erase)),
    row(AuditWords, &[Key::ctrl('u')], "erase everything", "", |_| typed(prompt::Message::EraseAll)),
];

const fn typed(message: prompt::Message) -> Wish {
    audited(Message::Words(message))
}
