import type { wire } from "../../api/api.ts";
import { pathOfId, paths } from "../../paths.ts";
import { Link } from "../../ui/ui.ts";

/** A client can send any text as an id. */
const ID = /^[a-z]+_[0-9a-z]+$/;
const ACTION = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;

/** Shows the object of a request by its name, with a link to its page. A deleted object keeps the name. */
export function Target({ target }: { readonly target: wire.AiExchangeTarget }) {
  const { id, name } = target;
  const text = <bdi className="break-words">{name ?? id}</bdi>;
  const page = pageOf(target);
  return page === null ? (
    text
  ) : (
    <Link to={page} look="plain" className="hover:underline">
      {text}
    </Link>
  );
}

/** An action that does not exist has no name. */
function pageOf({ id, name }: wire.AiExchangeTarget): string | null {
  if (id === null) return null;
  if (ACTION.test(id)) return name === null ? null : paths.action(id);
  return ID.test(id) ? pathOfId(id) : null;
}
