<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConnectionException;
use Junction\Exception\ServiceException;

/**
 * Whether, and when, a call that failed is made again.
 *
 * @internal
 */
final class Retry
{
    private const STATUSES = [408, 429, 500, 502, 503, 504];

    /** No whole answer came, or none that can be read. */
    private const UNANSWERED = ['connection_failed', 'timeout', 'deadline_exceeded', 'response_unreadable'];

    private const FIRST_SECONDS = 0.5;

    private const LONGEST_SECONDS = 8.0;

    /** Who is told to wait longer wants to know it now. */
    private const LONGEST_RETRY_AFTER = 60;

    public static function canHelp(ServiceException $failure): bool
    {
        if ($failure instanceof ConnectionException && \in_array($failure->errorCode, self::UNANSWERED, true)) {
            return true;
        }
        $isRetried = $failure->status === 409
            ? $failure->errorCode === 'idempotency_in_progress'
            : \in_array($failure->status, self::STATUSES, true);
        return $isRetried && $failure->retryable !== false;
    }

    /**
     * Full jitter, or what the answer asked for where that is longer.
     *
     * @param int $retry 0 for the first one
     * @param float $random between 0 and 1
     * @return ?float seconds; null where there is to be no further try
     */
    public static function wait(int $retry, float $random, ?int $retryAfter): ?float
    {
        if ($retryAfter !== null && $retryAfter > self::LONGEST_RETRY_AFTER) {
            return null;
        }
        $jitter = $random * min(self::LONGEST_SECONDS, self::FIRST_SECONDS * (2 ** $retry));
        return max($jitter, (float) $retryAfter);
    }
}
