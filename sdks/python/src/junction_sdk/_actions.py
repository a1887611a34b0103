"""The results of `actions.run`, with functions that narrow their type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    from .types import Proposal, RunAccepted, RunAnswer

    # With what a check before has made of it, so that one can follow the other.
    Run: TypeAlias = "RunAnswer | RunAccepted | PendingConfirmation | Executed"


class PendingConfirmation(Protocol):
    """An action that waits for a person's approval. Nothing ran."""

    @property
    def action(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def proposal(self) -> Proposal:
        """The proposal. Show its `preview`, or link to its `approve_url`."""
        ...


class Executed(Protocol):
    """A completed action."""

    @property
    def id(self) -> str: ...

    @property
    def action(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def result(self) -> Any:
        """The backend's response, as far as the contract exposes it."""
        ...


def is_pending(run: Run) -> TypeGuard[PendingConfirmation]:
    """Whether `actions.run` created a proposal instead of a run."""
    return run.status == "pending_confirmation" and getattr(run, "proposal", None) is not None


def is_executed(run: Run) -> TypeGuard[Executed]:
    """Whether `actions.run` ran the action. False for a dry run, and while the backend is still working."""
    return run.status == "executed" and getattr(run, "id", None) is not None
