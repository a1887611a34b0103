<?php

declare(strict_types=1);

namespace Junction;

use Junction\Connector\Call;
use Junction\Connector\Contacts;
use Junction\Connector\KeyValues;
use Junction\Connector\Timeline;

/**
 * What a connector's class extends.
 *
 * A new instance is made for each call, so nothing is kept in properties: `$this->kv` keeps. Services block, and throw
 * {@see HostError}. What they are given and what hooks return becomes JSON: text is UTF-8 (bytes go as base64), an
 * empty array is `[]`, and `new \stdClass()` is `{}`. What comes from JSON has arrays for objects; a whole number
 * beyond 64 bits comes as text.
 */
abstract class AbstractConnector
{
    /** Persons by their addresses and external ids. */
    public readonly Contacts $contacts;

    /** What happened to a person. */
    public readonly Timeline $timeline;

    /** What the connector keeps, by key; each workspace and environment its own. */
    public readonly KeyValues $kv;

    /**
     * The event of this call; null when no event caused it.
     *
     * @var ?array{id: string, event: string, timestamp: string, data: array<string, mixed>}
     */
    public readonly ?array $event;

    private readonly Call $call;

    /** The folder's name. */
    abstract public function key(): string;

    /**
     * Who can say who somebody is: a provider's name to a method `(string $identifier): ?array`, which answers
     * `external_id`, `email`, `phone`, `name`, or null.
     *
     * @return array<string, string|callable>
     */
    public function identityProviders(): array
    {
        return [];
    }

    /**
     * Who knows more about a customer: a provider's name to a method `(array $customer): mixed`. What `tickets` answers
     * feeds `GET /v1/tickets`.
     *
     * @return array<string, string|callable>
     */
    public function contextProviders(): array
    {
        return [];
    }

    /**
     * Which actions of actions.json are its methods `(array $parameters, array $run): mixed`; those with an endpoint of
     * their own are left out. No return type is declared, so a class may declare its own.
     *
     * @return array<string, string|callable>|null
     */
    public function registerActions()
    {
        return [];
    }

    /**
     * Which events it hears, `*` for all, and with which methods `(array $event): void`: their names, callables, or
     * either of them as `['handler' => …, 'priority' => 1 to 99]`. The lowest priority hears first.
     *
     * @return array<string, list<string|callable|array{handler: string|callable, priority?: int}>>
     */
    public function subscribers(): array
    {
        return [];
    }

    /**
     * What its webhook was sent: verified already, and given once. A class may declare a second parameter,
     * `array $request = []`: the request's `id`, the same each time it is handled again, and its `headers`.
     *
     * @param array<array-key, mixed> $body
     */
    public function handleWebhook(array $body): void
    {
    }

    /**
     * Fires an event of connector.json's `fires`.
     *
     * @param array<string, mixed> $data
     * @return array{id: string}
     * @throws HostError
     */
    final public function fire(string $event, array $data = []): array
    {
        return $this->call->ask('fire', [$event, (object) $data]);
    }

    /**
     * Calls a host of connector.json's `egress`. Whatever status it answers is an answer.
     *
     * @param array{
     *     method: string,
     *     url: string,
     *     headers?: array<string, string>,
     *     body?: string,
     *     json?: mixed,
     *     form?: array<string, string>,
     *     auth?: string
     * } $request at most one of `body`, `json`, `form`. `auth` is `settings.<name>` of a secret, sent as
     *     `Authorization: Bearer …`; the value of a header may hold a secret's handle
     * @return array{status: int, headers: array<string, string>, body: string, json: mixed} headers in lower case; json
     *     is null when the body is none
     * @throws HostError
     */
    final public function http(array $request): array
    {
        foreach (['headers', 'form'] as $member) {
            if (isset($request[$member])) {
                $request[$member] = (object) $request[$member];
            }
        }
        $answer = $this->call->ask('http', [(object) $request]);
        return [...$answer, 'json' => $this->call->read($answer['body'])];
    }

    /**
     * @param array{to: string, subject: string, text: string, html?: string} $mail
     * @throws HostError
     */
    final public function mail(array $mail): void
    {
        $this->call->ask('mail', [(object) $mail]);
    }

    /**
     * @param 'debug'|'info'|'warning'|'error' $level
     * @param array<string, mixed> $fields
     */
    final public function log(string $level, string $message, array $fields = []): void
    {
        $this->call->log($level, $message, $fields);
    }

    /** A setting, null when it is not set. A secret is a handle: of use in `http` and `mail`, and nowhere else. */
    final public function settings(string $name): mixed
    {
        return $this->call->setting($name);
    }

    /** RFC 3339, UTC, by the service's clock. */
    final public function now(): string
    {
        return $this->call->now();
    }
}
