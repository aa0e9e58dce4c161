//! Reads the facts about a run: its name, its agent and model, its provenance.

use trajview_run::{Agent, Task, Time};

use super::{SlopReader, generation, values};
use crate::format::file_name;
use crate::{json_object::JsonObject, tape::JsonTape};

impl SlopReader<'_> {
    /// Reads the facts about the run from its files.
    pub(super) fn read_run_facts(&mut self) {
        let problem = self.problem.get("name").unwrap_or(self.layout.problem).to_owned();
        let folder = ["save_template", "output_path"].iter().find_map(|key| {
            self.config.get(key)?.rsplit('/').next().filter(|name| !name.contains('$'))
        });
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let catalog = self.layout.catalog.map(|at| self.source_text(at)).unwrap_or_default();
        let catalog = JsonTape::parse(&catalog);
        let catalog = JsonObject::from_tape(&catalog).unwrap_or_default();
        let run = &mut self.run;
        run.id = match folder {
            Some(folder) => format!("{folder}/{problem}"),
            None => problem.clone(),
        };
        run.title.clone_from(&problem);
        let version = catalog.text("version");
        run.origin.harness = Some(generation::harness_name(self.generation, version.as_deref()));
        run.task = Some(Task { id: problem, title: None, venue: Some("SlopCodeBench".into()) });
        run.agent = Agent {
            name: self
                .config
                .get("agent.type")
                .or(self.info.get("agent_type"))
                .unwrap_or_default()
                .into(),
            version: owned(self.config.get("agent.version").or(self.info.get("agent_version"))),
            ..Agent::default()
        };
        run.model = owned(self.config.get("model.name").or(self.info.get("model_name")));
        run.condition = match self.config.get("one_shot.enabled") {
            Some("true") => Some("single-shot".into()),
            Some("false") => Some("emergent".into()),
            _ => None,
        };
        run.started_at = self.info.get("summary.started").and_then(Time::parse);
        run.ended_at = self.info.get("summary.ended").and_then(Time::parse);
        self.run.origin.provenance =
            Some(self.stated_provenance().unwrap_or_else(|| self.derived_provenance(&catalog)));
        if let Some(at) = self.layout.result {
            match values::values_of_object(self.sources[at].name, &self.source_text(at), None) {
                Some(values) => self.run.recorded = values,
                None => self.add_warning(at, "is not a JSON object"),
            }
        }
    }

    /// Returns the provenance in the words of the person who added it.
    fn stated_provenance(&self) -> Option<String> {
        let text = self.source_text(self.layout.provenance?);
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(words.join(" ")).filter(|text| !text.is_empty())
    }

    /// Returns the provenance in one sentence, made of the facts in its files.
    fn derived_provenance(&self, catalog: &JsonObject<'_>) -> String {
        let prompt = self.config.get("prompt_path").map(|path| {
            let name = file_name(path);
            format!("prompt {}", name.split('.').next().unwrap_or(name))
        });
        let parts = [
            catalog.text("commit").map(|commit| {
                format!("problems at commit {}", commit.get(..12).unwrap_or(&commit))
            }),
            prompt,
            self.config.get("thinking").map(|thinking| format!("thinking {thinking}")),
            self.config.get("pass_policy").map(|policy| format!("pass policy {policy}")),
        ];
        let harness = self.run.origin.harness.as_deref().unwrap_or_default();
        let facts_text: Vec<String> = parts.into_iter().flatten().collect();
        if facts_text.is_empty() {
            return format!("a run directory of {harness}");
        }
        format!("a run directory of {harness}: {}", facts_text.join(", "))
    }
}
