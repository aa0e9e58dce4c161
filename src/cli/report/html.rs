//! The report as one page of HTML: it contains its style and script, and makes no network requests.

use std::collections::{BTreeMap, BTreeSet};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    budget, charts,
    html_text::{Words, cut_text, fact_list, script_hash, slug},
    report_data::{
        ComponentPart, DiffTarget, FilePart, LabelPart, LeftOutPart, ReportMaterial, ReportSection,
        RunPart, SectionPart, StepPart, TableCells, TurnPart,
    },
};

use trajview_run::format_number;

const STYLE: &str = trajview_assets::REPORT_STYLE;
const SCRIPT: &str = trajview_assets::REPORT_SCRIPT;

const KEYS: [(&str, &str); 8] = [
    ("j", "next turn"),
    ("k", "turn before"),
    ("/", "search in all texts"),
    ("o", "expand this turn"),
    ("c", "collapse this turn"),
    ("g", "to the top"),
    ("t", "light, dark, or system"),
    ("?", "this help"),
];

/// Returns the page. A text of more bytes than `most` is cut.
pub(crate) fn html_page(report: &ReportMaterial, most: usize) -> String {
    let title = Words(&report.title);
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'",
        script_hash(SCRIPT)
    );
    let is_several = report.runs.len() > 1;
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" { "\n"
            head { "\n"
                meta charset="utf-8"; "\n"
                meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                meta http-equiv="Content-Security-Policy" content=(policy); "\n"
                title { (title) " · trajview" } "\n"
                style { "\n" (PreEscaped(STYLE)) } "\n"
            } "\n"
            body { "\n"
                (bar(title))
                div.page { "\n"
                    (navigation(report))
                    main id="main" { "\n"
                        header id="top" {
                            h1 { (title) }
                            (fact_list("facts", &report.made_of))
                            p.soft {
                                "Below each heading stands the command that prints its numbers again. A dash is what is not \
                                 known; it is never 0."
                            }
                        } "\n"
                        @for it in &report.sections { (section("", it, &BTreeSet::new())) }
                        @if is_several { (all_curves(report)) }
                        @for run in &report.runs { (run_part(run, is_several, most)) }
                    } "\n"
                } "\n"
                script { (PreEscaped(SCRIPT)) } "\n"
            } "\n"
        } "\n"
    };
    page.into_string()
}

fn bar(title: Words<'_>) -> Markup {
    html! {
        a.skip href="#main" { "To the content" } "\n"
        div.bar {
            strong { (title) }
            input id="search" type="search" placeholder="Search (/)" aria-label="Search in all texts"
                autocomplete="off" spellcheck="false";
            button id="theme" type="button" { "Theme: auto" }
            button id="keys" type="button" aria-label="Keys" { "?" }
        } "\n"
        div id="hits" role="status" hidden {} "\n"
        dialog id="help" aria-label="Keys" {
            h4 { "Keys" }
            table { tbody {
                @for (key, does) in KEYS { tr { td { kbd { (key) } } td { (does) } } }
            } }
            form method="dialog" { p { button { "Close" } } }
        } "\n"
    }
}

/// Returns the name of a run among several: `a · codex-p12`.
fn lettered_name(run: &RunPart) -> Markup {
    html! { (Words(run.prefix.trim_end_matches('-'))) " · " (Words(&run.id)) }
}

