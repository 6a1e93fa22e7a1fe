use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An HTTP request a plugin asks the host to make for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// The method in upper case, such as `GET`.
    pub method: String,
    /// The absolute `http:` or `https:` URL.
    pub url: String,
    /// Header names and values in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    #[serde(default, skip_serializing_if = "HttpBody::is_empty")]
    pub body: HttpBody,
    /// How long the whole exchange may take, in milliseconds. Absent: the host's default of 20 000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl HttpRequest {
    /// A `GET` of `url`.
    pub fn get(url: impl Into<String>) -> Self {
        HttpRequest {
            method: "GET".into(),
            url: url.into(),
            headers: Vec::new(),
            body: HttpBody::default(),
            timeout_ms: None,
        }
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// The status code; 4xx and 5xx are responses, not failures.
    pub status: u16,
    /// Header names in lower case, and values, in order.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    #[serde(default)]
    pub body: HttpBody,
}

/// Bytes of a body. In JSON: a string when they are UTF-8, else `{"base64": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpBody(pub Vec<u8>);

impl HttpBody {
    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes as text, if they are UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BodyRepr {
    Text(String),
    Bytes { base64: String },
}

impl Serialize for HttpBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use base64::Engine as _;
        match self.text() {
            Some(text) => serializer.serialize_str(text),
            None => {
                let base64 = base64::engine::general_purpose::STANDARD.encode(&self.0);
                BodyRepr::Bytes { base64 }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for HttpBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use base64::Engine as _;
        match BodyRepr::deserialize(deserializer)? {
            BodyRepr::Text(text) => Ok(HttpBody(text.into_bytes())),
            BodyRepr::Bytes { base64 } => {
                base64::engine::general_purpose::STANDARD.decode(base64).map(HttpBody).map_err(serde::de::Error::custom)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_survive_json_whatever_their_bytes() {
        for bytes in [b"".to_vec(), "北京".as_bytes().to_vec(), vec![0xff, 0x00, 0xd6]] {
            let json = serde_json::to_string(&HttpBody(bytes.clone())).expect("json");
            assert_eq!(serde_json::from_str::<HttpBody>(&json).expect("a body"), HttpBody(bytes));
        }
    }
}
