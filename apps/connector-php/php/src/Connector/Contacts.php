<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\HostError;

/** The contacts, by e-mail address or external id. */
final class Contacts
{
    public function __construct(private readonly Call $call)
    {
    }

    /**
     * @param array{external_id?: string, email?: string, phone?: string} $key
     * @return ?array<string, mixed>
     * @throws HostError
     */
    public function find(array $key): ?array
    {
        return $this->call->ask('contacts.find', [(object) $key]);
    }

    /**
     * @param array<string, mixed> $contact
     * @return array<string, mixed>
     * @throws HostError
     */
    public function upsert(array $contact): array
    {
        return $this->call->ask('contacts.upsert', [(object) $contact]);
    }
}
