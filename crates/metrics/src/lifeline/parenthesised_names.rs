//! The symbols that a component's name gives in parentheses: `Residue frames (frame_from_backbone)`.

/// Returns the names in the last parentheses, in order, each once. Words that are no names of code (`(optional, see
/// 3.2)`) and single letters, as in `E(n)`, are left out.
pub fn in_parentheses(name: &str) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for word in last_group(name).split([',', ';', '/']) {
        let word = word.trim().trim_matches('`');
        let word = word.strip_suffix("()").unwrap_or(word).replace("::", ".");
        if is_name(&word) && word.chars().count() > 1 && !names.contains(&word) {
            names.push(word);
        }
    }
    names
}

fn last_group(name: &str) -> &str {
    let (mut last, mut rest) = ("", name);
    while let Some((_, after)) = rest.split_once('(') {
        let Some(inside) = until_closed(after) else { break };
        rest = &after[inside.len()..];
        last = inside;
    }
    last
}

/// Returns the text up to the parenthesis that closes the one before it; None where none does.
fn until_closed(text: &str) -> Option<&str> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

fn is_name(word: &str) -> bool {
    let is_part = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
            && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    word.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_stand_in_parentheses_between_commas() {
        let names = in_parentheses(
            "Posteriors of E(n) (posterior_mean, `sample()`, Denoiser::forward, 3.2, a b, x)",
        );

        assert_eq!(names, ["posterior_mean", "sample", "Denoiser.forward"]);
    }

    #[test]
    fn a_name_without_parentheses_has_none() {
        assert_eq!(in_parentheses("E(n-equivariant layer (EGNN"), [""; 0]);
        assert_eq!(in_parentheses("Residue frames"), [""; 0]);
    }
}
