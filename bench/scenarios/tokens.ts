import { newOAuthSecret, sha256 } from "../../apps/service/src/lib/lib.ts";
import { uuidOf } from "../../apps/service/src/testing/keys.ts";
import { assertAccepted, CONNECTIONS } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/** The access checks of an AI client: by an API key, and by the access token of a connected app, for the same rights. */
export async function tokens(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  const { id, key } = await stage.key({ actor_type: "ai", role: "ai" });
  const credentials = [
    { load: "API key", credential: key },
    { load: "access token", credential: await tokenFor(stage, uuidOf(id)) },
  ];
  const rows: Row[] = [];
  for (const { load, credential } of credentials) rows.push(...(await measured(bench, stage, { load, credential })));
  return rows;
}

interface Measurement {
  readonly load: string;
  readonly credential: string;
}

async function measured(bench: Bench, stage: Stage, { load, credential }: Measurement): Promise<Row[]> {
  await stage.messages(credential, { connections: CONNECTIONS, forMs: 2000 });
  const stopCounting = await stage.counting();
  const stopMeter = stage.meter(`tokens: ${load}`);
  const made = await stage.messages(credential, { connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 });
  const usage = stopMeter();
  const database = await stopCounting();
  assertAccepted(made);
  return [
    row("AI client: messages", (made.accepted / made.wallMs) * 1000, "/s", { load }),
    row("AI client: the service's processor time per message", usage.serviceMs / made.accepted, "ms", { load }),
    row("AI client: the database's processor time per message", usage.databaseMs / made.accepted, "ms", { load }),
    row("AI client: SQL statements per message", database.calls / made.accepted, "", { load }),
  ];
}

/** Returns an access token that stands for a key, as the consent of a member makes one. */
async function tokenFor({ sql }: Stage, keyId: string): Promise<string> {
  const token = newOAuthSecret("access", "live");
  await sql.query(
    `insert into oauth_token (token_hash, key_id, kind, created_at, expires_at)
      values ($1, $2, 'access', now(), now() + interval '1 hour')`,
    [sha256(token), keyId],
  );
  return token;
}
