//! The settings file as the screen reads it again and adds a judge to it. What stands there is never changed.

use std::path::PathBuf;

use crate::runtime::JudgeSettings;
use trajview_judge::settings::Settings;
use trajview_store as store;

use super::{Loaded, judges, load};

/// The file that was named on the command line, or the usual one.
pub struct File(pub Option<PathBuf>);

impl JudgeSettings for File {
    fn read(&self) -> Result<(Vec<Settings>, Vec<String>), String> {
        let loaded = load(self.0.as_deref()).map_err(|why| why.sentence)?;
        let problems = loaded.problems.into_iter().filter(|problem| problem.contains("judges"));
        Ok((loaded.judges, problems.collect()))
    }

    fn keep(&self, judge: &Settings) -> Result<PathBuf, String> {
        let loaded = load(self.0.as_deref()).map_err(|why| why.sentence)?;
        let path = loaded.file.clone().ok_or("there is no place for a settings file")?;
        let cannot = |why: String| format!("cannot write {}: {why}", path.display());
        let before = store::config::read(&path).map_err(cannot)?.unwrap_or_default();
        let table = added(&before, judge).map_err(cannot)?;
        store::config::append(&path, &table).map_err(cannot)?;
        Ok(path)
    }
}

/// What is to follow a text so that it has one judge more. The error says why nothing can.
fn added(before: &str, judge: &Settings) -> Result<String, String> {
    let read = |text: &str| Loaded::of(text, None, vec![]).judges;
    let known = read(before);
    if known.iter().any(|it| it.name == judge.name) {
        return Err(format!("[judges.{}] is there already", judge.name));
    }
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{gap}{}", table(judge));
    let after = read(&format!("{before}{text}"));
    let is_whole = after.split_last().is_some_and(|(last, rest)| last == judge && rest == known);
    if is_whole { Ok(text) } else { Err("a table of judges cannot follow what it says".into()) }
}

/// A judge as its table: what is as usual goes without saying.
fn table(judge: &Settings) -> String {
    let usual = judges::said(&Settings::new(&judge.name, judge.kind));
    let said = judges::said(judge).into_iter().zip(usual);
    let said = said.filter(|((field, value), (_, usual))| *field == "kind" || value != usual);
    let rows = said.filter_map(|((field, value), _)| Some(format!("{field} = {}\n", value?)));
    format!("[judges.{}]\n{}", judge.name, rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_judge::settings::Kind;

    fn judge() -> Settings {
        let mut judge = Settings::new("openai", Kind::Responses);
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
        insta::assert_snapshot!(format!("{before}{}", added(before, &judge()).unwrap()), @r#"
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
        assert!(added("", &judge()).unwrap().starts_with("[judges.openai]\n"));
    }

    #[test]
    fn a_judge_is_not_added_where_it_would_not_be_read() {
        let twice = added("[judges.openai]\nkind = \"chat\"\nmodel = \"m\"\n", &judge());
        let inline = added("judges = {}\n", &judge());

        assert_eq!(twice, Err("[judges.openai] is there already".into()));
        assert_eq!(inline, Err("a table of judges cannot follow what it says".into()));
    }

    #[test]
    fn a_settings_file_is_made_where_there_is_none_and_else_grows_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/config.toml");
        store::config::append(&path, "a = 1\n").unwrap();
        store::config::append(&path, "b = 2\n").unwrap();

        assert_eq!(store::config::read(&path), Ok(Some("a = 1\nb = 2\n".into())));
    }
}
