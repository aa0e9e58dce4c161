//! The marks beside the lines of a file: complexity, rules, clones.

use crate::session::{
    files::compared::Compared,
    marks::{Mark, Sort},
    measured::Moved,
};

/// The marks of the file that the diff shows.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub moved: &'a Moved,
    pub(super) marks: &'a [Mark],
}

impl<'a> Shown<'a> {
    /// Those that begin in a line, and those that the first line of a hunk stands in the middle of.
    pub fn at(&self, line: usize, compared: &Compared) -> impl Iterator<Item = &'a Mark> {
        let begins_hunk = compared.hunks().iter().any(|hunk| hunk.new_start == line);
        let begins_hunk = begins_hunk && !compared.is_whole_file();
        self.over(line).filter(move |mark| mark.span.start as usize == line || begins_hunk)
    }

    /// Those that a line lies in.
    pub fn over(&self, line: usize) -> impl Iterator<Item = &'a Mark> {
        let is_over =
            move |mark: &&Mark| (mark.span.start as usize..=mark.span.end as usize).contains(&line);
        self.marks.iter().filter(is_over)
    }
}

/// `▲ CC 14`, `§ rule-id`, `≡ 2 clones`
pub fn label(mark: &Mark) -> String {
    match &mark.what {
        Sort::Callable { cc, .. } => format!("▲ CC {cc}"),
        Sort::Rule(id) => format!("§ {id}"),
        Sort::Clone { others } => format!("≡ {} alike", others.len() + 1),
    }
}
