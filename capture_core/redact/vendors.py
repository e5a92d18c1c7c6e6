"""Keys without a form of their own, known by the vendor's name before them and by how long they are."""

from __future__ import annotations

from capture_core.redact.rule import Rule

# As many literals: a scanner is slow where each part of a name may be missing.
_BEGINS = (
    r"(?i:cloudant|softlayer|ibm[_-]?cloud|ibm[_-]?iam|ibm[_-]api|ibm[_-]key|cloud[_-]iam|iam[_-]api|cos[_-]hmac"
    r"|clou[_-]|sl[_-](?:api|key|pass|token)|cl[_-](?:api|key|pass|pw|token))"
)
_NAMES = r"(?i:[a-z_-]{1,24}?[_-]?(?:key|pwd|pw|pass|password|token))"

VENDORS = (
    Rule(
        name="cloud-key",
        source="IBM, Cloud Docs: Managing user API keys; Cloudant, HMAC and SoftLayer keys",
        candidates=(_BEGINS,),
        opening=rf"{_NAMES}[\"']?\]?(?P<value>)[=: ]",
        ends=r"(?<=[A-Za-z0-9_-])[^A-Za-z0-9_-]|[\r\n]",
        spared=r"[=:> \"']{0,16}[A-Za-z0-9_-]{0,4}",
        within=(
            r"[=:> \"'\[]{1,40}"
            r"(?P<secret>(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?:[A-Za-z0-9_-]{44}|[A-Za-z0-9]{48}|[A-Za-z0-9]{64})|[a-z]{24})"
        ),
        masks=(
            "cloudant_pw  «0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9»\n",
            "cloudant-api-key := «abcdefghijklmnopqrstuvwx»\n",
            "ibm_cloud_api_key :: '«0A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v»'",
            "[sl_pass] => «0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9»\n",
        ),
        passes=("cloudant key: none", "iam_token: abc", "cl_pass over the data", "cloudant_key=node-modules-cache"),
    ),
    Rule(
        name="cloud-key",
        source="SoftLayer, Development Network: SOAP API, Using the endpoint",
        candidates=(r"(?i:api\.softlayer\.com/soap/v3)",),
        opening=r"(?i:api\.softlayer\.com/soap/v3)(?P<value>)",
        ends=r"[^A-Za-z0-9/.]",
        spared=".{0,9}",
        within=r"(?:\.1)?/(?P<secret>[A-Za-z0-9]{64})",
        masks=(
            "https://api.softlayer.com/soap/v3/«0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9»\n",
        ),
        passes=("https://api.softlayer.com/soap/v3/SoftLayer_Account?wsdl",),
    ),
)
