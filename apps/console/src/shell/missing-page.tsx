import { Compass } from "lucide-react";
import { paths } from "../paths.ts";
import { EmptyState, Link, useTitle } from "../ui/ui.ts";
import { commandKey } from "./key-names.ts";

export function MissingPage() {
  useTitle("Page not found");
  return (
    <main className="mx-auto max-w-3xl pt-16">
      <h1 className="sr-only">Page not found</h1>
      <EmptyState
        title="This page does not exist"
        icon={<Compass aria-hidden size={20} />}
        action={
          <Link to={paths.home} look="primary">
            Open home page
          </Link>
        }
      >
        Press {commandKey}K to find a page or to open an object by its ID.
      </EmptyState>
    </main>
  );
}
