extends RefCounted
## A character's remembered turns as text for a save game.
##
## The text is the protocol's: what one binding saves, another and the sidecar itself can load.

const VERSION := 1
## The sidecar remembers as many.
const MAX_TURNS := 16
const MAX_TEXT_CHARS := 4000


## The save text of [param turns], each a pair of what the player said and what the character answered.
static func write(npc_id: String, turns: Array[PackedStringArray]) -> String:
	var pairs := []
	for turn: PackedStringArray in turns:
		pairs.append([turn[0], turn[1]])
	return JSON.stringify({"palaver_save": VERSION, "npc": npc_id, "turns": pairs}, "", false)


## Reads a save text into [param turns], whose old content goes. ERR_PARSE_ERROR when it is none, and
## ERR_FILE_UNRECOGNIZED when another version wrote it; [param turns] then stay as they are.
static func read(data: String, turns: Array[PackedStringArray]) -> Error:
	var json := JSON.new()
	if json.parse(data) != OK or not json.data is Dictionary:
		return ERR_PARSE_ERROR
	var save: Dictionary = json.data
	if not save.get("palaver_save") is float:
		return ERR_PARSE_ERROR
	if save["palaver_save"] != VERSION:
		return ERR_FILE_UNRECOGNIZED
	if not save.get("turns") is Array:
		return ERR_PARSE_ERROR
	var pairs: Array = save["turns"]
	var loaded: Array[PackedStringArray] = []
	for pair: Variant in pairs:
		if not _is_turn(pair):
			return ERR_PARSE_ERROR
		var turn: PackedStringArray = pair
		loaded.append(turn)
	turns.assign(loaded.slice(-MAX_TURNS) if loaded.size() > MAX_TURNS else loaded)
	return OK


static func _is_turn(pair: Variant) -> bool:
	if not pair is Array:
		return false
	var texts: Array = pair
	if texts.size() != 2 or not texts[0] is String or not texts[1] is String:
		return false
	var asked: String = texts[0]
	var answer: String = texts[1]
	return not asked.strip_edges().is_empty() and maxi(asked.length(), answer.length()) <= MAX_TEXT_CHARS
