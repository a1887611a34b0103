<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;
use Junction\Exception\ServiceException;
use Junction\Http\NetworkException;
use Junction\Http\Request;
use Junction\Http\TimedClient;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Makes a call: signs and sends it, again where that can help, and reads the answer.
 *
 * @internal
 */
final class Transport
{
    private const JSON = 'application/json';

    /** Of headers that callers cannot give. */
    private const OWN_HEADERS =
        '/^(authorization|host|content-.*|idempotency-key|x-service-(signature|timestamp|key))$/i';

    /** Seconds that the server's clock is ahead, as it said itself. */
    private int $skew = 0;

    public function __construct(
        private readonly Settings $settings,
    ) {}

    /** @throws ServiceException */
    public function call(Call $call, ?CallOptions $options = null): Answer
    {
        $plan = $this->plan($call, $options ?? new CallOptions());
        $retries = 0;
        $corrections = 0;
        while (true) {
            $answer = $this->attempt($plan, 1 + $retries + $corrections);
            if ($answer instanceof Answer) {
                return $answer;
            }
            $isCorrected = $corrections === 0 && $this->correctClock($answer) && $plan->maxRetries > 0;
            if ($isCorrected) {
                ++$corrections;
                continue;
            }
            $this->waitOrThrow($plan, $answer, $retries);
            ++$retries;
        }
    }

    /**
     * @template T
     * @param \Closure(mixed): ?T $item
     * @return Page<T>
     * @throws ServiceException
     */
    public function page(Call $call, \Closure $item, ?CallOptions $options = null): Page
    {
        $fetch = fn(string $cursor): Page => $this->page($call->withCursor($cursor), $item, $options);
        return Page::of($this->call($call, $options), $item, $fetch);
    }

    private function plan(Call $call, CallOptions $options): Plan
    {
        Settings::checkLimits($options->maxRetries, $options->timeout, $options->deadline);
        $query = Encode::query($call->query);
        $deadline = $options->deadline ?? $this->settings->deadline;
        $separator = str_contains($call->path, '?') ? '&' : '?';
        return new Plan(
            $call,
            $this->settings->prefix . $call->path . ($query === '' ? '' : $separator . $query),
            $call->isWrite ? self::idempotencyKey($options->idempotencyKey) : null,
            self::headers([...$this->settings->headers, ...$options->headers]),
            $options->maxRetries ?? $this->settings->maxRetries,
            $options->timeout ?? $this->settings->timeout,
            $deadline === null ? null : $this->settings->clock->elapsed() + $deadline,
        );
    }

    private function attempt(Plan $plan, int $attempt): Answer|ServiceException
    {
        $seconds = $plan->secondsLeft($this->settings->clock);
        if ($seconds <= 0) {
            return Judge::deadline($plan, $attempt - 1);
        }
        $client = $this->settings->httpClient;
        try {
            $request = $this->request($plan);
            $response = $client instanceof TimedClient
                ? $client->sendWithin($request, $seconds, $plan->maxRetries === 0)
                : $client->sendRequest($request);
            $headers = self::flat($response);
            return Judge::response(
                $plan,
                $attempt,
                $response->getStatusCode(),
                $headers,
                (string) $response->getBody(),
            );
        } catch (ClientExceptionInterface|\RuntimeException $failure) {
            $timedOut = $failure instanceof NetworkException && $failure->timedOut;
            if ($timedOut && $seconds < $plan->timeout) {
                return Judge::deadline($plan, $attempt);
            }
            // The exception itself could hold the request, and so the key: only its words go on.
            $reason = $this->settings->credentials->redact($failure->getMessage());
            return Judge::network($plan, $attempt, $reason, $timedOut);
        }
    }

    /** Each try is signed afresh: its time is part of the signature. */
    private function request(Plan $plan): Request
    {
        $call = $plan->call;
        $body = $call->body ?? '';
        $headers = [
            'User-Agent' => Client::userAgent(),
            'Accept' => $call->expects === Expects::Text ? '*/*' : self::JSON,
            'X-Service-Version' => Api::VERSION,
            ...$plan->headers,
            ...($call->body === null ? [] : ['Content-Type' => self::JSON]),
            ...($plan->idempotencyKey === null ? [] : ['Idempotency-Key' => $plan->idempotencyKey]),
            ...$this->settings->credentials->headers(),
            ...$this->signature($plan, $body),
        ];
        $request = new Request($call->method, $this->settings->origin . $plan->target, $headers, $body);
        return $request->withRequestTarget($plan->target);
    }

    /** @return array<string, string> */
    private function signature(Plan $plan, string $body): array
    {
        $timestamp = $this->now() + $this->skew;
        $key = $plan->idempotencyKey ?? '';
        $text = Signing::stringToSign($timestamp, $plan->call->method, $plan->target, $key, $body);
        $signature = $this->settings->credentials->signature($text);
        return $signature === null
            ? []
            : ['X-Service-Timestamp' => (string) $timestamp, 'X-Service-Signature' => $signature];
    }

    /** The server tells its time when ours is too far off. Later calls profit too. */
    private function correctClock(ServiceException $failure): bool
    {
        $serverTime = $failure->problem['server_time'] ?? null;
        if ($failure->errorCode !== 'timestamp_out_of_range' || !\is_int($serverTime)) {
            return false;
        }
        $this->skew = $serverTime - $this->now();
        return true;
    }

    private function now(): int
    {
        return (int) floor($this->settings->clock->now());
    }

    private function waitOrThrow(Plan $plan, ServiceException $failure, int $retry): void
    {
        if ($retry >= $plan->maxRetries || !Retry::canHelp($failure)) {
            throw $failure;
        }
        $clock = $this->settings->clock;
        $wait = Retry::wait($retry, $clock->random(), $failure->retryAfter);
        if ($wait === null || $plan->deadline !== null && ($clock->elapsed() + $wait) >= $plan->deadline) {
            throw $failure;
        }
        $clock->sleep($wait);
    }

    /** @return array<string, string> */
    private static function flat(ResponseInterface $response): array
    {
        $headers = [];
        foreach ($response->getHeaders() as $name => $values) {
            $headers[strtolower((string) $name)] = implode(', ', $values);
        }
        return $headers;
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, string>
     */
    private static function headers(array $headers): array
    {
        foreach ($headers as $name => $value) {
            if (preg_match(self::OWN_HEADERS, $name) === 1) {
                throw new ConfigurationException("The header {$name} is set by the SDK and cannot be replaced.");
            }
            if (preg_match('/[\x00-\x08\x0a-\x1f\x7f]/', $name . $value) === 1) {
                throw new ConfigurationException("The header {$name} has a value that HTTP does not allow.");
            }
        }
        return $headers;
    }

    private static function idempotencyKey(?string $key): string
    {
        $key ??= self::uuid();
        if (preg_match('/^[!-~]{1,255}$/D', $key) !== 1) {
            throw new ConfigurationException('An idempotency key must be 1 to 255 visible ASCII characters.');
        }
        return $key;
    }

    /** A random UUID (version 4). */
    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = \chr((\ord($bytes[6]) & 0x0F) | 0x40);
        $bytes[8] = \chr((\ord($bytes[8]) & 0x3F) | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
