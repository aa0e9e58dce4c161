//! Gemini CLI in a terminal: one process in its own screen, its first request among its words and the others typed.
//!
//! Its log shows where a turn begins and the answers of its model; it has no line for the end, and calls of tools are in it
//! only when they are over. A turn is over when the last answer has text and calls no tool, and the title of its terminal
//! shows that it neither works nor asks a person. It asks before it writes build files, whatever it is allowed.

use super::{
    agent_output::{content_text, parse_object, text_at},
    driver::{AgentCommand, AgentRequest, Driver, LogPatterns, RequestInput, TitlePatterns},
    gemini,
};

const PATTERNS: LogPatterns = LogPatterns {
    ends: r#"^\{"id":.*"type":"gemini","content":"[^"]|"type":"(error|info)","content":"(Request cancelled|\[API Error)"#,
    begins: r#"^\{"id":.*"type":"user","content":(\[\{"text":|")"#,
    goes_on: Some(r#""toolCalls":\[|"functionResponse":"#),
    titles: Some(TitlePatterns { works: "Working", asks: "Action Required" }),
    prompt_in_line,
};

pub(super) fn driver() -> Driver {
    let summary = "Gemini CLI in a terminal, one process, later requests typed";
    gemini::driver().in_own_screen(summary, request_command, PATTERNS)
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["--yolo"];
    args.extend(ask.model_option("-m"));
    if !ask.prompt.is_empty() {
        args.extend(["--prompt-interactive", ask.prompt]);
    }
    driver.command_with_setup_args(ask, args, RequestInput::Terminal)
}

fn prompt_in_line(line: &str) -> Option<String> {
    let value = parse_object(line).filter(|it| text_at(it, "/type") == Some("user"))?;
    content_text(value.get("content")?)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn a_turn_begins_with_a_prompt_and_ends_with_words_that_call_no_tool() {
        let LogPatterns { ends, begins, goes_on, .. } = PATTERNS;
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
        assert_eq!(prompt_in_line(prompt).as_deref(), Some("Do it"));
        assert_eq!(prompt_in_line(result), None);
        assert_eq!(prompt_in_line(context), None);
    }
}
