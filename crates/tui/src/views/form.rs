//! The form that is filled in before work is started: fields, the button that starts the work, and a note on what it would do.
//!
//! A [`FormPane`] owns the cursor, scrolling, the mouse, and typing into a field; whoever opens the form makes its fields, reads
//! them, and writes the note. Rarely used fields are folded below `more…` until they are opened or have a value. An error is
//! shown below its field.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Clear, Widget},
};

use crate::{
    session::jobs::FormChoice,
    widgets::{
        layout::inside_border,
        line::{fit_spans, fit_text_end, safe_string, trusted_span},
        mouse::{Mouse, MouseKind},
        panel::{draw_titled_panel, put_row, put_style},
        scroll::{Motion, Scroll},
        text,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};

/// Cells of the name of a field, blanks around it included.
const LABEL_CELLS: usize = 16;

/// A form: its fields from the top, the cursor among them, and the note below them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormPane {
    title: &'static str,
    /// What the button does: `start`, `send`.
    verb: &'static str,
    /// All fields in order, also those that are not shown.
    fields: Vec<FormField>,
    /// The position of the cursor among the fields that are shown and `more…`.
    cursor: usize,
    /// The text of the field at the cursor before keys were typed into it; None while no key types.
    text_before: Option<String>,
    has_rare_fields: bool,
    note: FormNote,
    /// The first visible row of the fields, and of the note.
    top: usize,
    /// Rows of the fields on the screen.
    list_height: usize,
    note_top: usize,
    /// The area of the form, border included.
    frame: Rect,
}

/// The text below the fields: what the work would do, or why it cannot start.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FormNote {
    /// Names and values; a row without a name is a sentence over the whole width.
    pub(crate) rows: Vec<(String, String, Meaning)>,
    /// True if the button starts the work.
    pub(crate) is_ready: bool,
}

/// One setting of the form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormField {
    /// Identifies the field in the code. Unique within a form but for marks.
    pub id: &'static str,
    pub label: &'static str,
    pub value: FieldValue,
    /// A remark, drawn dimmed behind the value.
    pub remark: String,
    /// The value that is used while the field is empty, from the last plan.
    pub proposed: Option<String>,
    /// The reason why the value is invalid, as a sentence. Cleared when the value changes.
    error: Option<String>,
    /// True if the field means nothing with what is chosen now; it keeps its value.
    is_hidden: bool,
    /// True if the field is folded while it has its first value.
    is_rare: bool,
    /// The name of the field in a row of several; the first of them has the label of the row.
    word: Option<&'static str>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// One of several; `at` is a position among them.
    Choice { options: Vec<FormChoice>, at: usize },
    /// Free text in one line. `empty` explains an empty text; `listed` are texts to choose from.
    Text { text: String, empty: &'static str, listed: Vec<String> },
    /// A number that changes in steps and is at least `step` if given. `empty` explains a missing number.
    Amount { amount: Option<f64>, step: f64, unit: &'static str, empty: &'static str },
    /// A thing of a list, which is taken or not.
    Mark { item: String, name: String, is_marked: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub enum FormMessage {
    Move(Motion),
    /// Changes the value by this many values or steps.
    Change(isize),
    /// Type into the field, or take its next value.
    Edit,
    Type(String),
    Erase,
    EraseAll,
    /// Accepts the typed text.
    Accept,
    /// Restores the previous text.
    Cancel,
    /// Scrolls the note by so many rows.
    ScrollNote(isize),
    /// A click.
    Press(FormTarget),
}

/// What a click on a form is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormTarget {
    /// The name of the field at this position among those that are shown.
    Field(usize),
    /// Its value, or the sign before or after it, which changes it by this many values.
    Value(usize, isize),
}

/// What a mouse event over a form asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormMouse {
    Form(FormMessage),
    /// The button was clicked.
    Start,
}

/// A place that the cursor can be at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormStop {
    /// A field, by its position among all.
    Field(usize),
    /// The row that unfolds and folds the rarely used fields.
    More,
}

/// Text of a row, and what a click on it is on.
type RowPart = (String, Meaning, Option<FormTarget>);

/// A row of the fields; an error below a field has no place for the cursor.
#[derive(Debug, Default)]
struct FormRow {
    parts: Vec<RowPart>,
    /// The places of the cursor in this row: the first, and how many.
    stops: (usize, usize),
}

impl FormField {
    pub(crate) fn with_choices(
        id: &'static str,
        label: &'static str,
        options: Vec<FormChoice>,
        at: usize,
    ) -> Self {
        Self::with_value(id, label, FieldValue::Choice { options, at })
    }

    pub fn with_text(
        id: &'static str,
        label: &'static str,
        text: &str,
        empty: &'static str,
    ) -> Self {
        Self::with_value(
            id,
            label,
            FieldValue::Text { text: text.to_owned(), empty, listed: vec![] },
        )
    }

