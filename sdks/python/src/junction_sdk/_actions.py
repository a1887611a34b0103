"""What `actions.run` came to, told apart for people and for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing import TypeGuard

    from .types import Proposal, RunAccepted, RunAnswer


class PendingConfirmation(Protocol):
    """An action that waits for a person's approval: nothing ran."""

    @property
    def action(self) -> str: ...

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
    def result(self) -> Any:
        """What the backend answered, as far as the contract exposes it."""
        ...


def is_pending(run: RunAnswer | RunAccepted) -> TypeGuard[PendingConfirmation]:
    """Whether `actions.run` made a proposal in place of a run."""
    return run.status == "pending_confirmation" and getattr(run, "proposal", None) is not None


def is_executed(run: RunAnswer | RunAccepted) -> TypeGuard[Executed]:
    """Whether `actions.run` ran. Neither is true of a dry run, and of one whose backend works on."""
    return run.status == "executed" and run.id is not None
