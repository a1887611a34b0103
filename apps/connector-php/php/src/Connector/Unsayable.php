<?php

declare(strict_types=1);

namespace Junction\Connector;

/** A value that JSON cannot say, or no line can hold. */
final class Unsayable extends \UnexpectedValueException
{
    /** @param 'invalid'|'too_large' $as the code of a HostError */
    public function __construct(string $message, public readonly string $as)
    {
        parent::__construct($message);
    }
}
