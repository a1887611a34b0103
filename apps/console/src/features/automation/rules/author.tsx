import { useQuery } from "@tanstack/react-query";
import { read } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import { Link, wordsOf } from "../../../ui/ui.ts";

interface AuthorProps {
  readonly author: wire.RuleAuthor;
}

/** Names the key or member whose rights the rule has, and the environment. Shows the ID to roles that cannot read keys. */
export function Author({ author }: AuthorProps) {
  return (
    <>
      {author.kind === "key" ? <KeyAuthor author={author} /> : <MemberAuthor author={author} />}{" "}
      <span className="text-muted">({wordsOf(author.environment)})</span>
    </>
  );
}

function KeyAuthor({ author }: AuthorProps) {
  const access = useAccess();
  const { data } = useQuery({ ...read("keys.get", { path: { id: author.id } }), enabled: access.may("keys.get") });
  return <AuthorLink to={paths.key(author.id)} name={data?.name ?? author.id} />;
}

function MemberAuthor({ author }: AuthorProps) {
  const { data } = useQuery(read("members.list", { query: { limit: 100 } }));
  return <AuthorLink to={paths.members} name={data?.data.find(({ id }) => id === author.id)?.name ?? author.id} />;
}

function AuthorLink({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <Link to={to} className="wrap-anywhere">
      <bdi>{name}</bdi>
    </Link>
  );
}
