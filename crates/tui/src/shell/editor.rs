//! Opens a file of a past moment, or the store of decisions, in the editor.

use crate::{
    session::{
        effect::{EditedFile, EditorTarget, Effect},
        files::{DiffKey, DiffScope},
        views::View,
    },
    shell::{open_run::OpenRun, screens::Screens},
};
use trajview_run::files::{FileDiff, RunMoment};

use super::copy::{line_number, shown_comparison};

pub fn open_editor(screens: &mut Screens, program: Option<&str>) -> Vec<Effect> {
    match screens.open_run().map(editor_target) {
        Some(Ok(editing)) => {
            let program = program.map(str::to_owned);
            return vec![Effect::Edit(EditorTarget { program, ..editing })];
        }
        Some(Err(why)) => screens.show_notice(why),
        None => {}
    }
    vec![]
}

fn editor_target(open: &OpenRun) -> Result<EditorTarget, String> {
    if open.session.view == View::Process {
        let (path, line) = open.process.decision_place(&open.session)?;
        return Ok(EditorTarget { program: None, what: EditedFile::File(path), line });
    }
    let compared = shown_comparison(open)?;
    let DiffKey { path, scope } =
        open.replay.diff_key(&open.session).ok_or("no file is selected")?;
    let text = match &*compared.diff {
        FileDiff::Text { new: Some(text), .. } => text.clone(),
        FileDiff::Text { new: None, .. } => return Err(format!("{} does not exist here", path)),
        FileDiff::Hunks(_) | FileDiff::Part(_) | FileDiff::NotRecorded(_) => {
            return Err(format!("only a part of {} is recorded", path));
        }
        FileDiff::Binary { .. } => return Err(format!("{} is not text", path)),
        FileDiff::TooBig { .. } => {
            return Err(format!("{} is too big here; `trajview cat` prints it", path));
        }
    };
    let moment = match scope {
        DiffScope::Turn(turn) | DiffScope::Since { turn, .. } => format!("turn-{}", turn + 1),
        DiffScope::At(RunMoment { turns, step: None }) => format!("turn-{turns}"),
        DiffScope::Step(step) | DiffScope::At(RunMoment { step: Some(step), .. }) => {
            format!("turn-{}-step-{}", step.turn + 1, open.replay.number_in_turn(step))
        }
    };
    let line = line_number(open).unwrap_or(1);
    let name = path.name().to_owned();
    Ok(EditorTarget { program: None, what: EditedFile::Copy { name, text, moment }, line })
}
