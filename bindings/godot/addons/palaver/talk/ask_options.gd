extends RefCounted
## The options of an ask: what may be given, within which limits, and in which order they are sent.

const MAX_TEXT_CHARS := 4000
const _CHOICES := {"policy": ["queue", "replace", "reject"], "sampler": ["reference", "fast"]}
## What the sidecar takes where an option is left out; an option that says the same is left out.
const _DEFAULTS := {"deadline_ms": 0, "priority": 0, "policy": "queue", "deterministic": true, "record": true}
## The largest whole number that a message can carry.
const MAX_WHOLE := 0x7FFFFFFFFFFFFFFF
## Whole numbers and their limits. A deadline of 0 is one that is not there.
const _WHOLE := {
	"seed": [0, MAX_WHOLE],
	"steps": [1, 1000],
	"max_tokens": [1, 4096],
	"deadline_ms": [0, 600_000],
	"priority": [-10, 10],
	"draft_every_ms": [0, 600_000],
	"stop_after_steps": [1, 1_000_000],
}
## The order of the fields in a message.
const _ORDER: Array[String] = [
	"seed", "steps", "max_tokens", "deadline_ms", "priority", "policy", "draft_every_ms", "stop_after_steps", "sampler",
	"deterministic", "record",
]


## What is wrong with the text or an option, in a sentence; empty when nothing is.
static func problem(text: String, options: Dictionary) -> String:
	if text.strip_edges().is_empty():
		return "The text is empty."
	if text.length() > MAX_TEXT_CHARS:
		return "The text has %d characters, at most %d are allowed." % [text.length(), MAX_TEXT_CHARS]
	for key: Variant in options:
		var found := _problem_of(key, options[key])
		if not found.is_empty():
			return found
	return ""


## The fields of an ask message behind [code]text[/code], in the order of the protocol. Options that are null or say
## what holds anyway are left out. [param left_ms] is what is left of the deadline, where there is one.
static func fields(options: Dictionary, left_ms: int) -> Dictionary:
	var sent := {}
	for key: String in _ORDER:
		var value: Variant = options.get(key)
		if value != null and value != _DEFAULTS.get(key):
			sent[key] = left_ms if key == "deadline_ms" else value
	return sent


static func _problem_of(key: Variant, value: Variant) -> String:
	if not (key is String or key is StringName) or not key in _ORDER:
		return "There is no option '%s'. There are: %s." % [key, ", ".join(_ORDER)]
	if value == null:
		return ""
	if key in _WHOLE:
		var limits: Array = _WHOLE[key]
		if not value is int or value < limits[0] or value > limits[1]:
			return "%s is %s, it must be a whole number from %d to %d." % [key, value, limits[0], limits[1]]
	elif key in _CHOICES:
		var choices: Array = _CHOICES[key]
		if not value in choices:
			return "%s is '%s', it must be one of: %s." % [key, value, ", ".join(choices)]
	elif not value is bool:
		return "%s must be true or false." % key
	return ""
