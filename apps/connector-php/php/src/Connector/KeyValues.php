<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\HostError;

/** Values that the connector stores by key, separately for each workspace and environment. */
final class KeyValues
{
    public function __construct(private readonly Call $call)
    {
    }

    /**
     * Returns the value, or null if there is none.
     *
     * @throws HostError
     */
    public function get(string $key): mixed
    {
        return $this->call->ask('kv.get', [$key]);
    }

    /**
     * @param array{ttl_seconds?: int} $options
     * @throws HostError
     */
    public function set(string $key, mixed $value, array $options = []): void
    {
        $this->call->ask('kv.set', $options === [] ? [$key, $value] : [$key, $value, $options]);
    }

    /**
     * Sets the value if it still equals `$expected`; null means "does not exist". Returns whether it was set.
     *
     * @throws HostError
     */
    public function cas(string $key, mixed $expected, mixed $value): bool
    {
        return $this->call->ask('kv.cas', [$key, $expected, $value]) === true;
    }
}
