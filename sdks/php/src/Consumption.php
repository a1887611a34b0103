<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConnectionException;
use Junction\Exception\ServerException;
use Junction\Exception\ServiceException;
use Junction\Exception\TimeoutException;

/**
 * Pulls the messages of an endpoint, and commits each after it was processed.
 *
 * @internal
 */
final readonly class Consumption
{
    private const FIRST_WAIT = 0.5;
    private const LONGEST_WAIT = 30.0;
    private const MOST_COMMITS = 10;

    public function __construct(
        private Transport $transport,
        private Clock $clock,
        private string $path,
        private string $consumer,
        private int $limit,
        private int $waitSeconds,
        private int $leaseSeconds,
        private string $start,
        private bool $once,
    ) {}

    /**
     * @return \Generator<int, ConsumedMessage, mixed, void>
     * @throws ServiceException
     */
    public function messages(): \Generator
    {
        $failures = 0;
        while (true) {
            try {
                $pulled = $this->pull();
                $failures = 0;
                $lease = \is_array($pulled['lease'] ?? null) ? ($pulled['lease']['id'] ?? null) : null;
                if (\is_string($lease)) {
                    $messages = \is_array($pulled['messages'] ?? null) ? array_values($pulled['messages']) : [];
                    yield from $this->leased($messages, $lease);
                } elseif ($this->once) {
                    return;
                }
            } catch (ServiceException $error) {
                $this->clock->sleep(self::waitAfter($error, $failures) ?? throw $error);
                ++$failures;
            }
        }
    }

    /**
     * @param list<mixed> $messages
     * @return \Generator<int, ConsumedMessage, mixed, void>
     * @throws ServiceException
     */
    private function leased(array $messages, string $lease): \Generator
    {
        $isOpen = true;
        try {
            foreach ($messages as $at => $wire) {
                $message = ConsumedMessage::of(\is_array($wire) ? $wire : []);
                yield $message;
                $isKept = $this->commit($lease, $message->offset);
                // The last commit ends the lease.
                $isOpen = $isKept && $at < \count($messages) - 1;
                if (!$isKept) {
                    return;
                }
            }
        } finally {
            // The rest need not wait for the end of the lease. Without a response, it ends by itself.
            if ($isOpen) {
                try {
                    $this->post('release', ['lease_id' => $lease]);
                } catch (ServiceException) {
                }
            }
        }
    }

    /**
     * @return array<array-key, mixed>
     * @throws ServiceException
     */
    private function pull(): array
    {
        $wait = $this->once ? 0 : $this->waitSeconds;
        return $this->post('pull', [
            'limit' => $this->limit,
            'wait_seconds' => $wait,
            'lease_seconds' => $this->leaseSeconds,
            'start' => $this->start,
        ], new CallOptions(timeout: $wait + 30.0));
    }

    /**
     * Returns false if the lease was lost: others may have the rest.
     *
     * @throws ServiceException
     */
    private function commit(string $lease, int $offset): bool
    {
        for ($failures = 0; ; ++$failures) {
            try {
                $this->post('commit', ['lease_id' => $lease, 'offset' => $offset]);
                return true;
            } catch (ServiceException $error) {
                if ($error->errorCode === 'lease_lost') {
                    return false;
                }
                $wait = $failures < self::MOST_COMMITS ? self::waitAfter($error, $failures) : null;
                $this->clock->sleep($wait ?? throw $error);
            }
        }
    }

    /**
     * @param array<string, mixed> $body
     * @return array<array-key, mixed>
     * @throws ServiceException
     */
    private function post(string $what, array $body, ?CallOptions $options = null): array
    {
        $json = Encode::json(['consumer' => $this->consumer, ...$body]);
        $call = new Call('POST', "{$this->path}/{$what}", body: $json, isWrite: true, expects: Expects::Any);
        return $this->transport->call($call, $options)->object();
    }

    /** Returns null for an error that waiting does not change. */
    private static function waitAfter(ServiceException $error, int $failures): ?float
    {
        $isPassing = $error instanceof ConnectionException
            || $error instanceof TimeoutException
            || $error instanceof ServerException
            || $error->retryable === true;
        if (!$isPassing) {
            return null;
        }
        $asked = (float) ($error->retryAfter ?? 0);
        $backOff = min(self::LONGEST_WAIT, self::FIRST_WAIT * 2 ** min($failures, 10));
        // A busy consumer is free again once its lease ends, or earlier.
        return $error->errorCode === 'consumer_busy'
            ? min($asked > 0.0 ? $asked : $backOff, $backOff * 4)
            : max($asked, $backOff);
    }
}
