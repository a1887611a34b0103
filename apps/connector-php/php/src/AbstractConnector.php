<?php

declare(strict_types=1);

namespace Junction;

use Junction\Connector\Call;
use Junction\Connector\Contacts;
use Junction\Connector\KeyValues;
use Junction\Connector\Timeline;

/**
 * The base class of a connector.
 *
 * A new instance is created for each call, so properties are not kept between calls. Use `$this->kv` instead.
 * Services block, and throw {@see HostError}. Their arguments and the results of hooks are sent as JSON: text must be
 * UTF-8 (send bytes as base64), an empty array is `[]`, and `new \stdClass()` is `{}`. Values from JSON have arrays for
 * objects, and text for integers of more than 64 bits.
 */
abstract class AbstractConnector
{
    /** The contacts, by e-mail address or external id. */
    public readonly Contacts $contacts;

    /** The timelines of contacts. */
    public readonly Timeline $timeline;

    /** Values that the connector stores by key, separately for each workspace and environment. */
    public readonly KeyValues $kv;

    /**
     * The event of this call; null if no event caused it.
     *
     * @var ?array{id: string, event: string, timestamp: string, data: array<string, mixed>}
     */
    public readonly ?array $event;

    private readonly Call $call;

    /** Returns the key, which is the name of the connector's folder. */
    abstract public function key(): string;

    /**
     * Returns the identity providers: a provider's name with a method `(string $identifier): ?array`. The method
     * returns `external_id`, `email`, `phone`, `name`, or null.
     *
     * @return array<string, string|callable>
     */
    public function identityProviders(): array
    {
        return [];
    }

    /**
     * Returns the context providers, which add data to a customer: a provider's name with a method
     * `(array $customer): mixed`. `GET /v1/tickets` includes the results of `tickets`.
     *
     * @return array<string, string|callable>
     */
    public function contextProviders(): array
    {
        return [];
    }

    /**
     * Returns the methods `(array $parameters, array $run): mixed` by action of actions.json, without the actions that
     * have their own endpoint. No return type is declared, so a class may declare its own.
     *
     * @return array<string, string|callable>|null
     */
    public function registerActions()
    {
        return [];
    }

    /**
     * Returns the handlers `(array $event): void` by event, or by `*` for all events. A handler is a method's name, a
     * callable, or either of them as `['handler' => …, 'priority' => 1 to 99]`. Lower priorities come first.
     *
     * @return array<string, list<string|callable|array{handler: string|callable, priority?: int}>>
     */
    public function subscribers(): array
    {
        return [];
    }

    /**
     * Handles a webhook, whose signature is already verified. Each webhook is handled once. A class may declare a
     * second parameter, `array $request = []`: the request's `id`, which is the same in each retry, and its `headers`.
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
     * Sends a request to a host of connector.json's `egress`. Responses with any status are returned.
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
     *     `Authorization: Bearer …`; the value of a header may contain a secret's handle
     * @return array{status: int, headers: array<string, string>, body: string, json: mixed} headers in lower case; json
     *     is null if the body is not JSON
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

    /** Returns a setting, or null. A secret is a handle, which is only useful in `http` and `mail`. */
    final public function settings(string $name): mixed
    {
        return $this->call->setting($name);
    }

    /** Returns the time of the service's clock (RFC 3339, UTC). */
    final public function now(): string
    {
        return $this->call->now();
    }
}
