//! The vendor of a model, by the model's name.

use super::{Run, rubric::Judge};

/// The beginning of a part of a model's name, and the vendor of models with it.
const NAME_PARTS: [(&str, &str); 31] = [
    ("claude", "Anthropic"),
    ("opus", "Anthropic"),
    ("sonnet", "Anthropic"),
    ("haiku", "Anthropic"),
    ("chatgpt", "OpenAI"),
    ("codex", "OpenAI"),
    ("gpt", "OpenAI"),
    ("o1", "OpenAI"),
    ("o3", "OpenAI"),
    ("o4", "OpenAI"),
    ("gemini", "Google"),
    ("gemma", "Google"),
    ("grok", "xAI"),
    ("qwen", "Alibaba"),
    ("qwq", "Alibaba"),
    ("deepseek", "DeepSeek"),
    ("kimi", "Moonshot AI"),
    ("moonshot", "Moonshot AI"),
    ("glm", "Z.ai"),
    ("minimax", "MiniMax"),
    ("mistral", "Mistral AI"),
    ("codestral", "Mistral AI"),
    ("devstral", "Mistral AI"),
    ("magistral", "Mistral AI"),
    ("ministral", "Mistral AI"),
    ("mixtral", "Mistral AI"),
    ("llama", "Meta"),
    ("nova", "Amazon"),
    ("phi", "Microsoft"),
    ("granite", "IBM"),
    ("nemotron", "NVIDIA"),
];

/// Returns the vendor of a model; None for a name that does not say. Services before the name, such as `openrouter/` and
/// `us.anthropic.`, do not count: `azure/gpt-5` is a model of OpenAI.
pub fn model_vendor(model: &str) -> Option<&'static str> {
    let name = model.trim_end_matches('/').rsplit('/').next()?.to_lowercase();
    let mut parts = name.split(['-', '.', ':', '_', ' ', '@']);
    parts.find_map(|part| {
        let of_vendor = |(beginning, _): &&(&str, &str)| {
            part.strip_prefix(beginning).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        };
        NAME_PARTS.iter().find(of_vendor).map(|(_, vendor)| *vendor)
    })
}

/// Returns the vendor of both the judge's model and a model of the run's agent: a judge may favour its own family. None where
/// they are of different vendors, and where a name does not say.
pub fn shared_vendor(judge: &Judge, run: &Run) -> Option<&'static str> {
    let vendor = model_vendor(judge.model.as_deref()?)?;
    let steps = run.turns.iter().flat_map(|turn| &turn.steps);
    let models = run.model.as_deref().into_iter().chain(steps.filter_map(|it| it.model.as_deref()));
    // Most steps have the model of the step before; the scores look at this in each frame.
    let mut before = None;
    let mut changes = models.filter(|model| before.replace(*model) != Some(*model));
    changes.any(|model| model_vendor(model) == Some(vendor)).then_some(vendor)
}

/// Returns the sentence on a judge and an agent of one vendor.
pub fn shared_vendor_text(vendor: &str) -> String {
    format!("judge and agent are models of {vendor}; a judge may favour its own family")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vendor_is_read_from_the_name_whatever_service_serves_the_model() {
        for (model, vendor) in [
            ("claude-opus-4-5-20251101", Some("Anthropic")),
            ("us.anthropic.claude-sonnet-4-v1:0", Some("Anthropic")),
            ("azure/gpt-5.1-codex", Some("OpenAI")),
            ("o3-mini", Some("OpenAI")),
            ("gpt4o", Some("OpenAI")),
            ("openrouter/google/gemini-3-pro", Some("Google")),
            ("qwen3-coder", Some("Alibaba")),
            ("Meta-Llama-3.1-70B", Some("Meta")),
            ("phi4", Some("Microsoft")),
            ("sonnet", Some("Anthropic")),
            ("models/gpt-5/", Some("OpenAI")),
            ("innovation-1", None),
            ("olmo-2", None),
            ("philosopher-7b", None),
            ("", None),
        ] {
            assert_eq!(model_vendor(model), vendor, "{model}");
        }
    }

    #[test]
    fn a_judge_and_an_agent_share_a_vendor_only_where_both_names_say_so() {
        let run = Run { model: Some("gpt-5-codex".into()), ..Run::default() };
        let shared = |model: Option<&str>| {
            let judge = Judge { model: model.map(str::to_owned), ..Judge::default() };
            shared_vendor(&judge, &run)
        };

        assert_eq!(shared(Some("o4-mini")), Some("OpenAI"));
        assert_eq!(shared(Some("claude-sonnet-4-5")), None);
        assert_eq!(shared(None), None);
    }
}
