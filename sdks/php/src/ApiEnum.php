<?php

declare(strict_types=1);

namespace Junction;

/**
 * The values of a field of the API. A value that this version does not know is the case `Unknown`; the object's `raw()`
 * has its text.
 */
interface ApiEnum
{
    public static function of(string $value): static;
}
