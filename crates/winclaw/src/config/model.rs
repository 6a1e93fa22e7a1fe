//! Which model the configuration means: the person's own providers, and what is known of single models.

use serde_json::{Map, Value};
use winclaw_model::{ModelChoice, Price, Profile, ProfileOverrides};

use super::value::Given;
use super::{Config, Named};
use crate::complaint::{Complaint, Exit};

impl Config {
    /// The model that `named` or the configuration names, or whose key is set; `None` when there is none of these.
    ///
    /// Errors: as [`ModelChoice::find`], and mistakes in `providers.*`.
    pub fn model_choice(&self, named: Option<&str>) -> Result<Option<ModelChoice>, Complaint> {
        let named = named.or(self.model.as_deref());
        let choice = match named.map(|named| self.own_provider(named)) {
            Some(Some(own)) => Some(own?),
            _ => {
                let found = ModelChoice::find(named, &|name| self.variable(name));
                found.map_err(|error| self.with_own(crate::task::of_model(&error)))?
            }
        };
        Ok(choice.map(|choice| self.completed(choice)))
    }

    /// The complaint that a name is none of a model, with the person's own providers among what might be written.
    fn with_own(&self, complaint: Complaint) -> Complaint {
        let own: Vec<&str> = self.providers.keys().map(String::as_str).collect();
        if own.is_empty() {
            return complaint;
        }
        let Complaint { what, mend, exit } = complaint;
        let own = own.join(", ");
        let complaint = Complaint { what, ..Complaint::new(exit, "", "") };
        complaint.mend(format!("{}; your own: {own}", mend.en), format!("{}；您自己的：{own}", mend.zh))
    }

    /// Puts what the configuration says of this very model over what is known of it.
    pub fn completed(&self, mut choice: ModelChoice) -> ModelChoice {
        choice.stream.get_or_insert(self.stream);
        if let Some(known) = self.models.get(&choice.label()) {
            choice.window_tokens = number(known, "window_tokens").or(choice.window_tokens);
            choice.price = price(known).or(choice.price);
        }
        choice
    }

    /// The model of one of the person's own providers, if `named` is of one.
    fn own_provider(&self, named: &str) -> Option<Result<ModelChoice, Complaint>> {
        let (provider, name) = named.trim().split_once('/').unwrap_or((named.trim(), ""));
        let given = self.providers.get(provider)?;
        Some(profile(provider, given).and_then(|profile| choice(profile, name.trim())))
    }
}

fn choice(profile: Profile, name: &str) -> Result<ModelChoice, Complaint> {
    let name = match (name, &profile.default_model) {
        ("", Some(default)) => default.to_string(),
        ("", None) => {
            let provider = &profile.provider;
            let (en, zh) = (format!("`{provider}` names no model"), format!("“{provider}”未指定模型"));
            return Err(Complaint::new(Exit::Usage, en, zh).mend(
                format!("write {provider}/name, or set providers.{provider}.default_model"),
                format!("请写成 {provider}/名称，或设置 providers.{provider}.default_model"),
            ));
        }
        (name, _) => name.to_owned(),
    };
    let provider = profile.provider.to_string();
    let (base_url, window_tokens, stream, price) = (None, None, None, None);
    Ok(ModelChoice { provider, name, base_url, window_tokens, stream, price, profile: Some(profile) })
}

/// How a provider of the configuration is spoken to. One with the name of a built-in provider is that one but for what is
/// set.
fn profile(name: &str, given: &Named) -> Result<Profile, Complaint> {
    let like = match given.get("like") {
        Some(Given::Words(like)) => like.as_str(),
        _ if Profile::of(name).is_some() => name,
        _ => "openai",
    };
    let like = Profile::of(like).ok_or_else(|| no_provider(name, like))?;
    let overrides: Map<String, Value> = given
        .iter()
        .filter(|(key, _)| *key != "like")
        .map(|(key, given)| (key.clone(), serde_json::to_value(given).unwrap_or_default()))
        .collect();
    let overrides: ProfileOverrides = serde_json::from_value(Value::Object(overrides)).map_err(|error| {
        let why = error.to_string();
        Complaint::new(Exit::Usage, format!("providers.{name}: {why}"), format!("providers.{name}：{why}"))
    })?;
    let keyed = overrides.key_variable.is_some();
    let key_required = overrides.key_required;
    let mut profile = Profile::custom(name, like, overrides);
    if like.provider == name {
        profile.models = like.models.clone();
        profile.key_required = profile.key_required || (like.key_required && !given.contains_key("base_url"));
        profile.default_model = profile.default_model.or_else(|| like.default_model.clone());
        profile.base_url_variable = like.base_url_variable.clone();
        if !keyed {
            profile.key_variable = like.key_variable.clone();
        }
    }
    // Whoever names the variable of a key has one; a request without it would only be refused.
    if keyed {
        profile.key_required = key_required.unwrap_or(true) && !profile.key_variable.trim().is_empty();
    }
    Ok(profile)
}

