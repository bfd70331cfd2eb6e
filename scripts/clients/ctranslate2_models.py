"""Runs small CTranslate2 models with random weights on the GPU and on the CPU and compares their results.

It needs a CUDA driver, such as that of `lanework exec`. Prints a line for each case; exit code 1 if a result differs.
"""

import sys
import tempfile
import time

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerDecoderModelSpec, TransformerSpec, common_spec

WIDTH, INNER, WORDS = 64, 128, 40
VOCABULARY = ["<unk>", "<s>", "</s>"] + [f"w{i}" for i in range(WORDS - 3)]
random = np.random.default_rng(0)
failures = 0


def row(name, passed, figures, began):
    global failures
    failures += not passed
    print(f"{name:<44} {'passed' if passed else 'failed':<8} {figures}, {time.time() - began:.0f} s", flush=True)


def normal(*shape):
    return (random.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)


def fill_linear(layer, rows, columns):
    layer.weight, layer.bias = normal(rows, columns), normal(rows)


def fill_norm(norm):
    norm.gamma, norm.beta = 1 + normal(WIDTH), normal(WIDTH)


def fill_attention(attention, is_self):
    shapes = [(3 * WIDTH, WIDTH), (WIDTH, WIDTH)] if is_self else [(WIDTH, WIDTH), (2 * WIDTH, WIDTH), (WIDTH, WIDTH)]
    for layer, shape in zip(attention.linear, shapes, strict=True):
        fill_linear(layer, *shape)
    fill_norm(attention.layer_norm)


def fill_stack(stack, cross):
    embeddings = stack.embeddings[0] if isinstance(stack.embeddings, list) else stack.embeddings
    embeddings.weight = normal(WORDS, WIDTH)
    fill_norm(stack.layer_norm)
    for layer in stack.layer:
        fill_attention(layer.self_attention, True)
        if cross:
            fill_attention(layer.attention, False)
        fill_linear(layer.ffn.linear_0, INNER, WIDTH)
        fill_linear(layer.ffn.linear_1, WIDTH, INNER)
        fill_norm(layer.ffn.layer_norm)


def saved(spec, folder):
    spec.validate()
    spec.save(folder)
    return folder


def generator(folder):
    spec = TransformerDecoderModelSpec.from_config(2, 4, activation=common_spec.Activation.GELU)
    fill_stack(spec.decoder, False)
    fill_linear(spec.decoder.projection, WORDS, WIDTH)
    spec.register_vocabulary(VOCABULARY)
    saved(spec, folder)
    prompts = [["<s>", "w1", "w5", "w7"], ["<s>", "w9"]]
    for compute in ("float32", "float16", "int8"):
        began, made = time.time(), []
        for device in ("cpu", "cuda"):
            # The CPU's results in single precision are the reference; its own 8-bit products differ by 0.6 here.
            model = ctranslate2.Generator(folder, device=device, compute_type="float32" if device == "cpu" else compute)
            logits = np.array(ctranslate2.StorageView.to_device(model.forward_batch(prompts), ctranslate2.Device.cpu).to(ctranslate2.DataType.float32))
            tokens = model.generate_batch(prompts, max_length=8, min_length=8, beam_size=2, include_prompt_in_result=False)
            made.append((logits, [result.sequences[0] for result in tokens]))
        apart = np.abs(made[0][0] - made[1][0][..., :WORDS])[:1].max()
        limit = {"float32": 1e-4, "float16": 3e-2, "int8": 1e-1}[compute]
        row(f"generator {compute}", apart < limit, f"logits of up to {np.abs(made[0][0]).max():.1f} differ by {apart:.1e}, tokens equal: {made[0][1] == made[1][1]}", began)


def translator(folder):
    spec = TransformerSpec.from_config(2, 4)
    fill_stack(spec.encoder, False)
    fill_stack(spec.decoder, True)
    fill_linear(spec.decoder.projection, WORDS, WIDTH)
    spec.register_source_vocabulary(VOCABULARY)
    spec.register_target_vocabulary(VOCABULARY)
    saved(spec, folder)
    for beams in (1, 4):
        began, made = time.time(), []
        for device in ("cpu", "cuda"):
            model = ctranslate2.Translator(folder, device=device, compute_type="float32")
            results = model.translate_batch([["w1", "w2", "w3"], ["w20"]], beam_size=beams, max_decoding_length=10, return_scores=True)
            made.append([(result.hypotheses[0], result.scores[0]) for result in results])
        tokens = [[hypothesis for hypothesis, _ in results] for results in made]
        apart = max(abs(one[1] - other[1]) for one, other in zip(*made, strict=True))
        row(f"translator, beam of {beams}", tokens[0] == tokens[1] and apart < 1e-4, f"scores differ by {apart:.1e}", began)
    began = time.time()
    scores = []
    for device in ("cpu", "cuda"):
        model = ctranslate2.Translator(folder, device=device, compute_type="float32")
        scores.append(model.score_batch([["w1", "w2"]], [["w3", "w4", "w5"]])[0].log_probs)
    apart = np.abs(np.subtract(*scores)).max()
    row("translator, scores", apart < 1e-4, f"log-probabilities differ by {apart:.1e}", began)


for build in (generator, translator):
    with tempfile.TemporaryDirectory() as where:
        build(where)
sys.exit(failures > 0)
