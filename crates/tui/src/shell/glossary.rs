//! What the numbers, signs and words on the screen mean: `:help WORD`, the signs at the end of the keys.
//!
//! Numbers, columns of the table of runs, pillars, signals and outcomes are explained from their own lists; everything else is a
//! row of [`TERMS`] or [`SIGNS`]. To explain another word add a row.

use trajview_metrics::{
    numbers::{BetterDirection, Number},
    process::{Pillar, signals::SignalKind},
};
use trajview_run::Outcome;

use crate::{
    session::{columns::RunTableColumn, views::View},
    shell::commands,
    widgets::fact_rows::FactRow,
};

/// What one word means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    pub word: String,
    /// One or two sentences.
    pub meaning: String,
    /// The formula, its source, or where more is said.
    pub reference: String,
}

/// A word with its other spellings, its meaning, and the page that says more.
type Term = (&'static [&'static str], &'static str, &'static str);

#[rustfmt::skip] // a table: one row a sign
pub(crate) const SIGNS: &[Term] = &[
    (&["A M D R"], "beside a file: it was created, changed, deleted or renamed", "docs/look.md"),
    (&["+34 −8", "+", "−"], "lines added and removed: by a turn, between its beginning and its end; by a step, as its edit is recorded", "docs/look.md"),
    (&["✗", "✗2"], "that many things went wrong: an error, a failed tool, an exit code other than 0; in a lifeline, the symbol is gone", "docs/look.md"),
    (&["✖", "✖2"], "that many components were lost in this turn", "docs/scoring.md#lifelines"),
    (&["✓"], "passed, done, or in full", "docs/look.md"),
    (&["•"], "a signal: something may have gone wrong here; :next-signal goes to the next one and says why", "docs/process.md#signals"),
    (&["⟲"], "the agent's context was summarised and cut (a compaction)", "docs/look.md"),
    (&["⑂", "⑂2"], "that many sub-agents were started", "docs/look.md#agents-of-a-turn"),
    (&["◇"], "changed by a command, a person or a hook, not by a recorded edit", "docs/look.md"),
    (&["○", "●"], "the points of two curves: ● the first or selected one, ○ the second; ○ in a lifeline: no longer used", "docs/look.md#curves"),
    (&["◉"], "a point that both curves have", "docs/look.md#curves"),
    (&["│", "┆", "┊"], "the start of a checkpoint, in charts, lifelines and on the slim timeline", "docs/look.md"),
    (&["□"], "a component that was requested and is not in the code at this turn", "docs/scoring.md#components-and-their-lifelines"),
    (&["?"], "a component that may be there or not; in a lifeline, used only behind a condition; in the audit, candidate code", "docs/scoring.md#lifelines"),
    (&["·"], "nothing here: of a bar the value 0, of a component not requested yet, of a file line older than the run", "docs/look.md"),
    (&["─"], "in a lifeline: in use, without a change", "docs/scoring.md#lifelines"),
    (&["~", "↑", "↓", "»"], "in a lifeline: ~ changed, ↑ more uses, ↓ fewer uses, » renamed or moved", "docs/scoring.md#lifelines"),
    (&[".", "_", "="], "in a lifeline: . not used yet, _ unused, = registered (used without an import); = in a table of scores: unchanged", "docs/scoring.md#lifelines"),
    (&["⟨", "⟩", "⟨⟩"], "in a lifeline, the symbol came back", "docs/scoring.md#lifelines"),
    (&["▐", "▌"], "▐ beside a line: the judge cited it; ▌ the row or the line at the cursor", "docs/look.md"),
    (&["▸", "▾"], "folded, unfolded; ▸ before a letter: the run that is selected in a comparison", "docs/look.md"),
    (&["⚠", "⚠ 2"], "that many warnings about the recording; :warnings lists them", "docs/look.md"),
    (&["⊘"], "in a rubric tree: the grader's reply was invalid; in a diff: no line end at the end of the file", "docs/scoring.md#rubric-trees"),
    (&["▶", "▷", "‖", "◌"], "a live run: ▶ runs, ▷ runs in another process, ‖ waits or is paused, ◌ there is none", "docs/live.md"),
    (&["±", "±1"], "of two raters: scores that differ by at most 1; before a file: changed in this turn", "docs/auditing.md#agreement"),
    (&["→"], "from the value before to the value after", "docs/look.md"),
    (&["‹", "›", "6›"], "around a value of a form: ←→ changes it; at the edge: the line, or so many columns, go on", "docs/look.md"),
    (&["…"], "cut here; of a number: still being measured", "docs/look.md"),
    (&["␛"], "a control character of the recording, shown as a sign so that it does nothing", "docs/look.md"),
    (&["◈"], "changed partly by a command, a person or a hook; in a rubric tree, fulfilled in part", "docs/look.md"),
    (&["⋯", "⋯ 23 lines"], "that many unchanged lines are folded", "docs/look.md"),
    (&["▲", "▲ CC 14"], "below a chart, the turn at the playhead; beside a number or a column, a rise; beside a line: a function begins here that has more than 10 paths, here 14; at the top of a hunk it began above", "docs/scoring.md#what-adds-a-path"),
    (&["§"], "beside a line: a match of a rule for verbose code; :explain-mark says which", "docs/scoring.md#erosion-and-verbosity"),
    (&["≡"], "beside a line: a clone, code that occurs twice, apart from names and values; :explain-mark says where", "docs/scoring.md#erosion-and-verbosity"),
    (&["◆"], "beside a line: a verdict cites this line as evidence; among events, the code was judged after this turn; in a lifeline, the component was requested in this turn; in the table, a marked run", "docs/auditing.md"),
    (&["∅", "unlooked"], "beside a level: the judge gave it without one look at the code; no mean counts it (--count-unlooked)", "docs/judging.md#evidence"),
    (&["‽", "unsupported"], "beside a level above 0: the code has none of the quotes that it rests on; means count it", "docs/judging.md#evidence"),
    (&["⚑"], "beside a line: a judge flagged it; :explain-mark says for what", "docs/judging.md"),
    (&["26.3"], "beside a line of a file: turn 26, step 3 wrote it; · it was there before the run", "docs/look.md"),
    (&["▼"], "on the timeline, the turn at the playhead; beside a score, a fall; beside a column, sorted downwards", "docs/look.md"),
    (&["■"], "a component that is there at this turn, in the colour of its newest judgement", "docs/scoring.md#components-and-their-lifelines"),
    (&["—", "–", "-"], "not measured or not recorded; it is never 0", "docs/scoring.md"),
    (&["*"], "a fixed value, because the recording has no events of this kind", "docs/process.md#pillars"),
];

