extends RefCounted
## What the client knows of one character: who it is, what it remembers, and what of it the sidecar knows.

const Fallback := preload("fallback.gd")
const Fields := preload("../wire/fields.gd")
const Memory := preload("memory.gd")

## The id it is asked by.
var id := ""
## The persona as it is sent.
var persona := {}
## What was said to it.
var memory := Memory.new()
## Whether the sidecar has this persona.
var is_put := false
## Whether the sidecar remembers something else than this memory.
var memory_differs := false
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


## Remember a turn.
func remember(asked: String, answer: String) -> void:
	memory.remember(asked, answer)


## The turns before the last [param keep] are told in other words from now on.
func summarise(text: String, keep: int) -> void:
	memory.summarise(text, keep)


## Remember nothing.
func forget() -> void:
	set_memory(Memory.new())


## Remember something else than before.
func set_memory(other: Memory) -> void:
	memory = other


## A line that was written beforehand, never what the character said last; one for [param situation] where there is one.
func fallback_text(situation: String) -> String:
	var of_situations := Fields.map(persona, "situations")
	var text := Fallback.choose(
		[Fields.texts(of_situations, situation), Fields.texts(persona, "fallbacks")], _last_said
	)
	_last_said = text
	return text
