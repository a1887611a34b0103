<?php

declare(strict_types=1);

namespace Junction\Exception;

/** No complete response in time. The call may have taken effect. Repeat it with the same idempotency key. */
final class TimeoutException extends ConnectionException {}
