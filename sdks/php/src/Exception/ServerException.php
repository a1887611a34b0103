<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The service failed, or a proxy responded instead (5xx, or a response that is not JSON). */
final class ServerException extends ServiceException {}
