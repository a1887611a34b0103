<?php

declare(strict_types=1);

namespace Junction;

/** Thrown if a service refuses a request. `getCode()` and `$code` are stable, such as `egress_undeclared`. */
final class HostError extends \RuntimeException
{
    /** @var string */
    public $code = 'failed';

    public function __construct(string $code, string $message)
    {
        parent::__construct($message);
        $this->code = $code;
    }
}
