<?php

declare(strict_types=1);

namespace Junction;

use Junction\Type\Proposal;
use Junction\Type\RunAccepted;
use Junction\Type\RunAcceptedStatus;
use Junction\Type\RunAnswer;

/** An action that waits for a person's approval. Nothing ran. */
final readonly class PendingConfirmation
{
    private function __construct(
        public RunAccepted $run,
        /** The proposal. Show its `preview`, or link to its `approveUrl`. */
        public Proposal $proposal,
    ) {}

    /** Returns null if `actions->run()` did not create a proposal. */
    public static function of(RunAnswer|RunAccepted $run): ?self
    {
        $isPending = ($run->raw()['status'] ?? null) === RunAcceptedStatus::PendingConfirmation->value;
        if (!$run instanceof RunAccepted || !$isPending) {
            return null;
        }
        return $run->proposal === null ? null : new self($run, $run->proposal);
    }
}
