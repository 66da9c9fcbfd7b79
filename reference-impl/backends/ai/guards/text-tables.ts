import type { FormatName } from '../formats/format.ts';

/**
 * What a member holds that is no text to be judged as it stands:
 * `silent`: words of the protocol, names, identifiers, addresses and encoded bytes; one with a blank or a letter beyond
 * ASCII in it is none of these, and is judged;
 * `data`: encoded bytes, but text beside the type `text`;
 * `json`: JSON as text, the arguments of a tool;
 * `free`: JSON of anybody's making, every value of which is text;
 * `schema`: a JSON schema, of which a model reads titles, descriptions and values.
 * `text`, and every member without a row: text, or what leads to some. What nobody here has heard of is judged
 * (docs/decisions/prompt-guard.md); a test says which string members of the official SDKs have no row.
 */
export type Holds = 'text' | 'silent' | 'data' | 'json' | 'free' | 'schema';

export interface TextTable {
  readonly members: Readonly<Record<string, Holds>>;
  /** Stands between neighbouring parts of text that are judged as one. */
  readonly separator: string;
}

/** One table per format in which somebody talks to a model. */
export const TEXT_TABLES: Readonly<Partial<Record<FormatName, TextTable>>> = {
  completions: {
    separator: ' ',
    members: {
      ...silent('model', 'id', 'type', 'role', 'name', 'object', 'tool_call_id', 'finish_reason', 'service_tier'),
      ...silent('system_fingerprint', 'url', 'file_data', 'file_id', 'format', 'detail', 'voice', 'modalities'),
      ...silent('user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'metadata', 'logit_bias'),
      ...silent('reasoning_effort', 'verbosity', 'tool_choice', 'function_call_name', 'stop', 'search_context_size'),
      ...silent('syntax', 'mode', 'cache_control', 'signature', 'encrypted_content', 'obfuscation', 'stream_options'),
      ...silent('usage', 'prompt_filter_results', 'content_filter_results', 'country', 'timezone', 'mime_type'),
      ...text('content', 'text', 'refusal', 'transcript', 'token', 'description', 'title', 'input', 'definition'),
      ...text('city', 'region', 'filename', 'code', 'message'),
      data: 'data',
      arguments: 'json',
      parameters: 'schema',
      schema: 'schema',
    },
  },
  messages: {
    separator: ' ',
    members: {
      ...silent('model', 'id', 'type', 'role', 'name', 'tool_use_id', 'media_type', 'url', 'file_id', 'signature'),
      ...silent('cache_control', 'stop_reason', 'stop_sequence', 'stop_sequences', 'metadata', 'tool_choice'),
      ...silent('service_tier', 'container', 'mcp_servers', 'betas', 'anthropic_version', 'encrypted_content'),
      ...silent(
        'encrypted_index',
        'allowed_domains',
        'blocked_domains',
        'country',
        'timezone',
        'usage',
        'inference_geo',
      ),
      ...silent('error_code', 'encrypted_stdout', 'caller', 'allowed_callers', 'file_type', 'tool_name', 'request_id'),
      ...silent('speed', 'effort', 'mcp_server_name', 'server_name', 'page_age', 'encoding'),
      ...silent('download_id', 'previous_message_id', 'skill_id', 'tab_id', 'tool_id', 'toolset_name', 'user_id'),
      ...silent('user_profile_id', 'workspace_id', 'version', 'expires_at', 'retrieved_at', 'required'),
      ...silent('fallback_credit_token', 'token', 'remove_to_redeem', 'recommended_model', 'authorization_token'),
      ...silent('allowed_tools', 'exclude_tools', 'clear_tool_inputs'),
      ...text('system', 'content', 'text', 'thinking', 'partial_json', 'cited_text', 'context', 'title', 'source'),
      ...text('document_title', 'description', 'explanation', 'lines', 'stdout', 'stderr', 'error', 'error_message'),
      ...text('path', 'city', 'region', 'instructions'),
      data: 'data',
      input: 'free',
      input_schema: 'schema',
      schema: 'schema',
    },
  },
  responses: {
    separator: '\n',
    members: {
      ...silent('model', 'id', 'type', 'role', 'name', 'object', 'call_id', 'item_id', 'response_id', 'event_id'),
      ...silent('previous_response_id', 'previous_item_id', 'conversation', 'status', 'url', 'image_url', 'file_url'),
      ...silent('file_id', 'file_data', 'detail', 'encrypted_content', 'include', 'metadata', 'user', 'tool_choice'),
      ...silent('truncation', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'),
      ...silent('effort', 'generate_summary', 'summary_mode', 'verbosity', 'server_url', 'server_label', 'headers'),
      ...silent('authorization', 'connector_id', 'allowed_tools', 'require_approval', 'vector_store_ids', 'container'),
      ...silent('container_id', 'approval_request_id', 'obfuscation', 'syntax', 'search_context_size', 'country'),
      ...silent('timezone', 'allowed_domains', 'blocked_domains', 'quality', 'size', 'background', 'moderation'),
      ...silent(
        'output_format',
        'input_fidelity',
        'ranker',
        'environment',
        'usage',
        'audio',
        'voice',
        'partial_image_b64',
      ),
      ...silent(
        'b64_json',
        'client_secret',
        'execution',
        'phase',
        'agent',
        'namespace',
        'stream_options',
        'modalities',
      ),
      ...silent('turn_detection', 'input_audio_format', 'output_audio_format', 'noise_reduction', 'output_modalities'),
      ...silent('caller_id', 'comparison_response_id', 'created_by', 'error_type', 'file_ids', 'fingerprint', 'mode'),
      ...silent('keys', 'param', 'pattern', 'skill_id', 'tool_names', 'tunnel_id', 'version', 'review_target'),
      ...silent('continuation_id'),
      ...text('instructions', 'input', 'content', 'text', 'output_text', 'output', 'refusal', 'delta', 'variables'),
      ...text(
        'description',
        'server_description',
        'definition',
        'title',
        'filename',
        'query',
        'queries',
        'code',
        'logs',
      ),
      ...text('command', 'commands', 'stdout', 'stderr', 'diff', 'path', 'env', 'working_directory', 'revised_prompt'),
      ...text(
        'token',
        'attributes',
        'categories',
        'value',
        'key',
        'reason',
        'detailed_explanation',
        'error',
        'message',
      ),
      ...text('city', 'region', 'domain'),
      result: 'data',
      data: 'data',
      arguments: 'json',
      parameters: 'schema',
      schema: 'schema',
      input_schema: 'schema',
    },
  },
};

function silent(...names: readonly string[]): Readonly<Record<string, Holds>> {
  return Object.fromEntries(names.map((name) => [name, 'silent']));
}

function text(...names: readonly string[]): Readonly<Record<string, Holds>> {
  return Object.fromEntries(names.map((name) => [name, 'text']));
}