    pub(crate) fn with_amount(
        id: &'static str,
        label: &'static str,
        (amount, step): (Option<f64>, f64),
        unit: &'static str,
        empty: &'static str,
    ) -> Self {
        Self::with_value(id, label, FieldValue::Amount { amount, step, unit, empty })
    }

    pub const fn with_value(id: &'static str, label: &'static str, value: FieldValue) -> Self {
        Self {
            id,
            label,
            value,
            remark: String::new(),
            proposed: None,
            error: None,
            is_hidden: false,
            is_rare: false,
            word: None,
        }
    }

    /// Folds the field while it has its first value.
    #[must_use]
    pub(crate) fn rare(self) -> Self {
        Self { is_rare: true, ..self }
    }

    /// Puts the field into one row with the fields of the same label beside it.
    #[must_use]
    pub(crate) fn named_in_row(self, word: &'static str) -> Self {
        Self { word: Some(word), ..self }
    }

    #[must_use]
    pub(crate) fn with_remark(self, remark: impl Into<String>) -> Self {
        Self { remark: remark.into(), ..self }
    }

    /// Returns the value that is chosen. None for a field without choices.
    pub(crate) fn chosen_value(&self) -> Option<&FormChoice> {
        let FieldValue::Choice { options, at } = &self.value else { return None };
        options.get(*at)
    }

    fn has_first_value(&self) -> bool {
        match &self.value {
            FieldValue::Choice { at, .. } => *at == 0,
            FieldValue::Text { text, .. } => text.is_empty(),
            FieldValue::Amount { amount, .. } => amount.is_none(),
            FieldValue::Mark { is_marked, .. } => !is_marked,
        }
    }

    fn is_shown(&self, shows_rare: bool) -> bool {
        let is_folded =
            self.is_rare && !shows_rare && self.has_first_value() && self.error.is_none();
        !self.is_hidden && !is_folded
    }

    fn change_value(&mut self, by: isize) {
        self.error = None;
        match &mut self.value {
            FieldValue::Choice { options, at } => *at = wrapping_index(*at, by, options.len()),
            FieldValue::Amount { amount, step, .. } => {
                let wanted = amount.unwrap_or_default() + *step * by as f64;
                *amount = (wanted >= *step).then_some(wanted);
            }
            FieldValue::Text { text, listed, .. } if !listed.is_empty() => {
                let at = listed.iter().position(|it| it == text);
                let next = at.map_or_else(
                    || if by < 0 { listed.len() - 1 } else { 0 },
                    |at| wrapping_index(at, by, listed.len()),
                );
                text.clone_from(&listed[next]);
            }
            FieldValue::Mark { is_marked, .. } => *is_marked = !*is_marked,
            FieldValue::Text { .. } => {}
        }
    }

    /// Returns the parts of the value; a click on one is on the value at `stop`.
    fn value_parts(&self, stop: usize, types: bool, room: usize) -> Vec<RowPart> {
        let muted = |words: &str| (words.to_owned(), Meaning::Muted, None);
        let change =
            |words: &str, by| (words.to_owned(), Meaning::Muted, Some(FormTarget::Value(stop, by)));
        let value = |words: String, looks| (words, looks, Some(FormTarget::Value(stop, 0)));
        let gap = if self.word.is_some() { "" } else { " " };
        let mut parts = match &self.value {
            FieldValue::Choice { .. } => {
                let chosen = self.chosen_value();
                let is_missing = chosen.is_some_and(|it| it.lacks.is_some());
                let looks = if is_missing { Meaning::Muted } else { Meaning::Title };
                let label = chosen.map_or("none", |it| &it.label);
                let remark = chosen.filter(|it| !it.remark.is_empty());
                let mut parts =
                    vec![change("‹ ", -1), value(safe_string(label), looks), change(" ›", 1)];
                parts.extend(remark.map(|it| muted(&format!("  {}", safe_string(&it.remark)))));
                parts
            }
            FieldValue::Text { text, empty, .. } if text.is_empty() && !types => {
                match &self.proposed {
                    Some(words) => vec![
                        value(
                            fit_text_end(&safe_string(words), room.saturating_sub(10)),
                            Meaning::Text,
                        ),
                        muted(" proposed"),
                    ],
                    None => vec![value((*empty).to_owned(), Meaning::Muted)],
                }
            }
            FieldValue::Text { text, .. } => {
                let words = value(fit_text_end(&safe_string(text), room), Meaning::Text);
                let cursor = types.then(|| ("▏".to_owned(), Meaning::Key, None));
                std::iter::once(words).chain(cursor).collect()
            }
            FieldValue::Amount { amount, unit, empty, .. } => {
                let (words, looks) = match amount {
                    Some(amount) => {
                        (format!("{amount} {unit}").trim_end().to_owned(), Meaning::Title)
                    }
                    None => ((*empty).to_owned(), Meaning::Muted),
                };
                vec![
                    change(&format!("‹{gap}"), -1),
                    value(words, looks),
                    change(&format!("{gap}›"), 1),
                ]
            }
            FieldValue::Mark { .. } => vec![],
        };
        parts.extend(
            (!self.remark.is_empty()).then(|| muted(&format!("  {}", safe_string(&self.remark)))),
        );
        parts
    }
}

