//! A change of files as a patch that git reads.
//!
//! [`write_patch`] writes the output of `git diff --binary --full-index` (git-format-patch(1), "generating patch text
//! with -p"), so that `git apply` turns the tree before into the tree after, and `git apply -R` turns it back (but for
//! the mode of a deleted file, which git 2.47 forgets with its own patches too). It takes plain values and knows
//! nothing of runs; contents are bytes, since a file need not be valid UTF-8 to be text. [`file_stat`] counts the same
//! change for a table. Such a patch cannot express: empty folders, owners, dates.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

use super::diff::{self, ByteHunk, LineKind, Sides};

/// Equal lines around a change, as git's default.
const CONTEXT: usize = 3;

/// Bytes in a line of a binary patch.
const BINARY_LINE: usize = 52;

/// git's base 85 digits (base85.c).
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The characters after the backslash in a quoted name (quote.c); other unusual bytes are written in octal.
const ESCAPES: [(u8, u8); 9] = [
    (0x07, b'a'),
    (0x08, b'b'),
    (b'\t', b't'),
    (b'\n', b'n'),
    (0x0b, b'v'),
    (0x0c, b'f'),
    (b'\r', b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// One file, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSides<'a> {
    /// Relative to the root of the tree, `/` between parts.
    pub path: &'a str,
    /// The old path of a rename.
    pub from: Option<&'a str>,
    /// The old version; None where the file is new.
    pub old: Option<SideContent<'a>>,
    /// The new version; None where the file is deleted.
    pub new: Option<SideContent<'a>>,
}

/// One version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideContent<'a> {
    /// The mode as in a git tree: 100644, 100755, 120000 or 160000.
    pub mode: &'a str,
    /// The blob's name, in full: git checks it before it touches a binary file. For a submodule the commit.
    pub blob: &'a str,
    /// The target of a symbolic link; nothing for a submodule.
    pub bytes: &'a [u8],
}

/// The size of a file's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat<'a> {
    pub path: &'a str,
    /// The old path of a rename.
    pub from: Option<&'a str>,
    /// Lines added; 0 for a binary file.
    pub added: usize,
    /// Lines removed; 0 for a binary file.
    pub removed: usize,
    pub binary: bool,
}

/// Returns the files' changes as one patch, in their order. A file without a change leaves no trace.
pub fn write_patch(files: &[FileSides<'_>]) -> Vec<u8> {
    let mut out = vec![];
    for file in files {
        match file.as_delete_and_create() {
            Some(parts) => parts.iter().for_each(|part| write_file(&mut out, part)),
            None => write_file(&mut out, file),
        }
    }
    out
}

/// Returns the size of a file's change, counted as [`write_patch`] writes it.
pub fn file_stat<'a>(file: &FileSides<'a>) -> FileStat<'a> {
    let body = PatchBody::for_file(file);
    let count = |wanted| match &body {
        PatchBody::Text(hunks) => {
            hunks.iter().flat_map(|hunk| &hunk.lines).filter(|(kind, _)| *kind == wanted).count()
        }
        PatchBody::Same | PatchBody::Binary(_) => 0,
    };
    FileStat {
        path: file.path,
        from: file.renamed_from(),
        added: count(LineKind::Added),
        removed: count(LineKind::Removed),
        binary: matches!(body, PatchBody::Binary(_)),
    }
}

impl<'a> FileSides<'a> {
    fn renamed_from(&self) -> Option<&'a str> {
        self.from.filter(|from| *from != self.path && self.old.is_some() && self.new.is_some())
    }

    fn side_names(&self) -> Sides<&'a str> {
        Sides { old: self.renamed_from().unwrap_or(self.path), new: self.path }
    }

    /// Returns a deletion and a creation for a file that becomes a link or a submodule, or the reverse, as git writes them.
    fn as_delete_and_create(&self) -> Option<[Self; 2]> {
        let (old, new) = (self.old?, self.new?);
        let deleted = Self { path: self.side_names().old, from: None, new: None, ..*self };
        let created = Self { from: None, old: None, ..*self };
        (old.mode_kind() != new.mode_kind()).then_some([deleted, created])
    }
}

