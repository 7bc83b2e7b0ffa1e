"""A PaddleOCR-VL with two layers and random weights, written to a folder.

Run by the Python of `bench.vl_tiny`'s environment, which has torch and transformers (this
one has not, hence `import_module`). Its output is nonsense; that a server loads it and
answers is the point.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

# The form of the published model's prompt, in our own words of the template language.
TEMPLATE = (
    "<|begin_of_sentence|>{% for message in messages %}{% if message['role'] == 'user' %}User: "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] in ('image', 'image_url') %}"
    "<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>{% endif %}{% endfor %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}"
    "{% endif %}{% endfor %}{% endif %}\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}Assistant:\n{% endif %}"
)
SPECIAL = [
    *("<unk>", "<s>", "</s>", "<|begin_of_sentence|>", "<|IMAGE_PLACEHOLDER|>"),
    *("<|IMAGE_START|>", "<|IMAGE_END|>", "<|VIDEO_PLACEHOLDER|>"),
]
TAGS = ["<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>"]


def tokens() -> Any:
    """Bytes, a few pairs of them, and the model's own tokens."""
    tokenizers = import_module("tokenizers")
    pieces = tokenizers.pre_tokenizers.ByteLevel
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = pieces(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    alphabet = pieces.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet
    )
    inner.train_from_iterator(["OCR: Table Recognition: User: Assistant:"], trainer)
    inner.add_tokens([tokenizers.AddedToken(tag) for tag in TAGS])
    return import_module("transformers").PreTrainedTokenizerFast(
        tokenizer_object=inner,
        unk_token="<unk>",  # noqa: S106
        bos_token="<s>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        pad_token="<unk>",  # noqa: S106
        extra_special_tokens={"image_token": "<|IMAGE_PLACEHOLDER|>"},
    )


def main(folder: str) -> None:
    """Write model, tokens and preprocessing."""
    torch, transformers = import_module("torch"), import_module("transformers")
    models = "transformers.models.paddleocr_vl"
    pictures = import_module(f"{models}.image_processing_pil_paddleocr_vl")
    processing = import_module(f"{models}.processing_paddleocr_vl")
    known = tokens()
    number = known.convert_tokens_to_ids
    layers = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }
    rope = {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": [2, 3, 3]}
    text = {
        **layers,
        "vocab_size": len(known),
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 4096,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "rope_parameters": rope,
    }
    vision = {**layers, "image_size": 56, "patch_size": 14, "spatial_merge_size": 2}
    torch.manual_seed(0)
    model = transformers.PaddleOCRVLForConditionalGeneration(
        transformers.PaddleOCRVLConfig(
            text_config=text,
            vision_config=vision,
            image_token_id=number("<|IMAGE_PLACEHOLDER|>"),
            video_token_id=number("<|VIDEO_PLACEHOLDER|>"),
            vision_start_token_id=number("<|IMAGE_START|>"),
            vision_end_token_id=number("<|IMAGE_END|>"),
        )
    )
    model.eval().save_pretrained(folder)
    size = {"shortest_edge": 28 * 28 * 4, "longest_edge": 28 * 28 * 64}
    processing.PaddleOCRVLProcessor(
        image_processor=pictures.PaddleOCRVLImageProcessorPil(size=size),
        tokenizer=known,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
