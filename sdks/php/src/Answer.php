<?php

declare(strict_types=1);

namespace Junction;

/** The result of {@see Client::request()}. */
final readonly class Answer
{
    public function __construct(
        /** The JSON as arrays. Null if the body is empty or not JSON. */
        public mixed $data,
        /** The body as it was received. */
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
