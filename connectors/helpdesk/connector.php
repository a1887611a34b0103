<?php

declare(strict_types=1);

use Junction\AbstractConnector;

/** Tickets of a Roundup tracker of the classic kind, by its REST API. */
final class Helpdesk extends AbstractConnector
{
    private const DAY_SECONDS = 86_400;
    private const PAGE = 50;
    private const MOST_TICKETS = 100;

    /** The tracker's words and ours. */
    private const PRIORITIES = ['low' => 'wish', 'normal' => 'bug', 'high' => 'urgent', 'urgent' => 'critical'];
    private const SHOWN_PRIORITIES = [
        'wish' => 'low', 'feature' => 'normal', 'bug' => 'normal', 'urgent' => 'high', 'critical' => 'urgent',
    ];
    private const SHOWN_STATUSES = [
        'deferred' => 'on_hold', 'need-eg' => 'pending', 'testing' => 'pending', 'done-cbb' => 'resolved',
    ];

    public function key(): string
    {
        return 'helpdesk';
    }

    public function identityProviders(): array
    {
        return ['helpdesk' => 'findUser'];
    }

    public function contextProviders(): array
    {
        return ['tickets' => 'ticketsOf'];
    }

    public function registerActions(): array
    {
        return [
            'helpdesk.create_ticket' => 'createTicket',
            'helpdesk.close_ticket' => 'closeTicket',
            'helpdesk.close_ticket:undo' => 'reopenTicket',
        ];
    }

    /** Made once for each run, however often it is tried: the first message carries the run's key. */
    public function createTicket(array $parameters, array $run): array
    {
        $user = isset($parameters['email']) ? $this->requester($parameters['email'], $parameters['name'] ?? null) : null;
        $message = $this->messageOnce($run['idempotency_key'], $parameters['message'], $user);
        $issue = $this->issueOnce($run['idempotency_key'], $message, array_filter([
            'title' => $parameters['subject'],
            'messages' => [$message],
            'nosy' => $user === null ? null : [$user],
            'priority' => $this->priorityOf($parameters['priority'] ?? null),
        ], static fn (mixed $value): bool => $value !== null));
        $ticket = $this->ticketFrom($this->issue($issue));
        $this->fire('ticket.created', array_filter([
            'ticket' => $ticket,
            'customer' => $user === null ? null : $this->customer($parameters, $user),
            'channel' => 'api',
            'message' => $parameters['message'],
        ]));
        return ['ticket_id' => $ticket['external_id'], 'url' => $this->url("/issue$issue"), 'status' => $ticket['status']];
    }

    public function closeTicket(array $parameters, array $run): array
    {
        $id = $this->issueNumber($parameters['ticket_id']);
        $issue = $this->issue($id);
        $closed = $this->settings('closed_status');
        $before = $issue['attributes']['status']['name'] ?? null;
        if ($before !== $closed) {
            $message = isset($parameters['message']) ? $this->messageOnce($run['idempotency_key'], $parameters['message']) : null;
            $messages = array_column($issue['attributes']['messages'], 'id');
            $this->change($issue, array_filter([
                'status' => $closed,
                'messages' => $message === null ? null : array_values(array_unique([...$messages, $message])),
            ]));
            // Should what comes now fail, the next try has to know what it was.
            $this->kv->set("before:{$run['id']}", $before, ['ttl_seconds' => self::DAY_SECONDS]);
        }
        $before = $this->kv->get("before:{$run['id']}") ?? $before;
        $this->fire('ticket.resolved', array_filter([
            'ticket' => [...$this->ticketFrom($this->issue($id)), 'status' => 'resolved'],
            'resolution' => $parameters['message'] ?? null,
            'resolved_at' => $this->now(),
        ]));
        return ['ticket_id' => "issue$id", 'status' => $closed, 'previous_status' => $before];
    }

    public function reopenTicket(array $parameters, array $run): array
    {
        $id = $this->issueNumber($parameters['ticket_id']);
        $issue = $this->issue($id);
        $status = $run['result']['previous_status'] ?? null;
        if ($status !== ($issue['attributes']['status']['name'] ?? null)) {
            $this->change($issue, ['status' => $status]);
        }
        $this->fire('ticket.reopened', ['ticket' => $this->ticketFrom($this->issue($id))]);
        return ['ticket_id' => "issue$id", 'status' => $status];
    }

