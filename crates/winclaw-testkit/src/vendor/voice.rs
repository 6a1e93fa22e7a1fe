use serde_json::{Value, json};
use winclaw_model::Format;

use super::words;
use crate::rules::{Fault, Refusal, What};

/// How a vendor words its errors, and what their bodies look like. Words that were seen are the vendor's own; where none
/// were found, the fault is told as OpenAI would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// OpenAI's chat completions: `{"error": {"message", "type", "param", "code"}}`.
    OpenAi,
    /// OpenAI's Responses; the same with other places.
    Responses,
    /// Anthropic: `{"type": "error", "error": {"type", "message"}, "request_id"}`, and status 529 when overloaded.
    Anthropic,
    /// DeepSeek: OpenAI's body without places.
    DeepSeek,
    /// Ollama: OpenAI's body without places and codes.
    Ollama,
    /// LM Studio: `{"error": "…"}`, where the text may be a list of problems in JSON.
    LmStudio,
    /// OpenRouter: `{"error": {"message", "code", "metadata"}, "user_id"}`, with the words of the server behind it as
    /// text in `metadata.raw`.
    OpenRouter,
    /// Gemini: a list of `{"error": {"code", "message", "status"}}`.
    Gemini,
    /// DashScope: OpenAI's body, `<400> InternalError.Algo.InvalidParameter: ` before the words, and a `request_id`.
    Qwen,
    /// Moonshot: `{"error": {"message", "type"}}`.
    Kimi,
    /// Zhipu: `{"error": {"code", "message"}}` with a code of its own and few words.
    Glm,
}

impl Voice {
    /// The voice of the format's first vendor.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Chat => Voice::OpenAi,
            Format::Messages => Voice::Anthropic,
            Format::Responses => Voice::Responses,
        }
    }

    /// What is answered to a body with this fault.
    pub(crate) fn refusal(self, fault: &Fault) -> Refusal {
        let status = match (&*fault.what, self) {
            (What::Key { given: Some(_) }, Voice::Gemini) => 400,
            (What::Key { .. }, _) => 401,
            _ => 400,
        };
        let message = words::of(self, fault);
        let body = self.body(status, &message, fault);
        Refusal { status, message, body }
    }

    /// The body of an error of the server's own, such as 429, which no fault of the request has caused.
    pub(crate) fn trouble(self, status: u16) -> Value {
        let message = match status {
            429 => "status 429: rate limit reached, slow down".to_owned(),
            529 => "Overloaded".to_owned(),
            _ => format!("status {status}"),
        };
        self.body(status, &message, &Fault::from(message.as_str()))
    }

    /// The event that tells of an error in the middle of a stream, with its blank line.
    pub(crate) fn event(self, status: u16) -> String {
        let body = self.trouble(status);
        match self {
            Voice::Anthropic => format!("event: error\ndata: {body}\n\n"),
            Voice::Responses => {
                let error = &body["error"];
                let event = json!({"type": "error", "code": error["code"], "message": error["message"], "param": null});
                format!("event: error\ndata: {event}\n\n")
            }
            Voice::OpenRouter => {
                let end = json!([{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]);
                let event = json!({"id": "gen-mock", "object": "chat.completion.chunk", "provider": "mock",
                    "error": {"code": status, "message": body["error"]["message"]}, "choices": end});
                format!("data: {event}\n\n")
            }
            _ => format!("data: {body}\n\n"),
        }
    }

    fn body(self, status: u16, message: &str, fault: &Fault) -> Value {
        match self {
            Voice::OpenAi | Voice::Responses => openai(self, status, message, fault),
            Voice::Anthropic => {
                let error = json!({"type": anthropic_kind(status), "message": message});
                json!({"type": "error", "error": error, "request_id": "req_mock"})
            }
            Voice::DeepSeek => {
                let kind = openai_kind(status);
                json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
            }
            Voice::Ollama => {
                json!({"error": {"message": message, "type": ollama_kind(status), "param": null, "code": null}})
            }
            Voice::LmStudio => json!({"error": message}),
            Voice::OpenRouter => openrouter(status, message, fault),
            Voice::Gemini => {
                json!([{"error": {"code": status, "message": message, "status": google_status(status)}}])
            }
            Voice::Qwen => json!({
                "error": {"code": qwen_code(status), "param": null, "message": message, "type": qwen_kind(status)},
                "id": "chatcmpl-mock", "request_id": "mock"
            }),
            Voice::Kimi => json!({"error": {"message": message, "type": kimi_kind(status)}}),
            Voice::Glm => json!({"error": {"code": glm_code(status, fault), "message": message}}),
        }
    }
}

fn openai(voice: Voice, status: u16, message: &str, fault: &Fault) -> Value {
    let place = if voice == Voice::Responses { "" } else { "function." };
    let (param, code) = match &*fault.what {
        What::Name { tool, longest, .. } => {
            let code = if longest.is_some() { "string_above_max_length" } else { "invalid_value" };
            (json!(format!("tools[{tool}].{place}name")), code)
        }
        What::Schema { tool, .. } | What::Tool { tool, .. } => {
            (json!(format!("tools[{tool}].{place}parameters")), "invalid_function_parameters")
        }
        What::ManyTools { .. } => (json!("tools"), "array_above_max_length"),
        What::Key { .. } => (Value::Null, "invalid_api_key"),
        _ if status == 429 => (Value::Null, "rate_limit_exceeded"),
        _ => (Value::Null, ""),
    };
    let code = if code.is_empty() { Value::Null } else { code.into() };
    json!({"error": {"message": message, "type": openai_kind(status), "param": param, "code": code}})
}

/// The words of the server behind it stand in `metadata.raw`; its own errors have none.
fn openrouter(status: u16, message: &str, fault: &Fault) -> Value {
    let behind = !matches!(*fault.what, What::Key { .. } | What::Script) && status == 400;
    if !behind {
        return json!({"error": {"message": message, "code": status}, "user_id": "user_mock"});
    }
    let raw = openai(Voice::OpenAi, status, message, fault);
    let metadata = json!({"raw": raw.to_string(), "provider_name": "mock", "is_byok": false});
    json!({"error": {"message": "Provider returned error", "code": status, "metadata": metadata}, "user_id": "user_mock"})
}

fn openai_kind(status: u16) -> &'static str {
    match status {
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn anthropic_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

fn ollama_kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        404 => "not_found_error",
        _ => "api_error",
    }
}

fn google_status(status: u16) -> &'static str {
    match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

fn qwen_code(status: u16) -> &'static str {
    match status {
        401 => "invalid_api_key",
        429 => "limit_requests",
        500.. => "internal_error",
        _ => "invalid_parameter_error",
    }
}

fn qwen_kind(status: u16) -> &'static str {
    match status {
        429 => "limit_requests",
        500.. => "internal_error",
        _ => "invalid_request_error",
    }
}

fn kimi_kind(status: u16) -> &'static str {
    match status {
        401 => "invalid_authentication_error",
        429 => "rate_limit_reached_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn glm_code(status: u16, fault: &Fault) -> &'static str {
    let tools = matches!(
        *fault.what,
        What::Name { .. }
            | What::Schema { .. }
            | What::ManyTools { .. }
            | What::Twice { .. }
            | What::Tool { .. }
            | What::Field(_)
            | What::Body
    );
    match status {
        401 => "1002",
        429 => "1302",
        500.. => "1234",
        _ if tools => "1210",
        _ => "1214",
    }
}
