"""Which addresses may be connected to."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from git_okf.errors import ConfigError
from git_okf.source.web.address import Policy, Refused, is_public, literal


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.200",
        "198.18.0.1",
        "192.0.2.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2002:a00:1::",
        "2002:7f00:1::1",
        "2001::1",
        "2001:db8::1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
    ],
)
def test_sec_02_addresses_of_no_public_network(address: str) -> None:
    assert not is_public(ip_address(address))
    with pytest.raises(Refused, match="not a public address"):
        Policy.of(["docs.example.com"], []).check("evil.example", [address])


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::"],
)
def test_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))
    Policy.of(["docs.example.com"], []).check("other.example", [address])


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("2130706433", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0xA9FEA9FE", "169.254.169.254"),
        ("[::1]", "::1"),
        ("::ffff:10.0.0.1", "::ffff:a00:1"),
    ],
)
def test_sec_02_notations_of_addresses(host: str, address: str) -> None:
    assert literal(host) == ip_address(address)
    with pytest.raises(Refused):
        Policy.of(["docs.example.com"], []).check_literal(host)


def test_names_are_no_addresses() -> None:
    assert literal("docs.example.com") is None
    assert literal("1.2.3.4.example.com") is None
    Policy.of(["docs.example.com"], []).check_literal("localhost")


def test_one_private_address_among_public_ones_is_enough() -> None:
    with pytest.raises(Refused, match=r"evil.example \(10.0.0.1\)"):
        Policy.of([], []).check("evil.example", ["1.1.1.1", "10.0.0.1"])


def test_what_a_person_wrote_may_be_anything() -> None:
    policy = Policy.of(["127.0.0.1"], ["Intranet.Example.com", "::1"])
    policy.check("127.0.0.1", ["127.0.0.1"])
    policy.check_literal("2130706433" if policy.trusts("2130706433") else "127.0.0.1")
    policy.check("intranet.example.com", ["10.0.0.1"])
    policy.check("INTRANET.example.com.", ["10.0.0.1"])
    policy.check_literal("[::1]")
    for other in ("127.0.0.2", "10.0.0.1"):
        with pytest.raises(Refused):
            policy.check_literal(other)
    with pytest.raises(Refused):
        policy.check("sub.intranet.example.com", ["10.0.0.1"])


def test_scoped_address_is_judged_without_its_zone() -> None:
    with pytest.raises(Refused):
        Policy.of([], []).check("evil.example", ["fe80::1%eth0"])


def test_allowed_host_that_is_none_is_an_error() -> None:
    with pytest.raises(ConfigError, match="allow_hosts"):
        Policy.of([], ["exa mple"])
