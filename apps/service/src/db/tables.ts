import type { ColumnType, Generated } from "kysely";
import type { Tag, Uuid } from "../kernel/kernel.ts";

type Time = ColumnType<Date, Date, Date>;
type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
type Json<T> = ColumnType<T, string, string>;

export interface Tables {
  workspace: WorkspaceTable;
  member: MemberTable;
  setup_link: SetupLinkTable;
  api_key: ApiKeyTable;
  event: EventTable;
  dispatch_stage: DispatchStageTable;
  endpoint: EndpointTable;
  pending_delivery: PendingDeliveryTable;
  delivery: DeliveryTable;
  attempt: AttemptTable;
  inbox: InboxTable;
  inbox_message: InboxMessageTable;
  replay_job: ReplayJobTable;
}

interface Scoped {
  bucket: number;
  tag: Tag;
}

interface WorkspaceTable extends Scoped {
  id: Uuid;
  name: string;
  settings: Generated<Record<string, unknown>>;
  created_at: Generated<Date>;
}

interface MemberTable {
  id: Uuid;
  workspace_id: Uuid;
  email: string;
  name: string;
  role: string;
  password_hash: string;
  created_at: Generated<Date>;
}

interface SetupLinkTable {
  token_hash: Buffer;
  workspace_id: Uuid;
  expires_at: Time;
  used_at: MaybeTime;
}

interface ApiKeyTable extends Scoped {
  id: Uuid;
  workspace_id: Uuid;
  key_hash: Buffer;
  lineage_id: Uuid;
  name: string;
  prefix_hint: string;
  permission_mode: string;
  blocked_actions: Generated<string[]>;
  role: string;
  actor_type: string;
  member_id: Uuid | null;
  scopes: string[] | null;
  permissions: Generated<string[]>;
  rate_limit_per_hour: Generated<number>;
  ip_allowlist: Generated<string[]>;
  require_signature: Generated<boolean>;
  accept_body_signature: Generated<boolean>;
  signing_secret_sealed: Buffer | null;
  expires_at: MaybeTime;
  last_used_at: MaybeTime;
  last_used_ip: string | null;
  revoked_at: MaybeTime;
  created_at: Generated<Date>;
}

interface EventTable extends Scoped {
  id: Uuid;
  name: string;
  canonical: boolean;
  data: string;
  occurred_at: Time;
  subject: string | null;
  chain: Uuid[] | null;
}

interface DispatchStageTable extends Scoped {
  event_id: Uuid;
  priority: number;
  kind: string;
  key: string;
  state: Generated<string>;
  late: Generated<boolean>;
  attempts: Generated<number>;
  due_at: Time;
  lease_id: Uuid | null;
  started_at: MaybeTime;
  ended_at: MaybeTime;
  error: string | null;
}

interface EndpointTable extends Scoped {
  id: Uuid;
  workspace_id: Uuid;
  url: string;
  events: string[];
  active: Generated<boolean>;
  description: Generated<string>;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: MaybeTime;
  headers: Json<Record<string, string>>;
  rate_limit_per_second: number | null;
  max_in_flight: Generated<number>;
  paced_until: MaybeTime;
  failing_since: MaybeTime;
  disabled_reason: string | null;
  deleted_at: MaybeTime;
  created_at: Generated<Date>;
}

interface PendingDeliveryTable extends Scoped {
  id: Uuid;
  event_id: Uuid;
  event_name: string;
  endpoint_id: Uuid;
  attempt_count: Generated<number>;
  due_at: Time;
  next_attempt_at: MaybeTime;
  lease_id: Uuid | null;
  trigger: Generated<string>;
  resting_state: string | null;
  last_status_code: number | null;
  last_error_class: string | null;
}

interface DeliveryTable extends Scoped {
  id: Uuid;
  event_id: Uuid;
  event_name: string;
  endpoint_id: Uuid;
  state: string;
  attempt_count: number;
  last_status_code: number | null;
  last_error_class: string | null;
  completed_at: Generated<Date>;
}

interface AttemptTable extends Scoped {
  delivery_id: Uuid;
  number: number;
  id: Uuid;
  trigger: string;
  started_at: Time;
  status_code: number | null;
  error_class: string | null;
  error_detail: string | null;
  latency: number[];
  resolved_ip: string | null;
  response_headers: string | null;
  response_snippet: string | null;
  response_truncated: boolean;
  request_timestamp: string;
}

interface InboxTable extends Scoped {
  token: string;
  workspace_id: Uuid;
  secret_sealed: Buffer | null;
  behaviour: Json<Record<string, unknown>>;
  created_at: Generated<Date>;
}

interface InboxMessageTable {
  bucket: number;
  token: string;
  id: Uuid;
  delivery_id: string | null;
  event: string | null;
  headers: Json<Record<string, string>>;
  body: string;
  signature: string;
  answered: number;
}

interface ReplayJobTable extends Scoped {
  id: Uuid;
  endpoint_id: Uuid;
  since: Time;
  until: Time;
  total: number;
  done: Generated<number>;
  finished_at: MaybeTime;
}
