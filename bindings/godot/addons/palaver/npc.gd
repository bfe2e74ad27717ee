@icon("icon.svg")
class_name PalaverNpc
extends Node
## A character that can be asked. Add one to a character's scene and give it a [member persona].
##
## [codeblock]
## func _on_player_said(text: String) -> void:
##     var line := await $PalaverNpc.ask(text)
##     $Balloon.text = line.bbcode()
## [/codeblock]
## An ask always ends in a line: the model's, a draft that is good enough, or one of the persona's fallbacks when time
## is over or the sidecar is gone. When the node leaves the tree, its open asks end as cancelled.

## The character was asked.
signal asked(text: String)
## The line so far, again and again until it is there. Drafts are made only while something is connected here.
signal line_drafted(draft: PalaverDraft)
## The line is there: once for each ask that was not cancelled.
signal line_finished(line: PalaverLine)
## The sidecar could not answer, so that the line which follows is one that was written beforehand. [param code] is its
## [member PalaverLine.finish_reason].
signal failed(code: String, message: String)
## The ask was cancelled; no line follows.
signal cancelled

## Who speaks.
@export var persona: PalaverPersona
## By which id it is known, where several nodes share one persona. Empty: the persona's own.
@export var npc_id := ""
## When the line has to be there, in milliseconds after the ask; 0 for no limit.
@export_range(0, 600000, 1, "suffix:ms") var deadline_ms := 4000
## Least time between two drafts, in milliseconds; 0 for one after each step of the model.
@export_range(0, 10000, 1, "suffix:ms") var draft_every_ms := 50

var _open: Array[PalaverAsk] = []


func _exit_tree() -> void:
	cancel()


## Ask the character, and wait for its line: [code]await npc.ask("Hello")[/code]. Never null; the line of a cancelled
## ask has the source CANCELLED and no text.
## [br][br]
## [param options], all of them optional: [code]seed[/code] (int), [code]steps[/code] (most denoising steps a canvas),
## [code]max_tokens[/code], [code]deadline_ms[/code] (0 for none), [code]priority[/code] (-10 to 10),
## [code]policy[/code] (while the character has an open ask: [code]"queue"[/code], [code]"replace"[/code] or
## [code]"reject"[/code]), [code]draft_every_ms[/code], [code]stop_after_steps[/code], [code]sampler[/code],
## [code]deterministic[/code], [code]record[/code] (false: the turn is not remembered).
func ask(text: String, options: Dictionary = {}) -> PalaverLine:
	var given := _begin(text, options)
	asked.emit(text)
	await given.ended
	return given.line


## Give up all open asks of this character.
func cancel() -> void:
	for given: PalaverAsk in _open.duplicate():
		_client().cancel(given)


## Whether an ask is open.
func is_asking() -> bool:
	return not _open.is_empty()


## Forget what was said; open asks end as cancelled.
func forget() -> void:
	_client().forget(used_id())


## What was said and is remembered: pairs of what the player said and what the character answered, oldest first.
func turns() -> Array[PackedStringArray]:
	return _client().turns(used_id())


## What is remembered, as text for the game's save data. See also [method PalaverService.save_turns], which saves all.
func save_turns() -> String:
	return _client().save_turns(used_id())


## Remember what [method save_turns] saved instead of what is remembered now; open asks end as cancelled.
## ERR_PARSE_ERROR for text that is no save, ERR_FILE_UNRECOGNIZED for one of another version; nothing is changed then.
func load_turns(data: String) -> Error:
	return _client().load_turns(used_id(), data)


## The id by which the character is known.
func used_id() -> String:
	return npc_id if not npc_id.is_empty() or persona == null else persona.id


func _begin(text: String, options: Dictionary) -> PalaverAsk:
	var all := options.duplicate()
	all.merge({"deadline_ms": deadline_ms})
	if not line_drafted.get_connections().is_empty():
		all.merge({"draft_every_ms": draft_every_ms})
	var client := _client()
	var found := "The node has no persona."
	if persona != null:
		found = client.put_npc(used_id(), persona)
	var given := client.ask(used_id(), text, all)
	if given.failure_code == "bad-request":
		found = given.failure
	if not found.is_empty():
		push_error("%s: %s" % [get_path(), found])
	_open.append(given)
	given.drafted.connect(line_drafted.emit)
	given.ended.connect(_on_ended)
	return given


func _on_ended(line: PalaverLine) -> void:
	for given: PalaverAsk in _open.duplicate():
		if given.line == line:
			_open.erase(given)
			if given.state == PalaverAsk.State.CANCELLED:
				cancelled.emit()
				return
			if not given.failure_code.is_empty():
				failed.emit(given.failure_code, given.failure)
			line_finished.emit(line)


static func _client() -> PalaverClient:
	if PalaverService.main() != null:
		return PalaverService.main().client
	push_error("The autoload Palaver is missing. Enable the plugin in the project settings.")
	var nobody := PalaverClient.new()
	nobody.give_up("The plugin is not enabled.")
	# Nobody else would end the ask.
	(func() -> void: nobody.poll()).call_deferred()
	return nobody
