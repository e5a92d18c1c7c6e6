r"""Values of keys that look secret, as JSON, YAML, XML and logs write them: ``"password": "value"``."""

from __future__ import annotations

from capture_core.redact.rule import OPENED, WORD_ENDS, Rule
from capture_core.redact.values import (
    AFTER,
    KEYS,
    LABEL,
    NAMES,
    NUMBERED,
    PASSWORDS,
    QUOTED_CODE,
    SHORT,
    STRONG,
    STRONG_IN_QUOTES,
    WORD_OR_STRONG,
)

_PASSWORDS = rf"(?:{PASSWORDS}|(?<=[\"'])(?:pass|pwd)|(?<![A-Za-z0-9-])(?:pass|pwd)(?=[\"']))"
BREAK = r"[ \t]{0,40}(?:\r?\n[ \t]{0,80})?"
_COLON = rf"[ \t]{{0,8}}(?::|=>){BREAK}"
_JSON = "Ecma International, ECMA-404 The JSON data interchange syntax: Objects"
_YAML = "The YAML Project, YAML Ain't Markup Language: Block Mappings"


def pair(  # noqa: PLR0913 — the columns of a table
    *,
    source: str,
    names: str,
    signs: tuple[str, ...],
    opening: str,
    ends: str,
    masks: tuple[str, ...],
    passes: tuple[str, ...],
    spared: str | None = None,
    within: str | None = None,
) -> Rule:
    """Return the rule for what follows one of ``signs`` behind one of ``names``."""
    return Rule(
        name="assignment",
        source=source,
        candidates=tuple(f"{names}{sign}" for sign in signs),
        opening=opening,
        ends=ends,
        spared=spared,
        within=within,
        masks=masks,
        passes=passes,
    )


def _quoted(names: str, quote: str, *, within: str, masks: tuple[str, ...], passes: tuple[str, ...]) -> Rule:
    return pair(
        source=_JSON,
        names=names,
        # What follows the colon is told apart afterwards: it may be far away.
        signs=(
            *('":', "':", '" :', "' :", '"=>', "'=>", '" =>', "' =>"),
            *('[0-9]":', "[0-9]':", '_[0-9]":', f": {quote}", f":{quote}", f":  {quote}"),
        ),
        opening=rf"{names}{NUMBERED}[\"']?{_COLON}[buBU]?{quote}{OPENED}",
        ends=rf"[{quote}\r\n](?<!\\{quote})",
        spared=SHORT,
        within=within,
        masks=masks,
        passes=passes,
    )


_NOT_LABELLED = rf"(?!(?:{QUOTED_CODE}|{LABEL})\Z)(?P<secret>.+)"

