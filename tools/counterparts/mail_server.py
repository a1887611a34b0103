"""An SMTP server that takes every mail and prints it as one line of JSON. Its first line says where it listens."""

import asyncio
import json
import sys
import time
from email import message_from_bytes
from email.policy import default

from aiosmtpd.smtp import SMTP


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


class Printer:
    async def handle_DATA(self, server, session, envelope):
        mail = message_from_bytes(envelope.original_content or envelope.content, policy=default)
        body = mail.get_body(("plain",))
        html = mail.get_body(("html",))
        say(
            {
                "at": int(time.time() * 1000),
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "subject": str(mail["Subject"]),
                "text": body.get_content() if body else None,
                "html": html.get_content() if html else None,
            }
        )
        return "250 taken"


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Printer(), enable_SMTPUTF8=True), "127.0.0.1", 0)
    say({"port": server.sockets[0].getsockname()[1]})
    await server.serve_forever()


asyncio.run(main())
