//! `command:PROGRAM`: a layer of one's own. The program is called before each request and after each turn; it reads one JSON
//! object and writes one. `docs/layers.md` has both, with an example.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use trajview_judge::{command::Program, stop::Stop};
use trajview_layers::{
    Brief, Change, Helper, Layer, Moment, Project, Sentence, Spec, State, StepSeen, TurnDone, Who,
    project::ChangeKind,
};

/// The version of what it reads.
pub const SCHEMA: &str = "trajview.layer/1";

/// How long it may take for one answer.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Files of its state, and bytes of them all.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: usize = 32 << 20;

pub struct Command {
    name: String,
    program: Program,
    /// Where it runs; None for where trajview runs.
    folder: Option<PathBuf>,
    workspace: Option<PathBuf>,
    state: State,
}

/// What it reads.
#[derive(Debug, Default, Serialize)]
struct Asked<'a> {
    schema: &'static str,
    /// `before` a request or `after` a turn.
    event: &'static str,
    turn: usize,
    request: &'a str,
    /// The requests of the turns before; empty after a turn.
    earlier: &'a [String],
    /// The files of the project at that moment.
    files: Vec<&'a str>,
    commit: Option<&'a str>,
    /// Where the files are; null where a recorded run is played again.
    workspace: Option<&'a PathBuf>,
    /// What the turn did; empty before it.
    changes: Vec<ChangeRow<'a>>,
    steps: Vec<StepRow<'a>>,
    /// As it wrote it the last time.
    state: Option<&'a State>,
}

#[derive(Debug, Serialize)]
struct ChangeRow<'a> {
    path: &'a str,
    /// `added`, `changed`, `deleted` or `renamed`.
    kind: &'static str,
    from: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct StepRow<'a> {
    number: usize,
    who: &'static str,
    text: &'a str,
    tool: Option<&'a str>,
    result: &'a str,
    paths: &'a [String],
    edits: bool,
    failed: bool,
}

/// What it writes; everything may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Told {
    /// The words in one piece; or [`Self::sentences`].
    text: String,
    sentences: Vec<Sentence>,
    forecast: Vec<String>,
    restarts: Option<String>,
    why: String,
    /// The files of its state from now on; where it is left out they stay as they are.
    state: Option<BTreeMap<String, String>>,
}

impl Command {
    /// `workspace` is None for a recorded run. Nothing is called yet. The error is a sentence.
    pub fn new(
        spec: &Spec,
        folder: Option<PathBuf>,
        workspace: Option<PathBuf>,
    ) -> Result<Self, String> {
        let line = spec.parts.join(",");
        let words = ["sh".to_owned(), "-c".to_owned(), line];
        let program = Program::of(words.to_vec(), &[], MOST_TIME)?;
        let name = spec.to_string();
        Ok(Self { name, program, folder, workspace, state: State::new() })
    }

    /// What it says when it is told this, as JSON.
    fn ask(&mut self, told: String) -> Result<Told, String> {
        let here = std::env::current_dir().ok();
        let folder = self.folder.clone().or(here);
        let answer = self.program.answer(told, folder.as_deref(), &Stop::default());
        let printed = answer.map_err(|why| why.to_string())?;
        if printed.iter().all(u8::is_ascii_whitespace) {
            return Ok(Told::default());
        }
        let told: Told = serde_json::from_slice(&printed).map_err(|why| {
            let expected = "text, sentences, forecast, restarts, why, state";
            format!("expected one JSON object with {expected}: {why}")
        })?;
        if let Some(state) = &told.state {
            let bytes: usize = state.values().map(String::len).sum();
            if state.len() > MOST_FILES || bytes > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                return Err(format!(
                    "its state has more than {MOST_FILES} files or {most} MiB; it is not taken in"
                ));
            }
            self.state.clone_from(state);
        }
        Ok(told)
    }

    /// What it reads, with what is the same for every event.
    fn written(&self, asked: Asked<'_>, project: &Project) -> Result<String, String> {
        let asked = Asked {
            schema: SCHEMA,
            files: project.paths().map(|path| path.as_str()).collect(),
            commit: project.commit.as_deref(),
            workspace: self.workspace.as_ref(),
            state: Some(&self.state),
            ..asked
        };
        serde_json::to_string(&asked).map_err(|why| why.to_string())
    }
}