impl SideContent<'_> {
    /// Returns the part of the mode that says file, link or submodule.
    fn mode_kind(&self) -> &str {
        self.mode.get(..3).unwrap_or(self.mode)
    }

    fn is_submodule(&self) -> bool {
        self.mode_kind() == "160"
    }

    /// Returns the content that a patch shows.
    fn patch_content(&self) -> Vec<u8> {
        if self.is_submodule() {
            format!("Subproject commit {}\n", self.blob).into_bytes()
        } else {
            self.bytes.to_vec()
        }
    }

    /// Returns whether the content has a NUL. git looks for one near the beginning only; one anywhere else would still upset other readers of patches.
    fn is_binary(&self) -> bool {
        !self.is_submodule() && memchr::memchr(0, self.bytes).is_some()
    }
}

/// Bytes and lines of both sides that are compared line by line; what has more is written as a whole, as git writes
/// binary files.
const MOST_BYTES: usize = 16 << 20;
const MOST_LINES: usize = 1_000_000;

/// The part of a patch after the header lines.
enum PatchBody {
    /// The content does not change.
    Same,
    Text(Vec<OwnedHunk>),
    Binary(Sides<Vec<u8>>),
}

/// A hunk of contents that were put together here.
struct OwnedHunk {
    heading: String,
    lines: Vec<(LineKind, Vec<u8>)>,
}

impl PatchBody {
    fn for_file(file: &FileSides<'_>) -> Self {
        let shown =
            |side: Option<SideContent<'_>>| side.map_or_else(Vec::new, |side| side.patch_content());
        let contents = Sides { old: shown(file.old), new: shown(file.new) };
        if contents.old == contents.new {
            Self::Same
        } else if [file.old, file.new].iter().flatten().any(SideContent::is_binary)
            || contents.is_big()
        {
            Self::Binary(contents)
        } else {
            let hunks = diff::byte_hunks(&contents.old, &contents.new, CONTEXT);
            Self::Text(hunks.iter().map(OwnedHunk::from_bytes).collect())
        }
    }

    /// Returns the percentage of the bytes that a rename keeps. git counts chunks (diffcore-delta.c) where this counts lines,
    /// and so may say a few percent more or less; nothing that reads patches depends on it.
    fn rename_similarity(&self, file: &FileSides<'_>) -> usize {
        let sizes = [file.old, file.new].map(|side| side.map_or(0, |side| side.bytes.len()));
        let (larger, lost) = match self {
            Self::Same => return 100,
            Self::Binary(_) => return 0,
            Self::Text(hunks) => (sizes[0].max(sizes[1]), removed_bytes(hunks)),
        };
        let kept_bytes = sizes[0].saturating_sub(lost);
        (kept_bytes * 100).checked_div(larger).map_or(0, |percent| percent.min(99))
    }
}

impl Sides<Vec<u8>> {
    fn is_big(&self) -> bool {
        let lines = |side: &[u8]| memchr::memchr_iter(b'\n', side).count();
        self.old.len() + self.new.len() > MOST_BYTES
            || lines(&self.old) + lines(&self.new) > MOST_LINES
    }
}

fn removed_bytes(hunks: &[OwnedHunk]) -> usize {
    let removed = |(kind, line): &(LineKind, Vec<u8>)| {
        if *kind == LineKind::Removed { line.len() } else { 0 }
    };
    hunks.iter().flat_map(|hunk| &hunk.lines).map(removed).sum()
}

impl OwnedHunk {
    fn from_bytes(hunk: &ByteHunk<'_>) -> Self {
        let range = |span: diff::LineSpan| match span.len {
            1 => span.start.to_string(),
            len => format!("{},{len}", span.start),
        };
        let Sides { old, new } = hunk.span;
        let lines = hunk.lines.iter().map(|&(kind, line)| (kind, line.to_vec())).collect();
        Self { heading: format!("@@ -{} +{} @@\n", range(old), range(new)), lines }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.heading.as_bytes());
        for (kind, line) in &self.lines {
            out.push(line_sign(*kind));
            out.extend(line);
            if !line.ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

const fn line_sign(kind: LineKind) -> u8 {
    match kind {
        LineKind::Context => b' ',
        LineKind::Removed => b'-',
        LineKind::Added => b'+',
    }
}

fn write_file(out: &mut Vec<u8>, file: &FileSides<'_>) {
    let body = PatchBody::for_file(file);
    let headers = header_lines(file, &body);
    if headers.is_empty() && matches!(body, PatchBody::Same) {
        return;
    }
    let Sides { old, new } = file.side_names();
    push_line(out, &[b"diff --git ", &quoted_name("a/", old), b" ", &quoted_name("b/", new)]);
    headers.iter().for_each(|header| push_line(out, &[header]));
    match body {
        PatchBody::Same => {}
        PatchBody::Text(hunks) => {
            push_line(out, &[b"--- ", &side_name("a/", old, file.old)]);
            push_line(out, &[b"+++ ", &side_name("b/", new, file.new)]);
            hunks.iter().for_each(|hunk| hunk.write(out));
        }
        PatchBody::Binary(contents) => {
            push_line(out, &[b"GIT binary patch"]);
            write_literal(out, &contents.new);
            write_literal(out, &contents.old);
        }
    }
}

fn push_line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend(*part));
    out.push(b'\n');
}

