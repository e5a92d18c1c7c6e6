"""Credentials in headers of HTTP, as they are sent, and as programs print them: in JSON, in dicts, for curl."""

from __future__ import annotations

from capture_core.redact.rule import OPENED, Rule
from capture_core.redact.values import ANY_STRONG, FILLED_IN, SHORT

_NAME_ENDS = r"\\{0,3}[\"']?\]? ?"
# A quotation mark that ends the value: not the one that opened it, behind sign, space or bracket; but the sign may be
# that which fills up base64, of which there are two, or one behind more than any name.
_ENDS = (
    r"[\r\n]|(?<![:=>\[ \t\\(,])[\"'`]|(?<![:=>\[ \t(,])\\{1,7}[\"']"
    r"|(?:(?<=[A-Za-z0-9+/]==)|(?<=[A-Za-z0-9+/]{16}=))(?:[\"'`]|\\{1,7}[\"'])"
)
_BLANK = r"[ \t]*\\{0,7}(?![\"'\[]?\[redacted:)[\"'`\[]{0,2}"
_BEGINS = f"[:=]>?{_BLANK}"
_PLACEHOLDER = (
    rf"(?:{FILLED_IN}|(?i:token|[a-z]+[_-]?token|credentials|[a-z0-9]*xxx[a-z0-9]*)|\.\.\.|[A-Z]+(?:_[A-Z]+)+)"
)
_WITH_PARAMETERS = "(?:Digest|OAuth|Hawk|MAC|Signature|AWS4-HMAC-SHA256|AWS4-ECDSA-P256-SHA256|GOOG4-RSA-SHA256)"
_CREDENTIAL = (
    rf"(?!{_PLACEHOLDER}(?:[\s,;)\]}}]|\Z))"
    r"(?:[A-Za-z0-9._~+/:|!$%&*-]*[^\sa-z.<>(){}\[\]\"'`,;][^\s<>()\[\]\"'`,;\\]*|[a-z]{20,})"
)
_SCHEMES = "(?i:basic|bearer|token|apikey|api-key|negotiate|ntlm|key|aws|bot|client-id|sharedkey|sharedaccesssignature)"
_HTTP = "IETF, RFC 9110 HTTP Semantics: Authorization"

