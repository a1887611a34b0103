<?php

declare(strict_types=1);

namespace Junction\Exception;

/** No complete response was received. The call may have taken effect. Repeat it with the same idempotency key. */
class ConnectionException extends ServiceException {}
