"""The forms in which programs state how far they are, as data: each with real lines in it, and whose they are.

A pattern names what it found: ``done`` and ``total``, or ``percent``.  It is searched in one line without control
characters, blanks at its ends left out.  Each form is anchored at something that prose, dates, versions and reports
of results do not have: a bracket that holds nothing else, a bar, a word that says what is counted.
"""

from __future__ import annotations

from typing import Final

from capture_core.record import NamedTuple


class Form(NamedTuple):
    """``examples``: lines, and what each states."""

    name: str
    pattern: str
    examples: tuple[tuple[str, str], ...]
    source: str
    may_be_a_date: bool = False
    """Whether a few of a few could be a day of a month."""


_COUNT: Final = r"(?P<done>\d{1,9}|\d{1,3}(?:,\d{3}){1,3})"
_TOTAL: Final = r"(?P<total>\d{1,9}|\d{1,3}(?:,\d{3}){1,3})"
_PERCENT: Final = r"(?P<percent>\d{1,3}(?:\.\d{1,2})?) ?%"
_OF: Final = r" ?(?:/|of|out of) ?"
_BAR_CELLS: Final = r"[=#>\-.+ \d━╸╺─█▉▊▋▌▍▎▏░▒▓■□⣿⣀•○●]{3,200}"
_BAR: Final = rf"[\[(|]{_BAR_CELLS}[\])|]"
_SIZE: Final = r"\d{1,9}(?:\.\d{1,3})? ?(?:[kKMGT]i?)?B?"
_THINGS: Final = (
    "(?:step|stage|phase|task|job|test|file|epoch|batch|iteration|iter|chunk|item|layer|shard|block|image"
    "|package|module|target|round|pass|frame|row|record|sample|trial|fold)"
)
_COUNTED: Final = r"(?:files?|tests?|items?|objects?|packages?|chunks?|blocks?|pages?|tasks?|steps?|modules?|targets?)"
_DONE: Final = r"(?:done|completed?|finished|processed|copied|downloaded|uploaded|built|compiled|checked|written|read)"
_DOING: Final = (
    "(?:build|compil|process|download|upload|copy|cop|convert|generat|render|encod|decod|extract|unpack|install|upgrad"
    "|verify|analy[sz]|index|import|export|migrat|train|evaluat|scann|check|fetch|pull|push|sync|transform|optimi[sz]"
    "|bundl|link|load|read|writ|resolv|receiv|count|compress|updat|transferr|pars|seal|execut|runn|test|archiv|backup)"
    "ing"
)
_THEN: Final = rf"(?=\)?(?:$|[:;,)…]| +[:\[(\-–]| *\.{{2,}}| +{_COUNTED}(?:$|[:;,.…])))"
"""What follows a count that is one of progress: its end, or what is counted.  Prose goes on (``3/4 of the way``)."""
_BUILT: Final = (
    r"(?:(?:CC?|CXX|AR|LD|LINK|ASM?|GEN|SOLINK|ACTION|STAMP|TS|HOSTCC|FROM|RUN|COPY|ADD|WORKDIR)\b|Built target\b"
    rf"|Automatic |Consolidate |Completed '|(?:(?i:re-?running|{_DOING}|linking|creating|performing))\b)"
)
"""What ninja, cmake, BuildKit, yarn and others say that they do; ``off`` and ``meeting`` are none."""
_REPORTED: Final = (
    r"(?i:\w+ )?(?i:errors?|warnings?|fail\w*|passed|skipped|ok|tests?|people|votes?|points?|stars|meeting|am|pm)\b"
)
"""What a report of results goes on with, or a diary."""

