<?php

declare(strict_types=1);

namespace Junction;

/**
 * An object of the API. It is read leniently: what is missing or of another type than the contract says is left unset,
 * what this version does not know is in {@see self::raw()}, and an unknown value of an enum is its case `Unknown`.
 *
 * @phpstan-consistent-constructor
 */
abstract readonly class Model implements \JsonSerializable
{
    /** @param array<array-key, mixed> $raw */
    public function __construct(
        private array $raw,
        private ?ResponseInfo $response = null,
    ) {}

    /** @return array<array-key, mixed> everything as it came, fields that this version does not know included */
    public function raw(): array
    {
        return $this->raw;
    }

    /** What came with the answer; null for an object within another. */
    public function response(): ?ResponseInfo
    {
        return $this->response;
    }

    /** @return array<array-key, mixed>|\stdClass as it came */
    public function jsonSerialize(): array|\stdClass
    {
        return $this->raw === [] ? new \stdClass() : $this->raw;
    }
}
