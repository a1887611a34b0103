<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The idempotency key is malformed, was used for another request, or its request is still running (400, 409, 422). */
final class IdempotencyException extends ServiceException {}
