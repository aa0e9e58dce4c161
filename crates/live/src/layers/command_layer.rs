//! `command:PROGRAM`: a layer that is an external program. The program is called before each request and after each turn;
//! it reads one JSON object and writes one. `docs/layers.md` has both, with an example.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use trajview_judge::{command::CommandJudge, stop_flag::StopFlag};
use trajview_layers::{
    Brief, BriefSentence, HelperModel, Layer, LayerProject, LayerSpec, LayerState, ProjectChange,
    RequestMoment, StepAuthor, StepSeen, TurnDone, project::ChangeKind,
};

/// The schema version of the input.
pub const SCHEMA: &str = "trajview.layer/1";

/// The longest time that the program may take for one answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The largest number of files of its state, and of bytes in them all.
const MAX_STATE_FILES: usize = 10_000;
const MAX_STATE_BYTES: usize = 32 << 20;

pub struct CommandLayer {
    name: String,
    program: CommandJudge,
    /// The folder in which it runs; None for trajview's own.
    folder: Option<PathBuf>,
    workspace: Option<PathBuf>,
    state: LayerState,
}

/// The input of the program.
#[derive(Debug, Default, Serialize)]
struct LayerInput<'a> {
    schema: &'static str,
    /// `before` a request or `after` a turn.
    event: &'static str,
    turn: usize,
    request: &'a str,
    /// The requests of the turns before; empty after a turn.
    earlier: &'a [String],
    /// The paths of the project's files at that moment.
    files: Vec<&'a str>,
    commit: Option<&'a str>,
    /// The folder of the files; null when a recorded run is replayed.
    workspace: Option<&'a PathBuf>,
    /// The changes of the turn; empty before it.
    changes: Vec<ChangeRow<'a>>,
    steps: Vec<LayerStepRow<'a>>,
    /// The state that the program wrote last.
    state: Option<&'a LayerState>,
}

#[derive(Debug, Serialize)]
struct ChangeRow<'a> {
    path: &'a str,
    /// `added`, `changed`, `deleted` or `renamed`.
    kind: &'static str,
    from: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct LayerStepRow<'a> {
    number: usize,
    who: &'static str,
    text: &'a str,
    tool: Option<&'a str>,
    result: &'a str,
    paths: &'a [String],
    edits: bool,
    failed: bool,
}

/// The output of the program; everything may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LayerOutput {
    /// The text in one piece; or [`Self::sentences`].
    text: String,
    sentences: Vec<BriefSentence>,
    forecast: Vec<String>,
    restarts: Option<String>,
    why: String,
    /// The new files of its state; unchanged when left out.
    state: Option<BTreeMap<String, String>>,
}

impl CommandLayer {
    /// Prepares the layer; nothing is called yet. `workspace` is None for a recorded run. The error is a sentence.
    pub fn new(
        spec: &LayerSpec,
        folder: Option<PathBuf>,
        workspace: Option<PathBuf>,
    ) -> Result<Self, String> {
        let line = spec.parts.join(",");
        let words = ["sh".to_owned(), "-c".to_owned(), line];
        let program = CommandJudge::with_words(words.to_vec(), &[], ANSWER_TIMEOUT)?;
        let name = spec.to_string();
        Ok(Self { name, program, folder, workspace, state: LayerState::new() })
    }

    /// Runs the program with this JSON as input and parses its output.
    fn run_program(&mut self, input: String) -> Result<LayerOutput, String> {
        let here = std::env::current_dir().ok();
        let folder = self.folder.clone().or(here);
        let answer = self.program.run_with_input(input, folder.as_deref(), &StopFlag::default());
        let printed = answer.map_err(|why| why.to_string())?;
        if printed.iter().all(u8::is_ascii_whitespace) {
            return Ok(LayerOutput::default());
        }
        let output: LayerOutput = serde_json::from_slice(&printed).map_err(|why| {
            let expected = "text, sentences, forecast, restarts, why, state";
            format!("expected one JSON object with {expected}: {why}")
        })?;
        if let Some(state) = &output.state {
            let bytes: usize = state.values().map(String::len).sum();
            if state.len() > MAX_STATE_FILES || bytes > MAX_STATE_BYTES {
                let most = MAX_STATE_BYTES >> 20;
                return Err(format!(
                    "its state has more than {MAX_STATE_FILES} files or {most} MiB; ignored"
                ));
            }
            self.state.clone_from(state);
        }
        Ok(output)
    }

