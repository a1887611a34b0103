<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The limit is used up (429); {@see ServiceException::$retryAfter} says for how many seconds. */
final class RateLimitException extends ServiceException {}