fn navigation(report: &ReportMaterial) -> Markup {
    let is_several = report.runs.len() > 1;
    html! {
        nav aria-label="Contents" {
            ul {
                (link("top", "What this is"))
                @for section in &report.sections { (link(&section.id, &section.title)) }
                @if is_several { (link("curves", "Curves of all runs")) }
            }
            @for run in &report.runs {
                @let prefix = &run.prefix;
                @if is_several { h2 { (lettered_name(run)) } }
                ul {
                    (link(&format!("{prefix}run"), "Provenance"))
                    @if !run.curves.points.is_empty() {
                        (link(&format!("{prefix}curves"), "Curves"))
                    }
                    @if !run.components.is_empty() {
                        (link(&format!("{prefix}components"), "Components and evidence"))
                    }
                    @for section in &run.sections {
                        (link(&format!("{prefix}{}", section.id), &section.title))
                    }
                }
                @if !run.turns.is_empty() { h2 { "Turn by turn" } }
                ol {
                    @for turn in &run.turns {
                        li { a href={ "#" (prefix) "turn-" (turn.turn) } {
                            span.n { (turn.turn) } " " (Words(&turn.title))
                        } }
                    }
                }
            }
        } "\n"
    }
}

fn link(id: &str, title: &str) -> Markup {
    html! { li { a href={ "#" (id) } { (Words(title)) } } }
}

/// Shows where numbers come from, behind a heading.
fn source(word: &str) -> Markup {
    html! { " " span.source { (Words(word)) } }
}

/// Shows the curves of all runs below each other.
fn all_curves(report: &ReportMaterial) -> Markup {
    let most =
        report.runs.iter().filter_map(|run| charts::largest_value(&run.curves)).reduce(f64::max);
    html! {
        section id="curves" {
            h2 { "Curves of all runs" (source("computed")) }
            @for run in &report.runs {
                h3 { a href={ "#" (run.prefix) "run" } { (lettered_name(run)) } }
                (chart_or_note(charts::curves_svg(&run.curves, &run.id, most)))
            }
        } "\n"
    }
}

fn chart_or_note(chart: String) -> Markup {
    html! {
        @if chart.is_empty() { p.soft { "— no measurements" } }
        @else { div.scroll tabindex="0" { (PreEscaped(chart)) } }
    }
}

/// Shows a section; `places` is where cells may lead.
fn section(prefix: &str, it: &ReportSection, places: &BTreeSet<String>) -> Markup {
    let title = Words(&it.title);
    html! {
        section id={ (prefix) (it.id) } {
            h3 { (title) (source(&it.source)) }
            (command_line(it.command.as_deref()))
            @for part in &it.parts {
                @match part {
                    SectionPart::Line(line) if line.is_empty() => {},
                    SectionPart::Line(line) => p data-find=(title) { (Words(line)) },
                    SectionPart::Table(cells) => (table(cells, title, (prefix, places))),
                    SectionPart::Figure(svg) => div.scroll tabindex="0" { (PreEscaped(svg)) },
                }
            }
            @for note in &it.notes { p.soft { (Words(note)) } }
        } "\n"
    }
}

fn command_line(command: Option<&str>) -> Markup {
    html! {
        @if let Some(command) = command.filter(|it| !it.is_empty()) {
            code.command { (Words(command)) }
        }
    }
}

/// Returns the addresses of turns, steps and components.
fn run_addresses(run: &RunPart) -> BTreeSet<String> {
    let components = run.components.iter().map(|it| format!("component-{}", slug(&it.component)));
    let turns = run.turns.iter().flat_map(|turn| {
        let steps = turn.steps.iter().map(|step| format!("turn-{}-step-{}", turn.turn, step.step));
        steps.chain([format!("turn-{}", turn.turn)])
    });
    components.chain(turns).collect()
}

/// Returns the address that a cell links to, if its column names a turn, step or component.
fn cell_address(head: &str, cell: &str, places: &BTreeSet<String>) -> Option<String> {
    let place = match head.trim_start_matches('>') {
        "turn" | "in turn" => format!("turn-{cell}"),
        "step" | "failed at" | "recovered at" => match cell.split_once('.') {
            Some((turn, step)) => format!("turn-{turn}-step-{step}"),
            None => format!("turn-{cell}"),
        },
        "component" | "component lost" => format!("component-{}", slug(cell)),
        _ => return None,
    };
    places.contains(&place).then_some(place)
}

