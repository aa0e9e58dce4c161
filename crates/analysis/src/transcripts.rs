//! Transcripts of two recordings, aligned: reads the requests and the arguments of calls, which an index does not keep.

use rayon::prelude::*;

use trajview_run::{Edit, Run, Step, StepId, StepKind, StepText, first_line_label};
use trajview_store::Archive;
use trajview_study::compare::{
    ComparedTranscripts, ItemKind, MAX_STEPS, RowKind, Transcript, TranscriptItem, TranscriptRow,
    fingerprint_of,
};

/// Aligns the transcripts of two runs; see [`trajview_study::compare::ComparedTranscripts`].
pub fn compare_transcripts(a: (&Archive, &Run), b: (&Archive, &Run)) -> ComparedTranscripts {
    align_transcripts([a, b], [read_transcript(a), read_transcript(b)])
}

/// Aligns the transcript of each of the others with that of the base, which is read once.
pub fn transcripts_with_base(
    base: (&Archive, &Run),
    others: &[(&Archive, &Run)],
) -> Vec<ComparedTranscripts> {
    let of_base = read_transcript(base);
    let align = |it: &(&Archive, &Run)| {
        align_transcripts([base, *it], [of_base.clone(), read_transcript(*it)])
    };
    others.iter().map(align).collect()
}

fn align_transcripts(sides: [(&Archive, &Run); 2], [a, b]: [Transcript; 2]) -> ComparedTranscripts {
    let mut both = ComparedTranscripts::align(a, b);
    let lines: Vec<_> =
        both.rows.par_iter().map(|row| differing_lines(&both, row, sides)).collect();
    for (row, lines) in both.rows.iter_mut().zip(lines) {
        row.lines = lines;
    }
    both
}

/// Returns the first line in which two changed items differ, where their lines are equal.
fn differing_lines(
    both: &ComparedTranscripts,
    row: &TranscriptRow,
    sides: [(&Archive, &Run); 2],
) -> Option<Box<[Box<str>; 2]>> {
    let [Some(a), Some(b)] = both.items_of(row) else { return None };
    if row.kind != RowKind::Changed || a.line != b.line {
        return None;
    }
    let [a, b] =
        [(a, sides[0]), (b, sides[1])].map(|(item, (archive, run))| full_text(archive, run, item));
    let (mut a, mut b) = (a.lines(), b.lines());
    loop {
        let lines = (a.next(), b.next());
        if let (None, None) = lines {
            return None;
        }
        if lines.0 != lines.1 {
            let shown = |line: Option<&str>| match line {
                Some(line) => first_line_label(line),
                None => "no more lines".into(),
            };
            return Some(Box::new([shown(lines.0), shown(lines.1)]));
        }
    }
}

/// Returns the request, or the arguments of a call, as they are compared.
fn full_text(archive: &Archive, run: &Run, item: &TranscriptItem) -> String {
    match item.step {
        None => archive.request_text(run, item.turn),
        Some(step) => {
            let text = archive.step_text(run, step);
            without_root(text.arguments.as_deref().unwrap_or_default(), run)
        }
    }
}

fn read_transcript((archive, run): (&Archive, &Run)) -> Transcript {
    let steps = run.numbered_steps();
    let left_out = steps.len().saturating_sub(MAX_STEPS);
    let step_item = |(id, number): &(StepId, usize)| {
        let step = run.step(*id)?;
        let is_call = is_call(step);
        let text = if is_call { archive.step_text(run, *id) } else { StepText::default() };
        Some(new_step_item(run, (*id, *number), step, &text))
    };
    let kept = &steps[..steps.len() - left_out];
    let items: Vec<TranscriptItem> = kept.par_iter().filter_map(step_item).collect();
    let last = kept.last().map_or(0, |(id, _)| id.turn);
    let turns = 0..if left_out > 0 { last + 1 } else { run.turns.len() };
    let requests: Vec<Option<TranscriptItem>> =
        turns.into_par_iter().map(|turn| request_item(archive, run, turn)).collect();
    let mut items = items.into_iter().peekable();
    let mut all = vec![];
    for (turn, request) in requests.into_iter().enumerate() {
        all.extend(request);
        while let Some(item) = items.next_if(|item| item.turn == turn) {
            all.push(item);
        }
    }
    Transcript { items: all, left_out }
}

fn request_item(archive: &Archive, run: &Run, turn: usize) -> Option<TranscriptItem> {
    let recorded = run.turns.get(turn)?;
    recorded.request.as_ref()?;
    let words = archive.request_text(run, turn);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(TranscriptItem {
        turn,
        step: None,
        number: 0,
        kind: ItemKind::Request,
        name: ItemKind::Request.word().into(),
        line: recorded.title.clone(),
        has_failed: false,
        fingerprint: fingerprint_of(&words),
        family: fingerprint_of(&ItemKind::Request.word()),
    })
}

