//! Gemini CLI in a terminal: one process in its own screen, its first request among its words and the others typed.
//!
//! Its log says where a turn begins and what its model answered; it has no line for the end, and calls of tools are in it once they are
//! over. A turn is over when the last answer holds words and calls no tool, and the title of its terminal says that it neither works nor
//! asks a person. It asks before it writes build files, whatever it is allowed.

use super::{
    agent_output::{object, text},
    driver::{Ask, Call, Driver, Input, LogPatterns, Titles},
    gemini::Gemini,
    own_screen::Screen,
};

#[derive(Debug)]
pub struct GeminiTui;

impl Screen for GeminiTui {
    fn agent(&self) -> &dyn Driver {
        &Gemini
    }

    fn about(&self) -> &str {
        "Gemini CLI in a terminal, one process, later requests typed"
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec!["--yolo"];
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["-m", model]);
        }
        if !ask.prompt.is_empty() {
            args.extend(["--prompt-interactive", ask.prompt]);
        }
        Call::of(&Gemini, ask, args, Input::Terminal)
    }

    fn end(&self) -> LogPatterns {
        LogPatterns {
            ends: r#"^\{"id":.*"type":"gemini","content":"[^"]|"type":"(error|info)","content":"(Request cancelled|\[API Error)"#,
            begins: r#"^\{"id":.*"type":"user","content":(\[\{"text":|")"#,
            goes_on: Some(r#""toolCalls":\[|"functionResponse":"#),
            titles: Some(Titles { works: "Working", asks: "Action Required" }),
        }
    }

    fn prompt_of(&self) -> fn(&str) -> Option<String> {
        prompt_of
    }
}

fn prompt_of(line: &str) -> Option<String> {
    let value = object(line).filter(|it| text(it, "/type") == Some("user"))?;
    let content = value.get("content")?;
    let parts = content.as_array().into_iter().flatten();
    let parts: Vec<&str> = parts.filter_map(|part| text(part, "/text")).collect();
    let listed = (!parts.is_empty()).then(|| parts.join("\n"));
    content.as_str().map(str::to_owned).or(listed)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn a_turn_begins_with_a_prompt_and_ends_with_words_that_call_no_tool() {
        let LogPatterns { ends, begins, goes_on, .. } = GeminiTui.end();
        let (ends, begins) = (Regex::new(ends).unwrap(), Regex::new(begins).unwrap());
        let goes_on = Regex::new(goes_on.unwrap()).unwrap();
        let prompt = r#"{"id":"1","timestamp":"t","type":"user","content":[{"text":"Do it"}]}"#;
        let result = r#"{"id":"2","timestamp":"t","type":"user","content":[{"functionResponse":{"id":"x"}}]}"#;
        let context = r#"{"$set":{"messages":[{"id":"3","type":"user","content":[{"text":"<session_context>"}]}]}}"#;
        let empty = r#"{"id":"4","timestamp":"t","type":"gemini","content":"","thoughts":[]}"#;
        let calls = r#"{"id":"4","timestamp":"t","type":"gemini","content":"I look.","toolCalls":[{"id":"c"}]}"#;
        let answer =
            r#"{"id":"5","timestamp":"t","type":"gemini","content":"Done.","thoughts":[]}"#;

        assert!(begins.is_match(prompt) && !begins.is_match(result) && !begins.is_match(context));
        assert!(ends.is_match(answer) && !ends.is_match(empty) && !ends.is_match(prompt));
        assert!(goes_on.is_match(calls) && goes_on.is_match(result) && !goes_on.is_match(answer));
        assert_eq!(prompt_of(prompt).as_deref(), Some("Do it"));
        assert_eq!(prompt_of(result), None);
        assert_eq!(prompt_of(context), None);
    }
}
