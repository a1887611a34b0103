<?php

declare(strict_types=1);

namespace Junction;

/** Where null has a meaning of its own, this says that a field is not sent at all. It is such parameters' default. */
enum Omit
{
    case Value;
}
