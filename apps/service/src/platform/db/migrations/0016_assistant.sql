-- The assistant: what it is told, of the workspace; what it is asked, of one environment.

-- Which provider answers, or that it is off, is a setting of the workspace.
create table assistant (
  bucket smallint not null,
  workspace_id uuid not null,
  base_url text,
  model text,
  -- Names a stored secret, of the environment whose event it is.
  secret_ref text collate "C",
  instructions text not null,
  -- The events that it hears of, as endpoints name theirs.
  events text[] not null,
  max_per_minute int not null,
  max_per_day int not null,
  -- What the scripted provider says: JSON text, or the name of one that is built in.
  script text,
  updated_at timestamptz not null default now(),
  primary key (bucket, workspace_id)
);

-- due_at: when a worker may next take it; while leased, when the lease runs out; null: it has ended.
create table assistant_task (
  bucket smallint not null,
  tag text collate "C" not null,
  id uuid not null,
  workspace_id uuid not null,
  event_id uuid not null,
  chain uuid[] not null,
  state text collate "C" not null default 'due' check (state in ('due', 'answered', 'done', 'failed', 'dropped')),
  -- What the model asked for, until it is dealt with: once it is here, the model is not asked again.
  answer_sealed bytea,
  history_id uuid,
  attempts smallint not null default 0,
  due_at timestamptz,
  lease_id uuid,
  ended_at timestamptz,
  primary key (bucket, tag, id),
  -- An event is told once.
  unique (bucket, tag, event_id)
);
create index assistant_task_due on assistant_task (bucket, due_at) where due_at is not null;
create index assistant_task_ended on assistant_task (bucket, ended_at) where ended_at is not null;

-- Every time that a model was asked, for the budgets of a minute and a day. Kept for a day.
create table assistant_ask (
  bucket smallint not null,
  workspace_id uuid not null,
  id uuid not null,
  asked_at timestamptz not null default now(),
  primary key (bucket, workspace_id, id)
);
create index assistant_ask_time on assistant_ask (bucket, workspace_id, asked_at);
