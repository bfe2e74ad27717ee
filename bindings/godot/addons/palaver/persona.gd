@icon("icon.svg")
class_name PalaverPersona
extends Resource
## Who speaks: a character's name, role, manner, and what it knows.
##
## Fill one in for each character and give it to a [PalaverNpc]. What the character may state as a fact goes into
## [member knowledge]; what it says when there was no time for more goes into [member fallbacks]. Fields can be changed
## while the game runs: the next ask sends them.

## Most characters of a short field, of a name, a situation and a banned word.
const MAX_FIELD_CHARS := 200
## Most characters of a fact, a declaration, and a fallback line.
const MAX_FACT_CHARS := 1000
## Most facts.
const MAX_FACTS := 256
## Most secrets.
const MAX_SECRETS := 64
## Most proper names.
const MAX_NAMES := 256
## Most declarations of actions.
const MAX_ACTIONS := 32
## Most fallback lines, and most of each situation.
const MAX_FALLBACKS := 64
## Most situations.
const MAX_SITUATIONS := 32
## Most banned words.
const MAX_BANNED := 256
## Most sentences that a limit may allow.
const MAX_SENTENCES := 20
## Fewest characters that a limit may allow.
const LEAST_LINE_CHARS := 20
## Most characters that a limit may allow.
const MAX_LINE_CHARS := 2000

const _REQUIRED: Array[String] = ["id", "name", "role"]
const _SHORT: Array[String] = ["place", "mood", "manner", "language"]
## Lists of texts: how many there may be, and of how many characters.
const _LISTS := {
	"knowledge": [MAX_FACTS, MAX_FACT_CHARS],
	"secrets": [MAX_SECRETS, MAX_FACT_CHARS],
	"names": [MAX_NAMES, MAX_FIELD_CHARS],
	"actions": [MAX_ACTIONS, MAX_FACT_CHARS],
	"fallbacks": [MAX_FALLBACKS, MAX_FACT_CHARS],
	"banned": [MAX_BANNED, MAX_FIELD_CHARS],
}
const _LIMITS: Array[String] = ["max_sentences", "max_chars"]
## The order of the fields in a message.
const _ORDER: Array[String] = [
	"place", "mood", "manner", "language", "knowledge", "secrets", "names", "actions", "fallbacks", "situations",
	"banned", "max_sentences", "max_chars",
]

## The game's own name for the character, unique among them; the model never sees it.
@export var id := ""
## What the character is called.
@export var name := ""
## What the character is, in lower case: [code]blacksmith[/code].
@export var role := ""
## Where the character belongs: [code]Oakvale[/code]. May be empty.
@export var place := ""
## One word or a few: [code]tired[/code]. May be empty.
@export var mood := ""
## How the character speaks: [code]gruff[/code]. May be empty.
@export var manner := ""
## What it speaks: [code]English[/code]. Empty to leave that to the model.
@export var language := ""
## Facts, one sentence each. The character states these and nothing else.
@export var knowledge := PackedStringArray()
## Facts that the character acts on but never tells: a line that would tell one is not said.
@export var secrets := PackedStringArray()
## Proper names that the character may use though no fact holds them; the model never sees them.
@export var names := PackedStringArray()
## What a line may carry out: [code]open_gate()[/code], [code]give(item: rope|torch)[/code],
## [code]pay(amount: 1..20)[/code]; at most 64 different calls in all. See [member PalaverLine.action].
@export var actions := PackedStringArray()
## Lines to say when the model has none in time, or the sidecar is gone; the model never sees them.
@export var fallbacks := PackedStringArray()
## Such lines for situations of the game's own: [code]{"at night": ["Come back at dawn."]}[/code]. An ask names its
## [code]situation[/code].
@export var situations: Dictionary[String, PackedStringArray] = {}
## Words or phrases that the character never says; the model never sees them.
@export var banned := PackedStringArray()
## Most sentences of a line, up to 20; 0 for no limit.
@export_range(0, 20) var max_sentences := 0
## Most characters of a line, 20 to 2000; 0 for no limit.
@export_range(0, 2000) var max_chars := 0