#[rustfmt::skip] // a table: one row a word
const TERMS: &[Term] = &[
    (&["turn"], "one request and everything the agent does until the next one", "docs/look.md#replay"),
    (&["step"], "one thing in a turn: a message, thinking, a tool call with its result, a compaction, a sub-agent", "docs/look.md#replay"),
    (&["request"], "what a person or a script asks the agent in a turn", "docs/look.md#replay"),
    (&["checkpoint"], "a part of the task that ends with a turn; tests run and numbers are compared there", "docs/bundle.md"),
    (&["phase"], "the position of a checkpoint in the run: start, early, mid, late, final", "docs/comparing.md"),
    (&["transcript", "alignment"], "the requests and steps of a run; two are aligned by equal requests, tool calls and edits", "docs/comparing.md#aligned-transcripts"),
    (&["condition"], "how the task was given: emergent or single-shot, or a treatment", "docs/comparing.md"),
    (&["emergent"], "the task is given request by request, so that the design emerges", "docs/comparing.md"),
    (&["single-shot"], "the whole task is given in one specification", "docs/comparing.md"),
    (&["bundle"], "trajview's own folder around a recording, with its checklist, judgements and labels", "docs/bundle.md"),
    (&["component"], "one thing that the task asks for and that is judged alone; the list of them is the checklist", "docs/scoring.md#faithfulness"),
    (&["checklist"], "the list of the components of a task", "docs/bundle.md#componentsjson"),
    (&["lifeline"], "the history of a component, turn by turn: requested, defined, changed, used, lost", "docs/scoring.md#lifelines"),
    (&["lost", "loss", "lost at turn"], "the turn after which the code of a component is gone or no longer used, or scores less than before", "docs/scoring.md#lifelines"),
    (&["exposure", "stated", "spec level"], "how fully the requests so far state a component: 0 not at all, 1 to 3 in part, 4 explicitly", "docs/scoring.md#faithfulness"),
    (&["recoverable"], "components that the requests so far state at least weakly (level 1 or more), as a share of the checklist: RCR", "docs/scoring.md#faithfulness"),
    (&["explicit"], "components that the requests so far state in full (level 4), as a share of the checklist: ESR", "docs/scoring.md#faithfulness"),
    (&["judge"], "a model, command or person that gives scores or flags", "docs/judging.md"),
    (&["crash test", "crash-test"], "judging a sample of components again after edits that must not matter, and edits that must; no score of the run", "docs/judging.md#crash-test"),
    (&["detectable"], "of a crash test: the smallest mean shift that its test would show in 80 % of cases with a sample of this size; none where it could show no shift", "docs/judging.md#crash-test"),
    (&["judgement"], "one pass of a judge over one state of the code: a verdict for each component", "docs/judging.md"),
    (&["verdict"], "what a judgement says of one component: score, reason, evidence", "docs/judging.md"),
    (&["score"], "of a component: 0 absent, 1 wrong, 2 simplified, 3 equivalent, 4 faithful", "docs/scoring.md#faithfulness"),
    (&["absent"], "score 0: the component is not in the code", "docs/scoring.md#faithfulness"),
    (&["wrong"], "score 1: it is there and does something else", "docs/scoring.md#faithfulness"),
    (&["simplified"], "score 2: it is there, but parts are missing", "docs/scoring.md#faithfulness"),
    (&["equivalent"], "score 3: it is done differently, with the same result", "docs/scoring.md#faithfulness"),
    (&["faithful"], "score 4: it is done as specified", "docs/scoring.md#faithfulness"),
    (&["evidence"], "the lines of code that a verdict cites", "docs/auditing.md"),
    (&["candidate", "candidate code"], "lines that look like the component and that the judge did not cite", "docs/auditing.md"),
    (&["pool", "pooled"], "one score from several judgements of a state: the mean, the median or a strict majority", "docs/judging.md#comparing-judges"),
    (&["flag"], "a place in the code that meets a criterion", "docs/judging.md"),
    (&["rubric"], "what a judge scores by: the levels 0 to 4, criteria for flags, or a tree of requirements", "docs/scoring.md#rubric-trees"),
    (&["rubric tree", "tree", "leaf"], "requirements below requirements; the score of a node is the weighted mean of those below it", "docs/scoring.md#rubric-trees"),
    (&["audit"], "checking verdicts: first your own label, then the verdict", "docs/auditing.md"),
    (&["label"], "the score that a person gives in the audit", "docs/auditing.md#labels"),
    (&["blind"], "a label that was given before the verdict was seen", "docs/auditing.md#labels"),
    (&["rater"], "who gives scores: a judge or a person", "docs/auditing.md#agreement"),
    (&["gold"], "the adjudicated scores that raters are compared with", "docs/auditing.md#adjudication"),
    (&["adjudicate", "adjudication"], "deciding the score of an item on which raters differ", "docs/auditing.md#adjudication"),
    (&["corrected", "MCF corrected", "PPI++"], "a judge's mean, corrected by blind labels that were drawn at random, with its 95 % interval; :judged-or-corrected shows it instead of the judge's own mean", "docs/judging.md#corrected-numbers"),
    (&["worth"], "of a corrected mean: the number of labels that alone, without a judge, would give the same interval", "docs/judging.md#corrected-numbers"),
    (&["plan"], "in the audit: how many more labels an interval of this width needs; :plan 0.15 puts them next in the queue. Which strata they are of is hidden, since it reveals the judge's levels", "docs/auditing.md#how-many-more-labels"),
    (&["agreement"], "how well the scores of two raters match, beyond what chance gives", "docs/auditing.md#agreement"),
    (&["ICC"], "intraclass correlation: the share of the variance of single scores that lies between items; (2,1) counts a rater who is stricter throughout as disagreement, (3,1) does not", "docs/auditing.md#is-this-judge-fit"),
    (&["Dawid-Skene", "consensus"], "the likeliest level of each item, where each rater has a table of how they score each true level; three or more raters", "docs/auditing.md#is-this-judge-fit"),
    (&["alt-test", "alternative annotator test"], "whether a judge may take the place of people who label: each is left out in turn, and the judge compared with them", "docs/auditing.md#is-this-judge-fit"),
    (&["omega", "winning rate"], "of the alternative annotator test: the share of annotators against whom the judge wins; 0.5 passes", "docs/auditing.md#is-this-judge-fit"),
    (&["rho", "advantage probability"], "of the alternative annotator test: how often the judge is as near to the other annotators as the one left out", "docs/auditing.md#is-this-judge-fit"),
    (&["epsilon"], "of the alternative annotator test: how much worse a judge may be because it is cheaper", "docs/auditing.md#is-this-judge-fit"),
    (&["ECE", "reliability"], "expected calibration error: the mean distance of stated confidence and share of right answers, over ten bins", "docs/auditing.md#is-this-judge-fit"),
    (&["abstain", "abstention", "conformal"], "a judge's level stands for a person's at a promised error, or the judge abstains because more than one level is likely", "docs/auditing.md#is-this-judge-fit"),
    (&["codebook"], "the text that says what each level means", "docs/auditing.md#what-the-levels-mean"),
    (&["profile"], "a set of formulas with its rules; :rescore uses another", "docs/scoring.md#another-profile-or-your-own-rules"),
    (&["rule"], "a pattern of code that counts as verbose", "docs/scoring.md#erosion-and-verbosity"),
    (&["clone"], "code that occurs twice, apart from names and values", "docs/scoring.md#erosion-and-verbosity"),
    (&["callable"], "a function or method", "docs/scoring.md#erosion-and-verbosity"),
    (&["CC", "complexity"], "cyclomatic complexity: the number of paths through a function; above 10 it counts as complex", "docs/scoring.md#what-adds-a-path"),
    (&["recorded"], "a value of the recording, as a harness wrote it", "docs/scoring.md"),
    (&["computed"], "a value that trajview computed from the files", "docs/scoring.md"),
    (&["churn"], "lines added and removed", "docs/scoring.md#every-number"),
    (&["context"], "the tokens that the last model call of a turn read", "docs/scoring.md#every-number"),
    (&["compaction"], "the agent's context was summarised and cut", "docs/process.md#when-context-is-lost"),
    (&["sub-agent", "subagent"], "an agent that the agent starts; its steps belong to the turn", "docs/look.md#agents-of-a-turn"),
    (&["blame"], "the whole file, each line with the turn and step that wrote it", "docs/look.md#replay"),
    (&["base"], "what the diff is compared with: the turn before, the checkpoint's or the run's beginning, a marked turn", "docs/look.md#replay"),
    (&["hunk"], "a group of changed lines of a diff", "docs/look.md#replay"),
    (&["signal"], "a moment of a run that deserves attention, found without a judge", "docs/process.md#signals"),
    (&["pillar"], "one of the seven parts of process discipline (RigorBench)", "docs/process.md#pillars"),
    (&["PAC"], "part of planning fidelity: was a plan made before code? 1 yes, 0.5 as a list in a message or later, 0 no", "docs/process.md#parts-of-rigor-paper"),
    (&["PEA"], "part of planning fidelity: Kendall's tau of planned and executed order; below 0 counts as 0", "docs/process.md#parts-of-rigor-paper"),
    (&["DQ"], "part of planning fidelity: how detailed the plan is, by a judge", "docs/process.md#parts-of-rigor-paper"),
    (&["RT"], "part of verification coverage: requirements with a test, by a judge", "docs/process.md#parts-of-rigor-paper"),
    (&["TCR"], "part of verification coverage: public functions that a test file names", "docs/process.md#parts-of-rigor-paper"),
    (&["CH"], "part of transition integrity: how clean the commits are, by a judge", "docs/process.md#parts-of-rigor-paper"),
    (&["BH"], "part of transition integrity: builds that succeed, as a share", "docs/process.md#parts-of-rigor-paper"),
    (&["TS"], "part of transition integrity: test runs that do not fail after one that passed", "docs/process.md#parts-of-rigor-paper"),
    (&["decision"], "what a project decided, with its reason", "docs/process.md#decisions"),
    (&["evidence card", "card", "stale"], "a claim that a memory gave the agent with places in files; stale if one of them is gone", "docs/process.md#memory"),
    (&["layer"], "a program that adds text to the requests of a live run, such as notes", "docs/layers.md"),
    (&["driver"], "how trajview live runs one kind of agent", "docs/live.md"),
    (&["harness"], "the program that ran the agent and measured it, such as SlopCodeBench", "docs/formats.md"),
    (&["SLUMP", "slump"], "IF50 of the single-shot run minus IF50 of the emergent run; positive is a loss", "docs/scoring.md#faithfulness"),
    (&["CI", "interval", "BCa"], "a bootstrap interval of 95 %, bias-corrected and accelerated", "docs/auditing.md#agreement"),
    (&["trial"], "one run at a task, as a harness started and measured it; attempt numbers its repeats", "docs/scoring.md#outcomes-of-trials"),
    (&["outcome"], "how a trial ended, as its harness recorded it: passed, failed, partial, error, timeout, limit or unscored", "docs/scoring.md#outcomes-of-trials"),
    (&["reward"], "the number that the verifier of a harness gave to a trial, in the harness' own range", "docs/scoring.md#outcomes-of-trials"),
    (&["pass rate"], "passed trials as a share of those that count, with Wilson's interval; a trial that nobody scored does not count, errors count as failures unless --errors says otherwise", "docs/scoring.md#which-trials-count"),
    (&["pass@k"], "the chance that at least one of k trials of a task passes, mean over tasks: 1 - C(n-c,k) / C(n,k) of n trials with c passes", "docs/scoring.md#repeats-of-a-task"),
    (&["pass^k"], "the chance that all of k trials of a task pass, mean over tasks: C(c,k) / C(n,k) of n trials with c passes", "docs/scoring.md#repeats-of-a-task"),
    (&["flaky", "flaky task"], "a task of which some trials pass and some do not", "docs/scoring.md#repeats-of-a-task"),
    (&["Wilson"], "an interval of 95 % for a share, from the counts alone; it stays within 0 and 1", "docs/scoring.md#which-trials-count"),
    (&["McNemar"], "an exact test of whether two groups pass the same tasks equally often; only tasks that one passes and the other does not decide it", "docs/scoring.md#two-groups-paired-by-task"),
    (&["Wilcoxon"], "the signed-rank test: whether the differences of pairs lie around 0", "docs/scoring.md#two-groups-paired-by-task"),
    (&["change", "difference", "b − a"], "the new value minus the old one, or run b minus run a; the better one is named next to it", "docs/comparing.md"),
    (&["score transitions", "transitions"], "how many components had one score in run a (rows) and another in run b (columns); the diagonal is unchanged", "docs/comparing.md"),
    (&["95 % BCa"], "the 95 % bootstrap interval of the difference, over components", "docs/comparing.md"),
    (&["unpaired"], "runs of a task that has no run in the other condition", "docs/comparing.md"),
    (&["events"], "what happened in a turn: ✖ lost, ◆ judged, ⟲ compaction, ✗ failed steps, • signals", "docs/look.md"),
    (&["components"], "one cell for each component: its score, ■ there, □ requested and not there, · not requested, ✖ lost, ? unclear", "docs/scoring.md#components-and-their-lifelines"),
    (&["id"], "the identifier of a component or an item, as the checklist has it", "docs/bundle.md#componentsjson"),
    (&["queue"], "the items to label in a random order that the seed decides", "docs/auditing.md"),
    (&["pinned", "pin"], "this judge's scores count as the run's result, also if newer judgements arrive", "docs/judging.md"),
    (&["working", "waiting", "stopped"], "the state of a session: an agent works, it waits for the user, or it was stopped", "docs/sessions.md"),
    (&["ckpt"], "checkpoints of the run", "docs/bundle.md"),
    (&["playhead"], "the turn that every view shows; space moves it by itself", "docs/look.md#replay"),
    (&["lane"], "one row of the timeline: a number over the turns", "docs/look.md"),
];

