use std::time::Duration;

use winclaw_tool::{Failure, FailureCode};

use crate::address::ForbiddenAddress;

/// The host does not answer, or nothing leads to it.
pub(crate) fn unreachable(host: &str, cause: &str) -> Failure {
    Failure::unavailable(format!("cannot reach {host}: {cause}")).with_hint(
        format!("Check the network connection and the proxy settings, then try again ({host} did not answer)."),
        format!("无法连接 {host}：请检查网络连接和代理设置，然后重试。"),
    )
}

/// The host is not in the list of the plugin's manifest.
pub(crate) fn not_permitted(host: &str, permitted: &[String]) -> Failure {
    let list = if permitted.is_empty() { "none".to_owned() } else { permitted.join(", ") };
    Failure::denied(format!(
        "the plugin may not reach {host}: its permitted hosts are {list}. The plugin's author adds a host in \
         permissions.http of its manifest"
    ))
    .with_hint(
        format!("If you trust the plugin with {host}, add it to permissions.http in its manifest."),
        format!("如果信任该插件访问 {host}，请把它加入插件清单的 permissions.http。"),
    )
}

/// The name leads into this machine or its private networks.
pub(crate) fn forbidden(address: &ForbiddenAddress) -> Failure {
    let ForbiddenAddress { host, address: ip, .. } = address;
    Failure::denied(format!(
        "{address}; tools reach such addresses only when permissions.http names the address itself"
    ))
    .with_hint(
        format!("If this is meant, name {ip} instead of {host} in permissions.http of the plugin's manifest."),
        format!("如果确实需要，请在插件清单的 permissions.http 中写地址 {ip}，而不是 {host}。"),
    )
}

/// The exchange took longer than its limit.
pub(crate) fn timed_out(host: &str, limit: Duration) -> Failure {
    let seconds = limit.as_secs_f64();
    Failure::new(FailureCode::Timeout, format!("{host} did not finish its answer within {seconds} s")).with_hint(
        format!("{host} is slow or out of reach now; try again later."),
        format!("{host} 响应太慢或暂时无法访问，请稍后重试。"),
    )
}

/// The body, sent or received, is larger than allowed.
pub(crate) fn too_large(what: &str, cap: usize) -> Failure {
    Failure::tool_failed(format!("{what} is larger than the {cap} bytes allowed; ask for less at a time"))
}

/// The answer led on and on.
pub(crate) fn too_many_redirects(host: &str, most: usize) -> Failure {
    Failure::tool_failed(format!("{host} redirected more than {most} times"))
}
