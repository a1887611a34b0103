<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The key is good and may not do this (403). */
final class PermissionException extends ServiceException {}