/// Returns what a word means: first the terms, then the signs, then the numbers of this name. Upper and lower case are alike.
/// Empty if nothing here explains it.
pub fn explanations(word: &str) -> Vec<Explanation> {
    let wanted = word.trim().to_lowercase();
    let is_wanted = |name: &&str| name.to_lowercase() == wanted;
    let terms = TERMS.iter().chain(SIGNS).filter(|(words, ..)| words.iter().any(&is_wanted));
    let terms = terms.map(|(words, meaning, page)| Explanation {
        word: words[0].to_owned(),
        meaning: (*meaning).to_owned(),
        reference: format!("more: {page}"),
    });
    let numbers = Number::ALL.into_iter().filter(|number| {
        let row = number.row();
        [row.id, row.label, row.short].iter().any(is_wanted) || label_word(row.label) == wanted
    });
    let listed = listed_terms()
        .into_iter()
        .filter(|(names, ..)| names.iter().any(|it| it.to_lowercase() == wanted));
    let listed = listed.map(|(names, meaning, page)| Explanation {
        word: names.join(", "),
        meaning,
        reference: format!("more: {page}"),
    });
    let mut found: Vec<Explanation> =
        terms.chain(numbers.map(explanation_of_number)).chain(listed).collect();
    if found.is_empty() {
        found.extend(explanation_of_column(&wanted));
    }
    found
}

