//! Judges that need no settings: a key in the environment, a server on this machine, an installed program.
//!
//! [`keys`] and [`programs`] look at an [`Environment`] and send nothing. [`servers`] asks the ports of this machine, all at
//! once and for a short time. [`models`] asks a server which models it has; where that takes a key, the key goes to the
//! judge's own address and nowhere else. To add a provider add a row to `PROVIDERS`, to add a program one to `PROGRAMS`.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    http,
    secret::Secret,
    settings::{Cost, Kind, Settings},
    wire,
};

/// What the search may look at: variables, and addresses of servers on this machine. Keys are among the variables, so
/// only names are ever printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    servers: Vec<Local>,
}

/// A server that may run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The name of its judge.
    pub name: &'static str,
    /// What it is called in sentences.
    pub title: &'static str,
    /// `http://127.0.0.1:11434`
    pub address: String,
    pub lists: Lists,
}

/// Where a server lists its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// `GET /api/tags`, as Ollama does.
    Tags,
    /// `GET /v1/models`, as OpenAI does.
    Models,
}

/// A judge that nobody wrote down.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Without a model.
    pub settings: Settings,
    pub origin: Origin,
    /// What is known of its models without asking with a key.
    pub models: Vec<Model>,
    /// Of a program: the words that name a model, put before the last `-`.
    model_words: &'static [&'static str],
}

/// Why it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// This variable holds a key.
    Key(String),
    /// It answered.
    Server,
    /// It is on the path, here.
    Program(PathBuf),
}

/// A model that a server offers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub id: String,
    /// US dollars for a million tokens sent and for a million tokens of replies, where the server says so.
    pub price: Option<[f64; 2]>,
}

/// Whose keys are known.
struct Provider {
    name: &'static str,
    kind: Kind,
    /// Names of variables; the first that is set counts.
    keys: &'static [&'static str],
    base_url: &'static str,
    /// The variable that names another address.
    elsewhere: Option<&'static str>,
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        name: "openai",
        kind: Kind::Responses,
        keys: &["OPENAI_API_KEY"],
        base_url: "https://api.openai.com/v1",
        elsewhere: Some("OPENAI_BASE_URL"),
    },
    Provider {
        name: "anthropic",
        kind: Kind::Messages,
        keys: &["ANTHROPIC_API_KEY"],
        base_url: "https://api.anthropic.com/v1",
        elsewhere: Some("ANTHROPIC_BASE_URL"),
    },
    Provider {
        name: "gemini",
        kind: Kind::Chat,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        elsewhere: None,
    },
    Provider {
        name: "openrouter",
        kind: Kind::Chat,
        keys: &["OPENROUTER_API_KEY"],
        base_url: "https://openrouter.ai/api/v1",
        elsewhere: None,
    },
];

/// Which programs are known.
struct Program {
    name: &'static str,
    words: &'static [&'static str],
    model_words: &'static [&'static str],
    /// Names of variables that hold its key; the first that is set is hidden from what it prints.
    keys: &'static [&'static str],
    /// Other variables that it needs where they are set.
    pass: &'static [&'static str],
}

const PROGRAMS: [Program; 3] = [
    Program {
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
    Program {
        name: "codex",
        words: &["codex", "exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "-"],
        model_words: &["-m", "{model}"],
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        pass: &["CODEX_HOME", "OPENAI_BASE_URL"],
    },
    Program {
        name: "gemini-cli",
        words: &["gemini", "-p", "Answer what stands on the standard input."],
        model_words: &["-m", "{model}"],
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        pass: &["GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"],
    },
];

/// Longer lists than this are cut.
const MOST_MODELS: usize = 2_000;

/// How long a program may take for one reply: it thinks longer than a server.
const PROGRAM_PATIENCE: Duration = Duration::from_secs(600);

/// How long a provider may take to list its models.
const PATIENCE: Duration = Duration::from_secs(10);

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.variables.keys()).entries(&self.servers).finish()
    }
}

impl Environment {
    /// Of this process, with the usual ports of this machine.
    pub fn here() -> Self {
        Self::of(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
        .with_usual_servers()
    }

    /// With these variables and no server.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { variables: variables.into_iter().collect(), servers: vec![] }
    }

    #[must_use]
    pub fn with_server(mut self, server: Local) -> Self {
        self.servers.push(server);
        self
    }

    #[must_use]
    fn with_usual_servers(self) -> Self {
        let ollama = self.variable("OLLAMA_HOST").map_or_else(|| local(11434), ollama_address);
        self.with_server(Local::ollama(ollama))
            .with_server(Local {
                name: "llama-cpp",
                title: "llama.cpp",
                address: local(8080),
                lists: Lists::Models,
            })
            .with_server(Local {
                name: "vllm",
                title: "vLLM",
                address: local(8000),
                lists: Lists::Models,
            })
    }

