//! Rule files of the user.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use trajview_metrics::rules::RuleSet;

use super::file_bytes;

/// The most bytes of all rule files together.
const MOST_BYTES: u64 = 64 << 20;

/// The most folders inside each other that are searched.
const MOST_DEEP: usize = 16;

/// Returns the rules of a file, or of every `.yml` and `.yaml` below a folder; unusable ones are among its problems. Links
/// are not followed. The error is a sentence.
pub fn read_rules(path: &Path) -> Result<RuleSet, String> {
    let read_error = |path: &Path, why: std::io::Error| {
        format!("cannot read {}: {}", path.display(), file_bytes::error_reason(&why))
    };
    let meta = fs::metadata(path).map_err(|why| read_error(path, why))?;
    let mut paths = vec![];
    if meta.is_dir() {
        collect_rules(path, 0, &mut paths).map_err(|why| read_error(path, why))?;
        if paths.is_empty() {
            return Err(format!("no .yml or .yaml file below {}", path.display()));
        }
    } else {
        paths.push(path.to_owned());
    }
    paths.sort();
    let mut room = MOST_BYTES;
    let mut texts = vec![];
    for file in paths {
        let mut text = vec![];
        let opened = fs::File::open(&file).map_err(|why| read_error(&file, why))?;
        opened.take(room + 1).read_to_end(&mut text).map_err(|why| read_error(&file, why))?;
        room = room
            .checked_sub(text.len() as u64)
            .ok_or_else(|| format!("the rules of {} are too long", path.display()))?;
        let text = String::from_utf8(text)
            .map_err(|_| format!("cannot read {}: it is not UTF-8 text", file.display()))?;
        let name = file.strip_prefix(path).ok().filter(|name| !name.as_os_str().is_empty());
        texts.push((name.unwrap_or(&file).display().to_string(), text));
    }
    let texts: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(RuleSet::load(&path.display().to_string(), &texts))
}

fn collect_rules(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let is_rules = || path.extension().is_some_and(|end| end == "yml" || end == "yaml");
        if kind.is_dir() && depth < MOST_DEEP {
            collect_rules(&path, depth + 1, paths)?;
        } else if kind.is_file() && is_rules() {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_rule_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("python")).unwrap();
        for name in ["python/b.yml", "a.yaml", "notes.md"] {
            fs::write(folder.path().join(name), "id: 1: no rule").unwrap();
        }

        let rules = read_rules(folder.path()).unwrap();

        let files: Vec<_> = rules.problems().iter().map(|problem| problem.file.as_str()).collect();
        assert_eq!(files, ["a.yaml", "python/b.yml"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.yml");
        fs::write(&file, b"\xff").unwrap();

        assert!(read_rules(&file).unwrap_err().ends_with("it is not UTF-8 text"));
        assert!(
            read_rules(&folder.path().join("b.yml"))
                .unwrap_err()
                .ends_with("no such file or folder")
        );
        fs::remove_file(&file).unwrap();
        assert!(read_rules(folder.path()).unwrap_err().starts_with("no .yml or .yaml file below"));
    }
}
