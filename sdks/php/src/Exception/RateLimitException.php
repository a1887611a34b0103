<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The rate limit is exceeded (429). {@see ServiceException::$retryAfter} is the number of seconds to wait. */
final class RateLimitException extends ServiceException {}