/// Cells of so many letters are not broken into lines.
const SHORT_CELL: usize = 24;

fn table(
    cells: &TableCells,
    title: Words<'_>,
    (prefix, places): (&str, &BTreeSet<String>),
) -> Markup {
    let is_number = |column: usize| cells.heads.get(column).is_some_and(|it| it.starts_with('>'));
    let class = |column: usize, cell: &str| match is_number(column) {
        true => Some("r"),
        false => (cell.chars().count() <= SHORT_CELL).then_some("s"),
    };
    let head_of = |column: usize| cells.heads.get(column).map_or("", String::as_str);
    let shown = |cell: &'_ str| html! { @if cell == "-" { "—" } @else { (Words(cell)) } };
    let [most, all] = [budget::MOST_ROWS, cells.rows.len()]
        .map(|count| format_number::with_thousands(count as u64));
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                @for (column, head) in cells.heads.iter().enumerate() {
                    th scope="col" class=[is_number(column).then_some("r")] {
                        (Words(head.trim_start_matches('>')))
                    }
                }
            } }
            tbody {
                @for row in cells.rows.iter().take(budget::MOST_ROWS) {
                    tr data-find=(title) {
                        @for (column, cell) in row.iter().enumerate() {
                            td class=[class(column, cell)] {
                                @match cell_address(head_of(column), cell, places) {
                                    Some(place) => a href={ "#" (prefix) (place) } { (shown(cell)) },
                                    None => (shown(cell)),
                                }
                            }
                        }
                    }
                }
            }
        } }
        @if cells.rows.len() > budget::MOST_ROWS {
            p.cut { (most) " of " (all) " rows are shown; the command above prints all" }
        }
    }
}

fn left_out_parts(left_out: &[LeftOutPart]) -> Markup {
    html! {
        @for LeftOutPart { what, command } in left_out {
            p.cut { (Words(what)) "; this prints them:" }
            (command_line(Some(command)))
        }
    }
}

fn run_part(run: &RunPart, is_one_of_many: bool, most: usize) -> Markup {
    let prefix = &run.prefix;
    let shown = evidence_links(run, most);
    let places = run_addresses(run);
    let targets = linked_lines(&shown);
    let more = run.warnings.len().checked_sub(budget::MOST_WARNINGS + 1);
    html! {
        section id={ (prefix) "run" } {
            h2 {
                @if is_one_of_many { (lettered_name(run)) } @else { "Provenance" }
                (source("recorded"))
            }
            (fact_list("facts", &run.facts))
            (left_out_parts(&run.left_out))
            @for warning in run.warnings.iter().take(budget::MOST_WARNINGS) {
                p.soft { "warning: " (Words(warning)) }
            }
            @if let Some(more) = more {
                p.cut {
                    (format_number::count_with_noun(more + 1, "more warning"))
                    "; trajview show prints them"
                }
            }
        } "\n"
        @if !run.curves.points.is_empty() {
            section id={ (prefix) "curves" } {
                h3 {
                    "Erosion and verbosity, by " (Words(&run.curves.each)) (source("computed"))
                }
                (command_line(Some(&run.curves.command)))
                (chart_or_note(charts::curves_svg(
                    &run.curves,
                    &run.id,
                    charts::largest_value(&run.curves),
                )))
            } "\n"
        }
        (component_list(run, &shown))
        @for it in &run.sections { (section(prefix, it, &places)) }
        @for turn in &run.turns { (turn_part(run, turn, &targets, most)) }
    }
}