/// Returns the extended header lines: modes, rename, blob names.
fn header_lines(file: &FileSides<'_>, body: &PatchBody) -> Vec<Vec<u8>> {
    let mut headers = vec![];
    match (file.old, file.new) {
        (None, Some(new)) => headers.push(format!("new file mode {}", new.mode).into_bytes()),
        (Some(old), None) => headers.push(format!("deleted file mode {}", old.mode).into_bytes()),
        (Some(old), Some(new)) if old.mode != new.mode => {
            headers.push(format!("old mode {}", old.mode).into_bytes());
            headers.push(format!("new mode {}", new.mode).into_bytes());
        }
        _ => {}
    }
    if let Some(from) = file.renamed_from() {
        headers.push(format!("similarity index {}%", body.rename_similarity(file)).into_bytes());
        headers.push([b"rename from ".as_slice(), &quoted_name("", from)].concat());
        headers.push([b"rename to ".as_slice(), &quoted_name("", file.path)].concat());
    }
    headers.extend(index_line(file, body).map(String::into_bytes));
    headers
}

/// Returns the line that names the blobs; None where the content stays the same.
fn index_line(file: &FileSides<'_>, body: &PatchBody) -> Option<String> {
    let no_blob = |other: SideContent<'_>| "0".repeat(other.blob.len());
    let (old, new, mode) = match (file.old, file.new) {
        (Some(old), Some(new)) if !matches!(body, PatchBody::Same) => {
            (old.blob.to_owned(), new.blob.to_owned(), (old.mode == new.mode).then_some(new.mode))
        }
        (Some(old), None) => (old.blob.to_owned(), no_blob(old), None),
        (None, Some(new)) => (no_blob(new), new.blob.to_owned(), None),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let mode = mode.map(|mode| format!(" {mode}")).unwrap_or_default();
    Some(format!("index {old}..{new}{mode}"))
}

/// Returns a name for `---` and `+++`. git ends one that has a space with a tab, so that older tools see its end.
fn side_name(prefix: &str, path: &str, side: Option<SideContent<'_>>) -> Vec<u8> {
    if side.is_none() {
        return b"/dev/null".to_vec();
    }
    let mut name = quoted_name(prefix, path);
    if path.contains(' ') {
        name.push(b'\t');
    }
    name
}

/// Returns a name as git writes it: as it is, or quoted as in C where it has quotes, control characters or is not ASCII.
fn quoted_name(prefix: &str, path: &str) -> Vec<u8> {
    let name = [prefix.as_bytes(), path.as_bytes()].concat();
    if name.iter().all(|&byte| is_usual(byte)) {
        return name;
    }
    let mut quoted = vec![b'"'];
    for byte in name {
        match ESCAPES.iter().find(|(unusual, _)| *unusual == byte) {
            Some((_, letter)) => quoted.extend([b'\\', *letter]),
            None if is_usual(byte) => quoted.push(byte),
            None => quoted.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}

fn is_usual(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\'
}

/// Writes a whole content, compressed and in base 85; the first letter of each line gives its number of bytes.
fn write_literal(out: &mut Vec<u8>, bytes: &[u8]) {
    push_line(out, &[format!("literal {}", bytes.len()).as_bytes()]);
    for part in deflate_bytes(bytes).chunks(BINARY_LINE) {
        let letters = part.chunks(4).flat_map(base85_digits).collect::<Vec<_>>();
        push_line(out, &[&[length_letter(part.len())], &letters]);
    }
    push_line(out, &[]);
}

fn deflate_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(vec![], Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Returns a–Z for 1–26 bytes, a–z for 27–52.
fn length_letter(len: usize) -> u8 {
    let before = |first: u8, count: usize| first + u8::try_from(count - 1).unwrap_or_default();
    if len <= 26 { before(b'A', len) } else { before(b'a', len - 26) }
}

/// Encodes up to four bytes as five digits.
fn base85_digits(bytes: &[u8]) -> [u8; 5] {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    let mut number = u32::from_be_bytes(word);
    let mut digits = [0; 5];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number % 85) as usize];
        number /= 85;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn some_side<'a>(mode: &'a str, blob: &'a str, bytes: &'a [u8]) -> Option<SideContent<'a>> {
        Some(SideContent { mode, blob, bytes })
    }

    fn patch_text(file: FileSides<'_>) -> String {
        String::from_utf8(write_patch(&[file])).unwrap()
    }

    #[test]
    fn a_file_that_does_not_change_leaves_no_trace() {
        let old = some_side("100644", A, b"a\n");

        assert_eq!(patch_text(FileSides { path: "f", from: None, old, new: old }), "");
        assert_eq!(patch_text(FileSides { path: "f", from: None, old: None, new: None }), "");
    }

    #[test]
    fn files_of_more_lines_than_are_compared_are_written_as_a_whole() {
        let lines = |count: usize| b"\n".repeat(count);
        let patch_of = |old: &[u8], new: &[u8]| {
            let (old, new) = (some_side("100644", A, old), some_side("100644", B, new));
            patch_text(FileSides { path: "f", from: None, old, new })
        };

        let few = patch_of(&lines(10), &lines(9));
        let more = patch_of(&lines(MOST_LINES / 2), &lines(MOST_LINES / 2 + 1));

        assert!(few.contains("@@ ") && !few.contains("GIT binary patch"));
        assert!(more.contains("GIT binary patch") && !more.contains("@@ "));
    }

    #[test]
    fn a_rename_with_a_change_names_both_paths() {
        let (old, new) = (some_side("100644", A, b"a\nb\nc\n"), some_side("100755", B, b"a\nb\nC"));

        let patch = patch_text(FileSides { path: "new", from: Some("old"), old, new });

        assert_eq!(
            patch,
            format!(
                "diff --git a/old b/new\nold mode 100644\nnew mode 100755\nsimilarity index 66%\n\
                 rename from old\nrename to new\nindex {A}..{B}\n--- a/old\n+++ b/new\n\
                 @@ -1,3 +1,3 @@\n a\n b\n-c\n+C\n\\ No newline at end of file\n"
            )
        );
    }

    #[test]
    fn a_file_that_becomes_a_link_is_deleted_and_created() {
        let (old, new) = (some_side("100644", A, b"a\n"), some_side("120000", B, b"target"));

        let patch = patch_text(FileSides { path: "f", from: None, old, new });

        let headers: Vec<_> = patch.lines().filter(|line| line.contains("mode")).collect();
        assert_eq!(headers, ["deleted file mode 100644", "new file mode 120000"]);
    }

    #[test]
    fn a_submodule_shows_its_commit() {
        let (old, new) = (some_side("160000", A, b""), some_side("160000", B, b""));

        let patch = patch_text(FileSides { path: "lib", from: None, old, new });

        assert!(patch.ends_with(&format!("-Subproject commit {A}\n+Subproject commit {B}\n")));
    }

    #[test]
    fn unusual_names_are_quoted_as_in_c() {
        assert_eq!(quoted_name("a/", "plain name"), b"a/plain name");
        assert_eq!(
            quoted_name("a/", "tab\tquote\"é\u{7f}"),
            b"\"a/tab\\tquote\\\"\\303\\251\\177\""
        );
    }

    #[test]
    fn base85_is_gits() {
        let mut empty = vec![];
        write_literal(&mut empty, b"");

        assert_eq!(String::from_utf8(empty).unwrap(), "literal 0\nHc$@<O00001\n\n");
        assert_eq!((length_letter(1), length_letter(26), length_letter(27)), (b'A', b'Z', b'a'));
        assert_eq!(length_letter(BINARY_LINE), b'z');
    }

    #[test]
    fn a_binary_file_has_no_lines_to_count() {
        let (old, new) = (some_side("100644", A, b"\0"), some_side("100644", B, b"a\nb\n"));

        let binary = file_stat(&FileSides { path: "f", from: None, old, new });
        let text = file_stat(&FileSides { path: "f", from: None, old: None, new });

        assert!(binary.binary);
        assert_eq!((binary.added, binary.removed), (0, 0));
        assert_eq!((text.added, text.removed, text.binary), (2, 0, false));
    }
}
