<?php

declare(strict_types=1);

namespace Junction;

/**
 * A page of a list, and an iterator over the whole list. `foreach` begins with this page and fetches the next ones on
 * demand.
 *
 * @template T
 * @implements \IteratorAggregate<int, T>
 */
final readonly class Page implements \IteratorAggregate, \Countable
{
    /**
     * @param list<T> $data
     * @param \Closure(string): self<T> $fetch
     * @internal
     */
    public function __construct(
        /** The objects of this page. */
        public array $data,
        /** Whether there is another page. */
        public bool $hasMore,
        /** The `cursor` of the next page. */
        public ?string $nextCursor,
        private ResponseInfo $response,
        private \Closure $fetch,
    ) {}

    /**
     * @template I
     * @param \Closure(mixed): ?I $item
     * @param \Closure(string): self<I> $fetch
     * @return self<I>
     * @internal
     */
    public static function of(Answer $answer, \Closure $item, \Closure $fetch): self
    {
        $raw = $answer->object();
        return new self(
            Read::list($raw['data'] ?? null, $item) ?? [],
            ($raw['has_more'] ?? false) === true,
            Read::string($raw['next_cursor'] ?? null),
            $answer->response(),
            $fetch,
        );
    }

    /** Details of the response. */
    public function response(): ResponseInfo
    {
        return $this->response;
    }

    /** @return ?self<T> null after the last page */
    public function next(): ?self
    {
        return $this->hasMore && $this->nextCursor !== null ? ($this->fetch)($this->nextCursor) : null;
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        $index = 0;
        for ($page = $this; $page !== null; $page = $page->next()) {
            foreach ($page->data as $object) {
                yield $index++ => $object;
            }
        }
    }

    /** The number of objects on this page. The length of the whole list is unknown. */
    public function count(): int
    {
        return \count($this->data);
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['data' => $this->data, 'hasMore' => $this->hasMore, 'nextCursor' => $this->nextCursor];
    }
}
