"""Tiny models with random weights, built on the spot: real architectures, meaningless answers.

Each function saves a model in the Hugging Face layout to a folder. Weights are drawn with a fixed seed
and large enough (standard deviation 0.3) that greedy answers differ from prompt to prompt.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from mmte.models.base import BaseChat
from mmte.models.spec import parse_model
from mmte.types import Generation, Request, Response

transformers: Any = import_module("transformers")  # its annotations are not complete
CHAT: Final = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for part in m.content %}{% if part.type == 'image' %}IMAGE{% else %}{{ part.text }}{% endif %}{% endfor %}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL: Final = ("<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>")
VISION: Final = ("<image>", "<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")


def tokenizer(template: str | None = CHAT) -> Any:
    """Byte by byte, so that any text can be read and written; puts <s> before a text, as Llama's does."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *VISION, *alphabet])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", vocabulary["<s>"])])
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        additional_special_tokens=[*SPECIAL[3:], *VISION],
    )  # fmt: skip
    made.chat_template = template
    return made


def _sizes(made: Any, context: int = 2048) -> dict[str, Any]:
    return {
        "vocab_size": len(made), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": context,
        "bos_token_id": made.bos_token_id, "eos_token_id": made.eos_token_id, "pad_token_id": made.pad_token_id,
        "initializer_range": 0.3,
    }  # fmt: skip


def text_model(folder: Path, *, template: bool = True, seed: int = 0, context: int = 512) -> Path:
    """A Llama with 2 layers of 32 units and a context of 512 tokens."""
    made = tokenizer(CHAT if template else None)
    torch.manual_seed(seed)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**_sizes(made, context=context)))
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def yes_model(folder: Path) -> Path:
    """A Llama without a chat template that says the one token Yes, whatever it is asked."""
    made = tokenizer(None)
    made.add_tokens(["Yes"])
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**_sizes(made, context=4096)))
    weights = model.state_dict()
    for name, weight in weights.items():
        weight.fill_(float("embed_tokens" in name or "norm" in name))
    weights["lm_head.weight"][made.convert_tokens_to_ids("Yes")] = 1.0
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def classifier(folder: Path, *, kind: str = "Bert", labels: int = 6, context: int = 64, seed: int = 0,
               **config: Any) -> Path:  # fmt: skip
    """A text classifier with the labels LABEL_0, LABEL_1, ... and a context of 64 tokens, <s> among them.

    `kind` is Bert, Roberta or Longformer; the last two have two positions more than tokens.
    """
    made = tokenizer(None)
    made.model_max_length = int(1e30)
    torch.manual_seed(seed)
    sizes = {k: v for k, v in _sizes(made, context).items() if k != "num_key_value_heads"}
    if kind != "Bert":
        sizes |= {"max_position_embeddings": context + 1 + made.pad_token_id}
    if kind == "Longformer":
        sizes |= {"attention_window": [8, 8]}
    model = getattr(transformers, f"{kind}ForSequenceClassification")
    model(getattr(transformers, f"{kind}Config")(num_labels=labels, **sizes, **config)).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def llava(folder: Path, *, seed: int = 0) -> Path:
    """A LLaVA over a CLIP tower for images of 28 x 28 pixels (16 places in the prompt)."""
    made = tokenizer(CHAT.replace("IMAGE", "<image>"))
    torch.manual_seed(seed)
    vision = transformers.CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=28, patch_size=7,
        initializer_factor=10.0,
    )  # fmt: skip
    config = transformers.LlavaConfig(
        vision_config=vision, text_config=transformers.LlamaConfig(**_sizes(made)),
        image_token_id=made.convert_tokens_to_ids("<image>"), vision_feature_layer=-1, image_seq_length=16,
        initializer_range=0.3,
    )  # fmt: skip
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    images = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, do_center_crop=True
    )
    transformers.LlavaProcessor(
        image_processor=images, tokenizer=made, patch_size=7, vision_feature_select_strategy="default",
        chat_template=made.chat_template, image_token="<image>", num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip
    return folder


def llava_next(folder: Path, *, seed: int = 0) -> Path:
    """A LLaVA-NeXT: an image is shown as a whole and in tiles, so that its size decides how many places it takes."""
    made = tokenizer(CHAT.replace("IMAGE", "<image>"))
    torch.manual_seed(seed)
    grid = [[28, 56], [56, 28], [56, 56]]
    vision = transformers.CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=28, patch_size=7,
        initializer_factor=10.0,
    )  # fmt: skip
    config = transformers.LlavaNextConfig(
        vision_config=vision, text_config=transformers.LlamaConfig(**_sizes(made)), image_grid_pinpoints=grid,
        image_token_id=made.convert_tokens_to_ids("<image>"), vision_feature_layer=-1, image_seq_length=16,
        initializer_range=0.3,
    )  # fmt: skip
    transformers.LlavaNextForConditionalGeneration(config).save_pretrained(folder)
    images = transformers.LlavaNextImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, image_grid_pinpoints=grid
    )
    transformers.LlavaNextProcessor(
        image_processor=images, tokenizer=made, patch_size=7, vision_feature_select_strategy="default",
        chat_template=made.chat_template, image_token="<image>", num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip
    return folder


def clip(folder: Path, *, seed: int = 0, size: int = 28) -> Path:
    """A CLIP of two towers with 2 layers of 32 units for square images of `size` pixels; reads 64 bytes of a text."""
    made = tokenizer(None)
    ends = {name: made.convert_tokens_to_ids(name) for name in ("<s>", "</s>")}
    made.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=list(ends.items())
    )
    torch.manual_seed(seed)
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
              "initializer_factor": 10.0}  # fmt: skip
    text = transformers.CLIPTextConfig(
        **layers, vocab_size=len(made), max_position_embeddings=64, bos_token_id=ends["<s>"], eos_token_id=ends["</s>"]
    )
    vision = transformers.CLIPVisionConfig(**layers, image_size=size, patch_size=7)
    config = transformers.CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=24)
    transformers.CLIPModel(config).save_pretrained(folder)
    made.save_pretrained(folder)
    transformers.CLIPImageProcessorPil(
        size={"shortest_edge": size}, crop_size={"height": size, "width": size}
    ).save_pretrained(folder)
    return folder