/// Returns the links of the evidence that is in the page: a line that is too far down links to its diff, a diff that is
/// left out to its turn.
fn evidence_links(run: &RunPart, most: usize) -> BTreeMap<DiffTarget, EvidenceLink> {
    let evidence = run.components.iter().flat_map(|it| &it.evidence);
    let shown = evidence.filter_map(|it| {
        let target = it.target?;
        let turn = run.turns.iter().find(|turn| turn.turn == target.turn)?;
        let Some(file) = turn.files.iter().find(|file| file.number == target.file) else {
            return Some((target, EvidenceLink::Turn(target.turn)));
        };
        let patch = file.patch.as_deref().unwrap_or_default();
        let line = target.line.filter(|line| {
            let patch = cut_text(patch, most.max(budget::MOST_EVIDENCE_BYTES)).0;
            numbered_lines(patch).any(|(_, class, number)| class == "a" && number == *line)
        });
        Some((target, EvidenceLink::Diff(DiffTarget { line, ..target })))
    });
    shown.collect()
}

/// The target of a link from evidence.
enum EvidenceLink {
    Turn(usize),
    Diff(DiffTarget),
}

type EvidenceLinks = BTreeMap<DiffTarget, EvidenceLink>;

type LinkedLines = BTreeMap<(usize, usize), BTreeSet<usize>>;

/// Returns the lines of diffs that something leads to, by turn and file.
fn linked_lines(shown: &EvidenceLinks) -> LinkedLines {
    let mut all = LinkedLines::new();
    for shown in shown.values() {
        if let EvidenceLink::Diff(DiffTarget { turn, file, line }) = shown {
            all.entry((*turn, *file)).or_default().extend(line);
        }
    }
    all
}

fn component_list(run: &RunPart, shown: &EvidenceLinks) -> Markup {
    let lives = charts::lifelines_svg(run);
    html! {
        @if !run.components.is_empty() {
            section id={ (run.prefix) "components" } {
                h3 { "Components and evidence" (source("judged")) }
                p.soft {
                    @match &run.judged_by {
                        Some(by) => { "judged by " (Words(by)) },
                        None => "— no judgements of this run",
                    }
                }
                @if !lives.is_empty() {
                    (command_line(Some(&run.curves.command)))
                    (chart_or_note(lives))
                    p.soft {
                        "By turn: a circle where a request asks for the component, a thick line while its code \
                         is in use, a dotted one while it is defined, ✗ where it is lost."
                    }
                }
                @for it in &run.components { (component(&run.prefix, it, shown)) }
            } "\n"
        }
    }
}

fn component(prefix: &str, it: &ComponentPart, shown: &EvidenceLinks) -> Markup {
    let id = Words(&it.component);
    let paragraphs = [Some(&it.rationale), it.missing.as_ref()].into_iter().flatten();
    html! {
        div.component id={ (prefix) "component-" (slug(&it.component)) } data-find=(id) {
            span.score {
                @match (&it.score, &it.level) {
                    (Some(score), Some(level)) => { (Words(score)) " " (Words(level)) },
                    (Some(score), None) => (Words(score)),
                    (None, _) => "—",
                }
            }
            h4 { (id) " " (Words(&it.name)) }
            @if !it.intent.is_empty() { p.soft { (Words(&it.intent)) } }
            @if let Some(turn) = it.committed {
                p.soft {
                    "committed to in "
                    @if turn <= budget::MOST_TURNS {
                        a href={ "#" (prefix) "turn-" (turn) } { "turn " (turn) }
                    } @else { "turn " (turn) }
                }
            }
            @for words in paragraphs.filter(|words| !words.is_empty()) { p { (Words(words)) } }
            @if !it.evidence.is_empty() {
                p.mono {
                    @for (at, evidence) in it.evidence.iter().enumerate() {
                        @if at > 0 { " · " }
                        @match evidence.target.and_then(|target| shown.get(&target)) {
                            Some(shown) => a href={ "#" (prefix) (anchor_of(shown)) } {
                                (Words(&evidence.place))
                            },
                            None => (Words(&evidence.place)),
                        }
                    }
                }
            }
            @for it in &it.labels { (label(it)) }
        } "\n"
    }
}

