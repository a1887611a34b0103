<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The service failed, or something on the way answered in its place (5xx, or an answer that is not JSON). */
final class ServerException extends ServiceException {}
