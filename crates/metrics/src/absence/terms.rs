//! Words of code, prose and formulas as terms that can be compared: identifiers split into their words, words cut to a
//! stem, different words for one operation made the same.

use std::collections::BTreeMap;

/// Words of a text: identifiers whole and in pieces, words, numbers of two digits or more. In the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    Name(&'a str),
    Number(&'a str),
}

/// Calls `each` with what stands in a text.
pub fn tokens<'a>(text: &'a str, mut each: impl FnMut(Token<'a>)) {
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
            each(Token::Name(token));
        } else if is_number {
            each(Token::Number(token.trim_end_matches('.')));
        }
    }
}

fn length_while(text: &str, is_kept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_kept(c)).unwrap_or(text.len())
}

/// The words of an identifier: split at `_` and where capitals begin. `E` of `EMA` is none.
pub fn words(name: &str) -> Vec<&str> {
    let mut words = vec![];
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
                words.push(&part[chars[start].0..chars[at].0]);
                start = at;
            }
        }
        words.push(&part[chars.get(start).map_or(0, |(at, _)| *at)..]);
    }
    words
}

/// What a word is compared by; None for what says nothing: one letter, a word of every text or of every program.
pub fn key(word: &str) -> Option<String> {
    let small = greek(word).map_or_else(|| word.to_lowercase(), str::to_owned);
    if small.chars().count() < 2 || COMMON.contains(&small.as_str()) {
        return None;
    }
    let stem = stem(&small);
    Some(SAME.iter().find(|(other, _)| *other == stem).map_or(stem, |(_, one)| (*one).to_owned()))
}

/// What a number is compared by; None for a single digit, and for what is none.
pub fn number(written: &str) -> Option<String> {
    let trimmed = match written.contains('.') {
        true => written.trim_end_matches('0').trim_end_matches('.'),
        false => written,
    };
    (trimmed.len() > 1).then(|| trimmed.to_owned())
}

/// An identifier without regard to how its words are joined: what makes two of them the same symbol.
pub fn symbol(name: &str) -> String {
    let plain = name.rsplit('.').next().unwrap_or(name);
    let letters = plain.chars().filter(|c| *c != '_' && *c != '$');
    format!("={}", letters.flat_map(char::to_lowercase).collect::<String>())
}

/// The ends of English words that change their form, not their meaning: a light stemmer, one ending a word.
fn stem(word: &str) -> String {
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
    let found = ENDINGS.iter().find_map(|(ending, instead)| {
        let start = word.strip_suffix(ending)?;
        let is_word = start.chars().count() > 2 && !(*ending == "s" && start.ends_with('s'));
        is_word.then(|| format!("{start}{instead}"))
    });
    let mut stem = found.unwrap_or_else(|| word.to_owned());
    let mut chars = stem.chars().rev();
    let is_doubled = chars.next() == chars.next() && !stem.ends_with(['l', 's', 'z']);
    if is_doubled && stem.chars().count() > 3 {
        stem.pop();
    }
    stem
}

/// Stems that stand for one thing in formulas and in code: how programs call what mathematics writes, and the short
/// forms of three letters that names are full of.
const SAME: [(&str, &str); 30] = [
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
const COMMON: &[&str] = &[
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

/// Letters that formulas and some programs write as they are spoken of elsewhere.
fn greek(word: &str) -> Option<&'static str> {
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

/// Signs of a formula that name an operation, in the words of code.
const SIGNS: [(&str, &str); 6] = [
    ("∑", "sum"),
    ("Σ", "sum"),
    ("∏", "prod"),
    ("√", "sqrt"),
    ("~ N(", "gauss"),
    ("~ U", "uniform"),
];

/// The terms of a formula: its operations, the names in it of two letters or more, its telling numbers. By key.
pub fn formula(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut add = |key: Option<String>, written: &str| {
        if let Some(key) = key {
            found.entry(key).or_insert_with(|| written.to_owned());
        }
    };
    tokens(text, |token| match token {
        Token::Name(name) => words(name).into_iter().for_each(|word| add(key(word), word)),
        Token::Number(written) => add(number(written), written),
    });
    for (sign, word) in SIGNS {
        if text.contains(sign) {
            add(key(word), word);
        }
    }
    if text.matches('|').count() > 1 {
        add(key("norm"), "norm");
    }
    if text.contains("log") && text.contains("softmax") {
        add(key("entropy"), "cross entropy");
    }
    found
}
