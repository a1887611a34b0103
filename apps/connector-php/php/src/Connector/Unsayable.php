<?php

declare(strict_types=1);

namespace Junction\Connector;

/** Thrown for a value that JSON cannot represent, or that is too long for a line. */
final class Unsayable extends \UnexpectedValueException
{
    /** @param 'invalid'|'too_large' $as the code of a HostError */
    public function __construct(string $message, public readonly string $as)
    {
        parent::__construct($message);
    }
}