    /// Serialises the input, with the fields that are the same for every event.
    fn input_json(&self, asked: LayerInput<'_>, project: &LayerProject) -> Result<String, String> {
        let asked = LayerInput {
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

fn change_row(change: &ProjectChange) -> ChangeRow<'_> {
    let (kind, from) = match &change.kind {
        ChangeKind::Added => ("added", None),
        ChangeKind::Changed => ("changed", None),
        ChangeKind::Deleted => ("deleted", None),
        ChangeKind::Renamed { from } => ("renamed", Some(from.as_str())),
    };
    ChangeRow { path: change.path.as_str(), kind, from }
}

fn step_row(step: &StepSeen) -> LayerStepRow<'_> {
    LayerStepRow {
        number: step.number,
        who: match step.who {
            StepAuthor::Person => "person",
            StepAuthor::Agent => "agent",
        },
        text: &step.text,
        tool: step.tool.as_deref(),
        result: &step.result,
        paths: &step.paths,
        edits: step.edits,
        failed: step.failed,
    }
}

impl Layer for CommandLayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn before_request(
        &mut self,
        moment: &RequestMoment<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String> {
        let asked = LayerInput {
            event: "before",
            turn: moment.turn,
            request: moment.request,
            earlier: moment.earlier,
            ..LayerInput::default()
        };
        let output = self.run_program(self.input_json(asked, moment.project)?)?;
        let lines = output.text.lines().map(BriefSentence::heading);
        let brief = Brief {
            sentences: output.sentences.into_iter().chain(lines).collect(),
            forecast: output.forecast,
            restarts: output.restarts,
            why: if output.why.is_empty() { "what the program said".into() } else { output.why },
        };
        Ok(Some(brief).filter(|brief| !brief.is_empty()))
    }

    fn after_turn(
        &mut self,
        done: &TurnDone<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<(), String> {
        let asked = LayerInput {
            event: "after",
            turn: done.turn,
            request: done.request,
            changes: done.changes.iter().map(change_row).collect(),
            steps: done.steps.iter().map(step_row).collect(),
            ..LayerInput::default()
        };
        self.run_program(self.input_json(asked, done.project)?).map(|_| ())
    }

    fn state(&self) -> LayerState {
        self.state.clone()
    }

    fn restore(&mut self, state: &LayerState) {
        self.state.clone_from(state);
    }
}

#[cfg(test)]
mod tests {
    use trajview_layers::{ContextUse, NoHelper};

    use super::*;

    fn shell_layer(line: &str) -> CommandLayer {
        let spec = LayerSpec { name: "command".into(), parts: vec![line.into()] };
        CommandLayer::new(&spec, None, None).unwrap()
    }

    fn ask_before_turn(layer: &mut CommandLayer) -> Result<Option<Brief>, String> {
        let project = LayerProject::default();
        let (turn, request, context) = (2, "do it", ContextUse::default());
        let earlier = ["first".to_owned()];
        let moment = RequestMoment { turn, request, earlier: &earlier, project: &project, context };
        layer.before_request(&moment, &mut NoHelper)
    }

    #[test]
    fn a_program_says_something_and_keeps_its_state() {
        let mut layer = shell_layer(
            r#"grep -q '"earlier":\["first"\]' && printf '%s' '{"text":"a\nb","state":{"x/y":"1"},"restarts":"full"}'"#,
        );

        let brief = ask_before_turn(&mut layer).unwrap().unwrap();

        assert_eq!((brief.text().as_str(), brief.restarts.as_deref()), ("a\nb", Some("full")));
        assert_eq!(layer.state(), LayerState::from([("x/y".to_owned(), "1".to_owned())]));
        assert_eq!(ask_before_turn(&mut self::shell_layer("cat >/dev/null")), Ok(None));
    }

    #[test]
    fn what_goes_wrong_is_said_in_words() {
        for (line, why) in [
            ("echo nonsense", "expected one JSON object"),
            (r#"echo '{"unknown":1}'"#, "unknown field"),
            ("echo why >&2; exit 3", "exit status: 3"),
            ("yes | head -c 9000000", "cut off"),
        ] {
            let error = ask_before_turn(&mut shell_layer(line)).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
