import { bucketOf, environmentOf } from "../kernel/kernel.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import type { TestService } from "./service.ts";

/** The live scope of the test's first workspace. */
export async function readScope(service: TestService): Promise<Scope> {
  const [row] = await service.database.query<{ id: Uuid; tag: Tag }>(
    "select id, tag from workspace order by id limit 1",
  );
  if (row === undefined) throw new Error("there is no workspace");
  return { workspaceId: row.id, tag: row.tag, bucket: bucketOf(row.tag), environment: environmentOf(row.tag) };
}
