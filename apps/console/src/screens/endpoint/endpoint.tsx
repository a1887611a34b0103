import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Endpoint" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
