//! What can go wrong with the weather service, said so that the model and the person know what to do.

use winclaw_sdk::prelude::*;
use winclaw_sdk::serde::de::DeserializeOwned;

/// The reply as `T`, or what is wrong with it.
///
/// # Errors
/// `unavailable` when the service is not reached, is busy or in trouble; `tool_failed` when it refuses the request or
/// its reply is not what it documents. A refusal by the host (`denied`) and a cancelled call stay what they are.
pub fn read<T: DeserializeOwned>(reply: Result<HttpResponse, Failure>) -> Result<T, Failure> {
    let reply = reply.map_err(unreached)?;
    match reply.status {
        200..=299 => reply.json().map_err(|failure| malformed(&failure.message)),
        429 => Err(busy()),
        status @ 500..=599 => Err(in_trouble(status)),
        status => Err(refused(status, &reply)),
    }
}

fn unreached(failure: Failure) -> Failure {
    if !matches!(failure.code, FailureCode::Unavailable | FailureCode::Timeout | FailureCode::ToolFailed) {
        return failure;
    }
    let cause = failure.message.trim_end_matches('.');
    let told = Failure::unavailable(format!(
        "The weather service (Open-Meteo) cannot be reached: {cause}. No weather is known; do not invent any."
    ))
    .with_hint(
        "The weather service cannot be reached. Check the network connection or proxy, then try again.",
        "无法连接天气服务。请检查网络连接或代理，然后重试。",
    );
    // The host may know better what to do, such as which proxy to look at.
    Failure { hint: failure.hint.or(told.hint), ..told }
}

fn busy() -> Failure {
    Failure::unavailable("The weather service (Open-Meteo) has had too many requests (429); try again in a minute.")
        .with_hint("Too many weather requests; wait a minute.", "天气查询过于频繁，请稍等一分钟。")
}

fn in_trouble(status: u16) -> Failure {
    Failure::unavailable(format!(
        "The weather service (Open-Meteo) answered with error {status} of its own; try again in a minute."
    ))
    .with_hint("The weather service is in trouble; try again later.", "天气服务出现故障，请稍后再试。")
}

fn refused(status: u16, reply: &HttpResponse) -> Failure {
    let body: Value = reply.json().unwrap_or_default();
    let reason = body.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
    let reason: String = reason.chars().take(200).collect();
    Failure::tool_failed(format!("The weather service (Open-Meteo) refused the request ({status}): {reason}"))
}

fn malformed(what: &str) -> Failure {
    Failure::tool_failed(format!("The weather service (Open-Meteo) did not send what it documents: {what}")).with_hint(
        "The weather service sent something unexpected; a proxy or sign-in page may be in the way.",
        "天气服务返回了意外内容，可能被代理或登录页面拦截。",
    )
}