/// Returns whether a step calls a tool, starts an agent or edits a file.
fn is_call(step: &Step) -> bool {
    step.tool.is_some() || !step.edits.is_empty() || step.kind == StepKind::SubAgent
}

fn new_step_item(
    run: &Run,
    (id, number): (StepId, usize),
    step: &Step,
    text: &StepText,
) -> TranscriptItem {
    let is_call = is_call(step);
    let tool = step.tool.as_ref().map(|tool| &*tool.name).filter(|name| !name.is_empty());
    let name = tool.unwrap_or_else(|| match step.edits.first() {
        Some(edit) if is_call => edit.kind.word(),
        _ => step.kind.word(),
    });
    let edits: Vec<_> = step.edits.iter().map(edit_key).collect();
    let arguments = text.arguments.as_deref().map(|words| without_root(words, run));
    let shown = without_root(&step.label, run);
    // Without arguments the label and the sizes of the edits are all that the recording has of the call.
    let sizes = arguments.is_none().then(|| {
        let sizes = step.edits.iter().map(|edit| (edit.added, edit.removed));
        (shown.clone(), sizes.collect::<Vec<_>>())
    });
    let first_file = step.edits.first().map(|edit| edit.path.as_str());
    let first_name = first_file.map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
    TranscriptItem {
        turn: id.turn,
        step: Some(id),
        number,
        kind: if is_call { ItemKind::Call } else { ItemKind::Text },
        name: name.into(),
        line: shown.into(),
        has_failed: step.has_failed(),
        fingerprint: fingerprint_of(&(name, arguments, sizes, edits)),
        family: fingerprint_of(&(name, first_name)),
    }
}

fn edit_key(edit: &Edit) -> (&'static str, String) {
    (edit.kind.word(), edit.path.as_str().to_owned())
}

/// Returns the words with paths relative to the folder of the agent: two runs of one task work in folders of other names.
fn without_root(words: &str, run: &Run) -> String {
    let root = run.origin.root.as_deref().map(|root| root.trim_end_matches(['/', '\\']));
    let lines = |words: &str| words.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let Some(root) = root.filter(|root| root.len() > 1 && words.contains(root)) else {
        return lines(words);
    };
    let (mut shortened, mut copied) = (String::with_capacity(words.len()), 0);
    for (at, _) in words.match_indices(root) {
        let after = &words[at + root.len()..];
        if at < copied || !starts_path(&words[..at]) || !ends_path(after) {
            continue;
        }
        shortened.push_str(&words[copied..at]);
        let below = after.strip_prefix('/');
        shortened.push_str(if below.is_some() { "" } else { "." });
        copied = words.len() - below.unwrap_or(after).len();
    }
    shortened.push_str(&words[copied..]);
    lines(&shortened)
}

/// Returns whether a path can start after this text: `/src` and `$HOME` go on in `/app`, a blank, a quote and an escaped end of
/// a line do not.
fn starts_path(before: &str) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || "_-.~})".contains(letter);
    let escaped = ["\\n", "\\t", "\\r"].iter().any(|it| before.ends_with(it));
    escaped || !before.ends_with(is_inside)
}

/// Returns whether the name of a folder ends before this text: `/app` does before `/x`, a blank and a full stop, not in
/// `/application` and `/app.py`.
fn ends_path(after: &str) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    !after.trim_start_matches('.').starts_with(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_the_folder_of_the_agent_are_relative_and_those_elsewhere_stay() {
        let mut run = Run::default();
        run.origin.root = Some("/tmp/w1".into());

        let words = without_root("cd /tmp/w1 && cat /tmp/w1/a.py /etc/hosts  \nls", &run);

        assert_eq!(words, "cd . && cat a.py /etc/hosts\nls");
    }

    #[test]
    fn a_folder_whose_name_only_begins_or_ends_like_that_of_the_agent_stays() {
        let mut run = Run::default();
        run.origin.root = Some("/app".into());

        for (words, expected) in [
            ("ls /application /app.py /app-2/x", "ls /application /app.py /app-2/x"),
            ("ls /src/app ../app $HOME/app", "ls /src/app ../app $HOME/app"),
            ("cd /app; ls '/app/x' --at=/app/y:/app.", "cd .; ls 'x' --at=y:.."),
            ("\"a\\n/app/x\"", "\"a\\nx\""),
            ("/app/app/x /app", "app/x ."),
        ] {
            assert_eq!(without_root(words, &run), expected);
        }
    }
}
