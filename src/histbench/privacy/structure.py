"""What redaction keeps of strings: the names that a format gives, and no name that a person gave.

Three allow-lists, and everything that is not on them is text.

- `KEYS`: keys of objects.  A format's own keys say what a value is, and readers look for them.
- `KINDS` under the keys `NAMING`: types, roles, states and reasons that a format names.
- instants in ISO 8601 under the keys `CLOCKS`: times are kept as numbers, so they are as texts.

The names are those of this project's logs and of the recorded streams that importers know.
A name that is missing here costs nothing but its readability: it is replaced by one of its shape.
"""

import re

__all__ = ["KEYS", "KINDS", "NAMING", "is_kept_key", "is_kept_value"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOG_KEYS = """
    type seq time data turn step chunk index text texts args dt id name argumentsDelta seq0 time0
    blockType block usage reason kind replayState finish message content role source sourceEventSeqs
    surfaceOp op start end startSeq endSeq ignorable view header version createdAt cwd parentSession
    seedLength origin delegationDepth agentPreset turns target inserted removedCount outcome trigger
    callId toolCallId arguments isError error code status meta config adapterDefaults system tools
    provider model contextWindow title messageSeqs mode label agentProvider agentModel summary
    compactionId sourceCommandId rawOutput llmStreamCall shadowedRange shadowedSeqs
    shadowedTokenCount maxTokens inputTokens outputTokens cacheReadTokens cacheWriteTokens
    reasoningTokens retryId policyKey retry maxRetries delayMs failure durationMs interrupted plugin
    form sections todos stream inherited records events hasMore fromSeq toSeq projections
"""
_LATER_LOG_KEYS = """
    pluginId rpcId reasoningEffort point handlerId rootCallId parentCallId subCallId provenance
    policy packageId action scope digest decision senderSessionId dialect exitCode changes
    messagePrefix lines totalLines phase revision diffs matcher baseline baselineIdentity attachment
    attachmentId mediaType bytes width height stderrSummary childId commandId goalId round truncated
    preset timeoutMs idPrefix purpose platform
"""
_SCHEMA_KEYS = """
    description parameters required additionalProperties enum const items oneOf anyOf allOf default
    format minimum maximum minLength maxLength minItems maxItems pattern inputSchema input_schema
"""
_IMPORT_KEYS = """
    format clock items deltas assembled count first same like columns values before after frame
"""
_STREAM_KEYS = """
    object created choices delta finish_reason tool_calls function logprobs refusal reasoning
    reasoning_content obfuscation service_tier system_fingerprint prompt_tokens completion_tokens
    total_tokens prompt_tokens_details completion_tokens_details cached_tokens reasoning_tokens
    event input output item item_id output_index content_index summary_index sequence_number
    response annotations call_id content_block partial_json thinking signature citations stop_reason
    stop_sequence input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens
    stream_event session_id parent_tool_use_id uuid parentUuid sessionId timestamp isSidechain
    userType requestId toolUseResult tool_use_id is_error jsonrpc method params result update
    sessionUpdate rawInput rawOutput locations path line entries priority _meta messageId timestampMs
    delta_type toolCallName parentMessageId runId threadId rawEvent value snapshot toolName
    inputTextDelta providerMetadata finishReason messageMetadata candidates parts usageMetadata
    promptTokenCount candidatesTokenCount totalTokenCount functionCall functionResponse thought
    thoughtSignature safetyRatings modelVersion responseId payload properties sessionID messageID
    partID part field callID tool state cost tokens additional_kwargs response_metadata
    tool_call_chunks usage_metadata metadata attributes children top_logprobs token logprob caller
    cache_creation cached_input_tokens reasoning_output_tokens container expires_at thoughts
    toolCalls resultDisplay displayName created_at completed_at incomplete_details truncation
    stdout stderr exit_code isMeta structuredPatch encrypted_content instructions total cached
    rate_limits used_percent total_token_usage last_token_usage model_context_window
"""
KEYS = _words(_LOG_KEYS + _LATER_LOG_KEYS + _SCHEMA_KEYS + _IMPORT_KEYS + _STREAM_KEYS)

NAMING = _words("""
    type kind role op object event method status state reason mode blockType origin source target
    outcome finish_reason stop_reason stopReason finishReason sessionUpdate field jsonrpc surfaceOp
    delta_type userType clock format
""")

_LOG_KINDS = """
    session turn/start turn/end step/start step/end user/message assistant/chunk assistant/message
    tool/call tool/result request/header request/context session/title session/end-seed
    session/title-llm-request agent/inbox/spliced subagent/descriptor compaction/start
    compaction/summary compaction/end compaction/prune llm/retry llm/retry-started hook/invoked
    hook/result approval/asked approval/decided approval/policy sandbox/mode permission/preset
    todo/write command/run command/done goal/change tool/code-dispatch tool/code-dispatch-start
    tool-workflow/run-start tool-workflow/run-end tool-workflow/agent-start tool-workflow/agent-end
    plan/mode system/message assistant/attempt model/selection source/event source/text
    source/envelope source/frame source/rows source/import capture synthetic
    benchmark/separator
    block-start block-end text-delta reasoning-delta tool-call-delta usage finish
    text-chunks reasoning-chunks tool-call-chunks text reasoning tool-call tool-result image
    user assistant system tool developer model agent subagent plugin hook goal coordinator
    agent-instructions subagent-settled subagent-report skill-catalog one-shot continuable
    fallback append replace next-turn initial resume change stop tool-calls max-tokens aborted error completed
    next-step delegation run read-only workspace-write danger-full-access allowed-once normal
    canceled rejected success string object number integer boolean array null
    interrupted blocked pending in_progress in-progress failed cancelled running parent disposed legacy
"""
_STREAM_KINDS = """
    chat.completion.chunk chat.completion function length tool_calls content_filter end_turn
    max_tokens stop_sequence tool_use tool_result message_start message_delta message_stop
    content_block_start content_block_delta content_block_stop text_delta thinking_delta
    input_json_delta signature_delta citations_delta ping thinking stream_event result message
    external response function_call function_call_output output_text reasoning_text summary_text
    response.created response.in_progress response.completed response.failed response.incomplete
    response.output_item.added response.output_item.done response.content_part.added
    response.content_part.done response.output_text.delta response.output_text.done
    response.reasoning_text.delta response.reasoning_summary_text.delta
    response.function_call_arguments.delta response.function_call_arguments.done
    session/update agent_message_chunk agent_thought_chunk user_message_chunk tool_call
    tool_call_update plan usage_update 2.0 RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED
    STEP_FINISHED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TEXT_MESSAGE_CHUNK
    TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT REASONING_MESSAGE_CONTENT
    text-start text-end reasoning-start reasoning-end tool-input-start tool-input-delta
    tool-input-available tool-output-available start start-step finish-step STOP MAX_TOKENS
    message.part.delta message.part.updated message.updated step-start step-finish event_msg
    response_item turn_context session_meta compacted AIMessageChunk human ai token_count
    agent_reasoning agent_message user_message input_text custom_tool_call custom_tool_call_output
    session.event session.status idle server_tool_use REASONING_START REASONING_END
    REASONING_MESSAGE_START REASONING_MESSAGE_END response.reasoning_text.done
    dsh dsh-embedded dsh-live openai-chat openai-responses anthropic claude-stream gemini acp grok
    ag-ui vercel-ui cloudflare-rows langgraph opencode claude-code codex gemini-cli qwen-code
"""
KINDS = _words(_LOG_KINDS + _STREAM_KINDS)

CLOCKS = _words(
    "timestamp createdAt created_at updatedAt updated_at startTime endTime lastUpdated time"
)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)

# Digits alone are a number that stands where only strings may, and decide the order of keys.
_NUMBER = re.compile(r"[0-9]+")


def is_kept_key(key: str) -> bool:
    """Whether an object's key stays as it is.

    >>> is_kept_key("turn"), is_kept_key("17"), is_kept_key("salary")
    (True, True, False)
    """
    return key in KEYS or _NUMBER.fullmatch(key) is not None


def is_kept_value(key: str, value: str) -> bool:
    """Whether a string under `key` stays as it is.

    >>> is_kept_value("type", "turn/start"), is_kept_value("text", "turn/start")
    (True, False)
    """
    if key in NAMING:
        return value in KINDS
    return key in CLOCKS and _INSTANT.fullmatch(value) is not None
