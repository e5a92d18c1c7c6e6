"""What build tools and package managers say of a step that failed."""

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_BUILD, _ERROR, _CONSEQUENCE = Kind.BUILD, Severity.ERROR, Severity.CONSEQUENCE
_MAKE: Final = r"^(?:\S*[/-])?g?make(?:\[\d+\])?: "

BUILDERS: Final = (
    Pattern(
        name="make-recipe",
        tool="make",
        kind=_BUILD,
        severity=_CONSEQUENCE,
        signs=(": *** ", " not remade because of errors"),
        expression=_MAKE + r"(?:\*\*\* \[.*\] (?:Error -?\d+|[A-Z][\w ]+)"
        r"|\*\*\* .*due to errors|Target .* not remade because of errors)",
        block=Block(body=_MAKE + r"Target .* not remade because of errors"),
        source="recorded: GNU make 4.3",
        found=("make: *** [Makefile:7: noheader.o] Error 1\nmake: Target 'all' not remade because of errors.\n",),
        spared=(
            "make: [Makefile:3: clean] Error 1 (ignored)\n",
            "make: *** Waiting for unfinished jobs....\n",
            "make[1]: Entering directory '/home/user/error'\n",
        ),
    ),
    Pattern(
        name="make",
        tool="make",
        kind=_BUILD,
        severity=_ERROR,
        signs=(": *** ",),
        expression=_MAKE + r"\*\*\* .|^\S+:\d+: \*\*\* .*\.  Stop\.$",
        unless=r"\*\*\* Waiting for unfinished jobs|: \*\*\* \[",
        source="recorded: GNU make 4.3; its manual",
        found=(
            "make: *** No rule to make target 'nothing'.  Stop.\n",
            "Makefile:2: *** missing separator.  Stop.\n",
        ),
        spared=("make: 'errors.o' is up to date.\n", "make: Nothing to be done for 'all'.\n"),
    ),
    Pattern(
        name="ninja",
        tool="ninja",
        kind=_BUILD,
        severity=_ERROR,
        signs=("^ninja: ",),
        expression=r"^ninja: (?:error|fatal): .",
        source="recorded: ninja 1.11.1",
        found=("ninja: error: unknown target 'nothing'\n",),
        spared=("ninja: no work to do.\n", "ninja: warning: error is only a word\n"),
    ),
    Pattern(
        name="ninja-edge",
        tool="ninja",
        kind=_BUILD,
        severity=_CONSEQUENCE,
        signs=("^FAILED: ", "^ninja: build stopped: "),
        expression=r"^FAILED: (?:\[code=\d+\] )?[\w./+@-]+(?: \S+)* ?$|^ninja: build stopped: ",
        source="recorded: ninja 1.11.1",
        found=("FAILED: CMakeFiles/broken.dir/broken.c.o \n", "ninja: build stopped: subcommand failed.\n"),
        spared=("[1/4] Building C object CMakeFiles/FAILED.dir/errors.c.o\n",),
    ),
    Pattern(
        name="cmake",
        tool="cmake",
        kind=_BUILD,
        severity=_ERROR,
        signs=("^CMake ",),
        expression=r"^CMake (?:Internal )?Error\b",
        block=Block(body=r"^ {2}|^Call Stack ", blank=True),
        headline=(r"^CMake (?:Internal )?Error: ", r"^ {2}Could not find ", r"^CMake "),
        source="recorded: cmake 3.25.1",
        found=(
            'CMake Error at CMakeLists.txt:4 (nothing_like_this):\n  Unknown CMake command "nothing_like_this".\n',
            'CMake Error: The source directory "/home/user/project/cm/nowhere" does not exist.\n',
        ),
        spared=(
            "CMake Warning at CMakeLists.txt:3 (message):\n  not an error\n",
            "-- Looking for error.h - found\n",
            "-- Performing Test HAS_WERROR - Failed\n",
        ),
    ),
    Pattern(
        name="cmake-total",
        tool="cmake",
        kind=_BUILD,
        severity=_CONSEQUENCE,
        signs=("^-- Configuring incomplete", "^-- Generating incomplete"),
        expression=r"^-- (?:Configuring|Generating) incomplete, errors occurred!",
        block=Block(body=r"^See also "),
        source="recorded: cmake 3.25.1",
        found=('-- Configuring incomplete, errors occurred!\nSee also "b/CMakeFiles/CMakeOutput.log".\n',),
        spared=("-- Configuring done\n",),
    ),
    Pattern(
        name="npm-lifecycle",
        tool="npm, pnpm, yarn",
        kind=_BUILD,
        severity=_CONSEQUENCE,
        signs=("^npm ", "^ ELIFECYCLE ", "^error Command failed"),
        expression=(
            r"^npm (?:ERR!|error) (?:code ELIFECYCLE|Lifecycle script)"
            r"|^ ELIFECYCLE |^error Command failed with exit code "
        ),
        block=Block(body=r"^npm (?:ERR!|error)(?: |$)"),
        source="documented: npm, pnpm and yarn 1",
        found=(
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! shop@1.0.0 build: `node throw.js`\n",
            " ELIFECYCLE  Command failed with exit code 1.\n",
        ),
        spared=("npm WARN lifecycle the error is only a word\n",),
    ),
    Pattern(
        name="npm",
        tool="npm",
        kind=_BUILD,
        severity=_ERROR,
        signs=("^npm ",),
        expression=r"^npm (?:ERR!|error)(?: \S|$)",
        block=Block(body=r"^npm (?:ERR!|error)(?: |$)"),
        headline=(r"^npm (?:ERR!|error) \d{3} ", r"^npm (?:ERR!|error) (?:Missing|missing|could not|No matching)"),
        source="recorded: npm 10",
        found=('npm error Missing script: "nothing"\nnpm error\nnpm error To see a list of scripts, run:\n',),
        spared=("npm warn deprecated error@1.0.0: not maintained\n", "npm verbose stack Error: only in the log\n"),
    ),
    Pattern(
        name="maven",
        tool="maven",
        kind=_BUILD,
        severity=_ERROR,
        signs=("^[ERROR] ",),
        expression=r"^\[ERROR\] +\S",
        unless=r"Failures: 0, Errors: 0\b",
        block=Block(body=r"^\[ERROR\]"),
        source="recorded: maven 3.8.7",
        found=(
            (
                "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-resources-plugin:2.6:resources\n"
                "[ERROR] \n"
                "[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n"
            ),
        ),
        spared=("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n", "[WARNING] error is only a word\n"),
    ),
    Pattern(
        name="build-failed",
        tool="maven, gradle, ant, xcodebuild",
        kind=_BUILD,
        severity=_CONSEQUENCE,
        signs=("BUILD FAIL", "^> Task "),
        expression=r"^(?:\[INFO\] )?BUILD FAIL(?:ED|URE)\b|^\*\* BUILD FAILED \*\*|^> Task \S+ FAILED$",
        source="recorded: maven 3.8.7; documented: gradle, ant, xcodebuild",
        found=("[INFO] BUILD FAILURE\n", "BUILD FAILED in 3s\n", "> Task :compileJava FAILED\n"),
        spared=("BUILD SUCCESSFUL in 3s\n", "[INFO] BUILD SUCCESS\n", "> Task :compileJava\n"),
    ),
    Pattern(
        name="gradle",
        tool="gradle",
        kind=_BUILD,
        severity=_ERROR,
        signs=("^FAILURE: Build ",),
        expression=r"^FAILURE: Build (?:failed with an exception|completed with \d+ failures)\.$",
        block=Block(body=r".", blank=True, stop=r"^\* (?:Try|Exception is):|^BUILD FAILED|^={70,}$"),
        headline=(r"^(?:Execution failed|A problem occurred|Could not|Task |Compilation failed)",),
        source="documented: gradle's guide to its command line",
        found=(
            (
                "FAILURE: Build failed with an exception.\n"
                "\n"
                "* What went wrong:\n"
                "Execution failed for task ':compileJava'.\n"
                "> Compilation failed; see the compiler error output for details.\n"
            ),
        ),
        spared=("> Task :failureReport\n",),
    ),
    Pattern(
        name="pip",
        tool="pip",
        kind=_BUILD,
        severity=_ERROR,
        signs=("ERROR: ",),
        expression=(
            r"^ *ERROR: (?:Could not find a version|Could not install"
            r"|Could not build|Cannot install|Failed building|ResolutionImpossible)"
        ),
        block=Block(body=r"^ *ERROR: (?:No matching distribution|ResolutionImpossible)"),
        source="recorded: pip",
        found=(
            (
                "ERROR: Could not find a version that satisfies the requirement nothing==9 (from versions: none)\n"
                "ERROR: No matching distribution found for nothing==9\n"
            ),
        ),
        spared=("  Running setup.py install for error-helper: finished with status 'done'\n",),
    ),
    Pattern(
        name="pip-subprocess",
        tool="pip",
        kind=_BUILD,
        severity=_ERROR,
        signs=("error: subprocess-exited-with-error",),
        expression=r"^ *error: subprocess-exited-with-error$",
        block=Block(body=r"^ *(?:×|│|╰─>|exit code|note:)|^ {4,}\S", blank=True),
        headline=(r"^ *× ",),
        source="documented: pip's user guide",
        found=(
            (
                "  error: subprocess-exited-with-error\n"
                "\n"
                "  × Getting requirements to build wheel did not run successfully.\n"
                "  │ exit code: 1\n"
                "  ╰─> [1 lines of output]\n"
                "      no luck\n"
            ),
        ),
        spared=("  Getting requirements to build wheel: finished with status 'done'\n",),
    ),
    Pattern(
        name="workflow",
        tool="GitHub Actions, Azure Pipelines",
        kind=_BUILD,
        severity=_ERROR,
        signs=("::error", "##[error]"),
        expression=r"^(?:\d{4}-\d\d-\d\dT\S+ )?(?:::error(?: [^:]*)?::|##\[error\])",
        source="documented: the workflow commands of GitHub Actions, the logging commands of Azure Pipelines",
        found=("::error file=shop.py,line=1::no price\n", "##[error]Process completed with exit code 2.\n"),
        spared=("::warning::error is only a word\n", "##[group]errors\n"),
    ),
)
