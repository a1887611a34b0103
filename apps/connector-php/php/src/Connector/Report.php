<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\HostError;

/** Describes an error for the connector's author. It names only places in the connector's folder. */
final class Report
{
    private const int LONGEST_MESSAGE = 2_000;
    private const int LONGEST_STACK = 8_000;
    private const int MOST_FRAMES = 40;
    private const array CODES = [
        'egress_undeclared',
        'target_refused',
        'timeout',
        'not_declared',
        'too_large',
        'rate_limited',
        'invalid',
        'conflict',
        'failed',
    ];
    private const array NAMES = [
        \E_ERROR => 'Fatal error',
        \E_CORE_ERROR => 'Fatal error',
        \E_COMPILE_ERROR => 'Fatal error',
        \E_USER_ERROR => 'Fatal error',
        \E_RECOVERABLE_ERROR => 'Fatal error',
        \E_PARSE => 'Parse error',
        \E_NOTICE => 'Notice',
        \E_USER_NOTICE => 'Notice',
        \E_DEPRECATED => 'Deprecated',
        \E_USER_DEPRECATED => 'Deprecated',
    ];

    /** @param string $folder the connector's */
    public function __construct(private readonly string $folder)
    {
    }

    /** @return array{message: string, stack: string, code?: string} */
    public function ofThrowable(\Throwable $error): array
    {
        $stack = $this->stack($error);
        $code = $error instanceof HostError && \in_array($error->code, self::CODES, true) ? $error->code : null;
        for ($cause = $error->getPrevious(), $n = 0; $cause !== null && $n < 5; $cause = $cause->getPrevious(), $n++) {
            $stack .= "\ncaused by {$this->said($cause)}\n{$this->stack($cause)}";
        }
        return [
            'message' => self::cut($this->said($error), self::LONGEST_MESSAGE),
            'stack' => self::cut($stack, self::LONGEST_STACK),
            ...($code === null ? [] : ['code' => $code]),
        ];
    }

    /** `Warning: Undefined variable $x (connector.php:12)` */
    public function ofError(int $kind, string $message, string $file, int $line): string
    {
        // The message of a fatal error contains the stack of the uncaught exception.
        $message = \explode("\nStack trace:", $message, 2)[0];
        $name = self::NAMES[$kind] ?? 'Warning';
        $place = $this->place($file, $line);
        $said = self::cut($this->shortened("$name: $message"), self::LONGEST_MESSAGE);
        return $place === null ? $said : "$said ($place)";
    }

    private function said(\Throwable $error): string
    {
        $message = $error->getMessage() === '' ? $error::class : $error->getMessage();
        return $this->shortened($error instanceof \ParseError ? "$message ({$this->placeOf($error)})" : $message);
    }

    private function stack(\Throwable $error): string
    {
        $lines = [$error::class];
        $place = $this->placeOf($error);
        foreach ($error->getTrace() as $frame) {
            if (\count($lines) > self::MOST_FRAMES) {
                break;
            }
            $called = ($frame['class'] ?? '') . ($frame['type'] ?? '') . $frame['function'];
            if ($place !== null) {
                $lines[] = '    at ' . $this->shortened($called) . " ($place)";
            }
            $place = isset($frame['file']) ? $this->place($frame['file'], $frame['line'] ?? 0) : null;
        }
        if (\count($lines) === 1 && $place !== null) {
            $lines[] = "    at $place";
        }
        return \implode("\n", $lines);
    }

    private function placeOf(\Throwable $error): ?string
    {
        return $this->place($error->getFile(), $error->getLine());
    }

    /** Returns null for a path outside of the connector's folder. */
    private function place(string $file, int $line): ?string
    {
        return \str_starts_with($file, "$this->folder/") ? \substr($file, \strlen($this->folder) + 1) . ":$line" : null;
    }

    private function shortened(string $text): string
    {
        $ours = \dirname(__DIR__, 2);
        return \str_replace(["$this->folder/", $this->folder, "$ours/", $ours], ['', '.', '', 'junction'], $text);
    }

    private static function cut(string $text, int $length): string
    {
        return \strlen($text) <= $length ? $text : \substr($text, 0, $length - 3) . '…';
    }
}
