<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Exception\WebhookVerificationException;
use Junction\Psr15\VerifyWebhook;
use Junction\Testing\Fixtures;
use Junction\Type\WebhookMessage;
use Junction\Webhooks;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\ServerRequest;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

final class Psr15Test extends TestCase
{
    private const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

    public function testDeliveryReachesTheHandlerWithItsMessageAndBody(): void
    {
        $body = Fixtures::delivery('shop.opened', ['door' => 2]);
        $request = new ServerRequest('POST', '/hook', Webhooks::sign($body, self::SECRET), $body);
        $response = (new VerifyWebhook(self::SECRET))->process($request, self::handler());
        self::assertSame(200, $response->getStatusCode());
        self::assertSame("shop.opened 2 {$body}", (string) $response->getBody());
    }

    public function testAnythingElseIsRefusedBeforeTheHandler(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $request = new ServerRequest('POST', '/hook', Webhooks::sign($body, self::SECRET), "{$body} ");
        $middleware = new VerifyWebhook(self::SECRET, responses: new Psr17Factory());
        $response = $middleware->process($request, self::handler());
        self::assertSame(Vectors::read('webhooks')['receivers']['status'], $response->getStatusCode());
        self::assertSame('signature_invalid', (string) $response->getBody());
    }

    public function testUnsignedRequestIsRefusedWithTheStatusOfTheVector(): void
    {
        $response = (new VerifyWebhook(self::SECRET))->process(new ServerRequest('POST', '/hook'), self::handler());
        self::assertSame(Vectors::read('webhooks')['receivers']['status'], $response->getStatusCode());
        self::assertSame('signature_missing', (string) $response->getBody());
    }

    public function testFaultOfTheReceiverIsThrownAtTheStart(): void
    {
        $secrets = ['secret_missing' => [], 'secret_invalid' => 'jn_live_no_secret'];
        self::assertSame(Vectors::read('webhooks')['receivers']['raised'], array_keys($secrets));
        foreach ($secrets as $reason => $secret) {
            try {
                new VerifyWebhook($secret);
                self::fail('It was taken.');
            } catch (WebhookVerificationException $refusal) {
                self::assertSame($reason, $refusal->reason);
            }
        }
    }

    private static function handler(): RequestHandlerInterface
    {
        return new class implements RequestHandlerInterface {
            public function handle(ServerRequestInterface $request): ResponseInterface
            {
                $message = $request->getAttribute(WebhookMessage::class);
                $text = "{$message->event} {$message->data['door']} {$request->getBody()}";
                $factory = new Psr17Factory();
                return $factory->createResponse()->withBody($factory->createStream($text));
            }
        };
    }
}
