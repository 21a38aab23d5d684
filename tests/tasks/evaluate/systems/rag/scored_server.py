"""A server that tells log-probabilities of a prompt in the manner of vLLM: only for tests, and no model.

    python scored_server.py vllm      # prints its address; a token's log-probability is -0.5 for each of its characters

manner: vllm (prompt_logprobs in chat, echo in completions) | silent (ignores both) | rejects (400) | chat-only (404 for
completions).
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = re.compile(r"\s?\w{1,4}|\s?[^\w\s]|\s")
TEMPLATE = "<|{role}|>{content}<|end|>"


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def logprob(token: str) -> float:
    return -0.5 * len(token.strip())


class Handler(BaseHTTPRequestHandler):
    manner = "vllm"
    protocol_version = "HTTP/1.1"

    def log_message(self, *told: Any) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        chat = self.path.endswith("/chat/completions")
        if self.manner == "rejects":
            return self.say(400, {"error": {"message": "prompt_logprobs: Extra inputs are not permitted"}})
        if self.manner == "chat-only" and not chat:
            return self.say(404, {"error": {"message": "Not Found"}})
        return self.say(200, self.chat(asked) if chat else self.completion(asked))

    def chat(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["continue_final_message"] and not asked["add_generation_prompt"]
        *before, last = asked["messages"]
        text = "".join(TEMPLATE.format(**turn) for turn in before) + "<|assistant|>" + last["content"]
        words = ["<s>", *tokens(text)]
        told: dict[str, Any] = {
            "model": asked["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "!"}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": len(words), "completion_tokens": 1},
        }
        if self.manner != "silent":
            places = [{str(hash(word)): {"logprob": logprob(word), "rank": 1, "decoded_token": word}} for word in words]
            told["prompt_logprobs"] = [None, *places[1:]]
        return told

    def completion(self, asked: dict[str, Any]) -> dict[str, Any]:
        words = [*(tokens(asked["prompt"]) if asked["echo"] and self.manner != "silent" else []), " next"]
        echoed = {"tokens": words, "token_logprobs": [None, *map(logprob, words[1:])], "text_offset": [0] * len(words)}
        return {
            "model": asked["model"],
            "choices": [{"index": 0, "text": "".join(words), "logprobs": echoed, "finish_reason": "length"}],
            "usage": {"prompt_tokens": len(words) - 1, "completion_tokens": 1},
        }

    def say(self, status: int, told: dict[str, Any]) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    Handler.manner = sys.argv[1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
