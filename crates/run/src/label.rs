//! Makes the short labels of steps and titles out of long texts: one line, that says as much as a line can.

/// The longest label kept in the index, in characters.
pub const LABEL_CHARS: usize = 120;

/// Returns the first non-blank line of `text`, at most [`LABEL_CHARS`] characters, for [`crate::Step::label`] and titles. A
/// command that only begins there (`python3 -c "`, `cat > a.py <<'EOF'`) gets the first informative line after it too. Where the
/// line is only a tag (`<uploaded_files>`), the label is the line after its short element or, where nothing follows that, the
/// first line inside it; a single word follows the tag.
pub fn first_line_label(text: &str) -> Box<str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    if begins_a_script(line)
        && let Some(next) = lines.clone().take(SCRIPT_LINES).find(|line| !is_preamble(line))
    {
        return cut_to_label(&format!("{line} {next}"));
    }
    match tag_name(line).and_then(|name| line_beyond_tag(name, lines)) {
        // One word alone says less than the tag.
        Some(text) if !text.contains(' ') => cut_to_label(&format!("{line} {text}")),
        Some(text) => cut_to_label(text),
        None => cut_to_label(line),
    }
}

/// Returns the same label from the beginning of a text; None where the beginning is not enough.
pub fn label_from_start(start: &str) -> Option<Box<str>> {
    let mut rest = start;
    loop {
        let (line, after) = rest.split_once('\n')?;
        let line = line.trim();
        if !line.is_empty() {
            let is_label = !begins_a_script(line) && tag_name(line).is_none();
            return is_label.then(|| cut_to_label(line));
        }
        rest = after;
    }
}

/// Returns the name of the tag that a line consists of: `uploaded_files` of `<uploaded_files>`.
fn tag_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix('<')?.strip_suffix('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_name))
        .then_some(name)
}

/// Returns the first line after the element of a tag that is no tag itself, where the element is short, else the first such line
/// inside it; None where only tags follow.
fn line_beyond_tag<'t>(
    name: &str,
    lines: impl Iterator<Item = &'t str> + Clone,
) -> Option<&'t str> {
    let is_end =
        |line: &str| line.strip_prefix("</").and_then(|it| it.strip_suffix('>')) == Some(name);
    let mut after = lines.clone().take(SCRIPT_LINES).skip_while(|line| !is_end(line)).skip(1);
    let is_text = |line: &&str| !(line.starts_with('<') && line.ends_with('>'));
    let inside = || lines.clone().take(SCRIPT_LINES).find(is_text);
    after.find(is_text).or_else(inside)
}

/// Returns whether a script for the command begins at the end of its line.
fn begins_a_script(line: &str) -> bool {
    let is_quoted = ["-c \"", "-c '", "-e \"", "-e '"].iter().any(|end| line.ends_with(end));
    if is_quoted || memchr::memmem::find(line.as_bytes(), b"<<").is_none() {
        return is_quoted;
    }
    // Searched from the end, where the mark is: a line may be as long as the output of a program.
    let is_of_mark = |c: char| c.is_ascii_alphanumeric() || "_'\"\\- \t".contains(c);
    let before = line.trim_end_matches(is_of_mark);
    let is_mark = |mark: &str| {
        let mark = mark.trim_start_matches('-').trim().trim_matches(['\'', '"', '\\']);
        !mark.is_empty() && mark.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    before.ends_with("<<") && is_mark(&line[before.len()..])
}

/// Returns whether a line of a script says little of its purpose.
fn is_preamble(line: &str) -> bool {
    ["import ", "from ", "#", "set -", "\"\"\"", "use "].iter().any(|head| line.starts_with(head))
}

/// The number of lines of a script or an element that are searched for one that says something.
const SCRIPT_LINES: usize = 20;

fn cut_to_label(line: &str) -> Box<str> {
    if let Some(start) = line.get(..LABEL_CHARS).filter(|start| start.is_ascii()) {
        return start.into();
    }
    match line.char_indices().nth(LABEL_CHARS) {
        Some((end, _)) => line[..end].into(),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_label(text: &str, expected: &str) {
        assert_eq!(&*first_line_label(text), expected);
        if let Some(label) = label_from_start(text) {
            assert_eq!(&*label, expected, "from the beginning of the text");
        }
    }

    #[test]
    fn the_label_is_the_first_line_with_text() {
        assert_label("\n  first \nsecond\n", "first");
        assert_label("", "");
        assert_label(&"é".repeat(300), &"é".repeat(LABEL_CHARS));
    }

    #[test]
    fn a_script_adds_its_first_informative_line() {
        assert_label("python3 - <<'EOF'\nimport os\nprint(1)\nEOF", "python3 - <<'EOF' print(1)");
        assert_label("python3 -c \"\nimport os\n", "python3 -c \"");
    }

    #[test]
    fn a_line_that_is_only_a_tag_gives_way_to_text() {
        let uploaded = "<uploaded_files>\n/app\n</uploaded_files>\nIn /app is a parser.\n";
        assert_label(uploaded, "In /app is a parser.");
        assert_label("<user_query>\nMake it faster.\n</user_query>\n", "Make it faster.");
        assert_label("<a>\n/app\n</a>\n<issue>\nIt crashes.\n</issue>\n", "It crashes.");
        assert_label("<a>\n</a>\n", "<a>");
        assert_label(
            "<environment_details>\nnone\n</environment_details>",
            "<environment_details> none",
        );
        assert_label(&format!("<log>\n{}</log>\nafter\n", "a line\n".repeat(50)), "a line");
        assert_label("Vec<T>\nmore\n", "Vec<T>");
        assert_label("<a href=x>\nmore\n", "<a href=x>");
    }
}
