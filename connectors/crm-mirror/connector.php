<?php

declare(strict_types=1);

use Junction\AbstractConnector;

/**
 * A party in Tryton for each customer. Which one it is, is written down twice: here (`kv`), to find it at once, and at
 * Tryton as an identifier of the party, so that it is found should this be lost.
 */
final class CrmMirror extends AbstractConnector
{
    private const PARTY = 'model.party.party.';
    private const IDENTIFIER_PREFIX = 'junction:';

    /** What is read of a party: its own columns, and those of what belongs to it, in one call. */
    private const FIELDS = [
        'name', 'active', 'email', 'phone', 'identifiers.code', 'contact_mechanisms.type', 'contact_mechanisms.value',
    ];

    /** How long another call may take to make a party before it is taken for dead. */
    private const CLAIM_SECONDS = 60;

    public function key(): string
    {
        return 'crm-mirror';
    }

    public function subscribers(): array
    {
        return [
            'customer.signed_up' => ['mirror'],
            'customer.updated' => ['mirror'],
            'contact.created' => ['mirror'],
            'contact.updated' => ['mirror'],
            'customer.deleted' => ['archive'],
        ];
    }

    public function identityProviders(): array
    {
        return ['crm' => 'findParty'];
    }

    public function mirror(array $event): void
    {
        $customer = $this->customerOf($event);
        if ($customer === null) {
            return;
        }
        $known = $this->known($customer['external_id']);
        if ($this->isOld($known, $event)) {
            $this->log('info', 'A newer event was mirrored already: this one is passed over.', ['event' => $event['id']]);
            return;
        }
        $party = $this->partyOf($customer, $known);
        if ($party === null) {
            $id = $this->create($customer, $event);
        } else {
            $id = $party['id'];
            $this->update($party, $customer, $known['email'] ?? null);
        }
        $this->remember($customer['external_id'], [
            'party' => $id,
            'at' => $event['timestamp'],
            'email' => $customer['email'] ?? $known['email'] ?? null,
        ]);
    }

    public function archive(array $event): void
    {
        $customer = $this->customerOf($event);
        if ($customer === null) {
            return;
        }
        $known = $this->known($customer['external_id']);
        if ($this->isOld($known, $event)) {
            return;
        }
        $party = $this->partyOf($customer, $known);
        // A party that people made before there was a customer is theirs.
        if ($party !== null && $this->externalIdOf($party) === $customer['external_id']) {
            $this->call(self::PARTY . 'write', [[$party['id']], ['active' => false]]);
        }
        $this->remember($customer['external_id'], [
            'party' => $party['id'] ?? null,
            'at' => $event['timestamp'],
            'email' => null,
        ]);
    }

    /** Somebody by the party's code or e-mail address. */
    public function findParty(string $identifier): ?array
    {
        $by = str_contains($identifier, '@') ? $this->byEmail($identifier) : ['code', '=', $identifier];
        $found = $this->search([$by], 2);
        if (count($found) !== 1) {
            return null;
        }
        return array_filter(
            [
                'external_id' => $this->externalIdOf($found[0]),
                'email' => $found[0]['email'] ?? null,
                'phone' => $found[0]['phone'] ?? null,
                'name' => $found[0]['name'] ?? null,
            ],
            static fn (mixed $value): bool => is_string($value) && $value !== '',
        );
    }

    public function tryAccess(): array
    {
        $access = $this->call('model.ir.model.access.get_access', [['party.party', 'party.contact_mechanism']]);
        foreach (['party.party', 'party.contact_mechanism'] as $model) {
            foreach (['read', 'create', 'write'] as $right) {
                if (($access[$model][$right] ?? true) === false) {
                    return ['ok' => false, 'message' => "The user may not $right in Tryton's $model: give it the group that may."];
                }
            }
        }
        return ['ok' => true, 'message' => 'Tryton lets the user in, and it may keep parties.'];
    }

    /** @return ?array{external_id: string, email?: string, name?: string} */
    private function customerOf(array $event): ?array
    {
        $customer = $event['data']['customer'] ?? null;
        $externalId = is_array($customer) ? ($customer['external_id'] ?? null) : null;
        if (!is_string($externalId) && !is_int($externalId) || $externalId === '') {
            $this->log('info', 'The event names no customer with an external_id: there is nothing to mirror.');
            return null;
        }
        $told = ['external_id' => (string) $externalId];
        foreach (['email', 'name'] as $member) {
            $value = $customer[$member] ?? null;
            if (is_string($value) && trim($value) !== '') {
                $told[$member] = trim($value);
            }
        }
        return $told;
    }

    /** An event that comes late changes nothing. */
    private function isOld(?array $known, array $event): bool
    {
        return strcmp($known['at'] ?? '', $event['timestamp']) > 0;
    }

    /** By what is remembered, else by the identifier that it has at Tryton, else by address. Parties that were merged away are none. */
    private function partyOf(array $customer, ?array $known): ?array
    {
        $code = self::IDENTIFIER_PREFIX . $customer['external_id'];
        $mayAdopt = isset($customer['email']) && $this->settings('adopt_by_email') !== false;
        $found = $this->search([
            ['active', 'in', [true, false]],
            ['replaced_by', '=', null],
            array_values(array_filter([
                'OR',
                isset($known['party']) ? ['id', '=', $known['party']] : null,
                ['identifiers.code', '=', $code],
                $mayAdopt ? [$this->byEmail($customer['email'])] : null,
            ])),
        ], 20);
        foreach ([
            fn (array $party): bool => $party['id'] === ($known['party'] ?? null),
            fn (array $party): bool => $this->externalIdOf($party) === $customer['external_id'],
            // One that mirrors another customer is that customer's.
            fn (array $party): bool => $this->externalIdOf($party) === null,
        ] as $isIt) {
            $those = array_values(array_filter($found, $isIt));
            if (count($those) > 1) {
                $this->log('warning', 'Several parties could be the customer\'s: the first is taken.', ['parties' => array_column($those, 'id')]);
            }
            if ($those !== []) {
                return $those[0];
            }
        }
        return null;
    }

