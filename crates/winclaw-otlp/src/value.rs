use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue};

pub(crate) fn text(key: &str, text: impl Into<String>) -> KeyValue {
    of(key, Value::StringValue(text.into()))
}

/// Numbers beyond what the protocol holds count as its largest.
pub(crate) fn number(key: &str, number: u64) -> KeyValue {
    of(key, Value::IntValue(i64::try_from(number).unwrap_or(i64::MAX)))
}

pub(crate) fn flag(key: &str, flag: bool) -> KeyValue {
    of(key, Value::BoolValue(flag))
}

pub(crate) fn texts(key: &str, texts: &[impl AsRef<str>]) -> KeyValue {
    let any = |text: &_| AnyValue { value: Some(Value::StringValue(AsRef::<str>::as_ref(text).to_owned())) };
    let values = texts.iter().map(any).collect();
    of(key, Value::ArrayValue(ArrayValue { values }))
}

fn of(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}
