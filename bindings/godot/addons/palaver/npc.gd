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
## The sidecar could not answer, so that the line which follows is one that was written beforehand, or the choice the
## first answer. [param code] is its [code]finish_reason[/code].
signal failed(code: String, message: String)
## The line that is there carries out one of the persona's actions; just before [signal line_finished].
signal acted(action: PalaverAction)
## The character has chosen: once for each [method choose] that was not cancelled.
signal chosen(choice: PalaverChoice)
## What was asked was cancelled; no line and no choice follows.
signal cancelled

## Who speaks.
@export var persona: PalaverPersona
## By which id it is known, where several nodes share one persona. Empty: the persona's own.
@export var npc_id := ""
## When the line has to be there, in milliseconds after the ask; 0 for no limit.
@export_range(0, 600000, 1, "suffix:ms") var deadline_ms := 4000
## Least time between two drafts, in milliseconds; 0 for one after each step of the model.
@export_range(0, 10000, 1, "suffix:ms") var draft_every_ms := 50

var _open: Array[PalaverRequest] = []


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
## [br][br]
## What the line has to hold: [code]template[/code] (fixed words, and gaps such as [code]{*}[/code] or
## [code]{*=some pelts}[/code]: [code]"Bring me {*}, will you?"[/code]), [code]must_include[/code] (up to 8 phrases). Which
## of the lines that were written beforehand: [code]situation[/code], one of [member PalaverPersona.situations]. Who will
## draw the text: [code]escape[/code], [code]"bbcode"[/code] where the template itself has BBCode.
func ask(text: String, options: Dictionary = {}) -> PalaverLine:
	var given := _begin_ask(text, options)
	asked.emit(text)
	await given.ended
	return given.line


## Ask the character which of 2 to 16 [param answers] to [param text] it gives, all of them written beforehand, and wait
## for that. Never null; a choice that was cancelled has the source CANCELLED and no text. Nothing is remembered.
## [br][br]
## [param options]: [code]deadline_ms[/code], [code]priority[/code] and [code]policy[/code], as for [method ask].
## [codeblock]
## var choice := await npc.choose("Lend me your boat.", ["Take it.", "Never."])
## if choice.index == 0:
## [/codeblock]
func choose(text: String, answers: PackedStringArray, options: Dictionary = {}) -> PalaverChoice:
	var given := _begin_choosing(text, answers, options)
	await given.ended
	return given.choice


## What the model would read if this were asked now, and what of it did not fit; for finding out why the character says
## what it says. Never null.
func prompt(text: String) -> PalaverPrompt:
	var found := _put()
	if not found.is_empty():
		push_error("%s: %s" % [get_path(), found])
	return await _client().prompt(used_id(), text)


## Give up all that is open of this character.
func cancel() -> void:
	for given: PalaverRequest in _open.duplicate():
		_client().cancel(given)


## Whether an ask or a choice is open.
func is_asking() -> bool:
	return not _open.is_empty()


## Forget what was said; what is open ends as cancelled.
func forget() -> void:
	_client().forget(used_id())


## What was said and is remembered: pairs of what the player said and what the character answered, oldest first.
func turns() -> Array[PackedStringArray]:
	return _client().turns(used_id())


## What was said before these turns, in a few sentences; empty if nobody has told.
func summary() -> String:
	return _client().summary(used_id())


## Let [param text], up to 4000 characters, stand for all but the last [param keep] turns, 0 to 16. An empty one leaves
## nothing in their place.
func set_summary(text: String, keep := 4) -> void:
	var found := _client().set_summary(used_id(), text, keep)
	if not found.is_empty():
		push_error("%s: %s" % [get_path(), found])


## What is remembered, as text for the game's save data. See also [method PalaverService.save_turns], which saves all.
func save_turns() -> String:
	return _client().save_turns(used_id())


## Remember what [method save_turns] saved instead of what is remembered now; what is open ends as cancelled.
## ERR_PARSE_ERROR for text that is no save, ERR_FILE_UNRECOGNIZED for one of a later version; nothing is changed then.
func load_turns(data: String) -> Error:
	return _client().load_turns(used_id(), data)


## The id by which the character is known.
func used_id() -> String:
	return npc_id if not npc_id.is_empty() or persona == null else persona.id


func _begin_ask(text: String, options: Dictionary) -> PalaverAsk:
	var all := options.duplicate()
	all.merge({"deadline_ms": deadline_ms})
	if not line_drafted.get_connections().is_empty():
		all.merge({"draft_every_ms": draft_every_ms})
	var found := _put()
	var given := _client().ask(used_id(), text, all)
	_note_begin(given, found)
	given.drafted.connect(line_drafted.emit)
	given.ended.connect(_on_line_ended)
	return given


func _begin_choosing(text: String, answers: PackedStringArray, options: Dictionary) -> PalaverChoosing:
	var all := options.duplicate()
	all.merge({"deadline_ms": deadline_ms})
	var found := _put()
	var given := _client().choose(used_id(), text, answers, all)
	_note_begin(given, found)
	given.ended.connect(_on_choice_ended)
	return given


## Tell the client who this is; returns what is wrong with it.
func _put() -> String:
	if persona == null:
		return "The node has no persona."
	return _client().put_npc(used_id(), persona)


func _note_begin(given: PalaverRequest, problem_of_persona: String) -> void:
	_open.append(given)
	var found := given.failure if given.failure_code == "bad-request" else problem_of_persona
	if not found.is_empty():
		push_error("%s: %s" % [get_path(), found])


func _on_line_ended(line: PalaverLine) -> void:
	for given: PalaverRequest in _open.duplicate():
		var question := given as PalaverAsk
		if question != null and question.line == line and _note_end(question):
			if line.action != null:
				acted.emit(line.action)
			line_finished.emit(line)


func _on_choice_ended(choice: PalaverChoice) -> void:
	for given: PalaverRequest in _open.duplicate():
		var choosing := given as PalaverChoosing
		if choosing != null and choosing.choice == choice and _note_end(choosing):
			chosen.emit(choice)


## Whether there is an answer to tell of.
func _note_end(given: PalaverRequest) -> bool:
	_open.erase(given)
	if given.state == PalaverRequest.State.CANCELLED:
		cancelled.emit()
		return false
	if not given.failure_code.is_empty():
		failed.emit(given.failure_code, given.failure)
	return true


static func _client() -> PalaverClient:
	if PalaverService.main() != null:
		return PalaverService.main().client
	push_error("The autoload Palaver is missing. Enable the plugin in the project settings.")
	var nobody := PalaverClient.new()
	nobody.give_up("The plugin is not enabled.")
	# Nobody else would end the ask.
	(func() -> void: nobody.poll()).call_deferred()
	return nobody
