import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { migrate } from "../../platform/db/db.ts";

const MIGRATIONS = new URL("../../platform/db/migrations/", import.meta.url);

test("earlier members become people, one for each e-mail, with unchanged ids and roles", async () => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const server = new pg.Client({ connectionString: inject("databaseUrl") });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${name}`;
  const earlier = await mkdtemp(join(tmpdir(), "junction-migrations-"));
  const files = (await readdir(MIGRATIONS)).filter((file) => file < "0004");
  await Promise.all(files.map(async (file) => await copyFile(new URL(file, MIGRATIONS), join(earlier, file))));
  await migrate(url.href, pathToFileURL(`${earlier}/`));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const [first, second] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
    await client.query(
      "insert into workspace (id, tag, bucket, name) values ($1, 'aaaaaaaa', 1, 'A'), ($2, 'bbbbbbba', 2, 'B')",
      [first, second],
    );
    await client.query(
      `insert into member (id, workspace_id, email, name, role, password_hash, created_at) values
        ('00000000-0000-7000-8000-00000000000a', $1, 'Ada@example.com', 'Ada', 'owner', 'first', '2026-01-01'),
        ('00000000-0000-7000-8000-00000000000b', $2, 'ada@example.com', 'A.', 'viewer', 'second', '2026-01-02'),
        ('00000000-0000-7000-8000-00000000000c', $2, 'bob@example.com', 'Bob', 'owner', 'third', '2026-01-03')`,
      [first, second],
    );
    await migrate(url.href, MIGRATIONS);
    const { rows } = await client.query(
      `select right(m.id::text, 1) as id, m.role, p.email, p.password_hash from member m join person p on p.id = m.person_id order by m.id`,
    );
    expect(rows).toEqual([
      { id: "a", role: "owner", email: "Ada@example.com", password_hash: "first" },
      { id: "b", role: "viewer", email: "Ada@example.com", password_hash: "first" },
      { id: "c", role: "owner", email: "bob@example.com", password_hash: "third" },
    ]);
  } finally {
    await client.end();
    await server.query(`drop database ${name}`);
    await server.end();
    await rm(earlier, { recursive: true, force: true });
  }
});
