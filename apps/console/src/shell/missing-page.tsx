import { Compass } from "lucide-react";
import { paths } from "../paths.ts";
import { EmptyState, Link, useTitle } from "../ui/ui.ts";

export function MissingPage() {
  useTitle("No such page");
  return (
    <main className="mx-auto max-w-3xl pt-16">
      <h1 className="sr-only">No such page</h1>
      <EmptyState
        title="There is no page at this address."
        icon={<Compass aria-hidden size={20} />}
        action={
          <Link to={paths.home} look="primary">
            Go home
          </Link>
        }
      >
        Press ⌘K to find a page, or paste an id there to open what it names.
      </EmptyState>
    </main>
  );
}
