//! A form of fields that are filled in before something is started. An error of a value is shown at its field.

use ratatui::text::Line;

use crate::{
    session::jobs::FormChoice,
    widgets::{
        line::{fit_spans, fit_text_end, recorded_span, safe_string, trusted_span},
        pane::ListPane,
        scroll::Motion,
        theme::{Meaning, Theme},
    },
};

/// Cells of the name of a field, blanks around it included.
pub(crate) const LABEL_CELLS: usize = 16;

/// Fields from the top, and which of them has the keyboard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldForm {
    pub fields: Vec<FormField>,
    pub rows: ListPane,
    /// While keys type into the field at the cursor: its text before that.
    pub typing: Option<String>,
    /// Fields that mean nothing with what is chosen now; they keep their values.
    hidden: Vec<FormField>,
    /// The ids of all fields, from the top.
    order: Vec<&'static str>,
}

/// One setting of the form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormField {
    /// Identifies the field in the code. Unique within a form.
    pub id: &'static str,
    pub label: &'static str,
    pub value: FieldValue,
    /// A remark, drawn dimmed behind the value.
    pub remark: String,
    /// The value that is used while the field is empty, from the last plan.
    pub proposed: Option<String>,
    /// The reason why the value is invalid, as a sentence. Cleared when the value changes.
    pub error: Option<String>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// One of several; `at` is a position among them.
    Choice { options: Vec<FormChoice>, at: usize },
    /// Free text in one line. `empty` explains an empty text.
    Text { text: String, empty: &'static str },
    /// A number that changes in steps and is at least `step` if given. `empty` explains a missing number.
    Amount { amount: Option<f64>, step: f64, unit: &'static str, empty: &'static str },
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
        Self::with_value(id, label, FieldValue::Text { text: text.to_owned(), empty })
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
        Self { id, label, value, remark: String::new(), proposed: None, error: None }
    }

    /// Returns the value that is chosen. None for a field without choices.
    pub(crate) fn chosen_value(&self) -> Option<&FormChoice> {
        match &self.value {
            FieldValue::Choice { options, at } => options.get(*at),
            FieldValue::Text { .. } | FieldValue::Amount { .. } => None,
        }
    }

    fn change_value(&mut self, by: isize) {
        self.error = None;
        match &mut self.value {
            FieldValue::Choice { options, at } if !options.is_empty() => {
                *at = (*at as isize + by).rem_euclid(options.len() as isize) as usize;
            }
            FieldValue::Amount { amount, step, .. } => {
                let wanted = amount.unwrap_or_default() + *step * by as f64;
                *amount = (wanted >= *step).then_some(wanted);
            }
            FieldValue::Choice { .. } | FieldValue::Text { .. } => {}
        }
    }
}

impl FieldForm {
    pub fn new(fields: Vec<FormField>) -> Self {
        let order = fields.iter().map(|field| field.id).collect();
        Self { fields, order, ..Self::default() }
    }

    /// Returns the field at the cursor.
    pub(crate) fn cursor_field(&self) -> Option<&FormField> {
        self.fields.get(self.rows.cursor())
    }

