<?php

declare(strict_types=1);

namespace Junction;

/** Marks a field that is not sent, for parameters whose null has a meaning. It is the default of these parameters. */
enum Omit
{
    case Value;
}