fn wrapping_index(at: usize, by: isize, len: usize) -> usize {
    (at as isize + by).rem_euclid(len.max(1) as isize) as usize
}

impl FormPane {
    /// Returns the form; its button does what `verb` says.
    pub fn new(title: &'static str, verb: &'static str, fields: Vec<FormField>) -> Self {
        Self { title, verb, fields, ..Self::default() }
    }

    /// Returns the places of the cursor, from the top: `more…` is above the rarely used fields.
    fn stops(&self) -> Vec<FormStop> {
        let mut stops = vec![];
        for (at, field) in self.fields.iter().enumerate() {
            let is_first_rare = field.is_rare && !stops.contains(&FormStop::More);
            stops.extend((is_first_rare && !field.is_hidden).then_some(FormStop::More));
            stops.extend(field.is_shown(self.has_rare_fields).then_some(FormStop::Field(at)));
        }
        stops
    }

    /// Returns whether the form has a field that is not hidden.
    fn has_shown_fields(&self) -> bool {
        self.fields.iter().any(|field| !field.is_hidden)
    }

    fn cursor_stop(&self) -> Option<FormStop> {
        self.stops().get(self.cursor).copied()
    }

    /// Brings the cursor back to a field, after fields above it were shown or folded.
    fn return_to_stop(&mut self, stop: Option<FormStop>) {
        let at = self.stops().iter().position(|it| Some(*it) == stop);
        self.cursor = at.unwrap_or(self.cursor);
    }

    fn cursor_index(&self) -> Option<usize> {
        match self.cursor_stop()? {
            FormStop::Field(at) => Some(at),
            FormStop::More => None,
        }
    }

    /// Returns the field at the cursor; None at `more…`.
    pub(crate) fn cursor_field(&self) -> Option<&FormField> {
        self.fields.get(self.cursor_index()?)
    }

