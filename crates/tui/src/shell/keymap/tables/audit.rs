//! The keys of the audit: one row a binding.

use crate::{
    shell::AppMessage,
    views::audit::{AuditMessage, prompt},
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Audit, AuditReading, AuditReason, AuditWords},
    row::{SIDEWAYS, c, k, row, to_audit},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(AuditReading, "label-0", &[c('0')], "label it 0; a component: Absent", "label", |_| to_audit(AuditMessage::Label(0))).unlisted(),
    row(AuditReading, "label-1", &[c('1')], "label it 1; a component: Wrong", "label", |_| to_audit(AuditMessage::Label(1))).unlisted(),
    row(AuditReading, "label-2", &[c('2')], "label it 2; a component: Simplified", "label", |_| to_audit(AuditMessage::Label(2))).unlisted(),
    row(AuditReading, "label-3", &[c('3')], "label it 3; a component: Equivalent", "label", |_| to_audit(AuditMessage::Label(3))).unlisted(),
    row(AuditReading, "label-4", &[c('4')], "label it 4; a component: Faithful", "label", |_| to_audit(AuditMessage::Label(4))).unlisted(),
    row(AuditReading, "label-5", &[c('5')], "label it 5, if the scale has it; else a count", "", |_| to_audit(AuditMessage::Label(5))).unlisted(),
    row(AuditReading, "label-6", &[c('6')], "label it 6, if the scale has it", "", |_| to_audit(AuditMessage::Label(6))).unlisted(),
    row(AuditReading, "label-7", &[c('7')], "label it 7, if the scale has it", "", |_| to_audit(AuditMessage::Label(7))).unlisted(),
    row(AuditReading, "label-8", &[c('8')], "label it 8, if the scale has it", "", |_| to_audit(AuditMessage::Label(8))).unlisted(),
    row(AuditReading, "label-9", &[c('9')], "label it 9, if the scale has it", "", |_| to_audit(AuditMessage::Label(9))).unlisted(),
    row(AuditReading, "label-number", &[c('.')], "type a number, if the scale is 0 to 1", "", |_| to_audit(AuditMessage::AskScore)).unlisted(),
    row(AuditReading, "label-cannot-tell", &[c('_')], "label it: cannot tell", "", |_| to_audit(AuditMessage::CannotTell)).unlisted(),
    row(AuditReading, "confidence", &[c('c')], "confidence of the label: low, medium, high, or none", "", |_| to_audit(AuditMessage::Confidence)).unlisted(),
    row(AuditReading, "previous-place", &[c('[')], "previous place in the code, or piece of evidence", "place", |n| to_audit(AuditMessage::PreviousSpot(n.repetitions()))),
    row(AuditReading, "next-place", &[c(']')], "next place in the code, or piece of evidence", "place", |n| to_audit(AuditMessage::NextSpot(n.repetitions()))),
    row(AuditReading, "next-panel", &[k(BaseKey::Tab)], "next part: queue, item, code, codebook, agreement", "part", |_| to_audit(AuditMessage::NextPart)),
    row(AuditReading, "previous-panel", &[k(BaseKey::BackTab)], "previous part", "", |_| to_audit(AuditMessage::PreviousPart)),
    row(AuditReading, "up", &[k(BaseKey::Up), c('k')], "up in the panel; in the queue the previous component", "", |n| to_audit(AuditMessage::Move(Motion::Up(n.repetitions())))),
    row(AuditReading, "down", &[k(BaseKey::Down), c('j')], "down in the panel; in the queue the next component", "", |n| to_audit(AuditMessage::Move(Motion::Down(n.repetitions())))),
    row(AuditReading, "scroll-left", &[k(BaseKey::Left), c('h')], "scroll the code to the left", "", |n| to_audit(AuditMessage::Left(SIDEWAYS.saturating_mul(n.repetitions())))),
    row(AuditReading, "scroll-right", &[k(BaseKey::Right), c('l')], "scroll the code to the right", "", |n| to_audit(AuditMessage::Right(SIDEWAYS.saturating_mul(n.repetitions())))),
    row(AuditReading, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up in the part", "", |_| to_audit(AuditMessage::Move(Motion::PageUp))),
    row(AuditReading, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down in the part", "", |_| to_audit(AuditMessage::Move(Motion::PageDown))),
    row(AuditReading, "undo", &[c('u')], "remove the proposal, else undo the last label; the next label of this item is not blind", "undo", |_| to_audit(AuditMessage::Undo)).unlisted(),
    row(AuditReading, "codebook", &[c('L')], "codebook", "levels", |_| to_audit(AuditMessage::Codebook)),
    row(AuditReading, "next-unlabelled", &[c(';')], "next component without a label", "unlabelled", |n| to_audit(AuditMessage::NextUnlabelled(n.repetitions()))),
    row(AuditReading, "next-item", &[c('n')], "next component of the queue", "next", |n| to_audit(AuditMessage::Next(n.repetitions()))),
    row(AuditReading, "previous-item", &[c('N')], "component of the queue before it", "", |n| to_audit(AuditMessage::Previous(n.repetitions()))),
    row(Audit, "open", &[k(BaseKey::Enter)], "confirm the proposal; else open: the item, a file of the list, the code in the replay", "", |_| to_audit(AuditMessage::Open)).unlisted(),
    row(Audit, "show-in-replay", &[c(' ')], "show this code in the replay, at the judged turn; backspace returns", "replay", |_| to_audit(AuditMessage::OpenInReplay)),
    row(Audit, "history", &[c('H')], "history: every change to the function at the cursor, with diffs; esc returns", "", |_| to_audit(AuditMessage::History)),
    row(Audit, "file-tree", &[c('O')], "list all files of the judged code, or the candidate code", "files", |_| to_audit(AuditMessage::Files)),
    row(Audit, "specified-turn", &[c('o')], "show the turn that requests the component; backspace returns", "request", |_| to_audit(AuditMessage::Committed)),
    row(Audit, "reason", &[c('B')], "reason for the disagreement", "", |_| to_audit(AuditMessage::AskReason)).unlisted(),
    row(Audit, "maximize", &[c('m')], "maximize panel", "", |_| AppMessage::Zoom),
    row(Audit, "note", &[c('"')], "a note on the label", "", |_| to_audit(AuditMessage::AskNote)).unlisted(),
    row(Audit, "confirm-labels", &[c('P')], "toggle confirmation", "", |_| to_audit(AuditMessage::Propose)),
    row(Audit, "go-on-after-label", &[c('>')], "after a label go on to the next component without one, or stay", "", |_| to_audit(AuditMessage::GoOn)),
    row(Audit, "audit-kind", &[c('v')], "audit another kind of item: components, leaves, flags, signals, decisions, parts of process", "", |_| to_audit(AuditMessage::NextUnit)),
    row(Audit, "reveal", &[c('V')], "show or hide the agreement so far; it reveals the judge's scores", "reveal", |_| to_audit(AuditMessage::Reveal)),
    row(Audit, "flag-lines", &[c('!')], "mark lines of the code that should have been flagged", "", |_| to_audit(AuditMessage::Missed)).unlisted(),
    row(Audit, "retry-saving", &[Key::with_ctrl('s')], "retry saving", "", |_| to_audit(AuditMessage::Save)).unlisted(),
    row(Audit, "rater", &[c('a')], "rater name; each rater has separate labels", "", |_| to_audit(AuditMessage::AskName)),
    row(Audit, "adjudicate", &[c('S')], "in a study: adjudicate, or return to labelling", "", |_| to_audit(AuditMessage::Adjudicate)).unlisted(),
    row(Audit, "next-judgement", &[c('f')], "audit another judgement", "", |_| to_audit(AuditMessage::NextJudgement)),
    row(Audit, "previous-judgement", &[c('F')], "audit the previous judgement", "", |_| to_audit(AuditMessage::PreviousJudgement)),
    row(Audit, "start", &[k(BaseKey::Home)], "to the first row of the part; gg too", "", |n| to_audit(AuditMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Audit, "end", &[c('G'), k(BaseKey::End)], "to the last row of the part", "", |n| to_audit(AuditMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(AuditReason, "reason-false-absence", &[c('a')], "false-absence: it is in the code, and the judge missed it", "false-absence", |_| to_audit(AuditMessage::GiveReason("false-absence"))).unlisted(),
    row(AuditReason, "reason-false-presence", &[c('p')], "false-presence: the judge found it, but it is not in the code", "false-presence", |_| to_audit(AuditMessage::GiveReason("false-presence"))).unlisted(),
    row(AuditReason, "reason-rubric-boundary", &[c('b')], "rubric-boundary: same interpretation of the code, different level", "boundary", |_| to_audit(AuditMessage::GiveReason("rubric-boundary"))).unlisted(),
    row(AuditReason, "reason-wrong-evidence", &[c('e')], "wrong-evidence: the cited lines do not support the verdict", "evidence", |_| to_audit(AuditMessage::GiveReason("wrong-evidence"))).unlisted(),
    row(AuditReason, "reason-other", &[c('o')], "other: explained in a note", "other", |_| to_audit(AuditMessage::GiveReason("other"))).unlisted(),
    row(AuditReason, "accept", &[k(BaseKey::Enter)], "the suggested reason", "the first", |_| to_audit(AuditMessage::GiveLikelyReason)).unlisted(),
    row(AuditReason, "cancel", &[k(BaseKey::Esc)], "skip, and give the reason later", "later", |_| to_audit(AuditMessage::DeferReason)).unlisted(),
    row(AuditWords, "accept", &[k(BaseKey::Enter)], "confirm the input", "take", |_| to_audit_prompt(prompt::AuditPromptMessage::Accept)),
    row(AuditWords, "cancel", &[k(BaseKey::Esc), Key::with_ctrl('c')], "cancel", "cancel", |_| to_audit_prompt(prompt::AuditPromptMessage::Cancel)),
    row(AuditWords, "erase", &[k(BaseKey::Backspace)], "erase a character", "", |_| to_audit_prompt(prompt::AuditPromptMessage::Erase)),
    row(AuditWords, "erase-all", &[Key::with_ctrl('u')], "erase everything", "", |_| to_audit_prompt(prompt::AuditPromptMessage::EraseAll)),
];

const fn to_audit_prompt(message: prompt::AuditPromptMessage) -> AppMessage {
    to_audit(AuditMessage::Words(message))
}
