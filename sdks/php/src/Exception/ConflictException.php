<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The object's state does not allow this operation (409). */
final class ConflictException extends ServiceException {}