fn anchor_of(shown: &EvidenceLink) -> String {
    match shown {
        EvidenceLink::Turn(turn) => format!("turn-{turn}"),
        EvidenceLink::Diff(DiffTarget { turn, file, line }) => {
            let line = line.map(|line| format!("-line-{line}")).unwrap_or_default();
            format!("turn-{turn}-file-{file}{line}")
        }
    }
}

fn label(label: &LabelPart) -> Markup {
    let score = label.score.as_deref().unwrap_or("undone");
    let rest = [&label.blind, &label.reason, &label.note, &label.at];
    let rest = rest.into_iter().flatten().map(String::as_str).chain([label.on.as_str()]);
    let rest = rest.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ");
    html! {
        p {
            "labelled " b { (Words(score)) } " by " (Words(&label.annotator)) " "
            span.soft { (Words(&rest)) }
        }
    }
}

fn turn_part(run: &RunPart, turn: &TurnPart, targets: &LinkedLines, most: usize) -> Markup {
    let number = turn.turn;
    let id = format!("{}turn-{number}", run.prefix);
    let none = BTreeSet::new();
    let lines = |file: &FilePart| targets.get(&(number, file.number)).unwrap_or(&none);
    html! {
        section.turn id=(id) {
            h3 {
                a href={ "#" (id) } { "Turn " (number) }
                @if let Some(checkpoint) = &turn.checkpoint {
                    " " span.tag { (Words(checkpoint)) }
                }
            }
            (fact_list("inline", &turn.facts))
            @for state in &turn.state { p.state { (Words(state)) } }
            @match &turn.request {
                Some(request) => {
                    @let (words, cut) = cut_text(request, most);
                    div.request data-find={ "Turn " (number) } { (Words(words)) }
                    (cut_note(cut))
                },
                None => p.soft { "— no request recorded" },
            }
            @for added in &turn.added {
                details {
                    summary.soft { "added by the agent's program" }
                    (long_text(added, most, &format!("Turn {number}")))
                }
            }
            @for it in &turn.steps { (step(&id, number, it, most)) }
            @if turn.file_count > 0 {
                h4 {
                    "Files changed (" (format_number::with_thousands(turn.file_count as u64)) ")"
                }
            }
            @for it in &turn.files {
                (file(&format!("{id}-file-{}", it.number), (number, it), lines(it), most))
            }
            (left_out_parts(&turn.left_out))
        } "\n"
    }
}

fn cut_note(cut: Option<String>) -> Markup {
    html! { @if let Some(cut) = cut { p.cut { (cut) } } }
}

fn long_text(text: &str, most: usize, name: &str) -> Markup {
    let (words, cut) = cut_text(text, most);
    html! {
        @if !text.is_empty() {
            pre data-find=(Words(name)) { (Words(words)) }
            (cut_note(cut))
        }
    }
}

/// Shows a step: messages of the agent are open, everything else opens on demand.
fn step(turn: &str, number: usize, step: &StepPart, most: usize) -> Markup {
    let id = format!("{turn}-step-{}", step.step);
    let name = format!("{number}.{}", step.step);
    let depth = match step.depth {
        0 => String::new(),
        depth => format!(" d{}", depth.min(4)),
    };
    if step.what == "message" && step.call.is_none() && step.result.is_none() {
        let (words, cut) = cut_text(&step.text, most);
        return html! {
            div class={ "message" (depth) } id=(id) {
                a.soft href={ "#" (id) } { (name) }
                div data-find=(name) { (Words(words)) }
                (cut_note(cut))
            } "\n"
        };
    }
    html! {
        details class={ "step" (depth) } id=(id) {
            summary {
                span.n { (name) } b { (Words(&step.what)) } " " (Words(&step.label))
                @if let Some(outcome) = &step.outcome {
                    " " span.soft.fails[step.is_error] { (Words(outcome)) }
                }
            }
            @for edit in &step.edits { p.mono { (Words(edit)) } }
            (long_text(&step.text, most, &name))
            (long_text(step.call.as_deref().unwrap_or_default(), most, &name))
            @match &step.result {
                Some(result) if result.is_empty() => p.soft { "an empty result" },
                Some(result) => (long_text(result, most, &name)),
                None => {},
            }
        } "\n"
    }
}

