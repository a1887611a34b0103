import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Event type" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
