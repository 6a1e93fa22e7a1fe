use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A name that leads only to addresses tools may not reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` leads to {address}, {why}")]
pub(crate) struct ForbiddenAddress {
    pub(crate) host: String,
    pub(crate) address: IpAddr,
    pub(crate) why: &'static str,
}

/// Keeps the addresses of `host` that a tool may reach.
///
/// An empty input stays empty. When addresses were found and none may be reached, the first one is reported.
/// `localhost` may lead to this machine: it got here because the plugin's list spells it out.
pub(crate) fn reachable(host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, ForbiddenAddress> {
    let local = host.eq_ignore_ascii_case("localhost");
    let allowed = |address: &SocketAddr| forbidden(address.ip()).is_none() || (local && address.ip().is_loopback());
    let (kept, refused): (Vec<_>, Vec<_>) = found.into_iter().partition(allowed);
    match refused.first().map(SocketAddr::ip).and_then(|address| Some((address, forbidden(address)?))) {
        Some((address, why)) if kept.is_empty() => Err(ForbiddenAddress { host: host.to_owned(), address, why }),
        _ => Ok(kept),
    }
}

/// Why a tool may not reach `address` through a name; `None` when it may.
///
/// 198.18.0.0/15 passes although it is reserved: local proxies hand it out as stand-in addresses for public names.
pub(crate) fn forbidden(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => forbidden_v4(v4),
        IpAddr::V6(v6) => embedded_v4(v6).map_or_else(|| forbidden_v6(v6), forbidden_v4),
    }
}

fn forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        _ if address.is_loopback() => Some("an address of this machine itself"),
        _ if address.is_private() => Some("a private network address"),
        _ if address.is_link_local() => Some("a link-local address, where cloud machines keep their credentials"),
        (100, 64..=127, _) => Some("a carrier-private address"),
        (0, ..) | (240..=255, ..) | (192, 0, 0) => Some("a reserved address"),
        _ if address.is_multicast() => Some("a multicast address"),
        _ => None,
    }
}

fn forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments()[0] {
        _ if address.is_loopback() => Some("an address of this machine itself"),
        _ if address.is_unspecified() => Some("a reserved address"),
        0xfc00..=0xfdff | 0xfec0..=0xfeff => Some("a private network address"),
        0xfe80..=0xfebf => Some("a link-local address"),
        0xff00..=0xffff => Some("a multicast address"),
        _ => None,
    }
}

/// The IPv4 address that an IPv6 one carries: mapped, compatible, NAT64 and 6to4 forms.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let low = || Ipv4Addr::from((u32::from(s[6]) << 16) | u32::from(s[7]));
    match s {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 1, ..] => Some(low()),
        [0, 0, 0, 0, 0, 0, high, _] if high != 0 => Some(low()),
        [0x2002, high, next, ..] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(next))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_inner_address_is_forbidden() {
        let inner = [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "240.0.0.1",
            "224.0.0.1",
            "192.0.0.1",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "fe80::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
        ];
        for text in inner {
            assert!(forbidden(text.parse().expect("an address")).is_some(), "{text}");
        }
    }

    #[test]
    fn public_addresses_and_proxy_stand_ins_pass() {
        for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "198.18.0.7", "2606:4700::1", "2002:808:808::"] {
            assert_eq!(forbidden(text.parse().expect("an address")), None, "{text}");
        }
    }

    fn sockets(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().expect("an address"), 0)).collect()
    }

    #[test]
    fn a_mixed_answer_keeps_its_public_part_and_a_private_one_is_refused() {
        let mixed = reachable("api.example.org", sockets(&["10.0.0.1", "8.8.8.8"]));
        assert_eq!(mixed, Ok(sockets(&["8.8.8.8"])));
        let private = reachable("api.example.org", sockets(&["10.0.0.1", "127.0.0.1"])).expect_err("refused");
        assert_eq!(private.to_string(), "`api.example.org` leads to 10.0.0.1, a private network address");
    }

    #[test]
    fn localhost_means_this_machine_and_nothing_else_does() {
        assert!(reachable("LocalHost", sockets(&["127.0.0.1", "::1"])).is_ok_and(|kept| kept.len() == 2));
        assert!(reachable("localhost", sockets(&["192.168.0.1"])).is_err());
        assert!(reachable("localhost.example.org", sockets(&["127.0.0.1"])).is_err());
    }
}
