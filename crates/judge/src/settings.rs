//! What a judge is: a server that speaks one of three protocols, or a command. Plain values; the command line reads them
//! from the settings file (`[judges.NAME]`).

use std::time::Duration;
use trajview_run::values::worded;

/// One judge. No key is ever kept here: only the name of the variable that holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub name: String,
    pub kind: Kind,
    /// Empty where a command needs none.
    pub model: String,
    /// Without the protocol's own last part, such as `/chat/completions`.
    pub base_url: String,
    /// The environment variable that holds the key; None where none is sent.
    pub key_env: Option<String>,
    /// Program and arguments of a command; `{model}` is filled in.
    pub command: Vec<String>,
    /// Variables of ours that a command gets too, beside the few that every program needs.
    pub pass: Vec<String>,
    /// Whether a server on another machine may be reached without encryption.
    pub allows_http: bool,
    pub reply: ReplyOptions,
    /// Looks for one component.
    pub budget: u32,
    /// Components judged at the same time; at least 1.
    pub concurrency: usize,
    /// Attempts after the first one, where a fault may pass.
    pub retries: u32,
    /// Before the second attempt; it doubles from then on.
    pub backoff: Duration,
    pub timeouts: Timeouts,
    pub cost: Cost,
}

/// How a reply is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplyOptions {
    /// Whether replies are asked for piece by piece.
    pub stream: bool,
    /// Not sent where nobody said.
    pub temperature: Option<f64>,
    /// Longest reply (tokens).
    pub max_tokens: u32,
}

/// How long is waited for each part of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// Until the reply begins.
    pub first_byte: Duration,
    /// Until the reply is complete, from the start.
    pub whole: Duration,
}

/// US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// For a million tokens sent.
    pub price_input: Option<f64>,
    /// For a million tokens of replies.
    pub price_output: Option<f64>,
    /// Nothing is asked that could bring the sum above this.
    pub most: Option<f64>,
}

worded! {
    /// How a judge is reached.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// OpenAI's chat completions, and whatever speaks like it.
        Chat = "chat",
        /// OpenAI's responses.
        Responses = "responses",
        /// Anthropic's messages.
        Messages = "messages",
        /// A program that reads the conversation and prints its answer.
        Command = "command",
    }
}

impl Kind {
    /// What a judgement file says: `http` or `command`.
    pub const fn recorded(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses | Self::Messages => "http",
            Self::Command => "command",
        }
    }

    /// Where a server of this kind is, and which variable holds its key, unless something else is said.
    const fn usual(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Chat | Self::Responses => Some(("https://api.openai.com/v1", "OPENAI_API_KEY")),
            Self::Messages => Some(("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")),
            Self::Command => None,
        }
    }
}

impl Settings {
    /// A judge of this kind with everything else as usual.
    pub fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            model: String::new(),
            base_url: String::new(),
            key_env: None,
            command: vec![],
            pass: vec![],
            allows_http: false,
            reply: ReplyOptions { stream: true, temperature: None, max_tokens: 4_096 },
            budget: 8,
            concurrency: 4,
            retries: 3,
            backoff: Duration::from_secs(1),
            timeouts: Timeouts {
                connect: Duration::from_secs(10),
                first_byte: Duration::from_secs(120),
                whole: Duration::from_secs(300),
            },
            cost: Cost::default(),
        }
    }

    /// Fills in what goes without saying: a judge that names no server is its maker's, with the usual key.
    pub fn complete(mut self) -> Self {
        if let Some((url, key)) = self.kind.usual()
            && self.base_url.is_empty()
        {
            self.base_url = url.to_owned();
            self.key_env = self.key_env.or_else(|| Some(key.to_owned()));
        }
        self
    }

    /// Why this judge cannot be asked; a sentence without its name.
    pub fn problem(&self) -> Option<String> {
        let is_command = self.kind == Kind::Command;
        if is_command && self.command.is_empty() {
            return Some("has no command; expected one such as [\"claude\", \"-p\"]".into());
        }
        if !is_command && self.model.is_empty() {
            return Some("has no model".into());
        }
        let priced = self.cost.price_input.is_some() && self.cost.price_output.is_some();
        if self.cost.most.is_some() && !priced {
            return Some("max_cost_usd needs price_input and price_output".into());
        }
        None
    }

    /// Why nothing is sent to it as it is; a sentence without its name.
    pub fn refusal(&self) -> Option<String> {
        let is_command = self.kind == Kind::Command;
        let is_refused = !is_command && !self.allows_http && is_open_to_others(&self.base_url);
        is_refused.then(|| {
            "is reached over http on another machine, where key and code can be read on the way: use https, or allow it \
             with --allow-http or allow_http = true"
                .into()
        })
    }

    /// What a judging costs and where it goes, said in one line: `http://127.0.0.1:8080`, or the program.
    pub fn place(&self) -> &str {
        match self.kind {
            Kind::Command => self.command.first().map_or("", String::as_str),
            _ => &self.base_url,
        }
    }
}

/// Whether what is sent to an address leaves this machine unencrypted.
fn is_open_to_others(url: &str) -> bool {
    url.to_ascii_lowercase().starts_with("http://") && !is_on_this_machine(url)
}

/// Whether an address is this machine's own.
pub fn is_on_this_machine(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = place.rsplit('@').next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_this_machine_unencrypted_is_refused_unless_it_is_allowed() {
        for (url, is_refused) in [
            ("http://127.0.0.1:8080/v1", false),
            ("http://localhost/v1", false),
            ("http://[::1]:80/v1", false),
            ("https://example.com/v1", false),
            ("http://example.com/v1", true),
            ("HTTP://192.168.1.7:8080/v1", true),
            ("http://127.0.0.1.example.com/v1", true),
            ("http://localhost@example.com/v1", true),
            ("http://0.0.0.0/v1", true),
        ] {
            let mut judge = Settings::new("j", Kind::Chat);
            (judge.model, judge.base_url) = ("m".into(), url.into());
            assert_eq!(judge.refusal().is_some(), is_refused, "{url}");
            judge.allows_http = true;
            assert_eq!(judge.refusal(), None, "{url}");
        }
    }
}
