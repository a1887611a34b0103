import type { ReactNode } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { outsideFields, ViewOnly } from "../../shared/shared.ts";
import { Button, Card, ErrorNote, Form, ShowAs } from "../../ui/ui.ts";

export interface MemberCardProps {
  readonly title: string;
  readonly description: string;
  /** "filter" */
  readonly noun: string;
  readonly path: { readonly id: string };
  /** The change of the member. */
  readonly body: wire.WebhookEndpointChange;
  /** Pointer of the member, whose problems its fields show. */
  readonly pointer: string;
  readonly isFaulty: boolean;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSave: () => void;
  /** More buttons, next to the one that saves. */
  readonly actions?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/** Returns the request that changes a member of an endpoint. */
export function useMemberUpdate() {
  return useWrite("webhook_endpoints.update", { refreshes: ["webhook_endpoints."], exact: true });
}

/** The card that edits one member of an endpoint. The service judges it again. */
export function MemberCard(props: MemberCardProps) {
  const { noun, path, body, error } = props;
  const mayUpdate = useAccess().may("webhook_endpoints.update");
  return (
    <Card title={props.title} description={props.description}>
      <Form judge="service" onSubmit={props.onSave}>
        {props.children}
        {outsideFields(error, [props.pointer]) === null ? null : <ErrorNote error={error} />}
        {mayUpdate ? null : <ViewOnly what={`the ${noun}`} it="it" />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isDisabled={props.isFaulty || !mayUpdate} isPending={props.isPending}>
            Save {noun}
          </Button>
          {props.actions}
          <ShowAs operation="webhook_endpoints.update" input={{ path, body }} />
        </div>
      </Form>
    </Card>
  );
}
