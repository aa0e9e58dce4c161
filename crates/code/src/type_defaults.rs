//! Defaults of type parameters (PEP 696, Python 3.13), which the grammar does not know: `class A[T = int]`.
//!
//! The same text as Python 3.12 would have it, byte for byte as long, so that every place of its tree is one of the text:
//! a default is written as the bound (`T : int`), or as a part of it where there is one (`T: int | bool`). Names and tokens stay
//! where they are.

/// Rewrites defaults as bounds; None where the text has no such default.
pub fn as_bounds(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < bytes.len() {
        let next = skip_words(bytes, at);
        if next > at {
            at = next;
            continue;
        }
        match list_after_keyword(bytes, at) {
            Some(open) => {
                at = each_default(bytes, open, &mut |place, sign| {
                    let bytes = changed.get_or_insert_with(|| text.as_bytes().to_vec());
                    bytes[place] = sign;
                })
            }
            None => at = after_word(bytes, at),
        }
    }
    changed.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Returns the end of the comment or string that begins here; here where none does.
fn skip_words(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'#' => bytes[at..].iter().position(|it| *it == b'\n').map_or(bytes.len(), |by| at + by),
        quote @ (b'"' | b'\'') => {
            let is_long = bytes[at..].starts_with(&[quote; 3]);
            let length = if is_long { 3 } else { 1 };
            let mut end = at + length;
            while end < bytes.len() {
                match bytes[end] {
                    b'\\' => end += 2,
                    b'\n' if !is_long => return end,
                    it if it == quote && bytes[end..].starts_with(&[quote; 3][..length]) => {
                        return end + length;
                    }
                    _ => end += 1,
                }
            }
            bytes.len()
        }
        _ => at,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn after_word(bytes: &[u8], at: usize) -> usize {
    let length = bytes[at..].iter().take_while(|it| is_word(**it)).count();
    at + length.max(1)
}

/// Returns the place after the bracket of `class NAME[`, `def NAME[` and `type NAME[`.
fn list_after_keyword(bytes: &[u8], at: usize) -> Option<usize> {
    let is_start = at == 0 || !is_word(bytes[at - 1]) && bytes[at - 1] != b'.';
    let word = &bytes[at..after_word(bytes, at)];
    if !is_start || ![&b"class"[..], b"def", b"type"].contains(&word) {
        return None;
    }
    let blank = |from: usize| {
        from + bytes[from..].iter().take_while(|it| matches!(it, b' ' | b'\t')).count()
    };
    let name = blank(at + word.len());
    let end = name + bytes[name..].iter().take_while(|it| is_word(**it)).count();
    let open = blank(end);
    (name > at + word.len() && end > name && bytes.get(open) == Some(&b'[')).then_some(open + 1)
}

/// Calls `change` with each byte to be written otherwise between the brackets that were opened before `from`; returns the
/// place after them.
fn each_default(bytes: &[u8], from: usize, change: &mut impl FnMut(usize, u8)) -> usize {
    let (mut at, mut depth, mut has_bound) = (from, 0usize, false);
    while at < bytes.len() {
        let next = skip_words(bytes, at);
        if next > at {
            at = next;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b']' if depth == 0 => return at + 1,
            b']' => depth -= 1,
            b',' if depth == 0 => has_bound = false,
            b':' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => has_bound = true,
            b'=' if depth == 0 && is_assignment(bytes, at) => {
                change(at, if has_bound { b'|' } else { b':' });
                has_bound = true;
                // `*Ts = *tuple[int]`: a bound has no star.
                let blanks =
                    bytes[at + 1..].iter().take_while(|it| it.is_ascii_whitespace()).count();
                if bytes.get(at + 1 + blanks) == Some(&b'*') {
                    change(at + 1 + blanks, b' ');
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns whether an equals sign is no part of a comparison.
fn is_assignment(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    bytes.get(at + 1) != Some(&b'=') && !matches!(before, Some(b'=' | b'!' | b'<' | b'>' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{self, Grammar};
    use proptest::prelude::*;

    #[test]
    fn a_default_becomes_a_bound_and_the_grammar_reads_it() {
        for (written, wanted) in [
            ("class A[T = int]:\n    pass\n", "class A[T : int]:\n    pass\n"),
            ("def f[T: int = bool](x=1): pass\n", "def f[T: int | bool](x=1): pass\n"),
            ("type X[T=int] = list[T]\n", "type X[T:int] = list[T]\n"),
            (
                "class B[*Ts = *tuple[int, str], **P = [int, str]]: pass\n",
                "class B[*Ts :  tuple[int, str], **P : [int, str]]: pass\n",
            ),
            (
                "async def f[\n    T = dict[str, int],  # = x\n    U = T,\n]() -> T: pass\n",
                "async def f[\n    T : dict[str, int],  # = x\n    U : T,\n]() -> T: pass\n",
            ),
            ("class C[T = 'A = B']: pass\n", "class C[T : 'A = B']: pass\n"),
        ] {
            let found = as_bounds(written).unwrap();
            assert_eq!(found, wanted);
            let tree = tree::parse_tree(Grammar::Python, found.as_bytes()).unwrap();
            assert!(!tree.root_node().has_error(), "{found}: {}", tree.root_node().to_sexp());
        }
    }

    #[test]
    fn a_text_without_one_is_left_alone() {
        for text in [
            "class A[T]: pass\n",
            "def f[T: int](x=1, *, y=[a == b]): pass\n",
            "s = 'class A[T = int]: pass'\n# class A[T = int]\n",
            "type = x[y]\ntype[x] = 3\nself.type[a] = b\n",
            "type X[T] = list[T]\n",
            "classes[a] = 1\nx = '''\nclass A[T = int]: pass\n'''\n",
            "class A[T: (x := int)]: pass\n",
        ] {
            assert_eq!(as_bounds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_it_keeps_its_length_and_its_lines(text in "(class A\\[|def f\\[|T|=|:|\\*|\\]|,|\"|'|#|\n| |é){0,40}") {
            if let Some(found) = as_bounds(&text) {
                prop_assert_eq!(found.len(), text.len());
                prop_assert_eq!(found.lines().count(), text.lines().count());
            }
        }
    }
}
