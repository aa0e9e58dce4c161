//! Words of a person, with blocks in tags before and after them that their program wrote.

/// A text taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrappedText<'t> {
    /// The text of the person, without white space around it; empty where there are only blocks.
    pub person_text: &'t str,
    /// The program's blocks with their tags, in order.
    pub blocks: Vec<&'t str>,
}

/// Takes the blocks off that `is_wrapper` knows by the names of their tags.
pub fn split_blocks<'t>(text: &'t str, is_wrapper: &dyn Fn(&str) -> bool) -> WrappedText<'t> {
    let mut blocks = vec![];
    let mut person_text = text.trim();
    while let Some((block, after)) = first_block(person_text, is_wrapper) {
        blocks.push(block);
        person_text = after.trim_start();
    }
    let mut behind = vec![];
    while let Some((before, block)) = last_block(person_text, is_wrapper) {
        behind.push(block);
        person_text = before.trim_end();
    }
    blocks.extend(behind.into_iter().rev());
    WrappedText { person_text, blocks }
}

/// Returns the name of the tag that a text begins with.
pub fn first_tag(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('<')?;
    let end = rest.find(|c: char| c == '>' || c.is_whitespace())?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name = &rest[..end];
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Returns the block that a text begins with, and the text after it. A block without an end extends to the end of the text.
fn first_block<'t>(text: &'t str, is_wrapper: &dyn Fn(&str) -> bool) -> Option<(&'t str, &'t str)> {
    let name = first_tag(text).filter(|name| is_wrapper(name))?;
    let close = format!("</{name}");
    let mut from = 0;
    while let Some(at) = text[from..].find(&close) {
        let after = from + at + close.len();
        let rest = &text[after..];
        if rest.starts_with(|c: char| c == '>' || c.is_whitespace()) {
            let end = rest.find('>').map_or(text.len(), |end| after + end + 1);
            return Some(text.split_at(end));
        }
        from = after;
    }
    Some((text, ""))
}

/// Returns the text before the block that a text ends with, and the block.
fn last_block<'t>(text: &'t str, is_wrapper: &dyn Fn(&str) -> bool) -> Option<(&'t str, &'t str)> {
    let close = text.strip_suffix('>')?;
    let name = close[close.rfind("</")? + 2..].trim_end();
    if !is_wrapper(name) {
        return None;
    }
    let opens = format!("<{name}>");
    let (before, block) = text.split_at(text.rfind(&opens)?);
    (!before.trim().is_empty() && before.ends_with(char::is_whitespace)).then_some((before, block))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_parts(text: &str) -> (&str, Vec<&str>) {
        let WrappedText { person_text, blocks } =
            split_blocks(text, &|name| matches!(name, "note" | "x-hook"));
        (person_text, blocks)
    }

    #[test]
    fn words_are_told_from_the_blocks_around_them() {
        assert_eq!(split_parts("plain"), ("plain", vec![]));
        assert_eq!(split_parts("<note>a</note>\nGo"), ("Go", vec!["<note>a</note>"]));
        assert_eq!(
            split_parts("<note>a</note><x-hook id=\"1\">b</x-hook>Go\n\n<note>c</note>\n"),
            ("Go", vec!["<note>a</note>", "<x-hook id=\"1\">b</x-hook>", "<note>c</note>"])
        );
        assert_eq!(split_parts("<note>a</note>"), ("", vec!["<note>a</note>"]));
        assert_eq!(split_parts("<note>never ends"), ("", vec!["<note>never ends"]));
        assert_eq!(split_parts("<b>Go</b>"), ("<b>Go</b>", vec![]));
        assert_eq!(split_parts("why <note>?"), ("why <note>?", vec![]));
        assert_eq!(
            split_parts("say it in<note>this</note>"),
            ("say it in<note>this</note>", vec![])
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_all_of_its_words_are_kept(
            parts in proptest::collection::vec(
                proptest::prop_oneof!["<note>", "</note>", "<x-hook ", ">", "[aé ]{0,3}", "\n", "</"], 0..12,
            ),
        ) {
            let text = parts.concat();
            let split = split_blocks(&text, &|name| name == "note" || name == "x-hook");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            let kept = letters(split.person_text) + split.blocks.iter().map(|it| letters(it)).sum::<usize>();
            proptest::prop_assert_eq!(kept, letters(&text));
        }
    }
}
