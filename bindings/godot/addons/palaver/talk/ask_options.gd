extends RefCounted
## What may be asked: the text, the answers to choose from, and the options, with their limits and the order in which
## they are sent.

const Fields := preload("../wire/fields.gd")
const Template := preload("template.gd")

const MAX_TEXT_CHARS := 4000
const MAX_TEMPLATE_CHARS := 1000
const MAX_PHRASES := 8
const MAX_PHRASE_CHARS := 200
const MIN_ANSWERS := 2
const MAX_ANSWERS := 16
const MAX_ANSWER_CHARS := 400
const _CHOICES := {
	"policy": ["queue", "replace", "reject"],
	"sampler": ["reference", "fast"],
	"escape": ["plain", "bbcode", "richtext", "yarn", "ink"],
}
## What the sidecar takes where an option is left out; an option that says the same is left out.
const _DEFAULTS := {
	"deadline_ms": 0,
	"priority": 0,
	"policy": "queue",
	"deterministic": true,
	"must_include": [],
	"escape": "plain",
	"record": true,
}
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
## Texts and the most characters of them.
const _TEXTS := {"template": MAX_TEMPLATE_CHARS, "situation": 200}
## The order of the fields in a message.
const _ORDER: Array[String] = [
	"seed", "steps", "max_tokens", "deadline_ms", "priority", "policy", "draft_every_ms", "stop_after_steps", "sampler",
	"deterministic", "template", "must_include", "situation", "escape", "record",
]
const _OF_CHOICES: Array[String] = ["deadline_ms", "priority", "policy"]
## What a character that is remembered has of its own, and how a game changes it.
const _ELSEWHERE := {
	"history": "load_turns()",
	"summary": "set_summary()",
	"world": "Palaver.put_world()",
}


## What is wrong with the text or an option of an ask, in a sentence; empty when nothing is.
static func problem(text: String, options: Dictionary) -> String:
	var found := _problem_of_all(text, options, _ORDER)
	if found.is_empty() and (options.has("template") or options.has("must_include")):
		found = Template.new(Fields.text(options, "template"), Fields.texts(options, "must_include")).problem
	return found


## The same for a choice.
static func problem_of_choice(text: String, answers: PackedStringArray, options: Dictionary) -> String:
	if answers.size() < MIN_ANSWERS or answers.size() > MAX_ANSWERS:
		return "There are %d answers to choose from, it must be %d to %d." % [answers.size(), MIN_ANSWERS, MAX_ANSWERS]
	for index: int in answers.size():
		if answers[index].strip_edges().is_empty() or answers[index].length() > MAX_ANSWER_CHARS:
			return "Answer %d is empty, or longer than %d characters." % [index, MAX_ANSWER_CHARS]
	return _problem_of_all(text, options, _OF_CHOICES)


## What is wrong with what the player says.
static func problem_of_text(text: String) -> String:
	return _problem_of_all(text, {}, _ORDER)


## The fields of an ask or a choice behind [code]text[/code], in the order of the protocol. Options that are null or say
## what holds anyway are left out. [param left_ms] is what is left of the deadline, where there is one.
static func fields(options: Dictionary, left_ms: int) -> Dictionary:
	var sent := {}
	for key: String in _ORDER:
		var value: Variant = options.get(key)
		if value is PackedStringArray:
			var texts: PackedStringArray = value
			value = Array(texts)
		if value != null and value != _DEFAULTS.get(key):
			sent[key] = left_ms if key == "deadline_ms" else value
	return sent


static func _problem_of_all(text: String, options: Dictionary, allowed: Array[String]) -> String:
	if text.strip_edges().is_empty():
		return "The text is empty."
	if text.length() > MAX_TEXT_CHARS:
		return "The text has %d characters, at most %d are allowed." % [text.length(), MAX_TEXT_CHARS]
	for key: Variant in options:
		var found := _problem_of(key, options[key], allowed)
		if not found.is_empty():
			return found
	return ""


static func _problem_of(key: Variant, value: Variant, allowed: Array[String]) -> String:
	if key in _ELSEWHERE:
		return "%s is no option here; use %s." % [key, _ELSEWHERE[key]]
	if not (key is String or key is StringName) or not key in allowed:
		return "There is no option '%s'. There are: %s." % [key, ", ".join(allowed)]
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
	elif key in _TEXTS:
		if not _is_text(value, int(str(_TEXTS[key]))):
			return "%s must be text of 1 to %d characters." % [key, _TEXTS[key]]
	elif key == "must_include":
		return _problem_of_phrases(value)
	elif not value is bool:
		return "%s must be true or false." % key
	return ""


static func _problem_of_phrases(value: Variant) -> String:
	if not (value is Array or value is PackedStringArray):
		return "must_include must be a list of phrases."
	var phrases: Array = value
	if phrases.size() > MAX_PHRASES:
		return "must_include has %d phrases, at most %d are allowed." % [phrases.size(), MAX_PHRASES]
	for index: int in phrases.size():
		if not _is_text(phrases[index], MAX_PHRASE_CHARS):
			return "must_include[%d] must be text of 1 to %d characters." % [index, MAX_PHRASE_CHARS]
	return ""


static func _is_text(value: Variant, max_chars: int) -> bool:
	if not value is String:
		return false
	var text: String = value
	return not text.strip_edges().is_empty() and text.length() <= max_chars
