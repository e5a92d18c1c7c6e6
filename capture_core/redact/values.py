"""Names that look secret, and what of the values that programs print behind such names is no secret."""

from __future__ import annotations


def one_of(*forms: str) -> str:
    """Return a pattern for any of the forms."""
    return f"(?:{'|'.join(forms)})"


PASSWORDS = r"(?i:passwords?|passwd|passphrase|_pass|_pwd|[{,;] ?pass|[\"'.]pass|[\"']pwd)"
"""How a name of what people choose ends; its value may be a word.  What comes before does not matter: DB_PASSWORD."""

KEYS = (
    r"(?i:secret|token|credentials?|secret_key_base"
    r"|(?:api|access|account|auth|encryption|master|private|secret|shared|signing)[_-]?key)"
)
"""How a name of what machines make ends; its value is seldom a word: myApiKey, --token."""

NAMES = one_of(PASSWORDS, KEYS)

NUMBERED = "(?:_?[0-9])?"
"""Behind such a name: DB_PASSWORD_2."""

_ORDINARY = one_of(
    r"(?i:true|false|none|null|nil|undefined|void|required|optional|bearer|basic|string|str|text|bytes?|integer|number)",
    r"(?i:bool|boolean|object|array|hidden|disabled|enabled|expired|invalid|incorrect|denied|wrong|mismatch|missing)",
    r"(?i:empty|unknown|accepted|rejected|failed|failure|success|correct|prompt|changed|unchanged|default|inherit)",
    r"(?i:varchar|char|unset|not_set|plaintext|plain|any|unicode)",
)
"""Words of languages and of messages."""

FILLED_IN = one_of(
    r".{0,3}",  # too short to be worth anything
    # Masked already, or to be filled in.
    r"[^A-Za-z0-9]*[*•.]{3,}|[xX]{4,}",
    r"\[[a-z]+:[a-z -]*\]?|\[(?i:redacted|filtered|hidden|masked|secret)\]",
    r"<[A-Za-z_ -]+>?",
    r"(?i:your[_-].*|change-?me|example|placeholder|dummy|redacted|xxx+)",
    # Filled in from elsewhere: shell, make, cmd, templates, format strings.
    r"\$\{[\w:?+-]*\}?|\$\{[A-Za-z_][^{}]*\}.*|\$\(.*|\$[A-Za-z_]\w*|\$[0-9@*]|%[A-Z][A-Z0-9_]*%|\$env:\w+|#\{[^}]*\}",
    r"[^A-Za-z0-9]*(?:\{[^{}\"']*\}|\{\{.*\}\}|%(?:\(\w+\))?[sdrvq]|[ :@/&-])+[^A-Za-z0-9]*",
)
"""Whole values that stand for one."""

_ELEMENT = r"\w+(?:\.\w+)*(?:\[|(?:\[[0-9]+\])+)"
_MEMBER = r"[A-Za-z_$][A-Za-z_$]*[0-9]{0,2}(?:(?:\?\.|\.|::|->)[A-Za-z_$#]+[0-9]{0,2}[A-Za-z_]*)+"
_CALL = r"[A-Za-z_][A-Za-z_.]*(?:[0-9]{1,3}[A-Za-z_.]+){0,2}[0-9]{0,3}\((?:[\w.=,\[\]()-]*[),]|[\w.]+\[)?"
"""A call, as far as its first argument."""
_CLOSING = r"[),;:\]}]"
_PASSED_ON = rf"[\w.]*{NAMES}[0-9]?"
_PATH = r"(?:~|\.{1,2})?(?:/[a-z.][a-z0-9._-]*){2,}/?"

BARE_CODE = one_of(
    # A number, a word of a language, an element of something: all perhaps before closing punctuation.
    one_of(FILLED_IN, r"[+-]?[0-9]{1,5}(?:\.[0-9]+)?|0x[0-9A-Fa-f]{1,16}", _ORDINARY, _ELEMENT, _CALL) + f"{_CLOSING}*",
    r"\[redacted:[a-z-]+\].*",
    # Nothing, or a template, in a query.
    r"(?:[{<$%(][^&]*)?&[\w.-]+=.*",
    # Its own name, where code passes it on; a member, and what code goes on with.
    rf"{_PASSED_ON}{_CLOSING}+",
    rf"\w*_{NAMES}",
    _PATH,
    rf"(?:\w+\.)+\w*{NAMES}(?:\W.*)?",
    r"(?:self|cls|this|args|config|settings|options|request|os|process)\.[A-Za-z_].*",
    r"function\(.*|[a-z]+(?:_[a-z]+)+\)+|\$\w+->.*",
    # Not an assignment: a comparison, an arrow.
    r"[=~>].*",
)
"""Whole values behind a bare ``=`` that are parts of a program."""

MINIFIED = r"(?:[A-Za-z_$][\w$]{0,24}(?:\.[A-Za-z_$][\w$]*)*(?:\(\))?[,;)}\]|&?]|[!({\[]).*(?:[({]|\w\.\w+=).*"
"""What follows a bare ``=`` in a program without spaces."""