/// Returns the words that other lists of the program define, with their meanings and pages.
fn listed_terms() -> Vec<(Vec<String>, String, &'static str)> {
    let pillars = Pillar::ALL.iter().map(|pillar| {
        let names = vec![pillar.word().to_uppercase(), pillar.name().to_owned()];
        let meaning = format!("a pillar of process discipline; {}", pillar.profile_difference());
        (names, meaning, "docs/process.md#pillars")
    });
    let signals = SignalKind::ALL.iter().map(|kind| {
        let meaning = format!("a signal: {}", signal_meaning(*kind));
        (vec![kind.words().to_owned()], meaning, "docs/process.md#signals")
    });
    let outcomes = Outcome::ALL.iter().map(|outcome| {
        let meaning = format!("an outcome of a trial: {}", outcome_meaning(*outcome));
        (vec![outcome.word().to_owned()], meaning, "docs/scoring.md#outcomes-of-trials")
    });
    let views = View::ALL.iter().filter_map(|view| {
        let command = commands::find_command(view.word())?;
        let meaning = format!("a view: {} (:{})", command.help, command.name);
        Some((vec![view.tab_name().to_owned()], meaning, "docs/look.md"))
    });
    pillars.chain(signals).chain(outcomes).chain(views).collect()
}

const fn signal_meaning(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::RepeatedCall => {
            "the same call had the same response, and nothing was changed in between"
        }
        SignalKind::RepeatedMessage => "a message repeats an earlier one",
        SignalKind::SameFailure => "the same thing failed in the same way again",
        SignalKind::NoProgress => {
            "nothing new was read, written or tested with success for a while"
        }
        SignalKind::SaidFailure => "a message says that something failed",
        SignalKind::LeftFailing => "a turn ended after its last attempt had failed",
        SignalKind::Undone => "a file is again what it was before an edit",
        SignalKind::UseLost => "a name that was in use is used by nothing any more",
        SignalKind::ContextLost => "names that were used before a compaction are missing after it",
        SignalKind::Unrequested => "a file changed that no request named",
    }
}

