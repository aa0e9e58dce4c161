//! Turns words of code, prose and formulas into comparable terms: identifiers are split into their words, words are
//! cut to a stem, and different words for one operation become the same.

use std::collections::BTreeMap;

/// A word of a text: a name (identifier or word) or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextToken<'a> {
    Name(&'a str),
    Number(&'a str),
}

/// Calls `each` with every name and number of a text, in order.
pub fn for_each_token<'a>(text: &'a str, mut each: impl FnMut(TextToken<'a>)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = first.is_alphabetic() || first == '_';
        let is_number = first.is_ascii_digit();
        let length = match (is_name, is_number) {
            (true, _) => length_while(rest, |c| c.is_alphanumeric() || c == '_'),
            (_, true) => length_while(rest, |c| c.is_ascii_digit() || c == '.'),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        if is_name {
            each(TextToken::Name(token));
        } else if is_number {
            each(TextToken::Number(token.trim_end_matches('.')));
        }
    }
}

fn length_while(text: &str, is_kept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_kept(c)).unwrap_or(text.len())
}

/// Returns the words of an identifier, split at `_` and where capitals begin. The `E` of `EMA` is not a word of its
/// own.
pub fn identifier_words(name: &str) -> Vec<&str> {
    let mut identifier_words = vec![];
    for part in name.split('_').filter(|part| !part.is_empty()) {
        let chars: Vec<(usize, char)> = part.char_indices().collect();
        let mut start = 0;
        for at in 1..chars.len() {
            let (before, here) = (chars[at - 1].1, chars[at].1);
            let after = chars.get(at + 1).map(|(_, c)| *c);
            let is_end_of_capitals = before.is_uppercase()
                && here.is_uppercase()
                && after.is_some_and(char::is_lowercase);
            if (!before.is_uppercase() && here.is_uppercase()) || is_end_of_capitals {
                identifier_words.push(&part[chars[start].0..chars[at].0]);
                start = at;
            }
        }
        identifier_words.push(&part[chars.get(start).map_or(0, |(at, _)| *at)..]);
    }
    identifier_words
}

/// Returns the form by which a word is compared; None for one letter and for words that every text or every program
/// has.
pub fn word_key(word: &str) -> Option<String> {
    let small = greek_letter_name(word).map_or_else(|| word.to_lowercase(), str::to_owned);
    if small.chars().count() < 2 || STOP_WORDS.contains(&small.as_str()) {
        return None;
    }
    let stem = stem_word(&small);
    Some(
        SYNONYMS
            .iter()
            .find(|(other, _)| *other == stem)
            .map_or(stem, |(_, one)| (*one).to_owned()),
    )
}

/// Returns the form by which a number is compared; None for a single digit and for text that is not a number.
pub(crate) fn number_key(written: &str) -> Option<String> {
    let trimmed = match written.contains('.') {
        true => written.trim_end_matches('0').trim_end_matches('.'),
        false => written,
    };
    (trimmed.len() > 1).then(|| trimmed.to_owned())
}

/// Returns an identifier without the way its words are joined, so that two spellings of one symbol are equal.
pub fn symbol_key(name: &str) -> String {
    let plain = name.rsplit('.').next().unwrap_or(name);
    let letters = plain.chars().filter(|c| *c != '_' && *c != '$');
    format!("={}", letters.flat_map(char::to_lowercase).collect::<String>())
}