    /// A variable that is set to something.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    fn first_set(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.variable(name).is_some())
    }

    /// Where a program of this name is on the path.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.variables.get("PATH")?);
        let absolute = folders.filter(|folder| folder.is_absolute());
        absolute.map(|folder| folder.join(name)).find(|path| is_executable(path))
    }
}

impl Local {
    pub const fn ollama(address: String) -> Self {
        Self { name: "ollama", title: "Ollama", address, lists: Lists::Tags }
    }

    /// As [`keys`], of one server; None where nothing answers that has models.
    fn ask(&self, limit: Duration) -> Option<Found> {
        let list = match self.lists {
            Lists::Tags => format!("{}/api/tags", self.address),
            Lists::Models => format!("{}/v1/models", self.address),
        };
        let models = listed(&http::get(&list, &[], limit).ok()?)?;
        let mut settings = Settings::new(self.name, Kind::Chat);
        settings.base_url = format!("{}/v1", self.address);
        Some(Found { settings, origin: Origin::Server, models, model_words: &[] })
    }
}

impl Found {
    /// The judge, with this model; an empty one is none. A price the server named comes along.
    pub fn with_model(&self, model: &str, models: &[Model]) -> Settings {
        let mut settings = self.settings.clone();
        settings.model = model.to_owned();
        let priced = models.iter().chain(&self.models).find(|it| it.id == model);
        if let Some([input, output]) = priced.and_then(|it| it.price) {
            let (price_input, price_output) = (Some(input), Some(output));
            settings.cost = Cost { price_input, price_output, ..settings.cost };
        }
        if !model.is_empty() {
            let dash = settings.command.last().is_some_and(|word| word == "-");
            let at = settings.command.len() - usize::from(dash);
            let words = self.model_words.iter().map(|word| (*word).to_owned());
            settings.command.splice(at..at, words);
        }
        settings
    }

    /// As [`Self::with_model`], to be written down: a program by its name and not by its place.
    pub fn to_keep(&self, model: &str, models: &[Model]) -> Settings {
        let mut settings = self.with_model(model, models);
        if let (Origin::Program(path), Some(first)) = (&self.origin, settings.command.first_mut()) {
            *first = path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into());
        }
        settings
    }
}

/// Judges whose key is in a variable.
pub fn keys(environment: &Environment) -> Vec<Found> {
    let found = |provider: &Provider| {
        let key = environment.first_set(provider.keys)?;
        let mut settings = Settings::new(provider.name, provider.kind);
        settings.key_env = Some(key.to_owned());
        settings.base_url = provider.base_url.to_owned();
        let elsewhere = provider.elsewhere.and_then(|name| environment.variable(name));
        if let Some(url) = elsewhere {
            (settings.kind, settings.base_url) = at(provider.kind, url);
        }
        let origin = Origin::Key(key.to_owned());
        Some(Found { settings, origin, models: vec![], model_words: &[] })
    };
    PROVIDERS.iter().filter_map(found).collect()
}

/// The protocol and base URL of a server in a provider's place. Few of OpenAI's kind speak its newer protocol, and
/// Anthropic's own programs put `/v1` behind the address.
fn at(kind: Kind, url: &str) -> (Kind, String) {
    let url = url.trim_end_matches('/');
    match kind {
        Kind::Responses if url != PROVIDERS[0].base_url => (Kind::Chat, url.to_owned()),
        Kind::Messages if !url.ends_with("/v1") => (kind, format!("{url}/v1")),
        _ => (kind, url.to_owned()),
    }
}

/// Judges that are programs on the path.
pub fn programs(environment: &Environment) -> Vec<Found> {
    let found = |program: &Program| {
        let path = environment.program(program.words[0])?;
        let mut settings = Settings::new(program.name, Kind::Command);
        settings.command = program.words.iter().map(|word| (*word).to_owned()).collect();
        settings.command[0] = path.to_string_lossy().into_owned();
        settings.key_env = environment.first_set(program.keys).map(str::to_owned);
        let is_set = |name: &&&str| environment.variable(name).is_some();
        let pass = program.pass.iter().filter(is_set).map(|name| (*name).to_owned());
        settings.pass = pass.collect();
        settings.timeouts.whole = PROGRAM_PATIENCE;
        let origin = Origin::Program(path);
        Some(Found { settings, origin, models: vec![], model_words: program.model_words })
    };
    PROGRAMS.iter().filter_map(found).collect()
}

/// Judges that answer on this machine within this time. All are asked at once.
pub fn servers(environment: &Environment, limit: Duration) -> Vec<Found> {
    thread::scope(|scope| {
        let asked: Vec<_> =
            environment.servers.iter().map(|it| scope.spawn(move || it.ask(limit))).collect();
        asked.into_iter().filter_map(|it| it.join().ok().flatten()).collect()
    })
}