const fn outcome_meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "the verifier accepted the work",
        Outcome::Failed => "the verifier refused the work",
        Outcome::Partial => "the verifier gave a part of the reward",
        Outcome::Error => "the agent, the environment or the verifier raised an error",
        Outcome::Timeout => "the agent ran out of time",
        Outcome::Limit => "the agent ran out of tokens, turns or money",
        Outcome::Unscored => "the agent ran, and nobody scored its work",
    }
}

/// Returns what a column of the table of runs means, by its head or by its word.
fn explanation_of_column(wanted: &str) -> Option<Explanation> {
    let is_wanted = |column: &RunTableColumn| {
        let info = column.column_info();
        [info.title, info.word].iter().any(|name| name.to_lowercase() == wanted)
    };
    let column = RunTableColumn::all_columns().find(is_wanted)?;
    Some(Explanation {
        word: column.column_info().title.to_owned(),
        meaning: format!("a column of the table of runs: {}", column.help_text()),
        reference: "more: docs/sessions.md".to_owned(),
    })
}

/// Returns every word that is explained, for completion.
pub fn words() -> Vec<&'static str> {
    let terms = TERMS.iter().map(|(words, ..)| words[0]);
    let numbers = Number::ALL.iter().map(|number| number.id());
    let mut words: Vec<&str> =
        terms.chain(numbers).chain(SIGNS.iter().map(|(words, ..)| words[0])).collect();
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.to_lowercase()));
    words
}

