<?php

declare(strict_types=1);

namespace Junction\Http;

/**
 * The headers of one message: found by any spelling of their name, kept in the sender's. A request's hold the API key,
 * so they stay out of dumps, exports and serialized data.
 *
 * @internal
 */
final readonly class Headers
{
    private const NAME = "/^[!#$%&'*+.^_`|~0-9A-Za-z-]+\$/D";

    /** No control characters but the tab: a line break would begin another header. */
    private const VALUE = '/^[\x09\x20-\x7e\x80-\xff]*$/D';

    /** Of `array<string, array{string, list<string>}>`, by lower-case name. */
    private \SensitiveParameterValue $lines;

    /** @param array<string, array{string, list<string>}> $lines */
    private function __construct(#[\SensitiveParameter] array $lines)
    {
        $this->lines = new \SensitiveParameterValue($lines);
    }

    /** @param array<string, string|list<string>> $headers */
    public static function of(#[\SensitiveParameter] array $headers): self
    {
        $lines = [];
        foreach ($headers as $name => $value) {
            $lines[strtolower($name)] = [self::name($name), self::values($value)];
        }
        return new self($lines);
    }

    public function with(mixed $name, #[\SensitiveParameter] mixed $value): self
    {
        return new self([
            ...$this->lines(),
            strtolower(self::name($name)) => [self::name($name), self::values($value)],
        ]);
    }

    public function withAdded(mixed $name, #[\SensitiveParameter] mixed $value): self
    {
        $values = [...$this->get(self::name($name)), ...self::values($value)];
        $spelling = $this->lines()[strtolower(self::name($name))][0] ?? self::name($name);
        return $this->with($spelling, $values);
    }

    public function without(string $name): self
    {
        $lines = $this->lines();
        unset($lines[strtolower($name)]);
        return new self($lines);
    }

    /** The same, before all others: as `Host` should be. */
    public function withFirst(string $name, string $value): self
    {
        return new self([strtolower($name) => [$name, [$value]], ...$this->without($name)->lines()]);
    }

    public function has(string $name): bool
    {
        return isset($this->lines()[strtolower($name)]);
    }

    /** @return list<string> */
    public function get(string $name): array
    {
        return $this->lines()[strtolower($name)][1] ?? [];
    }

    /** @return array<string, list<string>> */
    public function all(): array
    {
        $all = [];
        foreach ($this->lines() as [$name, $values]) {
            $all[$name] = $values;
        }
        return $all;
    }

    /** @return array<string, array{string, list<string>}> */
    private function lines(): array
    {
        /** @var array<string, array{string, list<string>}> $lines */
        $lines = $this->lines->getValue();
        return $lines;
    }

    private static function name(mixed $name): string
    {
        // PHP turns the key of `['123' => …]` into an integer.
        $name = \is_int($name) ? (string) $name : $name;
        if (!\is_string($name) || preg_match(self::NAME, $name) !== 1) {
            throw new \InvalidArgumentException('A header has a name that HTTP does not allow.');
        }
        return $name;
    }

    /** @return list<string> */
    private static function values(#[\SensitiveParameter] mixed $value): array
    {
        $values = \is_array($value) ? array_values($value) : [$value];
        if ($values === []) {
            throw new \InvalidArgumentException('A header needs a value.');
        }
        return array_map(self::value(...), $values);
    }

    private static function value(#[\SensitiveParameter] mixed $value): string
    {
        if (!\is_string($value) && !\is_int($value) && !\is_float($value)) {
            throw new \InvalidArgumentException('The value of a header is not a text.');
        }
        if (preg_match(self::VALUE, (string) $value) !== 1) {
            throw new \InvalidArgumentException('The value of a header has characters that HTTP does not allow.');
        }
        return trim((string) $value, " \t");
    }
}
