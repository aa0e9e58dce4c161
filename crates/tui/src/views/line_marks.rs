//! The marks next to the lines of a file: complexity, rules, clones.

use crate::session::{
    code_marks::{CodeMark, MarkKind},
    code_measures::MovedScores,
    files::compared_file::ComparedFile,
};

/// The marks of the file that the diff shows.
#[derive(Debug, Clone, Copy)]
pub struct ShownMarks<'a> {
    pub moved: &'a MovedScores,
    pub(super) marks: &'a [CodeMark],
}

impl<'a> ShownMarks<'a> {
    /// Returns the marks that begin in a line. The first line of a hunk also has the marks that contain it.
    pub(crate) fn marks_at_line(
        &self,
        line: usize,
        compared: &ComparedFile,
    ) -> impl Iterator<Item = &'a CodeMark> {
        let begins_hunk = compared.hunks().iter().any(|hunk| hunk.new_start == line);
        let begins_hunk = begins_hunk && !compared.is_whole_file();
        self.marks_over_line(line)
            .filter(move |mark| mark.span.start as usize == line || begins_hunk)
    }

    /// Returns the marks that contain a line.
    pub(crate) fn marks_over_line(&self, line: usize) -> impl Iterator<Item = &'a CodeMark> {
        let is_over = move |mark: &&CodeMark| {
            (mark.span.start as usize..=mark.span.end as usize).contains(&line)
        };
        self.marks.iter().filter(is_over)
    }
}

/// Returns `▲ CC 14`, `§ rule-id`, `≡ 2 clones`.
pub(crate) fn mark_label(mark: &CodeMark) -> String {
    match &mark.what {
        MarkKind::Callable { cc, .. } => format!("▲ CC {cc}"),
        MarkKind::Rule(id) => format!("§ {id}"),
        MarkKind::Clone { others } => format!("≡ {} alike", others.len() + 1),
    }
}
