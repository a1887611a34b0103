<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\HostError;

/** The timelines of contacts. */
final class Timeline
{
    public function __construct(private readonly Call $call)
    {
    }

    /**
     * @param array<string, mixed> $activity
     * @return array{id: string}
     * @throws HostError
     */
    public function add(string $contactId, array $activity): array
    {
        return $this->call->ask('timeline.add', [$contactId, (object) $activity]);
    }
}
