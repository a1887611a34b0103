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
    private const string SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

    public function testDeliveryReachesTheHandlerWithItsMessageAndBody(): void
    {
        $body = Fixtures::delivery('shop.opened', ['door' => 2]);
        $request = new ServerRequest('POST', '/hook', Webhooks::sign($body, self::SECRET), $body);
        $response = new VerifyWebhook(self::SECRET)->process($request, self::handler());
        self::assertSame(200, $response->getStatusCode());
        self::assertSame("shop.opened 2 {$body}", (string) $response->getBody());
    }

    public function testAnythingElseIsRefusedBeforeTheHandler(): void
    {
        $body = Fixtures::delivery('shop.opened', []);
        $request = new ServerRequest('POST', '/hook', Webhooks::sign($body, self::SECRET), "{$body} ");
        $response = new VerifyWebhook(self::SECRET, responses: new Psr17Factory())->process($request, self::handler());
        self::assertSame(401, $response->getStatusCode());
        self::assertSame('signature_invalid', (string) $response->getBody());
    }

    public function testSecretThatIsNoneIsFoundAtTheStart(): void
    {
        $this->expectException(WebhookVerificationException::class);
        new VerifyWebhook('jn_live_key');
    }

    private static function handler(): RequestHandlerInterface
    {
        return new class implements RequestHandlerInterface {
            public function handle(ServerRequestInterface $request): ResponseInterface
            {
                $message = $request->getAttribute(WebhookMessage::class);
                $text = "{$message->event} {$message->data['door']} {$request->getBody()}";
                return new Psr17Factory()
                    ->createResponse()
                    ->withBody(new Psr17Factory()->createStream($text));
            }
        };
    }
}
