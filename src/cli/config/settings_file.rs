//! The settings file as the screen reads it again and adds a judge to it. Existing text in the file is never changed.

use std::path::PathBuf;

use crate::runtime::JudgeSettings;
use trajview_judge::settings::JudgeConfig;
use trajview_store as store;

use super::{LoadedConfig, judges, load_settings};

/// The file that was named on the command line, or the usual one.
pub struct SettingsFile(pub Option<PathBuf>);

impl JudgeSettings for SettingsFile {
    fn read_judges(&self) -> Result<(Vec<JudgeConfig>, Vec<String>), String> {
        let loaded = load_settings(self.0.as_deref()).map_err(|why| why.sentence)?;
        let problems = loaded.problems.into_iter().filter(|problem| problem.contains("judges"));
        Ok((loaded.judges, problems.collect()))
    }

    fn add_judge(&self, judge: &JudgeConfig) -> Result<PathBuf, String> {
        let loaded = load_settings(self.0.as_deref()).map_err(|why| why.sentence)?;
        let path = loaded.file.clone().ok_or("no folder for a settings file")?;
        let cannot = |why: String| format!("cannot write {}: {why}", path.display());
        let before =
            store::settings_file::read_settings(&path).map_err(cannot)?.unwrap_or_default();
        let table = judge_table_to_append(&before, judge).map_err(cannot)?;
        store::settings_file::append_text(&path, &table).map_err(cannot)?;
        Ok(path)
    }
}

/// Returns the text to append to a settings file so that it has one judge more. The error is the reason why that is not
/// possible.
fn judge_table_to_append(before: &str, judge: &JudgeConfig) -> Result<String, String> {
    let read = |text: &str| LoadedConfig::from_text(text, None, vec![]).judges;
    let judges_before = read(before);
    if judges_before.iter().any(|it| it.name == judge.name) {
        return Err(format!("[judges.{}] already exists", judge.name));
    }
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{gap}{}", judge_table(judge));
    let after = read(&format!("{before}{text}"));
    let is_whole =
        after.split_last().is_some_and(|(last, rest)| last == judge && rest == judges_before);
    if is_whole { Ok(text) } else { Err("a table of judges cannot follow what it says".into()) }
}

/// Writes a judge as its table; fields with default values are left out.
fn judge_table(judge: &JudgeConfig) -> String {
    let usual = judges::judge_fields(&JudgeConfig::new(&judge.name, judge.kind));
    let fields = judges::judge_fields(judge).into_iter().zip(usual);
    let written_fields =
        fields.filter(|((field, value), (_, usual))| *field == "kind" || value != usual);
    let rows =
        written_fields.filter_map(|((field, value), _)| Some(format!("{field} = {}\n", value?)));
    format!("[judges.{}]\n{}", judge.name, rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_judge::settings::JudgeKind;

    fn judge() -> JudgeConfig {
        let mut judge = JudgeConfig::new("openai", JudgeKind::Responses);
        judge.model = "m-1".into();
        judge.base_url = "https://api.openai.com/v1".into();
        judge.key_env = Some("OPENAI_API_KEY".into());
        judge.cost.price_input = Some(1.25);
        judge.cost.price_output = Some(10.0);
        judge
    }

    #[test]
    fn a_judge_is_added_below_what_stands_and_reads_back() {
        let before = "# mine\ntheme = \"dark\"\n[judges.own]\nkind = \"chat\"\nmodel = \"m\"";
        insta::assert_snapshot!(format!("{before}{}", judge_table_to_append(before, &judge()).unwrap()), @r#"
        # mine
        theme = "dark"
        [judges.own]
        kind = "chat"
        model = "m"

        [judges.openai]
        kind = "responses"
        model = "m-1"
        base_url = "https://api.openai.com/v1"
        key_env = "OPENAI_API_KEY"
        price_input = 1.25
        price_output = 10.0
        "#);
        assert!(judge_table_to_append("", &judge()).unwrap().starts_with("[judges.openai]\n"));
    }

    #[test]
    fn a_judge_is_not_added_where_it_would_not_be_read() {
        let twice =
            judge_table_to_append("[judges.openai]\nkind = \"chat\"\nmodel = \"m\"\n", &judge());
        let inline = judge_table_to_append("judges = {}\n", &judge());

        assert_eq!(twice, Err("[judges.openai] already exists".into()));
        assert_eq!(inline, Err("a table of judges cannot follow what it says".into()));
    }

    #[test]
    fn a_settings_file_is_made_where_there_is_none_and_else_grows_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/config.toml");
        store::settings_file::append_text(&path, "a = 1\n").unwrap();
        store::settings_file::append_text(&path, "b = 2\n").unwrap();

        assert_eq!(store::settings_file::read_settings(&path), Ok(Some("a = 1\nb = 2\n".into())));
    }
}
