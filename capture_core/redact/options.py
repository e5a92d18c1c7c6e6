"""Values of options and of variables that are set by a command: ``--password value``, ``ENV TOKEN value``."""

from __future__ import annotations

from capture_core.redact.assignments import assignment
from capture_core.redact.rule import OPENED, WORD_ENDS, Rule
from capture_core.redact.values import AFTER, BARE_CODE, NAMES, NUMBERED, QUOTED_CODE, SHORT, STRONG, one_of

# Two rows, since in one hyperscan misses what begins where a block does.
_OPTION = r"--[A-Za-z][A-Za-z0-9_-]{0,40}"
_SET_BY = r"(?:ENV |setenv |set -[A-Za-z]{1,3} )[A-Za-z0-9_-]{0,40}"
_ARGUMENT = one_of(QUOTED_CODE, "-.*|[A-Z_]+")
"""After an option, another one, or what stands for its value."""

OPTIONS = (
    assignment(
        # Behind a dash: --password and --db-password.
        before="-",
        signs=(" ",),
        opening=f"-{NAMES}{NUMBERED} {OPENED}",
        ends=WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=("+ mysql --password «hunter2» db\n", "curl --api-token «0a1b2c3d4e5f» -x"),
        passes=("--password PASSWORD", "the --token option takes", "--token <value>", "--secret $SECRET2 --api-key"),
    ),
    assignment(
        before="-",
        signs=("""["'],""",),
        opening=rf"-{NAMES}[\"'], ?\"{OPENED}",
        ends=r'["\r\n](?<!\\")',
        spared=_ARGUMENT,
        masks=('["mysql", "--password", "«hunter two»"]',),
        passes=('add_argument("--token", "-t", "--api-token", help="…")', '"--token", ""'),
    ),
    assignment(
        before="-",
        signs=("""["'],""",),
        opening=rf"-{NAMES}[\"'], ?'{OPENED}",
        ends=r"['\r\n](?<!\\')",
        spared=_ARGUMENT,
        masks=("['mysql', '--password', '«hunter two»']",),
        passes=("'--token', '-t'", "('--token', '${TOKEN}')"),
    ),
    assignment(
        before=_OPTION,
        signs=(" ",),
        opening=f"{_OPTION}{NAMES}{NUMBERED} {OPENED}",
        ends=WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=("--client_secret «0a1b2c3d4e» --dbPassword «hunter2»",),
        passes=("--use_token tokens",),
    ),
    assignment(
        before=_SET_BY,
        signs=(" ",),
        opening=f"{_SET_BY}{NAMES}{NUMBERED} {OPENED}",
        ends=WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=(
            "ENV DB_PASSWORD «hunter2»\n",
            "setenv API_TOKEN «0a1b2c3d4e»\n",
            "set -gx TOKEN «0a1b2c3d4e»\n",
        ),
        passes=("ENV TOKEN ${TOKEN}", "set -x TOKEN (cat x1)"),
    ),
    assignment(
        before="-",
        signs=(' "',),
        opening=f'-{NAMES}{NUMBERED} "{OPENED}',
        ends=r'["\r\n](?<!\\")',
        spared=_ARGUMENT,
        masks=('mysql --password "«hunter two»" x',),
        passes=('--token "$TOKEN"', '--password ""', '--token "<token>"'),
    ),
    assignment(
        before="-",
        signs=(" '",),
        opening=f"-{NAMES}{NUMBERED} '{OPENED}",
        ends=r"['\r\n](?<!\\')",
        spared=_ARGUMENT,
        masks=("+ mysql --password '«hunter two»' x",),
        passes=("--token '$TOKEN'",),
    ),
    assignment(
        signs=("%3[Dd]",),
        opening=f"{NAMES}{NUMBERED}%3[Dd]{OPENED}",
        ends=r"[&\s\"'`<>]|%26|%0[AaDd]",
        spared=BARE_CODE,
        masks=("?next=%2Flogin%3Fpassword%3D«hunter2»%26x%3D1",),
        passes=("token%3D%26x", "token%3Dnull&x=1"),
    ),
    assignment(
        # In columns.
        signs=("\t", r" {1,8}\| "),
        opening=rf"{NAMES}{NUMBERED}(?: {{1,8}}\| |\t){OPENED}",
        ends=r"(?<=[^ \t])[ \t]|[\r\n\"'`<|]",
        spared=SHORT,
        within=rf"[ \t]*(?:{STRONG}){AFTER}",
        masks=("| password | «hunter2» |", "token\t«0a1b2c3d4e»\n"),
        passes=("| token | string |", "password\tstring\n"),
    ),
    assignment(
        signs=(" = `", "=`", ": `", ":`"),
        opening=f"{NAMES}{NUMBERED} ?[=:] ?`{OPENED}",
        ends=r"[`\r\n]",
        spared=QUOTED_CODE,
        within=rf"(?:{STRONG})",
        masks=("const token = `«0a1b2c3d4e»`;", "password: `«hunter2»`"),
        passes=("token: `${token}`", "The secret: `my-secret`", "token = `x ${y} z1`"),
    ),
    Rule(
        name="assignment",
        source="The Open Group, Shell Command Language: Simple Commands",
        candidates=(r"[\s?&,](?i:pass)=",),
        opening=rf"[\s?&,](?i:pass)={OPENED}",
        ends=r"[ \t\r\n\"'`&]",
        spared=BARE_CODE,
        masks=("host=db user=ana pass=«hunter2»\n",),
        passes=("skip=1 pass=12 fail=0", " pass=true"),
    ),
)
