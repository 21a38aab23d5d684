"""A tiny model of random weights with a tokenizer of its own, for tests without a download: tiny.py DIR.

It writes nonsense, and does everything else that a served model does: a Qwen3 of half a million parameters, a
byte-level BPE of 2,000 tokens learnt from the sample corpus, a chat template and a context of 16,384 tokens.
"""

import re
import sys
from html import unescape
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SAMPLE = Path(__file__).resolve().parents[2] / "tasks" / "sample" / "corpus"
BEGIN, END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def main(folder: Path) -> None:
    """Write the model; the same files every time."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [unescape(re.sub(r"<[^>]+>", " ", path.read_text("utf-8"))) for path in sorted(SAMPLE.iterdir())]
    learnt = ByteLevelBPETokenizer()
    learnt.train_from_iterator(texts, vocab_size=2_000, special_tokens=[PAD, BEGIN, END], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=learnt._tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[BEGIN],
        model_max_length=16_384,
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=16_384,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    # float32, for servers that take the type of the weights: some CPUs announce AMX and trap on products in bfloat16
    model = Qwen3ForCausalLM(config).to(torch.float32)
    model.save_pretrained(folder)
    print(f"{folder}: {sum(p.numel() for p in model.parameters()):,} parameters, {len(tokenizer):,} tokens")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