    /// Returns the field of this id.
    pub fn field_by_id(&self, id: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.id == id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut FormField> {
        self.fields.iter_mut().find(|field| field.id == id)
    }

    /// Returns the id of what is chosen in a field. Empty if the form has no such choice.
    pub fn chosen_id(&self, id: &str) -> &str {
        self.field_by_id(id).and_then(FormField::chosen_value).map_or("", |choice| &choice.id)
    }

    /// Returns the text of a field without blanks around it. None if it is empty.
    pub(crate) fn typed_text(&self, id: &str) -> Option<&str> {
        match &self.field_by_id(id)?.value {
            FieldValue::Text { text, .. } => Some(text.trim()).filter(|text| !text.is_empty()),
            FieldValue::Choice { .. } | FieldValue::Amount { .. } => None,
        }
    }

    /// Returns the number in a field. None if none is wanted.
    pub(crate) fn typed_amount(&self, id: &str) -> Option<f64> {
        match self.field_by_id(id)?.value {
            FieldValue::Amount { amount, .. } => amount,
            FieldValue::Choice { .. } | FieldValue::Text { .. } => None,
        }
    }

    /// Takes the value of this id in a field of choices, where it is among them.
    pub(crate) fn choose_value(&mut self, field: &str, id: &str) {
        if let Some(FieldValue::Choice { options, at }) =
            self.get_mut(field).map(|it| &mut it.value)
        {
            *at = options.iter().position(|option| option.id == id).unwrap_or(*at);
        }
    }

    /// Puts other values into a field of choices; what is chosen stays where it is among them.
    pub(crate) fn offer_choices(&mut self, field: &str, offered: Vec<FormChoice>) {
        let chosen = self.chosen_id(field).to_owned();
        if let Some(FieldValue::Choice { options, at }) =
            self.get_mut(field).map(|it| &mut it.value)
        {
            (*options, *at) = (offered, 0);
        }
        self.choose_value(field, &chosen);
    }

    /// Shows a field at its place, or hides it.
    pub(crate) fn show_field(&mut self, id: &str, is_shown: bool) {
        let (from, to) = match is_shown {
            true => (&mut self.hidden, &mut self.fields),
            false => (&mut self.fields, &mut self.hidden),
        };
        let Some(at) = from.iter().position(|field| field.id == id) else { return };
        let field = from.remove(at);
        let place = |id: &str| self.order.iter().position(|it| *it == id);
        let before = to.iter().filter(|it| place(it.id) < place(id)).count();
        to.insert(before, field);
    }

    /// Returns every field with its value, as [`FieldForm::fill_field`] takes it; those that are hidden too.
    pub fn field_values(&self) -> Vec<(String, String)> {
        let value = |field: &FormField| match &field.value {
            FieldValue::Choice { .. } => {
                field.chosen_value().map_or_else(String::new, |it| it.id.clone())
            }
            FieldValue::Text { text, .. } => text.clone(),
            FieldValue::Amount { amount, .. } => {
                amount.map_or_else(String::new, |it| it.to_string())
            }
        };
        let all = self.fields.iter().chain(&self.hidden);
        all.map(|field| (field.id.to_owned(), value(field))).collect()
    }

    /// Gives a field, shown or hidden, a value that [`FieldForm::field_values`] gave; one that means nothing here is left out.
    pub(crate) fn fill_field(&mut self, id: &str, value: &str) {
        let all = self.fields.iter_mut().chain(&mut self.hidden);
        for field in all.filter(|field| field.id == id) {
            match &mut field.value {
                FieldValue::Choice { options, at } => {
                    *at = options.iter().position(|it| it.id == value).unwrap_or(*at);
                }
                FieldValue::Text { text, .. } => value.clone_into(text),
                FieldValue::Amount { amount, .. } => {
                    *amount = value.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
                }
            }
        }
    }

    /// Returns the text that is being typed.
    pub(crate) fn typing_line(&self) -> Option<&str> {
        self.typing.as_ref()?;
        match &self.cursor_field()?.value {
            FieldValue::Text { text, .. } => Some(text),
            FieldValue::Choice { .. } | FieldValue::Amount { .. } => None,
        }
    }

    pub(crate) fn update_form(&mut self, message: FormMessage) {
        match message {
            FormMessage::Move(motion) => self.rows.move_cursor(motion),
            FormMessage::Change(by) => self.change_at_cursor(|field| field.change_value(by)),
            FormMessage::Edit => self.edit_field(),
            FormMessage::Type(words) => self.on_text(|text| text.push_str(&words)),
            FormMessage::Erase => self.on_text(|text| {
                text.pop();
            }),
            FormMessage::EraseAll => self.on_text(String::clear),
            FormMessage::Accept => self.typing = None,
            FormMessage::Cancel => {
                if let Some(before) = self.typing.take() {
                    self.on_text(|text| *text = before);
                }
            }
        }
    }

    fn change_at_cursor(&mut self, change: impl FnOnce(&mut FormField)) {
        if let Some(field) = self.fields.get_mut(self.rows.cursor()) {
            change(field);
        }
    }

    fn edit_field(&mut self) {
        let proposed = self.cursor_field().and_then(|field| field.proposed.clone());
        match self.cursor_field().map(|field| &field.value) {
            Some(FieldValue::Text { text, .. }) => {
                let before = text.clone();
                if let (true, Some(words)) = (before.is_empty(), proposed) {
                    self.on_text(|text| *text = words);
                }
                self.typing = Some(before);
            }
            Some(FieldValue::Choice { .. } | FieldValue::Amount { .. }) => {
                self.change_at_cursor(|field| field.change_value(1));
            }
            None => {}
        }
    }

    fn on_text(&mut self, change: impl FnOnce(&mut String)) {
        self.change_at_cursor(|field| {
            if let FieldValue::Text { text, .. } = &mut field.value {
                change(text);
                field.error = None;
            }
        });
    }
}

/// Returns ` profile        ‹ trajview ›`.
pub(crate) fn field_row(
    field: &FormField,
    (types, dialog_is_looking): (bool, bool),
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut spans = vec![trusted_span(format!(" {:<1$}", field.label, LABEL_CELLS - 1), muted)];
    let room = width.saturating_sub(LABEL_CELLS + 2);
    match &field.value {
        FieldValue::Choice { .. } => {
            let chosen = field.chosen_value();
            spans.push(trusted_span("‹ ", muted));
            let none = if dialog_is_looking { "looking…" } else { "no choices" };
            let label = chosen.map_or(none, |it| &it.label);
            spans.push(recorded_span(label, theme.style_for(Meaning::Title)));
            spans.push(trusted_span(" ›", muted));
            let remark = chosen.map(|it| it.remark.as_str()).filter(|it| !it.is_empty());
            spans.extend(remark.map(|words| recorded_span(&format!("  {words}"), muted)));
        }
        FieldValue::Text { text, empty } if text.is_empty() && !types => match &field.proposed {
            Some(words) => {
                spans.push(trusted_span(
                    fit_text_end(&safe_string(words), room.saturating_sub(10)),
                    plain,
                ));
                spans.push(trusted_span(" proposed", muted));
            }
            None => spans.push(trusted_span((*empty).to_owned(), muted)),
        },
        FieldValue::Text { text, .. } => {
            spans.push(trusted_span(fit_text_end(&safe_string(text), room), plain));
            spans.extend(types.then(|| trusted_span("▏", theme.style_for(Meaning::Key))));
        }
        FieldValue::Amount { amount, unit, empty, .. } => {
            let words = amount.map_or((*empty).to_owned(), |it| format!("{it} {unit}"));
            spans.push(trusted_span("‹ ", muted));
            spans.push(trusted_span(
                words,
                if amount.is_some() { theme.style_for(Meaning::Title) } else { muted },
            ));
            spans.push(trusted_span(" ›", muted));
        }
    }
    if !field.remark.is_empty() {
        spans.push(recorded_span(&format!("  {}", field.remark), muted));
    }
    Line::from(fit_spans(spans, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> FieldForm {
        let options = vec![FormChoice::new("a", "A"), FormChoice::new("b", "B")];
        let mut form = FieldForm::new(vec![
            FormField::with_choices("which", "which", options, 0),
            FormField::with_text("path", "path", "x", "none"),
            FormField::with_amount("most", "most", (None, 0.5), "USD", "no limit"),
        ]);
        form.rows.settle_rows(form.fields.len());
        form
    }

    fn go(form: &mut FieldForm, row: usize) {
        form.update_form(FormMessage::Move(Motion::To(row)));
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
        let ids = |form: &FieldForm| form.fields.iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!((ids(&form), form.typed_text("path")), (vec!["which", "most"], None));

        let mut other = super::tests::form();
        form.fill_field("path", "y");
        form.field_values().iter().for_each(|(id, value)| other.fill_field(id, value));
        form.show_field("path", true);

        assert_eq!(ids(&form), ["which", "path", "most"]);
        assert_eq!((form.typed_text("path"), other.typed_text("path")), (Some("y"), Some("y")));
    }

    #[test]
    fn what_is_proposed_is_where_typing_begins() {
        let mut form = form();
        form.fill_field("path", "");
        form.get_mut("path").unwrap().proposed = Some("out-2".into());
        go(&mut form, 2);
        form.update_form(FormMessage::Edit);
        assert_eq!(form.typing_line(), Some("out-2"));
        form.update_form(FormMessage::Cancel);
        assert_eq!(form.typed_text("path"), None);
    }

    #[test]
    fn a_refusal_goes_when_its_value_changes() {
        let mut form = form();
        form.get_mut("which").unwrap().error = Some("not this one".into());
        assert!(form.cursor_field().is_some_and(|field| field.error.is_some()));
        form.update_form(FormMessage::Change(1));
        assert!(form.cursor_field().is_some_and(|field| field.error.is_none()));
    }
}
