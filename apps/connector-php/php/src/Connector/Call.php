<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\HostError;

/** The access of one hook call to the service. */
final class Call
{
    private const int MOST_LINES = 100;
    private const int LONGEST_MESSAGE = 32_768;
    private const array LEVELS = ['debug', 'info', 'warning', 'error'];

    private readonly int $beganAt;
    private int $lines = 0;
    private bool $ended = false;

    /** @param array{event: ?array<string, mixed>, settings: array<string, mixed>, now: string} $facts */
    public function __construct(
        private readonly Link $link,
        private readonly int $id,
        private readonly array $facts,
    ) {
        $this->beganAt = \hrtime(true);
    }

    /**
     * @param list<mixed> $args
     * @throws HostError
     */
    public function ask(string $service, array $args): mixed
    {
        if ($this->ended) {
            throw new HostError('failed', "$service() was called after the hook had ended.");
        }
        try {
            $answer = $this->link->ask($this->id, $service, $args);
        } catch (Unsayable $error) {
            throw new HostError($error->as, "What $service() was given cannot be sent: {$error->getMessage()}.");
        }
        if ($answer['ok'] !== true) {
            throw new HostError($answer['error']['code'], $answer['error']['message']);
        }
        return $answer['value'];
    }

    /**
     * Logs a line for people. Never throws because of its content.
     *
     * @param array<string, mixed> $fields
     */
    public function log(string $level, string $message, array $fields = []): void
    {
        if (!\in_array($level, self::LEVELS, true)) {
            throw new \ValueError("log() has no level \"$level\": it is debug, info, warning or error.");
        }
        if ($this->ended || ++$this->lines > self::MOST_LINES) {
            return;
        }
        $line = ['t' => 'log', 'call' => $this->id, 'level' => $level, 'message' => self::cut($message)];
        try {
            $this->link->tell($fields === [] ? $line : [...$line, 'fields' => (object) $fields]);
        } catch (Unsayable) {
            $this->link->tell($line);
        }
    }

    public function setting(string $name): mixed
    {
        return $this->facts['settings'][$name] ?? null;
    }

    /** @return ?array<string, mixed> */
    public function event(): ?array
    {
        return $this->facts['event'];
    }

    public function now(): string
    {
        $passed = \intdiv(\hrtime(true) - $this->beganAt, 1_000_000);
        return (new \DateTimeImmutable($this->facts['now']))
            ->modify("+$passed milliseconds")
            ->setTimezone(new \DateTimeZone('UTC'))
            ->format('Y-m-d\TH:i:s.v\Z');
    }

    public function read(string $json): mixed
    {
        return Link::decoded($json);
    }

    /** Logs the number of omitted lines. An instance that outlives the call can no longer use services. */
    public function end(): void
    {
        $more = $this->lines - self::MOST_LINES;
        if ($more > 0) {
            $message = $more === 1 ? '1 more line is left out.' : "$more more lines are left out.";
            $this->link->tell(['t' => 'log', 'call' => $this->id, 'level' => 'warning', 'message' => $message]);
        }
        $this->ended = true;
    }

    private static function cut(string $text): string
    {
        return \substr($text, 0, self::LONGEST_MESSAGE);
    }
}
