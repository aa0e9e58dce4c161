//! Judges that need no settings: a key in the environment, a server on this machine, an installed program.
//!
//! [`judges_with_keys`] and [`judges_on_path`] look at a [`JudgeEnvironment`] and send nothing. [`local_judges`]
//! queries the ports of this machine, all at once and for a short time. [`list_models`] requests the models of a
//! server; where that takes a key, the key is sent to the judge's own address and nowhere else. To add a provider add a
//! row to `PROVIDERS`, to add a program one to `PROGRAMS`.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use serde_json::Value;

use trajview_run::judging::{JudgeOrigin, ListedModel};

use super::{
    http,
    judge_key::JudgeKey,
    settings::{JudgeConfig, JudgeCost, JudgeKind},
    wire,
};

/// The inputs of the search: variables, and addresses of servers on this machine. Keys are among the variables, so only
/// names are ever printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct JudgeEnvironment {
    variables: BTreeMap<String, String>,
    servers: Vec<LocalServer>,
}

/// A server that may run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The name of its judge.
    pub name: &'static str,
    /// The name of the server in sentences.
    pub title: &'static str,
    /// `http://127.0.0.1:11434`
    pub address: String,
    pub lists: ModelListing,
}

/// The address of a server's list of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelListing {
    /// `GET /api/tags`, as Ollama does.
    Tags,
    /// `GET /v1/models`, as OpenAI does.
    Models,
}

/// A judge that is found without settings.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscoveredJudge {
    /// The settings without a model.
    pub settings: JudgeConfig,
    pub origin: JudgeOrigin,
    /// The models that are known without a request with a key.
    pub models: Vec<ListedModel>,
    /// The arguments of a program that name a model, put before the last `-`.
    model_words: &'static [&'static str],
}

/// A provider whose variables are known.
struct KnownProvider {
    name: &'static str,
    kind: JudgeKind,
    /// Names of variables; the first that is set counts.
    keys: &'static [&'static str],
    base_url: &'static str,
    /// The variable that names another address.
    elsewhere: Option<&'static str>,
}

const PROVIDERS: [KnownProvider; 4] = [
    KnownProvider {
        name: "openai",
        kind: JudgeKind::Responses,
        keys: &["OPENAI_API_KEY"],
        base_url: "https://api.openai.com/v1",
        elsewhere: Some("OPENAI_BASE_URL"),
    },
    KnownProvider {
        name: "anthropic",
        kind: JudgeKind::Messages,
        keys: &["ANTHROPIC_API_KEY"],
        base_url: "https://api.anthropic.com/v1",
        elsewhere: Some("ANTHROPIC_BASE_URL"),
    },
    KnownProvider {
        name: "gemini",
        kind: JudgeKind::Chat,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        elsewhere: None,
    },
    KnownProvider {
        name: "openrouter",
        kind: JudgeKind::Chat,
        keys: &["OPENROUTER_API_KEY"],
        base_url: "https://openrouter.ai/api/v1",
        elsewhere: None,
    },
];

/// A known program.
struct KnownProgram {
    name: &'static str,
    words: &'static [&'static str],
    model_words: &'static [&'static str],
    /// Names of variables with its key; the first that is set is hidden in its output.
    keys: &'static [&'static str],
    /// Other variables that it needs where they are set.
    pass: &'static [&'static str],
}

const PROGRAMS: [KnownProgram; 3] = [
    KnownProgram {
        name: "claude-code",
        words: &[
            "claude",
            "-p",
            "--output-format",
            "json",
            "--tools",
            "",
            "--no-session-persistence",
        ],
        model_words: &["--model", "{model}"],
        keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        pass: &["ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR"],
    },
    KnownProgram {
        name: "codex",
        words: &["codex", "exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "-"],
        model_words: &["-m", "{model}"],
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        pass: &["CODEX_HOME", "OPENAI_BASE_URL"],
    },
    KnownProgram {
        name: "gemini-cli",
        words: &["gemini", "-p", "Answer what stands on the standard input."],
        model_words: &["-m", "{model}"],
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        pass: &["GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"],
    },
];

/// Longest list of models; longer ones are cut.
const MOST_MODELS: usize = 2_000;

/// Time limit of a program for one reply: it thinks longer than a server.
const PROGRAM_PATIENCE: Duration = Duration::from_secs(600);

/// Time limit of a provider for its list of models.
const PATIENCE: Duration = Duration::from_secs(10);

impl fmt::Debug for JudgeEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.variables.keys()).entries(&self.servers).finish()
    }
}

