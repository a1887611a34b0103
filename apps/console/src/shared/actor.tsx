import { BadgeCheck, Bot, KeyRound, UserRound, Workflow } from "lucide-react";
import type { wire } from "../api/api.ts";
import { paths } from "../paths.ts";
import { Link, wordsOf } from "../ui/ui.ts";

type Actor = Pick<wire.ActionActor, "type" | "id" | "display" | "key_id">;

const ICONS: Readonly<Record<string, typeof Bot>> = {
  ai: Bot,
  assistant: Bot,
  person: UserRound,
  member: UserRound,
  rule: Workflow,
  standing_approval: BadgeCheck,
  workflow: Workflow,
};

/** Returns an actor in a few words. */
function actorText(actor: Actor): string {
  return actor.display ?? actor.id ?? actor.key_id ?? actor.type;
}

/** Returns a type of actor as words. A `service` is a program with a key. */
export function actorTypeWords(type: string): string {
  return type === "service" ? "program" : wordsOf(type);
}

/** A session of the portal acts for a customer, so its name says what it is. */
function isPortalName({ type, display }: Actor): boolean {
  return type === "service" && display?.startsWith("Portal of ") === true;
}

function pageOf({ type, id, key_id: keyId }: Actor): string | null {
  if (type === "standing_approval" && id !== null) return paths.standingApproval(id);
  if (type === "workflow" && id !== null) return paths.workflow(id);
  return keyId === null ? null : paths.key(keyId);
}

/** Shows an actor and its kind: a person, a key, an AI, a rule. */
export function ActorName({ actor }: { readonly actor: Actor }) {
  const Icon = ICONS[actor.type] ?? KeyRound;
  const name = actorText(actor);
  const page = pageOf(actor);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
      <Icon aria-hidden size={14} className="shrink-0 text-muted" />
      {page === null ? (
        <bdi className="truncate">{name}</bdi>
      ) : (
        <Link to={page} look="plain" className="truncate hover:underline">
          <bdi>{name}</bdi>
        </Link>
      )}
      {actor.type === name || isPortalName(actor) ? null : (
        <span className="shrink-0 text-muted">({actorTypeWords(actor.type)})</span>
      )}
    </span>
  );
}
