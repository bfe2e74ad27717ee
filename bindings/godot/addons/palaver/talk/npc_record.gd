extends RefCounted
## What the client knows of one character: who it is, what was said, and what of it the sidecar knows.

const Fallback := preload("fallback.gd")
const SaveData := preload("save_data.gd")

## The id it is asked by.
var id := ""
## The persona as it is sent.
var persona := {}
## Remembered turns, oldest first, each what the player said and what the character answered.
var turns: Array[PackedStringArray] = []
## Whether the sidecar has this persona.
var is_put := false
## Whether the sidecar remembers other turns than these.
var turns_differ := false
## When it was last asked, for choosing whom the sidecar may forget.
var asked_ms := 0

var _last_said := ""


## Take in a persona; a changed one has to be put again.
func set_persona(map: Dictionary) -> void:
	if map != persona:
		persona = map
		is_put = false


## Note what the character said, wherever it came from.
func note_said(text: String) -> void:
	_last_said = text


## Remember a turn, and forget the oldest where there are too many.
func remember(asked: String, answer: String) -> void:
	turns.append(PackedStringArray([asked, answer]))
	if turns.size() > SaveData.MAX_TURNS:
		turns.remove_at(0)


## A line that was written beforehand, never what the character said last.
func fallback_text() -> String:
	var authored: Array = persona.get("fallbacks", [])
	return Fallback.choose(PackedStringArray(authored), _last_said)
