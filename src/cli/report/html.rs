//! The report as one page of HTML: its style and script stand in it, and it asks the network for nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::{
    budget, charts,
    material::{
        Cells, ComponentPart, FilePart, LabelPart, LeftOut, Part, Report, RunPart, Section,
        StepPart, Target, TurnPart,
    },
    page::{cut, escaped, facts, script_hash, slug},
};

use trajview_run::figures;

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

/// The page. A text of more bytes than `most` is cut.
pub fn page(report: &Report, most: usize) -> String {
    let mut html = String::new();
    let title = escaped(&report.title);
    let _ = write!(
        html, // a String takes everything
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{}'\">\n<title>{title} · trajview</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        script_hash(SCRIPT)
    );
    bar(&mut html, &title);
    html.push_str("<div class=\"page\">\n");
    navigation(&mut html, report);
    html.push_str("<main id=\"main\">\n");
    let _ = write!(html, "<header id=\"top\"><h1>{title}</h1>");
    facts(&mut html, "facts", &report.made_of);
    html.push_str(
        "<p class=\"soft\">Below each heading stands the command that prints its numbers again. A dash is what is not \
         known; it is never 0.</p></header>\n",
    );
    for section in &report.sections {
        put_section(&mut html, "", section, &BTreeSet::new());
    }
    if report.runs.len() > 1 {
        beside(&mut html, report);
    }
    for run in &report.runs {
        put_run(&mut html, run, report.runs.len() > 1, most);
    }
    let _ = write!(html, "</main>\n</div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    html
}

fn bar(html: &mut String, title: &str) {
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

fn navigation(html: &mut String, report: &Report) {
    html.push_str("<nav aria-label=\"Contents\"><ul><li><a href=\"#top\">What this is</a></li>");
    for section in &report.sections {
        link(html, &section.id, &section.title);
    }
    if report.runs.len() > 1 {
        link(html, "curves", "Curves of all runs");
    }
    html.push_str("</ul>");
    for run in &report.runs {
        let prefix = &run.prefix;
        if report.runs.len() > 1 {
            let letter = escaped(prefix.trim_end_matches('-'));
            let _ = write!(html, "<h2>{letter} · {}</h2>", escaped(&run.id));
        }
        html.push_str("<ul>");
        link(html, &format!("{prefix}run"), "Provenance");
        if !run.curves.points.is_empty() {
            link(html, &format!("{prefix}curves"), "Curves");
        }
        if !run.components.is_empty() {
            link(html, &format!("{prefix}components"), "Components and evidence");
        }
        for section in &run.sections {
            link(html, &format!("{prefix}{}", section.id), &section.title);
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
                escaped(&turn.title)
            );
        }
        html.push_str("</ol>");
    }
    html.push_str("</nav>\n");
}

fn link(html: &mut String, id: &str, title: &str) {
    let _ = write!(html, "<li><a href=\"#{id}\">{}</a></li>", escaped(title));
}

/// The curves of all runs below each other.
fn beside(html: &mut String, report: &Report) {
    html.push_str(
        "<section id=\"curves\"><h2>Curves of all runs <span class=\"source\">computed</span></h2>",
    );
    let most = report.runs.iter().filter_map(|run| charts::most(&run.curves)).reduce(f64::max);
    for run in &report.runs {
        let letter = escaped(run.prefix.trim_end_matches('-'));
        let (prefix, id) = (&run.prefix, escaped(&run.id));
        let _ = write!(html, "<h3><a href=\"#{prefix}run\">{letter} · {id}</a></h3>");
        html.push_str(&or_missing(charts::curves(&run.curves, &run.id, most)));
    }
    html.push_str("</section>\n");
}

fn or_missing(chart: String) -> String {
    match chart.is_empty() {
        true => "<p class=\"soft\">— nothing was measured</p>".into(),
        false => format!("<div class=\"scroll\" tabindex=\"0\">{chart}</div>"),
    }
}

/// `places` is where cells may lead.
fn put_section(html: &mut String, prefix: &str, section: &Section, places: &BTreeSet<String>) {
    let (id, title) = (&section.id, escaped(&section.title));
    let _ = write!(
        html,
        "<section id=\"{prefix}{id}\"><h3>{title} <span class=\"source\">{}</span></h3>",
        escaped(&section.source)
    );
    command(html, section.command.as_deref());
    for part in &section.parts {
        match part {
            Part::Line(line) if line.is_empty() => {}
            Part::Line(line) => {
                let _ = write!(html, "<p data-find=\"{title}\">{}</p>", escaped(line));
            }
            Part::Table(cells) => table(html, cells, &title, (prefix, places)),
        }
    }
    for note in &section.notes {
        let _ = write!(html, "<p class=\"soft\">{}</p>", escaped(note));
    }
    html.push_str("</section>\n");
}

fn command(html: &mut String, command: Option<&str>) {
    if let Some(command) = command.filter(|it| !it.is_empty()) {
        let _ = write!(html, "<code class=\"command\">{}</code>", escaped(command));
    }
}

/// The addresses of turns, steps and components.
fn places(run: &RunPart) -> BTreeSet<String> {
    let components = run.components.iter().map(|it| format!("component-{}", slug(&it.component)));
    let turns = run.turns.iter().flat_map(|turn| {
        let steps = turn.steps.iter().map(|step| format!("turn-{}-step-{}", turn.turn, step.step));
        steps.chain([format!("turn-{}", turn.turn)])
    });
    components.chain(turns).collect()
}

/// Where a cell leads, if its column says what it names.
fn led_to(head: &str, cell: &str, places: &BTreeSet<String>) -> Option<String> {
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
const SHORT: usize = 24;

fn table(
    html: &mut String,
    cells: &Cells,
    title: &str,
    (prefix, places): (&str, &BTreeSet<String>),
) {
    html.push_str("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    let is_number = |column: usize| cells.heads.get(column).is_some_and(|it| it.starts_with('>'));
    for head in &cells.heads {
        let class = if head.starts_with('>') { " class=\"r\"" } else { "" };
        let head = escaped(head.trim_start_matches('>'));
        let _ = write!(html, "<th scope=\"col\"{class}>{head}</th>");
    }
    html.push_str("</tr></thead><tbody>");
    for row in cells.rows.iter().take(budget::ROWS) {
        let _ = write!(html, "<tr data-find=\"{title}\">");
        for (column, cell) in row.iter().enumerate() {
            let class = match (is_number(column), cell.chars().count() <= SHORT) {
                (true, _) => " class=\"r\"",
                (false, true) => " class=\"s\"",
                (false, false) => "",
            };
            let head = cells.heads.get(column).map_or("", String::as_str);
            let shown = if cell == "-" { "—".to_owned() } else { escaped(cell) };
            let _ = match led_to(head, cell, places) {
                Some(place) => {
                    write!(html, "<td{class}><a href=\"#{prefix}{place}\">{shown}</a></td>")
                }
                None => write!(html, "<td{class}>{shown}</td>"),
            };
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    if cells.rows.len() > budget::ROWS {
        let (shown, all) =
            (figures::count(budget::ROWS as u64), figures::count(cells.rows.len() as u64));
        let _ = write!(
            html,
            "<p class=\"cut\">{shown} of {all} rows are shown; the command above prints all</p>"
        );
    }
}

fn put_left_out(html: &mut String, left_out: &[LeftOut]) {
    for LeftOut { what, command: printed_by } in left_out {
        let _ = write!(html, "<p class=\"cut\">{}; this prints them:</p>", escaped(what));
        command(html, Some(printed_by));
    }
}

fn put_run(html: &mut String, run: &RunPart, is_one_of_many: bool, most: usize) {
    let prefix = &run.prefix;
    let letter = escaped(prefix.trim_end_matches('-'));
    let name = if is_one_of_many {
        format!("{letter} · {}", escaped(&run.id))
    } else {
        "Provenance".into()
    };
    let _ = write!(
        html,
        "<section id=\"{prefix}run\"><h2>{name} <span class=\"source\">recorded</span></h2>"
    );
    facts(html, "facts", &run.facts);
    put_left_out(html, &run.left_out);
    for warning in run.warnings.iter().take(budget::WARNINGS) {
        let _ = write!(html, "<p class=\"soft\">warning: {}</p>", escaped(warning));
    }
    if let Some(more) = run.warnings.len().checked_sub(budget::WARNINGS + 1) {
        let more = figures::counted(more + 1, "more warning");
        let _ = write!(html, "<p class=\"cut\">{more}; trajview show prints them</p>");
    }
    html.push_str("</section>\n");
    if !run.curves.points.is_empty() {
        let _ = write!(
            html,
            "<section id=\"{prefix}curves\"><h3>Erosion and verbosity, by {} <span class=\"source\">computed</span></h3>",
            escaped(&run.curves.each)
        );
        command(html, Some(&run.curves.command));
        let most = charts::most(&run.curves);
        html.push_str(&or_missing(charts::curves(&run.curves, &run.id, most)));
        html.push_str("</section>\n");
    }
    let shown = shown_evidence(run, most);
    put_components(html, run, &shown);
    let places = places(run);
    for section in &run.sections {
        put_section(html, prefix, section, &places);
    }
    let targets = targets(&shown);
    for turn in &run.turns {
        put_turn(html, run, turn, &targets, most);
    }
}

/// What of the evidence is in the page, by what it is asked by: a line that is too far down is its diff, a diff that is left out
/// is its turn.
fn shown_evidence(run: &RunPart, most: usize) -> BTreeMap<Target, Shown> {
    let evidence = run.components.iter().flat_map(|it| &it.evidence);
    let shown = evidence.filter_map(|it| {
        let target = it.target?;
        let turn = run.turns.iter().find(|turn| turn.turn == target.turn)?;
        let Some(file) = turn.files.iter().find(|file| file.number == target.file) else {
            return Some((target, Shown::Turn(target.turn)));
        };
        let patch = file.patch.as_deref().unwrap_or_default();
        let line = target.line.filter(|line| {
            let patch = cut(patch, most.max(budget::EVIDENCE_BYTES)).0;
            numbered(patch).any(|(_, class, number)| class == "a" && number == *line)
        });
        Some((target, Shown::Diff(Target { line, ..target })))
    });
    shown.collect()
}

/// Where a piece of evidence leads.
enum Shown {
    Turn(usize),
    Diff(Target),
}

type Evidence = BTreeMap<Target, Shown>;

type Targets = BTreeMap<(usize, usize), BTreeSet<usize>>;

/// The lines of diffs that something leads to, by turn and file.
fn targets(shown: &Evidence) -> Targets {
    let mut all = Targets::new();
    for shown in shown.values() {
        if let Shown::Diff(Target { turn, file, line }) = shown {
            all.entry((*turn, *file)).or_default().extend(line);
        }
    }
    all
}

fn put_components(html: &mut String, run: &RunPart, shown: &Evidence) {
    if run.components.is_empty() {
        return;
    }
    let prefix = &run.prefix;
    let _ = write!(
        html,
        "<section id=\"{prefix}components\"><h3>Components and evidence <span class=\"source\">judged</span></h3>"
    );
    let by = run.judged_by.as_deref().map_or("— nothing has judged this run".into(), |by| {
        format!("judged by {}", escaped(by))
    });
    let _ = write!(html, "<p class=\"soft\">{by}</p>");
    let lives = charts::lifelines(run);
    if !lives.is_empty() {
        command(html, Some(&run.curves.command));
        html.push_str(&or_missing(lives));
        html.push_str(
            "<p class=\"soft\">By turn: a circle where the dialogue commits to the component, a thick line while its code \
             is in use, a dotted one while it is defined, ✗ where it is lost.</p>",
        );
    }
    run.components.iter().for_each(|component| put_component(html, prefix, component, shown));
    html.push_str("</section>\n");
}

fn put_component(html: &mut String, prefix: &str, it: &ComponentPart, shown: &Evidence) {
    let (id, name) = (escaped(&it.component), escaped(&it.name));
    let score = match (&it.score, &it.level) {
        (Some(score), Some(level)) => format!("{} {}", escaped(score), escaped(level)),
        (Some(score), None) => escaped(score),
        (None, _) => "—".to_owned(),
    };
    let _ = write!(
        html,
        "<div class=\"component\" id=\"{prefix}component-{}\" data-find=\"{id}\"><span class=\"score\">{score}</span>\
         <h4>{id} {name}</h4>",
        slug(&it.component)
    );
    if !it.intent.is_empty() {
        let _ = write!(html, "<p class=\"soft\">{}</p>", escaped(&it.intent));
    }
    if let Some(turn) = it.committed {
        let words = match turn <= budget::TURNS {
            true => format!("<a href=\"#{prefix}turn-{turn}\">turn {turn}</a>"),
            false => format!("turn {turn}"),
        };
        let _ = write!(html, "<p class=\"soft\">committed to in {words}</p>");
    }
    for words in [Some(&it.rationale), it.missing.as_ref()].into_iter().flatten() {
        if !words.is_empty() {
            let _ = write!(html, "<p>{}</p>", escaped(words));
        }
    }
    if !it.evidence.is_empty() {
        html.push_str("<p class=\"mono\">");
        for (at, evidence) in it.evidence.iter().enumerate() {
            let place = escaped(&evidence.place);
            let gap = if at > 0 { " · " } else { "" };
            let _ = match evidence.target.and_then(|target| shown.get(&target)) {
                Some(shown) => {
                    write!(html, "{gap}<a href=\"#{prefix}{}\">{place}</a>", anchor(shown))
                }
                None => write!(html, "{gap}{place}"),
            };
        }
        html.push_str("</p>");
    }
    it.labels.iter().for_each(|label| put_label(html, label));
    html.push_str("</div>\n");
}

fn anchor(shown: &Shown) -> String {
    match shown {
        Shown::Turn(turn) => format!("turn-{turn}"),
        Shown::Diff(Target { turn, file, line }) => {
            let line = line.map(|line| format!("-line-{line}")).unwrap_or_default();
            format!("turn-{turn}-file-{file}{line}")
        }
    }
}

fn put_label(html: &mut String, label: &LabelPart) {
    let score = label.score.as_deref().unwrap_or("taken back");
    let rest = [&label.blind, &label.reason, &label.note, &label.at];
    let rest = rest.into_iter().flatten().map(String::as_str).chain([label.on.as_str()]);
    let rest = rest.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ");
    let _ = write!(
        html,
        "<p>labelled <b>{}</b> by {} <span class=\"soft\">{}</span></p>",
        escaped(score),
        escaped(&label.annotator),
        escaped(&rest)
    );
}

fn put_turn(html: &mut String, run: &RunPart, turn: &TurnPart, targets: &Targets, most: usize) {
    let (prefix, number) = (&run.prefix, turn.turn);
    let id = format!("{prefix}turn-{number}");
    let tag =
        turn.checkpoint.as_ref().map(|it| format!(" <span class=\"tag\">{}</span>", escaped(it)));
    let _ = write!(
        html,
        "<section class=\"turn\" id=\"{id}\"><h3><a href=\"#{id}\">Turn {number}</a>{}</h3>",
        tag.unwrap_or_default()
    );
    facts(html, "inline", &turn.facts);
    for state in &turn.state {
        let _ = write!(html, "<p class=\"state\">{}</p>", escaped(state));
    }
    match &turn.request {
        Some(request) => {
            let (words, said) = cut(request, most);
            let _ = write!(
                html,
                "<div class=\"request\" data-find=\"Turn {number}\">{}</div>",
                escaped(words)
            );
            put_cut(html, said);
        }
        None => html.push_str("<p class=\"soft\">— no request recorded</p>"),
    }
    for added in &turn.added {
        html.push_str("<details><summary class=\"soft\">added by the agent's program</summary>");
        put_text(html, added, most, &format!("Turn {number}"));
        html.push_str("</details>");
    }
    for step in &turn.steps {
        put_step(html, &id, number, step, most);
    }
    if turn.file_count > 0 {
        let count = figures::count(turn.file_count as u64);
        let _ = write!(html, "<h4>Files changed ({count})</h4>");
    }
    for file in &turn.files {
        let (none, at) = (BTreeSet::new(), file.number);
        let lines = targets.get(&(number, at)).unwrap_or(&none);
        put_file(html, &format!("{id}-file-{at}"), (number, file), lines, most);
    }
    put_left_out(html, &turn.left_out);
    html.push_str("</section>\n");
}

fn put_cut(html: &mut String, said: Option<String>) {
    if let Some(said) = said {
        let _ = write!(html, "<p class=\"cut\">{said}</p>");
    }
}

fn put_text(html: &mut String, text: &str, most: usize, name: &str) {
    if text.is_empty() {
        return;
    }
    let (words, said) = cut(text, most);
    let _ = write!(html, "<pre data-find=\"{}\">{}</pre>", escaped(name), escaped(words));
    put_cut(html, said);
}

/// Words of the agent stand open, everything else is opened on demand.
fn put_step(html: &mut String, turn: &str, number: usize, step: &StepPart, most: usize) {
    let id = format!("{turn}-step-{}", step.step);
    let name = format!("{number}.{}", step.step);
    let depth = match step.depth {
        0 => String::new(),
        depth => format!(" d{}", depth.min(4)),
    };
    if step.what == "message" && step.call.is_none() && step.result.is_none() {
        let (words, said) = cut(&step.text, most);
        let _ = write!(
            html,
            "<div class=\"message{depth}\" id=\"{id}\"><a class=\"soft\" href=\"#{id}\">{name}</a>\
             <div data-find=\"{name}\">{}</div>",
            escaped(words)
        );
        put_cut(html, said);
        html.push_str("</div>\n");
        return;
    }
    let fails = if step.is_error { " fails" } else { "" };
    let outcome = step
        .outcome
        .as_ref()
        .map(|it| format!(" <span class=\"soft{fails}\">{}</span>", escaped(it)));
    let _ = write!(
        html,
        "<details class=\"step{depth}\" id=\"{id}\"><summary><span class=\"n\">{name}</span><b>{}</b> {}{}</summary>",
        escaped(&step.what),
        escaped(&step.label),
        outcome.unwrap_or_default()
    );
    for edit in &step.edits {
        let _ = write!(html, "<p class=\"mono\">{}</p>", escaped(edit));
    }
    put_text(html, &step.text, most, &name);
    put_text(html, step.call.as_deref().unwrap_or_default(), most, &name);
    match &step.result {
        Some(result) if result.is_empty() => html.push_str("<p class=\"soft\">an empty result</p>"),
        Some(result) => put_text(html, result, most, &name),
        None => {}
    }
    html.push_str("</details>\n");
}

/// Lines of a diff that stand open without being asked for.
const MOST_OPEN_LINES: usize = 40;

fn put_file(
    html: &mut String,
    id: &str,
    (turn, file): (usize, &FilePart),
    targets: &BTreeSet<usize>,
    most: usize,
) {
    let patch = file.patch.as_deref().unwrap_or_default();
    let is_open = !patch.is_empty() && patch.lines().count() <= MOST_OPEN_LINES;
    let from = file.from.as_ref().map(|from| format!("{} → ", escaped(from))).unwrap_or_default();
    let lines = match (file.added, file.removed) {
        (Some(added), Some(removed)) => {
            format!("<span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span>")
        }
        _ => "<span class=\"soft\">—</span>".to_owned(),
    };
    let origin = match file.origin.as_str() {
        "recorded" => String::new(),
        origin => format!(" <span class=\"soft\">{}</span>", escaped(origin)),
    };
    let _ = write!(
        html,
        "<details class=\"file\" id=\"{id}\"{}><summary>{} <span class=\"mono\">{from}{}</span> {lines}{origin}</summary>",
        if is_open { " open" } else { "" },
        escaped(&file.change),
        escaped(&file.path)
    );
    match &file.missing {
        Some(why) => {
            let _ = write!(html, "<p class=\"soft\">{}</p>", escaped(why));
        }
        None => put_patch(html, id, patch, targets, (most, &format!("Turn {turn} {}", file.path))),
    }
    html.push_str("</details>\n");
}

fn put_patch(
    html: &mut String,
    id: &str,
    patch: &str,
    targets: &BTreeSet<usize>,
    (most, name): (usize, &str),
) {
    let (shown, said) = cut(patch, most);
    // A line that something leads to is shown, if it is not very far down.
    let (shown, said) = match shown_targets(shown, targets) == shown_targets(patch, targets) {
        true => (shown, said),
        false => cut(patch, most.max(budget::EVIDENCE_BYTES)),
    };
    let _ = write!(html, "<pre class=\"diff\" data-find=\"{}\">", escaped(name));
    for (line, class, number) in numbered(shown) {
        let address = match class == "a" && targets.contains(&number) {
            true => format!(" id=\"{id}-line-{number}\""),
            false => String::new(),
        };
        let _ = write!(html, "<span class=\"{class}\"{address}>{}</span>", escaped(line));
    }
    html.push_str("</pre>");
    put_cut(html, said);
}

/// How many of the lines that something leads to are in the patch.
fn shown_targets(patch: &str, targets: &BTreeSet<usize>) -> usize {
    let is_one =
        |(_, class, number): &(&str, &str, usize)| *class == "a" && targets.contains(number);
    if targets.is_empty() { 0 } else { numbered(patch).filter(is_one).count() }
}

/// The lines of a patch, each with its class and its number in the file as it is afterwards; that of a removed line is the
/// number of the line before, as that of a word about the end of the file.
fn numbered(patch: &str) -> impl Iterator<Item = (&str, &'static str, usize)> {
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

/// `@@ -1,2 +3,4 @@`: 3
fn new_start(head: &str) -> Option<usize> {
    head.split('+').nth(1)?.split([',', ' ']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_about_the_end_of_the_file_is_no_line_of_it() {
        let patch = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";

        let lines: Vec<_> = numbered(patch).map(|(_, class, number)| (class, number)).collect();

        assert_eq!(lines, [("h", 0), ("c", 1), ("d", 1), ("n", 1), ("a", 2), ("n", 2)]);
    }
}