/// The most lines of a diff that is open at first.
const MOST_OPEN_LINES: usize = 40;

fn file(
    id: &str,
    (turn, file): (usize, &FilePart),
    targets: &BTreeSet<usize>,
    most: usize,
) -> Markup {
    let patch = file.patch.as_deref().unwrap_or_default();
    let is_open = !patch.is_empty() && patch.lines().count() <= MOST_OPEN_LINES;
    html! {
        details.file id=(id) open[is_open] {
            summary {
                (Words(&file.change)) " "
                span.mono {
                    @if let Some(from) = &file.from { (Words(from)) " → " }
                    (Words(&file.path))
                }
                " "
                @if let (Some(added), Some(removed)) = (file.added, file.removed) {
                    span.plus { "+" (added) } " " span.minus { "−" (removed) }
                } @else { span.soft { "—" } }
                @if file.origin != "recorded" { " " span.soft { (Words(&file.origin)) } }
            }
            @match &file.missing {
                Some(why) => p.soft { (Words(why)) },
                None => (diff(id, patch, targets, (most, &format!("Turn {turn} {}", file.path)))),
            }
        } "\n"
    }
}

fn diff(id: &str, patch: &str, targets: &BTreeSet<usize>, (most, name): (usize, &str)) -> Markup {
    let (shown, cut) = cut_text(patch, most);
    // A line that something leads to is shown, if it is not very far down.
    let (shown, cut) =
        match count_linked_lines(shown, targets) == count_linked_lines(patch, targets) {
            true => (shown, cut),
            false => cut_text(patch, most.max(budget::MOST_EVIDENCE_BYTES)),
        };
    let address = |class: &str, number: usize| {
        (class == "a" && targets.contains(&number)).then(|| format!("{id}-line-{number}"))
    };
    html! {
        pre.diff data-find=(Words(name)) {
            @for (line, class, number) in numbered_lines(shown) {
                span class=(class) id=[address(class, number)] { (Words(line)) }
            }
        }
        (cut_note(cut))
    }
}

/// Counts the linked lines that are in the patch.
fn count_linked_lines(patch: &str, targets: &BTreeSet<usize>) -> usize {
    let is_one =
        |(_, class, number): &(&str, &str, usize)| *class == "a" && targets.contains(number);
    if targets.is_empty() { 0 } else { numbered_lines(patch).filter(is_one).count() }
}

/// Returns the lines of a patch, each with its class and its number in the file as it is afterwards; that of a removed
/// line is the number of the line before, as that of a word about the end of the file.
fn numbered_lines(patch: &str) -> impl Iterator<Item = (&str, &'static str, usize)> {
    patch.lines().scan(0, |number, line| {
        let class = match line.as_bytes().first() {
            Some(b'+') => "a",
            Some(b'-') => "d",
            Some(b'@') => "h",
            Some(b'\\') => "n",
            _ => "c",
        };
        match class {
            "h" => *number = new_start(line).unwrap_or(1).saturating_sub(1),
            "d" | "n" => {}
            _ => *number += 1,
        }
        Some((line, class, *number))
    })
}

/// Makes `@@ -1,2 +3,4 @@`: 3.
fn new_start(head: &str) -> Option<usize> {
    head.split('+').nth(1)?.split([',', ' ']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_about_the_end_of_the_file_is_no_line_of_it() {
        let patch = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";

        let lines: Vec<_> =
            numbered_lines(patch).map(|(_, class, number)| (class, number)).collect();

        assert_eq!(lines, [("h", 0), ("c", 1), ("d", 1), ("n", 1), ("a", 2), ("n", 2)]);
    }
}
