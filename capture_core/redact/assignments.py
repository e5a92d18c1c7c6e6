"""Values of names that look secret, as shells, command lines and programs write them: ``API_KEY=value``."""

from __future__ import annotations

from capture_core.redact.rule import Rule
from capture_core.redact.values import (
    AFTER,
    BARE_CODE,
    MINIFIED,
    NAMES,
    NUMBERED,
    QUOTED_CODE,
    SHORT,
    STRONG,
)

_OPENED = "(?P<value>)"
_QUOTED = r"['\"][\w-]{0,40}"
_SIGN = r"[ \t]{1,40}(?:=>|[:?+]?=)[ \t]{0,40}"
_ALIGNED = ("  ", r"\t", r" [:?+]=")
_WORD_ENDS = r"(?<=[^ \t])[ \t]|[\r\n\"'`<]"
"""Behind a space: the next word, however many spaces there are."""


def assignment(
    *,
    signs: tuple[str, ...],
    before: str = "",
    opening: str,
    ends: str,
    masks: tuple[str, ...],
    passes: tuple[str, ...],
    spared: str | None = None,
    within: str | None = None,
) -> Rule:
    """Return a rule for values behind names and signs; ``before`` is what stands before the name."""
    return Rule(
        name="assignment",
        source="The Open Group, Shell Command Language: Simple Commands; the names by practice",
        # Names and signs: as many short literals, which a scanner likes better than one expression for all.
        candidates=tuple(f"{before}{NAMES}{sign}" for sign in signs),
        opening=opening,
        ends=ends,
        spared=spared,
        within=within,
        masks=masks,
        passes=passes,
    )


