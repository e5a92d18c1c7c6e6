"""Values of names that look secret: ``API_KEY=value``, bare or in quotes, as shells, logs and programs write it."""

from __future__ import annotations

from capture_core.redact.rule import Rule

# How such a name ends, but for a number.  What comes before does not matter: DB_PASSWORD, myApiKey, --token.
_NAME = (
    r"(?i:passwords?|passwd|passphrase|secret|token|credentials?|_pass|_pwd|secret_key_base"
    r"|(?:api|access|private|secret|signing|encryption)[_-]?key)"
)
_QUOTES = r"[fbruFBRU]{0,2}\\?"
"""What may stand between sign and quotation mark: the letters of Python's strings, the escape of JSON's."""


def _one_of(*forms: str) -> str:
    return f"(?:{'|'.join(forms)})"


_SPARED = _one_of(
    r".{0,3}",  # too short to be worth anything
    # Masked already, or to be filled in.
    r"\*+|[xX.]{4,}",
    r"\[[a-z]+:[a-z -]*\]?|\[(?i:redacted|filtered|hidden|masked)\]",
    r"<[A-Za-z_-]+>?",
    # Filled in from elsewhere: shell, make, cmd, templates, format strings.
    r"\$\{[\w:?+-]*\}?|\$\(\w*|\$[A-Z][A-Z0-9_]*|%[A-Z][A-Z0-9_]*%",
    r"(?:\{[^{}\"']*\}|\{\{ ?[\w.]+ ?\}\}|%[sdr]|[ :@/&-])+",
)
_BARE_SPARED = _one_of(
    # A number, a word of a language, an element of something: all perhaps before closing punctuation.
    _one_of(
        _SPARED,
        r"[+-]?[0-9]{1,5}(?:\.[0-9]+)?|0x[0-9A-Fa-f]{1,16}",
        r"(?i:true|false|none|null|undefined|required|optional|bearer)",
        r"\w+(?:\.\w+)*(?:\[|(?:\[[0-9]+\])+)",
    )
    + r"[),;:\]}]*",
    # Its own name, where code passes it on; a member, and what code goes on with.
    _NAME + r"[),;:\]}]+",
    rf"(?:\w+\.)+\w*{_NAME}(?:\W.*)?",
    r"(?:self|cls|this|args|config|settings|options|request|os|process)\.[A-Za-z_].*",
    # A call, as far as its first argument; a function.
    r"function\(.*|[A-Za-z_][\w.]*\((?:[\w.=,\[\]-]*[),])?[),;:\]}]*",
    # Not an assignment: a comparison, an arrow.
    r"[=~>].*",
)
_QUOTED_SPARED = _one_of(
    _SPARED,
    r"(?i:bearer)",
    # The quotation mark ended what looked like a name: print("token=", token).
    r" ?[+%,] .*|[),;\]]+(?: .*)?",
)


def _assignment(*, opening: str, ends: str, spared: str, masks: tuple[str, ...], passes: tuple[str, ...]) -> Rule:
    return Rule(
        name="assignment",
        source="The Open Group, Shell Command Language: Simple Commands; the names by practice",
        # One for all of them would halve the scanner's speed.
        candidates=(f"{_NAME} ?=", f"{_NAME}[0-9]=", f"{_NAME}_[0-9]="),
        opening=f"{_NAME}(?:_?[0-9])?{opening}(?P<value>)",
        ends=ends,
        spared=spared,
        masks=masks,
        passes=passes,
    )


ASSIGNMENTS = (
    _assignment(
        opening="=",
        ends=r"[ \t\r\n\"'`]",
        spared=_BARE_SPARED,
        masks=(
            "PASSWORD=«hunter2»",
            "export GITHUB_TOKEN=«abc,def»\n",
            "password=«hunter2,» host=db",
            "--api-key=«0a1b2c3d4e» --verbose",
            "AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»\r\n",
            "DB_PASS=«$ecret!» DB_PASSWORD_2=«(xyz)»",
            "clientSecret=«compute» PASSWORD=«password» password=«p4ss[word»",
            "MYSQL_PWD=«self-made» SECRET_KEY_BASE=«a.b[0]c»",
            '["API_TOKEN=«0123456»"]',
        ),
        passes=(
            "token_count=12 max_tokens=4096 TOKEN=12 retries=3",
            "secret = compute(x)",
            "secret=compute(x), token=get_token(",
            "token: next word",
            "Failed password for invalid user x from 10.0.0.1",
            "PASSWORD= ",
            "PASSWORD_FILE=/run/secrets/db PWD=/home/x OLDPWD=/",
            "password=None, token=self.token, secret=args.client_secret)",
            "login(password=password, token=TOKEN)",
            "key_password=certs[0][2], password=options.a['",
            "a.token=b.token||1,e.secret=function(e,t){return",
            "API_KEY=$API_KEY TOKEN=${TOKEN:-} SECRET=$(cat",
            "if token==other: token=>1",
            "requests-token==1.2.3",
            "PASSWORD=*** PASSWORD=<password> PASSWORD=[redacted:assignment]",
            "monkey=1234567 compass=northeast bypass=somewhere public_key=0123456789",
        ),
    ),
    _assignment(
        opening=f' ?= ?{_QUOTES}"',
        ends=r'["\r\n](?<!\\")',
        spared=_QUOTED_SPARED,
        masks=(
            'password = "«correct horse battery»"',
            r'TOKEN="«a\"bc»" x',
            r'{"cmd": "PASSWORD=\"«hunter2\" make»"}',
            'secret=b"«0123»"',
            'API_KEY="«never closed»\nnext line"',
        ),
        passes=(
            'password = ""',
            'TOKEN="${TOKEN}" token=f"{user}:{token!r}"',
            '<a accesskey="p" href="#">',
            'print("token=", token)',
            'password: "is asked for"',
            'secret="[redacted:assignment]"',
        ),
    ),
    _assignment(
        opening=f" ?= ?{_QUOTES}'",
        ends=r"['\r\n](?<!\\')",
        spared=_QUOTED_SPARED,
        masks=("export DB_PASSWORD='«it is \"quoted\"»'", "access_key = '«0123456789»'"),
        passes=("password = ''", "the user's token='", "TOKEN='$TOKEN' user_pass = '%s:%s'"),
    ),
)
