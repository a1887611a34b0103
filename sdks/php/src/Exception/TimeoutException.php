<?php

declare(strict_types=1);

namespace Junction\Exception;

/** No whole answer came in time. What was asked for may have happened: repeat it with the same idempotency key. */
final class TimeoutException extends ConnectionException {}