ASSIGNMENTS = (
    assignment(
        signs=("=", "[0-9]=", "_[0-9]="),
        opening=f"{NAMES}{NUMBERED}={_OPENED}",
        ends=r"[ \t\r\n\"'`]",
        spared=BARE_CODE,
        within=rf"(?!(?:{MINIFIED})\Z)(?P<secret>.*)",
        masks=(
            "PASSWORD=«hunter2»",
            "  export GITHUB_TOKEN=«abc,def»\n",
            "password=«hunter2,» host=db",
            "--api-key=«0a1b2c3d4e» --verbose",
            "+ PASSWORD=«hunter2»\n+ export API_KEY=«abcdefgh»\n",
            "AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»\r\n",
            "DB_PASS=«$ecret!» DB_PASSWORD_2=«(xyz)»",
            "clientSecret=«compute» PASSWORD=«password» password=«p4ss[word»",
            "MYSQL_PWD=«self-made» SECRET_KEY_BASE=«a.b[0]c»",
            "//npm.example/:_authToken=«0123456789abcdef»",
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
            "login(password=password, token=TOKEN, api_key=my_api_key, is_password=is_password)",
            "client_access_token=access_token\n    access_token=server_access_token\n",
            "key_password=certs[0][2], password=options.a['",
            "a.token=b.token||1,e.secret=function(e,t){return",
            "e.Token=o})},19877(e,t,i){n=e.token=void 0,e.x=1;t.getToken=getToken,t.getVersion=getVersion",
            "s+=`&token=${encodeURIComponent(o)}`",
            "API_KEY=$API_KEY TOKEN=${TOKEN:-} SECRET=$(cat",
            "if token==other: token=>1",
            "requests-token==1.2.3",
            "PASSWORD=*** PASSWORD=<password> PASSWORD=[redacted:assignment]",
            "monkey=1234567 compass=northeast bypass=somewhere public_key=0123456789",
        ),
    ),
    assignment(
        # A quotation mark stands before the name.
        before=_QUOTED,
        signs=("=", "_[0-9]="),
        opening=f"{_QUOTED}{NAMES}{NUMBERED}{_OPENED}=",
        ends=r"['\"\r\n](?<!\\['\"])",
        spared="=.{0,3}",
        within=rf"=(?!\\|[{{%$]|(?:{BARE_CODE}|{QUOTED_CODE})\Z)(?P<secret>.*)",
        masks=(
            "+ export 'TOKEN=«a bc»'\n",
            '"Env": ["DB_PASSWORD=«correct horse»", "PATH=/bin"]',
            "docker run -e 'API_KEY_2=«it is»' alpine",
        ),
        passes=("'TOKEN='", '"--token=%s"', "'PASSWORD=${PASSWORD} x'", 'f"token={token!r} of {user}"'),
    ),
    assignment(
        signs=(
            ' = "',
            '="',
            '= "',
            ' = b"',
            '=b"',
            ' = f"',
            '=f"',
            r'"\] = "',
            '[0-9] = "',
            '[0-9]="',
            ' := "',
            ' => "',
            '=>"',
        ),
        opening=rf'{NAMES}{NUMBERED}(?:"\])? ?(?:=>|:=|=) ?[bfuBFU]?"{_OPENED}',
        ends=r'["\r\n](?<!\\")',
        spared=QUOTED_CODE,
        masks=(
            'password = "«correct horse battery»"',
            'declare -x DB_PASSWORD="«hunter two»"\n',
            r'TOKEN="«a\"bc»" x',
            'secret=b"«0123»"',
            'os.environ["PASSWORD"] = "«hunter2»"; options.pass = "«hunter2»"',
            'password := "«hunter2»"; $token => "«abcd»"',
            'API_KEY="«never closed»\nnext line"',
        ),
        passes=(
            'password = ""',
            'TOKEN="${TOKEN}" token=f"{user}:{token!r}"',
            '<a accesskey="p" href="#">',
            'print("token=", token)',
            'password: "is asked for"',
            'secret="[redacted:assignment]"',
            'token = r"[-!#$%&*+.^_`|~0-9a-zA-Z]+"',
            "token = '\"%s\"' % token",
            'password = ":****"',
            'if password == "hunter2":',
        ),
    ),
    assignment(
        signs=(
            " = '",
            "='",
            "= '",
            " = b'",
            "=b'",
            " = f'",
            "=f'",
            r"'\] = '",
            r"=\$'",
            "[0-9] = '",
            "[0-9]='",
            " => '",
            "=>'",
        ),
        opening=rf"{NAMES}{NUMBERED}(?:'\])? ?(?:=>|:=|=) ?[bfuBFU$]?'{_OPENED}",
        ends=r"['\r\n](?<!\\')",
        spared=QUOTED_CODE,
        masks=(
            "export DB_PASSWORD='«it is \"quoted\"»'",
            "access_key = '«0123456789»'",
            "+ PASSWORD=$'«hunter\\'2»'",
            "'password' => x, password => '«abcd»'",
        ),
        passes=(
            "password = ''",
            "the user's token='",
            "TOKEN='$TOKEN' user_pass = '%s:%s'",
            "token = '\"%s\"' % token",
        ),
    ),
    assignment(
        signs=(r"=\\", r" = \\", r"[0-9]=\\"),
        opening=rf'{NAMES}{NUMBERED} ?= ?\\{{1,7}}["\']{_OPENED}',
        ends=r'\\{1,7}["\'](?<!\\\\\\["\'])|["\r\n]',
        spared=QUOTED_CODE,
        masks=(r'{"cmd": "PASSWORD=\"«hunter2»\" make"}', r'"f(secret = \"«0123»\")"'),
        passes=(r'f.write(f"    secret-key = \"{secret_key}\"\n")', r'"token=\"\""'),
    ),
    assignment(
        signs=(" = ", "= "),
        opening=f"{NAMES}{NUMBERED} ?= {_OPENED}",
        ends=_WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=("[server]\npassword = «hunter2»\n", "secret_key =   «c2VjcmV0LW9m/Zm9v» ; old", "password = «p@ssword»"),
        passes=(
            "secret = compute(x)\ntoken = next(tokens)\npassword = getpass.getpass()",
            "token = token1",
            "api_key = config.v2.api_key",
            "secret = sha256(x)\ntoken = base64\n",
            "password = user_input",
            "token = a1.b[2]",
            "password = 2024-01-01 12:00",
            "token = 12345",
        ),
    ),
    assignment(
        # Signs in a column, and those that add or only set what is not set.
        signs=_ALIGNED,
        opening=rf'{NAMES}{NUMBERED}{_SIGN}[bfuBFU]?"{_OPENED}',
        ends=r'["\r\n](?<!\\")',
        spared=QUOTED_CODE,
        masks=('DB_PASSWORD   = "«hunter two»"', 'db_password\t=\t"«0a1b2c3d»"', 'secret_key  =>  "«a\\"bc»"'),
        passes=('password   = ""', 'token    = "${TOKEN}"', 'the token  is "x"'),
    ),
    assignment(
        signs=_ALIGNED,
        opening=rf"{NAMES}{NUMBERED}{_SIGN}[bfuBFU$]?'{_OPENED}",
        ends=r"['\r\n](?<!\\')",
        spared=QUOTED_CODE,
        masks=("DB_PASSWORD   = '«hunter two»'", "api_key\t:=\t'«0a1b2c3d»'"),
        passes=("password   = ''", "token  = '$TOKEN'"),
    ),
    assignment(
        signs=_ALIGNED,
        opening=rf"{NAMES}{NUMBERED}[ \t]{{1,40}}[:?+]?=[ \t]{_OPENED}",
        ends=_WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?![0-9]*\*)(?:{STRONG}){AFTER}",
        masks=("DB_PASSWORD   = «hUnt3r2xQ9»\n", "api_key\t=\t«hUnt3r2xQ9»\n", "API_KEY  ?= «0a1b2c3d4e»\n"),
        passes=("token    = next(tokens)", "secret   = None", "password  = get(x)", " * token     = 1*tchar"),
    ),
)