    /** One call makes it, however many events of the customer arrive at once. */
    private function create(array $customer, array $event): int
    {
        $this->claim($customer['external_id'], $event['id']);
        $mechanisms = isset($customer['email']) ? [['type' => 'email', 'value' => $customer['email']]] : [];
        [$party] = $this->call(self::PARTY . 'create', [[[
            'name' => $this->nameOf($customer),
            'identifiers' => [['create', [['code' => self::IDENTIFIER_PREFIX . $customer['external_id']]]]],
            'contact_mechanisms' => $mechanisms === [] ? [] : [['create', $mechanisms]],
        ]]]);
        return $party;
    }

    /** In one call, and in none where nothing changes. */
    private function update(array $party, array $customer, ?string $emailBefore): void
    {
        $values = [];
        if (($party['active'] ?? true) == false) {
            $values['active'] = true;
        }
        if (isset($customer['name']) && $customer['name'] !== $party['name']) {
            $values['name'] = $customer['name'];
        }
        if ($this->externalIdOf($party) === null) {
            $code = self::IDENTIFIER_PREFIX . $customer['external_id'];
            $values['identifiers'] = [['create', [['code' => $code]]]];
        }
        $mechanism = isset($customer['email']) ? $this->mechanismFor($party, $customer['email'], $emailBefore) : null;
        if ($mechanism !== null) {
            $values['contact_mechanisms'] = [$mechanism];
        }
        if ($values !== []) {
            $this->call(self::PARTY . 'write', [[$party['id']], $values]);
        }
    }

    /** The address that was mirrored before is replaced; others were written by people and stay. */
    private function mechanismFor(array $party, string $email, ?string $emailBefore): ?array
    {
        $byValue = [];
        foreach ($party['contact_mechanisms.'] ?? [] as $mechanism) {
            if ($mechanism['type'] === 'email') {
                $byValue[$mechanism['value']] = $mechanism['id'];
            }
        }
        if (isset($byValue[$email])) {
            return null;
        }
        return $emailBefore !== null && isset($byValue[$emailBefore])
            ? ['write', [$byValue[$emailBefore]], ['value' => $email]]
            : ['create', [['type' => 'email', 'value' => $email]]];
    }

    private function claim(string $externalId, string $eventId): void
    {
        $key = "claim:$externalId";
        $now = (string) strtotime($this->now());
        $held = $this->kv->get($key);
        $isMine = is_array($held) && $held['event'] === $eventId;
        $isDead = is_array($held) && (int) $held['at'] < (int) $now - self::CLAIM_SECONDS;
        if ($held !== null && !$isMine && !$isDead || !$this->kv->cas($key, $held, ['event' => $eventId, 'at' => $now])) {
            throw new RuntimeException('Another event of this customer is making the party just now; this one is tried again.');
        }
    }

    private function known(string $externalId): ?array
    {
        return $this->kv->get("party:$externalId");
    }

    private function remember(string $externalId, array $known): void
    {
        $this->kv->set("party:$externalId", $known);
        $this->kv->set("claim:$externalId", null);
    }

    private function nameOf(array $customer): string
    {
        return $customer['name'] ?? $customer['email'] ?? $customer['external_id'];
    }

    private function byEmail(string $email): array
    {
        return ['contact_mechanisms', 'where', [['type', '=', 'email'], ['value', '=', $email]]];
    }

    private function externalIdOf(array $party): ?string
    {
        foreach ($party['identifiers.'] ?? [] as ['code' => $code]) {
            if (str_starts_with($code, self::IDENTIFIER_PREFIX)) {
                return substr($code, strlen(self::IDENTIFIER_PREFIX));
            }
        }
        return null;
    }

    private function search(array $domain, int $limit): array
    {
        return $this->call(self::PARTY . 'search_read', [$domain, 0, $limit, [['id', 'ASC']], self::FIELDS]);
    }

    /** A call of Tryton's JSON-RPC; the context comes last. */
    private function call(string $method, array $params): mixed
    {
        $base = rtrim($this->settings('base_url'), '/');
        $answer = $this->http([
            'method' => 'POST',
            'url' => "$base/" . rawurlencode($this->settings('database')) . '/rpc/',
            'auth' => ['basic' => ['settings.username', 'settings.password']],
            'json' => ['id' => 1, 'method' => $method, 'params' => [...$params, new stdClass()]],
        ]);
        if ($answer['status'] !== 200) {
            throw new RuntimeException(match ($answer['status']) {
                401, 403 => 'Tryton refuses the user: set username and password to those of a user of this database.',
                404 => 'Tryton has no such database: set base_url and database to what its login page shows.',
                429 => 'Tryton has locked the user out after too many wrong passwords: wait, and set the right one.',
                default => "Tryton answered HTTP {$answer['status']}; it is tried again.",
            });
        }
        if (isset($answer['json']['error'])) {
            throw new RuntimeException("Tryton refuses $method: " . $this->words($answer['json']['error']));
        }
        return $answer['json']['result'] ?? null;
    }

    /** A user's error is `[name, [message, description, …]]`; others are `[message, trace]`, and the trace is nobody's business. */
    private function words(array $error): string
    {
        $words = is_array($error[1] ?? null) ? [$error[0] ?? '', ...$error[1]] : [$error[0] ?? ''];
        return mb_substr(implode(' ', array_filter($words, 'is_string')), 0, 500);
    }
}
