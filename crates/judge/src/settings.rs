//! The settings of a judge: a server that speaks one of three protocols, or a command. Plain values; the command line
//! reads them from the settings file (`[judges.NAME]`).

use std::time::Duration;
use trajview_run::worded_enum::worded;

/// One judge. No key is ever kept here: only the name of the variable with it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeConfig {
    pub name: String,
    pub kind: JudgeKind,
    /// Empty where a command needs none.
    pub model: String,
    /// The address without the protocol's own last part, such as `/chat/completions`.
    pub base_url: String,
    /// The environment variable with the key; None where none is sent.
    pub key_env: Option<String>,
    /// Program and arguments of a command; `{model}` is filled in.
    pub command: Vec<String>,
    /// Variables of ours that a command gets too, beside the few that every program needs.
    pub pass: Vec<String>,
    /// True if a server on another machine may be reached without encryption.
    pub allows_http: bool,
    pub reply: ReplyOptions,
    /// Looks for one component.
    pub budget: u32,
    /// Components judged at the same time; at least 1.
    pub concurrency: usize,
    /// Attempts after the first one, where a fault may pass.
    pub retries: u32,
    /// The wait before the second attempt; it doubles from then on.
    pub backoff: Duration,
    pub timeouts: JudgeTimeouts,
    pub cost: JudgeCost,
}

/// The options of a reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplyOptions {
    /// True if replies are streamed.
    pub stream: bool,
    /// The temperature; None sends none.
    pub temperature: Option<f64>,
    /// Longest reply (tokens).
    pub max_tokens: u32,
}

/// The time limit of each part of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeTimeouts {
    pub connect: Duration,
    /// The time until the reply begins.
    pub first_byte: Duration,
    /// The time until the reply is complete, from the start.
    pub whole: Duration,
}

/// US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JudgeCost {
    /// US dollars for a million tokens sent.
    pub price_input: Option<f64>,
    /// US dollars for a million tokens of replies.
    pub price_output: Option<f64>,
    /// The bound: no request is sent that could bring the sum above it.
    pub most: Option<f64>,
}

worded! {
    /// The protocol of a judge.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JudgeKind {
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

impl JudgeKind {
    /// Returns the kind in a judgement file: `http` or `command`.
    pub(crate) const fn document_kind(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses | Self::Messages => "http",
            Self::Command => "command",
        }
    }

    /// Returns the default address of a server of this kind, and the default variable of its key.
    const fn default_server(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Chat | Self::Responses => Some(("https://api.openai.com/v1", "OPENAI_API_KEY")),
            Self::Messages => Some(("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")),
            Self::Command => None,
        }
    }
}

impl JudgeConfig {
    /// Makes a judge of this kind with everything else as usual.
    pub fn new(name: &str, kind: JudgeKind) -> Self {
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
            timeouts: JudgeTimeouts {
                connect: Duration::from_secs(10),
                first_byte: Duration::from_secs(120),
                whole: Duration::from_secs(300),
            },
            cost: JudgeCost::default(),
        }
    }

    /// Fills in the defaults: a judge that names no server is its maker's, with the usual key.
    pub fn with_defaults(mut self) -> Self {
        if let Some((url, key)) = self.kind.default_server()
            && self.base_url.is_empty()
        {
            self.base_url = url.to_owned();
            self.key_env = self.key_env.or_else(|| Some(key.to_owned()));
        }
        self
    }

    /// Returns the reason why this judge cannot be used; a sentence without its name.
    pub fn config_problem(&self) -> Option<String> {
        let is_command = self.kind == JudgeKind::Command;
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

    /// Returns the reason why nothing is sent to an unencrypted address; a sentence without the judge's name.
    pub fn encryption_problem(&self) -> Option<String> {
        let is_command = self.kind == JudgeKind::Command;
        let is_refused = !is_command && !self.allows_http && is_open_to_others(&self.base_url);
        is_refused.then(|| {
            "is reached over http on another machine, where key and code can be read on the way: use https, or allow it \
             with --allow-http or allow_http = true"
                .into()
        })
    }

    /// Returns the place of a judge in one line: `http://127.0.0.1:8080`, or the program.
    pub fn program_or_address(&self) -> &str {
        match self.kind {
            JudgeKind::Command => self.command.first().map_or("", String::as_str),
            _ => &self.base_url,
        }
    }
}

/// Returns whether requests to an address leave this machine unencrypted.
fn is_open_to_others(url: &str) -> bool {
    url.to_ascii_lowercase().starts_with("http://") && !is_on_this_machine(url)
}

/// Returns whether an address is this machine's own.
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
            let mut judge = JudgeConfig::new("j", JudgeKind::Chat);
            (judge.model, judge.base_url) = ("m".into(), url.into());
            assert_eq!(judge.encryption_problem().is_some(), is_refused, "{url}");
            judge.allows_http = true;
            assert_eq!(judge.encryption_problem(), None, "{url}");
        }
    }
}
