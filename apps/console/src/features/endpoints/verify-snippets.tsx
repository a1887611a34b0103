import { useState } from "react";
import { NODE_SDK } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { STANDARD_SNIPPETS } from "./standard-snippets.ts";
import { CodeBlock, Tabs } from "../../ui/ui.ts";

const NODE = `import express from "express";
import { webhooks } from "${NODE_SDK}";

const app = express();

// Put this before express.json(): the signatures cover the raw bytes of the body.
app.post("/webhooks", webhooks.express(process.env.WEBHOOK_SECRET), (request, response) => {
  console.log(request.junction.event, request.junction.delivery_id);
  response.sendStatus(204);
});

app.listen(3000);`;

const PYTHON = `import os

from junction_sdk import WebhookVerificationError, webhooks


def receive(body: bytes, headers: dict[str, str]) -> int:
    try:
        event = webhooks.verify(body, headers, os.environ["WEBHOOK_SECRET"])
    except WebhookVerificationError as error:
        print("refused:", error.reason)
        return 400
    print(event.event, event.delivery_id, event.data)
    return 200`;

const PHP = `<?php // receive.php

require 'vendor/autoload.php';

use Junction\\Exception\\WebhookVerificationException;
use Junction\\Webhooks;

try {
    $message = Webhooks::verify(file_get_contents('php://input'), getallheaders(), getenv('WEBHOOK_SECRET'));
} catch (WebhookVerificationException $refusal) {
    http_response_code(401);
    exit($refusal->reason);
}

error_log("{$message->deliveryId} {$message->event}");
echo 'ok';`;

const OWN_SNIPPETS = [
  { id: "node", label: "Node", install: null, text: NODE },
  { id: "python", label: "Python", install: null, text: PYTHON },
  { id: "php", label: "PHP", install: null, text: PHP },
] as const;

/** Code with which a receiver verifies a delivery, in three languages. It reads the secret from the environment. */
export function VerifySnippets() {
  const [language, setLanguage] = useState("node");
  const snippets = usePortal() === undefined ? OWN_SNIPPETS : STANDARD_SNIPPETS;
  return (
    <Tabs
      label="Language"
      selected={language}
      onSelect={setLanguage}
      tabs={snippets.map(({ id, label, install, text }) => ({
        id,
        label,
        content: (
          <div className="flex min-w-0 flex-col gap-2">
            {install === null ? null : <CodeBlock label={`Install for ${label}`} text={install} />}
            <CodeBlock label={`Verify in ${label}`} text={text} />
          </div>
        ),
      }))}
    />
  );
}
