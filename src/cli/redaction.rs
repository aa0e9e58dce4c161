//! The options of redaction in an export, and the list of the findings.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::LazyLock,
};

use clap::ValueEnum;
use serde::Serialize;

use trajview_code::redact::{
    RedactFinding, RedactOptions, Redactor, SecretKind, TokenKey, TokenKeys,
};
use trajview_run::{Run, Step};
use trajview_store as store;

use super::{
    CommandFailure,
    output::{Out, OutputTable, TableColumn, print_note},
};

/// The options of a command that writes something for others.
#[derive(Debug, Clone, clap::Args)]
pub struct RedactingArgs {
    /// Redact keys, passwords, e-mail addresses, home folders and names; `list` prints what would be redacted, with
    /// place and context, and writes nothing
    #[arg(long, value_enum, default_value_t = RedactMode::On)]
    redact: RedactMode,
    /// An additional word to redact, such as the name of a person; can be given several times
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
pub struct TokenKeyArgs {
    /// A file with your own key. Secrets in paths and ids of runs and tasks become tokens made with the key: the same
    /// value has the same token in all exports with this key, and nobody without the key can test a guess. Shards need
    /// the same key. Default: the file that $TRAJVIEW_REDACTION_KEY names, else one that is created once beside your
    /// settings
    #[arg(long, value_name = "FILE")]
    redaction_key: Option<PathBuf>,
}

impl TokenKeyArgs {
    /// Returns the named key, else the user's own. Where none can be stored, a key is made from the names that all
    /// shards of the export know.
    ///
    /// # Errors
    ///
    /// If a named key cannot be read.
    pub(crate) fn token_keys(
        &self,
        names: impl Fn() -> Vec<String> + Send + Sync + 'static,
    ) -> Result<TokenKeys, CommandFailure> {
        let variable = std::env::var_os("TRAJVIEW_REDACTION_KEY").filter(|it| !it.is_empty());
        if let Some(file) = self.redaction_key.clone().or(variable.map(PathBuf::from)) {
            let secret =
                store::redaction_key::read_key(&file).map_err(CommandFailure::cannot_read)?;
            let key = TokenKey::from_secret(&secret);
            return Ok(TokenKeys::new(move || key.clone()));
        }
        let user_key = LazyLock::new(move || match store::redaction_key::user_key() {
            Ok(secret) => TokenKey::from_secret(&secret),
            Err(why) => {
                print_note(&format!(
                    "{why}; the tokens of this export are derived from the names of its runs and differ in an export of other \
                     runs: name a key with --redaction-key FILE"
                ));
                TokenKey::from_secret(names().join("\n").as_bytes())
            }
        });
        Ok(TokenKeys::new(move || user_key.clone()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RedactMode {
    /// Redact
    On,
    /// Write everything unchanged
    Off,
    /// Print what would be redacted
    List,
}

#[derive(Serialize)]
struct RedactionsDocument<'a> {
    schema: &'static str,
    findings: &'a [RedactFinding],
}

impl RedactingArgs {
    /// Makes a redactor for texts of these runs. Known words that only look random are left in: commits, and the ids of
    /// calls.
    pub(crate) fn redactor_for_runs<'r>(
        &self,
        runs: impl IntoIterator<Item = &'r Run>,
    ) -> Redactor {
        if self.redact == RedactMode::Off {
            return Redactor::disabled();
        }
        let known_words =
            runs.into_iter().flat_map(random_looking_words).chain(price_source_commits());
        let known_words: BTreeSet<String> = known_words.collect();
        let names = self.redact_name.clone();
        let keys = self.keys.clone();
        Redactor::new(&RedactOptions { names, own_words: known_words.into_iter().collect(), keys })
    }

    /// Returns the redaction with tokens in the place of identities.
    pub fn with_tokens(&self, keys: TokenKeys) -> Self {
        Self { keys: Some(keys), ..self.clone() }
    }

    /// Returns whether everything is written unchanged.
    pub const fn is_off(&self) -> bool {
        matches!(self.redact, RedactMode::Off)
    }

    pub const fn is_list(&self) -> bool {
        matches!(self.redact, RedactMode::List)
    }

    /// Fails where `--json` is given without `--redact list`.
    pub(crate) fn check_json(&self) -> Result<(), CommandFailure> {
        match self.json && !self.is_list() {
            true => Err(CommandFailure::wrong_arguments("--json needs --redact list")),
            false => Ok(()),
        }
    }

    /// Returns whether `--json` was given.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Makes options that take out what [`RedactMode::On`] does, and these words.
    pub const fn with_words(words: Vec<String>) -> Self {
        Self { redact: RedactMode::On, redact_name: words, json: false, keys: None }
    }

    /// Makes options that take nothing out, for output that does not leave this machine.
    pub const fn off() -> Self {
        Self { redact: RedactMode::Off, redact_name: vec![], json: false, keys: None }
    }

    /// Prints what was found.
    pub(crate) fn print_findings(
        &self,
        findings: &[RedactFinding],
        out: &mut Out,
    ) -> std::io::Result<()> {
        if self.json {
            let schema = "trajview.redactions/1";
            return out.print_json(&RedactionsDocument { schema, findings });
        }
        if findings.is_empty() {
            return out.print_line("found nothing to redact");
        }
        let columns: [TableColumn<'_, RedactFinding>; 5] = [
            ("place", &|it| it.place.clone()),
            ("kind", &|it| it.kind.into()),
            (">#", &|it| it.number.to_string()),
            (">times", &|it| it.times.to_string()),
            ("context", &|it| it.context.clone()),
        ];
        OutputTable::from_rows(&columns, findings).write_table(false, out)
    }

    /// Prints on standard error how much was taken out.
    pub(crate) fn print_counts(&self, counts: &BTreeMap<SecretKind, usize>) {
        if self.redact == RedactMode::Off {
            print_note(
                "nothing was redacted (--redact off): the file contains the keys and names of the recording",
            );
            return;
        }
        if !counts.is_empty() {
            let words = counts.iter().map(|(kind, count)| format!("{count} {}", kind.word()));
            let words = words.collect::<Vec<_>>().join(", ");
            print_note(&format!("redacted: {words}; --redact list shows each with its place"));
        }
    }
}

/// Returns the words of a run that look random and are no secrets.
fn random_looking_words(run: &Run) -> Vec<String> {
    let turns = run.turns.iter();
    let steps = turns.clone().flat_map(|turn| &turn.steps);
    let steps = steps.chain(run.subagents.iter().flat_map(|agent| &agent.steps));
    let commits = turns.filter_map(|turn| turn.commit.as_deref().map(str::to_owned));
    commits.chain(steps.filter_map(call_id)).chain(run.origin.start_commit.clone()).collect()
}

/// Returns the commits of the repositories that prices were read in.
fn price_source_commits() -> Vec<String> {
    let current = store::prices::current_prices();
    let sources = current.prices.rows().iter().filter_map(|row| row.source.as_deref());
    let words = sources.flat_map(str::split_whitespace);
    words.filter(|word| word.len() == 40).map(str::to_owned).collect()
}

/// Returns the id of a call as services make them.
fn call_id(step: &Step) -> Option<String> {
    const BEGINNINGS: [&str; 6] = ["call_", "call-", "toolu_", "fc_", "tool_", "exec-"];
    let id = step.tool.as_ref()?.call_id.to_string();
    BEGINNINGS.iter().any(|beginning| id.starts_with(beginning)).then_some(id)
}
