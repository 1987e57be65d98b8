/**
 * Documents of the programs that serve models on a machine, in the format of their references: the REST APIs of Ollama
 * (`/api/tags`, `/api/show`), LM Studio (`/api/v0/models`), llama.cpp's server (`/v1/models`, `/props`) and vLLM (`/v1/models`).
 */
import type { ScriptedModelOptions } from "./scripted-model.ts";

type Documents = Pick<ScriptedModelOptions, "documents" | "list" | "models">;

/** Ollama with one model that calls tools. */
export const ollama = (name: string): Documents => ({
  models: [name],
  documents: {
    "/api/tags": {
      models: [
        {
          name,
          model: name,
          modified_at: "2025-05-04T17:37:44.706015396-07:00",
          size: 5_225_388_164,
          digest: "500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41",
          details: { format: "gguf", family: "qwen3", parameter_size: "8.2B", quantization_level: "Q4_K_M" },
        },
      ],
    },
    "/api/show": {
      details: { format: "gguf", family: "qwen3" },
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      capabilities: ["completion", "tools", "thinking"],
    },
  },
});

/** LM Studio with a chat model and an embedding model. */
export const lmStudio: Documents = {
  documents: {
    "/api/v0/models": {
      object: "list",
      data: [
        {
          id: "meta-llama-3.1-8b-instruct",
          object: "model",
          type: "llm",
          publisher: "lmstudio-community",
          arch: "llama",
          compatibility_type: "gguf",
          quantization: "Q4_K_M",
          state: "not-loaded",
          max_context_length: 131_072,
        },
        {
          id: "text-embedding-nomic-embed-text-v1.5",
          object: "model",
          type: "embeddings",
          publisher: "nomic-ai",
          arch: "nomic-bert",
          compatibility_type: "gguf",
          quantization: "Q4_0",
          state: "not-loaded",
          max_context_length: 2048,
        },
      ],
    },
  },
};

/** llama.cpp's server with one model. */
export const llamaCpp: Documents = {
  list: [
    {
      id: "qwen3-8b",
      object: "model",
      created: 1_735_142_223,
      owned_by: "llamacpp",
      meta: { vocab_type: 2, n_vocab: 151_936, n_ctx_train: 40_960, n_embd: 4096, n_params: 8_190_735_360 },
    },
  ],
  documents: {
    "/props": {
      default_generation_settings: { id: 0, n_ctx: 8192, params: { temperature: 0.8 } },
      total_slots: 1,
      chat_template_caps: { supports_tools: true, supports_parallel_tool_calls: false },
      build_info: "b8681",
    },
  },
};

/** vLLM with one model. */
export const vllm: Documents = {
  list: [
    {
      id: "Qwen/Qwen3-8B",
      object: "model",
      created: 1_735_142_223,
      owned_by: "vllm",
      root: "Qwen/Qwen3-8B",
      parent: null,
      max_model_len: 32_768,
      permission: [],
    },
  ],
};
