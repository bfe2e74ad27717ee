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
const _Fields := preload("wire/fields.gd")
const _LineReader := preload("talk/line_reader.gd")
const _NpcSync := preload("talk/npc_sync.gd")
const _OpenAsks := preload("talk/open_asks.gd")
const _Replies := preload("talk/replies.gd")
const _Roster := preload("talk/roster.gd")
const _SaveData := preload("talk/save_data.gd")

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
var _budget := _Budget.new(_connection)
var _replies := _Replies.new()
var _is_welcome := false
var _given_up := ""


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
	for given: PalaverAsk in _asks.open.duplicate():
		_asks.fail(given, "unreachable", why)


## Whether the sidecar has let the client in.
func is_welcome() -> bool:
	return _is_welcome


## How many asks are open, of all characters.
func open_asks() -> int:
	return _asks.open.size()


## Do what there is to do; to be called once a frame.
func poll() -> void:
	var now_ms: int = clock.call()
	_connection.poll(now_ms)
	var message := _connection.receive()
	_notice_welcome()
	while not message.is_empty():
		_take(message)
		message = _connection.receive()
	_notice_loss()
	if not _connection.refused.is_empty() and _given_up.is_empty():
		give_up(_connection.problem)
		turned_away.emit(_connection.refused, _connection.problem)
	if _is_welcome:
		_sync.put_some()
	# What has come in time is not called late because there was too much of it for one frame.
	if _connection.messages_this_poll < _Connection.MAX_MESSAGES_A_POLL:
		if not _asks.open.is_empty():
			_end_hopeless(now_ms)
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


## Ask a character that was put. [param options] are those of [method PalaverNpc.ask]. It ends in a [method poll] that
## comes later, never in here.
func ask(npc_id: String, text: String, options: Dictionary = {}) -> PalaverAsk:
	var made := PalaverAsk.new()
	made.npc_id = npc_id
	made.text = text
	made.options = options.duplicate()
	made.asked_ms = clock.call()
	_asks.open.append(made)
	var found := _AskOptions.problem(text, options)
	if not found.is_empty():
		_asks.doom(made, "bad-request", found)
	elif _roster.record(npc_id).persona.is_empty():
		_asks.doom(made, "unknown-npc", "'%s' is not known; put it first." % npc_id)
	elif not _given_up.is_empty():
		_asks.doom(made, "unreachable", _given_up)
	elif _is_welcome:
		_send_ask(made)
	return made


## Give up an ask; it ends as cancelled, at once.
func cancel(given: PalaverAsk) -> void:
	if not given.is_ended():
		_abandon(given)
		_asks.cancel(given)


## Forget what was said to a character; its open asks end as cancelled.
func forget(npc_id: String) -> void:
	_drop_asks_of(npc_id)
	var record := _roster.record(npc_id)
	record.turns.clear()
	_sync.forget(record)


## What a character remembers: pairs of what the player said and what it answered, oldest first.
func turns(npc_id: String) -> Array[PackedStringArray]:
	return _roster.record(npc_id).turns.duplicate()


## Ids of all characters that were put or loaded.
func npc_ids() -> Array[String]:
	return _roster.ids()


## What a character remembers, as text for a save game.
func save_turns(npc_id: String) -> String:
	return _SaveData.write(npc_id, turns(npc_id))


## Give a character back what [method save_turns] saved; its open asks end as cancelled. ERR_PARSE_ERROR for text that
## is no save, ERR_FILE_UNRECOGNIZED for one of another version; nothing is changed then.
func load_turns(npc_id: String, data: String) -> Error:
	var loaded: Array[PackedStringArray] = []
	var error := _SaveData.read(data, loaded)
	if error == OK:
		_drop_asks_of(npc_id)
		var record := _roster.record(npc_id)
		record.turns.assign(loaded)
		record.turns_differ = true
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


func _notice_welcome() -> void:
	if _is_welcome or _connection.state != _Connection.State.READY:
		return
	_is_welcome = true
	_sync.note_changed()
	_budget.tell()
	for waiting: PalaverAsk in _asks.open.duplicate():
		if waiting.failure_code.is_empty():
			_send_ask(waiting)
	welcomed.emit(_connection.welcome)


func _notice_loss() -> void:
	if _is_welcome and _connection.state != _Connection.State.READY:
		_is_welcome = false
		_asks.note_lost()
		_sync.note_lost()
		_replies.end_all()
		lost.emit(_connection.problem)


func _take(message: Dictionary) -> void:
	var request := _Fields.whole(message, "request", -1)
	var given := _asks.sent_as(request)
	var type := _Fields.text(message, "type")
	if type == "draft":
		if given != null:
			given.drafted.emit(_LineReader.draft(message))
	elif type == "line":
		var late := _asks.take_abandoned(request)
		if given != null:
			_asks.finish(given, _LineReader.line(given, message))
		elif late != null:
			_asks.remember(late, _LineReader.line(late, message))
	elif type == "error":
		_take_error(given, request, _Fields.text(message, "code"), _Fields.text(message, "message"))
	else:
		_replies.take(request, message)


func _take_error(given: PalaverAsk, request: int, code: String, message: String) -> void:
	if code == "hello-first":
		_connection.start_over()
	elif given != null:
		_asks.fail(given, code, message)
	elif _asks.take_abandoned(request) == null:
		_replies.take(request, {})
		complained.emit(code, message)


func _send_ask(given: PalaverAsk) -> void:
	var now_ms: int = clock.call()
	var deadline_ms := given.deadline_ms()
	var left_ms := deadline_ms - (now_ms - given.asked_ms)
	if deadline_ms > 0 and left_ms <= 0:
		return
	var record := _roster.record(given.npc_id)
	record.asked_ms = now_ms
	_sync.bring_up_to_date(record)
	var fields := {"npc": given.npc_id, "text": given.text}
	fields.merge(_AskOptions.fields(given.options, left_ms))
	_asks.note_sent(given, _connection.request("ask", fields))


func _drop_asks_of(npc_id: String) -> void:
	for given: PalaverAsk in _asks.of(npc_id):
		cancel(given)
	_asks.forget_abandoned(npc_id)


func _abandon(given: PalaverAsk) -> void:
	if _asks.abandon(given):
		_connection.request("cancel", {"target": given.request})


func _end_hopeless(now_ms: int) -> void:
	for given: PalaverAsk in _asks.hopeless(now_ms):
		if given.is_ended():
			continue
		if not given.failure_code.is_empty():
			_asks.fail(given, given.failure_code, given.failure)
		else:
			var was_sent := given.request != 0
			_abandon(given)
			var message := "There was no line within %d ms." % _OpenAsks.limit_ms(given)
			_asks.fail(given, "timeout" if was_sent else "unreachable", message)
