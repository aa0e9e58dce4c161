use super::*;
use crate::{
    shell::jobs::{JobsMessage, job_list::JobListMessage},
    views::{
        audit::AuditMessage, judge::JudgePaneMessage, live::LiveMessage, process::ProcessMessage,
    },
};

/// Returns whether a message labels, stops, deletes or writes. What opens a form or a prompt does not.
fn writes_or_stops(message: &AppMessage) -> bool {
    match message {
        AppMessage::Run(RunMessage::Audit(message)) => is_writing_label(message),
        AppMessage::Run(RunMessage::Process(message)) => {
            matches!(message, ProcessMessage::DrawDecisions)
        }
        AppMessage::Run(RunMessage::Curves(curves::CurvesMessage::StopOrGoOn))
        | AppMessage::Collection(table::TableMessage::StopOrGoOn)
        | AppMessage::Compare(crate::views::compare::CompareMessage::StopOrGoOn) => true,
        AppMessage::Live(message) => matches!(
            message,
            LiveMessage::PauseOrGoOn
                | LiveMessage::Retry
                | LiveMessage::AskToStop
                | LiveMessage::AskToResume
                | LiveMessage::Confirm
                | LiveMessage::Skip
                | LiveMessage::Edit
        ),
        AppMessage::Judging(message) => matches!(
            message,
            JudgePaneMessage::Enter
                | JudgePaneMessage::Stop
                | JudgePaneMessage::Resume
                | JudgePaneMessage::Keep
        ),
        AppMessage::Jobs(JobsMessage::Begin | JobsMessage::List(JobListMessage::Stop)) => true,
        _ => false,
    }
}

/// Without a wildcard: a new message of the audit has to be classified here.
fn is_writing_label(message: &AuditMessage) -> bool {
    match message {
        AuditMessage::Label(_)
        | AuditMessage::CannotTell
        | AuditMessage::AskScore
        | AuditMessage::Confidence
        | AuditMessage::Undo
        | AuditMessage::Open
        | AuditMessage::AskReason
        | AuditMessage::AskNote
        | AuditMessage::GiveReason(_)
        | AuditMessage::GiveLikelyReason
        | AuditMessage::DeferReason
        | AuditMessage::Missed
        | AuditMessage::Adjudicate
        | AuditMessage::Save => true,
        AuditMessage::Next(_)
        | AuditMessage::Previous(_)
        | AuditMessage::NextUnlabelled(_)
        | AuditMessage::Move(_)
        | AuditMessage::Left(_)
        | AuditMessage::Right(_)
        | AuditMessage::NextPart
        | AuditMessage::PreviousPart
        | AuditMessage::NextSpot(_)
        | AuditMessage::PreviousSpot(_)
        | AuditMessage::OpenInReplay
        | AuditMessage::History
        | AuditMessage::Propose
        | AuditMessage::GoOn
        | AuditMessage::Reveal
        | AuditMessage::Codebook
        | AuditMessage::NextUnit
        | AuditMessage::AskName
        | AuditMessage::Words(_)
        | AuditMessage::Files
        | AuditMessage::Committed
        | AuditMessage::NextJudgement
        | AuditMessage::PreviousJudgement
        | AuditMessage::Plan(_) => false,
    }
}

#[test]
fn no_row_that_the_command_line_offers_labels_stops_or_writes() {
    for place in KeyContext::ALL {
        for row in offered_rows(place) {
            let message = (row.message)(KeyCount::default());
            assert!(!writes_or_stops(&message), "{} {place:?}: {message:?}", row.id);
        }
    }
}

#[test]
fn no_command_labels_stops_or_writes_whatever_its_argument() {
    let app = App::default();
    for command in COMMANDS {
        for argument in ["", "1", "46.3", "C17", "runs/a", "dark", "erosion", "kappa", "main.py"] {
            let messages = (command.run)(argument, &app).unwrap_or_default();
            assert!(!messages.iter().any(writes_or_stops), "{} {argument}", command.name);
        }
    }
}

#[test]
fn no_name_has_two_meanings() {
    let commands = COMMANDS.iter().flat_map(|it| it.aliases.iter().chain([&it.name]));
    let rows = ROW_ALIASES.iter().map(|(alias, _)| alias);
    let answers = ANSWERS.iter().flat_map(|(names, _)| *names);
    let mut seen = std::collections::HashSet::new();
    for name in commands.chain(rows).chain(answers) {
        assert!(seen.insert(*name), "{name}");
    }
    for (alias, id) in ROW_ALIASES {
        assert!(all_bindings().any(|row| row.id == *id), "{alias}: {id}");
        assert!(!COMMANDS.iter().any(|it| it.name == *alias || it.name == *id), "{alias}");
    }
    for command in COMMANDS.iter().filter(|it| !it.key_id.is_empty()) {
        assert!(all_bindings().any(|row| row.id == command.key_id), "{}", command.name);
    }
}

#[test]
fn a_word_that_is_no_command_is_answered_with_the_nearest() {
    let app = App::default();
    let refused = |line: &str| match app.outcome_of_line(line) {
        LineOutcome::Refused(why) => why,
        outcome => panic!("{line}: {outcome:?}"),
    };

    assert_eq!(refused("repaly"), "no command repaly; nearest: replay");
    assert_eq!(refused("quokka"), "no command quokka; tab lists them");
    assert!(refused("label 3").contains("changes no label"), "{}", refused("label 3"));
    assert!(refused("label-3").contains("key only"), "{}", refused("label-3"));
    assert!(refused("stop-agent").contains("key only"), "{}", refused("stop-agent"));
    assert!(refused("theme mauve").starts_with("no theme mauve; themes: terminal, dark"));
    assert!(refused("next-difference").contains("works among all judgements, not here"));
    assert_eq!(refused("runs now"), "runs takes no argument");
}

#[test]
fn a_command_without_its_argument_asks_for_it() {
    let app = App::default();
    assert_eq!(app.outcome_of_line("theme"), LineOutcome::NeedsArgument("theme ".into()));
    let dark = AppMessage::Shell(ShellMessage::SetTheme(ThemeName::Dark));
    assert_eq!(app.outcome_of_line("theme dark"), LineOutcome::Run(vec![dark]));
}

#[test]
fn the_beginning_of_one_name_is_that_name_and_of_several_none() {
    let app = App::default();
    assert_eq!(app.outcome_of_line("aud"), app.outcome_of_line("audit"));
    assert!(matches!(app.outcome_of_line("re"), LineOutcome::Refused(_)));
}