HEADERS = (
    Rule(
        name="authorization",
        source=_HTTP,
        candidates=tuple(
            f"(?i:authorization){sign}" for sign in (":", '":', '" :', "':", "' :", "=", '"]', "']", '"=', "\\\\")
        ),
        opening=f"(?i:authorization){_NAME_ENDS}{OPENED}[:=]",
        ends=_ENDS,
        spared=SHORT,
        within=(
            rf"{_BEGINS}(?!{_WITH_PARAMETERS} )(?:(?P<scheme>{_SCHEMES})[ :=]+)?"
            rf"(?P<secret>(?(scheme){_CREDENTIAL}|{ANY_STRONG}))(?:[\s,;)\]}}].*)?"
        ),
        masks=(
            "> Authorization: Basic «dXNlcjpwYXNzd29yZA==»\r\n",
            "curl -H 'Authorization: Basic «dXNlcjpwYXNzd29yZA==»' https://h/",
            '{"Authorization": "Basic «dXNlcjpwYXNzd29yZDE=»", "Accept": "*/*"}',
            "authorization: Bearer «0a1b2c3d4e5f»\n",
            "curl -H 'Authorization: token «0a1b2c3d4e»' https://api.example",
            '{"Authorization": "Bearer «AbCdEfGh»", "Accept": "*/*"}',
            "{'Authorization': 'Basic «dXNlcjpwYXNz»'}",
            r'"{\"authorization\": \"Bearer «abc123def»\"}"',
            'headers["Authorization"] = "Bearer «0a1b2c3d»"',
            "Proxy-Authorization: Basic «dXNlcjpwYXNz»\n",
            "Authorization: «0123456789abcdef»\n",
            '"authorization": "«key0123456789»"',
            "Authorization:[Bearer «0a1b2c3d»] Accept:[*/*]",
        ),
        passes=(
            "Authorization: Bearer <token>",
            "Authorization: Bearer $TOKEN, Authorization: Bearer YOUR_TOKEN",
            'Authorization: `Bearer ${token}`, "Authorization": "Bearer " + token',
            'f"Authorization: Bearer {token}"',
            "Authorization: Basic realm",
            "Authorization: the process of giving rights",
            "authorization: token required",
            "Authorization: auth_header",
            "Authorization: OAuth2 is used",
            '"Authorization": "Bearer"',
        ),
    ),
    Rule(
        name="authorization",
        source="IETF, RFC 7616 HTTP Digest Access Authentication: The Authorization Header Field",
        candidates=(f"(?i:authorization): {_WITH_PARAMETERS} ",),
        opening=f"(?i:authorization): {_WITH_PARAMETERS}{OPENED} ",
        ends="[\r\n]",
        spared=SHORT,
        within=r" (?P<secret>[^\s=]+=.*)",
        masks=(
            'Authorization: Digest «username="ana", nonce="0a1b", response="6629fae49393a05397450978507c4ef1"»\r\n',
            "Authorization: AWS4-HMAC-SHA256 «Credential=AKIAIOSFODNN7EXAMPLE/20130524, Signature=fe5f80»\n",
        ),
        passes=("Authorization: Digest is old", "WWW-Authenticate: Digest realm=x"),
    ),
    Rule(
        name="authorization",
        source="IETF, RFC 7616 HTTP Digest Access Authentication: The Authorization Header Field",
        candidates=tuple(f"(?i:authorization)({sign}){_WITH_PARAMETERS} " for sign in ('": ?"', "': ?'")),
        opening=rf"(?i:authorization)[\"']: ?[\"']{_WITH_PARAMETERS}{OPENED} ",
        ends=r"[\"'](?<!\\[\"'])|[\r\n]",
        spared=SHORT,
        within=r" (?P<secret>[^\s=]+=.*)",
        masks=('{"Authorization": "AWS4-HMAC-SHA256 «Credential=x/y, Signature=fe5f80»", "x": 1}',),
        passes=('"Authorization": "Digest "',),
    ),
    Rule(
        name="bearer",
        source="IETF, RFC 6750 The OAuth 2.0 Authorization Framework, Bearer Token Usage: Request Header Field",
        candidates=("[Bb]earer ",),
        opening=rf"[Bb]earer{OPENED} ",
        ends=r"[^A-Za-z0-9._~+/=-]",
        within=r" (?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?P<secret>[A-Za-z0-9._~+/=-]{16,}?)\.?",
        spared=SHORT,
        masks=("sent Bearer «0123456789abcdef01».", '"bearer «mF_9.B5f-4.1JqMmF_9.B5f-4.1JqM»"'),
        passes=("Bearer token", "the bearer authenticates-with-a-certificate", "bearer 12345"),
    ),
    Rule(
        name="api-key-header",
        source="Amazon Web Services, API Gateway Developer Guide: Choose an API key source",
        candidates=tuple(f"(?i:-(?:key|token|secret|password|auth|session)){sign}" for sign in (":", '":', "':")),
        opening=(
            r"(?:(?<=(?i:x-api))|(?<=(?i:x-auth))|(?<=(?i:x-vault))|(?<=(?i:x-session))|(?<=(?i:api))"
            r"|(?<=(?i:x-amz-security))|(?<=(?i:x-csrf))|(?<=(?i:x-xsrf))|(?<=(?i:x-functions))|(?<=(?i:x-goog-api))"
            r"|(?<=(?i:subscription))|(?<=(?i:private))|(?<=(?i:x-amz-session))|(?<=(?i:x-github))|(?<=(?i:x-shopify-access)))"
            rf"(?i:-(?:key|token|secret|password|auth|session))[\"']?{OPENED}:"
        ),
        ends=r"[\r\n]|(?<![: \"'\[])[ \t\"'`\]<>\\]",
        spared=SHORT,
        within=(
            rf":(?=[ \[\"']){_BLANK}"
            rf"(?!(?:{_PLACEHOLDER}|[a-z]{{1,8}}|[a-z]+[_-][a-z_-]+|[A-Za-z_.]+\(.*|[0-9]{{1,5}})[,;)]*\Z)"
            r"(?P<secret>[^\s\"'<>(){}\[\]]{4,}?)[,;)]*"
        ),
        masks=(
            "X-Api-Key: «abcdefghij»\r\n",
            "-H 'x-auth-token: «0a1b2c3d»' -H",
            '"X-Vault-Token": "«0a1b2c3d4e»"',
            "Ocp-Apim-Subscription-Key: «0a1b2c3d4e5f»\n",
            "X-Amz-Security-Token:[«0a1b2c3d4e5f»] Accept:[*/*]",
        ),
        passes=("X-Api-Key: <key>", "x-api-key: required", "sort-key: name", "X-Auth-Token: ${TOKEN}"),
    ),
    Rule(
        name="cookie",
        source="IETF, RFC 6265 HTTP State Management Mechanism: Cookie",
        candidates=tuple(f"(?i:cookie){sign}" for sign in (":", '":', "':", "\\\\")),
        opening=rf"(?<![A-Za-z_-])(?i:cookie)\\{{0,3}}[\"']?{OPENED}:",
        ends=_ENDS,
        spared=SHORT,
        within=rf"{_BEGINS}(?P<secret>[\w.!#$%&*+^|~-]+=(?!{FILLED_IN}\Z)[^\r\n]{{4,}}?)\]?",
        masks=(
            "Cookie: «sid=31d4d96e407aad42; lang=en-US»\r\n",
            "curl -H 'Cookie: «session=0a1b2c3d»' x",
            '{"cookie": "«_ga=GA1.2.3; id=0a1b»"}',
            "cookie:[«sid=31d4d96e»]",
        ),
        passes=("Cookie: the small kind", "cookie:e.cookie", "Cookie: name=<value>", "{cookie:function(e){a=e}}"),
    ),
    Rule(
        name="cookie",
        source="IETF, RFC 6265 HTTP State Management Mechanism: Set-Cookie",
        candidates=tuple(f"(?i:set-cookie){sign}" for sign in (":", '":', "':", "\\\\")),
        opening=rf"(?i:set-cookie)\\{{0,3}}[\"']?{OPENED}:",
        ends=r"[;\r\n]|(?<![:=>\[ \t\\(,])[\"'`]",
        spared=SHORT,
        within=rf"{_BEGINS}[\w.!#$%&*+^|~-]+=(?:\\?\")?(?!{FILLED_IN}\Z)(?P<secret>.{{4,}}?)\]?",
        masks=(
            "< Set-Cookie: SID=«31d4d96e407aad42»; Path=/; HttpOnly\r\n",
            '"set-cookie": ["id=«a3fWa»; Max-Age=2592000"]',
        ),
        passes=("Set-Cookie: name=<value>; Path=/", "set-cookie: a header", "Set-Cookie: id=; Max-Age=0"),
    ),
    Rule(
        name="cookie",
        source="PHP, Manual: Sessions, Runtime Configuration, session.name",
        candidates=("(?i:sessid|sessionid|session_id|connect.sid)=",),
        opening=rf"(?i:sessid|sessionid|session_id|connect\.sid){OPENED}=",
        ends=r"[;&\s\"'`<>,)]",
        spared="=.{0,5}",
        within=r"=(?=[^0-9]*[0-9])(?P<secret>[A-Za-z0-9._%~+/=-]{12,})",
        masks=("PHPSESSID=«0a1b2c3d4e5f6g7h»; path=/", "?jsessionid=«0A1B2C3D4E5F»&x=1"),
        passes=("sessionid=get_session_id()", "PHPSESSID=none", "session_id=12345"),
    ),
)
