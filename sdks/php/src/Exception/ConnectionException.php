<?php

declare(strict_types=1);

namespace Junction\Exception;

/** No whole answer came. What was asked for may have happened: repeat the call with the same idempotency key. */
class ConnectionException extends ServiceException {}