fn change(change: &Change) -> ChangeRow<'_> {
    let (kind, from) = match &change.kind {
        ChangeKind::Added => ("added", None),
        ChangeKind::Changed => ("changed", None),
        ChangeKind::Deleted => ("deleted", None),
        ChangeKind::Renamed { from } => ("renamed", Some(from.as_str())),
    };
    ChangeRow { path: change.path.as_str(), kind, from }
}

fn step(step: &StepSeen) -> StepRow<'_> {
    StepRow {
        number: step.number,
        who: match step.who {
            Who::Person => "person",
            Who::Agent => "agent",
        },
        text: &step.text,
        tool: step.tool.as_deref(),
        result: &step.result,
        paths: &step.paths,
        edits: step.edits,
        failed: step.failed,
    }
}

impl Layer for Command {
    fn name(&self) -> &str {
        &self.name
    }

    fn before(
        &mut self,
        moment: &Moment<'_>,
        _helper: &mut dyn Helper,
    ) -> Result<Option<Brief>, String> {
        let asked = Asked {
            event: "before",
            turn: moment.turn,
            request: moment.request,
            earlier: moment.earlier,
            ..Asked::default()
        };
        let told = self.ask(self.written(asked, moment.project)?)?;
        let lines = told.text.lines().map(Sentence::heading);
        let brief = Brief {
            sentences: told.sentences.into_iter().chain(lines).collect(),
            forecast: told.forecast,
            restarts: told.restarts,
            why: if told.why.is_empty() { "what the program said".into() } else { told.why },
        };
        Ok(Some(brief).filter(|brief| !brief.is_empty()))
    }

    fn after(&mut self, done: &TurnDone<'_>, _helper: &mut dyn Helper) -> Result<(), String> {
        let asked = Asked {
            event: "after",
            turn: done.turn,
            request: done.request,
            changes: done.changes.iter().map(change).collect(),
            steps: done.steps.iter().map(step).collect(),
            ..Asked::default()
        };
        self.ask(self.written(asked, done.project)?).map(|_| ())
    }

    fn state(&self) -> State {
        self.state.clone()
    }

    fn restore(&mut self, state: &State) {
        self.state.clone_from(state);
    }
}

#[cfg(test)]
mod tests {
    use trajview_layers::{Context, NoHelper};

    use super::*;

    fn layer(line: &str) -> Command {
        let spec = Spec { name: "command".into(), parts: vec![line.into()] };
        Command::new(&spec, None, None).unwrap()
    }

    fn before(layer: &mut Command) -> Result<Option<Brief>, String> {
        let project = Project::default();
        let (turn, request, context) = (2, "do it", Context::default());
        let earlier = ["first".to_owned()];
        let moment = Moment { turn, request, earlier: &earlier, project: &project, context };
        layer.before(&moment, &mut NoHelper)
    }

    #[test]
    fn a_program_says_something_and_keeps_its_state() {
        let mut layer = layer(
            r#"grep -q '"earlier":\["first"\]' && printf '%s' '{"text":"a\nb","state":{"x/y":"1"},"restarts":"full"}'"#,
        );

        let brief = before(&mut layer).unwrap().unwrap();

        assert_eq!((brief.text().as_str(), brief.restarts.as_deref()), ("a\nb", Some("full")));
        assert_eq!(layer.state(), State::from([("x/y".to_owned(), "1".to_owned())]));
        assert_eq!(before(&mut self::layer("cat >/dev/null")), Ok(None));
    }

    #[test]
    fn what_goes_wrong_is_said_in_words() {
        for (line, why) in [
            ("echo nonsense", "expected one JSON object"),
            (r#"echo '{"unknown":1}'"#, "unknown field"),
            ("echo why >&2; exit 3", "exit status: 3"),
            ("yes | head -c 9000000", "cut off"),
        ] {
            let said = before(&mut layer(line)).unwrap_err();
            assert!(said.contains(why), "{line}: {said}");
        }
    }
}
