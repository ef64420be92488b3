//! The addresses that a granted name may lead to: those of the public internet (C2).
//!
//! A name is its owner's, who can have it lead into the person's own network. Deliberately not here: asking for the addresses of a name (`onward`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are no part of the public internet (the registry of RFC 6890 with what was added to it, and multicast).
const OTHERS: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast, what is reserved, and all computers of a network.
    ([224, 0, 0, 0], 3),
];

/// The networks of IPv6 that are public: global unicast, without those in it that lead elsewhere (the registry of RFC 6890).
const GLOBAL: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
const OTHERS_6: [([u16; 8], u32); 5] = [
    // Teredo, and others of the protocol itself.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    // 6to4 has an address of IPv4 in it.
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48),
];

/// The network by which one of IPv6 alone reaches addresses of IPv4 (RFC 6052).
const TRANSLATED: ([u16; 8], u32) = ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// True for an address of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_4(address),
        IpAddr::V6(address) if is_in(address, TRANSLATED) => {
            let [.., a, b, c, d] = address.octets();
            is_public_4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            is_in(address, GLOBAL) && !OTHERS_6.iter().any(|network| is_in(address, *network))
        }
    }
}

fn is_public_4(address: Ipv4Addr) -> bool {
    let is_in = |(network, bits): &([u8; 4], u32)| {
        (u32::from(address) ^ u32::from(Ipv4Addr::from(*network))) >> (32 - bits) == 0
    };
    !OTHERS.iter().any(is_in)
}

fn is_in(address: Ipv6Addr, (network, bits): ([u16; 8], u32)) -> bool {
    (u128::from(address) ^ u128::from(Ipv6Addr::from(network))) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_the_public_internet_is_public() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "223.255.255.255",
            "2606:4700::1",
            "2a00:1450::1",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
