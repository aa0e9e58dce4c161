//! Finds the command to which a shell script passes a here-document or an argument.

/// Returns whether the text after `head`, the beginning of a script, is passed to a command with such a name: as its
/// argument, or as a here-document of its pipeline. False where a comment, or a here-document for another command, only
/// mentions it.
pub(crate) fn ends_in_argument_of(head: &str, is_it: fn(&str) -> bool) -> bool {
    ScriptReader { rest: head, is_command: is_it, line: ShellLine::default() }.ends_in_argument()
}

struct ScriptReader<'s> {
    rest: &'s str,
    is_command: fn(&str) -> bool,
    line: ShellLine<'s>,
}

/// The text read since a command could begin a line.
struct ShellLine<'s> {
    /// For each pipeline, whether one of its commands is the one that is searched for.
    pipelines: Vec<bool>,
    /// The here-documents that begin after the line: their last line, and whose they are.
    documents: Vec<(String, usize)>,
    /// True if the next word is a command.
    expects_command: bool,
    last_word: &'s str,
}

impl Default for ShellLine<'_> {
    fn default() -> Self {
        Self { pipelines: vec![false], documents: vec![], expects_command: true, last_word: "" }
    }
}

impl ShellLine<'_> {
    fn is_handed(&self) -> bool {
        self.pipelines.last().copied().unwrap_or(false)
    }
}

/// Words before a command that are not the command.
const PREFIX_WORDS: [&str; 12] =
    ["sudo", "env", "command", "exec", "time", "nohup", "then", "do", "else", "if", "while", "!"];

impl<'s> ScriptReader<'s> {
    fn ends_in_argument(mut self) -> bool {
        while let Some(first) = self.rest.chars().next() {
            match first {
                '\n' => {
                    self.skip_bytes(1);
                    match self.skip_documents() {
                        Some(handed) => return handed,
                        None => self.line = ShellLine::default(),
                    }
                }
                ' ' | '\t' | '\r' => self.skip_bytes(1),
                '#' => self.skip_bytes(self.rest.find('\n').unwrap_or(self.rest.len())),
                ';' | '&' | '(' | '{' | ')' | '}' => {
                    self.skip_bytes(1);
                    self.line.pipelines.push(false);
                    self.line.expects_command = true;
                }
                '|' => {
                    self.skip_bytes(1);
                    self.line.expects_command = true;
                }
                '<' if self.rest.starts_with("<<") && !self.rest.starts_with("<<<") => {
                    self.skip_bytes(2);
                    self.read_document_mark();
                }
                '<' | '>' => self.skip_bytes(1),
                '"' | '\'' => {
                    if let Some(handed) = self.skip_quoted(first) {
                        return handed;
                    }
                }
                _ => self.read_word(),
            }
        }
        self.line.is_handed()
    }

    fn skip_bytes(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn read_word(&mut self) {
        let ends = |c: char| c.is_whitespace() || ";&|(){}<>\"'".contains(c);
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let len = self.rest.find(ends).unwrap_or(self.rest.len()).max(first);
        let word = &self.rest[..len];
        self.skip_bytes(len);
        self.line.last_word = word;
        let is_assignment = word.contains('=') && !word.starts_with('-');
        if self.line.expects_command && !is_assignment && !PREFIX_WORDS.contains(&word) {
            self.line.expects_command = false;
            if (self.is_command)(word.trim_start_matches('\\')) {
                self.line.pipelines.pop();
                self.line.pipelines.push(true);
            }
        }
    }

    /// Passes by a text in quotes; the answer where it does not end, or where it is a script of its own that does not.
    fn skip_quoted(&mut self, quote: char) -> Option<bool> {
        let inside = &self.rest[1..];
        let mut chars = inside.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.skip_bytes(1 + at + 1);
                self.line.expects_command = false;
                return None;
            }
            if c == '\\' && quote == '"' {
                chars.next();
            }
        }
        let is_script = matches!(self.line.last_word, "-c" | "-lc" | "-ic" | "-lic" | "eval");
        if !is_script {
            return Some(self.line.is_handed());
        }
        let script = if quote == '"' { inside.replace("\\\"", "\"") } else { inside.to_owned() };
        Some(ends_in_argument_of(&script, self.is_command))
    }

    fn read_document_mark(&mut self) {
        let rest = self.rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
        let ends = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
        let len = rest.find(ends).unwrap_or(rest.len());
        let word = rest[..len].replace(['"', '\'', '\\'], "");
        self.rest = &rest[len..];
        self.line.documents.push((word, self.line.pipelines.len() - 1));
    }

    /// Passes by the here-documents of the line; the answer where one of them does not end.
    fn skip_documents(&mut self) -> Option<bool> {
        for (last, pipeline) in std::mem::take(&mut self.line.documents) {
            let mut at = 0;
            let mut lines = self.rest.split_inclusive('\n');
            let has_end = lines.any(|line| {
                at += line.len();
                line.trim() == last && !last.is_empty()
            });
            if !has_end {
                return Some(self.line.pipelines.get(pipeline).copied().unwrap_or(false));
            }
            self.skip_bytes(at);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_handed(head: &str) -> bool {
        ends_in_argument_of(head, |word| word == "apply_patch")
    }

    #[test]
    fn a_document_or_an_argument_is_the_commands_that_it_is_handed_to() {
        for head in [
            "apply_patch <<'EOF'\n",
            "cd x && apply_patch <<EOF\n",
            "apply_patch <<'EOF' && git diff\n",
            "cat <<'EOF' | apply_patch\n",
            "apply_patch '",
            "apply_patch \"",
            "bash -lc \"cd x && apply_patch <<'EOF'\n",
            "bash -lc 'apply_patch <<\"EOF\"\n",
            "FOO=1 sudo apply_patch <<EOF\n",
            "cat > a <<'X'\nhello\nX\napply_patch <<'EOF'\n",
            "# first\napply_patch <<'EOF'\n",
            "set -e\nif true; then\napply_patch <<-'EOF'\n",
        ] {
            assert!(is_handed(head), "{head:?}");
        }
        for head in [
            "cat > p <<'EOF'\n",
            "# apply_patch <<'EOF'\n",
            "ls # apply_patch <<'EOF'\n",
            "echo apply_patch; cat <<'EOF'\n",
            "cat > notes.md <<'DOC'\nrun\napply_patch <<'EOF'\n",
            "echo 'apply_patch' '",
            "which apply_patch && cat > x <<EOF\n",
            "printf '%s' \"",
            "git commit -m \"apply_patch: ",
            "apply_patch <<'EOF'\nx\nEOF\ncat <<'EOF'\n",
        ] {
            assert!(!is_handed(head), "{head:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_script_an_answer_is_found(
            parts in proptest::collection::vec(
                proptest::prop_oneof!["apply_patch", "<<", "'", "\"", "\n", "é", "\\\\", "[|;#(&]", "EOF", " -lc "], 0..14,
            ),
        ) {
            is_handed(&parts.concat());
        }
    }
}
