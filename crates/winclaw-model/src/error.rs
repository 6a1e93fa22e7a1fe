use winclaw_tool::Text;

/// Why a model gave no reply. Messages are bounded, free of control characters, and never hold a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The choice of model or its settings make no sense. The command line exits with 2.
    #[error("{}", what.en)]
    Config {
        /// What is wrong.
        what: Text,
        /// What to write instead.
        mend: Text,
    },
    /// A key is missing, or the vendor refused it. The command line exits with 3.
    #[error("{}", self.text().en)]
    Authentication {
        /// The provider, as in `--model provider/name`.
        provider: String,
        /// The environment variable that holds the key.
        variable: String,
        /// What the vendor said; `None` when no key was set and nothing was asked.
        message: Option<String>,
    },
    /// The server could not be reached, or fell silent. The command line exits with 4.
    #[error("{}", self.text().en)]
    Unreachable {
        /// What was asked, without user name, password or query.
        url: String,
        /// What happened.
        reason: String,
        /// Whether the provider runs on the person's own machine.
        local: bool,
    },
    /// The server answered with an error.
    #[error("{}", self.text().en)]
    Rejected {
        /// The HTTP status, or its nearest equivalent for an error inside a stream.
        status: u16,
        /// What the vendor said, at most 500 characters.
        message: String,
    },
    /// The conversation or the answer does not follow the protocol.
    #[error("{}", self.text().en)]
    Protocol {
        /// What is wrong, and where.
        message: String,
    },
    /// A page for a browser came instead of an answer: another server stands there, or a network that wants a log-in
    /// first. The command line exits with 4.
    #[error("{}", self.text().en)]
    WebPage {
        /// What was asked, without user name, password or query.
        url: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A replayed model was asked something that its script does not foresee.
    #[error("{}", self.text().en)]
    ReplayMismatch {
        /// The script's name.
        name: String,
        /// The step, counted from 1.
        step: usize,
        /// What was demanded and what the request had.
        message: String,
    },
}

impl ModelError {
    /// No model was named, no key is set, and no local server was found.
    pub fn none_found() -> Self {
        ModelError::Authentication { provider: "openai".into(), variable: "OPENAI_API_KEY".into(), message: None }
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        ModelError::Protocol { message: message.into() }
    }

    /// What happened, for a person.
    pub fn text(&self) -> Text {
        match self {
            ModelError::Config { what, .. } => what.clone(),
            ModelError::Authentication { provider, variable, message } => {
                authentication(provider, variable, message.as_deref())
            }
            ModelError::Unreachable { url, reason, .. } => Text::new(
                format!("the model at {url} could not be reached: {reason}"),
                format!("无法连接模型服务 {url}：{reason}"),
            ),
            ModelError::Rejected { status, message } => Text::new(
                format!("the model server refused the request ({status}): {message}"),
                format!("模型服务拒绝了请求（{status}）：{message}"),
            ),
            ModelError::Protocol { message } => {
                Text::new(format!("the model protocol was broken: {message}"), format!("模型通信格式有误：{message}"))
            }
            ModelError::WebPage { url } => Text::new(
                format!("{url} answered with a web page and not as a model does"),
                format!("{url} 返回的是网页，而不是模型的回复"),
            ),
            ModelError::Cancelled => Text::new("cancelled", "已取消"),
            ModelError::ReplayMismatch { name, step, message } => Text::new(
                format!("the replayed model `{name}` does not foresee this request (step {step}): {message}"),
                format!("回放脚本“{name}”第 {step} 步与请求不符：{message}"),
            ),
        }
    }

    /// What the person can do about it, if anything.
    pub fn hint(&self) -> Option<Text> {
        match self {
            ModelError::Config { mend, .. } => Some(mend.clone()),
            ModelError::Authentication { variable, .. } => Some(Text::new(
                format!(
                    "set {variable} to a valid key; or start a local server (Ollama, LM Studio), or set OPENAI_BASE_URL to a server that needs no key"
                ),
                format!(
                    "请将 {variable} 设为有效的密钥；也可以启动本地服务（Ollama、LM Studio），或将 OPENAI_BASE_URL 指向无需密钥的服务"
                ),
            )),
            ModelError::Unreachable { local: true, .. } => Some(Text::new(
                "start the local server, or name another model with --model",
                "请先启动本地服务，或用 --model 指定其他模型",
            )),
            ModelError::Unreachable { local: false, .. } => Some(Text::new(
                "check the network and proxy, and the base URL if you set one (OPENAI_BASE_URL, ANTHROPIC_BASE_URL and so on)",
                "请检查网络与代理设置；如果设置了基础地址（OPENAI_BASE_URL、ANTHROPIC_BASE_URL 等），请确认地址正确",
            )),
            ModelError::Rejected { status, .. } => rejected_hint(*status),
            ModelError::WebPage { .. } => Some(Text::new(
                "is the address right (the base of the API, usually ending in /v1)? Or does the network want you to log in first, as in a hotel?",
                "地址是否正确（应为接口的基础地址，通常以 /v1 结尾）？或者网络是否需要先登录（如酒店网络）？",
            )),
            ModelError::Protocol { .. } | ModelError::Cancelled | ModelError::ReplayMismatch { .. } => None,
        }
    }
}

fn authentication(provider: &str, variable: &str, message: Option<&str>) -> Text {
    match message {
        None => Text::new(
            format!("no key for {provider}: {variable} is not set"),
            format!("缺少 {provider} 的密钥：未设置 {variable}"),
        ),
        Some(message) => Text::new(
            format!("{provider} refused the key in {variable}: {message}"),
            format!("{provider} 不接受 {variable} 中的密钥：{message}"),
        ),
    }
}

fn rejected_hint(status: u16) -> Option<Text> {
    match status {
        300..=399 => Some(Text::new(
            "the server redirects; set the base URL to where it points",
            "服务器要求重定向，请把基础地址改为它指向的位置",
        )),
        404 => Some(Text::new(
            "check the model's name, and that the base URL ends as the vendor says, usually in /v1",
            "请检查模型名称，以及基础地址的结尾是否符合要求（通常为 /v1）",
        )),
        429 => Some(Text::new("wait a little, or check the quota of your account", "请稍后再试，或检查账户额度")),
        500..=599 => Some(Text::new("the vendor has trouble; try again later", "服务方暂时异常，请稍后再试")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_key_names_its_variable_in_both_languages() {
        let error = ModelError::none_found();
        let (text, hint) = (error.text(), error.hint().expect("a hint"));
        for words in [&text.en, &text.zh, &hint.en, &hint.zh] {
            assert!(words.contains("OPENAI_API_KEY"), "{words}");
        }
    }

    #[test]
    fn every_error_a_person_can_mend_says_how() {
        let unreachable = |local| ModelError::Unreachable { url: "u".into(), reason: "r".into(), local };
        let rejected = |status| ModelError::Rejected { status, message: "m".into() };
        for error in [unreachable(true), unreachable(false), rejected(404), rejected(429), rejected(503), rejected(307)]
        {
            assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{error:?}");
        }
        assert!(ModelError::Cancelled.hint().is_none());
    }
}