    /// Returns the id of the field at the cursor; empty at `more…`.
    pub(crate) fn cursor_id(&self) -> &'static str {
        self.cursor_field().map_or("", |field| field.id)
    }

    /// Returns the field of this id, unless it is hidden.
    pub fn field_by_id(&self, id: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.id == id && !field.is_hidden)
    }

    /// Returns the id of what is chosen in a field. Empty if the form has no such choice.
    pub fn chosen_id(&self, id: &str) -> &str {
        self.field_by_id(id).and_then(FormField::chosen_value).map_or("", |choice| &choice.id)
    }

    /// Returns the text of a field without blanks around it. None if it is empty.
    pub(crate) fn typed_text(&self, id: &str) -> Option<&str> {
        let FieldValue::Text { text, .. } = &self.field_by_id(id)?.value else { return None };
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// Returns the number in a field. None if none is wanted.
    pub(crate) fn typed_amount(&self, id: &str) -> Option<f64> {
        let FieldValue::Amount { amount, .. } = self.field_by_id(id)?.value else { return None };
        amount
    }

    /// Puts other values into a field of choices; what is chosen stays where it is among them.
    pub(crate) fn offer_choices(&mut self, field: &str, offered: Vec<FormChoice>) {
        self.change_field(field, |field| {
            if let FieldValue::Choice { options, at } = &mut field.value {
                let chosen = options.get(*at).map(|it| it.id.clone()).unwrap_or_default();
                *at = offered.iter().position(|it| it.id == chosen).unwrap_or_default();
                *options = offered;
            }
        });
    }

    /// Changes a field, shown or hidden.
    pub(crate) fn change_field(&mut self, id: &str, change: impl FnOnce(&mut FormField)) {
        let field = self.fields.iter_mut().find(|field| field.id == id);
        if let Some(field) = field {
            change(field);
        }
    }

    /// Sets the texts that a field offers, and the words for an empty text.
    pub(crate) fn set_listed(&mut self, id: &str, texts: Vec<String>, words: &'static str) {
        self.change_field(id, |field| {
            if let FieldValue::Text { listed, empty, .. } = &mut field.value {
                (*listed, *empty) = (texts, words);
            }
        });
    }

    /// Returns the marks: the id of each thing, and whether it is taken.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (&str, bool)> {
        self.fields.iter().filter_map(|field| match &field.value {
            FieldValue::Mark { item, is_marked, .. } => Some((item.as_str(), *is_marked)),
            _ => None,
        })
    }

    /// Sets the values that are used for empty fields: ids and values.
    pub(crate) fn propose_values(&mut self, proposed: &[(&'static str, String)]) {
        for field in &mut self.fields {
            let mine = proposed.iter().find(|(id, _)| *id == field.id);
            field.proposed = mine.map(|(_, words)| words.clone());
        }
    }

    /// Replaces the marks at the end of the form.
    pub(crate) fn set_marks(&mut self, marks: impl Iterator<Item = FieldValue>) {
        self.fields.retain(|field| !matches!(field.value, FieldValue::Mark { .. }));
        self.fields.extend(marks.map(|mark| FormField::with_value("", "", mark)));
    }

    /// Shows a field, or hides it.
    pub(crate) fn show_field(&mut self, id: &str, is_shown: bool) {
        let stop = self.cursor_stop();
        self.change_field(id, |field| field.is_hidden = !is_shown);
        self.return_to_stop(stop);
    }

    /// Returns every field with its value, as [`FormPane::fill_field`] takes it; those that are hidden too.
    pub fn field_values(&self) -> Vec<(String, String)> {
        let value = |field: &FormField| match &field.value {
            FieldValue::Choice { .. } => {
                field.chosen_value().map_or_else(String::new, |it| it.id.clone())
            }
            FieldValue::Text { text, .. } => text.clone(),
            FieldValue::Amount { amount, .. } => {
                amount.map_or_else(String::new, |it| it.to_string())
            }
            FieldValue::Mark { is_marked, .. } => is_marked.to_string(),
        };
        self.fields.iter().map(|field| (field.id.to_owned(), value(field))).collect()
    }

    /// Gives a field, shown or hidden, a value that [`FormPane::field_values`] gave; one that means nothing here is left out.
    pub(crate) fn fill_field(&mut self, id: &str, value: &str) {
        self.change_field(id, |field| match &mut field.value {
            FieldValue::Choice { options, at } => {
                *at = options.iter().position(|it| it.id == value).unwrap_or(*at);
            }
            FieldValue::Text { text, .. } => value.clone_into(text),
            FieldValue::Amount { amount, .. } => {
                *amount = value.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
            }
            FieldValue::Mark { is_marked, .. } => *is_marked = value == "true",
        });
    }

    /// Returns whether keys type into a field.
    pub(crate) const fn is_typing(&self) -> bool {
        self.text_before.is_some()
    }

    /// Returns the text that is being typed.
    pub(crate) fn typing_line(&self) -> Option<&str> {
        self.text_before.as_ref()?;
        let FieldValue::Text { text, .. } = &self.cursor_field()?.value else { return None };
        Some(text)
    }

    /// Ends typing; the typed text stays.
    pub(crate) fn end_typing(&mut self) {
        self.text_before = None;
    }

    /// Shows an error at its field, and none at the others. Returns false where the form does not have the field.
    pub(crate) fn show_error(&mut self, id: Option<&str>, why: &str) -> bool {
        let (stop, mut is_there) = (self.cursor_stop(), false);
        for field in &mut self.fields {
            let is_it = Some(field.id) == id && !field.is_hidden;
            field.error = is_it.then(|| why.to_owned());
            is_there |= is_it;
        }
        self.return_to_stop(stop);
        is_there
    }

    pub(crate) fn set_note(&mut self, note: FormNote) {
        if self.note != note {
            self.note_top = 0;
            self.note = note;
        }
    }

    pub(crate) fn update_form(&mut self, message: FormMessage) {
        let stops = self.stops();
        match message {
            FormMessage::Move(motion) => {
                self.cursor = motion.target_row(self.cursor, stops.len(), self.list_height);
            }
            FormMessage::Change(by) => self.change_at_cursor(by),
            FormMessage::Edit => self.edit_field(),
            FormMessage::Type(words) => self.on_text(|text| text.push_str(&words)),
            FormMessage::Erase => self.on_text(|text| {
                text.pop();
            }),
            FormMessage::EraseAll => self.on_text(String::clear),
            FormMessage::Accept => self.end_typing(),
            FormMessage::Cancel => {
                if let Some(before) = self.text_before.take() {
                    self.on_text(|text| *text = before);
                }
            }
            FormMessage::ScrollNote(by) => self.note_top = self.note_top.saturating_add_signed(by),
            FormMessage::Press(FormTarget::Field(at)) => {
                (self.cursor, self.text_before) = (at, None)
            }
            FormMessage::Press(FormTarget::Value(at, by)) => {
                (self.cursor, self.text_before) = (at, None);
                if by == 0 { self.edit_field() } else { self.change_at_cursor(by) }
            }
        }
    }

    /// Returns the index of the field at the cursor, and unfolds the rare fields where it is one of them; None at
    /// `more…`.
    fn unfolded_index(&mut self) -> Option<usize> {
        let at = self.cursor_index()?;
        if self.fields[at].is_rare {
            self.has_rare_fields = true;
            self.return_to_stop(Some(FormStop::Field(at)));
        }
        Some(at)
    }

    /// Changes the value at the cursor. A text without a list is typed.
    fn change_at_cursor(&mut self, by: isize) {
        let Some(at) = self.unfolded_index() else {
            self.has_rare_fields = !self.has_rare_fields;
            return;
        };
        match &self.fields[at].value {
            FieldValue::Text { listed, .. } if listed.is_empty() => self.edit_field(),
            _ => self.fields[at].change_value(by),
        }
    }

    fn edit_field(&mut self) {
        let field = self.unfolded_index().map(|at| &mut self.fields[at]);
        let Some(FormField { value: FieldValue::Text { text, .. }, proposed, .. }) = field else {
            return self.change_at_cursor(1);
        };
        self.text_before = Some(text.clone());
        if let (true, Some(words)) = (text.is_empty(), proposed) {
            text.clone_from(words);
        }
    }

    fn on_text(&mut self, change: impl FnOnce(&mut String)) {
        let field = self.cursor_index().map(|at| &mut self.fields[at]);
        if let Some(FormField { value: FieldValue::Text { text, .. }, error, .. }) = field {
            change(text);
            *error = None;
        }
    }

    /// Returns the number of rows that the whole form needs at this width, without its border.
    pub(crate) fn wanted_rows(&self, width: u16) -> usize {
        let width = usize::from(width);
        let note = self.note_lines(Theme::with_terminal_colours(), width).len();
        self.rows(width).len() + note + usize::from(self.has_shown_fields())
    }

    /// Takes the area, border included, and brings the field at the cursor into sight.
    pub(crate) fn settle(&mut self, frame: Rect) {
        self.frame = frame;
        self.cursor = self.cursor.min(self.stops().len().saturating_sub(1));
        let rows = self.rows(self.width());
        let has_cursor =
            |row: &FormRow| (row.stops.0..row.stops.0 + row.stops.1).contains(&self.cursor);
        let mut at = rows.iter().position(has_cursor).unwrap_or_default();
        // The error below the field is seen too.
        at += rows[(at + 1).min(rows.len())..].iter().take_while(|row| row.stops.1 == 0).count();
        let note = self.note_lines(Theme::with_terminal_colours(), self.width()).len();
        self.list_height = self.list_height_for(rows.len(), note);
        let mut scroll = Scroll { cursor: at, top: self.top };
        scroll.follow_cursor(rows.len(), self.list_height);
        self.top = scroll.top;
        self.note_top = self.note_top.min(note.saturating_sub(self.note_height()));
    }

    fn width(&self) -> usize {
        usize::from(inside_border(self.frame).width)
    }

    /// Returns the number of rows for the fields: all, where the note leaves room; at least two thirds.
    fn list_height_for(&self, rows: usize, note: usize) -> usize {
        let height = usize::from(inside_border(self.frame).height);
        if !self.has_shown_fields() {
            return 0;
        }
        let least = rows.min(height * 2 / 3);
        height.saturating_sub(note + 1).clamp(least, rows.max(least)).min(height.saturating_sub(1))
    }

    fn note_height(&self) -> usize {
        let button = usize::from(self.has_shown_fields());
        usize::from(inside_border(self.frame).height).saturating_sub(self.list_height + button)
    }

    fn rows(&self, width: usize) -> Vec<FormRow> {
        let mut rows: Vec<FormRow> = vec![];
        let mut label = "";
        let widest = self.marks().map(|(item, _)| text::width(&safe_string(item))).max();
        let widest = widest.unwrap_or_default();
        for (stop, place) in self.stops().into_iter().enumerate() {
            let FormStop::Field(at) = place else {
                rows.push(self.more_row(stop));
                continue;
            };
            let field = &self.fields[at];
            let types = stop == self.cursor && self.is_typing();
            let value = field.value_parts(stop, types, width.saturating_sub(LABEL_CELLS + 2));
            let target = Some(FormTarget::Field(stop));
            let word = field.word.map(|word| (format!("{word} "), Meaning::Text, target));
            match rows.last_mut().filter(|_| word.is_some() && label == field.label) {
                Some(row) => {
                    row.parts.push((" · ".into(), Meaning::Muted, None));
                    row.parts.extend(word.into_iter().chain(value));
                    row.stops.1 += 1;
                }
                None => {
                    let parts = std::iter::once(label_part(field, stop, widest)).chain(word);
                    rows.push(FormRow { parts: parts.chain(value).collect(), stops: (stop, 1) });
                }
            }
            label = field.label;
            if let Some(why) = &field.error {
                let room = width.saturating_sub(LABEL_CELLS + 1).max(1);
                rows.extend(wrap_line(why, room).into_iter().map(|range| {
                    let words = " ".repeat(LABEL_CELLS) + &safe_string(why[range].trim_end());
                    FormRow { parts: vec![(words, Meaning::Error, None)], stops: (stop, 0) }
                }));
            }
        }
        rows
    }

    /// Returns ` more…          program, server, sandbox`: the names of the folded fields.
    fn more_row(&self, stop: usize) -> FormRow {
        let folded = self.fields.iter().filter(|it| !it.is_hidden && !it.is_shown(false));
        let mut names: Vec<&str> = folded.map(|field| field.label).collect();
        names.dedup();
        let (label, names) = match self.has_rare_fields {
            true => ("less", String::new()),
            false => ("more…", names.join(", ")),
        };
        let target = Some(FormTarget::Value(stop, 0));
        let label = (format!(" {label:<0$}", LABEL_CELLS - 1), Meaning::Key, target);
        FormRow { parts: vec![label, (names, Meaning::Muted, target)], stops: (stop, 1) }
    }

    fn note_lines(&self, theme: Theme, width: usize) -> Vec<Line<'static>> {
        let of_row = |(name, words, looks): &(String, String, Meaning)| {
            let indent = if name.is_empty() { 1 } else { LABEL_CELLS };
            let mut name = format!(" {:<1$}", safe_string(name), indent - 1);
            let rows = wrap_line(words, width.saturating_sub(indent + 1).max(1)).into_iter();
            let lines = rows.map(|range| {
                let name = std::mem::replace(&mut name, " ".repeat(indent));
                let words = safe_string(words[range].trim_end());
                Line::from(vec![
                    trusted_span(name, theme.style_for(Meaning::Muted)),
                    trusted_span(words, theme.style_for(*looks)),
                ])
            });
            lines.collect::<Vec<_>>()
        };
        self.note.rows.iter().flat_map(of_row).collect()
    }

    /// Returns the row of the button, which is also the rule above the note, and the cells of the button in it.
    fn button_row(&self, notes: usize, theme: Theme) -> (Line<'static>, std::ops::Range<usize>) {
        let rule = |cells: usize| trusted_span("─".repeat(cells), theme.style_for(Meaning::Border));
        let (key, verb) = (theme.spell_out(" ⏎ "), format!("{} ", self.verb));
        let cells = 2..2 + text::width(&key) + text::width(&verb);
        let looks = if self.note.is_ready { Meaning::Title } else { Meaning::Muted };
        let after = notes.saturating_sub(self.note_top + self.note_height());
        let words = match (self.note_top, after) {
            (0, 0) => String::new(),
            (_, 0) => " pgup: more above ".into(),
            (_, after) => format!(" pgdn: {after} more below "),
        };
        let room = self.width().saturating_sub(cells.end + text::width(&words));
        let line = vec![
            rule(cells.start),
            trusted_span(key, theme.style_for(Meaning::Key)),
            trusted_span(verb, theme.style_for(looks)),
            rule(room),
            trusted_span(words, theme.style_for(Meaning::Muted)),
        ];
        (Line::from(line), cells)
    }

    pub(crate) fn draw(&self, is_focused: bool, theme: Theme, buffer: &mut Buffer) {
        let title = format!(" {} ", self.title);
        let looks = if is_focused { Meaning::Title } else { Meaning::Text };
        Clear.render(self.frame, buffer);
        let title = trusted_span(title, theme.style_for(looks));
        let inner = draw_titled_panel(is_focused, title, theme, self.frame, buffer);
        let (height, chosen) = (self.list_height, theme.chosen_row(is_focused));
        for (y, row) in self.rows(self.width()).iter().skip(self.top).take(height).enumerate() {
            self.draw_row(
                row,
                chosen,
                theme,
                Rect { y: inner.y + y as u16, height: 1, ..inner },
                buffer,
            );
        }
        let mut below =
            Rect { y: inner.y + height as u16, height: inner.height - height as u16, ..inner };
        let note = self.note_lines(theme, self.width());
        if self.has_shown_fields() {
            put_row(self.button_row(note.len(), theme).0, None, below, 0, buffer);
            below = Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below };
        }
        let visible = note.into_iter().skip(self.note_top).take(usize::from(below.height));
        for (y, line) in visible.enumerate() {
            put_row(line, None, below, y as u16, buffer);
        }
    }

    fn draw_row(
        &self,
        row: &FormRow,
        chosen: ratatui::style::Style,
        theme: Theme,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let span =
            |(words, looks, _): &RowPart| Span::styled(words.clone(), theme.style_for(*looks));
        let spans = fit_spans(row.parts.iter().map(span).collect(), usize::from(area.width));
        put_row(Line::from(spans), None, area, 0, buffer);
        let (first, count) = row.stops;
        if !(first..first + count).contains(&self.cursor) {
            return;
        }
        let cells = match count {
            1 => 0..area.width,
            _ => self.columns_of_stop(row, self.cursor),
        };
        let x = (area.x + cells.start).min(area.right());
        let width = (cells.end - cells.start).min(area.right() - x);
        put_style(chosen, Rect { x, width, ..area }, buffer);
    }

    /// Returns the columns of one of several fields in a row, counted from 0 at the start of its text; empty where it
    /// is not in the row.
    fn columns_of_stop(&self, row: &FormRow, stop: usize) -> std::ops::Range<u16> {
        let of_stop = |target: Option<FormTarget>| match target {
            Some(FormTarget::Field(at) | FormTarget::Value(at, _)) => at == stop,
            None => false,
        };
        let mut x = 0;
        let mut cells: Option<std::ops::Range<u16>> = None;
        for (at, (words, _, target)) in row.parts.iter().enumerate() {
            let end = x + text::width(words) as u16;
            if at > 0 && of_stop(*target) {
                cells = Some(cells.map_or(x, |it| it.start)..end);
            }
            x = end;
        }
        cells.unwrap_or_default()
    }

    /// Returns what a click beside the text of a row is on: a text is typed, another value only chosen.
    fn target_beside_parts(&self, stop: usize) -> FormTarget {
        let is_text = match self.stops().get(stop) {
            Some(FormStop::Field(at)) => matches!(self.fields[*at].value, FieldValue::Text { .. }),
            Some(FormStop::More) | None => false,
        };
        if is_text { FormTarget::Value(stop, 0) } else { FormTarget::Field(stop) }
    }

    /// Returns what a mouse event asks for.
    pub(crate) fn mouse_request(&self, mouse: Mouse) -> Option<FormMouse> {
        let inner = inside_border(self.frame);
        if !mouse.is_in(inner) {
            return None;
        }
        let (y, x) = (usize::from(mouse.row - inner.y), usize::from(mouse.column - inner.x));
        let height = self.list_height;
        let by: isize = match mouse.kind {
            MouseKind::WheelUp => -1,
            MouseKind::WheelDown => 1,
            MouseKind::Click => 0,
            _ => return None,
        };
        if by != 0 {
            let motion = if by < 0 { Motion::Up(1) } else { Motion::Down(1) };
            let is_over_fields = y < height && !self.is_typing();
            return Some(FormMouse::Form(match is_over_fields {
                true => FormMessage::Move(motion),
                false => FormMessage::ScrollNote(by),
            }));
        }
        if y == height && self.has_shown_fields() {
            let cells = self.button_row(0, Theme::with_terminal_colours()).1;
            return cells.contains(&x).then_some(FormMouse::Start);
        }
        let rows = self.rows(self.width());
        let row = rows.get(self.top + y).filter(|row| y < height && row.stops.1 > 0)?;
        let mut end = 0;
        let part = row.parts.iter().find(|(words, ..)| {
            end += text::width(words);
            x < end
        });
        let target = part.and_then(|(_, _, target)| *target);
        let target = target.unwrap_or_else(|| self.target_beside_parts(row.stops.0));
        Some(FormMouse::Form(FormMessage::Press(target)))
    }
}

