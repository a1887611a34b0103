import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Members" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