fn no_provider(name: &str, like: &str) -> Complaint {
    let known: Vec<&str> = winclaw_model::PROFILES.iter().map(|profile| profile.provider.as_ref()).collect();
    let known = known.join(", ");
    Complaint::new(
        Exit::Usage,
        format!("providers.{name}.like: there is no provider `{like}`"),
        format!("providers.{name}.like：没有提供方“{like}”"),
    )
    .mend(format!("use one of {known}"), format!("可用：{known}"))
}

fn number(known: &Named, name: &str) -> Option<u32> {
    match known.get(name)? {
        Given::Number(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}

/// The price, if the prices of what is read and what is written are set; cached tokens cost as much as others unless
/// told.
fn price(known: &Named) -> Option<Price> {
    let of = |name: &str| match known.get(name)? {
        // A price is far below what a float holds exactly in millionths.
        Given::Price(price) => Some((price * 1e6).round() as u64),
        _ => None,
    };
    let input = of("input_price")?;
    let currency = match known.get("currency") {
        Some(Given::Words(currency)) => currency.clone(),
        _ => "USD".into(),
    };
    Some(Price {
        input,
        cached: of("cached_price").unwrap_or(input),
        written: None,
        output: of("output_price")?,
        long: None,
        currency: currency.into(),
        as_of: "configured".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(pairs: &[(&str, Given)]) -> Named {
        pairs.iter().map(|(key, given)| ((*key).to_owned(), given.clone())).collect()
    }

    #[test]
    fn a_provider_of_ones_own_speaks_like_another_but_for_what_is_set() {
        let given = named(&[
            ("like", Given::Words("deepseek".into())),
            ("base_url", Given::Words("http://localhost:9/v1".into())),
            ("max_tools", Given::Number(16)),
            ("empty_content", Given::Words("omit".into())),
        ]);
        let profile = profile("mine", &given).expect("a profile");
        assert_eq!((profile.provider.as_ref(), profile.max_tools), ("mine", 16));
        assert_eq!(profile.base_url, "http://localhost:9/v1");
        assert_eq!(profile.reasoning_field, Profile::of("deepseek").expect("a row").reasoning_field);
        assert!(!profile.key_required);
        let choice = choice(profile.clone(), "m").expect("a choice");
        assert_eq!(choice.label(), "mine/m");
        assert!(super::choice(profile, "").is_err());
    }

    #[test]
    fn a_built_in_provider_keeps_what_is_not_set() {
        let profile = profile("openai", &named(&[("max_tools", Given::Number(9))])).expect("a profile");
        let built_in = Profile::of("openai").expect("a row");
        assert_eq!(profile, Profile { max_tools: 9, ..built_in.clone() });
    }

    #[test]
    fn a_key_whose_variable_is_named_is_needed_unless_told_otherwise() {
        let required = |pairs: &[(&str, Given)]| profile("mine", &named(pairs)).expect("a profile").key_required;
        let variable = |name: &str| ("key_variable", Given::Words(name.into()));
        let said = |required| ("key_required", Given::Switch(required));
        assert!(required(&[variable("MINE_KEY")]) && required(&[said(true)]));
        assert!(!required(&[]) && !required(&[variable("MINE_KEY"), said(false)]));
        assert!(!required(&[variable("")]) && !required(&[variable(""), said(true)]));
    }

    #[test]
    fn a_provider_like_nobody_is_a_mistake() {
        let complaint = profile("mine", &named(&[("like", Given::Words("nobody".into()))])).expect_err("a mistake");
        assert!(complaint.what.en.contains("nobody") && complaint.mend.en.contains("openai"));
    }

    #[test]
    fn prices_are_exact_in_millionths() {
        let known = named(&[("input_price", Given::Price(0.28)), ("output_price", Given::Price(1.1))]);
        let price = price(&known).expect("a price");
        assert_eq!((price.input, price.cached, price.output), (280_000, 280_000, 1_100_000));
        assert_eq!(super::price(&named(&[("input_price", Given::Price(1.0))])), None);
    }
}