/// Returns the name of a field, or the thing that is marked; the longest id of a thing has so many cells.
fn label_part(field: &FormField, stop: usize, widest: usize) -> RowPart {
    match &field.value {
        FieldValue::Mark { item, name, is_marked } => {
            let item = safe_string(item);
            let gap = widest + 2 - text::width(&item);
            let sign = if *is_marked { "[x]" } else { "[ ]" };
            let words = format!(" {sign} {item}{}{}", " ".repeat(gap), safe_string(name));
            (words, Meaning::Text, Some(FormTarget::Value(stop, 0)))
        }
        FieldValue::Choice { .. } | FieldValue::Text { .. } | FieldValue::Amount { .. } => {
            let words = format!(" {:<1$}", field.label, LABEL_CELLS - 1);
            (words, Meaning::Muted, Some(FormTarget::Field(stop)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> FormPane {
        let options = vec![FormChoice::new("a", "A"), FormChoice::new("b", "B")];
        let form = FormPane::new(
            "a form",
            "start",
            vec![
                FormField::with_choices("which", "which", options.clone(), 0),
                FormField::with_text("path", "path", "x", "none"),
                FormField::with_amount("most", "most", (None, 0.5), "USD", "no limit"),
                FormField::with_choices("odd", "odd", options, 0).rare(),
            ],
        );
        settled(form)
    }

    fn settled(mut form: FormPane) -> FormPane {
        form.settle(Rect::new(0, 0, 40, 12));
        form
    }

    fn go(form: &mut FormPane, row: usize) {
        form.update_form(FormMessage::Move(Motion::To(row)));
    }

    fn click(form: &mut FormPane, column: u16, row: u16) -> Option<FormMouse> {
        let request = form.mouse_request(Mouse { kind: MouseKind::Click, column, row });
        if let Some(FormMouse::Form(message)) = &request {
            form.update_form(message.clone());
        }
        request
    }

    #[test]
    fn a_choice_goes_round_and_an_amount_ends_in_none() {
        let mut form = form();
        form.update_form(FormMessage::Change(-1));
        assert_eq!(form.chosen_id("which"), "b");
        form.update_form(FormMessage::Edit);
        assert_eq!(form.chosen_id("which"), "a");

        go(&mut form, 3);
        form.update_form(FormMessage::Change(3));
        assert_eq!(form.typed_amount("most"), Some(1.5));
        form.update_form(FormMessage::Change(-3));
        assert_eq!(form.typed_amount("most"), None);
    }

    #[test]
    fn what_is_typed_is_taken_or_given_back() {
        let mut form = form();
        go(&mut form, 2);
        form.update_form(FormMessage::Edit);
        form.update_form(FormMessage::Type("yz".into()));
        assert_eq!(form.typing_line(), Some("xyz"));
        form.update_form(FormMessage::Cancel);
        assert_eq!((form.typed_text("path"), form.typing_line()), (Some("x"), None));

        form.update_form(FormMessage::Edit);
        form.update_form(FormMessage::EraseAll);
        form.update_form(FormMessage::Accept);
        assert_eq!(form.typed_text("path"), None);
    }

    #[test]
    fn a_field_that_is_hidden_keeps_its_value_and_comes_back_to_its_place() {
        let mut form = form();
        form.show_field("path", false);
        assert_eq!((form.stops().len(), form.typed_text("path")), (3, None));

        let mut other = super::tests::form();
        form.fill_field("path", "y");
        form.field_values().iter().for_each(|(id, value)| other.fill_field(id, value));
        form.show_field("path", true);

        assert_eq!(form.stops()[1], FormStop::Field(1));
        assert_eq!((form.typed_text("path"), other.typed_text("path")), (Some("y"), Some("y")));
    }

    #[test]
    fn what_is_proposed_is_where_typing_begins() {
        let mut form = form();
        form.fill_field("path", "");
        form.propose_values(&[("path", "out-2".into())]);
        go(&mut form, 2);
        form.update_form(FormMessage::Edit);
        assert_eq!(form.typing_line(), Some("out-2"));
        form.update_form(FormMessage::Cancel);
        assert_eq!(form.typed_text("path"), None);
    }

    #[test]
    fn an_error_goes_when_its_value_changes() {
        let mut form = form();
        assert!(form.show_error(Some("which"), "not this one"));
        assert!(form.cursor_field().is_some_and(|field| field.error.is_some()));
        form.update_form(FormMessage::Change(1));
        assert!(form.cursor_field().is_some_and(|field| field.error.is_none()));
        assert!(!form.show_error(Some("elsewhere"), "not this one"));
    }

    #[test]
    fn a_rare_field_is_folded_until_it_is_opened_or_has_a_value_or_an_error() {
        let mut form = form();
        let is_shown = |form: &FormPane| form.stops().contains(&FormStop::Field(3));
        assert!(!is_shown(&form));
        assert_eq!(form.chosen_id("odd"), "a");

        go(&mut form, 4);
        form.update_form(FormMessage::Edit);
        assert!(is_shown(&form));
        form.update_form(FormMessage::Edit);
        assert!(!is_shown(&form));
        form.show_error(Some("odd"), "not this one");
        assert!(is_shown(&form));
        form.show_error(None, "");
        form.fill_field("odd", "b");
        assert!(is_shown(&form));
    }

    #[test]
    fn a_click_chooses_a_field_changes_a_choice_types_and_starts() {
        let mut form = form();

        click(&mut form, 2, 3);
        assert_eq!(form.cursor_id(), "most");
        click(&mut form, 21, 1); // the sign behind the choice
        assert_eq!((form.cursor_id(), form.chosen_id("which")), ("which", "b"));
        click(&mut form, 17, 1); // the sign before it
        assert_eq!(form.chosen_id("which"), "a");
        click(&mut form, 18, 2);
        assert_eq!(form.typing_line(), Some("x"));
        click(&mut form, 2, 4);
        assert_eq!((form.typing_line(), form.stops().len()), (None, 5));
        let mut form = settled(form);
        assert_eq!(click(&mut form, 5, 6), Some(FormMouse::Start));
        assert_eq!(click(&mut form, 30, 6), None);
    }

    #[test]
    fn fields_in_one_row_are_chosen_one_by_one() {
        let amount = |id, word| {
            FormField::with_amount(id, "limits", (None, 1.0), "", "none").named_in_row(word)
        };
        let mut form = settled(FormPane::new(
            "a form",
            "start",
            vec![amount("a", "cost"), amount("b", "time")],
        ));
        assert_eq!(form.rows(38).len(), 1);

        form.update_form(FormMessage::Move(Motion::Down(1)));
        form.update_form(FormMessage::Change(2));

        assert_eq!((form.typed_amount("a"), form.typed_amount("b")), (None, Some(2.0)));
        let row: String = form.rows(38)[0].parts.iter().map(|(words, ..)| words.as_str()).collect();
        assert_eq!(row, " limits         cost ‹none› · time ‹2›");
        assert_eq!(form.columns_of_stop(&form.rows(38)[0], 1), 30..38);
    }
}
