//! Writes the list of the rules: each file of `rules/`, and its documents as JSON, which is read faster than YAML.

use std::{env, error::Error, fmt::Write, fs, path::Path};

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let mut names = vec![];
    for language in fs::read_dir("rules")? {
        let language = language?.path();
        if language.is_dir() {
            for file in fs::read_dir(language)? {
                let path = file?.path();
                if path.extension().is_some_and(|end| end == "yml" || end == "yaml") {
                    names.push(path);
                }
            }
        }
    }
    names.sort();
    let mut list = String::from("&[\n");
    for path in names {
        let name = path.strip_prefix("rules")?.to_str().ok_or("a name that is not text")?;
        let name = name.replace('\\', "/");
        let text = fs::read_to_string(&path)?;
        let documents: Vec<Value> = serde_saphyr::from_multiple(&text)?;
        let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
        writeln!(
            list,
            "RuleFile {{ name: {name:?}, text: {text:?}, documents: &{documents:?} }},"
        )?;
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), list)?;
    Ok(())
}
