//! Keys in, frames out: the replay view without a terminal, always run until idle.

mod screen;

#[test]
fn look() {
    for (w, h, keys) in [
        (120, 40, "2l"),
        (80, 24, "2l"),
        (120, 40, "l s s s s <enter>"),
        (60, 15, "3l<tab><tab>"),
        (200, 50, "3l"),
        (120, 40, "?"),
        (120, 40, "i"),
        (120, 40, "/loss<enter>"),
    ] {
        eprintln!("== {w}x{h} {keys}\n{}", screen::text(w, h, keys));
    }
}