QUOTED_CODE = one_of(
    FILLED_IN,
    r".*\[\{[A-Za-z_.]+\}.*",
    r"(?i:bearer|basic|true|false|none|null|omit|include|same-origin)|\?[A-Z][A-Za-z]+",
    # The quotation mark ended what looked like a name: print("token=", token).
    r" .*|[+%,] .*|%\(.*|[),;\]]+(?: .*)?",
    _PATH,
)
"""Whole values in quotes that are none."""

LABEL = one_of(
    # What a person reads beside a field: capitalised, perhaps several words; any in another script.
    r"[A-Z][a-z]+[ -][A-Za-z' -]*[a-z][:.!?…*]?",
    r"[^0-9]*[^\x00-\x7f][^0-9]*",
    r"[^0-9]*(?i:passw|pass.?phr|kennwort|senha|contras|parola|heslo|clave|sandi|l.sen|salasana)[^0-9]*",
    r"[~^<>=v]{0,2}[0-9]+(?:\.[0-9*x]+){1,3}(?:-[a-z]+[.0-9]*)?",
    r"(?i:(?:enter|your|the|please|type|choose|forgot|reset|show|hide|new|old|must|is|are|no) .*)",
    _ORDINARY,
)
"""Whole values behind a key such as ``"password"`` that describe it, as translations and schemas do."""

_ALGORITHM = one_of(
    r"(?i:argon2[a-z]*|pbkdf2|oauth[12]|md5|sha[0-9]+|base(?:16|32|58|64)\w*)",
    r"(?i:ed25519|x?509|ecdsa?\w*|rsa[0-9]+|[a-z]{2,6}-[0-9]{1,3})",
)
_SIZED = r"[&*]?[A-Za-z_]{0,12}(?:8|16|32|64|128|256|512)(?:_t|[A-Z_][A-Za-z_]{0,10}|[a-z]{0,5})"
_CODE = one_of(
    FILLED_IN,
    r"[A-Za-z_$][\w.$:]*\(.*",
    r"[A-Za-z_.:&*]+[\[<{].*|[<{(\[|].*",
    _MEMBER + r"(?:\[.*)?",
    rf"[\w.]*{NAMES}[_$]?[0-9]{{0,2}}",
    _SIZED,
    _ALGORITHM,
    # Places, dates, times, versions, other numbers.
    _PATH + r"|[A-Za-z]:\\.*|\w+://[^@]*",
    r"(?:[a-z][a-z0-9_-]*/){2,}[a-z][a-z0-9._-]*",
    r"v?[0-9]{1,5}(?:[.:/_+-][0-9]{1,6}){0,5}(?:[-.+]?[a-z]{1,5}[0-9]{0,3})?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|0x(?:[0-9A-Fa-f]{1,16}|[0-9A-Fa-f]{40})",
    r"[0-9.]+(?:[kKmMgG]i?[bB]?|ms|s|%)",
)
_STRONG_LOOK = (
    # Letters and digits, or letters around a symbol, or a long number.
    r"(?:(?=\S*[0-9])(?=\S*[A-Za-z])|(?=\w+[!@#$%^&*~]\w)|(?=[0-9]{6,}[),;\]}]*(?:\s|\Z)))"
)
ANY_STRONG = rf"(?!{_CODE}{_CLOSING}*(?:\s|\Z)){_STRONG_LOOK}[^\s\"'`<>]{{6,}}?"
STRONG = rf"(?P<secret>{ANY_STRONG})"
"""The beginning of a pattern for a value that looks like one wherever it stands."""

SHORT = r"[ \t\r\n]*\S{0,3}"
"""Too little to be judged: at the end of a stream, it is given out."""

STRONG_IN_QUOTES = (
    rf"(?!(?:{_CODE}|{QUOTED_CODE}|{LABEL})\Z)"
    r"(?P<secret>(?=.*[0-9])(?=.*[A-Za-z])[^\s]{6,}|[0-9]{6,}|\w+[!@#$%^&*~]\w[^\s]*|[A-Za-z+/=_-]{20,}(?<![a-z]-[a-z]{6}))"
)
"""A pattern for a whole value in quotes that looks like one."""

AFTER = rf"{_CLOSING}*[ \t\r\n]?"
"""What may follow it in the whole value."""

_WORD = rf"(?!(?:{_ORDINARY}|{_MEMBER}|[\w.]*{NAMES}\w*|[A-Z][a-z]+[A-Z]\w*)[,;.]?(?:\s|\Z))"
WORD_OR_STRONG = (
    rf"(?!{_CODE}{_CLOSING}*(?:\s|\Z))"
    rf"(?P<secret>(?=[^\s\"'`<>]{{6,}}){_STRONG_LOOK}[^\s\"'`<>]+?|{_WORD}[A-Za-z][A-Za-z_.-]{{4,}}(?=[\r\n]))"
)
"""The same, or a single word that ends its line."""
