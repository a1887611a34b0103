<?php

declare(strict_types=1);

namespace Junction\Connector;

/** The lines between this process and the service: docs/reference/connector-protocol.md. */
final class Link
{
    private const int LONGEST = 4_194_304;
    private const int DEEPEST = 64;
    private const int WRITTEN = \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION
        | \JSON_THROW_ON_ERROR;

    private int $services = 0;

    /**
     * @param \Closure(string): void $write a line, without its end
     * @param \Closure(): ?string $read the next line, with or without its end; null after the last one
     */
    public function __construct(
        private readonly \Closure $write,
        private readonly \Closure $read,
    ) {
    }

    /**
     * Sends a message for programs. A value that JSON cannot represent exactly is refused.
     *
     * @param array<string, mixed> $message
     * @throws Unsayable
     */
    public function send(array $message): void
    {
        try {
            $line = \json_encode($message, self::WRITTEN, self::DEEPEST);
        } catch (\JsonException $error) {
            throw new Unsayable(match ($error->getCode()) {
                \JSON_ERROR_UTF8 => 'text is not UTF-8; give bytes as base64',
                \JSON_ERROR_INF_OR_NAN => 'INF and NAN are no numbers of JSON',
                \JSON_ERROR_DEPTH => 'it nests deeper than 60 levels',
                \JSON_ERROR_RECURSION => 'it contains itself',
                \JSON_ERROR_UNSUPPORTED_TYPE => 'a resource is no value of JSON',
                default => $error->getMessage(),
            }, 'invalid');
        }
        $this->write($line);
    }

    /**
     * Sends a message for people. Content that JSON cannot represent is replaced or left out.
     *
     * @param array<string, mixed> $message
     */
    public function tell(array $message): void
    {
        $flags = self::WRITTEN & ~\JSON_THROW_ON_ERROR | \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_PARTIAL_OUTPUT_ON_ERROR;
        $this->write((string) \json_encode($message, $flags, self::DEEPEST));
    }

    /**
     * Returns the next message of the service, or null after the last one.
     *
     * @return ?array<string, mixed>
     */
    public function receive(): ?array
    {
        $line = ($this->read)();
        return $line === null ? null : (array) self::decoded($line, \JSON_THROW_ON_ERROR);
    }

    /**
     * Calls a service, and waits for the response.
     *
     * @param list<mixed> $args
     * @return array<string, mixed>
     * @throws Unsayable
     */
    public function ask(int $call, string $name, array $args): array
    {
        $id = ++$this->services;
        $this->send(['t' => 'service', 'id' => $id, 'call' => $call, 'name' => $name, 'args' => $args]);
        $answer = $this->receive();
        if ($answer === null) {
            exit(0);
        }
        if (($answer['t'] ?? null) !== 'answer' || ($answer['id'] ?? null) !== $id) {
            throw new \LogicException('The service answered what was not asked.');
        }
        return $answer;
    }

    /** Parses JSON: objects are arrays, integers of more than 64 bits are text. Returns null if it is not JSON. */
    public static function decoded(string $json, int $flags = 0): mixed
    {
        return \json_decode($json, true, 512, \JSON_BIGINT_AS_STRING | $flags);
    }

    /** @throws Unsayable */
    private function write(string $line): void
    {
        if (\strlen($line) >= self::LONGEST) {
            throw new Unsayable('it is larger than 4 MiB as JSON', 'too_large');
        }
        ($this->write)($line);
    }
}
