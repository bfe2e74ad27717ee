extends RefCounted
## What is true in the game right now: facts in sections, in the order in which the model reads them.

const MAX_SECTIONS := 32
const MAX_FACTS := 512
const MAX_FACTS_OF_SECTION := 256
const MAX_NAME_CHARS := 200
const MAX_FACT_CHARS := 1000
const MAX_BUDGET_TOKENS := 100_000


## What is wrong with a world, in a sentence; empty when nothing is.
static func problem(world: Dictionary) -> String:
	if world.size() > MAX_SECTIONS:
		return "The world has %d sections, at most %d are allowed." % [world.size(), MAX_SECTIONS]
	var count := 0
	for name: Variant in world:
		var found := _problem_of(name, world[name])
		if not found.is_empty():
			return found
		count += _facts(world[name]).size()
	if count > MAX_FACTS:
		return "The world has %d facts, at most %d are allowed." % [count, MAX_FACTS]
	return ""


## The world as it is sent: a list for each section, or a map where it has a budget.
static func to_map(world: Dictionary) -> Dictionary:
	var map := {}
	for name: String in world:
		map[name] = Array(_facts(world[name]))
		var budget: Variant = _budget(world[name])
		if budget != null:
			map[name] = {"facts": map[name], "budget_tokens": budget}
	return map


static func _problem_of(name: Variant, section: Variant) -> String:
	if not (name is String or name is StringName):
		return "The name of a section of the world is no text."
	var key := str(name)
	if key.strip_edges().is_empty() or key.length() > MAX_NAME_CHARS:
		return "The name of a section of the world is empty, or longer than %d characters." % MAX_NAME_CHARS
	if section is Dictionary:
		var map: Dictionary = section
		for inner: Variant in map:
			if not str(inner) in ["facts", "budget_tokens"]:
				return "world[%s] has '%s', there are: facts, budget_tokens." % [key, inner]
		section = map.get("facts", [])
		var budget: Variant = map.get("budget_tokens")
		if budget != null and not (budget is int and budget >= 0 and budget <= MAX_BUDGET_TOKENS):
			return "budget_tokens of world[%s] must be a whole number from 0 to %d." % [key, MAX_BUDGET_TOKENS]
	if not (section is Array or section is PackedStringArray):
		return "world[%s] must be a list of facts." % key
	var facts: Array = section
	if facts.size() > MAX_FACTS_OF_SECTION:
		return "world[%s] has %d facts, at most %d are allowed." % [key, facts.size(), MAX_FACTS_OF_SECTION]
	for index: int in facts.size():
		if not facts[index] is String:
			return "world[%s][%d] is no text." % [key, index]
		var fact: String = facts[index]
		if fact.strip_edges().is_empty() or fact.length() > MAX_FACT_CHARS:
			return "world[%s][%d] is empty, or longer than %d characters." % [key, index, MAX_FACT_CHARS]
	return ""


static func _facts(section: Variant) -> PackedStringArray:
	if section is Dictionary:
		var map: Dictionary = section
		section = map.get("facts", [])
	var facts: PackedStringArray = section
	return facts


static func _budget(section: Variant) -> Variant:
	if section is Dictionary:
		var map: Dictionary = section
		return map.get("budget_tokens")
	return null
