//! The options that say what is taken out of an export, and the list of what is.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::LazyLock,
};

use clap::ValueEnum;
use serde::Serialize;

use trajview_code::redact::{Finding, Kind, Options, Redactor, TokenKey, TokenKeys};
use trajview_run::{Run, Step};
use trajview_store as store;

use super::{
    Failure,
    output::{Column, Out, Table, tell},
};

/// The options of a command that writes something for others.
#[derive(Debug, Clone, clap::Args)]
pub struct Redacting {
    /// Whether keys, passwords, e-mail addresses, home folders and the names given are taken out; `list` prints what would
    /// be, with its place and what stands around it, and writes nothing
    #[arg(long, value_enum, default_value_t = Redact::On)]
    redact: Redact,
    /// A word to take out as well, such as the name of a person; may be said several times
    #[arg(long, value_name = "WORD")]
    redact_name: Vec<String>,
    /// Print the list of --redact list as JSON (schema trajview.redactions/1)
    #[arg(long)]
    json: bool,
    /// What the tokens in identities are made with; None where identities are as every text.
    #[arg(skip)]
    keys: Option<TokenKeys>,
}

/// The key of the tokens that stand in paths and ids of runs.
#[derive(Debug, Clone, clap::Args)]
pub struct Tokens {
    /// A file with a key of your own. What is taken out of paths and ids of runs and tasks becomes a token that is made with the
    /// key: the same value has the same token in all exports with it, and nobody without it can try a guess. Shards need the same
    /// key. Else the file that $TRAJVIEW_REDACTION_KEY names, else one that is made once beside your settings
    #[arg(long, value_name = "FILE")]
    redaction_key: Option<PathBuf>,
}

impl Tokens {
    /// The key that was named, else the user's own. Where none can be kept it is made of the names that all shards of the export know.
    ///
    /// # Errors
    ///
    /// Where a key was named and cannot be read.
    pub fn keys(
        &self,
        names: impl Fn() -> Vec<String> + Send + Sync + 'static,
    ) -> Result<TokenKeys, Failure> {
        let variable = std::env::var_os("TRAJVIEW_REDACTION_KEY").filter(|it| !it.is_empty());
        if let Some(file) = self.redaction_key.clone().or(variable.map(PathBuf::from)) {
            let secret = store::redaction_key::read(&file).map_err(Failure::unread)?;
            let key = TokenKey::of(&secret);
            return Ok(TokenKeys::new(move || key.clone()));
        }
        let own = LazyLock::new(move || match store::redaction_key::own() {
            Ok(secret) => TokenKey::of(&secret),
            Err(why) => {
                tell(&format!(
                    "{why}; the tokens of this export are made of the names of its runs and are others in an export of other \
                     runs: name a key with --redaction-key FILE"
                ));
                TokenKey::of(names().join("\n").as_bytes())
            }
        });
        Ok(TokenKeys::new(move || own.clone()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Redact {
    /// Take them out
    On,
    /// Write everything as it is
    Off,
    /// Print what would be taken out
    List,
}

#[derive(Serialize)]
struct Redactions<'a> {
    schema: &'static str,
    findings: &'a [Finding],
}

impl Redacting {
    /// For texts of these runs. What only looks random and is known to be none is left in: their commits, and the ids of
    /// calls.
    pub fn redactor<'r>(&self, runs: impl IntoIterator<Item = &'r Run>) -> Redactor {
        if self.redact == Redact::Off {
            return Redactor::off();
        }
        let own = runs.into_iter().flat_map(own_words).chain(sources_of_prices());
        let own: BTreeSet<String> = own.collect();
        let names = self.redact_name.clone();
        let keys = self.keys.clone();
        Redactor::of(&Options { names, own_words: own.into_iter().collect(), keys })
    }

    /// The same, where identities get tokens.
    pub fn with_tokens(&self, keys: TokenKeys) -> Self {
        Self { keys: Some(keys), ..self.clone() }
    }

    /// Whether everything is written as it is.
    pub const fn is_off(&self) -> bool {
        matches!(self.redact, Redact::Off)
    }

    pub const fn is_list(&self) -> bool {
        matches!(self.redact, Redact::List)
    }

    /// Whether `--json` stands without what it is for.
    pub fn check(&self) -> Result<(), Failure> {
        match self.json && !self.is_list() {
            true => Err(Failure::wrong("--json goes with --redact list")),
            false => Ok(()),
        }
    }

    /// Whether `--json` was said.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Nothing is taken out: for what does not leave this machine.
    pub const fn off() -> Self {
        Self { redact: Redact::Off, redact_name: vec![], json: false, keys: None }
    }

    /// Prints what was found.
    pub fn list(&self, findings: &[Finding], out: &mut Out) -> std::io::Result<()> {
        if self.json {
            let schema = "trajview.redactions/1";
            return out.json(&Redactions { schema, findings });
        }
        if findings.is_empty() {
            return out.line("nothing to take out was found");
        }
        let columns: [Column<'_, Finding>; 5] = [
            ("place", &|it| it.place.clone()),
            ("kind", &|it| it.kind.into()),
            (">#", &|it| it.number.to_string()),
            (">times", &|it| it.times.to_string()),
            ("context", &|it| it.context.clone()),
        ];
        Table::of(&columns, findings).write(false, out)
    }

    /// Says on standard error how much was taken out.
    pub fn tell(&self, counts: &BTreeMap<Kind, usize>) {
        if self.redact == Redact::Off {
            tell(
                "nothing was taken out (--redact off): keys and names in the recording are in the file",
            );
            return;
        }
        if !counts.is_empty() {
            let words = counts.iter().map(|(kind, count)| format!("{count} {}", kind.word()));
            let words = words.collect::<Vec<_>>().join(", ");
            tell(&format!("taken out: {words}; --redact list shows each with its place"));
        }
    }
}

/// Words of a run that look random and are no secrets.
fn own_words(run: &Run) -> Vec<String> {
    let turns = run.turns.iter();
    let steps = turns.clone().flat_map(|turn| &turn.steps);
    let steps = steps.chain(run.subagents.iter().flat_map(|agent| &agent.steps));
    let commits = turns.filter_map(|turn| turn.commit.as_deref().map(str::to_owned));
    commits.chain(steps.filter_map(call_id)).chain(run.origin.start_commit.clone()).collect()
}

/// Commits of the repositories that prices were read in.
fn sources_of_prices() -> Vec<String> {
    let held = store::prices::held();
    let sources = held.prices.rows().iter().filter_map(|row| row.source.as_deref());
    let words = sources.flat_map(str::split_whitespace);
    words.filter(|word| word.len() == 40).map(str::to_owned).collect()
}

/// The id of a call as services make them.
fn call_id(step: &Step) -> Option<String> {
    const BEGINNINGS: [&str; 6] = ["call_", "call-", "toolu_", "fc_", "tool_", "exec-"];
    let id = step.tool.as_ref()?.call_id.to_string();
    BEGINNINGS.iter().any(|beginning| id.starts_with(beginning)).then_some(id)
}
