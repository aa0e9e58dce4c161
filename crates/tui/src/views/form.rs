//! Fields that are filled in before something is begun. What is wrong with a value is said at its field.

use ratatui::text::Line;

use crate::{
    session::jobs::Choice,
    widgets::{
        line::{fit, fit_end, own, recorded, safe},
        scroll::{Motion, Scroll},
        theme::{Meaning, Theme},
    },
};

/// Cells of the name of a field, blanks around it included.
pub const LABEL: usize = 16;

/// Fields from the top, and which of them has the keyboard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Form {
    pub fields: Vec<Field>,
    pub rows: Scroll,
    /// While keys type into the field at the cursor: its text before that.
    pub typing: Option<String>,
    /// Fields that mean nothing with what is chosen now; they keep their values.
    hidden: Vec<Field>,
    /// The ids of all fields, from the top.
    order: Vec<&'static str>,
}

/// One thing that may be said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// What the code knows it by; each once in a form.
    pub id: &'static str,
    pub label: &'static str,
    pub value: Value,
    /// What stands behind the value, less bright.
    pub remark: String,
    /// What is taken while no words are in it, as the last plan has it.
    pub proposed: Option<String>,
    /// Why the value cannot be taken: a sentence. It goes when the value changes.
    pub error: Option<String>,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// One of several; `at` is a position among them.
    Choice { options: Vec<Choice>, at: usize },
    /// Any words in one line; `empty` says what none of them means.
    Text { text: String, empty: &'static str },
    /// A number in steps, `step` or more where there is one; `empty` says what none means.
    Amount { amount: Option<f64>, step: f64, unit: &'static str, empty: &'static str },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Move(Motion),
    /// By so many values or steps.
    Change(isize),
    /// Type into the field, or take its next value.
    Edit,
    Type(String),
    Erase,
    EraseAll,
    /// What is typed stays.
    Accept,
    /// What stood there before comes back.
    Cancel,
}

impl Field {
    pub fn choice(id: &'static str, label: &'static str, options: Vec<Choice>, at: usize) -> Self {
        Self::of(id, label, Value::Choice { options, at })
    }

    pub fn text(id: &'static str, label: &'static str, text: &str, empty: &'static str) -> Self {
        Self::of(id, label, Value::Text { text: text.to_owned(), empty })
    }

    pub fn amount(
        id: &'static str,
        label: &'static str,
        (amount, step): (Option<f64>, f64),
        unit: &'static str,
        empty: &'static str,
    ) -> Self {
        Self::of(id, label, Value::Amount { amount, step, unit, empty })
    }

    pub const fn of(id: &'static str, label: &'static str, value: Value) -> Self {
        Self { id, label, value, remark: String::new(), proposed: None, error: None }
    }

    /// The value that is chosen; None for a field without choices.
    pub fn chosen(&self) -> Option<&Choice> {
        match &self.value {
            Value::Choice { options, at } => options.get(*at),
            Value::Text { .. } | Value::Amount { .. } => None,
        }
    }

    fn change(&mut self, by: isize) {
        self.error = None;
        match &mut self.value {
            Value::Choice { options, at } if !options.is_empty() => {
                *at = (*at as isize + by).rem_euclid(options.len() as isize) as usize;
            }
            Value::Amount { amount, step, .. } => {
                let wanted = amount.unwrap_or_default() + *step * by as f64;
                *amount = (wanted >= *step).then_some(wanted);
            }
            Value::Choice { .. } | Value::Text { .. } => {}
        }
    }
}

impl Form {
    pub fn new(fields: Vec<Field>) -> Self {
        let order = fields.iter().map(|field| field.id).collect();
        Self { fields, order, ..Self::default() }
    }

    /// The field at the cursor.
    pub fn field(&self) -> Option<&Field> {
        self.fields.get(self.rows.cursor)
    }

