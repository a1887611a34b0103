<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The call is not what the service takes (400, 413, 415, 422); {@see ServiceException::$errors} says which values. */
final class ValidationException extends ServiceException {}
