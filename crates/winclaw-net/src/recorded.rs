use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_tool::{Failure, HttpBody, HttpResponse};

use crate::hop::Hop;

/// One recorded answer of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The method it answers. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The URL it answers: the whole URL, or its beginning followed by `*`.
    pub url: String,
    /// The status. Default 200.
    #[serde(default = "ok")]
    pub status: u16,
    /// Header names in lower case, and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The body: a string as itself, `{"base64": "…"}` as those bytes, any other JSON as its compact text.
    #[serde(default)]
    pub body: Value,
}

fn ok() -> u16 {
    200
}

/// Why a JSON value is not a list of exchanges.
#[derive(Debug, thiserror::Error)]
#[error("recorded replies must be a list of {{\"url\", \"status\", \"headers\", \"body\"}}: {0}")]
pub struct RecordError(#[from] serde_json::Error);

impl Exchange {
    /// Reads a list of exchanges from a JSON value: an array, or an object with the array under `exchanges`.
    pub fn list(value: &Value) -> Result<Vec<Exchange>, RecordError> {
        let list = value.get("exchanges").unwrap_or(value);
        Ok(Vec::<Exchange>::deserialize(list)?)
    }

    fn answers(&self, hop: &Hop) -> bool {
        let method = self.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&hop.method));
        let url = hop.url.as_str();
        method && self.url.strip_suffix('*').map_or_else(|| url == self.url, |start| url.starts_with(start))
    }

    fn response(&self) -> HttpResponse {
        let headers = self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
        HttpResponse { status: self.status, headers, body: body(&self.body) }
    }
}

fn body(value: &Value) -> HttpBody {
    let as_bytes = || HttpBody::deserialize(value).ok();
    let absent = || value.is_null().then(HttpBody::default);
    as_bytes().or_else(absent).unwrap_or_else(|| HttpBody(value.to_string().into_bytes()))
}

/// The first exchange that answers `hop`; each may serve any number of times.
pub(crate) fn replay(exchanges: &[Exchange], hop: &Hop) -> Result<HttpResponse, Failure> {
    let found = exchanges.iter().find(|exchange| exchange.answers(hop));
    found.map(Exchange::response).ok_or_else(|| {
        Failure::unavailable(format!("no recorded reply answers {} {}", hop.method, hop.url)).with_hint(
            format!("The network is replayed from a record that lacks {}; use the live network instead.", hop.url),
            format!("当前使用录制的网络回复，其中没有 {}；请改用实时网络。", hop.url),
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_reads_from_json_with_its_defaults() {
        let list = json!([{"url": "https://a.example/x", "body": {"t": 3}}, {"url": "https://a.example/y*", "body": "plain"},
                          {"url": "https://a.example/z", "body": {"base64": "/wA="}}, {"url": "https://a.example/n"}]);
        let exchanges = Exchange::list(&json!({"exchanges": list})).expect("a record");
        assert_eq!(exchanges, Exchange::list(&list).expect("a record"));
        let bodies: Vec<Vec<u8>> = exchanges.iter().map(|exchange| exchange.response().body.0).collect();
        assert_eq!(bodies, [b"{\"t\":3}".to_vec(), b"plain".to_vec(), vec![0xff, 0x00], Vec::new()]);
        assert_eq!(exchanges[0].status, 200);
    }

    #[test]
    fn what_is_not_a_record_says_what_it_should_be() {
        let error = Exchange::list(&json!([{"body": 1}])).expect_err("refused").to_string();
        assert!(error.contains("\"url\"") && error.contains("missing field"), "{error}");
    }
}
