//! Whose words a shell script's text is: the command that a here-document or an argument is handed to.

/// Whether what follows `head`, the beginning of a script, is handed to a command with such a name: as its argument, or as a
/// here-document of the pipeline it is in. Not where a comment, or a here-document for another command, only mentions it.
pub fn hands_to(head: &str, is_it: fn(&str) -> bool) -> bool {
    Reader { rest: head, is_it, line: Line::default() }.read()
}

struct Reader<'s> {
    rest: &'s str,
    is_it: fn(&str) -> bool,
    line: Line<'s>,
}

/// What was read since a command could begin a line.
struct Line<'s> {
    /// Whether one of the commands of each pipeline is the one that is looked for.
    pipelines: Vec<bool>,
    /// The here-documents that begin after the line: their last line, and whose they are.
    documents: Vec<(String, usize)>,
    /// Whether the next word is a command.
    expects_command: bool,
    last_word: &'s str,
}

impl Default for Line<'_> {
    fn default() -> Self {
        Self { pipelines: vec![false], documents: vec![], expects_command: true, last_word: "" }
    }
}

impl Line<'_> {
    fn is_handed(&self) -> bool {
        self.pipelines.last().copied().unwrap_or(false)
    }
}

/// Words before a command that are not the command.
const BEFORE: [&str; 12] =
    ["sudo", "env", "command", "exec", "time", "nohup", "then", "do", "else", "if", "while", "!"];

impl<'s> Reader<'s> {
    fn read(mut self) -> bool {
        while let Some(first) = self.rest.chars().next() {
            match first {
                '\n' => {
                    self.skip(1);
                    match self.documents() {
                        Some(handed) => return handed,
                        None => self.line = Line::default(),
                    }
                }
                ' ' | '\t' | '\r' => self.skip(1),
                '#' => self.skip(self.rest.find('\n').unwrap_or(self.rest.len())),
                ';' | '&' | '(' | '{' | ')' | '}' => {
                    self.skip(1);
                    self.line.pipelines.push(false);
                    self.line.expects_command = true;
                }
                '|' => {
                    self.skip(1);
                    self.line.expects_command = true;
                }
                '<' if self.rest.starts_with("<<") && !self.rest.starts_with("<<<") => {
                    self.skip(2);
                    self.document();
                }
                '<' | '>' => self.skip(1),
                '"' | '\'' => {
                    if let Some(handed) = self.quoted(first) {
                        return handed;
                    }
                }
                _ => self.word(),
            }
        }
        self.line.is_handed()
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn word(&mut self) {
        let ends = |c: char| c.is_whitespace() || ";&|(){}<>\"'".contains(c);
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let len = self.rest.find(ends).unwrap_or(self.rest.len()).max(first);
        let word = &self.rest[..len];
        self.skip(len);
        self.line.last_word = word;
        let is_assignment = word.contains('=') && !word.starts_with('-');
        if self.line.expects_command && !is_assignment && !BEFORE.contains(&word) {
            self.line.expects_command = false;
            if (self.is_it)(word.trim_start_matches('\\')) {
                self.line.pipelines.pop();
                self.line.pipelines.push(true);
            }
        }
    }

    /// Passes by a text in quotes; the answer where it does not end, or where it is a script of its own that does not.
    fn quoted(&mut self, quote: char) -> Option<bool> {
        let inside = &self.rest[1..];
        let mut chars = inside.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.skip(1 + at + 1);
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
        Some(hands_to(&script, self.is_it))
    }

    fn document(&mut self) {
        let rest = self.rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
        let ends = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
        let len = rest.find(ends).unwrap_or(rest.len());
        let word = rest[..len].replace(['"', '\'', '\\'], "");
        self.rest = &rest[len..];
        self.line.documents.push((word, self.line.pipelines.len() - 1));
    }

    /// Passes by the here-documents of the line; the answer where one of them does not end.
    fn documents(&mut self) -> Option<bool> {
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
            self.skip(at);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_handed(head: &str) -> bool {
        hands_to(head, |word| word == "apply_patch")
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
