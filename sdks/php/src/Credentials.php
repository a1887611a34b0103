<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;

/**
 * The credentials of the caller. PHP itself keeps them out of dumps, exports and serialized data.
 *
 * @internal
 */
final readonly class Credentials
{
    /** Of ?string; null where only the key's id is sent. */
    private \SensitiveParameterValue $apiKey;

    /** Of ?string; null where requests are not signed. */
    private \SensitiveParameterValue $signingSecret;

    private function __construct(
        #[\SensitiveParameter]
        ?string $apiKey,
        private ?string $keyId,
        #[\SensitiveParameter]
        ?string $signingSecret,
    ) {
        $this->apiKey = new \SensitiveParameterValue($apiKey);
        $this->signingSecret = new \SensitiveParameterValue($signingSecret);
    }

    public static function of(
        #[\SensitiveParameter]
        ?string $apiKey,
        ?string $keyId,
        #[\SensitiveParameter]
        ?string $signingSecret,
        bool $sign,
    ): self {
        $key = $apiKey ?? ($keyId === null ? Environment::read('JUNCTION_API_KEY') : null);
        $secret = $signingSecret ?? Environment::read('JUNCTION_SIGNING_SECRET');
        self::refuseUnfit($key, 'The API key');
        self::refuseUnfit($keyId, 'keyId');
        self::refuseUnfit($secret, 'The signing secret');
        if ($key !== null) {
            self::refuseMistyped($key);
            // A key without a signing secret signs with its own text.
            return new self($key, null, $sign ? $secret ?? $key : null);
        }
        if ($keyId === null) {
            throw new ConfigurationException(
                'The API key is missing. Pass apiKey, or set JUNCTION_API_KEY.',
            );
        }
        if ($secret === null || !$sign) {
            throw new ConfigurationException(
                'keyId requires a signature. Also set signingSecret, and do not turn off sign.',
            );
        }
        return new self(null, $keyId, $secret);
    }

    /** @return array<string, string> */
    public function headers(): array
    {
        $apiKey = self::text($this->apiKey);
        return $apiKey === null ? ['X-Service-Key' => $this->keyId ?? ''] : ['Authorization' => "Bearer {$apiKey}"];
    }

    /** @return ?string null if requests are not signed */
    public function signature(string $stringToSign): ?string
    {
        $secret = self::text($this->signingSecret);
        return $secret === null ? null : Signing::sign($secret, $stringToSign);
    }

    /** Returns the text with all secrets replaced by ***. */
    public function redact(#[\SensitiveParameter] string $text): string
    {
        foreach ([$this->apiKey, $this->signingSecret] as $hidden) {
            $text = str_replace(self::text($hidden) ?? '', '***', $text);
        }
        return $text;
    }

    private static function refuseUnfit(#[\SensitiveParameter] ?string $text, string $name): void
    {
        if ($text !== null && preg_match('/^[!-~]+$/D', $text) !== 1) {
            throw new ConfigurationException(
                "{$name} must not be empty or contain spaces, line breaks or other characters that keys do not have.",
            );
        }
    }

    /** Refuses a mistyped key, so that it is neither sent nor counted as a failed authentication. */
    private static function refuseMistyped(#[\SensitiveParameter] string $key): void
    {
        if (preg_match('/^jn_(?:live|test)_/', $key) !== 1) {
            throw new ConfigurationException('The API key must begin with jn_live_ or jn_test_.');
        }
        if (!Signing::isWholeKey($key)) {
            throw new ConfigurationException(
                'The API key is mistyped: its checksum, the last six characters, does not match. Copy the key again.',
            );
        }
    }

    private static function text(\SensitiveParameterValue $hidden): ?string
    {
        $text = $hidden->getValue();
        return \is_string($text) ? $text : null;
    }
}
