//! The kinds of secrets in a text, and the patterns that find them. Every rule uses this module and none of the others.

use std::ops::Range;

use regex::Regex;

/// The kind of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    AwsKey,
    GithubToken,
    ApiKey,
    SlackToken,
    GoogleKey,
    ServiceToken,
    WebToken,
    PrivateKey,
    Header,
    Password,
    Secret,
    UrlLogin,
    RandomWord,
    Email,
    HomeFolder,
    Name,
    /// A text that could not be checked to its end.
    Unchecked,
}

impl SecretKind {
    pub const ALL: [Self; 17] = [
        Self::AwsKey,
        Self::GithubToken,
        Self::ApiKey,
        Self::SlackToken,
        Self::GoogleKey,
        Self::ServiceToken,
        Self::WebToken,
        Self::PrivateKey,
        Self::Header,
        Self::Password,
        Self::Secret,
        Self::UrlLogin,
        Self::RandomWord,
        Self::Email,
        Self::HomeFolder,
        Self::Name,
        Self::Unchecked,
    ];

    /// Returns the kind as a replacement and the list name it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AwsKey => "AWS key",
            Self::GithubToken => "GitHub token",
            Self::ApiKey => "API key",
            Self::SlackToken => "Slack token",
            Self::GoogleKey => "Google key",
            Self::ServiceToken => "service token",
            Self::WebToken => "JWT",
            Self::PrivateKey => "private key",
            Self::Header => "header",
            Self::Password => "password",
            Self::Secret => "secret",
            Self::UrlLogin => "URL login",
            Self::RandomWord => "random word",
            Self::Email => "e-mail",
            Self::HomeFolder => "home folder",
            Self::Name => "name",
            Self::Unchecked => "not checked",
        }
    }
}

/// Part of a text, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    pub range: Range<usize>,
    pub kind: SecretKind,
}

/// Returns a pattern of ours, ready. The border of a word is that of ASCII letters: with all letters of the world a text that has some is looked
/// through many times as slowly.
pub fn compile_pattern(pattern: &str) -> Regex {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("what is written here is a pattern")
}