impl JudgeEnvironment {
    /// Makes the environment of this process, with the usual ports of this machine.
    pub fn for_this_process() -> Self {
        Self::with_variables(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
        .with_usual_servers()
    }

    /// Makes an environment with these variables and no server.
    pub fn with_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { variables: variables.into_iter().collect(), servers: vec![] }
    }

    #[must_use]
    pub fn with_server(mut self, server: LocalServer) -> Self {
        self.servers.push(server);
        self
    }

    #[must_use]
    fn with_usual_servers(self) -> Self {
        let ollama =
            self.variable("OLLAMA_HOST").map_or_else(|| local_address(11434), ollama_address);
        self.with_server(LocalServer::ollama_server(ollama))
            .with_server(LocalServer {
                name: "llama-cpp",
                title: "llama.cpp",
                address: local_address(8080),
                lists: ModelListing::Models,
            })
            .with_server(LocalServer {
                name: "vllm",
                title: "vLLM",
                address: local_address(8000),
                lists: ModelListing::Models,
            })
    }

    /// Returns a variable that is set to something.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    fn first_set(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.variable(name).is_some())
    }

    /// Returns the path of a program of this name in `PATH`.
    fn path_of_program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.variables.get("PATH")?);
        let absolute = folders.filter(|folder| folder.is_absolute());
        absolute.map(|folder| folder.join(name)).find(|path| is_executable(path))
    }
}

impl LocalServer {
    pub const fn ollama_server(address: String) -> Self {
        Self { name: "ollama", title: "Ollama", address, lists: ModelListing::Tags }
    }

    /// Returns the judge of one server; None where no server with models answers.
    fn ask_server(&self, limit: Duration) -> Option<DiscoveredJudge> {
        let list = match self.lists {
            ModelListing::Tags => format!("{}/api/tags", self.address),
            ModelListing::Models => format!("{}/v1/models", self.address),
        };
        let models = parse_model_list(&http::get_json(&list, &[], limit).ok()?)?;
        let mut settings = JudgeConfig::new(self.name, JudgeKind::Chat);
        settings.base_url = format!("{}/v1", self.address);
        Some(DiscoveredJudge { settings, origin: JudgeOrigin::Server, models, model_words: &[] })
    }
}

impl DiscoveredJudge {
    /// Returns the judge, with this model; an empty one is none. A price the server named comes along.
    pub fn with_model(&self, model: &str, models: &[ListedModel]) -> JudgeConfig {
        let mut settings = self.settings.clone();
        settings.model = model.to_owned();
        let priced = models.iter().chain(&self.models).find(|it| it.id == model);
        if let Some([input, output]) = priced.and_then(|it| it.price) {
            let (price_input, price_output) = (Some(input), Some(output));
            settings.cost = JudgeCost { price_input, price_output, ..settings.cost };
        }
        if !model.is_empty() {
            let dash = settings.command.last().is_some_and(|word| word == "-");
            let at = settings.command.len() - usize::from(dash);
            let words = self.model_words.iter().map(|word| (*word).to_owned());
            settings.command.splice(at..at, words);
        }
        settings
    }

    /// Returns the settings to save, as [`Self::with_model`]: a program by its name and not by its path.
    pub fn settings_to_save(&self, model: &str, models: &[ListedModel]) -> JudgeConfig {
        let mut settings = self.with_model(model, models);
        if let (JudgeOrigin::Program(path), Some(first)) =
            (&self.origin, settings.command.first_mut())
        {
            *first = path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into());
        }
        settings
    }
}

/// Returns judges whose key is in a variable.
pub fn judges_with_keys(environment: &JudgeEnvironment) -> Vec<DiscoveredJudge> {
    let judge_of = |provider: &KnownProvider| {
        let key = environment.first_set(provider.keys)?;
        let mut settings = JudgeConfig::new(provider.name, provider.kind);
        settings.key_env = Some(key.to_owned());
        settings.base_url = provider.base_url.to_owned();
        let elsewhere = provider.elsewhere.and_then(|name| environment.variable(name));
        if let Some(url) = elsewhere {
            (settings.kind, settings.base_url) = protocol_and_url(provider.kind, url);
        }
        let origin = JudgeOrigin::Key(key.to_owned());
        Some(DiscoveredJudge { settings, origin, models: vec![], model_words: &[] })
    };
    PROVIDERS.iter().filter_map(judge_of).collect()
}

