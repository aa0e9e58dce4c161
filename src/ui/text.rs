pub fn safe(t: &str) -> String {
    t.replace('\t', "    ").chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
pub fn width(t: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(t)
}
pub fn truncate(t: &str, n: usize, e: &str) -> String {
    if width(t) <= n {
        t.into()
    } else {
        let mut s: String = t.chars().take(n - 1).collect();
        s.push_str(e);
        s
    }
}
