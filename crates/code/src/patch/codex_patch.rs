//! The `apply_patch` dialect: `*** Begin Patch` … `*** End Patch`.

use super::{FilePatch, LineKind, PatchHunk, PatchLine, PatchedFile};

/// Reads the files of every `apply_patch` text within `text`; None of them where there is no `*** Begin Patch` line.
/// As lenient as Codex: blanks around the markers, a first `@@` left out, an end left out.
pub fn parse_codex(text: &str) -> Vec<FilePatch> {
    let mut reader = CodexReader::default();
    for line in split_lines(text) {
        reader.read_line(line);
    }
    reader.close_file();
    reader.files
}

/// Splits lines as [`str::lines`] does, many bytes at a time.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let line = match memchr::memchr(b'\n', rest.as_bytes()) {
            None => std::mem::take(&mut rest),
            Some(end) => {
                let line = &rest[..end];
                rest = &rest[end + 1..];
                return Some(line.strip_suffix('\r').unwrap_or(line));
            }
        };
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
proptest::proptest! {
    #[test]
    fn whatever_the_text_its_lines_are_those_of_the_standard_library(text in "[ab\r\n]{0,20}") {
        proptest::prop_assert!(split_lines(&text).eq(text.lines()));
    }
}

#[derive(Default)]
struct CodexReader {
    files: Vec<FilePatch>,
    is_inside: bool,
    file: Option<FilePatch>,
}

impl CodexReader {
    fn read_line(&mut self, line: &str) {
        let marker = line.trim_start();
        if !marker.starts_with("***") {
            if let Some(file) = self.file.as_mut().filter(|_| self.is_inside) {
                file.read_line(line);
            }
            return;
        }
        let marker = marker.trim_end();
        if marker == "*** Begin Patch" {
            self.close_file();
            self.is_inside = true;
            return;
        }
        if !self.is_inside {
            return;
        }
        if marker == "*** End Patch" {
            self.close_file();
            self.is_inside = false;
            return;
        }
        if self.opens_file(line.trim_end()) {
            return;
        }
        if let Some(file) = &mut self.file {
            file.read_line(line);
        }
    }

    /// Begins a new file if the line names one, and returns whether it does. Only at the start of a line: in a hunk the
    /// same words are context.
    fn opens_file(&mut self, line: &str) -> bool {
        let opened = [
            ("*** Add File: ", PatchedFile::Add(String::new())),
            ("*** Update File: ", PatchedFile::Update(vec![])),
            ("*** Delete File: ", PatchedFile::Delete),
        ];
        let found = opened
            .into_iter()
            .find_map(|(marker, change)| Some((line.strip_prefix(marker)?.trim(), change)));
        let Some((path, change)) = found else { return false };
        self.close_file();
        self.file = Some(FilePatch { path: path.to_owned(), move_to: None, change });
        true
    }

    fn close_file(&mut self) {
        self.files.extend(self.file.take());
    }
}

impl FilePatch {
    fn read_line(&mut self, line: &str) {
        match &mut self.change {
            PatchedFile::Add(content) => {
                if let Some(text) = line.strip_prefix('+') {
                    content.push_str(text);
                    content.push('\n');
                }
            }
            PatchedFile::Update(hunks) => {
                if let Some(path) = line.strip_prefix("*** Move to: ") {
                    self.move_to = Some(path.trim().to_owned());
                } else {
                    read_hunk_line(hunks, line);
                }
            }
            PatchedFile::Delete => {}
        }
    }
}

fn read_hunk_line(hunks: &mut Vec<PatchHunk>, line: &str) {
    if let Some(anchor) = line.strip_prefix("@@") {
        return read_anchor(hunks, anchor.trim());
    }
    if line.trim_end() == "*** End of File" {
        if let Some(hunk) = hunks.last_mut() {
            hunk.at_end = true;
        }
        return;
    }
    let (kind, text) = match line.as_bytes().first() {
        Some(b' ') => (LineKind::Context, &line[1..]),
        Some(b'-') => (LineKind::Removed, &line[1..]),
        Some(b'+') => (LineKind::Added, &line[1..]),
        None => (LineKind::Context, ""),
        Some(_) => return,
    };
    if hunks.last().is_none_or(|hunk| hunk.at_end) {
        hunks.push(PatchHunk::default());
    }
    if let Some(hunk) = hunks.last_mut() {
        hunk.lines.push(PatchLine::new(kind, text));
    }
}

/// Reads a `@@` line, which begins a hunk; several in a row narrow its place down.
fn read_anchor(hunks: &mut Vec<PatchHunk>, anchor: &str) {
    // Some models write a unified diff's numbers here; without a file to count in they say nothing.
    let is_numbers = anchor.starts_with('-') && anchor.contains(" +") && anchor.ends_with("@@");
    let anchor = (!anchor.is_empty() && !is_numbers).then(|| anchor.to_owned());
    match hunks.last_mut() {
        Some(open) if open.lines.is_empty() && !open.at_end => {
            open.anchor = match (open.anchor.take(), anchor) {
                (Some(outer), Some(inner)) => Some(format!("{outer}\n{inner}")),
                (outer, inner) => outer.or(inner),
            };
        }
        _ => hunks.push(PatchHunk { anchor, ..PatchHunk::default() }),
    }
}
