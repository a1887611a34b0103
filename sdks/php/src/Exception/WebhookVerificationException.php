<?php

declare(strict_types=1);

namespace Junction\Exception;

/** A request is not an authentic delivery of Junction, or is too old. Respond with 401, and do nothing else. */
final class WebhookVerificationException extends \RuntimeException implements JunctionException
{
    /** @internal */
    public function __construct(
        /**
         * `secret_missing`, `secret_invalid`, `signature_missing`, `timestamp_missing`, `timestamp_invalid`,
         * `signature_invalid`, `timestamp_out_of_range` or `body_invalid`.
         */
        public readonly string $reason,
        string $message,
    ) {
        parent::__construct($message);
    }
}
