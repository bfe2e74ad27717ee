extends RefCounted
## What a message of the sidecar has to hold, so that whoever reads it need not look again.

const Fields := preload("fields.gd")

## Fields of each type and what they have to be. Further fields are left alone.
const _FIELDS := {
	"welcome": {"request": TYPE_INT, "protocol": TYPE_INT, "version": TYPE_STRING, "state": TYPE_STRING,
		"model": TYPE_DICTIONARY},
	"pong": {"request": TYPE_INT},
	"ok": {"request": TYPE_INT},
	"npc": {"request": TYPE_INT, "npc": TYPE_DICTIONARY},
	"saved": {"request": TYPE_INT, "id": TYPE_STRING, "data": TYPE_STRING},
	"cancelled": {"request": TYPE_INT, "target": TYPE_INT, "found": TYPE_BOOL},
	"report": {"request": TYPE_INT, "state": TYPE_STRING, "load_progress": TYPE_FLOAT},
	"draft": {"request": TYPE_INT, "text": TYPE_STRING, "stable_chars": TYPE_INT, "steps_done": TYPE_INT,
		"steps_planned": TYPE_INT},
	"line": {"request": TYPE_INT, "text": TYPE_STRING, "source": TYPE_STRING, "finish_reason": TYPE_STRING,
		"seed": TYPE_INT, "steps_planned": TYPE_INT, "steps_done": TYPE_INT, "canvases": TYPE_INT, "tokens": TYPE_INT,
		"rerolls": TYPE_INT, "confidence": TYPE_FLOAT, "deterministic": TYPE_BOOL, "timings": TYPE_DICTIONARY},
	"choice": {"request": TYPE_INT, "index": TYPE_INT, "probabilities": TYPE_ARRAY, "source": TYPE_STRING,
		"finish_reason": TYPE_STRING, "timings": TYPE_DICTIONARY},
	"prompt": {"request": TYPE_INT, "text": TYPE_STRING, "tokens": TYPE_INT, "dropped": TYPE_ARRAY},
	"summary": {"request": TYPE_INT, "id": TYPE_STRING, "text": TYPE_STRING, "keep": TYPE_INT},
	"error": {"code": TYPE_STRING, "message": TYPE_STRING, "hint": TYPE_STRING},
}
## Fields that may be missing, or nil.
const _OPTIONAL := {
	"line": {"directions": TYPE_ARRAY, "action": TYPE_DICTIONARY, "plain_text": TYPE_STRING},
}
const _SOURCES := {"line": ["model", "draft", "fallback"], "choice": ["model", "fallback"]}


## What is wrong with a message, in a few words; empty when nothing is.
static func problem(message: Dictionary) -> String:
	var type: Variant = message.get("type")
	if not type is String or not _FIELDS.has(type):
		return "a type that is not known"
	var expected: Dictionary = _FIELDS[type]
	for key: String in expected:
		var found := typeof(message.get(key))
		if found != expected[key] and not (found == TYPE_INT and expected[key] == TYPE_FLOAT):
			return "%s: %s is missing, or of a wrong type" % [type, key]
	var optional: Dictionary = _OPTIONAL.get(type, {})
	for key: String in optional:
		if message.get(key) != null and typeof(message[key]) != optional[key]:
			return "%s: %s is of a wrong type" % [type, key]
	var request: Variant = message.get("request")
	if request != null and (not request is int or request < 0):
		return "%s: no request" % type
	if _SOURCES.has(type):
		var sources: Array = _SOURCES[type]
		if not message["source"] in sources:
			return "%s: a source that there is not" % type
	if type == "line" and message.get("action") != null and not _is_action(message):
		return "line: the action is no name and arguments"
	return ""


static func _is_action(line: Dictionary) -> bool:
	var action := Fields.map(line, "action")
	if not action.get("name") is String or not action.get("args") is Dictionary:
		return false
	var args := Fields.map(action, "args")
	return args.values().all(func(value: Variant) -> bool: return value is String or value is int)
