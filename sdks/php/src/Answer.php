<?php

declare(strict_types=1);

namespace Junction;

/** What {@see Client::request()} gives. */
final readonly class Answer
{
    public function __construct(
        /** The JSON as arrays; null where the body is empty or not JSON. */
        public mixed $data,
        /** The body as it came. */
        public string $body,
        private ResponseInfo $response,
    ) {}

    public function response(): ResponseInfo
    {
        return $this->response;
    }

    /**
     * @internal
     * @return array<array-key, mixed>
     */
    public function object(): array
    {
        return \is_array($this->data) ? $this->data : [];
    }
}