def instructblip(folder: Path) -> Path:
    """An InstructBLIP over a T5: an encoder-decoder, its configuration and weights only, with a processor."""
    made = tokenizer(None)
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
              "image_size": 28, "patch_size": 14}  # fmt: skip
    text = {"model_type": "t5", "vocab_size": len(made), "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1,
            "num_heads": 4, "decoder_start_token_id": 0}  # fmt: skip
    config = transformers.InstructBlipConfig(
        vision_config=vision, text_config=text, num_query_tokens=4,
        qformer_config=vision | {"vocab_size": len(made), "encoder_hidden_size": 32},
    )  # fmt: skip
    transformers.InstructBlipForConditionalGeneration(config).save_pretrained(folder)
    made.save_pretrained(folder)
    made.save_pretrained(folder / "qformer_tokenizer")
    transformers.BlipImageProcessorPil(size={"height": 28, "width": 28}).save_pretrained(folder)
    return folder


def qwen2_vl(folder: Path, *, seed: int = 0) -> Path:
    """A Qwen2-VL in the files of its published repositories; saved without torchvision."""
    made = tokenizer(CHAT.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"))
    torch.manual_seed(seed)
    sizes = _sizes(made) | {
        "rope_parameters": {"type": "default", "rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e4}
    }
    config = transformers.Qwen2VLConfig(
        text_config=sizes,
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2, "patch_size": 14,
                       "spatial_merge_size": 2, "temporal_patch_size": 2, "initializer_range": 0.3},
        image_token_id=made.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=made.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=made.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=made.convert_tokens_to_ids("<|vision_end|>"),
        initializer_range=0.3,
    )  # fmt: skip
    transformers.Qwen2VLForConditionalGeneration(config).save_pretrained(folder)
    made.save_pretrained(folder)
    settings = {
        "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2VLProcessor", "patch_size": 14,
        "merge_size": 2, "temporal_patch_size": 2, "min_pixels": 56 * 56, "max_pixels": 112 * 112,
        "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
    }  # fmt: skip
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


def diffusion(folder: Path, *, seed: int = 0, sees: bool = True) -> Path:
    """A latent diffusion model for pictures of 16 pixels; `sees`: False gives it a checker that withholds them all."""
    diffusers: Any = import_module("diffusers")
    made = tokenizer(None)
    made.model_max_length = 64
    torch.manual_seed(seed)
    two = {"block_out_channels": (8, 16), "norm_num_groups": 4}
    unet = diffusers.UNet2DConditionModel(
        **two, sample_size=8, layers_per_block=1, cross_attention_dim=32, attention_head_dim=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    vae = diffusers.AutoencoderKL(
        **two, latent_channels=4, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2
    )
    text = transformers.CLIPTextModel(transformers.CLIPTextConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=len(made),
        max_position_embeddings=64, bos_token_id=made.bos_token_id, eos_token_id=made.eos_token_id,
        pad_token_id=made.pad_token_id, initializer_factor=10.0,
    ))  # fmt: skip
    diffusers.StableDiffusionPipeline(
        vae=vae, text_encoder=text, tokenizer=made, unet=unet,
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None if sees else _withholding(), requires_safety_checker=False,
        feature_extractor=None if sees else transformers.CLIPImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
        ),
    ).save_pretrained(folder)  # fmt: skip
    return folder


def _withholding() -> Any:
    """A safety checker of Stable Diffusion whose thresholds are below every score."""
    checker: Any = import_module("diffusers.pipelines.stable_diffusion.safety_checker").StableDiffusionSafetyChecker
    vision = transformers.CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, image_size=28, patch_size=14
    )
    made = checker(transformers.CLIPConfig(vision_config=vision.to_dict(), projection_dim=24))
    made.concept_embeds_weights.data.fill_(-10.0)
    return made


# -- asking them ---------------------------------------------------------------------------------
def build(folder: Path | str, **options: object) -> BaseChat:
    """The model of a folder on the CPU, not loaded."""
    query = "&".join(f"{k}={v}" for k, v in ({"device": "cpu"} | options).items())
    return parse_model(f"m=hf:{folder}?{query}").build()


def asked(texts: list[str], **settings: Any) -> list[Request]:
    """One request for each text; settings are `kind`, `continuation` and those of `Generation`."""
    kind, continuation = settings.pop("kind", "chat"), settings.pop("continuation", "")
    generation = Generation.from_kwargs({"max_new_tokens": 16} | settings)
    return [Request(({"role": "user", "content": t},), generation, kind, continuation) for t in texts]


def answers(model: BaseChat, requests: list[Request]) -> list[Response]:
    """The responses in the order of the requests."""
    by_id = {id(q): r for batch in model.generate(requests) for q, r in batch}
    assert len(by_id) == len(requests)
    return [by_id[id(q)] for q in requests]
