//! Diffs of many files, as `git diff` and `diff -u` print them: which files, what became of each, and their hunks.
//!
//! A file without a hunk is listed too: an empty one, one that only moved or only changed its mode, and one that is no
//! text. Names are read as git writes them: quoted like strings of C with octal bytes where they contain something
//! unusual, with a tab after them where they contain a blank, and with a letter before them for each side.

use super::{LinesLeft, PatchHunk, parse_unified};

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffFile {
    pub path: String,
    pub change: DiffChange,
    /// The hunks; None where the file is no text.
    pub hunks: Option<Vec<PatchHunk>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffChange {
    Create,
    /// A change of the lines, of the mode, or of both.
    Modify,
    Delete,
    Rename {
        from: String,
    },
    /// The file that it was copied from stays.
    Copy {
        from: String,
    },
}

/// Returns the files of a diff, in order.
pub fn files_of_diff(diff: &str) -> Vec<DiffFile> {
    file_sections(diff).into_iter().filter_map(parse_file).collect()
}

/// Returns the pieces of a diff that are about one file each.
fn file_sections(diff: &str) -> Vec<&str> {
    let mut starts = vec![];
    let mut lines_left: Option<LinesLeft> = None;
    let mut is_git = false;
    let mut at = 0;
    let mut lines = diff.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        if lines_left
            .as_mut()
            .is_some_and(|lines_left| lines_left.take_line(without_end(line), None))
        {
            continue;
        }
        lines_left = LinesLeft::from_header(line);
        let mut next_names = || lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if line.starts_with("diff --git ") {
            is_git = true;
            starts.push(start);
        } else if line.starts_with("--- ") && !is_git && next_names() {
            starts.push(start);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts.iter().zip(ends).map(|(start, end)| &diff[*start..end]).collect()
}

fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

/// The lines before the hunks of a file.
#[derive(Default)]
struct DiffFileHead {
    /// The two names of the first line, with the letters before them.
    first_line_names: Option<(String, String)>,
    old: Option<String>,
    new: Option<String>,
    from: Option<String>,
    to: Option<String>,
    is_copy: bool,
    is_new: bool,
    is_deleted: bool,
    is_binary: bool,
}

impl DiffFileHead {
    fn parse(section: &str) -> Self {
        let mut head = Self::default();
        for line in section.lines().take_while(|line| !line.starts_with("@@")) {
            if let Some(names) = line.strip_prefix("diff --git ") {
                head.first_line_names = both_names(names.trim_end_matches('\r'));
            } else if let Some(name) = line.strip_prefix("--- ") {
                head.old = Some(parse_name(name));
            } else if let Some(name) = line.strip_prefix("+++ ") {
                head.new = Some(parse_name(name));
            } else if let Some(name) = line.strip_prefix("rename from ") {
                head.from = Some(parse_name(name));
            } else if let Some(name) = line.strip_prefix("rename to ") {
                head.to = Some(parse_name(name));
            } else if let Some(name) = line.strip_prefix("copy from ") {
                head.from = Some(parse_name(name));
                head.is_copy = true;
            } else if let Some(name) = line.strip_prefix("copy to ") {
                head.to = Some(parse_name(name));
            } else if line.starts_with("new file mode ") {
                head.is_new = true;
            } else if line.starts_with("deleted file mode ") {
                head.is_deleted = true;
            } else if line.starts_with("GIT binary patch")
                || line.starts_with("Binary files ") && line.trim_end().ends_with(" differ")
            {
                head.is_binary = true;
                break; // what follows is data
            }
        }
        head
    }

    /// Returns the two names without the letters before them; None on the side where there is no file.
    fn side_names(&self) -> (Option<String>, Option<String>) {
        let is_nothing = |name: &&String| *name == "/dev/null";
        let named = self.first_line_names.as_ref();
        let old = self.old.as_ref().or(named.map(|it| &it.0)).filter(|it| !is_nothing(it));
        let new = self.new.as_ref().or(named.map(|it| &it.1)).filter(|it| !is_nothing(it));
        let has_letters = match named {
            Some((old, new)) => is_pair(old, new),
            None => match (old, new) {
                (Some(old), Some(new)) => is_pair(old, new),
                (Some(name), None) => name.starts_with("a/"),
                (None, Some(name)) => name.starts_with("b/"),
                (None, None) => false,
            },
        };
        let plain = |name: &String| match has_letters {
            true => name.get(2..).unwrap_or(name).to_owned(),
            false => name.clone(),
        };
        (old.map(plain), new.map(plain))
    }
}

fn parse_file(section: &str) -> Option<DiffFile> {
    let head = DiffFileHead::parse(section);
    let (old, new) = head.side_names();
    let hunks = (!head.is_binary).then(|| parse_unified(section));
    let (path, change) = match (&head.from, &head.to) {
        (Some(from), Some(to)) => {
            let from = from.clone();
            let change =
                if head.is_copy { DiffChange::Copy { from } } else { DiffChange::Rename { from } };
            (to.clone(), change)
        }
        _ if head.is_new => (new.or(old)?, DiffChange::Create),
        _ if head.is_deleted => (old.or(new)?, DiffChange::Delete),
        _ => match (old, new) {
            (None, new) => (new?, DiffChange::Create),
            (old, None) => (old?, DiffChange::Delete),
            (Some(_), Some(new)) => (new, DiffChange::Modify),
        },
    };
    Some(DiffFile { path, change, hunks })
}

/// Returns whether two names have the letters that git puts before the sides: `a/` and `b/`, or those of
/// `diff.mnemonicPrefix`.
fn is_pair(old: &str, new: &str) -> bool {
    const LETTERS: [(&str, &str); 6] =
        [("a/", "b/"), ("i/", "w/"), ("c/", "w/"), ("c/", "i/"), ("o/", "w/"), ("1/", "2/")];
    let is_one = |(a, b): &(&str, &str)| {
        old.starts_with(a) && new.starts_with(b) || old.starts_with(b) && new.starts_with(a)
    };
    LETTERS.iter().any(is_one)
}

/// Returns the two names of a `diff --git` line. Where they are not quoted only their being the same tells where the first ends.
fn both_names(names: &str) -> Option<(String, String)> {
    if let Some((old, rest)) = quoted_name(names) {
        let new = rest.strip_prefix(' ')?;
        return Some((old, quoted_name(new).map_or_else(|| new.to_owned(), |(new, _)| new)));
    }
    let blanks = || names.match_indices(' ').map(|(at, _)| (&names[..at], &names[at + 1..]));
    if let Some((old, new)) = blanks().find_map(|(old, new)| Some((old, quoted_name(new)?.0))) {
        return Some((old.to_owned(), new));
    }
    let is_same =
        |(old, new): &(&str, &str)| old == new || is_pair(old, new) && old.get(2..) == new.get(2..);
    // Of a file that moved the lines after it have the names.
    let (old, new) = blanks().find(is_same).or_else(|| blanks().next())?;
    Some((old.to_owned(), new.to_owned()))
}

/// Reads the name in a line of the head: quoted, or up to the tab that ends one with blanks (or precedes a time).
fn parse_name(text: &str) -> String {
    if let Some((name, _)) = quoted_name(text) {
        return name;
    }
    let name = text.trim_end_matches('\r');
    name.split_once('\t').map_or(name, |(name, _)| name).to_owned()
}

/// Returns the name that `text` starts with in quotes, and what follows it.
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut bytes = vec![];
    let mut all = inside.bytes().enumerate();
    while let Some((at, byte)) = all.next() {
        match byte {
            b'"' => {
                let name = String::from_utf8_lossy(&bytes).into_owned();
                return Some((name, &inside[at + 1..]));
            }
            b'\\' => {
                let (at, escape) = all.next()?;
                bytes.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'0'..=b'3' => {
                        let digits = inside.get(at..at + 3)?;
                        let code = u8::from_str_radix(digits, 8).ok()?;
                        all.nth(1);
                        code
                    }
                    other => other,
                });
            }
            byte => bytes.push(byte),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::{LineCounts, line_counts};

    /// Path, change and lines of a file; None for the lines of what is no text.
    type DiffSummary = (String, DiffChange, Option<(usize, usize)>);

    fn diff_summaries(diff: &str) -> Vec<DiffSummary> {
        let lines = |hunks: &Vec<PatchHunk>| {
            let LineCounts { added, removed } = line_counts(hunks);
            (added, removed)
        };
        let summary = |file: DiffFile| (file.path, file.change, file.hunks.as_ref().map(lines));
        files_of_diff(diff).into_iter().map(summary).collect()
    }

    fn only_summary(diff: &str) -> (String, DiffChange, Option<(usize, usize)>) {
        let mut all = diff_summaries(diff);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn each_form_in_which_git_writes_a_file_is_read() {
        let from = |name: &str| name.to_owned();
        let forms = [
            (
                "diff --git \"a/docs/\\303\\274ber.md\" \"b/docs/\\303\\274ber.md\"\nindex 1..2 100644\n--- \"a/docs/\\303\\274ber.md\"\n+++ \"b/docs/\\303\\274ber.md\"\n@@ -1 +1,2 @@\n eins\n+zwei\n",
                ("docs/über.md", DiffChange::Modify, Some((1, 0))),
            ),
            (
                "diff --git \"a/a\\tb\\\"c.txt\" \"b/a\\tb\\\"c.txt\"\nold mode 100644\nnew mode 100755\n",
                ("a\tb\"c.txt", DiffChange::Modify, Some((0, 0))),
            ),
            (
                "diff --git a/a b c.txt b/a b c.txt\nindex 1..2 100644\n--- a/a b c.txt\t\n+++ b/a b c.txt\t\n@@ -1 +1 @@\n-x\n+y\n",
                ("a b c.txt", DiffChange::Modify, Some((1, 1))),
            ),
            (
                "diff --git a/a b/c.bin b/a b/c.bin\nindex 1..2 100644\nBinary files a/a b/c.bin and b/a b/c.bin differ\n",
                ("a b/c.bin", DiffChange::Modify, None),
            ),
            (
                "diff --git a/logo.png b/logo.png\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/logo.png differ\n",
                ("logo.png", DiffChange::Create, None),
            ),
            (
                "diff --git a/logo.png b/logo.png\ndeleted file mode 100644\nindex 1..0\nGIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 3\nKcmZQzU|?imU|;|M00aO5\n\n",
                ("logo.png", DiffChange::Delete, None),
            ),
            (
                "diff --git a/e.txt b/e.txt\nnew file mode 100644\nindex 0000000..e69de29\n",
                ("e.txt", DiffChange::Create, Some((0, 0))),
            ),
            (
                "diff --git a/e.txt b/e.txt\ndeleted file mode 100644\nindex e69de29..0000000\n",
                ("e.txt", DiffChange::Delete, Some((0, 0))),
            ),
            (
                "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n",
                ("new.py", DiffChange::Rename { from: from("old.py") }, Some((0, 0))),
            ),
            (
                "diff --git \"a/\\303\\244.py\" b/new name.py\nsimilarity index 60%\nrename from \"\\303\\244.py\"\nrename to new name.py\n--- \"a/\\303\\244.py\"\n+++ b/new name.py\t\n@@ -1 +1 @@\n-x\n+y\n",
                ("new name.py", DiffChange::Rename { from: from("ä.py") }, Some((1, 1))),
            ),
            (
                "diff --git a/a.py b/b.py\nsimilarity index 100%\ncopy from a.py\ncopy to b.py\n",
                ("b.py", DiffChange::Copy { from: from("a.py") }, Some((0, 0))),
            ),
            (
                "diff --git a/n.txt b/n.txt\r\nindex 1..2 100644\r\n--- a/n.txt\r\n+++ b/n.txt\r\n@@ -1,2 +1,2 @@\r\n \r\n-x\r\n+y\r\n\\ No newline at end of file\r\n",
                ("n.txt", DiffChange::Modify, Some((1, 1))),
            ),
            (
                "--- src/a.py\t2026-01-01 10:00:00\n+++ src/a.py\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-x\n+y\n",
                ("src/a.py", DiffChange::Modify, Some((1, 1))),
            ),
            (
                "diff --git a/x.py a/x.py\n--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-x\n+y\n",
                ("a/x.py", DiffChange::Modify, Some((1, 1))),
            ),
            (
                "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+y\n",
                ("x.py", DiffChange::Create, Some((1, 0))),
            ),
        ];
        for (diff, (path, change, lines)) in forms {
            assert_eq!(only_summary(diff), (path.to_owned(), change, lines), "{diff}");
        }
    }

    #[test]
    fn a_removed_line_that_looks_like_a_head_begins_no_file() {
        let diff = "--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- old\n-x\n+++ new\n+y\n--- b.sql\n+++ b.sql\n@@ -1 +1 @@\n-x\n+y\n";

        let paths: Vec<_> =
            diff_summaries(diff).into_iter().map(|(path, _, lines)| (path, lines)).collect();

        assert_eq!(paths, [("a.sql".to_owned(), Some((2, 2))), ("b.sql".to_owned(), Some((1, 1)))]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_reading_it_as_a_diff_ends(
            parts in proptest::collection::vec(
                proptest::prop_oneof!["diff --git ", "--- ", r#"\+\+\+ "#, "\"", "\\\\[0-9]{0,3}", "a/é b", "\n", "@@ -1,9 \\+1 @@", ".{0,4}"], 0..12,
            ),
        ) {
            files_of_diff(&parts.concat());
        }
    }
}
