<?php

declare(strict_types=1);

namespace Junction\Exception;

use Junction\Violation;

/**
 * A call failed. The classes below it say how; branch on them or on {@see self::$errorCode}, never on the message.
 *
 * Nothing here holds the API key: the request's headers are left out, and so is an exception of another PSR-18 client.
 */
class ServiceException extends \RuntimeException implements JunctionException
{
    /**
     * The catalogue's code, such as `rate_limited`; unknown ones come as they are. Without one: `http_<status>`,
     * `connection_failed`, `timeout`, `deadline_exceeded`, `redirect_refused` or `response_unreadable`.
     */
    public readonly string $errorCode;

    /** The status of HTTP; null where no answer came. */
    public readonly ?int $status;

    /** Names the request in Junction's logs. */
    public readonly ?string $requestId;

    /** @var array<string, string> the answer's headers, by lower-case name */
    public readonly array $headers;

    /** The answer's body as it came. */
    public readonly string $raw;

    /** @var array<array-key, mixed> the problem document (RFC 9457), unknown members included; empty without one */
    public readonly array $problem;

    /** @var list<Violation> the values at fault, all at once */
    public readonly array $errors;

    /** Whether the same call can succeed later without a change; null where nobody said. */
    public readonly ?bool $retryable;

    /** Seconds after which to try again, where the answer named them. */
    public readonly ?int $retryAfter;

    /** What the write carried. Repeat the call with it, and what it does happens once. */
    public readonly ?string $idempotencyKey;

    /** How many requests were sent. */
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
