"""What `actions.run` came to, told apart for people and for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    from .types import Proposal, RunAccepted, RunAnswer

    # With what a check before has made of it, so that one can follow the other.
    Run: TypeAlias = "RunAnswer | RunAccepted | PendingConfirmation | Executed"


class PendingConfirmation(Protocol):
    """An action that waits for a person's approval: nothing ran."""

    @property
    def action(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def proposal(self) -> Proposal:
        """Show its `preview`, or lead to its `approve_url`."""
        ...


class Executed(Protocol):
    """An action that ran to its end."""

    @property
    def id(self) -> str: ...

    @property
    def action(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def result(self) -> Any:
        """What the backend answered, as far as the contract exposes it."""
        ...


def is_pending(run: Run) -> TypeGuard[PendingConfirmation]:
    """Whether `actions.run` made a proposal in place of a run."""
    return run.status == "pending_confirmation" and getattr(run, "proposal", None) is not None


def is_executed(run: Run) -> TypeGuard[Executed]:
    """Whether `actions.run` ran. Neither is true of a dry run, and of one whose backend works on."""
    return run.status == "executed" and getattr(run, "id", None) is not None
