//! The report as one page of HTML: it contains its style and script, and makes no network requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::{
    budget, charts,
    html_text::{cut_text, escape_html, script_hash, slug, write_facts},
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
    ("o", "open everything of this turn"),
    ("c", "close everything of this turn"),
    ("g", "to the top"),
    ("t", "light, dark, or as the system has it"),
    ("?", "this help"),
];

/// Returns the page. A text of more bytes than `most` is cut.
pub(crate) fn html_page(report: &ReportMaterial, most: usize) -> String {
    let mut html = String::new();
    let title = escape_html(&report.title);
    let _ = write!(
        html, // a String takes everything
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{}'\">\n<title>{title} · trajview</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        script_hash(SCRIPT)
    );
    write_bar(&mut html, &title);
    html.push_str("<div class=\"page\">\n");
    write_navigation(&mut html, report);
    html.push_str("<main id=\"main\">\n");
    let _ = write!(html, "<header id=\"top\"><h1>{title}</h1>");
    write_facts(&mut html, "facts", &report.made_of);
    html.push_str(
        "<p class=\"soft\">Below each heading stands the command that prints its numbers again. A dash is what is not \
         known; it is never 0.</p></header>\n",
    );
    for section in &report.sections {
        write_section(&mut html, "", section, &BTreeSet::new());
    }
    if report.runs.len() > 1 {
        write_all_curves(&mut html, report);
    }
    for run in &report.runs {
        write_run(&mut html, run, report.runs.len() > 1, most);
    }
    let _ = write!(html, "</main>\n</div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    html
}

fn write_bar(html: &mut String, title: &str) {
    let _ = write!(
        html,
        "<a class=\"skip\" href=\"#main\">To the content</a>\n<div class=\"bar\"><strong>{title}</strong>\
         <input id=\"search\" type=\"search\" placeholder=\"Search (/)\" aria-label=\"Search in all texts\" \
         autocomplete=\"off\" spellcheck=\"false\"><button id=\"theme\" type=\"button\">Theme: auto</button>\
         <button id=\"keys\" type=\"button\" aria-label=\"Keys\">?</button></div>\n\
         <div id=\"hits\" role=\"status\" hidden></div>\n<dialog id=\"help\" aria-label=\"Keys\"><h4>Keys</h4><table><tbody>"
    );
    for (key, does) in KEYS {
        let _ = write!(html, "<tr><td><kbd>{key}</kbd></td><td>{does}</td></tr>");
    }
    html.push_str(
        "</tbody></table><form method=\"dialog\"><p><button>Close</button></p></form></dialog>\n",
    );
}

fn write_navigation(html: &mut String, report: &ReportMaterial) {
    html.push_str("<nav aria-label=\"Contents\"><ul><li><a href=\"#top\">What this is</a></li>");
    for section in &report.sections {
        write_link(html, &section.id, &section.title);
    }
    if report.runs.len() > 1 {
        write_link(html, "curves", "Curves of all runs");
    }
    html.push_str("</ul>");
    for run in &report.runs {
        let prefix = &run.prefix;
        if report.runs.len() > 1 {
            let letter = escape_html(prefix.trim_end_matches('-'));
            let _ = write!(html, "<h2>{letter} · {}</h2>", escape_html(&run.id));
        }
        html.push_str("<ul>");
        write_link(html, &format!("{prefix}run"), "Provenance");
        if !run.curves.points.is_empty() {
            write_link(html, &format!("{prefix}curves"), "Curves");
        }
        if !run.components.is_empty() {
            write_link(html, &format!("{prefix}components"), "Components and evidence");
        }
        for section in &run.sections {
            write_link(html, &format!("{prefix}{}", section.id), &section.title);
        }
        html.push_str("</ul>");
        if !run.turns.is_empty() {
            html.push_str("<h2>Turn by turn</h2>");
        }
        html.push_str("<ol>");
        for turn in &run.turns {
            let _ = write!(
                html,
                "<li><a href=\"#{prefix}turn-{0}\"><span class=\"n\">{0}</span> {1}</a></li>",
                turn.turn,
                escape_html(&turn.title)
            );
        }
        html.push_str("</ol>");
    }
    html.push_str("</nav>\n");
}

fn write_link(html: &mut String, id: &str, title: &str) {
    let _ = write!(html, "<li><a href=\"#{id}\">{}</a></li>", escape_html(title));
}

/// Writes the curves of all runs below each other.
fn write_all_curves(html: &mut String, report: &ReportMaterial) {
    html.push_str(
        "<section id=\"curves\"><h2>Curves of all runs <span class=\"source\">computed</span></h2>",
    );
    let most =
        report.runs.iter().filter_map(|run| charts::largest_value(&run.curves)).reduce(f64::max);
    for run in &report.runs {
        let letter = escape_html(run.prefix.trim_end_matches('-'));
        let (prefix, id) = (&run.prefix, escape_html(&run.id));
        let _ = write!(html, "<h3><a href=\"#{prefix}run\">{letter} · {id}</a></h3>");
        html.push_str(&chart_or_note(charts::curves_svg(&run.curves, &run.id, most)));
    }
    html.push_str("</section>\n");
}

fn chart_or_note(chart: String) -> String {
    match chart.is_empty() {
        true => "<p class=\"soft\">— nothing was measured</p>".into(),
        false => format!("<div class=\"scroll\" tabindex=\"0\">{chart}</div>"),
    }
}

/// Writes `places` is where cells may lead.
fn write_section(
    html: &mut String,
    prefix: &str,
    section: &ReportSection,
    places: &BTreeSet<String>,
) {
    let (id, title) = (&section.id, escape_html(&section.title));
    let _ = write!(
        html,
        "<section id=\"{prefix}{id}\"><h3>{title} <span class=\"source\">{}</span></h3>",
        escape_html(&section.source)
    );
    write_command(html, section.command.as_deref());
    for part in &section.parts {
        match part {
            SectionPart::Line(line) if line.is_empty() => {}
            SectionPart::Line(line) => {
                let _ = write!(html, "<p data-find=\"{title}\">{}</p>", escape_html(line));
            }
            SectionPart::Table(cells) => write_table(html, cells, &title, (prefix, places)),
        }
    }
    for note in &section.notes {
        let _ = write!(html, "<p class=\"soft\">{}</p>", escape_html(note));
    }
    html.push_str("</section>\n");
}

fn write_command(html: &mut String, command: Option<&str>) {
    if let Some(command) = command.filter(|it| !it.is_empty()) {
        let _ = write!(html, "<code class=\"command\">{}</code>", escape_html(command));
    }
}

/// Runs the addresses of turns, steps and components.
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

fn write_table(
    html: &mut String,
    cells: &TableCells,
    title: &str,
    (prefix, places): (&str, &BTreeSet<String>),
) {
    html.push_str("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    let is_number = |column: usize| cells.heads.get(column).is_some_and(|it| it.starts_with('>'));
    for head in &cells.heads {
        let class = if head.starts_with('>') { " class=\"r\"" } else { "" };
        let head = escape_html(head.trim_start_matches('>'));
        let _ = write!(html, "<th scope=\"col\"{class}>{head}</th>");
    }
    html.push_str("</tr></thead><tbody>");
    for row in cells.rows.iter().take(budget::MOST_ROWS) {
        let _ = write!(html, "<tr data-find=\"{title}\">");
        for (column, cell) in row.iter().enumerate() {
            let class = match (is_number(column), cell.chars().count() <= SHORT_CELL) {
                (true, _) => " class=\"r\"",
                (false, true) => " class=\"s\"",
                (false, false) => "",
            };
            let head = cells.heads.get(column).map_or("", String::as_str);
            let shown = if cell == "-" { "—".to_owned() } else { escape_html(cell) };
            let _ = match cell_address(head, cell, places) {
                Some(place) => {
                    write!(html, "<td{class}><a href=\"#{prefix}{place}\">{shown}</a></td>")
                }
                None => write!(html, "<td{class}>{shown}</td>"),
            };
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    if cells.rows.len() > budget::MOST_ROWS {
        let (shown, all) = (
            format_number::with_thousands(budget::MOST_ROWS as u64),
            format_number::with_thousands(cells.rows.len() as u64),
        );
        let _ = write!(
            html,
            "<p class=\"cut\">{shown} of {all} rows are shown; the command above prints all</p>"
        );
    }
}

fn write_left_out(html: &mut String, left_out: &[LeftOutPart]) {
    for LeftOutPart { what, command: printed_by } in left_out {
        let _ = write!(html, "<p class=\"cut\">{}; this prints them:</p>", escape_html(what));
        write_command(html, Some(printed_by));
    }
}

fn write_run(html: &mut String, run: &RunPart, is_one_of_many: bool, most: usize) {
    let prefix = &run.prefix;
    let letter = escape_html(prefix.trim_end_matches('-'));
    let name = if is_one_of_many {
        format!("{letter} · {}", escape_html(&run.id))
    } else {
        "Provenance".into()
    };
    let _ = write!(
        html,
        "<section id=\"{prefix}run\"><h2>{name} <span class=\"source\">recorded</span></h2>"
    );
    write_facts(html, "facts", &run.facts);
    write_left_out(html, &run.left_out);
    for warning in run.warnings.iter().take(budget::MOST_WARNINGS) {
        let _ = write!(html, "<p class=\"soft\">warning: {}</p>", escape_html(warning));
    }
    if let Some(more) = run.warnings.len().checked_sub(budget::MOST_WARNINGS + 1) {
        let more = format_number::count_with_noun(more + 1, "more warning");
        let _ = write!(html, "<p class=\"cut\">{more}; trajview show prints them</p>");
    }
    html.push_str("</section>\n");
    if !run.curves.points.is_empty() {
        let _ = write!(
            html,
            "<section id=\"{prefix}curves\"><h3>Erosion and verbosity, by {} <span class=\"source\">computed</span></h3>",
            escape_html(&run.curves.each)
        );
        write_command(html, Some(&run.curves.command));
        let most = charts::largest_value(&run.curves);
        html.push_str(&chart_or_note(charts::curves_svg(&run.curves, &run.id, most)));
        html.push_str("</section>\n");
    }
    let shown = evidence_links(run, most);
    write_components(html, run, &shown);
    let places = run_addresses(run);
    for section in &run.sections {
        write_section(html, prefix, section, &places);
    }
    let targets = linked_lines(&shown);
    for turn in &run.turns {
        write_turn(html, run, turn, &targets, most);
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

fn write_components(html: &mut String, run: &RunPart, shown: &EvidenceLinks) {
    if run.components.is_empty() {
        return;
    }
    let prefix = &run.prefix;
    let _ = write!(
        html,
        "<section id=\"{prefix}components\"><h3>Components and evidence <span class=\"source\">judged</span></h3>"
    );
    let by = run.judged_by.as_deref().map_or("— nothing has judged this run".into(), |by| {
        format!("judged by {}", escape_html(by))
    });
    let _ = write!(html, "<p class=\"soft\">{by}</p>");
    let lives = charts::lifelines_svg(run);
    if !lives.is_empty() {
        write_command(html, Some(&run.curves.command));
        html.push_str(&chart_or_note(lives));
        html.push_str(
            "<p class=\"soft\">By turn: a circle where the dialogue commits to the component, a thick line while its code \
             is in use, a dotted one while it is defined, ✗ where it is lost.</p>",
        );
    }
    run.components.iter().for_each(|component| write_component(html, prefix, component, shown));
    html.push_str("</section>\n");
}

fn write_component(html: &mut String, prefix: &str, it: &ComponentPart, shown: &EvidenceLinks) {
    let (id, name) = (escape_html(&it.component), escape_html(&it.name));
    let score = match (&it.score, &it.level) {
        (Some(score), Some(level)) => format!("{} {}", escape_html(score), escape_html(level)),
        (Some(score), None) => escape_html(score),
        (None, _) => "—".to_owned(),
    };
    let _ = write!(
        html,
        "<div class=\"component\" id=\"{prefix}component-{}\" data-find=\"{id}\"><span class=\"score\">{score}</span>\
         <h4>{id} {name}</h4>",
        slug(&it.component)
    );
    if !it.intent.is_empty() {
        let _ = write!(html, "<p class=\"soft\">{}</p>", escape_html(&it.intent));
    }
    if let Some(turn) = it.committed {
        let words = match turn <= budget::MOST_TURNS {
            true => format!("<a href=\"#{prefix}turn-{turn}\">turn {turn}</a>"),
            false => format!("turn {turn}"),
        };
        let _ = write!(html, "<p class=\"soft\">committed to in {words}</p>");
    }
    for words in [Some(&it.rationale), it.missing.as_ref()].into_iter().flatten() {
        if !words.is_empty() {
            let _ = write!(html, "<p>{}</p>", escape_html(words));
        }
    }
    if !it.evidence.is_empty() {
        html.push_str("<p class=\"mono\">");
        for (at, evidence) in it.evidence.iter().enumerate() {
            let place = escape_html(&evidence.place);
            let gap = if at > 0 { " · " } else { "" };
            let _ = match evidence.target.and_then(|target| shown.get(&target)) {
                Some(shown) => {
                    write!(html, "{gap}<a href=\"#{prefix}{}\">{place}</a>", anchor_of(shown))
                }
                None => write!(html, "{gap}{place}"),
            };
        }
        html.push_str("</p>");
    }
    it.labels.iter().for_each(|label| write_label(html, label));
    html.push_str("</div>\n");
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

fn write_label(html: &mut String, label: &LabelPart) {
    let score = label.score.as_deref().unwrap_or("taken back");
    let rest = [&label.blind, &label.reason, &label.note, &label.at];
    let rest = rest.into_iter().flatten().map(String::as_str).chain([label.on.as_str()]);
    let rest = rest.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ");
    let _ = write!(
        html,
        "<p>labelled <b>{}</b> by {} <span class=\"soft\">{}</span></p>",
        escape_html(score),
        escape_html(&label.annotator),
        escape_html(&rest)
    );
}

fn write_turn(
    html: &mut String,
    run: &RunPart,
    turn: &TurnPart,
    targets: &LinkedLines,
    most: usize,
) {
    let (prefix, number) = (&run.prefix, turn.turn);
    let id = format!("{prefix}turn-{number}");
    let tag = turn
        .checkpoint
        .as_ref()
        .map(|it| format!(" <span class=\"tag\">{}</span>", escape_html(it)));
    let _ = write!(
        html,
        "<section class=\"turn\" id=\"{id}\"><h3><a href=\"#{id}\">Turn {number}</a>{}</h3>",
        tag.unwrap_or_default()
    );
    write_facts(html, "inline", &turn.facts);
    for state in &turn.state {
        let _ = write!(html, "<p class=\"state\">{}</p>", escape_html(state));
    }
    match &turn.request {
        Some(request) => {
            let (words, cut_note) = cut_text(request, most);
            let _ = write!(
                html,
                "<div class=\"request\" data-find=\"Turn {number}\">{}</div>",
                escape_html(words)
            );
            write_cut(html, cut_note);
        }
        None => html.push_str("<p class=\"soft\">— no request recorded</p>"),
    }
    for added in &turn.added {
        html.push_str("<details><summary class=\"soft\">added by the agent's program</summary>");
        write_text(html, added, most, &format!("Turn {number}"));
        html.push_str("</details>");
    }
    for step in &turn.steps {
        write_step(html, &id, number, step, most);
    }
    if turn.file_count > 0 {
        let count = format_number::with_thousands(turn.file_count as u64);
        let _ = write!(html, "<h4>Files changed ({count})</h4>");
    }
    for file in &turn.files {
        let (none, at) = (BTreeSet::new(), file.number);
        let lines = targets.get(&(number, at)).unwrap_or(&none);
        write_file(html, &format!("{id}-file-{at}"), (number, file), lines, most);
    }
    write_left_out(html, &turn.left_out);
    html.push_str("</section>\n");
}

fn write_cut(html: &mut String, cut_note: Option<String>) {
    if let Some(cut_note) = cut_note {
        let _ = write!(html, "<p class=\"cut\">{cut_note}</p>");
    }
}

fn write_text(html: &mut String, text: &str, most: usize, name: &str) {
    if text.is_empty() {
        return;
    }
    let (words, cut_note) = cut_text(text, most);
    let _ = write!(html, "<pre data-find=\"{}\">{}</pre>", escape_html(name), escape_html(words));
    write_cut(html, cut_note);
}

/// Writes a step: messages of the agent are open, everything else opens on demand.
fn write_step(html: &mut String, turn: &str, number: usize, step: &StepPart, most: usize) {
    let id = format!("{turn}-step-{}", step.step);
    let name = format!("{number}.{}", step.step);
    let depth = match step.depth {
        0 => String::new(),
        depth => format!(" d{}", depth.min(4)),
    };
    if step.what == "message" && step.call.is_none() && step.result.is_none() {
        let (words, cut_note) = cut_text(&step.text, most);
        let _ = write!(
            html,
            "<div class=\"message{depth}\" id=\"{id}\"><a class=\"soft\" href=\"#{id}\">{name}</a>\
             <div data-find=\"{name}\">{}</div>",
            escape_html(words)
        );
        write_cut(html, cut_note);
        html.push_str("</div>\n");
        return;
    }
    let fails = if step.is_error { " fails" } else { "" };
    let outcome = step
        .outcome
        .as_ref()
        .map(|it| format!(" <span class=\"soft{fails}\">{}</span>", escape_html(it)));
    let _ = write!(
        html,
        "<details class=\"step{depth}\" id=\"{id}\"><summary><span class=\"n\">{name}</span><b>{}</b> {}{}</summary>",
        escape_html(&step.what),
        escape_html(&step.label),
        outcome.unwrap_or_default()
    );
    for edit in &step.edits {
        let _ = write!(html, "<p class=\"mono\">{}</p>", escape_html(edit));
    }
    write_text(html, &step.text, most, &name);
    write_text(html, step.call.as_deref().unwrap_or_default(), most, &name);
    match &step.result {
        Some(result) if result.is_empty() => html.push_str("<p class=\"soft\">an empty result</p>"),
        Some(result) => write_text(html, result, most, &name),
        None => {}
    }
    html.push_str("</details>\n");
}

/// The most lines of a diff that is open at first.
const MOST_OPEN_LINES: usize = 40;

fn write_file(
    html: &mut String,
    id: &str,
    (turn, file): (usize, &FilePart),
    targets: &BTreeSet<usize>,
    most: usize,
) {
    let patch = file.patch.as_deref().unwrap_or_default();
    let is_open = !patch.is_empty() && patch.lines().count() <= MOST_OPEN_LINES;
    let from =
        file.from.as_ref().map(|from| format!("{} → ", escape_html(from))).unwrap_or_default();
    let lines = match (file.added, file.removed) {
        (Some(added), Some(removed)) => {
            format!("<span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span>")
        }
        _ => "<span class=\"soft\">—</span>".to_owned(),
    };
    let origin = match file.origin.as_str() {
        "recorded" => String::new(),
        origin => format!(" <span class=\"soft\">{}</span>", escape_html(origin)),
    };
    let _ = write!(
        html,
        "<details class=\"file\" id=\"{id}\"{}><summary>{} <span class=\"mono\">{from}{}</span> {lines}{origin}</summary>",
        if is_open { " open" } else { "" },
        escape_html(&file.change),
        escape_html(&file.path)
    );
    match &file.missing {
        Some(why) => {
            let _ = write!(html, "<p class=\"soft\">{}</p>", escape_html(why));
        }
        None => {
            write_patch(html, id, patch, targets, (most, &format!("Turn {turn} {}", file.path)))
        }
    }
    html.push_str("</details>\n");
}

fn write_patch(
    html: &mut String,
    id: &str,
    patch: &str,
    targets: &BTreeSet<usize>,
    (most, name): (usize, &str),
) {
    let (shown, cut_note) = cut_text(patch, most);
    // A line that something leads to is shown, if it is not very far down.
    let (shown, cut_note) =
        match count_linked_lines(shown, targets) == count_linked_lines(patch, targets) {
            true => (shown, cut_note),
            false => cut_text(patch, most.max(budget::MOST_EVIDENCE_BYTES)),
        };
    let _ = write!(html, "<pre class=\"diff\" data-find=\"{}\">", escape_html(name));
    for (line, class, number) in numbered_lines(shown) {
        let address = match class == "a" && targets.contains(&number) {
            true => format!(" id=\"{id}-line-{number}\""),
            false => String::new(),
        };
        let _ = write!(html, "<span class=\"{class}\"{address}>{}</span>", escape_html(line));
    }
    html.push_str("</pre>");
    write_cut(html, cut_note);
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
