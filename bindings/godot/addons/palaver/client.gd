class_name PalaverClient
extends RefCounted
## Asks a sidecar for lines: one connection, any number of characters. Games use [PalaverNpc] instead.
##
## Nothing here waits: call [method poll] once a frame. Each ask ends exactly once, with a line even when there is no
## sidecar. The connection comes back by itself, with all characters and what was said to them.

## The sidecar has let the client in. [param welcome] is its message: version, state, model.
signal welcomed(welcome: Dictionary)
## The connection is gone; the client tries to get it back.
signal lost(problem: String)
## The sidecar does not let the client in, and will not: the secret or the protocol is another one.
signal turned_away(code: String, message: String)
## The sidecar did not like something that was no ask, such as a persona.
signal complained(code: String, message: String)

const _AskOptions := preload("talk/ask_options.gd")
const _Budget := preload("talk/budget.gd")
const _Connection := preload("wire/connection.gd")
const _Desk := preload("talk/desk.gd")
const _Fields := preload("wire/fields.gd")
const _Inbox := preload("talk/inbox.gd")
const _Memory := preload("talk/memory.gd")
const _NpcSync := preload("talk/npc_sync.gd")
const _OpenAsks := preload("talk/open_asks.gd")
const _Replies := preload("talk/replies.gd")
const _Roster := preload("talk/roster.gd")
const _SaveData := preload("talk/save_data.gd")
const _World := preload("talk/world.gd")

## Of the addon.
const VERSION := "0.1.0"

## What the client calls itself in the sidecar's log.
var name := "godot %s" % VERSION
## Compute that each frame gives the sidecar, in milliseconds, up to 1000; [method tick] tells it. 0: no such limit.
var frame_budget_ms: float:
	get:
		return _budget.frame_ms
	set(budget_ms):
		_budget.set_frame(budget_ms)
## Milliseconds that never go back; tests put their own in.
var clock := Time.get_ticks_msec
## Messages that the last [method poll] took in; at most 64, more stay for the next one.
var messages_last_poll: int:
	get:
		return _connection.messages_this_poll

var _connection := _Connection.new()
var _roster := _Roster.new()
var _asks := _OpenAsks.new(_roster)
var _sync := _NpcSync.new(_roster, _asks, _connection)
var _desk := _Desk.new(_roster, _asks, _sync, _connection)
var _budget := _Budget.new(_connection)
var _replies := _Replies.new()
var _inbox := _Inbox.new(_roster, _asks, _replies, _connection)
var _is_welcome := false
var _given_up := ""


func _init() -> void:
	_inbox.complained.connect(complained.emit)


## Connect to a sidecar on this machine, and again whenever the connection is lost.
func open(port: int, secret := "") -> void:
	_given_up = ""
	_connection.open(port, secret, name)
	_notice_loss()


## Drop the connection. Open asks wait for the next [method open], or until their time is over.
func close() -> void:
	_connection.close()
	_notice_loss()


## There may be a sidecar soon: after [method give_up], asks wait for one again.
func hope() -> void:
	_given_up = ""


## There will be no sidecar: open asks end now, and further ones with the next [method poll], until [method hope] or
## [method open].
func give_up(why: String) -> void:
	close()
	_given_up = why
	_desk.fail_all(why)


## Whether the sidecar has let the client in.
func is_welcome() -> bool:
	return _is_welcome


## How many asks and choices are open, of all characters.
func open_asks() -> int:
	return _asks.open.size()


## Do what there is to do; to be called once a frame.
func poll() -> void:
	var now_ms: int = clock.call()
	_connection.poll(now_ms)
	var message := _connection.receive()
	_notice_welcome()
	while not message.is_empty():
		_inbox.take(message)
		message = _connection.receive()
	_notice_loss()
	if not _connection.refused.is_empty() and _given_up.is_empty():
		give_up(_connection.problem)
		turned_away.emit(_connection.refused, _connection.problem)
	if _is_welcome:
		_sync.put_some()
	# What has come in time is not called late because there was too much of it for one frame.
	if _connection.messages_this_poll < _Connection.MAX_MESSAGES_A_POLL:
		_desk.end_hopeless(now_ms)
		_replies.end_overdue(now_ms)


## Tell who [param npc_id] is; what is remembered of it stays. Returns what is wrong with the persona, or "".
func put_npc(npc_id: String, persona: PalaverPersona) -> String:
	var found := persona.problem(npc_id)
	if found.is_empty():
		var map := persona.to_map()
		map["id"] = npc_id
		_roster.record(npc_id).set_persona(map)
		_sync.note_changed()
	return found


## Tell what is true in the game right now, for all characters: facts by the name of their section, see
## [method PalaverService.put_world]. Returns what is wrong with it, or "".
func put_world(world: Dictionary) -> String:
	var found := _World.problem(world)
	if found.is_empty():
		_sync.put_world(_World.to_map(world))
	return found


## Ask a character that was put. [param options] are those of [method PalaverNpc.ask]. It ends in a [method poll] that
## comes later, never in here.
func ask(npc_id: String, text: String, options: Dictionary = {}) -> PalaverAsk:
	var made := PalaverAsk.new()
	_open(made, npc_id, text, options, _AskOptions.problem(text, options))
	return made


## Have a character that was put choose between 2 to 16 [param answers]. [param options] are those of
## [method PalaverNpc.choose]. It ends in a [method poll] that comes later, never in here.
func choose(npc_id: String, text: String, answers: PackedStringArray, options: Dictionary = {}) -> PalaverChoosing:
	var made := PalaverChoosing.new()
	made.answers = answers
	_open(made, npc_id, text, options, _AskOptions.problem_of_choice(text, answers, options))
	return made


