//! What a run says of itself: what it is called, who ran what, how it came to be.

use trajview_run::{Agent, Task, Time};

use super::{Object, Reader, generation, values};

impl Reader<'_> {
    /// What the run says of itself.
    pub(super) fn facts(&mut self) {
        let problem = self.problem.get("name").unwrap_or(self.layout.problem).to_owned();
        let folder = ["save_template", "output_path"].iter().find_map(|key| {
            self.config.get(key)?.rsplit('/').next().filter(|name| !name.contains('$'))
        });
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let catalog = self.layout.catalog.map(|at| self.text(at));
        let run = &mut self.run;
        run.id = match folder {
            Some(folder) => format!("{folder}/{problem}"),
            None => problem.clone(),
        };
        run.title.clone_from(&problem);
        run.origin.harness = Some(generation::harness(self.generation, catalog.as_deref()));
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
            Some(self.said().unwrap_or_else(|| self.provenance(catalog.as_deref())));
        if let Some(at) = self.layout.result {
            match values::of_object(self.sources[at].name, &self.text(at), None) {
                Some(values) => self.run.recorded = values,
                None => self.warn(at, "is not a JSON object"),
            }
        }
    }

    /// How the run came to be, in the words of whoever put it there.
    fn said(&self) -> Option<String> {
        let text = self.text(self.layout.provenance?);
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(words.join(" ")).filter(|text| !text.is_empty())
    }

    /// How the run came to be, from what its files say, in one sentence.
    fn provenance(&self, catalog: Option<&str>) -> String {
        let commit = catalog.and_then(|text| Object::parse(text)?.text("commit").map(String::from));
        let prompt = self.config.get("prompt_path").map(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            format!("prompt {}", name.split('.').next().unwrap_or(name))
        });
        let parts = [
            commit.map(|commit| {
                format!("problems at commit {}", commit.get(..12).unwrap_or(&commit))
            }),
            prompt,
            self.config.get("thinking").map(|thinking| format!("thinking {thinking}")),
            self.config.get("pass_policy").map(|policy| format!("pass policy {policy}")),
        ];
        let harness = self.run.origin.harness.as_deref().unwrap_or_default();
        let said: Vec<String> = parts.into_iter().flatten().collect();
        if said.is_empty() {
            return format!("a run directory of {harness}");
        }
        format!("a run directory of {harness}: {}", said.join(", "))
    }
}
