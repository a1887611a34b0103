import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Ticket" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
