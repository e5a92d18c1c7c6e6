"""An allowance against a model: any order of owners, deaths, damages and removals."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from capture_core.limits import MIB
from capture_core.recount import reconcile
from tests.core.allowance_owner import DAMAGES, LIMIT, Owner, Tree

if TYPE_CHECKING:
    from collections.abc import Callable


class AllowanceMachine(RuleBasedStateMachine):
    """Any number of owners, deaths and damages: the files never hold more than is allowed, and sums are exact."""

    @initialize()
    def open(self) -> None:
        self.home = tempfile.TemporaryDirectory()
        self.tree = Tree(Path(self.home.name) / "conversation")
        self.owners: list[Owner] = []

    @precondition(lambda self: len(self.owners) < 4)
    @rule(capture=st.sampled_from([0, 5_000, 32 * MIB]))
    def begin(self, capture: int) -> None:
        self.owners.append(Owner(self.tree, capture=capture))

    @precondition(lambda self: self.owners)
    @rule(data=st.data(), size=st.integers(1, LIMIT // 2), describe=st.integers(0, 3_000))
    def retain(self, data: st.DataObject, size: int, describe: int) -> None:
        owner = data.draw(st.sampled_from(self.owners))
        assert owner.retain(size) <= size
        assert owner.describe(describe) <= describe

    @precondition(lambda self: self.owners)
    @rule(data=st.data(), size=st.integers(1, LIMIT // 2))
    def reserve(self, data: st.DataObject, size: int) -> None:
        data.draw(st.sampled_from(self.owners)).reserve(size)

    @precondition(lambda self: self.owners)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        owner = data.draw(st.sampled_from(self.owners))
        self.owners.remove(owner)
        owner.write()
        owner.settle()

    @precondition(lambda self: self.owners)
    @rule(data=st.data(), size=st.integers(0, LIMIT // 2))
    def die(self, data: st.DataObject, size: int) -> None:
        owner = data.draw(st.sampled_from(self.owners))
        self.owners.remove(owner)
        owner.reserve(size)
        owner.die()

    # What an owner with empty files has taken is lost with the tally: kept.py says so.
    @precondition(lambda self: self.tree.tally.exists() and not any(owner.unwritten for owner in self.owners))
    @rule(damage=st.sampled_from(DAMAGES))
    def damage(self, damage: Callable[[Tree], None]) -> None:
        damage(self.tree)

    @rule()
    def remove_a_capture(self) -> None:
        held = {f"{owner.capture}.stdout.live" for owner in self.owners}
        held |= {f"{owner.capture}.stdout.times" for owner in self.owners}
        for file in (self.tree.path / "tool-outputs" / "shell").iterdir():
            if file.name not in held:
                file.unlink()
        reconcile(str(self.tree.path))

    @rule()
    def reconcile(self) -> None:
        reconcile(str(self.tree.path))

    @invariant()
    def never_more_than_allowed(self) -> None:
        if hasattr(self, "tree"):
            unwritten = sum(owner.unwritten for owner in self.owners)
            assert self.tree.kept() + unwritten <= LIMIT

    def teardown(self) -> None:
        if hasattr(self, "tree"):
            while self.owners:
                owner = self.owners.pop()
                owner.write()
                owner.settle()
            last = Owner(self.tree)
            last.retain(1)
            last.settle()
            reconcile(str(self.tree.path))
            assert self.tree.taken() == self.tree.kept() <= LIMIT
            self.tree.close()
            self.home.cleanup()


AllowanceMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestAgainstAModel = AllowanceMachine.TestCase
