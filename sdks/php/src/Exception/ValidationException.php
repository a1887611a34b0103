<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The request is not valid (400, 413, 415, 422). {@see ServiceException::$errors} contains the invalid values. */
final class ValidationException extends ServiceException {}
