<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The key is valid, but is not allowed to do this (403). */
final class PermissionException extends ServiceException {}
