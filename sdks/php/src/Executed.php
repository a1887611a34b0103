<?php

declare(strict_types=1);

namespace Junction;

use Junction\Type\RunAccepted;
use Junction\Type\RunAnswer;
use Junction\Type\RunStatus;

/** A completed action. */
final readonly class Executed
{
    private function __construct(
        public RunAnswer $run,
        public string $id,
        /** The backend's response, as far as the contract exposes it. */
        public mixed $result,
    ) {}

    /** Returns null for a proposal, a dry run, and a run whose backend is still working. */
    public static function of(RunAnswer|RunAccepted $run): ?self
    {
        if (!$run instanceof RunAnswer || ($run->raw()['status'] ?? null) !== RunStatus::Executed->value) {
            return null;
        }
        return $run->id === null ? null : new self($run, $run->id, $run->result);
    }
}
