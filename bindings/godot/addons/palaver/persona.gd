@icon("icon.svg")
class_name PalaverPersona
extends Resource
## Who speaks: a character's name, role, manner, and what it knows.
##
## Fill one in for each character and give it to a [PalaverNpc]. What the character may state as a fact goes into
## [member knowledge]; what it says when there was no time for more goes into [member fallbacks]. Fields can be changed
## while the game runs: the next ask sends them.

## Most characters of a short field, and of a banned word.
const MAX_FIELD_CHARS := 200
## Most characters of a fact, and of a fallback line.
const MAX_FACT_CHARS := 1000
## Most facts.
const MAX_FACTS := 256
## Most fallback lines.
const MAX_FALLBACKS := 64
## Most banned words.
const MAX_BANNED := 256

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
## Facts, one sentence each. The character states these and nothing else.
@export var knowledge := PackedStringArray()
## Lines to say when the model has none in time, or the sidecar is gone; the model never sees them.
@export var fallbacks := PackedStringArray()
## Words or phrases that the character never says; the model never sees them.
@export var banned := PackedStringArray()


## A persona from plain data, such as a parsed JSON file, with the keys of this class's fields. Other keys are ignored.
static func from_map(map: Dictionary) -> PalaverPersona:
	var persona := PalaverPersona.new()
	for key: String in ["id", "name", "role", "place", "mood", "manner"]:
		var value: Variant = map.get(key, "")
		if value is String:
			persona.set(key, value)
	for key: String in ["knowledge", "fallbacks", "banned"]:
		var value: Variant = map.get(key, [])
		if value is Array or value is PackedStringArray:
			var texts: PackedStringArray = value
			persona.set(key, texts)
	return persona


## The persona as plain data, without what is empty; [method from_map] reads it back.
func to_map() -> Dictionary:
	var map := {"id": id, "name": name, "role": role}
	for key: String in ["place", "mood", "manner"]:
		var value: String = get(key)
		if not value.is_empty():
			map[key] = value
	for key: String in ["knowledge", "fallbacks", "banned"]:
		var texts: PackedStringArray = get(key)
		if not texts.is_empty():
			map[key] = Array(texts)
	return map


## What is wrong with the persona, in a sentence; empty when nothing is. [param used_id] is the id that it is asked by,
## where that is not its own.
func problem(used_id := id) -> String:
	if used_id.strip_edges().is_empty() or used_id.length() > MAX_FIELD_CHARS:
		return "The character's id is empty, or longer than %d characters." % MAX_FIELD_CHARS
	for key: String in ["name", "role"]:
		var value: String = get(key)
		if value.strip_edges().is_empty():
			return "The persona's %s is empty." % key
	for key: String in ["name", "role", "place", "mood", "manner"]:
		var value: String = get(key)
		if value.length() > MAX_FIELD_CHARS:
			return "The persona's %s has more than %d characters." % [key, MAX_FIELD_CHARS]
	var lists := [
		_problem_of("knowledge", knowledge, MAX_FACTS, MAX_FACT_CHARS),
		_problem_of("fallbacks", fallbacks, MAX_FALLBACKS, MAX_FACT_CHARS),
		_problem_of("banned", banned, MAX_BANNED, MAX_FIELD_CHARS),
	]
	for found: String in lists:
		if not found.is_empty():
			return found
	return ""


static func _problem_of(key: String, texts: PackedStringArray, max_count: int, max_chars: int) -> String:
	if texts.size() > max_count:
		return "The persona's %s has %d entries, at most %d are allowed." % [key, texts.size(), max_count]
	for index: int in texts.size():
		if texts[index].strip_edges().is_empty():
			return "%s[%d] of the persona is empty." % [key, index]
		if texts[index].length() > max_chars:
			return "%s[%d] of the persona has more than %d characters." % [key, index, max_chars]
	return ""
