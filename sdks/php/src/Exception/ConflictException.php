<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The object is in a state that does not allow this (409). */
final class ConflictException extends ServiceException {}
