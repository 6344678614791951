"""An OpenAI-compatible endpoint that answers everything after 50 ms; prints its port; ends when its stdin closes."""

from __future__ import annotations

import asyncio
import json
import sys

_BODY = json.dumps({
    "id": "x", "object": "chat.completion", "model": "slow", "usage": {"prompt_tokens": 20, "completion_tokens": 1},
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
}).encode()  # fmt: skip
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(length)
            await asyncio.sleep(0.05)
            writer.write(_ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    sys.stdout.flush()
    import os

    os._exit(0)


if __name__ == "__main__":
    asyncio.run(_main())
