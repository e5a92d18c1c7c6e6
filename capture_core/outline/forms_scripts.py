"""The forms of what runs others: continuous integration, images, package scripts."""

from __future__ import annotations

from typing import Final

from capture_core.outline.form import Example, Form, Shape, Told

_STAMP: Final = r"(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?"
"""What a downloaded log of GitHub Actions has before each line."""
_PHASES: Final = r"(?:exporting to|importing cache|resolve image|merging|auth|writing image|pushing|preparing) ?"

SCRIPT_FORMS: Final = (
    Form(
        "group",
        0,
        Shape.SERIES,
        _STAMP + r"(?:::|##\[)(?:end)?group",
        _STAMP + r"(?:::group::|##\[group\])(?P<title>.+)$",
        (
            Example(
                "::group::Build\nmake: Entering directory '/p'\nmake: Leaving directory '/p'\n::endgroup::\nafter\n",
                ("Build", " /p"),
            ),
            Example("::group::A\n::group::B\n::endgroup::\n", ("A", "B")),
            Example("2026-11-30T17:58:03.1234567Z ##[group]Run make\n", ("Run make",)),
        ),
        ("::endgroup::\n", "echo ::group::Build\n", "::notice::no\n"),
        "docs.github.com: workflow commands, grouping log lines; learn.microsoft.com: Azure Pipelines' commands",
        closes=_STAMP + r"(?:::endgroup::|##\[endgroup\])",
    ),
    Form(
        "gitlab-section",
        5,
        Shape.SCOPE,
        r"section_(?:start|end):\d+:",
        r"section_start:\d+:(?P<title>(?P<key>[\w.-]+))(?:\[[\w=,]*\])?",
        (
            Example(
                "section_start:1560896352:build\rBuilding\nmake\nsection_end:1560896353:build\r\nafter\n", ("build",)
            ),
        ),
        ("section_end:1560896353:build\r\n", "section_start: none\n"),
        "docs.gitlab.com: job logs, custom collapsible sections",
        closes=r"section_end:\d+:(?P<key>[\w.-]+)",
    ),
    Form(
        "image-step",
        10,
        Shape.SERIES,
        r"(?:Step|STEP) \d+/\d+ ?:",
        r"(?:Step|STEP) (?P<done>\d+)/(?P<total>\d+) ?: (?P<title>\S.*)$",
        (
            Example(
                "Step 1/2 : FROM alpine\n ---> 05455a08881e\nStep 2/2 : RUN make\n[1/1] CC a.o\n",
                ("FROM alpine", "RUN make", " CC a.o"),
            ),
            Example("STEP 1/3: FROM alpine\n", ("FROM alpine",)),
        ),
        ("Step 3/2 : no\n", "Step 1 of 2: read\n", "Steps 1/2 : no\n"),
        "docs.docker.com: the classic builder; buildah and podman build print it in capitals",
    ),
    Form(
        "buildkit-vertex",
        10,
        Shape.SCOPE,
        r"#\d+ ",
        rf"#(?P<key>\d+) (?P<title>\[[^\]]+\].*|{_PHASES}.*)$",
        (
            Example(
                "#1 [internal] load build definition from Dockerfile\n#5 [2/4] RUN make\n#1 DONE 0.1s\n#5 0.2 gcc a.c\n"
                "#5 [2/4] RUN make\n#5 DONE 1.2s\n\n#8 exporting to image\n#8 DONE 0.0s\n",
                ("[internal] load build definition from Dockerfile", "[2/4] RUN make", "exporting to image"),
            ),
            Example("#4 [1/4] FROM alpine\n#4 CACHED\n", ("[1/4] FROM alpine",)),
        ),
        ("#5 0.234 [1/2] CC a.o\n", "#5 DONE 1.2s\n", "#5 sha256:05455a 3.40MB / 3.40MB 0.3s\n", "# 1 [a]\n"),
        "docs.docker.com: docker buildx build --progress=plain",
        closes=r"#(?P<key>\d+) (?:DONE (?P<seconds>\d+\.\d+)s|CACHED|CANCELED|ERROR)",
    ),
    Form(
        "npm-script",
        20,
        Shape.SERIES,
        r"> @?[\w./-]+@",
        r"> (?P<title>@?[\w./-]+@\d\S* [\w:.-]+)$",
        (
            Example(
                "> shop@1.0.0 prebuild\n> echo clean\n\nclean\n\n> shop@1.0.0 build\n> tsc\n",
                ("shop@1.0.0 prebuild", "shop@1.0.0 build"),
            ),
            Example("> @shop/api@1.0.0 build:all /p\n> tsc\n", ()),
        ),
        ("> echo clean\n", "> shop@1.0.0\n", "> git@example.org clone\n"),
        "npm 11, recorded",
    ),
    Form(
        "npm-phase",
        25,
        Shape.SERIES,
        r"npm timing ",
        r"npm timing (?P<title>\S+) Completed in (?P<milliseconds>\d+)ms$",
        (
            Example(
                "npm timing idealTree Completed in 1200ms\nnpm timing reify:unpack Completed in 400ms\n",
                ("idealTree", "reify:unpack"),
            ),
        ),
        ("npm timing config:load\n", "npm http fetch GET 200 https://registry.invalid/express 135ms\n"),
        "the documentation of npm: logging, --timing; npm 7 and later with --loglevel timing",
        told=Told.AFTER,
    ),
)