    /** The customer's tickets, the last touched first. */
    public function ticketsOf(array $customer): array
    {
        $email = $customer['email'] ?? null;
        $user = is_string($email) ? $this->userByEmail($email) : null;
        if ($user === null) {
            return [];
        }
        $tickets = [];
        for ($page = 1; count($tickets) < self::MOST_TICKETS; $page++) {
            $found = $this->read('/issue', [
                'nosy' => $user,
                '@sort' => '-activity',
                '@fields' => 'title,status,priority,assignedto',
                '@verbose' => '2',
                '@page_size' => (string) self::PAGE,
                '@page_index' => (string) $page,
            ]);
            foreach ($found['collection'] as $row) {
                $tickets[] = $this->ticketFrom(['id' => $row['id'], 'attributes' => $row]);
            }
            if (count($found['collection']) < self::PAGE) {
                break;
            }
        }
        return $tickets;
    }

    /** Somebody by the tracker's user name or by e-mail address. */
    public function findUser(string $identifier): ?array
    {
        $by = str_contains($identifier, '@') ? 'address:' : 'username:';
        $found = $this->read('/user', [$by => $identifier, '@fields' => 'address,realname,phone', '@page_size' => '2']);
        if (count($found['collection']) !== 1) {
            return null;
        }
        $user = $found['collection'][0];
        return array_filter([
            'external_id' => $this->externalIdOf($user['id']),
            'email' => $user['address'] ?? null,
            'phone' => $user['phone'] ?? null,
            'name' => $user['realname'] ?? null,
        ]);
    }

    public function tryAccess(): array
    {
        $statuses = array_column($this->read('/status', ['@fields' => 'name'])['collection'], 'name');
        $closed = $this->settings('closed_status');
        if (!in_array($closed, $statuses, true)) {
            return ['ok' => false, 'message' => "The tracker has no status \"$closed\". Set closed_status to one of: " . implode(', ', $statuses) . '.'];
        }
        return ['ok' => true, 'message' => 'Roundup lets the user in, and closed tickets get a status that it has.'];
    }

    /** The person as the platform knows them, else as the tracker does. */
    private function customer(array $parameters, string $user): array
    {
        $contact = $this->contacts->find(['email' => $parameters['email']]);
        return array_filter([
            'external_id' => $contact['external_ids'][0] ?? $this->externalIdOf($user),
            'email' => $parameters['email'],
            'name' => $parameters['name'] ?? $contact['name'] ?? null,
        ]);
    }

    private function requester(string $email, ?string $name): ?string
    {
        $user = $this->userByEmail($email);
        if ($user !== null || $this->settings('make_requesters') === false) {
            return $user;
        }
        return $this->send('POST', '/user', [
            'username' => $email,
            'address' => $email,
            'realname' => $name ?? $email,
            'roles' => 'User',
        ])['id'];
    }

    private function userByEmail(string $email): ?string
    {
        $kept = $this->kv->get("user:$email");
        if ($kept !== null) {
            return $kept;
        }
        $found = $this->read('/user', ['address:' => $email, '@page_size' => '1'])['collection'][0]['id'] ?? null;
        if ($found !== null) {
            $this->kv->set("user:$email", $found, ['ttl_seconds' => self::DAY_SECONDS]);
        }
        return $found;
    }

    /** One that is there already, from an earlier try, is taken. Its author is the customer, else this connector's user. */
    private function messageOnce(string $idempotencyKey, string $text, ?string $author = null): string
    {
        $id = "<$idempotencyKey@junction>";
        return $this->once("msg:$idempotencyKey", fn (): string =>
            $this->read('/msg', ['messageid:' => $id])['collection'][0]['id']
            ?? $this->send('POST', '/msg', [
                'content' => $text,
                'messageid' => $id,
                'author' => $author ?? $this->ownUser(),
            ])['id']);
    }

    private function issueOnce(string $idempotencyKey, string $message, array $values): string
    {
        return $this->once("issue:$idempotencyKey", fn (): string =>
            $this->read('/issue', ['messages' => $message])['collection'][0]['id']
            ?? $this->send('POST', '/issue', $values)['id']);
    }

    /** Remembered here; should that be lost between the making and the remembering, `$make` finds at the tracker what it made. */
    private function once(string $key, Closure $make): string
    {
        $made = $this->kv->get($key);
        if ($made === null) {
            $made = $make();
            $this->kv->set($key, $made, ['ttl_seconds' => self::DAY_SECONDS]);
        }
        return $made;
    }

