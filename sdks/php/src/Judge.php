<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\AuthenticationException;
use Junction\Exception\ConflictException;
use Junction\Exception\ConnectionException;
use Junction\Exception\Failure;
use Junction\Exception\IdempotencyException;
use Junction\Exception\NotFoundException;
use Junction\Exception\PermissionException;
use Junction\Exception\RateLimitException;
use Junction\Exception\ServerException;
use Junction\Exception\ServiceException;
use Junction\Exception\TimeoutException;
use Junction\Exception\ValidationException;

/**
 * Says what an answer means. It copes with whatever stands in for one: a proxy's page, an empty body, half of a body.
 *
 * @internal
 */
final class Judge
{
    /** @param array<string, string> $headers by lower-case name */
    public static function response(
        Plan $plan,
        int $attempts,
        int $status,
        array $headers,
        string $body,
    ): Answer|ServiceException {
        $data = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
        if ($status < 200 || $status > 299) {
            $problem = \is_array($data) && !array_is_list($data) ? $data : [];
            return self::refusal(
                new Failure(null, $status, $headers, $body, $problem, $plan->idempotencyKey, $attempts),
            );
        }
        if (!self::isReadable($plan->call->expects, $data, $headers)) {
            $message =
                "The response to {$plan->call->method} {$plan->call->path} is not the expected JSON. "
                . "It may be truncated, or a proxy may have responded instead of the service.";
            return new ConnectionException(
                $message,
                new Failure('response_unreadable', $status, $headers, $body, [], $plan->idempotencyKey, $attempts),
            );
        }
        return new Answer($data, $body, self::info($plan, $attempts, $status, $headers));
    }

    /** @param string $reason why no complete response was received */
    public static function network(Plan $plan, int $attempts, string $reason, bool $timedOut): ServiceException
    {
        $code = $timedOut ? 'timeout' : 'connection_failed';
        $failure = new Failure($code, idempotencyKey: $plan->idempotencyKey, attempts: $attempts);
        return $timedOut ? new TimeoutException($reason, $failure) : new ConnectionException($reason, $failure);
    }

    public static function deadline(Plan $plan, int $attempts): ServiceException
    {
        $failure = new Failure('deadline_exceeded', idempotencyKey: $plan->idempotencyKey, attempts: $attempts);
        return new TimeoutException('The call did not end before its deadline.', $failure);
    }

    private static function refusal(Failure $failure): ServiceException
    {
        $status = (int) $failure->status;
        $code = $failure->code();
        if ($status >= 300 && $status < 400) {
            $message =
                "The response is a redirect ({$status}). Redirects would forward the key, so they are not followed. "
                . 'Check the base URL.';
            return new ConnectionException($message, $failure->withCode('redirect_refused'));
        }
        $said = $failure->text('detail') ?? $failure->text('title') ?? "The service responded with {$status}.";
        $message = $said . $failure->faults();
        return match (true) {
            str_starts_with($code, 'idempotency_') => new IdempotencyException($message, $failure),
            \in_array($status, [400, 413, 415, 422], true) => new ValidationException($message, $failure),
            $status === 401 => new AuthenticationException($message, $failure),
            $status === 403 => new PermissionException($message, $failure),
            $status === 404 => new NotFoundException($message, $failure),
            $status === 408 => new TimeoutException($message, $failure),
            $status === 409 => new ConflictException($message, $failure),
            $status === 429 => new RateLimitException($message, $failure),
            $status >= 500 => new ServerException($message, $failure),
            default => new ServiceException($message, $failure),
        };
    }

    /** @param array<string, string> $headers */
    private static function isReadable(Expects $expects, mixed $data, array $headers): bool
    {
        return match ($expects) {
            Expects::Json => \is_array($data) && ($data === [] || !array_is_list($data)),
            Expects::Nothing, Expects::Text => true,
            Expects::Any => $data !== null || !str_contains($headers['content-type'] ?? '', 'json'),
        };
    }

    /** @param array<string, string> $headers */
    private static function info(Plan $plan, int $attempts, int $status, array $headers): ResponseInfo
    {
        return new ResponseInfo(
            $status,
            $headers,
            $headers['x-service-request-id'] ?? null,
            $plan->idempotencyKey,
            ($headers['idempotent-replayed'] ?? '') === 'true',
            $attempts,
        );
    }
}
