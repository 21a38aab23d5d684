"""Signatures."""

import pytest

from rarefy.tasks.refresh.feeds.arrivals import BadSignature, read_secrets, sign, verify_signature

SECRET, OTHER = "0123456789abcdef", "fedcba9876543210"
BODY = b'{"address": "https://docs.example.com/a.htm"}'
NOW = 1_800_000_000


def test_what_was_signed_now_with_the_secret_holds():
    name = verify_signature(sign(BODY, SECRET, NOW), BODY, (SECRET,), NOW + 3, 300)
    assert len(name) == 32 and SECRET not in name


def test_a_known_value_so_that_other_languages_can_be_tried_against_it():
    """printf '%s' '1800000000.{}' | openssl dgst -sha256 -hmac 0123456789abcdef"""
    import hashlib
    import hmac

    wanted = hmac.new(b"0123456789abcdef", b"1800000000.{}", hashlib.sha256).hexdigest()
    assert sign(b"{}", SECRET, NOW) == f"t=1800000000,v1={wanted}"


@pytest.mark.parametrize("off", [-301, 301, 86400, -(10**9)])
def test_a_clock_that_is_too_far_off_is_told_how_far(off):
    with pytest.raises(BadSignature, match=f"{abs(off):,} s from ours"):
        verify_signature(sign(BODY, SECRET, NOW + off), BODY, (SECRET,), NOW, 300)


@pytest.mark.parametrize("off", [-300, 300])
def test_within_the_window_clocks_may_differ_either_way(off):
    assert verify_signature(sign(BODY, SECRET, NOW + off), BODY, (SECRET,), NOW, 300)


def test_another_secret_another_body_or_another_time_does_not_hold():
    good = sign(BODY, SECRET, NOW)
    for header, body in (
        (sign(BODY, OTHER, NOW), BODY),
        (good, BODY + b" "),
        (good.replace(str(NOW), str(NOW + 1)), BODY),
        (good[:-1] + ("0" if good[-1] != "0" else "1"), BODY),
    ):
        with pytest.raises(BadSignature, match="does not fit"):
            verify_signature(header, body, (SECRET,), NOW, 300)


@pytest.mark.parametrize(
    "header", ["", "v1=00", "t=1", "t=x,v1=" + "0" * 64, "t=1,v1=" + "0" * 63, "t=1,v1=" + "G" * 64]
)
def test_what_is_no_signature_is_told_what_one_looks_like(header):
    with pytest.raises(BadSignature, match="HMAC-SHA256"):
        verify_signature(header, BODY, (SECRET,), NOW, 300)


def test_while_a_secret_changes_the_old_and_the_new_one_hold():
    both = read_secrets(f"{SECRET} {OTHER}")
    assert verify_signature(sign(BODY, SECRET, NOW), BODY, both, NOW, 300)
    assert verify_signature(sign(BODY, OTHER, NOW), BODY, both, NOW, 300)


@pytest.mark.parametrize(
    ("value", "why"), [("", "not set"), ("  ", "not set"), ("short", "shorter than 16"), (f"{SECRET} x", "shorter")]
)
def test_without_a_secret_that_cannot_be_guessed_nothing_starts(value, why):
    with pytest.raises(ValueError, match=why) as fault:
        read_secrets(value)
    assert SECRET not in str(fault.value)
