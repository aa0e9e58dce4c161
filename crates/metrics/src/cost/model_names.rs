//! Finds a model in the table of prices, however services and programs spell its name.
//!
//! Bedrock, Vertex, OpenRouter and LiteLLM put regions, vendors and versions around a name, Claude Code the size of
//! the context. Without these it is the name in the vendor's own price list. A name that says that a model is used
//! free of charge, or under another contract, is left as it is, because its price is another one.

/// Services whose name may come before a model's name, with a slash between. Their prices are those of the vendor.
const SERVICES: [&str; 10] = [
    "bedrock",
    "converse",
    "vertex_ai",
    "vertex",
    "openrouter",
    "litellm_proxy",
    "azure",
    "azure_ai",
    "gemini",
    "models",
];

/// Vendors as names spell them, where the table of prices has another spelling or none.
const VENDORS: [&str; 8] =
    ["anthropic", "openai", "google", "x-ai", "xai", "moonshotai", "z-ai", "minimax"];

/// Regions of Bedrock's inference profiles.
const REGIONS: [&str; 9] = ["us", "eu", "apac", "global", "jp", "au", "ca", "us-gov", "sa"];

/// Returns a name in the form for comparisons: lower case, with hyphens in place of points.
pub(crate) fn normalised_name(name: &str) -> String {
    name.trim().to_lowercase().replace('.', "-")
}

/// Returns the names that the table may have for a recorded model, the most exact first, each as [`normalised_name`] writes it.
pub(crate) fn model_spellings(model: &str, is_vendor: &dyn Fn(&str) -> bool) -> Vec<String> {
    let model = model.trim().to_lowercase();
    let mut names = vec![normalised_name(&model)];
    let Some(name) = bare_name(&model, is_vendor) else { return names };
    names.push(normalised_name(name));
    let name = without_version(name).replace('@', "-");
    let name = name.strip_suffix("-default").unwrap_or(&name);
    names.push(normalised_name(name));
    let undated = normalised_name(without_date(name));
    names.extend(reordered_name(&undated));
    names.push(undated);
    names
}

/// Returns the name without the size of the context, the services and vendors before it, and the region.
fn bare_name<'a>(model: &'a str, is_vendor: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let name = match model.find('[') {
        Some(at) if model.ends_with(']') => model[..at].trim_end(),
        _ => model,
    };
    let name = match name.strip_prefix("arn:aws") {
        Some(arn) => arn.rsplit('/').next()?,
        None => {
            let (before, name) = name.rsplit_once('/').unwrap_or(("", name));
            let mut parts = before.split('/').filter(|part| !part.is_empty());
            let is_known =
                |part: &str| SERVICES.contains(&part) || VENDORS.contains(&part) || is_vendor(part);
            parts.all(is_known).then_some(name)?
        }
    };
    let name = match name.split_once('.') {
        Some((region, rest)) if REGIONS.contains(&region) => rest,
        _ => name,
    };
    match name.split_once('.') {
        Some((vendor, rest)) if VENDORS.contains(&vendor) || is_vendor(vendor) => Some(rest),
        _ => Some(name),
    }
}

/// Removes Bedrock's version (`-v1:0`) and OpenRouter's variants that cost the same.
fn without_version(name: &str) -> &str {
    let name = [":thinking", ":beta"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match name.rsplit_once(':') {
        Some((before, number)) if is_number(number) => before,
        _ => name,
    };
    match name.rsplit_once("-v") {
        Some((before, number)) if is_number(number) => before,
        _ => name,
    }
}

/// Removes the date of a snapshot, with or without hyphens, and `-latest`.
fn without_date(name: &str) -> &str {
    if let Some(before) = name.strip_suffix("-latest") {
        return before;
    }
    let is_day = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.starts_with("20")
            && (digits == 8
                && (text.len() == 8 || text.len() == 10 && text.matches('-').count() == 2))
    };
    for len in [8, 10] {
        let Some(at) = name.len().checked_sub(len + 1) else { continue };
        if name.is_char_boundary(at) && name[at..].starts_with('-') && is_day(&name[at + 1..]) {
            return &name[..at];
        }
    }
    name
}

/// Returns `claude-sonnet-4-5` for `claude-4-5-sonnet`, and the reverse.
fn reordered_name(name: &str) -> Option<String> {
    let rest = name.strip_prefix("claude-")?;
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = rest.split('-').collect();
    let (numbers, words): (Vec<&str>, Vec<&str>) = parts.iter().copied().partition(is_number);
    if words.len() != 1 || numbers.is_empty() {
        return None;
    }
    let first =
        if parts[0] == words[0] { [&numbers[..], &words[..]] } else { [&words[..], &numbers[..]] };
    Some(format!("claude-{}", first.concat().join("-")))
}

#[cfg(test)]
mod tests {
    use crate::cost::price_table::Prices;

    fn model_in_table(model: &str) -> Option<&'static str> {
        let prices = Prices::built_in();
        prices.rows_called(model).first().map(|row| prices.rows()[*row].model.as_str())
    }

    #[test]
    fn the_spellings_of_a_model_in_services_and_programs_have_one_price() {
        for model in [
            "claude-sonnet-4-5",
            "claude-sonnet-4-5-20250929",
            "claude-sonnet-4-5[1m]",
            "claude-sonnet-4-5-20250929[1m]",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "global.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]",
            "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5@20250929",
            "vertex_ai/claude-sonnet-4-5@20250929",
            "anthropic/claude-sonnet-4.5",
            "openrouter/anthropic/claude-sonnet-4.5",
            "anthropic/claude-4.5-sonnet-20250929",
            "anthropic/claude-sonnet-4.5:thinking",
            "Claude-Sonnet-4.5",
        ] {
            assert_eq!(model_in_table(model), Some("claude-sonnet-4-5"), "{model}");
        }
        assert_eq!(model_in_table("openai/gpt-5-2025-08-07"), Some("gpt-5"));
        assert_eq!(model_in_table("claude-opus-4-6@default"), Some("claude-opus-4-6"));
        assert_eq!(model_in_table("anthropic/claude-3.7-sonnet"), Some("claude-3-7-sonnet"));
        assert_eq!(model_in_table("models/gemini-2.5-pro"), Some("gemini-2.5-pro"));
        assert_eq!(model_in_table("azure/gpt-5.5"), Some("gpt-5.5"));
    }

    #[test]
    fn a_model_that_is_free_or_of_somebody_else_has_no_price_of_the_vendor() {
        assert_eq!(model_in_table("z-ai/glm-4.5-air:free"), None);
        assert_eq!(model_in_table("somebody/gpt-5.5"), None);
        assert_eq!(model_in_table("gpt-5.5-distilled"), None);
        assert_eq!(model_in_table("claude-sonnet-4-5-turbo"), None);
    }
}
