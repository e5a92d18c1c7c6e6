"""The options that ``run``, ``tee`` and ``save`` share: what is kept of an output, under which name, masked by what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capview.cli.quantities import size

if TYPE_CHECKING:
    import argparse

    from capture_core.limits import LimitFrom, Limits
    from capture_core.masking import EngineMasking
    from capview.settings import Settings


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare how much may be kept."""
    parser.add_argument("--limit", type=size, metavar="N", help="retain at most N bytes of this capture (64MiB, 2GiB)")
    parser.add_argument(
        "--conversation-limit",
        type=size,
        metavar="N",
        help="retain at most N bytes of all captures here together (8GiB)",
    )


def add_call_id(parser: argparse.ArgumentParser) -> None:
    """Declare whose output it is among an agent's calls."""
    parser.add_argument("--call-id", metavar="ID", help="the tool call that this is; sets the limits of a library call")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare what finds secrets."""
    parser.add_argument(
        "--engine", choices=("slow",), help="slow: find secrets without hyperscan, for machines that have none"
    )


def add_masks(parser: argparse.ArgumentParser) -> None:
    """Declare what is masked beside secrets of known forms, and that nothing is."""
    parser.add_argument(
        "--raw-binary", action="store_true", help="keep the exact bytes of the output: nothing is masked"
    )
    parser.add_argument(
        "--mask-env",
        action="append",
        default=[],
        metavar="GLOB",
        help="mask the values of environment variables with such names too ('*_CODE'); may be repeated",
    )
    parser.add_argument(
        "--mask-file",
        action="append",
        default=[],
        metavar="F",
        help="mask what this file holds: all of it as one value, and each of its lines; may be repeated",
    )


def default_limits(arguments: argparse.Namespace) -> Limits:
    """What may be kept where neither an option nor a setting says it: more for people than for each of many calls."""
    from capture_core.limits import FOR_PEOPLE, LIBRARY

    return FOR_PEOPLE if arguments.call_id is None else LIBRARY


def limit_from(arguments: argparse.Namespace) -> LimitFrom:
    """Who set the limit of this capture."""
    from capture_core.limits import LimitFrom

    return LimitFrom.DEFAULT if arguments.limit is None else LimitFrom.ASKED


def settings_of(arguments: argparse.Namespace, conversation: str) -> Settings:
    """Load the settings for this capture, over which the options stand."""
    from capview.settings import load

    overrides = {"capture_bytes": arguments.limit, "conversation_bytes": arguments.conversation_limit}
    return load(overrides, defaults=default_limits(arguments), conversation=conversation)


def mask_env(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """Globs of the variables whose values are masked: those of the settings, then those of the options, if any."""
    from capview import masks

    return (*settings.masked(masks.ENV), *getattr(arguments, "mask_env", ()))


def mask_files(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """Files whose contents are masked: those of the settings, then those of the options, if any."""
    from capview import masks

    return (*settings.masked(masks.FILES), *getattr(arguments, "mask_file", ()))


def masking(arguments: argparse.Namespace, settings: Settings) -> EngineMasking:
    """What masks the output.  Raises ``BadInput`` for a file that cannot be read, ``EngineUnavailable``."""
    from capture_core.known_sources import KnownSources, environment_of, read_mask_file
    from capture_core.masking import EngineMasking
    from capview.folders import cache_folder

    files = tuple(map(read_mask_file, mask_files(arguments, settings)))
    return EngineMasking(
        settings.limits,
        engine_folder=cache_folder(),
        user_rules=settings.rules,
        known=KnownSources(environment_of(None), mask_env(arguments, settings), files),
        slow=arguments.engine == "slow",
    )