FORMS: Final = (
    Form(
        "git",
        rf": +{_PERCENT} \({_COUNT}/{_TOTAL}\)",
        (
            ("Receiving objects:  61% (625/1024), 10.00 MiB | 5.20 MiB/s", "625/1024"),
            ("remote: Compressing objects: 100% (7/7), done.", "7/7"),
            ("Updating files:  61% (207/340)", "207/340"),
        ),
        "git clone, git checkout: progress.c",
    ),
    Form(
        "tqdm",
        rf"{_PERCENT}\|[^|]*\| ?{_COUNT}/{_TOTAL} \[",
        (
            ("61%|██████    | 207/340 [00:06<00:03, 33.11it/s]", "207/340"),
            ("train:   5%|▌         | 17/340 [00:01<00:20, 15.9it/s]", "17/340"),
        ),
        "tqdm 4: bar_format",
    ),
    Form(
        "tqdm with units",
        rf"{_PERCENT}\|[^|]*\| ?{_SIZE}/{_SIZE} \[",
        (("model.bin:  61%|██████    | 61.0M/100M [00:06<00:03, 9.80MB/s]", "61%"),),
        "tqdm 4 with unit_scale; huggingface_hub",
    ),
    Form(
        "a bar and a count",
        rf"{_BAR} +\(?{_COUNT}/{_TOTAL}\b(?![./])",
        (
            ("Building [====>                    ] 23/154: serde, syn(build)", "23/154"),
            ("[#########-----] 207/340", "207/340"),
        ),
        "cargo build; yarn 1",
    ),
    Form(
        "a count and a bar",
        rf"(?<![\w./]){_COUNT}/{_TOTAL} +{_BAR}",
        (("61/100 [=================>............] - ETA: 3s - loss: 0.2511", "61/100"),),
        "keras",
    ),
    Form(
        "a bar and sizes",
        rf"(?:{_BAR}|[━╸╺]{{5,200}}) +(?P<size_done>{_SIZE}) ?/ ?(?P<size_total>{_SIZE})(?!\w)",
        (
            ("abc123def456: Downloading [=====>      ]  61.5MB/100MB", "62%"),
            ("━━━━━━━━━━━━━━╸━━━━━━━━━ 6.1/10.0 MB 5.2 MB/s eta 0:00:01", "61%"),
            ("abc123def456: Extracting [==>     ]  512kB/2MB", "26%"),
        ),
        "docker pull; pip 23: rich's bar",
    ),
    Form(
        "a bar and a percentage",
        rf"[\[(|<]{_BAR_CELLS}[\])|>] *{_PERCENT}(?![\w)])",
        (
            ("<=======------> 61% EXECUTING [10s]", "61%"),
            ("1.2GiB 0:00:10 [ 123MiB/s] [=====>      ] 61% ETA 0:00:06", "61%"),
            ("[##########----------] 61.5%", "62%"),
            ("numpy-1.26           | ######1    |  61%", "61%"),
        ),
        "gradle; pv; conda",
    ),
    Form(
        "a percentage and a bar",
        rf"{_PERCENT} ?[\[|]{_BAR_CELLS}[\]|]",
        (("debian.iso          61%[===========>        ] 625.00M  10.1MB/s    eta 39s", "61%"),),
        "wget; indicatif",
    ),
    Form(
        "hashes and a percentage",
        rf"^[#=O\- ]*#+ +{_PERCENT}$",
        (("###########################                 61.5%", "62%"),),
        "curl -#",
    ),
    Form(
        "curl",
        r"^(?P<percent>\d{1,3}) +[\d.]+[kMGTP]? +\d{1,3} +[\d.]+[kMGTP]? +\d{1,3} +[\d.]+[kMGTP]?"
        r"(?: +[\d.]+[kMGTP]?){2}(?: +[-\d:hd ]{5,9}){3} +[\d.]+[kMGTP]?$",
        (("61 1024M   61  625M    0     0  10.1M      0  0:01:41  0:01:02  0:00:39 10.3M", "61%"),),
        "curl: its progress meter",
    ),
    Form(
        "wget's dots",
        rf"^\d{{1,9}}[KMG] [. ]{{10,}} {_PERCENT} ",
        (("640000K .......... .......... .......... .......... ..........  61% 10.1M 39s", "61%"),),
        "wget -o FILE, or on a pipe",
    ),
    Form(
        "rsync, scp",
        rf" {_PERCENT} +(?:{_SIZE} +)?[\d.]+ ?[kKMG]?i?B/s +[\d:-]+",
        (
            ("625,000,000  61%   10.10MB/s    0:00:39", "61%"),
            ("backup.tar                          61%  625MB  10.1MB/s   00:39 ETA", "61%"),
        ),
        "rsync --info=progress2; scp",
    ),
    Form(
        "a step in brackets",
        rf"^(?:#\d+ )?\[(?:[a-z][\w.-]{{0,40}} )? *{_COUNT} ?(?:/|of) ?{_TOTAL} *\] +{_BUILT}",
        (
            ("[12/25] CXX src/module.o", "12/25"),
            ("#8 [builder 2/7] RUN make", "2/7"),
            ("[2/4] Fetching packages...", "2/4"),
            ("[1/2] Re-running CMake...", "1/2"),
            ("[ 3 of 27] Compiling Data.Map.Lazy ( src/Map.hs, Map.o )", "3/27"),
        ),
        "ninja, cmake -G Ninja; docker build (BuildKit); yarn 1; GHC",
    ),
    Form(
        "a count in brackets",
        rf"^\[ *{_COUNT} ?/ ?{_TOTAL} *\](?: +(?!{_REPORTED}|\d\d?:\d\d)|$)",
        (
            ("[12/340] src/module.o", "12/340"),
            ("[1,234 / 5,678] Compiling foo.cc; 3s linux-sandbox", "1234/5678"),
        ),
        "ninja with its own words; bazel; many scripts",
        may_be_a_date=True,
    ),
    Form(
        "a named step in brackets",
        rf"^(?i:{_THINGS}) \[{_COUNT}/{_TOTAL}\](?:$|[,:])",
        (("Epoch [3/10], loss: 0.25", "3/10"),),
        "PyTorch examples",
    ),
    Form(
        "Maven",
        rf"^Building \S+ .* {{2,}}\[{_COUNT}/{_TOTAL}\]$",
        (("[INFO] Building core 1.0-SNAPSHOT                             [3/27]", "3/27"),),
        "Maven: its reactor",
    ),
    Form(
        "cmake",
        rf"^\[ *(?P<percent>\d{{1,3}})%\] +{_BUILT}",
        (
            ("[ 61%] Building CXX object src/module.cpp.o", "61%"),
            ("[ 33%] Built target core", "33%"),
            ("[ 25%] Performing download step (git clone) for 'zlib'", "25%"),
        ),
        "cmake -G 'Unix Makefiles', with make",
    ),
    Form(
        "pytest",
        r"^(?:(?:\S+\.\w+ )?[.FEsxXRP,]+|\S+::.+ [A-Z]{4,7}(?: \(.{1,80}\))?) *\[ *(?P<percent>\d{1,3})%\]$"
        r"|^\[gw\d{1,3}\] \[ *(?P<percent_of_all>\d{1,3})%\] [A-Z]{4,7} ",
        (
            ("tests/core/test_pipe.py ..............                    [ 61%]", "61%"),
            ("tests/test_it.py::test_that PASSED                        [100%]", "100%"),
            ("tests/test_it.py::test_that[a-[1/2]] SKIPPED (no disk)      [ 61%]", "61%"),
            ("..........F.......s.....................................[ 61%]", "61%"),
            ("[gw1] [ 61%] PASSED tests/test_it.py::test_that", "61%"),
        ),
        "pytest; pytest-xdist",
    ),
    Form(
        "a percentage in brackets after what is done",
        r"^(?:Progress: |(?:[a-z]+ing [a-z]+)\.\.\. )\[ *(?P<percent>\d{1,3})%\](?: |$)",
        (
            ("reading sources... [ 61%] api/index", "61%"),
            ("Progress: [ 61%] [###########.......]", "61%"),
        ),
        "Sphinx; apt-get",
    ),
    Form(
        "nextest",
        rf"^(?:PASS|FAIL|SLOW|LEAK|SKIP|START|TRY \d+ \w+) \[[^\]]*\] \( *{_COUNT}/ *{_TOTAL}\) ",
        (("PASS [   0.005s] ( 12/340) crate::module test_name", "12/340"),),
        "cargo nextest",
    ),
    Form(
        "ctest",
        rf"^{_COUNT}/{_TOTAL} Test +#\d+: ",
        (("12/340 Test  #12: parser.numbers ..........................   Passed    0.02 sec", "12/340"),),
        "ctest",
    ),
    Form(
        "a step of several",
        rf"^\W{{0,8}}(?i:{_THINGS}) *[:#]? ?{_COUNT}{_OF}{_TOTAL}{_THEN}",
        (
            ("Step 3 of 7", "3/7"),
            ("Step 3/7 : RUN make", "3/7"),
            ("==> Stage 2 of 5: link", "2/5"),
            ("Epoch 3/10", "3/10"),
            ("--- test 12 out of 340", "12/340"),
        ),
        "docker build; keras; by hand in many scripts",
    ),
    Form(
        "doing so many of so many",
        rf"^\W{{0,8}}(?i:{_DOING})(?: [\w.-]{{1,40}}){{0,2}}:? \(?{_COUNT}{_OF}{_TOTAL}{_THEN}",
        (
            ("Processing 12 of 340", "12/340"),
            ("Downloading file 12/340: a.bin", "12/340"),
            ("Converting (12 of 340)", "12/340"),
        ),
        "by hand in many scripts",
    ),
    Form(
        "so many of so many, alone",
        rf"^{_COUNT} (?:of|out of) {_TOTAL}(?: {_COUNTED})?(?: {_DONE})?(?:[.… ]*|, .*)$",
        (
            ("12 of 340", "12/340"),
            ("12 of 340 files copied", "12/340"),
            ("12 of 340 done...", "12/340"),
        ),
        "by hand in many scripts",
    ),
    Form(
        "pip, raw",
        rf"^Progress {_COUNT} of {_TOTAL}$",
        (("Progress 1024 of 10240", "1024/10240"),),
        "pip --progress-bar raw",
    ),
    Form(
        "a percentage of something being done",
        rf"^\W{{0,8}}(?:\[[\w. -]+\] )?(?:(?i:{_DOING})\b[^%\n]{{0,80}}?(?:\.{{2,}}|…|:| at)"
        rf"|(?i:progress)[:.… ]*) *{_PERCENT}(?: *$|[,;]| *[\[(|])",
        (
            ("Reading package lists... 61%", "61%"),
            ("(Reading database ... 61%", "61%"),
            ("Downloading: 61%", "61%"),
            ("progress: 61.5 %", "62%"),
            ("Progress 61%", "61%"),
        ),
        "apt-get; by hand in many scripts",
    ),
    Form(
        "a percentage, and what is done",
        rf"^\W{{0,8}}(?:<s> )?(?:\[[\w. -]+\] )?{_PERCENT}"
        rf"(?: (?i:{_DOING}|{_DONE})\b.*| \[(?:\d+ |Work|Connect|Wait).*)?$",
        (
            ("61%", "61%"),
            ("61% done", "61%"),
            ("<s> [webpack.Progress] 61% building 12 modules", "61%"),
            ("61% [3 libfoo 12.3 kB/1,024 kB]", "61%"),
        ),
        "webpack; apt-get update",
    ),
    Form(
        "a bar alone",
        r"^[\[(](?P<full>[#█]+)(?P<rest>[.⠂░ -]*)[\])](?: |$)",
        (("(##########........) ⠧ reify:lodash: http fetch GET 200", "56%"),),
        "npm 7",
    ),
)