    /// The field of this id.
    pub fn get(&self, id: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.id == id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut Field> {
        self.fields.iter_mut().find(|field| field.id == id)
    }

    /// The id of what is chosen in a field; empty where the form has no such choice.
    pub fn choice(&self, id: &str) -> &str {
        self.get(id).and_then(Field::chosen).map_or("", |choice| &choice.id)
    }

    /// What is typed in a field, without blanks around it; None where there is nothing.
    pub fn text(&self, id: &str) -> Option<&str> {
        match &self.get(id)?.value {
            Value::Text { text, .. } => Some(text.trim()).filter(|text| !text.is_empty()),
            Value::Choice { .. } | Value::Amount { .. } => None,
        }
    }

    /// The number in a field; None where none is wanted.
    pub fn amount(&self, id: &str) -> Option<f64> {
        match self.get(id)?.value {
            Value::Amount { amount, .. } => amount,
            Value::Choice { .. } | Value::Text { .. } => None,
        }
    }

    /// Takes the value of this id in a field of choices, where it is among them.
    pub fn choose(&mut self, field: &str, id: &str) {
        if let Some(Value::Choice { options, at }) = self.get_mut(field).map(|it| &mut it.value) {
            *at = options.iter().position(|option| option.id == id).unwrap_or(*at);
        }
    }

    /// Puts other values into a field of choices; what is chosen stays where it is among them.
    pub fn offer(&mut self, field: &str, offered: Vec<Choice>) {
        let chosen = self.choice(field).to_owned();
        if let Some(Value::Choice { options, at }) = self.get_mut(field).map(|it| &mut it.value) {
            (*options, *at) = (offered, 0);
        }
        self.choose(field, &chosen);
    }

    /// Shows a field at its place, or hides it.
    pub fn show(&mut self, id: &str, is_shown: bool) {
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

    /// Every field with its value, as [`Form::fill`] takes it; those that are hidden too.
    pub fn values(&self) -> Vec<(String, String)> {
        let value = |field: &Field| match &field.value {
            Value::Choice { .. } => field.chosen().map_or_else(String::new, |it| it.id.clone()),
            Value::Text { text, .. } => text.clone(),
            Value::Amount { amount, .. } => amount.map_or_else(String::new, |it| it.to_string()),
        };
        let all = self.fields.iter().chain(&self.hidden);
        all.map(|field| (field.id.to_owned(), value(field))).collect()
    }

    /// Gives a field, shown or hidden, a value that [`Form::values`] gave; one that means nothing here is left out.
    pub fn fill(&mut self, id: &str, value: &str) {
        let all = self.fields.iter_mut().chain(&mut self.hidden);
        for field in all.filter(|field| field.id == id) {
            match &mut field.value {
                Value::Choice { options, at } => {
                    *at = options.iter().position(|it| it.id == value).unwrap_or(*at);
                }
                Value::Text { text, .. } => value.clone_into(text),
                Value::Amount { amount, .. } => {
                    *amount = value.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
                }
            }
        }
    }

    /// Says at a field why its value cannot be taken.
    pub fn refuse(&mut self, id: &str, why: &str) {
        if let Some(field) = self.get_mut(id) {
            field.error = Some(why.to_owned());
        }
    }

    /// What is typed at the moment.
    pub fn line(&self) -> Option<&str> {
        self.typing.as_ref()?;
        match &self.field()?.value {
            Value::Text { text, .. } => Some(text),
            Value::Choice { .. } | Value::Amount { .. } => None,
        }
    }

    /// Changes it; `height` is how many rows are seen.
    pub fn update(&mut self, message: Message, height: usize) {
        match message {
            Message::Move(motion) => {
                self.rows.cursor = motion.from(self.rows.cursor, self.fields.len(), height);
            }
            Message::Change(by) => self.at_cursor(|field| field.change(by)),
            Message::Edit => self.edit(),
            Message::Type(words) => self.on_text(|text| text.push_str(&words)),
            Message::Erase => self.on_text(|text| {
                text.pop();
            }),
            Message::EraseAll => self.on_text(String::clear),
            Message::Accept => self.typing = None,
            Message::Cancel => {
                if let Some(before) = self.typing.take() {
                    self.on_text(|text| *text = before);
                }
            }
        }
    }

    fn at_cursor(&mut self, change: impl FnOnce(&mut Field)) {
        if let Some(field) = self.fields.get_mut(self.rows.cursor) {
            change(field);
        }
    }

    fn edit(&mut self) {
        let proposed = self.field().and_then(|field| field.proposed.clone());
        match self.field().map(|field| &field.value) {
            Some(Value::Text { text, .. }) => {
                let before = text.clone();
                if let (true, Some(words)) = (before.is_empty(), proposed) {
                    self.on_text(|text| *text = words);
                }
                self.typing = Some(before);
            }
            Some(Value::Choice { .. } | Value::Amount { .. }) => {
                self.at_cursor(|field| field.change(1));
            }
            None => {}
        }
    }

    fn on_text(&mut self, change: impl FnOnce(&mut String)) {
        self.at_cursor(|field| {
            if let Value::Text { text, .. } = &mut field.value {
                change(text);
                field.error = None;
            }
        });
    }
}

/// ` profile        ‹ trajview ›`
pub fn field_row(
    field: &Field,
    (types, dialog_is_looking): (bool, bool),
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut spans = vec![own(format!(" {:<1$}", field.label, LABEL - 1), muted)];
    let room = width.saturating_sub(LABEL + 2);
    match &field.value {
        Value::Choice { .. } => {
            let chosen = field.chosen();
            spans.push(own("‹ ", muted));
            let none = if dialog_is_looking { "looking…" } else { "nothing to choose from" };
            let label = chosen.map_or(none, |it| &it.label);
            spans.push(recorded(label, theme.of(Meaning::Title)));
            spans.push(own(" ›", muted));
            let remark = chosen.map(|it| it.remark.as_str()).filter(|it| !it.is_empty());
            spans.extend(remark.map(|words| recorded(&format!("  {words}"), muted)));
        }
        Value::Text { text, empty } if text.is_empty() && !types => match &field.proposed {
            Some(words) => {
                spans.push(own(fit_end(&safe(words), room.saturating_sub(10)), plain));
                spans.push(own(" proposed", muted));
            }
            None => spans.push(own((*empty).to_owned(), muted)),
        },
        Value::Text { text, .. } => {
            spans.push(own(fit_end(&safe(text), room), plain));
            spans.extend(types.then(|| own("▏", theme.of(Meaning::Key))));
        }
        Value::Amount { amount, unit, empty, .. } => {
            let words = amount.map_or((*empty).to_owned(), |it| format!("{it} {unit}"));
            spans.push(own("‹ ", muted));
            spans.push(own(words, if amount.is_some() { theme.of(Meaning::Title) } else { muted }));
            spans.push(own(" ›", muted));
        }
    }
    if !field.remark.is_empty() {
        spans.push(recorded(&format!("  {}", field.remark), muted));
    }
    Line::from(fit(spans, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        let options = vec![Choice::new("a", "A"), Choice::new("b", "B")];
        Form::new(vec![
            Field::choice("which", "which", options, 0),
            Field::text("path", "path", "x", "none"),
            Field::amount("most", "most", (None, 0.5), "USD", "no limit"),
        ])
    }

    fn go(form: &mut Form, row: usize) {
        form.update(Message::Move(Motion::To(row)), 10);
    }

    #[test]
    fn a_choice_goes_round_and_an_amount_ends_in_none() {
        let mut form = form();
        form.update(Message::Change(-1), 10);
        assert_eq!(form.choice("which"), "b");
        form.update(Message::Edit, 10);
        assert_eq!(form.choice("which"), "a");

        go(&mut form, 3);
        form.update(Message::Change(3), 10);
        assert_eq!(form.amount("most"), Some(1.5));
        form.update(Message::Change(-3), 10);
        assert_eq!(form.amount("most"), None);
    }

    #[test]
    fn what_is_typed_is_taken_or_given_back() {
        let mut form = form();
        go(&mut form, 2);
        form.update(Message::Edit, 10);
        form.update(Message::Type("yz".into()), 10);
        assert_eq!(form.line(), Some("xyz"));
        form.update(Message::Cancel, 10);
        assert_eq!((form.text("path"), form.line()), (Some("x"), None));

        form.update(Message::Edit, 10);
        form.update(Message::EraseAll, 10);
        form.update(Message::Accept, 10);
        assert_eq!(form.text("path"), None);
    }

    #[test]
    fn a_field_that_is_hidden_keeps_its_value_and_comes_back_to_its_place() {
        let mut form = form();
        form.show("path", false);
        let ids = |form: &Form| form.fields.iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!((ids(&form), form.text("path")), (vec!["which", "most"], None));

        let mut other = super::tests::form();
        form.fill("path", "y");
        form.values().iter().for_each(|(id, value)| other.fill(id, value));
        form.show("path", true);

        assert_eq!(ids(&form), ["which", "path", "most"]);
        assert_eq!((form.text("path"), other.text("path")), (Some("y"), Some("y")));
    }

    #[test]
    fn what_is_proposed_is_where_typing_begins() {
        let mut form = form();
        form.fill("path", "");
        form.get_mut("path").unwrap().proposed = Some("out-2".into());
        go(&mut form, 2);
        form.update(Message::Edit, 10);
        assert_eq!(form.line(), Some("out-2"));
        form.update(Message::Cancel, 10);
        assert_eq!(form.text("path"), None);
    }

    #[test]
    fn a_refusal_goes_when_its_value_changes() {
        let mut form = form();
        form.refuse("which", "not this one");
        assert!(form.field().is_some_and(|field| field.error.is_some()));
        form.update(Message::Change(1), 10);
        assert!(form.field().is_some_and(|field| field.error.is_none()));
    }
}
