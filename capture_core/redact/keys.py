r"""Private keys in blocks of text: PEM, OpenPGP, SSH2, OpenVPN, PuTTY; over lines, or in one with ``\n`` or spaces.

The lines that frame a block are given out.  A block that never ends is over with two lines that are none of a key.
"""

from __future__ import annotations

from capture_core.redact.rule import OPENED, Rule

_LINE_CHARS = 200
# What logs and diffs put before a line, and programs around it.
_BEFORE = r"(?:[\w.:-]{1,40} +\| ?)?[ \t|>+\"'-]*"
_BEHIND = r"(?:\\[rn]|[\"'`,;+)\\ \t]){0,12}"
_KEY_LINE = (
    rf"[^\r\n]{{0,80}}?[A-Za-z0-9+/=_-]{{24,}}{_BEHIND}"
    rf"|{_BEFORE}(?:[A-Za-z0-9+/=]{{1,64}}{_BEHIND})?"
    rf"|{_BEFORE}(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID): [^\r\n]{{0,120}}"
)
# The line that ends the block is none: what begins earlier must not be decided later.
_NO_END = rf"(?![^\n]{{0,{_LINE_CHARS - 12}}}(?:---- ?END|Private-MAC|(?:KEY|OCK|ey|V1)-----|Y ----))"
_FOREIGN_LINE = (
    rf"{_NO_END}(?:(?!(?:{_KEY_LINE})\r?\n)[^\n]{{0,{_LINE_CHARS}}}\n"
    rf"|[^\n]{{{_LINE_CHARS}}}(?<![A-Za-z0-9+/=_\\-]{{24}}))"
)
_TWO_FOREIGN = rf"(?<=\n){_FOREIGN_LINE}{_FOREIGN_LINE}"
_WITHIN = (
    r"(?s:(?:-| [0-9]{1,3})(?:\\{1,4}[rn]|%0[AaDd]|\s)*(?=.*[A-Za-z0-9+/=_-]{24})(?=.*[0-9+/])(?P<secret>.+?)"
    r"(?:\\{1,4}[rn]|%0[AaDd]|\s|\r?\n[^\r\n]{0,40}[|>] )*)"
)
# Right behind the line that opens the block: of that line, what is held of a value has the last character.
_NOT_FOLLOWED = r"(?:(?<=\A-)|(?<=KEY-----)|(?<=OCK-----)|(?<=Y ----)|(?<=ey-----)|(?<=V1-----))[^\sA-Za-z0-9+/=\\%-]"


def _block(
    *, name: str, source: str, begin: str, last: str, end: str, masks: tuple[str, ...], passes: tuple[str, ...]
) -> Rule:
    return Rule(
        name=name,
        source=source,
        candidates=(begin + last,),
        opening=f"{begin}{OPENED}{last}",
        ends=rf"{end}|{_TWO_FOREIGN}|{_NOT_FOLLOWED}",
        within=_WITHIN,
        spared=r"[-\s\\rn]{0,8}[\"'`]?",
        masks=masks,
        passes=passes,
    )


_A = "MIIEpAIBAAKCAQEA0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X"
_B = "y4Z5a6B7c8D9e0F1g2H3i4J5k6L7m8N9o0P1q2R3s4T5u6V7w8X9y0Z1a2B3c4D5"
_HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"

KEYS = (
    _block(
        name="private-key",
        source="IETF, RFC 7468 Textual Encodings of PKIX, PKCS, and CMS Structures: Private Keys",
        begin="-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?----",
        last="-",
        end="-----END",
        masks=(
            f"-----BEGIN RSA PRIVATE KEY-----\n«{_A}\n{_B}\nx9Q==»\n-----END RSA PRIVATE KEY-----\n",
            f"-----BEGIN PRIVATE KEY-----\r\n«{_A}\r\n{_B}»\r\n-----END PRIVATE KEY-----\r\n",
            rf'"private_key": "-----BEGIN PRIVATE KEY-----\n«{_A}\n{_B}»\n-----END PRIVATE KEY-----\n", "x": 1',
            f"KEY=-----BEGIN EC PRIVATE KEY----- «{_A} {_B}» -----END EC PRIVATE KEY-----",
            f"-----BEGIN OPENSSH PRIVATE KEY-----%0A«{_A}%0A{_B}»%0A-----END OPENSSH PRIVATE KEY-----",
            f"-----BEGIN RSA PRIVATE KEY-----\n«Proc-Type: 4,ENCRYPTED\nDEK-Info: DES-EDE3-CBC,0A1B\n\n{_A}»\n-----END",
            f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«{_A}\n=AbCd»\n-----END PGP PRIVATE KEY BLOCK-----\n",
            f"a-1  | -----BEGIN PRIVATE KEY-----\n«a-1  | {_A}\na-1  | {_B}»\na-1  | -----END PRIVATE KEY-----\n",
            f"+-----BEGIN PRIVATE KEY-----\n«+{_A}\n+{_B}\n+»-----END PRIVATE KEY-----\n",
            f"-----BEGIN PRIVATE KEY-----\n«{_A}\n{_B}»\nthe log goes on here\nand here\n",
        ),
        passes=(
            '"-----BEGIN PRIVATE KEY-----" not in text',
            "starts with -----BEGIN RSA PRIVATE KEY-----\nand that is all.\nNothing else.\nBye.\n",
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
            'r"-----BEGIN PRIVATE KEY-----\\n" + key\nx = 1 + 2\nprint(x)\n',
        ),
    ),
    _block(
        name="private-key",
        source="SSH Communications Security, SSH Tectia: Private key files",
        begin="---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ---",
        last="-",
        end="---- END",
        masks=(f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n«Comment: x\n{_A}»\n---- END SSH2 ENCRYPTED",),
        passes=("---- BEGIN SSH2 PUBLIC KEY ----",),
    ),
    _block(
        name="private-key",
        source="OpenVPN, Reference Manual: Static Key mode",
        begin="-----BEGIN OpenVPN (?:Static key V1|tls-crypt-v2 (?:client|server) key)----",
        last="-",
        end="-----END",
        masks=(f"-----BEGIN OpenVPN Static key V1-----\n«{_HEX}\n{_HEX}»\n-----END OpenVPN Static key V1-----\n",),
        passes=('"-----BEGIN OpenVPN Static key V1-----"',),
    ),
    _block(
        name="private-key",
        source="Simon Tatham, PuTTY User Manual: PPK file format",
        begin="Private-Lines:",
        last=" ",
        end="Private-MAC",
        masks=(f"Private-Lines: 2\n«{_A}\n{_B}»\nPrivate-MAC: 0a1b\n",),
        passes=("Private-Lines: 2\nare the lines\nthat follow\n",),
    ),
    Rule(
        name="private-key",
        source="IETF, RFC 7518 JSON Web Algorithms: Parameters for Private Keys",
        candidates=('"d": ?"',),
        opening=f'"d": ?"{OPENED}',
        ends=r"[^A-Za-z0-9_-]",
        within="(?=.*[0-9])(?=.*[A-Z])(?=.*[a-z])(?P<secret>[A-Za-z0-9_-]{42,})",
        spared=".{0,9}",
        masks=('{"kty":"OKP","d":"«nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A»"}',),
        passes=('"d":"M0 0h24v24H0z"', '"d": "day"'),
    ),
)