    private function ownUser(): string
    {
        $name = $this->settings('username');
        $kept = $this->kv->get("own:$name");
        if ($kept === null) {
            $kept = $this->read('/user', ['username:' => $name])['collection'][0]['id']
                ?? throw new RuntimeException('The tracker does not show the user its own name: let it see users.');
            $this->kv->set("own:$name", $kept, ['ttl_seconds' => self::DAY_SECONDS]);
        }
        return $kept;
    }

    private function priorityOf(?string $priority): ?string
    {
        if ($priority === null) {
            return null;
        }
        $names = $this->kv->get('priorities') ?? array_column($this->read('/priority', ['@fields' => 'name'])['collection'], 'name');
        $this->kv->set('priorities', $names, ['ttl_seconds' => self::DAY_SECONDS]);
        $name = self::PRIORITIES[$priority];
        // A tracker with priorities of its own chooses one itself.
        return in_array($name, $names, true) ? $name : null;
    }

    private function issueNumber(string $id): string
    {
        if (preg_match('/^(?:issue)?([1-9]\d{0,17})$/', $id, $match) !== 1) {
            throw new InvalidArgumentException("\"$id\" is no ticket of the tracker: give one such as issue42.");
        }
        return $match[1];
    }

    private function issue(string $id): array
    {
        return $this->read("/issue/$id", ['@verbose' => '2']);
    }

    /** As it was read and not otherwise: who changed it meanwhile is not overruled. */
    private function change(array $issue, array $values): void
    {
        $this->send('PATCH', "/issue/{$issue['id']}", ['@op' => 'replace', ...$values], ['If-Match' => $issue['@etag']]);
    }

    private function ticketFrom(array $issue): array
    {
        $told = $issue['attributes'];
        $status = $told['status']['name'] ?? null;
        $assignee = $told['assignedto'] ?? null;
        return [
            'external_id' => "issue{$issue['id']}",
            'subject' => $told['title'] ?? '',
            'status' => $status === $this->settings('closed_status') ? 'resolved' : (self::SHOWN_STATUSES[$status] ?? 'open'),
            'priority' => self::SHOWN_PRIORITIES[$told['priority']['name'] ?? ''] ?? 'normal',
            'assignee' => $assignee['username'] ?? null,
        ];
    }

    private function externalIdOf(string $user): string
    {
        return "roundup:user$user";
    }

    private function url(string $path): string
    {
        return rtrim($this->settings('base_url'), '/') . $path;
    }

    /** @param array<string, string> $query */
    private function read(string $path, array $query): array
    {
        return $this->ask('GET', $path . '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986));
    }

    private function send(string $method, string $path, array $body, array $headers = []): array
    {
        return $this->ask($method, $path, $body, $headers);
    }

    private function ask(string $method, string $path, ?array $body = null, array $headers = []): array
    {
        $base = $this->url('');
        $origin = preg_replace('~^(https?://[^/]+).*$~', '$1', $base);
        $answer = $this->http([
            'method' => $method,
            'url' => "$base/rest/data$path",
            'auth' => ['basic' => ['settings.username', 'settings.password']],
            // Roundup wants to know that no browser was tricked into this.
            'headers' => ['Origin' => $origin, 'Referer' => "$base/", 'X-Requested-With' => 'rest', ...$headers],
            ...($body === null ? [] : ['json' => $body]),
        ]);
        if ($answer['status'] >= 200 && $answer['status'] < 300 && isset($answer['json']['data'])) {
            return $answer['json']['data'];
        }
        throw new RuntimeException($this->refusal($answer));
    }

    private function refusal(array $answer): string
    {
        $words = $answer['json']['error']['msg'] ?? '';
        $said = is_string($words) && $words !== '' ? ': ' . mb_substr($words, 0, 300) : '';
        return match ($answer['status']) {
            401 => 'Roundup refuses the user: set username and password to those of a user of the tracker.',
            403 => "Roundup's user may not do this$said. Give it the permission.",
            404 => "Roundup has no such ticket or address$said. Is base_url what stands before /rest?",
            412 => 'Somebody changed the ticket at the same moment; try again.',
            429 => 'Roundup takes no more calls just now; it is tried again.',
            default => "Roundup answered HTTP {$answer['status']}$said.",
        };
    }
}
