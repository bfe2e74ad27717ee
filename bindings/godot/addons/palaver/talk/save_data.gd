extends RefCounted
## What a character remembers as text for a save game.
##
## The text is the protocol's: what one binding saves, another and the sidecar itself can load.

const Memory := preload("memory.gd")

const VERSION := 2
## The first version had no summary.
const _FIRST_VERSION := 1


## The save text of a memory.
static func write(npc_id: String, memory: Memory) -> String:
	var turns := memory.turns.map(func(turn: PackedStringArray) -> Array: return Array(turn))
	var save := {"palaver_save": VERSION, "npc": npc_id, "summary": memory.summary, "turns": turns}
	return JSON.stringify(save, "", false)


## Reads a save text into [param memory], whose old content goes. ERR_PARSE_ERROR when it is none, and
## ERR_FILE_UNRECOGNIZED when a later version wrote it; [param memory] then stays as it is.
static func read(data: String, memory: Memory) -> Error:
	var json := JSON.new()
	if json.parse(data) != OK or not json.data is Dictionary:
		return ERR_PARSE_ERROR
	var save: Dictionary = json.data
	if not save.get("palaver_save") is float:
		return ERR_PARSE_ERROR
	if save["palaver_save"] != VERSION and save["palaver_save"] != _FIRST_VERSION:
		return ERR_FILE_UNRECOGNIZED
	if not save.get("turns") is Array or not save.get("summary", "") is String:
		return ERR_PARSE_ERROR
	var summary: String = save.get("summary", "")
	if summary.length() > Memory.MAX_TEXT_CHARS:
		return ERR_PARSE_ERROR
	var pairs: Array = save["turns"]
	var loaded: Array[PackedStringArray] = []
	for pair: Variant in pairs:
		if not _is_turn(pair):
			return ERR_PARSE_ERROR
		var turn: PackedStringArray = pair
		loaded.append(turn)
	memory.turns = loaded.slice(maxi(loaded.size() - Memory.MAX_TURNS, 0))
	memory.summary = summary
	return OK


static func _is_turn(pair: Variant) -> bool:
	if not pair is Array:
		return false
	var texts: Array = pair
	if texts.size() != 2 or not texts[0] is String or not texts[1] is String:
		return false
	var asked: String = texts[0]
	var answer: String = texts[1]
	return not asked.strip_edges().is_empty() and maxi(asked.length(), answer.length()) <= Memory.MAX_TEXT_CHARS