/// Returns the first meaning of a word; empty if nothing explains it.
pub(crate) fn first_meaning(word: &str) -> String {
    explanations(word).into_iter().next().map(|it| it.meaning).unwrap_or_default()
}

/// Returns the rows of the box that explains a word.
pub(crate) fn explanation_rows(word: &str) -> Vec<FactRow> {
    let rows = explanations(word).into_iter().enumerate().flat_map(|(at, it)| {
        let blank = (at > 0).then(|| FactRow::new("", ""));
        let rows = [FactRow::new(it.word, it.meaning), FactRow::new("", it.reference)];
        blank.into_iter().chain(rows)
    });
    rows.collect()
}

fn explanation_of_number(number: Number) -> Explanation {
    let row = number.row();
    let name = match row.label.eq_ignore_ascii_case(row.id) {
        true => row.label.to_owned(),
        false => format!("{} ({})", row.label, row.id),
    };
    let better = match row.better {
        BetterDirection::Neither => String::new(),
        direction => format!("; {} is better", direction.word()),
    };
    let help = if row.help.is_empty() { row.definition } else { row.help };
    let formula = if row.help.is_empty() { String::new() } else { format!("{}; ", row.definition) };
    Explanation {
        word: name,
        meaning: format!("{help} ({}, {}{better})", row.unit, range_text(row.range)),
        reference: format!("{formula}{}; docs/scoring.md#every-number", row.source),
    }
}

