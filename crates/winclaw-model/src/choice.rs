use winclaw_tool::Text;

use crate::{LocalModel, ModelError, PROFILES, Price, Profile};

/// The providers whose key chooses them, first come first.
const BY_KEY: [&str; 7] = ["deepseek", "openai", "anthropic", "gemini", "qwen", "kimi", "glm"];

/// Reads one environment variable; injected so that tests need not change the process.
pub type Env<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Which model to use and where. Holds no key; [`crate::connect`] reads that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider; a row of [`PROFILES`], or the name of `profile`.
    pub provider: String,
    /// The model's name, as the vendor spells it; may hold slashes.
    pub name: String,
    /// Where it is reached; `None` for the provider's variable or its default.
    pub base_url: Option<String>,
    /// Tokens of a request and its reply together; `None` for the provider's default.
    pub window_tokens: Option<u32>,
    /// Whether replies come piece by piece; `None` is yes.
    pub stream: Option<bool>,
    /// How the provider is spoken to; `None` for its row in [`PROFILES`].
    pub profile: Option<Profile>,
    /// What it costs; `None` for what its profile says.
    pub price: Option<Price>,
}

impl ModelChoice {
    /// Reads `provider/name`, split at the first slash.
    ///
    /// Errors: [`ModelError::Config`] when there is no name or no such provider; it lists the providers.
    pub fn parse(model: &str) -> Result<Self, ModelError> {
        let (provider, name) = model.trim().split_once('/').unwrap_or((model.trim(), ""));
        let provider = provider.to_ascii_lowercase();
        if Profile::of(&provider).is_none() || name.trim().is_empty() {
            return Err(not_a_model(model));
        }
        Ok(ModelChoice::new(&provider, name.trim()))
    }

    fn new(provider: &str, name: &str) -> Self {
        ModelChoice {
            provider: provider.into(),
            name: name.into(),
            base_url: None,
            window_tokens: None,
            stream: None,
            profile: None,
            price: None,
        }
    }

    /// Chooses by what the person said and what is set.
    ///
    /// `model` as for [`ModelChoice::parse`] comes first; then the default model of the first of DeepSeek, OpenAI,
    /// Anthropic, Gemini, Qwen, Kimi and GLM whose key is set, where for OpenAI `OPENAI_BASE_URL` does as well.
    /// `Ok(None)`: nothing was chosen; look for a local server ([`crate::discover_local`]) and else report
    /// [`ModelError::none_found`].
    pub fn find(model: Option<&str>, env: &Env) -> Result<Option<Self>, ModelError> {
        if let Some(model) = model {
            return ModelChoice::parse(model).map(Some);
        }
        let set = |variable: &str| setting(env, variable).is_some();
        let chosen = BY_KEY.iter().filter_map(|provider| Profile::of(provider)).find_map(|profile| {
            let moved = profile.provider == "openai" && set(&profile.base_url_variable);
            let name = profile.default_model.as_deref().filter(|_| moved || set(&profile.key_variable))?;
            Some(ModelChoice::new(&profile.provider, name))
        });
        Ok(chosen)
    }

    /// `provider/name`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.provider, self.name)
    }
}

impl From<&LocalModel> for ModelChoice {
    fn from(model: &LocalModel) -> Self {
        ModelChoice { base_url: Some(model.base_url.clone()), ..ModelChoice::new(&model.provider, &model.name) }
    }
}

/// The trimmed value of `variable`; empty counts as not set.
pub(crate) fn setting(env: &Env, variable: &str) -> Option<String> {
    env(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn not_a_model(given: &str) -> ModelError {
    let given: String = given.chars().filter(|c| !c.is_control()).take(80).collect();
    let known: Vec<&str> = PROFILES.iter().map(|profile| profile.provider.as_ref()).collect();
    let known = known.join(", ");
    ModelError::Config {
        what: Text::new(format!("`{given}` names no model"), format!("“{given}”不是有效的模型名")),
        mend: Text::new(
            format!("write --model provider/name, such as openai/{given}; providers: {known}"),
            format!("请写成 --model 提供方/名称，例如 openai/{given}；可用的提供方：{known}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(model: Option<&str>, set: &[(&str, &str)]) -> Result<Option<String>, ModelError> {
        let env = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        ModelChoice::find(model, &env).map(|choice| choice.map(|choice| choice.label()))
    }

    #[test]
    fn what_is_named_comes_before_what_is_set_and_that_before_nothing() {
        type Set = &'static [(&'static str, &'static str)];
        let cases: [(Option<&str>, Set, Option<&str>); 10] = [
            (Some("ollama/qwen3:8b"), &[("OPENAI_API_KEY", "k")], Some("ollama/qwen3:8b")),
            (Some("openai/org/model"), &[], Some("openai/org/model")),
            (Some(" OpenAI/m "), &[], Some("openai/m")),
            (None, &[("DEEPSEEK_API_KEY", "k"), ("OPENAI_API_KEY", "k")], Some("deepseek/deepseek-flash")),
            (None, &[("OPENAI_API_KEY", "k")], Some("openai/gpt-5-mini")),
            (None, &[("OPENAI_BASE_URL", "http://x/v1")], Some("openai/gpt-5-mini")),
            (None, &[("MOONSHOT_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")], Some("anthropic/claude-sonnet-5-5")),
            (None, &[("OPENROUTER_API_KEY", "k"), ("ANTHROPIC_BASE_URL", "http://x")], None),
            (None, &[("DEEPSEEK_API_KEY", "  "), ("OPENAI_API_KEY", "")], None),
            (None, &[], None),
        ];
        for (model, set, expected) in cases {
            assert_eq!(find(model, set), Ok(expected.map(str::to_owned)), "{model:?} {set:?}");
        }
    }

    #[test]
    fn a_name_that_is_no_model_lists_the_providers() {
        for bad in ["", "gpt-5", "openai/", "nobody/x", "/x"] {
            let error = ModelChoice::parse(bad).expect_err(bad);
            let hint = error.hint().expect("a hint");
            assert!(hint.en.contains("deepseek") && hint.zh.contains("ollama"), "{hint:?}");
        }
    }
}
