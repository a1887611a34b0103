-- E-mail of the service that waits or was sent. A mail's text is not stored: it is written when the mail is sent, from
-- the current data. due_at: when a worker may next take the mail; while leased, when the lease ends; null: it has ended.
create table mail (
  bucket smallint not null,
  -- '-' for mail about a person's account, which belongs to no workspace. Such mail is in bucket 0.
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid,
  purpose text collate "C" not null,
  member_id uuid,
  -- The address. Null until a mail for a member is sent.
  recipient text,
  -- JSON text. Null once the mail has ended.
  facts text,
  -- While it is set, further news with the same name are part of this mail.
  digest text collate "C",
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'skipped')),
  attempts smallint not null default 0,
  due_at timestamptz,
  lease_id uuid,
  error_class text,
  error text,
  ended_at timestamptz,
  primary key (bucket, tag, id)
);
create index mail_due on mail (bucket, due_at) where due_at is not null;
create index mail_waiting on mail (bucket, tag) where due_at is not null;
create index mail_of_member on mail (bucket, tag, member_id, purpose) where member_id is not null;
create unique index mail_digest on mail (bucket, tag, digest) where digest is not null;
create index mail_ended on mail (bucket, ended_at) where ended_at is not null;
select second_wall();
