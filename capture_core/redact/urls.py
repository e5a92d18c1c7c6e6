"""Credentials in URLs and in the connection strings of databases: passwords, tokens, signatures."""

from __future__ import annotations

from capture_core.redact.rule import OPENED, Rule, token
from capture_core.redact.values import BARE_CODE, FILLED_IN, NAMES, SHORT

_NO_PASSWORD = rf"(?:{FILLED_IN}|(?i:pass(?:word|wd)?|pwd|pw|secret|token)|[A-Z]+(?:_[A-Z]+)*)"
_PORT = r"[0-9]{1,5}(?:[/?#),;\]}\\]|\Z)"
_BEFORE = r"(?:[?&;]|&amp;|\\u0026|%3[Ff]|%26)"
_SIGNED = (
    r"(?i:x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|skoid|policy"
    r"|(?:access|id|refresh|auth|oauth|session|security)_?token|client_secret|api_?key|jwt|otp|sessionid|phpsessid)"
)
_CODES = "(?i:code|key|auth|session|ticket|state|assertion|hash|sid)"
_QUERY_ENDS = r"[&\s\"'`<>\\)]|%26"

URLS = (
    Rule(
        name="url-password",
        source="IETF, RFC 3986 Uniform Resource Identifier: User Information",
        candidates=(r"://[^/\s:@\"'<>]{0,64}:",),
        opening=rf"://[^/\s:@\"'<>]{{0,64}}{OPENED}:",
        ends=r"[\s\"'`<>]",
        spared=SHORT,
        within=(
            rf":(?!{_PORT})(?!{_NO_PASSWORD}@[^@]*\Z)"
            r"(?P<secret>[^/?#]{4,}(?=@[^/?#@]*(?:[/?#]|\Z))|[^\s]{4,}(?=@[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#,]|\Z))).*"
        ),
        masks=(
            "postgres://ana:«hunter2»@db.example:5432/app\n",
            "https://ana:«p@ss/w0rd»@host.example/path",
            "redis://:«0a1b2c»@cache:6379/0",
            '"amqp://guest:«hunter2»@mq/%2f"',
            "https://ana:«hunter2»@host.example/@scope/name",
        ),
        passes=(
            "http://localhost:8080/@scope/name",
            "https://user:password@host.example",
            "http://[::1]:80/ http://10.0.0.1:3128",
            "mysql://root:${PASSWORD}@db, ftp://user:<password>@host, http://%s:%s@%s",
            "https://host.example:8080, and mail ana@example.org",
        ),
    ),
    token(
        name="url-token",
        source="GitHub, Docs: Managing your personal access tokens, Using a personal access token on the command line",
        context="://",
        introducer="[A-Za-z0-9]",
        body="[A-Za-z0-9_-]{19,95}@",
        alphabet="@",
        exact=True,
        solid=True,
        spared="[A-Za-z_-]+@",
        masks=("https://«0123456789abcdef0123456789abcdef@»git.example/r.git",),
        passes=(
            "ssh://git@host",
            "https://a-very-long-name-of-a-user@host",
            "https://0123456789abcdef0123456789abcdef.example",
        ),
    ),
    Rule(
        name="url-parameter",
        source="Amazon Web Services, S3 API Reference: Authenticating Requests, Using Query Parameters",
        candidates=(f"[?&;6fF]{_SIGNED}=",),
        opening=rf"(?:[?&;]|(?<=\\u002)6|(?<=%3)[Ff]|(?<=%2)6){_SIGNED}{OPENED}=",
        ends=_QUERY_ENDS,
        within=rf"=(?!{_NO_PASSWORD}\Z)(?P<secret>[^{{$<%(].{{3,}}|%[0-9A-Fa-f]{{2}}.{{3,}})",
        spared="=.{0,3}",
        masks=(
            "?X-Amz-Credential=«AKIAIOSFODNN7EXAMPLE%2F20130524»&X-Amz-Signature=«fe5f80f7»&x=1",
            "https://x.blob.example/c?sv=2022&sig=«abc%2Bdef%3D»&se=2023",
            "/callback?access_token=«0a1b2c3d»&state=1",
            r'"/cb?a=1\u0026api_key=«hunter2»"',
        ),
        passes=(
            "?token={token}&sig=$SIG&signature=<signature>",
            "?x=1&token=&sig=",
            "&signature=%s",
        ),
    ),
    Rule(
        name="url-parameter",
        source="WHATWG, URL Standard: application/x-www-form-urlencoded",
        candidates=(f"[?&][A-Za-z0-9_-]{{0,40}}{NAMES}=",),
        opening=f"[?&][A-Za-z0-9_-]{{0,40}}{NAMES}{OPENED}=",
        ends=_QUERY_ENDS,
        within=rf"=(?!{_NO_PASSWORD}\Z|[{{$<%(]|(?:{BARE_CODE})\Z)(?P<secret>.+)",
        spared="=.{0,3}",
        masks=("/login?user=ana&password=«hunter2»&next=/home", "ana&user_token=«abcdefgh»"),
        passes=("/login?password=", "?token=${token}&a=1", "&token=12345"),
    ),
    Rule(
        name="url-parameter",
        source="IETF, RFC 6749 The OAuth 2.0 Authorization Framework: Authorization Response",
        candidates=(f"[?&]{_CODES}=",),
        opening=f"[?&]{_CODES}{OPENED}=",
        ends=_QUERY_ENDS,
        within=r"=(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?P<secret>[A-Za-z0-9._~%+/=-]{16,})",
        spared="=.{0,3}",
        masks=("/cb?code=«SplxlOBeZQQYbYS6WxSbIA»&state=x", "&key=«0123456789abcdef»"),
        passes=("?code=404&key=name", "?key=a-name-of-some-length", "?state=12345678901234567"),
    ),
    Rule(
        name="connection-string",
        source="Microsoft, Learn: Connection String Syntax (ADO.NET)",
        candidates=(
            "; ?(?i:password|pwd|passphrase) ?=",
            "(?i:accountkey|sharedaccesskey|sharedsecretvalue|sharedaccesssignature)=",
        ),
        opening=(
            r"(?:; ?(?i:password|pwd|passphrase) ?"
            rf"|(?i:accountkey|sharedaccesskey|sharedsecretvalue|sharedaccesssignature)){OPENED}="
        ),
        ends=r"[;\r\n\"'`]",
        within=rf"= ?(?!{FILLED_IN}\Z)(?P<secret>[^;]{{4,}})",
        spared="= ?.{0,3}",
        masks=(
            "Server=db;User Id=ana;Password=«hunter two»;Encrypt=yes",
            "DRIVER={x};UID=ana;PWD=«hunter2»",
            "AccountName=x;AccountKey=«0a1b2c3d4e5f/0a==»;EndpointSuffix=core.example",
        ),
        passes=("Server=db;Password={0};", "a;PWD=;", "x; password = y\n"),
    ),
    Rule(
        name="connection-string",
        source="Oracle, Database JDBC Developer's Guide: Database URLs and Database Specifiers",
        candidates=("(?i:oracle:(?:thin|oci):)",),
        opening=rf"(?i:oracle:(?:thin|oci):){OPENED}",
        ends=r"[\s\"'`<>]",
        within=r"[^/@\s]{1,64}/(?P<secret>[^@\s]{4,})@.*",
        spared=SHORT,
        masks=("jdbc:oracle:thin:scott/«tiger»@//db.example:1521/x",),
        passes=("jdbc:oracle:thin:@//db.example:1521/x",),
    ),
    Rule(
        name="netrc",
        source="GNU, Inetutils manual: The .netrc file",
        candidates=(r"login [^ \t\r\n]{1,64}[ \t\r\n]{1,8}password ",),
        opening=rf"login [^ \t\r\n]{{1,64}}[ \t\r\n]{{1,8}}password{OPENED} ",
        ends=r"(?<=[^ ])[\s\"'`]|[\r\n]",
        within=rf" *(?!{FILLED_IN}\Z)(?P<secret>[^\s]{{4,}})",
        spared=SHORT,
        masks=("machine host.example login ana password «hunter2»\n", "  login ana\n  password «swordfish»\n"),
        passes=("login and password are", "login ana password "),
    ),
    Rule(
        name="curl-user",
        source="curl, Manual page: -u, --user <user:password>",
        candidates=("-u ", "-U ", "--user[ =]", "--proxy-user[ =]"),
        opening=rf"(?:(?<=\s)-[uU]|--(?:proxy-)?user){OPENED}[ =]",
        ends=r"(?<=[^ \"'=])[\s\"'`]|[\r\n]",
        within=(
            r"[ =] *[\"']?(?P<user>[^:\s\"'/<>{}$]{1,64}):(?!(?P=user)\Z)(?![0-9]{1,5}\Z|[\\/]|[a-z]{1,7}\Z)"
            rf"(?!{_NO_PASSWORD}\Z)(?P<secret>[^\s\"']{{4,}})"
        ),
        spared=SHORT,
        masks=("+ curl -s -u ana:«hunter2» https://x", "curl --user 'ana:«p@ssword»' x"),
        passes=("curl -u user:password x", "curl -u $USER:$PASSWORD x", "docker run -u 1000:1000 x"),
    ),
)
