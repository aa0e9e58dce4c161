//! A file as it stood, or the store of decisions, for the editor.

use crate::{
    session::{
        effect::{Edited, Editing, Effect},
        files::{DiffKey, Scope},
        views::View,
    },
    shell::{open_run::OpenRun, screens::Screens},
};
use trajview_run::files::{FileDiff, Moment};

use super::copy::{line_number, shown};

pub fn edit(screens: &mut Screens, program: Option<&str>) -> Vec<Effect> {
    match screens.open_run().map(of) {
        Some(Ok(editing)) => {
            let program = program.map(str::to_owned);
            return vec![Effect::Edit(Editing { program, ..editing })];
        }
        Some(Err(why)) => screens.say(why),
        None => {}
    }
    vec![]
}

fn of(open: &OpenRun) -> Result<Editing, String> {
    if open.session.view == View::Process {
        let (path, line) = open.process.store_at(&open.session)?;
        return Ok(Editing { program: None, what: Edited::File(path), line });
    }
    let compared = shown(open)?;
    let DiffKey { path, scope } =
        open.replay.diff_key(&open.session).ok_or("no file is selected")?;
    let text = match &*compared.diff {
        FileDiff::Text { new: Some(text), .. } => text.clone(),
        FileDiff::Text { new: None, .. } => return Err(format!("{} is gone here", path)),
        FileDiff::Hunks(_) | FileDiff::Part(_) | FileDiff::NotRecorded(_) => {
            return Err(format!("{} is not in the recording as a whole", path));
        }
        FileDiff::Binary { .. } => return Err(format!("{} is not text", path)),
        FileDiff::TooBig { .. } => {
            return Err(format!("{} is too big here; `trajview cat` prints it", path));
        }
    };
    let moment = match scope {
        Scope::Turn(turn) | Scope::Since { turn, .. } => format!("turn-{}", turn + 1),
        Scope::At(Moment { turns, step: None }) => format!("turn-{turns}"),
        Scope::Step(step) | Scope::At(Moment { step: Some(step), .. }) => {
            format!("turn-{}-step-{}", step.turn + 1, open.replay.number_of(step))
        }
    };
    let line = line_number(open).unwrap_or(1);
    let name = path.name().to_owned();
    Ok(Editing { program: None, what: Edited::Copy { name, text, moment }, line })
}
