import { Bot, KeyRound, UserRound, Workflow } from "lucide-react";
import type { wire } from "../api/api.ts";
import { paths } from "../paths.ts";
import { Link } from "../ui/ui.ts";

type Actor = Pick<wire.ActionActor, "type" | "id" | "display" | "key_id">;

const ICONS: Readonly<Record<string, typeof Bot>> = {
  ai: Bot,
  assistant: Bot,
  person: UserRound,
  member: UserRound,
  rule: Workflow,
  workflow: Workflow,
};

/** Who it was, in a few words. */
function actorText(actor: Actor): string {
  return actor.display ?? actor.id ?? actor.key_id ?? actor.type;
}

/** Who it was, and what kind of actor that is: a person, a key, an AI, a rule. */
export function ActorName({ actor }: { readonly actor: Actor }) {
  const Icon = ICONS[actor.type] ?? KeyRound;
  const name = actorText(actor);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
      <Icon aria-hidden size={14} className="shrink-0 text-muted" />
      {actor.key_id === null ? (
        <bdi className="truncate">{name}</bdi>
      ) : (
        <Link to={paths.key(actor.key_id)} look="plain" className="truncate hover:underline">
          <bdi>{name}</bdi>
        </Link>
      )}
      {actor.type === name ? null : <span className="shrink-0 text-muted">({actor.type})</span>}
    </span>
  );
}
