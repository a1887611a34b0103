<?php

declare(strict_types=1);

use Junction\AbstractConnector;

/** Calendly's webhooks: who booked, moved, cancelled or missed a meeting. */
final class Scheduling extends AbstractConnector
{
    /** What is kept of a booking, until long after it. */
    private const YEAR_SECONDS = 31_536_000;

    public function key(): string
    {
        return 'scheduling';
    }

    public function handleWebhook(array $body): void
    {
        $payload = $body['payload'] ?? null;
        $happened = $body['created_at'] ?? null;
        if (!is_array($payload) || !is_string($happened)) {
            $this->log('warning', 'The webhook is none of Calendly\'s: it has no payload.');
            return;
        }
        match ($body['event'] ?? null) {
            'invitee.created' => $this->booked($payload, $happened),
            'invitee.canceled' => $this->cancelled($payload, $happened),
            'invitee_no_show.created' => $this->missed($payload, $happened),
            default => $this->log('debug', 'An event that nothing is made of.', ['event' => $body['event'] ?? null]),
        };
    }

    public function tryAccess(): array
    {
        if ($this->settings('api_token') === null) {
            return ['ok' => true, 'message' => 'The signing key is set. Enter a personal access token to try Calendly itself.'];
        }
        $answer = $this->http([
            'method' => 'GET',
            'url' => 'https://api.calendly.com/users/me',
            'auth' => 'settings.api_token',
        ]);
        return match (true) {
            $answer['status'] === 200 => [
                'ok' => true,
                'message' => 'Calendly knows the token as ' . ($answer['json']['resource']['name'] ?? 'its owner') . '.',
            ],
            $answer['status'] === 401 => ['ok' => false, 'message' => 'Calendly refuses the token: make a new one.'],
            default => ['ok' => false, 'message' => "Calendly answered HTTP {$answer['status']}; try again later."],
        };
    }

    private function booked(array $payload, string $happened): void
    {
        $meeting = $this->meetingFrom($payload);
        $moved = is_string($payload['old_invitee'] ?? null);
        $contact = $this->contactOf($payload);
        if ($contact !== null) {
            $this->timeline->add($contact['id'], [
                'event_type' => $moved ? 'meeting.moved' : 'meeting.booked',
                'summary' => $this->summary($moved ? 'Moved' : 'Booked', $meeting),
                'score_delta' => $moved ? 0 : $this->settings('booked_score'),
                'occurred_at' => $happened,
            ]);
        }
        $this->kv->set("meeting:{$meeting['external_id']}", ['scored' => !$moved], ['ttl_seconds' => self::YEAR_SECONDS]);
        $this->tell('meeting.booked', $meeting, $contact, ['moved' => $moved, 'booked_at' => $happened]);
    }

    private function cancelled(array $payload, string $happened): void
    {
        // A move is a cancellation and a booking: the booking tells of it.
        if (($payload['rescheduled'] ?? false) === true) {
            return;
        }
        $meeting = $this->meetingFrom($payload);
        $contact = $this->contactOf($payload);
        $reason = $payload['cancellation']['reason'] ?? null;
        $wasScored = ($this->kv->get("meeting:{$meeting['external_id']}")['scored'] ?? false) === true;
        if ($contact !== null) {
            $this->timeline->add($contact['id'], [
                'event_type' => 'meeting.cancelled',
                'summary' => $this->summary('Cancelled', $meeting),
                'score_delta' => $wasScored ? -$this->settings('booked_score') : 0,
                'occurred_at' => $happened,
            ]);
        }
        $this->tell('meeting.cancelled', $meeting, $contact, [
            'cancelled_at' => $happened,
            ...(is_string($reason) && $reason !== '' ? ['reason' => $reason] : []),
        ]);
    }

    private function missed(array $payload, string $happened): void
    {
        $meeting = $this->meetingFrom($payload);
        $contact = $this->contactOf($payload);
        if ($contact !== null) {
            $this->timeline->add($contact['id'], [
                'event_type' => 'meeting.missed',
                'summary' => $this->summary('Missed', $meeting),
                'occurred_at' => $happened,
            ]);
        }
        $this->tell('meeting.missed', $meeting, $contact, ['missed_at' => $happened]);
    }

    private function tell(string $event, array $meeting, ?array $contact, array $more): void
    {
        $this->fire($event, [
            'meeting' => $meeting,
            ...($contact === null ? [] : ['contact_id' => $contact['id'], 'email' => $contact['email']]),
            ...$more,
        ]);
    }

    private function contactOf(array $payload): ?array
    {
        $email = $payload['email'] ?? null;
        if (!is_string($email) || $email === '') {
            return null;
        }
        $name = $payload['name'] ?? null;
        return $this->contacts->upsert([
            'email' => $email,
            ...(is_string($name) && trim($name) !== '' ? ['name' => mb_substr(trim($name), 0, 200)] : []),
        ]);
    }

    private function meetingFrom(array $payload): array
    {
        $meeting = $payload['scheduled_event'] ?? [];
        return array_filter([
            // Calendly's ids are addresses; what stands last is the id.
            'external_id' => basename($payload['uri'] ?? $payload['invitee'] ?? $meeting['uri'] ?? ''),
            'name' => $meeting['name'] ?? null,
            'starts_at' => $meeting['start_time'] ?? null,
            'ends_at' => $meeting['end_time'] ?? null,
            'where' => $meeting['location']['join_url'] ?? $meeting['location']['location'] ?? null,
        ], static fn (mixed $value): bool => $value !== null);
    }

    private function summary(string $what, array $meeting): string
    {
        $name = $meeting['name'] ?? 'a meeting';
        $at = isset($meeting['starts_at']) ? ' on ' . str_replace('T', ' ', substr($meeting['starts_at'], 0, 16)) . ' UTC' : '';
        return mb_substr("$what: $name$at", 0, 300);
    }
}
