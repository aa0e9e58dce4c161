//! The files of this folder as texts that are compiled in: prompts, rules, prices, templates; and the font of figures.
//!
//! They are a crate because a published crate has what lies in its own folder and nothing else.

pub const CHECKLIST_TEMPLATE: &str = include_str!("templates/checklist.json");
pub const CODEBOOK_PROMPT: &str = include_str!("judge/codebook.md");
pub const COMMAND_PROTOCOL: &str = include_str!("judge/command.md");
pub const COMPONENTS_PROMPT: &str = include_str!("judge/slump-5.md");
/// The prompt for components in other words, which mean the same: `judge/rewordings/slump-5-N.md` at N - 1. Their levels and the form of
/// the answer are those of [`COMPONENTS_PROMPT`].
pub const COMPONENTS_REWORDINGS: [&str; 4] = [
    include_str!("judge/rewordings/slump-5-1.md"),
    include_str!("judge/rewordings/slump-5-2.md"),
    include_str!("judge/rewordings/slump-5-3.md"),
    include_str!("judge/rewordings/slump-5-4.md"),
];
/// The part of a prompt that requests a confidence.
pub const CONFIDENCE_PROMPT: &str = include_str!("judge/confidence.md");
pub const DECISIONS_PROMPT: &str = include_str!("judge/decisions.md");
pub const EARLIER_CODEBOOK_PROMPT: &str = include_str!("judge/earlier/codebook.md");
pub const EARLIER_COMPONENTS_PROMPT: &str = include_str!("judge/earlier/slump-5.md");
pub const EARLIER_DECISIONS_PROMPT: &str = include_str!("judge/earlier/decisions.md");
/// Liberation Sans, the font of figures, under the SIL Open Font License of `fonts/OFL.txt`.
pub const FIGURE_FONT: &[u8] = include_bytes!("fonts/LiberationSans-Regular.ttf");
pub const FLAGS_PROMPT: &str = include_str!("judge/flags.md");
pub const FLAG_CRITERIA: &str = include_str!("judge/flags.json");
pub const JUDGEMENT_TEMPLATE: &str = include_str!("templates/judgement.json");
pub const PRICES: &str = include_str!("prices.json");
pub const PROCESS_PROMPT: &str = include_str!("judge/process.md");
pub const REPORT_SCRIPT: &str = include_str!("report/script.js");
pub const REPORT_STYLE: &str = include_str!("report/style.css");
pub const SEED_WORDS: &str = include_str!("words/bip39-english.txt");
pub const SKILL: &str = include_str!("skill.md");
pub const STUDY_TEMPLATE: &str = include_str!("templates/study.toml");

/// A file of rules.
#[derive(Debug)]
pub struct RuleFile {
    /// Its path in `rules/`, such as `python/loops.yml`.
    pub name: &'static str,
    /// The YAML.
    pub text: &'static str,
    /// The documents of the text as JSON, in their order.
    pub documents: &'static [&'static str],
}

/// The files of `rules/`, by name; `build.rs` writes the list.
pub static RULES: &[RuleFile] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));