## Give up an ask or a choice; it ends as cancelled, at once.
func cancel(given: PalaverRequest) -> void:
	_desk.cancel(given)


## What the model would read if a character that was put were asked now.
func prompt(npc_id: String, text: String) -> PalaverPrompt:
	var made := PalaverPrompt.new()
	var record := _roster.record(npc_id)
	made.failure_code = "unreachable" if not _is_welcome else "unknown-npc" if record.persona.is_empty() else ""
	made.failure = _AskOptions.problem_of_text(text)
	if not made.failure.is_empty():
		made.failure_code = "bad-request"
	if not made.failure_code.is_empty():
		return made
	_sync.bring_up_to_date(record)
	var now_ms: int = clock.call()
	var reply := _replies.expect(_connection.request("prompt.get", {"npc": npc_id, "text": text}), now_ms)
	await reply.done
	made.text = _Fields.text(reply.fields, "text")
	made.tokens = _Fields.whole(reply.fields, "tokens")
	made.dropped = _Fields.texts(reply.fields, "dropped")
	made.failure_code = reply.code
	made.failure = reply.message
	return made


## Forget what was said to a character; what is open of it ends as cancelled.
func forget(npc_id: String) -> void:
	_desk.drop_all_of(npc_id)
	var record := _roster.record(npc_id)
	record.forget()
	_sync.forget(record)


## What a character remembers: pairs of what the player said and what it answered, oldest first.
func turns(npc_id: String) -> Array[PackedStringArray]:
	return _roster.record(npc_id).memory.turns.duplicate()


## What was said before these turns; empty if nobody has told.
func summary(npc_id: String) -> String:
	return _roster.record(npc_id).memory.summary


## Let [param text], up to 4000 characters, stand for all but the last [param keep] turns, 0 to 16. Returns what is wrong
## with that, or "".
func set_summary(npc_id: String, text: String, keep := _Memory.KEPT_TURNS) -> String:
	if text.length() > _Memory.MAX_TEXT_CHARS:
		return "The summary has %d characters, at most %d are allowed." % [text.length(), _Memory.MAX_TEXT_CHARS]
	if keep < 0 or keep > _Memory.MAX_TURNS:
		return "keep is %d, it must be 0 to %d." % [keep, _Memory.MAX_TURNS]
	_sync.summarise(_roster.record(npc_id), text, keep)
	return ""


## Ids of all characters that were put or loaded.
func npc_ids() -> Array[String]:
	return _roster.ids()


## What a character remembers, as text for a save game.
func save_turns(npc_id: String) -> String:
	return _SaveData.write(npc_id, _roster.record(npc_id).memory)


## Give a character back what [method save_turns] saved; what is open of it ends as cancelled. ERR_PARSE_ERROR for text
## that is no save, ERR_FILE_UNRECOGNIZED for one of a later version; nothing is changed then.
func load_turns(npc_id: String, data: String) -> Error:
	var loaded := _Memory.new()
	var error := _SaveData.read(data, loaded)
	if error == OK:
		_desk.drop_all_of(npc_id)
		var record := _roster.record(npc_id)
		record.set_memory(loaded)
		record.memory_differs = true
	return error


## Tell the sidecar that a frame begins, in which it may compute for [member frame_budget_ms]. Sent only while an ask is
## open: without ticks the sidecar does not compute.
func tick(frame: int) -> void:
	if _budget.frame_ms > 0.0 and not _asks.open.is_empty():
		_budget.tick(frame)


## Let the sidecar take at most [param max_load] of one core (0.001 to 1), spread over [param fps] frames a second. It
## counts while [member frame_budget_ms] is 0.
func set_load_budget(max_load: float, fps := 60.0) -> void:
	_budget.set_load(max_load, fps)


## The sidecar's report of itself, see the protocol; empty when it does not answer.
func stats() -> Dictionary:
	if not _is_welcome:
		return {}
	var now_ms: int = clock.call()
	var reply := _replies.expect(_connection.request("stats", {}), now_ms)
	await reply.done
	return reply.fields


## Ask the sidecar to end.
func bye() -> void:
	if _is_welcome:
		_connection.request("bye", {})


func _open(given: PalaverRequest, npc_id: String, text: String, options: Dictionary, problem: String) -> void:
	given.npc_id = npc_id
	given.text = text
	given.options = options.duplicate()
	given.asked_ms = clock.call()
	_asks.open.append(given)
	if not problem.is_empty():
		_asks.doom(given, "bad-request", problem)
	elif _roster.record(npc_id).persona.is_empty():
		_asks.doom(given, "unknown-npc", "'%s' is not known; put it first." % npc_id)
	elif not _given_up.is_empty():
		_asks.doom(given, "unreachable", _given_up)
	elif _is_welcome:
		_desk.send(given, given.asked_ms)


func _notice_welcome() -> void:
	if _is_welcome or _connection.state != _Connection.State.READY:
		return
	_is_welcome = true
	_sync.note_welcome()
	_budget.tell()
	var now_ms: int = clock.call()
	_desk.send_all(now_ms)
	welcomed.emit(_connection.welcome)


func _notice_loss() -> void:
	if _is_welcome and _connection.state != _Connection.State.READY:
		_is_welcome = false
		_asks.note_lost()
		_sync.note_lost()
		_replies.end_all()
		lost.emit(_connection.problem)