/// The models of a judge behind HTTP, the newest first where the server says when they were made. The error is a sentence.
pub fn models(settings: &Settings, key: &Secret) -> Result<Vec<Model>, String> {
    settings.refusal().map_or(Ok(()), Err)?;
    let wire = wire::of(settings.kind).ok_or("a program lists no models")?;
    let url = format!("{}/models", settings.base_url.trim_end_matches('/'));
    let asked = http::get(&url, &wire.headers(key.value()), PATIENCE);
    let list = asked.map_err(|why| key.hide(&why))?;
    listed(&list).ok_or_else(|| format!("{url} lists no models"))
}

/// The models in a list of Ollama's or of OpenAI's kind; None where it is neither.
fn listed(list: &Value) -> Option<Vec<Model>> {
    if let Some(tags) = list.get("models").and_then(Value::as_array) {
        let name = |tag: &Value| tag.get("model").or(tag.get("name"))?.as_str().map(str::to_owned);
        let model = |id| Model { id, price: None };
        return Some(tags.iter().take(MOST_MODELS).filter_map(name).map(model).collect());
    }
    let data = list.get("data")?.as_array()?;
    let mut rows: Vec<(i64, Model)> = data.iter().take(MOST_MODELS).filter_map(row).collect();
    rows.sort_by_key(|(created, _)| -created); // stable: those of unknown age stay in the server's order
    Some(rows.into_iter().map(|(_, model)| model).collect())
}

fn row(of: &Value) -> Option<(i64, Model)> {
    let id = of.get("id")?.as_str().filter(|id| !id.trim().is_empty())?;
    let dollars = |name: &str| {
        let said = of.get("pricing")?.get(name)?;
        let number = said.as_f64().or_else(|| said.as_str()?.parse().ok())?;
        // OpenRouter writes -1 where the price depends on the model it chooses. Rounded, as 1e6 * 0.0000012 is not 1.2.
        (number.is_finite() && number >= 0.0).then(|| (number * 1e12).round() / 1e6)
    };
    let price = dollars("prompt").zip(dollars("completion")).map(|(sent, said)| [sent, said]);
    let created = of.get("created").and_then(Value::as_i64).unwrap_or_default();
    Some((created, Model { id: id.to_owned(), price }))
}

fn local(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// `OLLAMA_HOST` is a host, a port, or an address. A server that listens everywhere is asked here.
fn ollama_address(said: &str) -> String {
    let (scheme, rest) = match said.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None => ("http", said),
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

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.with_extension("exe").is_file() || path.is_file()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::of(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    fn named(found: &[Found]) -> Vec<&str> {
        found.iter().map(|it| it.settings.name.as_str()).collect()
    }

    #[test]
    fn a_judge_is_offered_for_each_key_and_for_no_empty_one() {
        let all = environment(&[
            ("OPENAI_API_KEY", "sk-secret-1"),
            ("ANTHROPIC_API_KEY", " "),
            ("GOOGLE_API_KEY", "sk-secret-2"),
            ("OPENROUTER_API_KEY", "sk-secret-3"),
        ]);
        let found = keys(&all);

        assert_eq!(named(&found), ["openai", "gemini", "openrouter"]);
        assert_eq!(found[1].settings.key_env.as_deref(), Some("GOOGLE_API_KEY"));
        assert!(!format!("{found:?}").contains("secret"));
        assert_eq!(keys(&Environment::default()), []);
    }

    #[test]
    fn a_variable_with_an_address_is_honoured() {
        let all = environment(&[
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/"),
            ("ANTHROPIC_API_KEY", "k"),
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:2"),
        ]);
        let reached: Vec<(Kind, String)> =
            keys(&all).into_iter().map(|it| (it.settings.kind, it.settings.base_url)).collect();

        let expected = [
            (Kind::Chat, "http://127.0.0.1:1/v1".to_owned()),
            (Kind::Messages, "http://127.0.0.1:2/v1".to_owned()),
        ];
        assert_eq!(reached, expected);
        for (said, address) in [
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":8", "http://127.0.0.1:8"),
            ("box:9", "http://box:9"),
            ("https://box/", "https://box:443"),
        ] {
            assert_eq!(ollama_address(said), address, "{said}");
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
        let found = programs(&environment(&[("PATH", path), ("CODEX_HOME", "/h")]));

        assert_eq!(named(&found), ["codex"]);
        assert_eq!(found[0].settings.pass, ["CODEX_HOME"]);
        assert_eq!(found[0].with_model("", &[]).command.len(), 7);
        let kept = found[0].to_keep("m-1", &[]).command.join(" ");
        let words = "codex exec --ephemeral --skip-git-repo-check -s read-only -m {model} -";
        assert_eq!(kept, words);
    }

    #[test]
    fn models_are_read_from_either_kind_of_list_with_their_prices() {
        let ids = |list: Value| {
            listed(&list).map(|it| it.into_iter().map(|it| it.id).collect::<Vec<_>>())
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
        let prices: Vec<_> = listed(&priced).unwrap().into_iter().map(|it| it.price).collect();
        assert_eq!(prices, [Some([1.2, 10.0]), None]);
    }
}
