"""The forms of build tools: make, ninja, CMake, cargo, Maven, Gradle."""

from __future__ import annotations

from typing import Final

from capture_core.outline.form import Example, Form, Shape, Told

BUILD_FORMS: Final = (
    Form(
        "make-directory",
        30,
        Shape.SCOPE,
        r"(?:g|mingw32-)?make(?:\[\d+\])?: (?:Enter|Leav)ing ",
        r"\w*-?make(?:\[(?P<level>\d+)\])?: Entering directory [`'](?P<title>(?P<key>.+))'$",
        (
            Example(
                "make: Entering directory '/p'\nmake -C lib\nmake[1]: Entering directory '/p/lib'\ngcc -c shop.c\n"
                "make[1]: Leaving directory '/p/lib'\nmake: Leaving directory '/p'\n",
                ("/p", " /p/lib"),
            ),
            Example(  # -j2
                "make[1]: Entering directory '/p/lib'\nmake[1]: Entering directory '/p/app'\n"
                "make[1]: Leaving directory '/p/lib'\nmake[1]: Leaving directory '/p/app'\n",
                ("/p/lib", "/p/app"),
            ),
            Example("make[1]: Entering directory `/p/lib'\n", ("/p/lib",)),
        ),
        (
            "make[1]: Leaving directory '/p/lib'\n",
            "make[1]: *** [Makefile:2: all] Error 1\n",
            "echo make: Entering directory '/p'\n",
            "make: Nothing to be done for 'all'.\n",
        ),
        "GNU Make 4.3, recorded; the backquote is that of Make before 4.0",
        closes=r"\w*-?make(?:\[(?P<level>\d+)\])?: Leaving directory [`'](?P<key>.+)'$",
    ),
    Form(
        "ninja-directory",
        30,
        Shape.SERIES,
        r"ninja: Entering ",
        r"ninja: Entering directory [`'](?P<title>.+)'$",
        (Example("ninja: Entering directory `out'\n[1/1] CC a.o\n", ("out", " CC a.o")),),
        ("ninja: no work to do.\n", "ninja: build stopped: subcommand failed.\n"),
        "ninja 1.11, recorded; it does not say when it leaves",
    ),
    Form(
        "yarn-phase",
        50,
        Shape.SERIES,
        r"\[\d/\d\] ",
        r"\[(?P<done>\d)/(?P<total>\d)\] (?:[^\w ]+ +)?(?P<title>(?:Validating|Resolving|Fetching|Linking|Building|"
        r"Rebuilding|Auditing) (?:package\.json|packages|dependencies|fresh packages|all packages))\.\.\.$",
        (
            Example(
                "[1/4] Resolving packages...\n[2/4] Fetching packages...\n", ("Resolving packages", "Fetching packages")
            ),
            Example("[3/4] 🔗  Linking dependencies...\n", ("Linking dependencies",)),
        ),
        ("[5/4] Resolving packages...\n",),
        "classic.yarnpkg.com/en/docs/cli/install, and what Yarn 1.22 prints",
    ),
    Form(
        "ninja-edge",
        50,
        Shape.SERIES,
        r"\[\d+/\d+\] ",
        r"\[(?P<done>[1-9]\d*)/(?P<total>[1-9]\d*)\] (?P<title>\S.*)$",
        (
            Example(
                "[1/4] Building C object price.c.o\nprice.c:1: no\n[2/4] Linking C static library libprice.a\n",
                ("Building C object price.c.o", "Linking C static library libprice.a"),
            ),
            Example(  # on a terminal
                "\r[0/2] CC a.o\r[0/2] CC b.o\r[1/2] CC b.o\r[2/2] CC a.o\r\n",
                ("CC b.o", "CC a.o"),
            ),
        ),
        (
            "[0/1] Re-running CMake...\n",
            "[2024/01/02] started\n",
            "[5/4] no\n",
            "[1/4]\n",
            "see [1/4] below\n",
            "[01/02] a day\n",
        ),
        "ninja 1.11, recorded: where the count has grown, a line tells of an edge that has ended",
        told=Told.AFTER,
    ),
    Form(
        "cmake-stage",
        45,
        Shape.SERIES,
        r"-- (?:Conf|Gen|Build files)",
        r"-- (?P<title>Configuring done|Generating done|Build files have been written to: .+?)"
        r"(?: \((?P<seconds>\d+\.\d+)s\))?$",
        (
            Example(
                "-- Detecting C compile features - done\n-- Configuring done (1.5s)\n-- Generating done (0.0s)\n"
                "-- Build files have been written to: /p/b\n",
                ("Configuring done", "Generating done", "Build files have been written to: /p/b"),
            ),
            Example("-- Configuring done\n", ("Configuring done",)),
        ),
        ("-- Configuring incomplete, errors occurred!\n", "-- Generating docs\n"),
        "CMake 3.25, recorded; it says how long a stage took from 3.26 on",
        told=Told.AFTER,
    ),
    Form(
        "cmake-rule",
        50,
        Shape.SERIES,
        r"\[ *\d{1,3}%\] ",
        r"\[ *\d{1,3}%\] (?P<title>(?!Built target )[A-Z]\w*(?: \S+){1,}.*)$",
        (
            Example(
                "[ 25%] Building C object price.c.o\n[ 50%] Linking C static library libprice.a\n"
                "[ 50%] Built target price\n",
                ("Building C object price.c.o", "Linking C static library libprice.a"),
            ),
        ),
        ("[ 50%] Built target price\n", "[100%]\n", "test_shop.py .F  [ 64%]\n", "[ 12%] 3 of 25\n"),
        "CMake 3.25 with makefiles, recorded",
        closes=r"\[ *\d{1,3}%\] Built target ",
    ),
    Form(
        "cargo-crate",
        50,
        Shape.SERIES,
        r" {2,}(?:Compiling|Checking|Documenting|Finished) ",
        r"(?P<title> {3}Compiling \S+ v\S+| {4}Checking \S+ v\S+| Documenting \S+ v\S+)",
        (
            Example(
                "   Compiling libc v0.2.170\n   Compiling shop v0.1.0 (/p)\n    Finished `dev` in 1.24s\nafter\n",
                ("Compiling libc v0.2.170", "Compiling shop v0.1.0"),
            ),
        ),
        ("Compiling shop v0.1.0\n", "   Compiling the list of all\n", "    Finished `dev` profile in 1.24s\n"),
        "cargo 1.9x, recorded; several crates may be compiled at once, the time is that until the next line",
        closes=r" {4}Finished ",
    ),
    Form(
        "maven-module",
        20,
        Shape.SERIES,
        r"\[INFO\] Building ",
        r"\[INFO\] Building (?P<title>(?!\w+: )\S.*?)(?: +\[\d+/\d+\])?$",
        (
            Example(
                "[INFO] Building shop 1 [1/2]\n[INFO] --- maven-jar-plugin:2.4:jar (default-jar) @ shop ---\n",
                ("shop 1", " maven-jar-plugin:2.4:jar (default-jar) @ shop"),
            ),
        ),
        ("[INFO] Building jar: /p/target/shop-1.jar\n", "[INFO] BUILD SUCCESS\n"),
        "Maven 3.8, recorded",
        closes=r"\[INFO\] BUILD ",
    ),
    Form(
        "maven-goal",
        40,
        Shape.SERIES,
        r"\[INFO\] (?:---|BUILD) ",
        r"\[INFO\] --- (?P<title>\S+:\S+:\S+(?: \(.*\))? @ \S+) ---$",
        (
            Example(
                "[INFO] --- maven-compiler-plugin:3.1:compile (default-compile) @ shop ---\n",
                ("maven-compiler-plugin:3.1:compile (default-compile) @ shop",),
            ),
        ),
        ("[INFO] --------------------------------[ jar ]---------------------------------\n",),
        "Maven 3.8, recorded",
        closes=r"\[INFO\] BUILD ",
    ),
    Form(
        "gradle-task",
        40,
        Shape.SERIES,
        r"(?:> Task :|BUILD )",
        r"> Task (?P<title>:\S+)(?: [A-Z-]+)?$",
        (
            Example(
                "> Task :app:compileJava\n> Task :app:test FAILED\n> Task :x UP-TO-DATE\nBUILD SUCCESSFUL in 3s\n",
                (":app:compileJava", ":app:test", ":x"),
            ),
        ),
        ("BUILD SUCCESSFUL in 3s\n", "> Task list\n"),
        "docs.gradle.org: the plain console of the command-line interface",
        closes=r"BUILD (?:SUCCESSFUL|FAILED) in ",
    ),
)