/// Returns the protocol and base URL of a server in a provider's place. Few of OpenAI's kind speak its newer protocol, and
/// Anthropic's own programs put `/v1` behind the address.
fn protocol_and_url(kind: JudgeKind, url: &str) -> (JudgeKind, String) {
    let url = url.trim_end_matches('/');
    match kind {
        JudgeKind::Responses if url != PROVIDERS[0].base_url => (JudgeKind::Chat, url.to_owned()),
        JudgeKind::Messages if !url.ends_with("/v1") => (kind, format!("{url}/v1")),
        _ => (kind, url.to_owned()),
    }
}

/// Returns judges that are programs on the path.
pub fn judges_on_path(environment: &JudgeEnvironment) -> Vec<DiscoveredJudge> {
    let judge_of = |program: &KnownProgram| {
        let path = environment.path_of_program(program.words[0])?;
        let mut settings = JudgeConfig::new(program.name, JudgeKind::Command);
        settings.command = program.words.iter().map(|word| (*word).to_owned()).collect();
        settings.command[0] = path.to_string_lossy().into_owned();
        settings.key_env = environment.first_set(program.keys).map(str::to_owned);
        let is_set = |name: &&&str| environment.variable(name).is_some();
        let pass = program.pass.iter().filter(is_set).map(|name| (*name).to_owned());
        settings.pass = pass.collect();
        settings.timeouts.whole = PROGRAM_PATIENCE;
        let origin = JudgeOrigin::Program(path);
        Some(DiscoveredJudge { settings, origin, models: vec![], model_words: program.model_words })
    };
    PROGRAMS.iter().filter_map(judge_of).collect()
}

/// Returns the judges that answer on this machine within this time. All are queried at once.
pub fn local_judges(environment: &JudgeEnvironment, limit: Duration) -> Vec<DiscoveredJudge> {
    thread::scope(|scope| {
        let queries: Vec<_> = environment
            .servers
            .iter()
            .map(|it| scope.spawn(move || it.ask_server(limit)))
            .collect();
        queries.into_iter().filter_map(|it| it.join().ok().flatten()).collect()
    })
}

/// Returns the models of a judge behind HTTP, the newest first where the server says when they were made. The error is a sentence.
pub fn list_models(settings: &JudgeConfig, key: &JudgeKey) -> Result<Vec<ListedModel>, String> {
    settings.encryption_problem().map_or(Ok(()), Err)?;
    let wire = wire::wire_for(settings.kind).ok_or("a program lists no models")?;
    let url = format!("{}/models", settings.base_url.trim_end_matches('/'));
    let response = http::get_json(&url, &wire.headers(key.value()), PATIENCE);
    let list = response.map_err(|why| key.hide_key(&why))?;
    parse_model_list(&list).ok_or_else(|| format!("{url} lists no models"))
}

/// Reads the models in a list of Ollama's or of OpenAI's kind; None where it is neither.
fn parse_model_list(list: &Value) -> Option<Vec<ListedModel>> {
    if let Some(tags) = list.get("models").and_then(Value::as_array) {
        let name = |tag: &Value| tag.get("model").or(tag.get("name"))?.as_str().map(str::to_owned);
        let model = |id| ListedModel { id, price: None };
        return Some(tags.iter().take(MOST_MODELS).filter_map(name).map(model).collect());
    }
    let data = list.get("data")?.as_array()?;
    let mut rows: Vec<(i64, ListedModel)> =
        data.iter().take(MOST_MODELS).filter_map(parse_model_row).collect();
    rows.sort_by_key(|(created, _)| -created); // stable: those of unknown age stay in the server's order
    Some(rows.into_iter().map(|(_, model)| model).collect())
}

fn parse_model_row(entry: &Value) -> Option<(i64, ListedModel)> {
    let id = entry.get("id")?.as_str().filter(|id| !id.trim().is_empty())?;
    let dollars = |name: &str| {
        let price_field = entry.get("pricing")?.get(name)?;
        let number = price_field.as_f64().or_else(|| price_field.as_str()?.parse().ok())?;
        // OpenRouter writes -1 where the price depends on the model it chooses. Rounded, as 1e6 * 0.0000012 is not 1.2.
        (number.is_finite() && number >= 0.0).then(|| (number * 1e12).round() / 1e6)
    };
    let price =
        dollars("prompt").zip(dollars("completion")).map(|(sent, received)| [sent, received]);
    let created = entry.get("created").and_then(Value::as_i64).unwrap_or_default();
    Some((created, ListedModel { id: id.to_owned(), price }))
}

