//! Command lines in words.

/// Joins words into a line that a shell would split into them.
pub fn shell_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let quoted = |word: W| match word.as_ref() {
        word if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::shell_words;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_words(["codex", "exec", "-"]), "codex exec -");
        assert_eq!(shell_words(["a b", "it's", ""]), "'a b' 'it'\\''s' ''");
    }
}