/// Removes at most one English ending that changes the form of a word but not its meaning (a light stemmer).
fn stem_word(word: &str) -> String {
    const ENDINGS: [(&str, &str); 17] = [
        ("isation", ""),
        ("ization", ""),
        ("ations", ""),
        ("ation", ""),
        ("ising", ""),
        ("izing", ""),
        ("ates", ""),
        ("ances", ""),
        ("ance", ""),
        ("ings", ""),
        ("ies", "y"),
        ("ing", ""),
        ("ate", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
    ];
    let terms = ENDINGS.iter().find_map(|(ending, instead)| {
        let start = word.strip_suffix(ending)?;
        let is_word = start.chars().count() > 2 && !(*ending == "s" && start.ends_with('s'));
        is_word.then(|| format!("{start}{instead}"))
    });
    let mut stem = terms.unwrap_or_else(|| word.to_owned());
    let mut chars = stem.chars().rev();
    let is_doubled = chars.next() == chars.next() && !stem.ends_with(['l', 's', 'z']);
    if is_doubled && stem.chars().count() > 3 {
        stem.pop();
    }
    stem
}

/// Stems that mean the same in formulas and in code, as (program's form, common form): names that programs use for
/// mathematical operations, and common three-letter abbreviations.
const SYNONYMS: [(&str, &str); 30] = [
    ("clamp", "clip"),
    ("randn", "gauss"),
    ("normalvari", "gauss"),
    ("gaussian", "gauss"),
    ("randint", "uniform"),
    ("randrang", "uniform"),
    ("averag", "mean"),
    ("avg", "mean"),
    ("ema", "mean"),
    ("hypot", "norm"),
    ("cdist", "dist"),
    ("epsilon", "eps"),
    ("logarithm", "log"),
    ("sinusoidal", "sin"),
    ("cosin", "cos"),
    ("exponential", "exp"),
    ("probability", "prob"),
    ("seq", "sequenc"),
    ("pos", "position"),
    ("rel", "relativ"),
    ("emb", "embed"),
    ("attn", "attention"),
    ("param", "parameter"),
    ("coord", "coordin"),
    ("cumprod", "abar"),
    ("alphabar", "abar"),
    ("onehot", "hot"),
    ("optimis", "optim"),
    ("optimiz", "optim"),
    ("optimizer", "optim"),
];

/// Words that every component or every program has.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "both", "but", "by", "can", "does", "each",
    "for", "from", "has", "have", "how", "if", "in", "into", "is", "it", "its", "itself", "not",
    "of", "on", "one", "only", "or", "other", "out", "over", "same", "so", "than", "that", "the",
    "their", "them", "then", "there", "these", "this", "to", "told", "too", "two", "until", "up",
    "use", "used", "uses", "using", "was", "what", "when", "where", "which", "while", "who",
    "with", "without", "you", "def", "self", "cls", "return", "returns", "import", "class", "fn",
    "pub", "let", "mut", "const", "var", "function", "func", "else", "elif", "none", "null",
    "true", "false", "int", "str", "float", "double", "void", "static", "public", "private", "new",
    "range",
];

/// Returns the name of a Greek letter; None for other words.
fn greek_letter_name(word: &str) -> Option<&'static str> {
    const LETTERS: [(&str, &str); 16] = [
        ("α", "alpha"),
        ("β", "beta"),
        ("γ", "gamma"),
        ("δ", "delta"),
        ("ε", "eps"),
        ("ϵ", "eps"),
        ("η", "eta"),
        ("θ", "theta"),
        ("λ", "lambda"),
        ("μ", "mu"),
        ("π", "pi"),
        ("σ", "sigma"),
        ("τ", "tau"),
        ("φ", "phi"),
        ("ϕ", "phi"),
        ("ω", "omega"),
    ];
    LETTERS.iter().find(|(letter, _)| *letter == word).map(|(_, name)| *name)
}

/// Signs of operations in formulas, with the word that code uses.
const SIGNS: [(&str, &str); 6] = [
    ("∑", "sum"),
    ("Σ", "sum"),
    ("∏", "prod"),
    ("√", "sqrt"),
    ("~ N(", "gauss"),
    ("~ U", "uniform"),
];

/// Returns the terms of a formula, keyed by their form for comparison: its operations, its names of two letters or
/// more, and its numbers of two digits or more.
pub(crate) fn formula_terms(text: &str) -> BTreeMap<String, String> {
    let mut terms = BTreeMap::new();
    let mut add = |key: Option<String>, written: &str| {
        if let Some(key) = key {
            terms.entry(key).or_insert_with(|| written.to_owned());
        }
    };
    for_each_token(text, |token| match token {
        TextToken::Name(name) => {
            identifier_words(name).into_iter().for_each(|word| add(word_key(word), word))
        }
        TextToken::Number(written) => add(number_key(written), written),
    });
    for (sign, word) in SIGNS {
        if text.contains(sign) {
            add(word_key(word), word);
        }
    }
    if text.matches('|').count() > 1 {
        add(word_key("norm"), "norm");
    }
    if text.contains("log") && text.contains("softmax") {
        add(word_key("entropy"), "cross entropy");
    }
    terms
}