PAIRS = (
    _quoted(
        PASSWORDS,
        '"',
        within=_NOT_LABELLED,
        masks=(
            '{"user": "ana", "password": "«hunter2»", "host": "db"}',
            '"password":"«secretword»"',
            '{"user"=>"a", "password"=>"«hUnt3r2xQ9»"}',
            '"DB_PASSWORD_2":\n    "«correct horse battery»", "password" : "«hunter2»"',
            'password: "«hunter2»"\n',
            r'"passwd": "«a\"bc»"',
            "{'PASSWORD': \"«it's»\"}",
        ),
        passes=(
            '"password": "Password"',
            '"password": "Contraseña", "passphrase": "Enter a passphrase"',
            '"password": "string", "passwd": ""',
            '"password": {"type": "string"}',
            'password: "is asked for"',
            '"password": "${DB_PASSWORD}"',
            '"password": "<password>", "password": "********"',
            'password: z.string().min(8, "too short")',
        ),
    ),
    _quoted(
        PASSWORDS,
        "'",
        within=_NOT_LABELLED,
        masks=("{'user': 'ana', 'DB_PASSWORD': '«hunter2»'}", "password: '«correct horse»'\n"),
        passes=("'password': 'Mot de passe'", "password: '{{ db_password }}'", "'password': ''"),
    ),
    _quoted(
        KEYS,
        '"',
        within=STRONG_IN_QUOTES,
        masks=(
            '{"access_token":"«0a1b2c3d4e»","token_type":"bearer"}',
            '"clientSecret": "«wJalrXUtnFEMI/K7MDENG»"',
            '"secret" :\n "«abcdefghijklmnopqrstuvwx»"',
            'api_key: "«0a1b-2c3d-4e5f»"\n',
        ),
        passes=(
            '"token": "Token", "secret": "my-secret"',
            'token:"punctuation",pattern:/x/',
            '"token": "string", "api_key": "your_api_key_1"',
            '"token": "A token that 2 people use"',
            '"secret": "projects/x1/secrets/y"',
        ),
    ),
    _quoted(
        KEYS,
        "'",
        within=STRONG_IN_QUOTES,
        masks=("{'API_TOKEN': '«0a1b2c3d4e»'}",),
        passes=("token: 'punctuation'", "'token': token, 'x': 'y'"),
    ),
    pair(
        source=_JSON,
        names=NAMES,
        signs=(r"\\",),
        opening=rf"{NAMES}{NUMBERED}\\{{1,7}}[\"'][ \t]{{0,8}}(?::|=>)[ \t]{{0,8}}\\{{1,7}}[\"']{OPENED}",
        ends=r"\\{1,7}[\"'](?<!\\\\\\[\"'])|[\"\r\n]",
        spared=SHORT,
        within=_NOT_LABELLED,
        masks=(
            r'"body": "{\"password\": \"«hunter2»\", \"user\": \"ana\"}"',
            r'"{\"api_key\":\"«0a1b2c»\"}"',
        ),
        passes=(r'"{\"password\": \"Password\", \"token\": \"\"}"', r'"{\"token\": null}"'),
    ),
    pair(
        source=_YAML,
        names=PASSWORDS,
        signs=(": ", "[0-9]:", '": ', "': ", "[\"'] : "),
        opening=rf"(?<![A-Za-z] ){PASSWORDS}{NUMBERED}(?:[\"'] ?)?: {OPENED}",
        # Behind the break of the line, so that what ended the value can be told.
        ends=r"(?<=[\r\n])|(?<=[^ \t:][ \t])|:[ \t]|[\"'`<]",
        spared=SHORT,
        within=rf"[ \t]*(?:{WORD_OR_STRONG}){AFTER}",
        masks=(
            "password: «hunter»\n",
            "  password: «hunter2»\n",
            "db_password:    «p@ssword» # old\n",
            "- password: «swordfish»\r\n",
            "{user: ana, password: «hunter2», host: db}",
            '"password": «12345678»,',
        ),
        passes=(
            "password: str\n",
            "password: string;\n",
            "password: hunter of the sea\n",
            "password: z.string()\npassword: Optional[str] = None\npassword: bytes32\n",
            "Enter password: nothing\n",
            "password: required\npassword: *default\npassword: !vault |\n",
            "password: SecretStr\n",
            "password: {{ db_password2 }}\npassword: ${DB_PASSWORD}\n",
            "password: null\npassword: 12345\npassword: /run/secrets/db2\n",
        ),
    ),
    pair(
        source=_YAML,
        names=NAMES,
        signs=(": ", "[0-9]:", '": ', "': ", "[\"'] : "),
        opening=rf"(?:{KEYS}|(?<=[A-Za-z] ){PASSWORDS}){NUMBERED}(?:[\"'] ?)?: {OPENED}",
        ends=WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=(
            "token: «0a1b2c3d4e»\n",
            "secret_key:  «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»\n",
            '"token": «12345678»,',
            "Your token: «0123-4567-89ab-cdef» is new.",
            "New password: «hunter2»\n",
        ),
        passes=(
            "token: next word",
            "token: str, secret: string;\n",
            "token: u64, secret: [u8; 32], key: Vec<u8>",
            "token: token1, secret: sha256(x), api_key: config.v2.key",
            "token: 12345, token: 0x1f",
            "secret: my-secret\nsecret: $SECRET2\n",
            "unexpected token: };",
        ),
    ),
    pair(
        source=_YAML,
        names=NAMES,
        signs=(":", "[\"']:"),
        opening=rf"{NAMES}{NUMBERED}[\"']?:{OPENED}",
        ends=r"[\s\"'`<>,;&|]",
        spared=SHORT,
        within=rf"(?:{STRONG}){AFTER}",
        masks=("password:«hunter2»,token:«0a1b2c3d4e»\n", '{"token":«12345678»}'),
        passes=("{token:e.token,password:t1}", "token:b2Vec(1,2)", "token:12:30", "$token:1px;"),
    ),
    pair(
        source=_YAML,
        names=NAMES,
        signs=(":\n", ":\r\n", ": \n", '":\n', r": [|>][+-]?\r?\n"),
        opening=rf"{NAMES}{NUMBERED}[\"']?:(?: [|>][+-]?)? ?\r?\n{OPENED}",
        ends=r"(?<=[^ \t\r\n])[ \t]|[\r\n\"'`<]",
        spared=SHORT,
        within=rf"[ \t]+(?:- )?(?:{STRONG}){AFTER}",
        masks=("password:\n  «hunter2»\n", "password: |\n  «hunter2»\n", "token:\r\n\t«0a1b2c3d4e»\r\n"),
        passes=(
            "password:\n  type: string\n",
            "token:\n    Base64 of what is sent\n",
            "Password:\nroot2 has come\n",
            "secret:\n\n  x0123456\n",
        ),
    ),
    Rule(
        name="assignment",
        source=_YAML,
        candidates=(r"\n[ \t]{0,20}pass: ",),
        opening=rf"\n[ \t]{{0,20}}pass: {OPENED}",
        ends=r"(?<=[\r\n])|(?<=[^ \t:][ \t])|:[ \t]|[`<]",
        spared=SHORT,
        within=rf"[ \t]*[\"']?(?:{STRONG})[\"']?{AFTER}",
        masks=("auth:\n  user: ana\n  pass: «hunter2»\n", "\npass: '«hunter2»'\n"),
        passes=("PASS: tests/jqtest\n", "\nPASS: 12\n\npass: always\n"),
    ),
    Rule(
        name="assignment",
        source="Docker, Documentation: docker login, Default behavior",
        candidates=('"auth": ?"',),
        opening=rf'"auth": ?"{OPENED}',
        ends=r"[^A-Za-z0-9+/=]",
        spared=SHORT,
        within=r"(?=[^0-9]*[0-9])(?P<secret>[A-Za-z0-9+/]{12,}={0,2})",
        masks=('{"auths": {"registry.example": {"auth": "«YW5hOmh1bnRlcjI=»"}}}',),
        passes=('"auth": "required"', '"auth":"basic"'),
    ),
)
