<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\Executed;
use Junction\PendingConfirmation;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use Junction\Type\Delivery;
use Junction\Type\DeliveryState;
use Junction\Type\ReplayCount;
use Junction\Type\ReplayJob;
use Junction\Type\SubscriberRefKind;
use PHPUnit\Framework\TestCase;

/** How answers are read. */
final class AnswersTest extends TestCase
{
    private MockTransport $mock;

    private Client $client;

    protected function setUp(): void
    {
        $this->mock = new MockTransport();
        $this->client = new Client(Fixtures::API_KEY, 'https://junction.test', httpClient: $this->mock);
    }

    public function testAnswerIsTyped(): void
    {
        $fired = $this->client->events->fire('order.created', []);
        self::assertTrue($fired->canonical);
        self::assertSame('2026-11-21T13:00:00.000Z', $fired->occurredAt->format('Y-m-d\TH:i:s.v\Z'));
        self::assertSame(SubscriberRefKind::Projection, $fired->subscribers[0]->kind);
        self::assertSame('req_test', $fired->response()?->requestId);
        self::assertSame(202, $fired->response()->status);
        self::assertNull($fired->subscribers[0]->response());
    }

    public function testTheOutcomesOfAnActionAreToldApart(): void
    {
        $proposal = ['id' => 'prop_1', 'action' => 'a.b', 'state' => 'proposed'];
        $this->mock->answer(200, ['id' => 'run_1', 'action' => 'a.b', 'status' => 'executed', 'result' => [1]]);
        $this->mock->answer(202, ['action' => 'a.b', 'status' => 'pending_confirmation', 'proposal' => $proposal]);
        $this->mock->answer(202, ['id' => 'run_2', 'action' => 'a.b', 'status' => 'queued']);
        $this->mock->answer(200, ['action' => 'a.b', 'status' => 'executed']);
        $runs = array_map(fn(): mixed => $this->client->actions->run('a.b'), range(1, 4));
        self::assertSame([[1], null, null, null], array_map(static fn($run) => Executed::of($run)?->result, $runs));
        $pending = array_map(static fn($run) => PendingConfirmation::of($run)?->proposal->id, $runs);
        self::assertSame([null, 'prop_1', null, null], $pending);
    }

    public function testWhatIsNotKnownSurvives(): void
    {
        $this->mock->answer(200, Fixtures::answer('deliveries.get', [
            'state' => 'pondering',
            'mood' => ['good' => true],
        ]));
        $delivery = $this->client->deliveries->get('dlv_1');
        self::assertSame(DeliveryState::Unknown, $delivery->state);
        self::assertSame('pondering', $delivery->raw()['state']);
        self::assertSame(['good' => true], $delivery->raw()['mood']);
        self::assertStringContainsString('"mood":{"good":true}', (string) json_encode($delivery));
    }

    public function testWhatIsMissingOrMistypedIsUnsetAndTheRestIsThere(): void
    {
        $this->mock->answer(200, [
            'id' => 'dlv_1',
            'attempt_count' => 'many',
            'created_at' => 'some day',
            'last_status_code' => '503',
        ]);
        $delivery = $this->client->deliveries->get('dlv_1');
        self::assertSame('dlv_1', $delivery->id);
        self::assertFalse(isset($delivery->attemptCount) || isset($delivery->createdAt) || isset($delivery->event));
        self::assertNull($delivery->lastStatusCode);
        self::assertSame('many', $delivery->raw()['attempt_count']);
    }

    public function testStatusTellsWhichOfSeveralTypesCame(): void
    {
        $replay = function (int $status, array $answer): ReplayCount|ReplayJob {
            $this->mock->answer($status, $answer);
            return $this->client->webhookEndpoints->replayFailed(
                'ep_1',
                '2026-11-01T00:00:00Z',
                '2026-11-02T00:00:00Z',
            );
        };
        self::assertInstanceOf(ReplayJob::class, $replay(202, ['count' => 3, 'job_id' => 'job_1']));
        self::assertInstanceOf(ReplayCount::class, $replay(200, ['count' => 3]));
    }

    public function testListIsAPageAndAnIterator(): void
    {
        $page = static fn(array $ids, ?string $next): array => [
            'object' => 'list',
            'data' => array_map(static fn(string $id): array => ['id' => $id], $ids),
            'has_more' => $next !== null,
            'next_cursor' => $next,
        ];
        $this->mock->answer(200, $page(['dlv_1', 'dlv_2'], 'c1'))->answer(200, $page(['dlv_3'], null));
        $list = $this->client->deliveries->list(limit: 2);
        self::assertCount(2, $list);
        self::assertCount(1, $this->mock->requests);
        $all = iterator_to_array($list);
        self::assertContainsOnlyInstancesOf(Delivery::class, $all);
        self::assertSame(['dlv_1', 'dlv_2', 'dlv_3'], array_column($all, 'id'));
        self::assertNull($list->next()?->next());
        self::assertSame('limit=2&cursor=c1', $this->mock->requests[1]->getUri()->getQuery());
    }

    public function testDumpOfAnAnswerShowsIt(): void
    {
        self::assertStringContainsString('evt_', print_r($this->client->events->fire('a.b', []), true));
        self::assertStringContainsString('dlv_', print_r($this->client->deliveries->list(), true));
    }
}
