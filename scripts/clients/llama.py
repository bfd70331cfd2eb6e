"""A small model of the Llama kind with random weights and a real vocabulary, as a GGUF file; run by llama.sh.

Usage: llama.py VOCABULARY.gguf OUT.gguf KIND, with llama.cpp's `gguf` in the path. The model generates noise, but the same noise on every machine.
"""

import sys

import gguf
import numpy as np

source, out, kind = sys.argv[1:]
kind = gguf.GGMLQuantizationType[kind]
width, layers, heads, key_heads, inner, context = 256, 4, 8, 4, 512, 512
head = width // heads
random = np.random.default_rng(20)

vocabulary = gguf.GGUFReader(source).fields
writer = gguf.GGUFWriter(out, "llama")
writer.add_block_count(layers)
writer.add_context_length(context)
writer.add_embedding_length(width)
writer.add_feed_forward_length(inner)
writer.add_head_count(heads)
writer.add_head_count_kv(key_heads)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(head)
tokens = vocabulary["tokenizer.ggml.tokens"].contents()
writer.add_vocab_size(len(tokens))
writer.add_tokenizer_model("llama")
writer.add_tokenizer_pre("default")
writer.add_token_list(tokens)
writer.add_token_scores(vocabulary["tokenizer.ggml.scores"].contents())
writer.add_token_types(vocabulary["tokenizer.ggml.token_type"].contents())
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)


def matrix(name, rows, columns):
    values = (random.standard_normal((rows, columns)) / columns**0.5).astype(np.float32)
    writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def ones(name):
    writer.add_tensor(name, np.ones(width, np.float32))


matrix("token_embd.weight", len(tokens), width)
for layer in range(layers):
    at = f"blk.{layer}"
    ones(f"{at}.attn_norm.weight")
    matrix(f"{at}.attn_q.weight", width, width)
    matrix(f"{at}.attn_k.weight", key_heads * head, width)
    matrix(f"{at}.attn_v.weight", key_heads * head, width)
    matrix(f"{at}.attn_output.weight", width, width)
    ones(f"{at}.ffn_norm.weight")
    matrix(f"{at}.ffn_gate.weight", inner, width)
    matrix(f"{at}.ffn_up.weight", inner, width)
    matrix(f"{at}.ffn_down.weight", width, inner)
ones("output_norm.weight")
matrix("output.weight", len(tokens), width)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