fn local_address(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Returns the address in `OLLAMA_HOST`, which is a host, a port, or an address. For a server that listens everywhere
/// it is this machine.
fn ollama_address(host: &str) -> String {
    let (scheme, rest) = match host.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None => ("http", host),
    };
    let rest = rest.trim_end_matches('/');
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host, port),
        _ => (rest, if scheme == "https" { "443" } else { "11434" }),
    };
    let host = match host {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        host => host,
    };
    format!("{scheme}://{host}:{port}")
}

/// Returns whether a path is a file that can be run.
#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub fn is_executable(path: &Path) -> bool {
    path.with_extension("exe").is_file() || path.is_file()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn environment_with(variables: &[(&str, &str)]) -> JudgeEnvironment {
        JudgeEnvironment::with_variables(
            variables.iter().map(|(name, value)| ((*name).into(), (*value).into())),
        )
    }

    fn judge_names(judges: &[DiscoveredJudge]) -> Vec<&str> {
        judges.iter().map(|it| it.settings.name.as_str()).collect()
    }

    #[test]
    fn a_judge_is_offered_for_each_key_and_for_no_empty_one() {
        let all = environment_with(&[
            ("OPENAI_API_KEY", "sk-secret-1"),
            ("ANTHROPIC_API_KEY", " "),
            ("GOOGLE_API_KEY", "sk-secret-2"),
            ("OPENROUTER_API_KEY", "sk-secret-3"),
        ]);
        let judges = judges_with_keys(&all);

        assert_eq!(judge_names(&judges), ["openai", "gemini", "openrouter"]);
        assert_eq!(judges[1].settings.key_env.as_deref(), Some("GOOGLE_API_KEY"));
        assert!(!format!("{judges:?}").contains("secret"));
        assert_eq!(judges_with_keys(&JudgeEnvironment::default()), []);
    }

    #[test]
    fn a_variable_with_an_address_is_honoured() {
        let all = environment_with(&[
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/"),
            ("ANTHROPIC_API_KEY", "k"),
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:2"),
        ]);
        let reached: Vec<(JudgeKind, String)> = judges_with_keys(&all)
            .into_iter()
            .map(|it| (it.settings.kind, it.settings.base_url))
            .collect();

        let expected = [
            (JudgeKind::Chat, "http://127.0.0.1:1/v1".to_owned()),
            (JudgeKind::Messages, "http://127.0.0.1:2/v1".to_owned()),
        ];
        assert_eq!(reached, expected);
        for (host, address) in [
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":8", "http://127.0.0.1:8"),
            ("box:9", "http://box:9"),
            ("https://box/", "https://box:443"),
        ] {
            assert_eq!(ollama_address(host), address, "{host}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_on_the_path_is_offered_and_kept_by_its_name() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("codex", 0o755), ("claude", 0o644)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = folder.path().to_str().unwrap();
        let judges = judges_on_path(&environment_with(&[("PATH", path), ("CODEX_HOME", "/h")]));

        assert_eq!(judge_names(&judges), ["codex"]);
        assert_eq!(judges[0].settings.pass, ["CODEX_HOME"]);
        assert_eq!(judges[0].with_model("", &[]).command.len(), 7);
        let saved_command = judges[0].settings_to_save("m-1", &[]).command.join(" ");
        let words = "codex exec --ephemeral --skip-git-repo-check -s read-only -m {model} -";
        assert_eq!(saved_command, words);
    }

    #[test]
    fn models_are_read_from_either_kind_of_list_with_their_prices() {
        let ids = |list: Value| {
            parse_model_list(&list).map(|it| it.into_iter().map(|it| it.id).collect::<Vec<_>>())
        };
        let tags = json!({"models": [{"name": "a:1b"}, {"name": "b", "model": "b:latest"}]});
        assert_eq!(ids(tags), Some(vec!["a:1b".into(), "b:latest".into()]));
        let data = json!({"data": [{"id": "old", "created": 1}, {"id": "new", "created": 2}, {}]});
        assert_eq!(ids(data), Some(vec!["new".into(), "old".into()]));
        assert_eq!(ids(json!({"status": "ok"})), None);

        let priced = json!({"data": [
            {"id": "m", "pricing": {"prompt": "0.0000012", "completion": "0.00001"}},
            {"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        ]});
        let prices: Vec<_> =
            parse_model_list(&priced).unwrap().into_iter().map(|it| it.price).collect();
        assert_eq!(prices, [Some([1.2, 10.0]), None]);
    }
}
