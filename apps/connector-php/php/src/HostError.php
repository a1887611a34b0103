<?php

declare(strict_types=1);

namespace Junction;

/** What a service refused. `getCode()` and `$code` are its stable name, such as `egress_undeclared`. */
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
