<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\EventName;
use Junction\Exception\ConfigurationException;
use Junction\Exception\WebhookVerificationException;
use Junction\Http\Request;
use Junction\Http\Stream;
use Junction\Testing\Fixtures;
use Junction\Type\Environment;
use Junction\Webhooks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class WebhooksTest extends TestCase
{
    private const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

    private const OTHER = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function deliveries(): iterable
    {
        return Vectors::named(Vectors::read('webhooks')['cases']);
    }

    /** @param array<string, mixed> $case */
    #[DataProvider('deliveries')]
    public function testDeliveryIsJudgedAsTheVectorSays(array $case): void
    {
        $body = $case['body'] ?? base64_decode($case['body_base64'], true);
        $verify = static fn() => Webhooks::verify(
            $body,
            $case['headers'],
            $case['secrets'],
            $case['tolerance'] ?? 300,
            $case['now'],
        );
        if (!isset($case['reason'])) {
            $message = $verify();
            self::assertSame('order.created', $message->event);
            foreach ($case['integers'] ?? [] as $name => $digits) {
                self::assertSame($digits, (string) $message->data[$name]);
            }
            return;
        }
        try {
            $verify();
            self::fail('It was taken.');
        } catch (WebhookVerificationException $refusal) {
            self::assertSame($case['reason'], $refusal->reason);
        }
    }

    public function testSignatureIsWhatTheVectorSays(): void
    {
        $case = Vectors::read('signing')['webhook'];
        $headers = Webhooks::sign($case['body'], $case['secret'], $case['delivery_id'], $case['timestamp']);
        self::assertSame($case['x_service_signature'], $headers['X-Service-Signature']);
        self::assertSame($case['webhook_signature'], $headers['webhook-signature']);
    }

    public function testWhatIsSignedIsTaken(): void
    {
        $body = Fixtures::delivery(EventName::OrderCreated);
        $message = Webhooks::verify($body, Webhooks::sign($body, self::SECRET), self::SECRET);
        self::assertSame('order.created', $message->event);
        self::assertSame('ord_10482', $message->data['order']['external_id']);
        self::assertSame(Environment::Sandbox, $message->environment);
        self::assertSame('2026-11-21', $message->timestamp->format('Y-m-d'));
    }

    public function testClientHasTheChecksBesideTheTester(): void
    {
        $webhooks = (new Client(Fixtures::API_KEY))->webhooks;
        $body = Fixtures::delivery('shop.opened', []);
        $message = $webhooks->verify($body, $webhooks->sign($body, self::SECRET), self::SECRET);
        self::assertSame('shop.opened', $message->event);
    }

    public function testReceiverWithEitherSecretTakesADeliveryWhileTheSecretIsChanged(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $headers = Webhooks::sign($body, [self::OTHER, self::SECRET]);
        foreach ([self::SECRET, self::OTHER, [self::SECRET, self::OTHER]] as $secrets) {
            self::assertSame('shop.opened', Webhooks::verify($body, $headers, $secrets)->event);
        }
    }

    public function testHeadersAreFoundWhereverPhpHasThem(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $signed = Webhooks::sign($body, self::SECRET);
        $server = [];
        foreach ($signed as $name => $value) {
            $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
        }
        $symfony = array_map(static fn(string $value): array => [$value], array_change_key_case($signed));
        $pairs = array_map(null, array_keys($signed), array_values($signed));
        $shapes = [
            $signed,
            $server,
            $symfony,
            new Request('POST', '/hook', $signed, $body),
            new \ArrayIterator($symfony),
            $pairs,
            [...$signed, 'webhook-timestamp' => (int) $signed['webhook-timestamp']],
            [...$signed, 'X-Null' => null, 'X-Object' => new \stdClass(), 'X-Nested' => [[]], 7 => 'x'],
        ];
        foreach ($shapes as $headers) {
            self::assertSame('shop.opened', Webhooks::verify($body, $headers, self::SECRET)->event);
        }
    }

    public function testSignatureHeaderMayComeInParts(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $signed = Webhooks::sign($body, self::SECRET);
        $right = $signed['webhook-signature'];
        foreach ([['v1,AAAA', $right], [$right, 'v1,AAAA'], ["v1,AAAA {$right}"], ["v1,AAAA,  {$right}"]] as $parts) {
            $headers = [...$signed, 'webhook-signature' => $parts];
            self::assertSame('shop.opened', Webhooks::verify($body, $headers, self::SECRET)->event);
        }
    }

    public function testMissingHeadersAndSecretsAreNamed(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $signed = Webhooks::sign($body, self::SECRET);
        $reason = static function (mixed $headers, mixed $secrets) use ($body): string {
            try {
                Webhooks::verify($body, $headers, $secrets);
            } catch (WebhookVerificationException $refusal) {
                return $refusal->reason;
            }
            return 'taken';
        };
        foreach ([null, [], [[]], [1], [['a', 'b', 'c']], ['webhook-id: x'], ['headers' => $signed]] as $headers) {
            self::assertSame('signature_missing', $reason($headers, self::SECRET));
        }
        foreach ([null, [], [null], [self::SECRET, null]] as $secrets) {
            self::assertSame('secret_missing', $reason($signed, $secrets));
        }
        foreach (['', 'whsec_', [''], [7], [[self::SECRET]]] as $secrets) {
            self::assertSame('secret_invalid', $reason($signed, $secrets));
        }
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function parsedBodies(): iterable
    {
        yield 'an array' => [['event' => 'order.created'], 'array'];
        yield 'an object' => [(object) ['event' => 'order.created'], 'stdClass'];
        yield 'a stream' => [new Stream('{}'), Stream::class];
        yield 'nothing' => [null, 'null'];
    }

    #[DataProvider('parsedBodies')]
    public function testBodyThatWasParsedIsRefusedWithAnExplanation(mixed $body, string $type): void
    {
        $this->expectException(ConfigurationException::class);
        $this->expectExceptionMessage(
            "The body is {$type}, but the signature covers the exact received bytes. Pass the raw text",
        );
        Webhooks::verify($body, [], self::SECRET);
    }

    public function testNumbersThatPhpCannotHoldKeepTheirDigits(): void
    {
        $body = '{"event":"a.b","data":{"big":12345678901234567890}}';
        $message = Webhooks::verify($body, Webhooks::sign($body, self::SECRET), self::SECRET);
        self::assertSame('12345678901234567890', $message->data['big']);
    }

    public function testSecretIsInNoMessage(): void
    {
        try {
            Webhooks::verify('{}', Webhooks::sign('{}', self::SECRET), self::OTHER);
            self::fail('It was taken.');
        } catch (WebhookVerificationException $refusal) {
            self::assertStringNotContainsString(substr(self::OTHER, 6, 20), print_r($refusal, true) . $refusal);
        }
    }
}
