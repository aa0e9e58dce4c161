//! Recorded words in Markdown: shown as they are written, and nothing of them is alive. A link, an image, a tag or an address in a recording
//! would lead whoever reads the page where its author wanted, and an image is loaded without a click.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// Text that GitHub and others turn into a link without any markup.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?ix)(?:
        \b(?:https?|ftp|file)://[^\s<>`|]*[\w/=&]
        |\bwww\.[a-z0-9-]+\.[^\s<>`|]*[\w/=&]
        |\b(?:mailto|xmpp|javascript|data|vbscript):[^\s<>`|]+
        |[\w.+-]+@[\w-]+(?:\.[\w-]+)+)";
    Regex::new(pattern).expect("an address is a pattern")
});

/// Escapes text so that Markdown shows it unchanged. Text between backticks stays code, and addresses become code;
/// other characters are escaped where they begin something.
pub fn escape_markdown(words: &str) -> String {
    let mut shown = String::with_capacity(words.len());
    let mut done = 0;
    for code in code_spans(words) {
        add_words(&words[done..code.start], &mut shown);
        shown.push_str(&words[code.clone()]);
        done = code.end;
    }
    add_words(&words[done..], &mut shown);
    shown
}

/// Returns the spans of code with their backticks: as many that close as open, and some between them.
fn code_spans(words: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = vec![];
    for (at, _) in words.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    let (mut spans, mut next) = (vec![], 0);
    while let Some(open) = runs.get(next) {
        let closes = |run: &Range<usize>| run.len() == open.len();
        match runs[next + 1..].iter().position(closes) {
            Some(further) => {
                let close = next + 1 + further;
                spans.push(open.start..runs[close].end);
                next = close + 1;
            }
            None => next += 1,
        }
    }
    spans
}

/// Adds words without code, addresses as code.
fn add_words(words: &str, shown: &mut String) {
    let mut done = 0;
    for address in ADDRESS.find_iter(words) {
        add_escaped(&words[done..address.start()], shown);
        shown.push('`');
        shown.push_str(address.as_str());
        shown.push('`');
        done = address.end();
    }
    add_escaped(&words[done..], shown);
}

fn add_escaped(words: &str, shown: &mut String) {
    let mut letters = words.chars().peekable();
    let mut open_brackets = 0_usize;
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let is_closing = letter == ']' && open_brackets > 0;
        match letter {
            '[' => open_brackets += 1,
            ']' => open_brackets = open_brackets.saturating_sub(1),
            _ => {}
        }
        let begins = match letter {
            '<' | '*' | '`' => true,
            // At the end it could close a bracket of the surrounding text.
            ']' => next.map_or(!is_closing, |next| matches!(next, '(' | '[' | ':')),
            '!' => next == Some('['),
            '\\' => next.is_none_or(|it| it.is_ascii_punctuation()),
            '&' => next.is_some_and(|it| it == '#' || it.is_ascii_alphabetic()),
            _ => false,
        };
        if begins {
            shown.push('\\');
        }
        shown.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_images_tags_and_addresses_of_a_recording_are_words() {
        for (words, expected) in [
            ("[x](javascript:alert(1))", r"[x\](`javascript:alert(1))`"),
            ("![](http://a.b/c.png)", r"\![\](`http://a.b/c.png`)"),
            ("[x][y] and [y]: http://a.b", r"[x\][y] and [y\]: `http://a.b`"),
            ("<http://a.b> <img src=x>", r"\<`http://a.b`> \<img src=x>"),
            ("see https://a.b/c, www.a.b/d.", "see `https://a.b/c`, `www.a.b/d`."),
            ("mail ann@a.org", "mail `ann@a.org`"),
            (r"\[x](u) \<b>", r"\\[x\](u) \\\<b>"),
            ("&lt;b&gt; a & b", r"\&lt;b\&gt; a & b"),
        ] {
            assert_eq!(escape_markdown(words), expected);
        }
    }

    #[test]
    fn what_is_code_stays_and_a_backtick_that_closes_nothing_is_one() {
        for (words, expected) in [
            ("the `a[0](x)` of <b>", r"the `a[0](x)` of \<b>"),
            ("``` `x [u](v) `", r"\`\`\` `x [u](v) `"),
            ("a ` [u](v)", r"a \` [u\](v)"),
            ("[0.632, 0.881] and C:\\a", "[0.632, 0.881] and C:\\a"),
            ("0.54 [0.33, 0.75]", "0.54 [0.33, 0.75]"),
            ("0.33, 0.75]", r"0.33, 0.75\]"),
        ] {
            assert_eq!(escape_markdown(words), expected);
        }
    }
}