## A persona from plain data, such as a parsed JSON file, with the keys of this class's fields. Other keys are ignored.
static func from_map(map: Dictionary) -> PalaverPersona:
	var persona := PalaverPersona.new()
	for key: String in _REQUIRED + _SHORT:
		var value: Variant = map.get(key, "")
		if value is String:
			persona.set(key, value)
	for key: String in _LISTS:
		persona.set(key, _texts(map.get(key)))
	for key: String in _LIMITS:
		var value: Variant = map.get(key)
		if value is int or value is float:
			var limit: float = value
			persona.set(key, roundi(limit))
	var lines: Variant = map.get("situations")
	if lines is Dictionary:
		var by_situation: Dictionary = lines
		for situation: Variant in by_situation:
			persona.situations[str(situation)] = _texts(by_situation[situation])
	return persona


## The persona as plain data, without what is empty; [method from_map] reads it back.
func to_map() -> Dictionary:
	var map := {"id": id, "name": name, "role": role}
	for key: String in _ORDER:
		var value: Variant = get(key)
		if value is PackedStringArray:
			var texts: PackedStringArray = value
			value = Array(texts)
		elif key == "situations":
			value = _plain_situations()
		if value:
			map[key] = value
	return map


## What is wrong with the persona, in a sentence; empty when nothing is. [param used_id] is the id that it is asked by,
## where that is not its own. Whether the actions can be read is not looked at here: the sidecar does.
func problem(used_id := id) -> String:
	if used_id.strip_edges().is_empty() or used_id.length() > MAX_FIELD_CHARS:
		return "The character's id is empty, or longer than %d characters." % MAX_FIELD_CHARS
	for key: String in ["name", "role"]:
		var value: String = get(key)
		if value.strip_edges().is_empty():
			return "The persona's %s is empty." % key
	for key: String in ["name", "role"] + _SHORT:
		var value: String = get(key)
		if value.length() > MAX_FIELD_CHARS:
			return "The persona's %s has more than %d characters." % [key, MAX_FIELD_CHARS]
	for key: String in _LISTS:
		var texts: PackedStringArray = get(key)
		var limits: Array = _LISTS[key]
		var max_count: int = limits[0]
		var max_chars_of_each: int = limits[1]
		var found := _problem_of(key, texts, max_count, max_chars_of_each)
		if not found.is_empty():
			return found
	if max_sentences < 0 or max_sentences > MAX_SENTENCES:
		return "The persona's max_sentences is %d, it must be 0 to %d." % [max_sentences, MAX_SENTENCES]
	if max_chars != 0 and (max_chars < LEAST_LINE_CHARS or max_chars > MAX_LINE_CHARS):
		var limits := [max_chars, LEAST_LINE_CHARS, MAX_LINE_CHARS]
		return "The persona's max_chars is %d, it must be 0, or %d to %d." % limits
	return _problem_of_situations()


func _plain_situations() -> Dictionary:
	var plain := {}
	for situation: String in situations:
		plain[situation] = Array(situations[situation])
	return plain


func _problem_of_situations() -> String:
	if situations.size() > MAX_SITUATIONS:
		return "The persona has %d situations, at most %d are allowed." % [situations.size(), MAX_SITUATIONS]
	for situation: String in situations:
		if situation.strip_edges().is_empty() or situation.length() > MAX_FIELD_CHARS:
			return "The name of a situation is empty, or longer than %d characters." % MAX_FIELD_CHARS
		var key := "situations[%s]" % situation
		var found := _problem_of(key, situations[situation], MAX_FALLBACKS, MAX_FACT_CHARS)
		if not found.is_empty():
			return found
	return ""


static func _texts(value: Variant) -> PackedStringArray:
	if value is Array or value is PackedStringArray:
		var texts: PackedStringArray = value
		return texts
	return PackedStringArray()


static func _problem_of(key: String, texts: PackedStringArray, max_count: int, max_chars_of_each: int) -> String:
	if texts.size() > max_count:
		return "The persona's %s has %d entries, at most %d are allowed." % [key, texts.size(), max_count]
	for index: int in texts.size():
		if texts[index].strip_edges().is_empty():
			return "%s[%d] of the persona is empty." % [key, index]
		if texts[index].length() > max_chars_of_each:
			return "%s[%d] of the persona has more than %d characters." % [key, index, max_chars_of_each]
	return ""
