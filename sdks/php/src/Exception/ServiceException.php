<?php

declare(strict_types=1);

namespace Junction\Exception;

use Junction\Violation;

/**
 * A failed call. Branch on its subclasses or on {@see self::$errorCode}, never on the message.
 *
 * It never contains the API key: it omits the request's headers and the exceptions of other PSR-18 clients.
 */
class ServiceException extends \RuntimeException implements JunctionException
{
    /**
     * The code of the error catalog, such as `rate_limited`. Unknown codes are passed through. Without a code:
     * `http_<status>`, `connection_failed`, `timeout`, `deadline_exceeded`, `redirect_refused` or
     * `response_unreadable`.
     */
    public readonly string $errorCode;

    /** The HTTP status. Null without a response. */
    public readonly ?int $status;

    /** The id of the request in Junction's logs. */
    public readonly ?string $requestId;

    /** @var array<string, string> the response headers, by lower-case name */
    public readonly array $headers;

    /** The body of the response, as it was received. */
    public readonly string $raw;

    /** @var array<array-key, mixed> the problem document (RFC 9457), unknown members included; empty without one */
    public readonly array $problem;

    /** @var list<Violation> all invalid values */
    public readonly array $errors;

    /** Whether the same call can succeed later without a change. Null if unknown. */
    public readonly ?bool $retryable;

    /** The number of seconds after which to retry, if the response contains it. */
    public readonly ?int $retryAfter;

    /** The idempotency key of the write. Repeat the call with this key, so that it takes effect only once. */
    public readonly ?string $idempotencyKey;

    /** The number of requests that were sent. */
    public readonly int $attempts;

    /** @internal */
    final public function __construct(string $message, Failure $failure = new Failure('unknown'))
    {
        parent::__construct($message, $failure->status ?? 0);
        $this->errorCode = $failure->code();
        $this->status = $failure->status;
        $this->requestId = $failure->requestId();
        $this->headers = $failure->headers;
        $this->raw = $failure->raw;
        $this->problem = $failure->problem;
        $this->errors = $failure->violations();
        $this->retryable = $failure->retryable();
        $this->retryAfter = RetryAfter::seconds($failure->headers['retry-after'] ?? '', time());
        $this->idempotencyKey = $failure->idempotencyKey;
        $this->attempts = $failure->attempts;
    }
}
