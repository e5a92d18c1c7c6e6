"""An independent oracle: what the plugins of bc-detect-secrets find by its format, we mask, or say why not."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import NamedTuple

import detect_secrets.plugins
import pytest
from detect_secrets.plugins.base import RegexBasedDetector
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.redact.test_rules import redact

HEX = "[0-9a-f]"
WORD = "[A-Za-z0-9]"
URL_SAFE = "[A-Za-z0-9_-]"
MIXED = "(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])"


class Shape(NamedTuple):
    """What a vendor issues, as the plugin finds it; and why the plugin's own pattern finds more than we mask."""

    pattern: str
    wider: str = ""


SHAPES: dict[str, tuple[Shape, ...]] = {
    "ArtifactoryDetector": (Shape(f"AKCp{WORD}{{69}}", "JFrog's keys have 73 characters, of which the fourth is a p"),),
    "AWSKeyDetector": (
        Shape(
            "(?:ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{15}[0-9]", "A3T is listed by no page of AWS; letters alone are proteins"
        ),
        Shape(
            rf"aws_secret_access_(?:key|token)(?:=|: | = )[a-z]{WORD}{{18}}[0-9]{WORD}{{20}}",
            "another name with a key behind it, up to twenty characters away, is prose as often",
        ),
    ),
    "AzureStorageKeyDetector": (
        Shape(r"AccountKey=[A-Za-z0-9+/]{86}==", "without its name it is any base64 of 64 bytes, a hash for one"),
    ),
    "BasicAuthDetector": (
        Shape(
            f"https://{WORD}{{4,12}}:{WORD}{{6}}[0-9]{WORD}{{0,9}}@example.org",
            "a place without a host, and passwords of fewer than four characters, are no credentials",
        ),
    ),
    "CloudantDetector": (
        Shape(rf"cloudant[_-](?:apikey|key|pwd|pw|password|token)(?: := |=|: )[0-9]{HEX}{{62}}[a-f]"),
        Shape("cloudant[_-](?:apikey|key|pw|password|token)(?: := |=|: )[a-z]{24}"),
        Shape(rf"https://[a-z]{{4,12}}:[0-9]{HEX}{{63}}@[a-z]{{4,12}}\.cloudant\.com"),
    ),
    "DiscordBotTokenDetector": (
        Shape(
            rf"(?:[MN][DTjz][AEIMQUYcgk][w-z0-5]){{6}}\.{URL_SAFE}{{6}}\.{URL_SAFE}{{27}}",
            "a token begins with the base64 of the digits of an id",
        ),
    ),
    "GitHubTokenDetector": (Shape(f"gh[pousr]_{WORD}{{36}}"),),
    "IbmCloudIamDetector": (
        Shape(
            rf"ibm_(?:cloud_)?(?:iam_)?api_?key(?:=|: | = )[0-9][A-Za-z]{URL_SAFE}{{41}}{WORD}",
            "without IBM's name it is a key of whatever",
        ),
    ),
    "IbmCosHmacDetector": (
        Shape(rf"cos_hmac_secret_access_key(?:=|: | = )[0-9]{HEX}{{46}}[a-f]", "one without a digit or letter is none"),
    ),
    "JwtTokenDetector": (
        Shape(
            r"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\.eyJzdWIiOiIxMjM0NTY3ODkwIn0\.[A-Za-z0-9_-]{43}",
            "headers of fewer than eight characters name no algorithm",
        ),
    ),
    "MailchimpDetector": (Shape(f"{HEX}{{31}}[0-9]-us[0-9]{{1,2}}", "keys are hexadecimal"),),
    "NpmDetector": (
        Shape(f"npm_{WORD}{{36}}"),
        Shape(
            f"_authToken=[0-9]{HEX}{{7}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}", "behind = or :, as npm writes"
        ),
    ),
    "PrivateKeyDetector": (
        Shape(
            f"-----BEGIN (?:RSA |EC |DSA |OPENSSH )?PRIVATE KEY-----\n{WORD}{{63}}[0-9]\n-----END",
            "we want the whole line and a whole line of the key; a line of PuTTY's that names its format is no secret",
        ),
    ),
    "SendGridDetector": (Shape(rf"SG\.{URL_SAFE}{{22}}\.{URL_SAFE}{{43}}"),),
    "SlackDetector": (
        Shape(f"xox[bpa]-[0-9]{{11}}-[0-9]{{11}}-{WORD}{{24}}", "shorter ones are examples; xoxo are kisses"),
        Shape(
            f"https://hooks\\.slack\\.com/services/T[A-Z0-9]{{8}}/B[A-Z0-9]{{8}}/{WORD}{{24}}", "shorter ones are none"
        ),
    ),
    "SoftlayerDetector": (
        Shape(rf"softlayer_api_key(?:=|: | := )[0-9][a-z]{WORD}{{62}}".replace(WORD, "[a-z0-9]")),
        Shape(r"https://api\.softlayer\.com/soap/v3/[0-9][a-z][a-z0-9]{62}", "its dots stand for dots"),
    ),
    "SquareOAuthDetector": (Shape(f"sq0csp-{URL_SAFE}{{43}}", "its backslash is a slip in a class"),),
    "StripeDetector": (Shape(f"[rs]k_live_{WORD}{{24}}"),),
    "TwilioKeyDetector": (Shape(f"(?:AC|SK)[0-9]{HEX}{{31}}", "identifiers are hexadecimal"),),
}

NOT_BY_FORMAT = {
    "KeywordDetector": "finds any value of a name that looks secret: our assignments, judged by other means",
    "Base64HighEntropyString": "finds what looks random, hashes as well",
    "HexHighEntropyString": "finds what looks random, hashes as well",
}

ALL = [
    pytest.param(name, shape, id=f"{name}-{number}")
    for name, each in SHAPES.items()
    for number, shape in enumerate(each)
]


def plugins() -> dict[str, type]:
    """Return every plugin that the oracle has, by name."""
    folder = detect_secrets.plugins
    modules = [
        importlib.import_module(f"{folder.__name__}.{found.name}") for found in pkgutil.iter_modules(folder.__path__)
    ]
    return {
        name: plugin
        for module in modules
        for name, plugin in inspect.getmembers(module, inspect.isclass)
        if plugin.__module__ == module.__name__ and hasattr(plugin, "secret_type") and not inspect.isabstract(plugin)
    }


def test_every_plugin_is_asked_or_left_out_with_a_reason() -> None:
    assert set(plugins()) - set(SHAPES) - set(NOT_BY_FORMAT) == set()
    assert all(issubclass(plugins()[name], RegexBasedDetector) for name in SHAPES)


@pytest.mark.parametrize(("name", "shape"), ALL)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_a_plugin_finds_is_masked(name: str, shape: Shape, data: st.DataObject) -> None:
    sample = data.draw(st.from_regex(shape.pattern, fullmatch=True))
    before = data.draw(st.sampled_from(["", "+ export ", "[info] at 12:00 ", "- "]))
    text = f"{before}{sample}\nand on\nand on\n"
    # Where a group did not match, the plugin names nothing.
    found = {secret or sample for secret in plugins()[name]().analyze_string(text)}
    assert found, f"the oracle does not find {text!r}"
    masked = redact([text.encode()])
    assert not [secret for secret in found if secret in masked], masked