/// Returns a range as people say it: `0..1` as `0 to 1`, `..1` as `at most 1`, `0..` as `at least 0`.
fn range_text(range: &str) -> String {
    match range.split_once("..") {
        Some(("", high)) => format!("at most {high}"),
        Some((low, "")) => format!("at least {low}"),
        Some((low, high)) => format!("{low} to {high}"),
        None => range.to_owned(),
    }
}

/// Returns the abbreviation of a label such as `mean score (MCF)`, in lower case; empty without one.
fn label_word(label: &str) -> String {
    let inside = label.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_and_signs_that_people_asked_about_are_explained() {
        for word in [
            "mass",
            "DIR",
            "IF50",
            "recoverable",
            "explicit",
            "stated",
            "PAC",
            "PEA",
            "kappa",
            "alpha",
            "MCF",
            "erosion",
            "verbosity",
            "RCR",
            "ESR",
            "CC",
            "▲",
            "§",
            "≡",
            "◆",
            "⚑",
            "✖",
            "◇",
            "◈",
            "⟲",
            "✗",
            "⑂",
            "—",
            "pool",
            "churn",
            "blind",
            "loc",
            "SLUMP",
            "outcome",
            "pass@k",
            "pass^k",
            "flaky",
            "mcnemar",
            "wilson",
            "ICC",
            "ICC(2,1)",
            "alt-test",
            "omega",
            "ECE",
            "abstain",
            "Dawid-Skene",
        ] {
            let found = explanations(word);
            assert!(!found.is_empty(), "{word}");
            for it in found {
                assert!(!it.meaning.is_empty() && it.reference.contains("docs/"), "{word}");
            }
        }
    }

    #[test]
    fn every_number_column_pillar_signal_outcome_and_view_is_explained() {
        let numbers = Number::ALL.iter().flat_map(|it| [it.id(), it.label(), it.short()]);
        let columns = RunTableColumn::all_columns().map(|it| it.column_info());
        let columns = columns.flat_map(|info| [info.title, info.word]);
        let pillars = Pillar::ALL.iter().flat_map(|it| [it.word(), it.name()]);
        let signals = SignalKind::ALL.iter().map(|it| it.words());
        let outcomes = Outcome::ALL.iter().map(|it| it.word());
        let views = View::ALL.iter().map(|it| it.tab_name());
        let lanes = ["checkpoint", "components", "events", "signals"];
        let heads = [
            "id",
            "component",
            "score",
            "spec level",
            "change",
            "lost at turn",
            "difference",
            "95 % BCa",
            "score transitions",
            "judge",
            "judged",
            "severe",
            "full",
            "lost",
            "MCF",
            "DIR",
            "IF50",
            "rigor",
            "agreement",
            "queue",
            "evidence",
            "candidate code",
            "codebook",
        ];

        let words = numbers.chain(columns).chain(pillars).chain(signals).chain(outcomes);
        let words = words.chain(views).chain(lanes).chain(heads);
        let missing: Vec<&str> =
            words.filter(|word| !word.is_empty() && explanations(word).is_empty()).collect();

        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn a_number_is_explained_by_its_formula_and_source() {
        let dir = explanations("dir").remove(0);
        assert!(dir.meaning.contains("higher is better"), "{}", dir.meaning);
        assert!(dir.reference.contains("reused / exported"), "{}", dir.reference);
        assert!(dir.reference.contains("arXiv 2603.17104"), "{}", dir.reference);
    }

    #[test]
    fn no_term_or_sign_has_two_rows() {
        let mut seen = std::collections::HashSet::new();
        for word in TERMS.iter().chain(SIGNS).flat_map(|(words, ..)| *words) {
            assert!(seen.insert(*word), "{word}");
        }
    }
}
