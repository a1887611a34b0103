<?php

declare(strict_types=1);

namespace Junction;

use Junction\Type\RunAccepted;
use Junction\Type\RunAnswer;
use Junction\Type\RunStatus;

/** An action that ran to its end. */
final readonly class Executed
{
    private function __construct(
        public RunAnswer $run,
        public string $id,
        /** What the backend answered, as far as the contract exposes it. */
        public mixed $result,
    ) {}

    /** Null for what did not run: a proposal, a dry run, and one whose backend works on. */
    public static function of(RunAnswer|RunAccepted $run): ?self
    {
        if (!$run instanceof RunAnswer || ($run->raw()['status'] ?? null) !== RunStatus::Executed->value) {
            return null;
        }
        return $run->id === null ? null : new self($run, $run->id, $run->result);
    }
}
