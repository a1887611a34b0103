<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Exception;

/** The classes of errors, as the vectors name them. */
final class Classes
{
    public const OF = [
        'service' => Exception\ServiceException::class,
        'authentication' => Exception\AuthenticationException::class,
        'permission' => Exception\PermissionException::class,
        'rate_limit' => Exception\RateLimitException::class,
        'idempotency' => Exception\IdempotencyException::class,
        'validation' => Exception\ValidationException::class,
        'not_found' => Exception\NotFoundException::class,
        'conflict' => Exception\ConflictException::class,
        'server' => Exception\ServerException::class,
        'connection' => Exception\ConnectionException::class,
        'timeout' => Exception\TimeoutException::class,
    ];
}
